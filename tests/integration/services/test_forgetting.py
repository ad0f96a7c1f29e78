"""What was forgotten is gone from everywhere, and stays gone until it is said anew."""

import threading
from pathlib import Path

import pytest

from memory_core.capture.service import ReplayedLine
from memory_core.forgetting.service import Receipt, Selection
from memory_core.models.memory import Memory, MemorySource, MemoryVector
from memory_core.models.turn import Turn
from memory_core.store.memories import MemoryFilter, MemoryRepository
from memory_core.store.turns import TurnRepository
from memory_core.values import MemoryId, MemoryStatus, Origin
from tests.integration.cores import ANA, ANAS, BO, BOS, World, pass_time

RARE = "quixotzl"
FACT = f"My locker code word is {RARE} at the gym"


def forget(world: World, *memories: Memory, turns: tuple[int, ...] = ()) -> Receipt:
    ids = tuple(MemoryId(memory.id) for memory in memories)
    return world.core.forgetting.forget([ANAS], Selection(memory_ids=ids, turn_ids=turns))


def files_of(home: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in home.rglob("*") if path.is_file()}


def holding(home: Path, token: str) -> list[str]:
    found = files_of(home)
    return [
        name for name, content in found.items() if token.encode() in content or token.encode("utf-16-le") in content
    ]


def test_a_forgotten_memory_is_nowhere(world: World) -> None:
    memory = world.remember(FACT, key="t1")
    receipt = forget(world, memory)
    assert (receipt.memories, receipt.turns, receipt.vectors, receipt.pending) == (1, 1, 1, False)
    assert receipt.krefs == (memory.kref,)
    assert memory.id not in world.index.points
    with world.core.database.reading() as db:
        assert db.get(Memory, memory.id) is None
        assert db.get(MemoryVector, memory.id) is None
        assert MemoryRepository(db).sources([memory.id]) == {}
        assert [turn.role for turn in TurnRepository(db).with_text([ANAS])] == ["assistant"]


def test_forgetting_twice_forgets_nothing_more(world: World) -> None:
    memory = world.remember(FACT, key="t1")
    forget(world, memory)
    again = forget(world, memory)
    assert (again.memories, again.turns, again.krefs) == (0, 0, ())


def test_only_memories_of_the_scopes_can_be_forgotten(world: World) -> None:
    theirs = world.remember(FACT, key="t1", ref=BO)
    receipt = forget(world, theirs)
    assert (receipt.memories, receipt.turns) == (0, 0)
    assert world.texts(BOS) == [FACT]
    assert theirs.id in world.index.points


def test_words_in_the_buffer_are_forgotten_before_they_become_memories(world: World) -> None:
    world.say(FACT, key="t1")
    (turn, _) = world.core.forgetting.buffered([ANAS])
    receipt = forget(world, turns=(turn.id or 0,))
    assert (receipt.memories, receipt.turns) == (0, 1)
    world.consolidate()
    assert world.texts() == []


def test_an_index_that_is_away_gives_up_its_point_when_it_is_back(world: World) -> None:
    memory = world.remember(FACT, key="t1")
    world.index.away = "the index process is away"
    receipt = forget(world, memory)
    assert (receipt.memories, receipt.vectors, receipt.pending) == (1, 0, True)
    world.index.away = None
    assert memory.id in world.index.points
    world.core.indexing.apply_due()
    assert memory.id not in world.index.points


class TestLearnedAgain:
    def line(self, world: World, *, key: str, text: str = FACT, days_ago: int = 0) -> ReplayedLine:
        at = world.clock.now().replace(year=2025) if days_ago else world.clock.now()
        return ReplayedLine(number=1, ref=ANA, message_key=key, at=at, role=Origin.USER, speaker="Ana", text=text)

    def test_not_from_the_same_turn(self, world: World) -> None:
        forget(world, world.remember(FACT, key="t1"))
        world.say(FACT, key="t1")
        world.consolidate()
        assert world.texts() == []

    def test_not_from_a_turn_that_was_said_before_and_waits(self, world: World) -> None:
        memory = world.remember(FACT, key="t1")
        world.say(f"  {FACT.upper()}!", key="t2")
        forget(world, memory)
        world.consolidate()
        assert world.texts() == []

    def test_not_from_an_old_transcript(self, world: World) -> None:
        forget(world, world.remember(FACT, key="t1"))
        pass_time(world, days=1)
        world.core.capture.replay([self.line(world, key="old", days_ago=400)])
        world.consolidate()
        assert world.texts() == []

    def test_but_from_a_new_statement(self, world: World) -> None:
        forget(world, world.remember(FACT, key="t1"))
        pass_time(world, seconds=1)
        assert world.remember(FACT, key="t2").text == FACT

    def test_and_of_another_person_at_any_time(self, world: World) -> None:
        forget(world, world.remember(FACT, key="t1"))
        assert world.remember(FACT, key="t1", ref=BO).text == FACT

    def test_a_tombstone_tells_nothing_of_the_text(self, sqlite_world: World) -> None:
        forget(sqlite_world, sqlite_world.remember(FACT, key="t1"))
        with sqlite_world.core.database.reading() as db:
            rows = db.connection().exec_driver_sql("SELECT * FROM tombstone").all()
        assert rows
        assert RARE not in str(rows)


