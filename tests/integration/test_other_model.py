"""A store that moves to another embedding model and back: nothing is lost, and keywords find everything meanwhile."""

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from sqlmodel import select

from memory_core.adapters.index_layout import BUNDLED
from memory_core.bootstrap import MemoryCore, Ports, compose_core
from memory_core.models.memory import MemoryVector
from memory_core.recall.finding import Question
from memory_core.store.memories import MemoryRepository
from memory_core.values import ScopeKey
from memory_core.vectors import to_stored
from tests.fakes.clock import START, FakeClock
from tests.fakes.flow_engine import FakeFlowEngine
from tests.index_process import IndexProcess
from tests.integration.rows import memory
from tests.other_model import NAME, lay_out

MINE = ScopeKey("user.ana")
_THRESHOLD = 0.3
"""The default of `searchThreshold`."""
_BIRDS = "heron osprey plover dunlin whimbrel curlew gannet fulmar shearwater razorbill".split()
_PLACES = "pier lagoon quarry meadow orchard reservoir estuary canal headland marsh".split()
_TEXTS = [
    f"The {bird} nests by the old {place} every {season}."
    for bird in _BIRDS
    for place in _PLACES
    for season in ("spring", "summer", "autumn")
]


def found(core: MemoryCore, *, bird: str, place: str) -> bool:
    """Whether an answer comes first, and above the threshold."""
    question = Question(text=f"Does the {bird} nest by the {place}?", at=START, zone="UTC")
    best = core.finder.rank([MINE], question)[0]
    return f"{bird} nests by the old {place} " in best.row.text and best.score >= _THRESHOLD


def found_of_ten(core: MemoryCore) -> int:
    return sum(found(core, bird=bird, place=place) for bird, place in zip(_BIRDS, _PLACES, strict=True))


def models(core: MemoryCore) -> set[str]:
    with core.database.reading() as db:
        return set(db.exec(select(MemoryVector.model)))


@contextmanager
def running(home: Path, *, model: str | None = None) -> Generator[MemoryCore]:
    """A core over a real index process that embeds with this model."""
    process = IndexProcess(home, module="tests.other_model", model=model)
    ports = Ports(clock=FakeClock(), index=process.index, embedder=process.embedder, engine=FakeFlowEngine())
    try:
        process.start()
        with compose_core(process.settings, ports) as core:
            yield core
        assert process.process.end() == 0
    finally:
        process.close()


def remember(core: MemoryCore) -> None:
    with core.database.transaction() as db:
        for text, vector in zip(_TEXTS, core.embedder.embed_passages(_TEXTS), strict=True):
            row = memory(MINE, text=text)
            stored = MemoryVector(memory_id=row.id, model=core.embedder.model, **asdict(to_stored(vector)))
            MemoryRepository(db).add(row, vector=stored)
    core.indexing.apply_due()


def test_a_store_moves_to_another_model_and_is_searched_all_the_while(tmp_path: Path) -> None:
    with running(tmp_path) as core:
        remember(core)
        assert found_of_ten(core) == 10
        assert models(core) == {BUNDLED.model}
    lay_out(tmp_path / "models")
    with running(tmp_path, model=NAME) as core:
        assert core.embedder.problem is None
        assert core.index.count() == 0
        core.indexing.apply_due()
        assert core.index.count() == core.indexing.stale_count() == len(_TEXTS)
        assert models(core) == {BUNDLED.model}
        assert found_of_ten(core) == 10
        asked = 0
        with ThreadPoolExecutor(1) as background:
            while core.indexing.stale_count():
                batch = background.submit(core.indexing.embed_stale)
                while not batch.done():
                    assert found(core, bird=_BIRDS[asked % 10], place=_PLACES[asked % 7])
                    asked += 1
                assert batch.result() > 0
        assert asked >= 5
        assert models(core) == {core.embedder.model}
        assert core.embedder.model != BUNDLED.model
        assert core.index.count() == len(_TEXTS)
        assert core.indexing.lag() == 0
        assert found_of_ten(core) == 10
    with running(tmp_path) as core:
        while core.indexing.embed_stale():
            pass
        assert models(core) == {BUNDLED.model}
        assert found_of_ten(core) == 10


def test_a_model_whose_files_are_not_there_is_replaced_by_the_bundled_one(tmp_path: Path) -> None:
    with running(tmp_path, model=NAME) as core:
        assert core.embedder.model == BUNDLED.model
        assert "aren't there" in str(core.embedder.problem)
        remember(core)
        assert found_of_ten(core) == 10
        assert "embedder.bundled_instead" in (tmp_path / "index.log").read_text()


def test_an_unknown_model_is_replaced_by_the_bundled_one(tmp_path: Path) -> None:
    with running(tmp_path, model="nobody/nothing") as core:
        assert core.embedder.model == BUNDLED.model
        assert "no text model of fastembed" in str(core.embedder.problem)
