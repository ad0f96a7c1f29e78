"""Times that a question names or tells from an event, over the real model and the real index."""

from collections.abc import Generator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memory_core.adapters.fastembed_embedder import FastembedEmbedder
from memory_core.adapters.index_layout import BUNDLED
from memory_core.adapters.qdrant_edge_index import QdrantEdgeIndex
from memory_core.bootstrap import MemoryCore, Ports, compose_core
from memory_core.capture.service import LiveTurn
from memory_core.capture.storing import StoreRequest
from memory_core.identity import resolve_scope
from memory_core.recall.finding import Question
from tests.fakes.clock import FakeClock
from tests.fakes.flow_engine import FakeFlowEngine
from tests.integration.cores import ANA, settings_for

ASKED = datetime(2026, 6, 10, 12, tzinfo=UTC)
"""A Wednesday."""
DIARY = (
    (datetime(2025, 9, 6, 9, tzinfo=UTC), "I work as a cook in a canteen in Porto."),
    (datetime(2026, 1, 20, 9, tzinfo=UTC), "My birthday is on 14 March."),
    (datetime(2026, 2, 3, 9, tzinfo=UTC), "I moved to Oslo yesterday."),
    (datetime(2026, 3, 12, 19, tzinfo=UTC), "I cooked a lentil stew for the neighbours today."),
    (datetime(2026, 4, 20, 19, tzinfo=UTC), "I cooked a fish soup for the neighbours today."),
    (datetime(2026, 5, 5, 9, tzinfo=UTC), "I work as a baker in a hotel in Oslo."),
    (datetime(2026, 6, 2, 19, tzinfo=UTC), "I cooked a mushroom risotto for the neighbours today."),
)


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory, real_embedder: FastembedEmbedder) -> Generator[MemoryCore]:
    home = tmp_path_factory.mktemp("times")
    index = QdrantEdgeIndex.create(home / "shard", layout=BUNDLED, name="test")
    ports = Ports(clock=FakeClock(), index=index, embedder=real_embedder, engine=FakeFlowEngine())
    try:
        with compose_core(settings_for(home), ports) as found:
            for number, (at, text) in enumerate(DIARY):
                turn = LiveTurn(turn_key=f"t{number}", at=at, user_text=text, assistant_text="OK.")
                found.capture.accept(replace(ANA, session_key=f"agent:main:{number}"), turn)
            scope = resolve_scope(ANA, found.settings.identity).writes
            assert scope is not None
            found.consolidation.run(scope, through=1_000_000, on_batch=lambda _: None)
            found.indexing.apply_due()
            yield found
    finally:
        index.close()


def first(core: MemoryCore, text: str) -> str:
    """The best of the memories that are alike but for their time; the one that tells of the event may stand before."""
    scope = resolve_scope(ANA, core.settings.identity)
    ranked = core.finder.rank(scope.reads, Question(text=text, at=ASKED, zone="UTC", asker=scope.speaker))
    return next(entry.row.text for entry in ranked[:3] if entry.row.text.startswith(("I cooked", "I work")))


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("What did I cook for the neighbours last week?", "risotto"),
        ("What did I cook for the neighbours in April?", "fish"),
        ("What did I cook for the neighbours two days before my birthday?", "lentil"),
        ("What did I work as before I moved?", "canteen"),
        ("What have I worked as since I moved?", "baker"),
        ("What did I cook for the neighbours vorige Woche?", "risotto"),
        ("¿What did I cook for the neighbours en abril?", "fish"),
    ],
)
def test_the_time_of_the_question_decides_between_like_memories(core: MemoryCore, *, question: str, word: str) -> None:
    assert word in first(core, question)


def test_what_was_replaced_is_hidden_unless_the_past_is_asked_for(core: MemoryCore) -> None:
    ref = replace(ANA, sender_id="mika", session_key="agent:main:mika")
    scope = resolve_scope(ref, core.settings.identity)
    old = core.storing.store(scope, StoreRequest(text="I use Vim as my editor")).outcome.memory
    assert old is not None
    between = core.clock.now()
    assert isinstance(core.clock, FakeClock)
    core.clock.advance(hours=1)
    core.storing.store(scope, StoreRequest(text="I use Zed as my editor", replaces=old.kref))
    core.indexing.apply_due()
    now = core.clock.now()

    def texts(question: str, *, as_of: datetime | None = None) -> set[str]:
        asked = Question(text=question, at=now, zone="UTC", asker=scope.speaker, as_of=as_of)
        return {entry.row.text for entry in core.finder.rank(scope.reads, asked)}

    assert texts("Which editor do I use?") == {"I use Zed as my editor"}
    for question in (
        "Which editor did I use before?",
        "What was my previous editor?",
        "Welchen Editor nutzte ich früher?",
    ):
        assert "I use Vim as my editor" in texts(question), question
    assert texts("Which editor do I use?", as_of=between) == {"I use Vim as my editor"}
