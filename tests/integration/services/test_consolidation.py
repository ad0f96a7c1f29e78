"""Buffered turns become memories exactly once, whatever interrupts."""

import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_core.capture.service import ReplayedLine
from memory_core.consolidation.service import BATCH_TURNS
from memory_core.errors import Unavailable
from memory_core.forgetting.service import Selection
from memory_core.identity import resolve_scope
from memory_core.models.memory import MemoryVector
from memory_core.store.buffering import BufferRepository
from memory_core.store.memories import MemoryRepository
from memory_core.store.turns import TurnRepository
from memory_core.values import Origin
from tests.integration.cores import ANA, ANAS, BO, BOS, GROUP, World, opened

FACTS = [
    "My sister Marta lives in Porto",
    "I work as a glass blower in Murano",
    "Our dog Rufus is afraid of thunderstorms",
    "I decided to sell the red Fiat in spring",
    "My dentist is Doctor Okafor on Mill Street",
]


class PowerCut(BaseException):
    """Ends the work where it is, as a kill does: nothing on the way catches it."""


def tell(world: World, count: int = len(FACTS)) -> None:
    for number in range(count):
        fact = FACTS[number % len(FACTS)]
        world.say(fact if number < len(FACTS) else f"In {1950 + number}: {fact}", key=f"t{number}")


def waiting(world: World) -> int:
    with world.core.database.reading() as db:
        return BufferRepository(db).waiting(ANAS).turns


def test_what_was_said_becomes_memories_with_speaker_source_and_time(world: World) -> None:
    tell(world)
    world.consolidate()
    assert world.texts() == FACTS
    (first,) = world.core.library.describe([row for row in world.memories() if row.text == FACTS[0]])
    assert first.sources == ("t0",)
    assert (first.memory.speaker, first.memory.origin, first.memory.imported) == ("Ana", "user", False)
    assert first.memory.event_at == first.memory.valid_from == world.clock.now()
    assert waiting(world) == 0


def test_each_memory_has_vectors_and_a_point(world: World) -> None:
    tell(world)
    world.consolidate()
    ids = {memory.id for memory in world.memories()}
    assert set(world.index.points) == ids
    with world.core.database.reading() as db:
        assert all(db.get(MemoryVector, memory_id) for memory_id in ids)


def test_running_twice_changes_nothing(world: World) -> None:
    tell(world)
    world.consolidate()
    before = [(memory.id, memory.count, memory.version) for memory in world.memories()]
    world.consolidate()
    assert [(memory.id, memory.count, memory.version) for memory in world.memories()] == before


def test_only_the_range_asked_for_is_taken(world: World) -> None:
    tell(world, 2)
    result = world.core.consolidation.run(ANAS, through=2, on_batch=lambda _: None)
    assert (result.turns, result.added) == (2, len(world.memories()))
    assert world.texts() == FACTS[:1]
    assert waiting(world) == 2


def test_another_scope_is_left_alone(world: World) -> None:
    world.say(FACTS[0], key="t1")
    world.say(FACTS[1], key="t1", ref=BO)
    world.consolidate(ANAS)
    assert (world.texts(ANAS), world.texts(BOS)) == (FACTS[:1], [])


def test_a_long_buffer_is_done_in_batches_that_report(world: World) -> None:
    tell(world, BATCH_TURNS)
    done: list[int] = []
    result = world.core.consolidation.run(ANAS, through=1_000_000, on_batch=done.append)
    assert done == [BATCH_TURNS, 2 * BATCH_TURNS]
    assert result.turns == 2 * BATCH_TURNS
    assert len(world.texts()) == BATCH_TURNS


def test_a_repeat_raises_the_count_and_adds_a_source(world: World) -> None:
    for key in ("t1", "t2", "t3"):
        world.say(FACTS[0], key=key)
        world.consolidate()
    (memory,) = [memory for memory in world.memories() if memory.text == FACTS[0]]
    assert memory.count == 3
    assert world.core.library.describe([memory])[0].sources == ("t1", "t2", "t3")


def test_repeats_within_one_batch_are_counted_too(world: World) -> None:
    for key in ("t1", "t2"):
        world.say(FACTS[0], key=key)
    result = world.core.consolidation.run(ANAS, through=1_000_000, on_batch=lambda _: None)
    assert result.repeated >= 1
    assert [memory.count for memory in world.memories() if memory.text == FACTS[0]] == [2]


def test_two_runs_at_once_do_the_work_once(world: World) -> None:
    """Both have read and embedded the same turns before either commits."""
    tell(world)
    barrier = threading.Barrier(2, timeout=20)
    met = threading.Event()
    failures: list[BaseException] = []

    def meet(_: Sequence[str]) -> None:
        if not met.is_set():
            barrier.wait()
            met.set()

    def run() -> None:
        try:
            world.core.consolidation.run(ANAS, through=1_000_000, on_batch=lambda _: None)
        except Exception as error:  # noqa: BLE001 shown by the test
            failures.append(error)

    world.embedder.before_passages = meet
    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert world.texts() == FACTS
    assert {memory.count for memory in world.memories() if memory.origin == "user"} == {1}
    assert waiting(world) == 0


def test_a_crash_between_embedding_and_commit_costs_nothing(world: World) -> None:
    tell(world)

    def cut(_: Sequence[str]) -> None:
        raise PowerCut

    world.embedder.before_passages = cut
    with pytest.raises(PowerCut):
        world.consolidate()
    assert (world.memories(), waiting(world)) == ([], 2 * len(FACTS))
    world.embedder.before_passages = None
    world.consolidate()
    assert world.texts() == FACTS


