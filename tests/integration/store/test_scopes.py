"""Every read names its scopes: what was planted in another one never comes back."""

from datetime import timedelta
from typing import Any

import pytest

from memory_core.models.memory import Memory
from memory_core.store.buffering import BufferRepository
from memory_core.store.database import Database
from memory_core.store.memories import MemoryFilter, MemoryRepository
from memory_core.store.pools import PoolRepository
from memory_core.store.turns import TurnRepository
from memory_core.values import MemoryStatus, TimeRange
from tests.fakes.clock import START
from tests.integration.rows import MINE, THEIRS, id_of, later, plant_memory, plant_session, plant_turn

KREF = "kref://p/personal/m-same.fact"
SHARED: dict[str, Any] = {"kref": KREF, "text_key": "f" * 32, "tags": ["red"], "speaker": "Ana"}
FILTERS = [
    MemoryFilter(),
    MemoryFilter(space="personal"),
    MemoryFilter(tag="red"),
    MemoryFilter(speaker="Ana"),
    MemoryFilter(session_key="agent:main:main"),
    MemoryFilter(event=TimeRange(start=later(-5), end=later(5))),
    MemoryFilter(after=(later(10_000_000), "f")),
    MemoryFilter(statuses=tuple(MemoryStatus)),
]


@pytest.fixture
def planted(database: Database) -> tuple[Memory, Memory]:
    """Two memories that differ in nothing but their scope, each with session and turn."""
    found: list[Memory] = []
    for scope in (MINE, THEIRS):
        session = plant_session(database, scope, number=1)
        turn = plant_turn(database, session, turn_key="same", text="the same words")
        found.append(plant_memory(database, scope, turn=turn, session_id=session.id, **SHARED))
    return found[0], found[1]


def test_memories_are_found_by_id_in_their_scope_only(database: Database, planted: tuple[Memory, Memory]) -> None:
    ids = [id_of(row) for row in planted]
    with database.reading() as db:
        memories = MemoryRepository(db)
        assert list(memories.by_ids(ids, scopes=[MINE])) == [ids[0]]
        assert list(memories.by_ids(ids, scopes=[THEIRS])) == [ids[1]]
        assert set(memories.by_ids(ids, scopes=[MINE, THEIRS])) == set(ids)
        assert memories.by_ids(ids, scopes=[]) == {}


def test_an_address_means_the_memory_of_the_callers_scope(database: Database, planted: tuple[Memory, Memory]) -> None:
    with database.reading() as db:
        memories = MemoryRepository(db)
        for scope, row in zip((MINE, THEIRS), planted, strict=True):
            found = memories.by_kref(KREF, scopes=[scope])
            assert found is not None
            assert found.id == row.id
        assert memories.by_kref(KREF, scopes=[]) is None


def test_repeats_are_looked_for_in_one_scope(database: Database, planted: tuple[Memory, Memory]) -> None:
    with database.reading() as db:
        found = MemoryRepository(db).by_text_key("f" * 32, scope=THEIRS)
    assert found is not None
    assert found.id == planted[1].id


@pytest.mark.parametrize("where", FILTERS)
def test_pages_hold_the_scopes_own_memories(
    database: Database, planted: tuple[Memory, Memory], *, where: MemoryFilter
) -> None:
    with database.reading() as db:
        memories = MemoryRepository(db)
        assert [row.id for row in memories.page([MINE], where=where, limit=50)] == [planted[0].id]
        assert memories.page([], where=where, limit=50) == []


def test_rows_to_rank_are_of_the_scope(database: Database, planted: tuple[Memory, Memory]) -> None:
    mine, theirs = planted
    ids = [id_of(row) for row in planted]
    places = [(row.session_id or 0, row.position) for row in planted]
    with database.reading() as db:
        pools = PoolRepository(db)
        for found in (pools.rows(ids, scopes=[MINE]), pools.rows_at(places, scopes=[MINE])):
            assert [row.memory_id for row in found] == [mine.id]
        assert {row.memory_id for row in pools.rows_at(places, scopes=[MINE, THEIRS])} == {mine.id, theirs.id}
        assert pools.rows(ids, scopes=[]) == pools.rows_at(places, scopes=[]) == []


def test_positions_in_a_session_are_of_the_scope(database: Database, planted: tuple[Memory, Memory]) -> None:
    mine, theirs = planted
    sessions = [row.session_id for row in planted if row.session_id]
    with database.reading() as db:
        pools = PoolRepository(db)
        assert pools.positions(sessions, scopes=[MINE]) == {mine.session_id: [mine.position]}
        assert set(pools.positions(sessions, scopes=[MINE, THEIRS])) == {mine.session_id, theirs.session_id}
        assert pools.positions(sessions, scopes=[]) == pools.positions([], scopes=[MINE]) == {}


