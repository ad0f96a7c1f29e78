"""The folder of the embedded index: who may open it, and what becomes of it when it can't be used."""

import json
import os
import subprocess
import sys
import uuid
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pytest

from memory_core.adapters.index_folder import claim, mark_damaged, open_index
from memory_core.adapters.index_layout import IndexLayout
from memory_core.adapters.qdrant_edge_index import KEEP_FREE_BYTES, QdrantEdgeIndex
from memory_core.errors import Conflict, Unavailable
from memory_core.values import MemoryId, MemoryKind, MemoryStatus, Point, PointFilter, ScopeKey
from tests.fakes.embedder import WIDTH, FakeEmbedder
from tests.prefect_server import wait_until

_LAYOUT = IndexLayout(model="fake", dense_size=WIDTH, token_size=WIDTH)


def points(count: int) -> list[Point]:
    texts = [f"word{n} and word{n + 1}" for n in range(count)]
    return [
        Point(
            memory_id=MemoryId(str(uuid.uuid4())),
            embedding=embedding,
            scope=ScopeKey("s"),
            kind=MemoryKind.FACT,
            status=MemoryStatus.ACTIVE,
            space="personal",
            session_id=0,
            event_at=0,
        )
        for embedding in FakeEmbedder().embed_passages(texts)
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@dataclass(frozen=True)
class Filled:
    """A folder with 40 points and its epoch."""

    folder: Path
    epoch: str


@pytest.fixture
def filled(folder: Path) -> Filled:
    index = open_index(folder, layout=_LAYOUT)
    index.upsert(points(40))
    epoch = index.epoch()
    index.close()
    return Filled(folder, epoch)


def look(folder: Path, layout: IndexLayout = _LAYOUT) -> tuple[str, int]:
    """Epoch and count after another opening."""
    index = open_index(folder, layout=layout)
    seen = index.epoch(), index.count()
    index.close()
    return seen


def test_an_index_stays_the_same_over_openings(filled: Filled) -> None:
    assert look(filled.folder) == (filled.epoch, 40)
    assert look(filled.folder) == (filled.epoch, 40)


def test_two_folders_have_different_epochs(tmp_path: Path, filled: Filled) -> None:
    assert look(tmp_path / "other")[0] != filled.epoch


def test_a_removed_folder_starts_empty_under_another_epoch(filled: Filled) -> None:
    (filled.folder / "identity.json").unlink()
    epoch, count = look(filled.folder)
    assert epoch != filled.epoch
    assert count == 0


@pytest.mark.parametrize("change", [{"model": "other"}, {"dense_size": 16}, {"token_size": 8}])
def test_another_layout_starts_empty_under_another_epoch(filled: Filled, change: dict[str, str | int]) -> None:
    epoch, count = look(filled.folder, replace(_LAYOUT, **change))
    assert epoch != filled.epoch
    assert count == 0
    assert look(filled.folder)[0] not in {epoch, filled.epoch}


def test_an_index_of_an_older_format_starts_empty(filled: Filled) -> None:
    identity = filled.folder / "identity.json"
    older = json.loads(identity.read_text()) | {"format": 0}
    identity.write_text(json.dumps(older))
    epoch, count = look(filled.folder)
    assert epoch != filled.epoch
    assert count == 0


_DAMAGES = {
    "engine's configuration": "shard/edge_config.json",
    "log's first index": "shard/wal/first-index",
    "segment's state": "shard/segments/*/segment.json",
    "deleted flags": "shard/segments/*/vector_storage-dense/deleted/status.dat",
    "payload": "shard/segments/*/payload_storage/config.json",
    "identity": "identity.json",
}


@pytest.mark.parametrize("damage", [f"{what} {how}" for what in _DAMAGES for how in ("emptied", "overwritten")])
def test_a_damaged_folder_starts_empty_under_another_epoch(filled: Filled, damage: str) -> None:
    what, _, how = damage.rpartition(" ")
    for file in filled.folder.glob(_DAMAGES[what]):
        size = file.stat().st_size
        file.write_bytes(b"" if how == "emptied" else os.urandom(max(size, 16)))
    epoch, count = look(filled.folder)
    assert epoch != filled.epoch
    assert count == 0
    assert look(filled.folder) == (epoch, 0)
    assert sorted(path.name for path in filled.folder.iterdir()) == ["identity.json", "shard"]


def test_an_index_marked_as_damaged_is_thrown_away(filled: Filled) -> None:
    mark_damaged(filled.folder)
    assert look(filled.folder)[0] != filled.epoch


def test_a_process_that_ends_while_opening_is_forgiven_once(filled: Filled) -> None:
    (filled.folder / "suspect").write_text("1")
    assert look(filled.folder) == (filled.epoch, 40)
    (filled.folder / "suspect").write_text("2")
    assert look(filled.folder)[0] != filled.epoch


def test_openings_that_never_come_to_an_end_are_not_tried_for_ever(filled: Filled) -> None:
    # Some damage makes the engine abort. A pipe in place of a file holds an opening until it is killed.
    configuration = filled.folder / "shard" / "edge_config.json"
    configuration.unlink()
    os.mkfifo(configuration)
    program = (
        "import sys; from pathlib import Path; from memory_core.adapters.index_folder import open_index;"
        "from memory_core.adapters.index_layout import IndexLayout;"
        f"open_index(Path(sys.argv[1]), layout=IndexLayout(**{json.dumps(asdict(_LAYOUT))}))"
    )
    suspect = filled.folder / "suspect"
    for attempt in ("1", "2"):
        with subprocess.Popen([sys.executable, "-c", program, str(filled.folder)]) as opening:
            wait_until(lambda: suspect.exists() and suspect.read_text() == attempt, what="the opening has begun")  # noqa: B023 - called at once
            opening.kill()
    epoch, count = look(filled.folder)
    assert epoch != filled.epoch
    assert count == 0


def test_a_creation_cut_short_is_made_again(folder: Path) -> None:
    # The engine's files are there, the identity is not.
    QdrantEdgeIndex.create(folder / "shard", layout=_LAYOUT, name="x").close()
    (folder / "discarded").mkdir()
    assert look(folder)[1] == 0
    assert not (folder / "discarded").exists()


def test_one_process_at_a_time_has_the_folder(folder: Path) -> None:
    lock = claim(folder)
    program = (
        "import sys; from pathlib import Path; from memory_core.adapters.index_folder import claim;"
        "from memory_core.errors import Conflict\n"
        "try:\n    claim(Path(sys.argv[1]))\nexcept Conflict:\n    sys.exit(7)"
    )
    command = [sys.executable, "-c", program, str(folder)]
    assert subprocess.run(command, check=False).returncode == 7
    lock.release()
    assert subprocess.run(command, check=False).returncode == 0
    second = claim(folder)
    with pytest.raises(Conflict):
        claim(folder)
    second.release()


def test_a_full_disk_refuses_writes_and_goes_on_answering(folder: Path) -> None:
    index = open_index(folder, layout=_LAYOUT)
    stored = points(3)
    index.upsert(stored[:2])
    index.keep_free_bytes = 2**62
    with pytest.raises(Unavailable, match="the disk is full"):
        index.upsert(stored)
    with pytest.raises(Unavailable, match="the disk is full"):
        index.delete([stored[0].memory_id])
    assert index.count() == 2
    assert len(index.search(stored[0].embedding, where=PointFilter(scopes=(ScopeKey("s"),)), limit=5)) == 2
    index.flush()
    index.keep_free_bytes = KEEP_FREE_BYTES
    index.upsert(stored)
    assert index.count() == 3
    index.close()


def test_deleted_points_give_back_their_room(folder: Path) -> None:
    index = open_index(folder, layout=_LAYOUT)
    many = points(3000)
    for start in range(0, len(many), 500):
        index.upsert(many[start : start + 500])
    index.delete([point.memory_id for point in many[:2500]])
    index.close()
    before = _bytes_of_vectors(folder)
    assert look(folder)[1] == 500
    assert look(folder)[1] == 500
    assert _bytes_of_vectors(folder) < before / 2


def _bytes_of_vectors(folder: Path) -> int:
    return sum(file.stat().st_blocks * 512 for file in folder.glob("shard/segments/**/*") if file.is_file())