def test_a_crash_between_two_batches_keeps_the_first(world: World) -> None:
    tell(world, BATCH_TURNS)

    def cut(done: int) -> None:
        if done == BATCH_TURNS:
            raise PowerCut

    with pytest.raises(PowerCut):
        world.core.consolidation.run(ANAS, through=1_000_000, on_batch=cut)
    kept = len(world.texts())
    assert 0 < kept < BATCH_TURNS
    world.consolidate()
    assert len(world.texts()) == BATCH_TURNS
    assert {memory.count for memory in world.memories() if memory.origin == "user"} == {1}


def test_an_embedder_that_is_away_leaves_everything_waiting(world: World) -> None:
    tell(world)
    world.embedder.away = "the index process is away"
    with pytest.raises(Unavailable, match="index process"):
        world.consolidate()
    assert (world.memories(), waiting(world)) == ([], 2 * len(FACTS))
    world.embedder.away = None
    world.consolidate()
    assert world.texts() == FACTS


def test_words_forgotten_while_they_are_embedded_are_not_learned(world: World) -> None:
    tell(world, 3)
    with world.core.database.reading() as db:
        doomed = [turn.id or 0 for turn in TurnRepository(db).with_text([ANAS]) if "glass blower" in (turn.text or "")]

    def forget(_: Sequence[str]) -> None:
        world.embedder.before_passages = None
        world.core.forgetting.forget([ANAS], Selection(turn_ids=tuple(doomed)))

    world.embedder.before_passages = forget
    world.consolidate()
    assert world.texts() == [FACTS[0], FACTS[2]]
    assert waiting(world) == 0


def test_a_turn_that_arrives_while_others_are_embedded_waits_for_its_own_pass(world: World) -> None:
    tell(world, 1)

    def say_more(_: Sequence[str]) -> None:
        world.embedder.before_passages = None
        world.say(FACTS[1], key="late")

    world.embedder.before_passages = say_more
    world.core.consolidation.run(ANAS, through=2, on_batch=lambda _: None)
    assert (world.texts(), waiting(world)) == (FACTS[:1], 2)


def test_nobody_elses_forgotten_turns_are_touched(world: World) -> None:
    world.say(FACTS[0], key="t1")
    world.say(FACTS[1], key="t1", ref=BO)
    with world.core.database.reading() as db:
        everything = tuple(turn.id or 0 for turn in TurnRepository(db).with_text([ANAS, BOS]))
    assert world.core.forgetting.forget([ANAS], Selection(turn_ids=everything)).turns == 2
    world.consolidate(BOS)
    assert world.texts(BOS) == FACTS[1:2]


def test_memories_of_a_turn_are_the_same_ones_in_every_process(tmp_path: Path) -> None:
    """So that a pass that was repeated elsewhere can't add them beside the first."""
    ids: list[list[str]] = []
    for name in ("one", "other"):
        home = tmp_path / name
        home.mkdir()
        with opened(home) as world:
            tell(world)
            world.consolidate()
            ids.append([memory.id for memory in world.memories()])
    assert ids[0] == ids[1]


def test_greetings_become_no_memory(world: World) -> None:
    world.say("hi there!", key="t1", answer="Hello! How can I help you today?")
    world.consolidate()
    assert world.memories() == []
    assert waiting(world) == 0


def test_what_the_assistant_said_is_not_the_users(world: World) -> None:
    answer = "Your flight LH 1763 to Lisbon leaves on 14 May 2026 at 09:40 from gate B12."
    world.say("When does my flight to Lisbon leave?", key="t1", answer=answer)
    world.consolidate()
    about = [memory for memory in world.memories() if "LH 1763" in memory.text]
    assert [(memory.origin, memory.speaker) for memory in about] == [("assistant", None)]


def test_an_import_is_marked(world: World) -> None:
    at = datetime(2025, 3, 1, 9, tzinfo=UTC)
    line = ReplayedLine(number=1, ref=ANA, message_key="m1", at=at, role=Origin.USER, speaker="Ana", text=FACTS[0])
    world.core.capture.replay([line])
    world.consolidate()
    (memory,) = world.memories()
    assert memory.imported
    assert (memory.text, memory.valid_from) == (FACTS[0], at)


def test_vectors_and_rows_are_written_together(world: World) -> None:
    tell(world)
    world.core.consolidation.run(ANAS, through=1_000_000, on_batch=lambda _: None)
    with world.core.database.reading() as db:
        rows = list(MemoryRepository(db).all_rows([ANAS]))
        assert all(db.get(MemoryVector, row.id) for row in rows)
    assert world.core.indexing.lag() == len(rows)


def test_the_operators_tags_and_space_are_put_on_what_is_captured(tmp_path: Path) -> None:
    with opened(tmp_path, overrides={"tags": ["boat", "crew"], "space": "work/yard"}) as world:
        world.say(FACTS[0], key="direct")
        world.consolidate()
        world.say(FACTS[1], key="room", ref=GROUP)
        room = resolve_scope(GROUP, world.core.settings.identity).reads[0]
        world.consolidate(room)

        (told,), (in_room,) = world.memories(), world.memories(room)

    assert (told.tags, told.space) == (["boat", "crew"], "work/yard")
    assert told.kref.startswith("kref://CognitiveMemory/work/yard/")
    assert in_room.tags == ["boat", "crew"]
    assert in_room.space.startswith("room-"), "a room's space tells which room"