class TestBytes:
    def test_a_forgotten_word_is_in_no_byte_of_the_home(self, sqlite_world: World, tmp_path: Path) -> None:
        others = [sqlite_world.remember(f"I like the number {number} best", key=f"n{number}") for number in range(20)]
        memory = sqlite_world.remember(FACT, key="t1")
        assert holding(tmp_path, RARE)
        forget(sqlite_world, memory)
        assert holding(tmp_path, RARE) == []
        assert "number 7 best" in str(files_of(tmp_path)["nightshift.sqlite3"])
        assert len(sqlite_world.texts()) == len(others)

    def test_a_word_of_many_memories_and_long_ones_too(self, sqlite_world: World, tmp_path: Path) -> None:
        for number in range(30):
            sqlite_world.say(f"{FACT} {number} " + "and so on and on " * 300, key=f"t{number}")
        sqlite_world.consolidate()
        forget(sqlite_world, *sqlite_world.memories())
        assert sqlite_world.memories() == []
        assert holding(tmp_path, RARE) == []

    def test_while_somebody_reads_it_goes_as_soon_as_they_are_done(self, sqlite_world: World, tmp_path: Path) -> None:
        memory = sqlite_world.remember(FACT, key="t1")
        reading, forgotten = threading.Event(), threading.Event()

        def read() -> None:
            with sqlite_world.core.database.reading() as db:
                MemoryRepository(db).page([ANAS], where=MemoryFilter(), limit=5)
                reading.set()
                forgotten.wait(1.0)

        reader = threading.Thread(target=read)
        reader.start()
        assert reading.wait(10)
        forget(sqlite_world, memory)
        forgotten.set()
        reader.join(10)
        assert holding(tmp_path, RARE) == []

    def test_words_dropped_after_consolidation_leave_no_byte(self, sqlite_world: World, tmp_path: Path) -> None:
        sqlite_world.say("hello there", key="t1", answer=f"{RARE} " * 3)
        sqlite_world.consolidate()
        forget(sqlite_world, *sqlite_world.memories())
        pass_time(sqlite_world, hours=2)
        sqlite_world.core.capture.drop_consolidated()
        sqlite_world.core.database.close()
        assert holding(tmp_path, RARE) == []


class TestReplacing:
    @pytest.fixture
    def replaced(self, world: World) -> tuple[Memory, Memory]:
        old, new = world.remember("I live in Porto", key="t1"), world.remember("I live in Oslo now", key="t2")
        with world.core.database.transaction() as db:
            row = db.get_one(Memory, old.id)
            row.status, row.superseded_by = MemoryStatus.SUPERSEDED, new.id
        return old, new

    def test_a_superseded_memory_can_be_forgotten(self, world: World, replaced: tuple[Memory, Memory]) -> None:
        assert forget(world, replaced[0]).memories == 1
        assert world.texts() == ["I live in Oslo now"]

    def test_its_successor_too(self, world: World, replaced: tuple[Memory, Memory]) -> None:
        assert forget(world, replaced[1]).memories == 1
        (view,) = world.core.library.describe(world.memories())
        assert view.superseded_by is None


def test_a_memory_of_several_turns_takes_the_words_of_all(world: World) -> None:
    world.say(FACT, key="t1")
    world.say(FACT, key="t2")
    world.consolidate()
    (memory,) = [memory for memory in world.memories() if memory.text == FACT]
    receipt = forget(world, memory)
    assert (receipt.memories, receipt.turns) == (1, 2)
    with world.core.database.reading() as db:
        assert [turn for turn in TurnRepository(db).with_text([ANAS]) if RARE in (turn.text or "")] == []
        assert db.get(MemorySource, 1) is None
        assert db.get_one(Turn, 1).speaker is None