def test_a_row_to_rank_says_what_its_memory_says(database: Database, planted: tuple[Memory, Memory]) -> None:
    mine = planted[0]
    with database.reading() as db:
        row = PoolRepository(db).rows([id_of(mine)], scopes=[MINE])[0]
    assert (row.kref, row.text, row.speaker, row.kind, row.space) == (
        mine.kref,
        mine.text,
        mine.speaker,
        mine.kind,
        mine.space,
    )
    assert (row.status, row.session_id, row.position, row.repeats) == (
        mine.status,
        mine.session_id,
        mine.position,
        mine.count,
    )
    assert (row.event_at, row.event_until, row.valid_from, row.valid_until) == (
        mine.event_at,
        mine.event_until,
        mine.valid_from,
        mine.valid_until,
    )
    assert row.event_at.utcoffset() == timedelta(0)
    assert row.pinned is mine.pinned


def test_an_export_of_scopes_holds_nothing_else(database: Database, planted: tuple[Memory, Memory]) -> None:
    with database.reading() as db:
        memories = MemoryRepository(db)
        assert [row.id for row in memories.all_rows([MINE])] == [planted[0].id]
        assert len(list(memories.all_rows(None))) == 2
        assert list(memories.all_rows([])) == []


def test_tombstones_count_in_their_scope(database: Database) -> None:
    with database.transaction() as db:
        MemoryRepository(db).bury([(THEIRS, "f" * 32)], at=START)
    with database.reading() as db:
        assert MemoryRepository(db).tombstones(MINE, text_keys=["f" * 32]) == {}
        assert MemoryRepository(db).tombstones(THEIRS, text_keys=["f" * 32, "e" * 32]) == {"f" * 32: START}


@pytest.mark.usefixtures("planted")
class TestTurns:
    def test_known_keys_are_the_scopes_own(self, database: Database) -> None:
        session = plant_session(database, MINE, number=2)
        plant_turn(database, session, turn_key="mine")
        with database.reading() as db:
            turns = BufferRepository(db)
            asked = ["same", "mine", "none"]
            mine = turns.known_keys(MINE, agent_id="main", session_key="agent:main:main", turn_keys=asked)
            theirs = turns.known_keys(THEIRS, agent_id="main", session_key="agent:main:main", turn_keys=asked)
            assert (mine, theirs) == ({"same", "mine"}, {"same"})
            assert turns.known_keys(MINE, agent_id="work", session_key="agent:main:main", turn_keys=asked) == set()
            assert turns.known_keys(MINE, agent_id="main", session_key="agent:main:other", turn_keys=asked) == set()

    def test_what_waits_is_counted_by_scope(self, database: Database) -> None:
        plant_turn(database, plant_session(database, THEIRS, number=2))
        with database.reading() as db:
            mine, theirs = BufferRepository(db).waiting(MINE), BufferRepository(db).waiting(THEIRS)
            assert (mine.turns, theirs.turns, TurnRepository(db).waiting_total()) == (1, 2, 3)
            assert mine.newest != theirs.newest

    def test_a_range_to_consolidate_holds_one_scope(self, database: Database) -> None:
        with database.reading() as db:
            rows = TurnRepository(db).range_to_consolidate(MINE, through=10_000, limit=50)
            newest = TurnRepository(db).newest_waiting(MINE)
        assert [row.scope_key for row in rows] == [MINE]
        assert newest == rows[0].id

    def test_words_are_read_by_scope(self, database: Database) -> None:
        with database.reading() as db:
            turns = TurnRepository(db)
            assert [row.scope_key for row in turns.with_text([MINE])] == [MINE]
            assert turns.with_text([]) == []
            assert turns.with_text([MINE], session_key="agent:main:other") == []
            assert turns.with_text([MINE], start=later(1)) == []
            assert turns.with_text([MINE], end=START) == []

    def test_words_are_erased_by_scope(self, database: Database) -> None:
        with database.reading() as db:
            everything = [row.id or 0 for row in TurnRepository(db).with_text([MINE, THEIRS])]
        with database.transaction() as db:
            assert TurnRepository(db).forget_texts(everything, scopes=[MINE], at=START) == 1
        with database.reading() as db:
            assert [row.scope_key for row in TurnRepository(db).with_text([MINE, THEIRS])] == [THEIRS]

    def test_sessions_are_the_scopes_own(self, database: Database) -> None:
        with database.transaction() as db:
            turns, buffer = TurnRepository(db), BufferRepository(db)
            theirs = buffer.open_session(THEIRS, at=START, quiet=timedelta(hours=1), imported=False)
            mine = buffer.open_session(MINE, at=START, quiet=timedelta(hours=1), imported=False)
            assert theirs is not None
            assert mine is not None
            assert theirs.id != mine.id
            assert turns.end_sessions(MINE, at=START) == 1
            assert buffer.open_session(MINE, at=START, quiet=timedelta(hours=1), imported=False) is None
            assert buffer.open_session(THEIRS, at=START, quiet=timedelta(hours=1), imported=False) == theirs
            assert turns.sessions_of_day(THEIRS, day=START.date()) == 1

    def test_quiet_scopes_are_those_whose_own_turns_are_old(self, database: Database) -> None:
        plant_turn(database, plant_session(database, THEIRS, number=2), created_at=later(60))
        with database.reading() as db:
            assert TurnRepository(db).quiet_scopes(before=later(30)) == [MINE]
