"""What the repositories find, count and drop, on both databases."""

from typing import Any

import pytest

from memory_core.models.memory import IndexChange, Memory, MemorySource, MemoryVector
from memory_core.store.buffering import BufferRepository
from memory_core.store.changes import ChangeRepository
from memory_core.store.database import Database
from memory_core.store.jobs import JobRepository
from memory_core.store.memories import MemoryFilter, MemoryRepository
from memory_core.store.turns import TurnRepository
from memory_core.values import JobKind, JobState, MemoryKind, MemoryStatus, TimeRange
from tests.fakes.clock import START
from tests.integration.rows import MINE, THEIRS, id_of, later, plant_memory, plant_session, plant_turn


def page(database: Database, where: MemoryFilter, *, limit: int = 50) -> list[str]:
    with database.reading() as db:
        return [row.id for row in MemoryRepository(db).page([MINE], where=where, limit=limit)]


class TestMemories:
    def test_a_page_is_newest_first(self, database: Database) -> None:
        rows = [plant_memory(database) for _ in range(4)]
        assert page(database, MemoryFilter(), limit=3) == [row.id for row in reversed(rows)][:3]

    @pytest.mark.parametrize(
        ("fields", "where"),
        [
            ({"status": MemoryStatus.SUPERSEDED}, MemoryFilter(statuses=(MemoryStatus.SUPERSEDED,))),
            ({"space": "work/x"}, MemoryFilter(space="work/x")),
            ({"kind": MemoryKind.DECISION}, MemoryFilter(kind=MemoryKind.DECISION)),
            ({"tags": ["red", "blue"]}, MemoryFilter(tag="blue")),
            ({"speaker": "Ana"}, MemoryFilter(speaker="Ana")),
            ({"event_at": later(100)}, MemoryFilter(event=TimeRange(start=later(100), end=later(101)))),
        ],
    )
    def test_a_filter_lets_through_what_fits(
        self, database: Database, *, fields: dict[str, Any], where: MemoryFilter
    ) -> None:
        plant_memory(database)
        wanted = plant_memory(database, **fields)
        assert page(database, where) == [wanted.id]

    def test_a_range_of_time_is_half_open(self, database: Database) -> None:
        plant_memory(database, event_at=later(100))
        assert page(database, MemoryFilter(event=TimeRange(end=later(100)))) == []

    def test_a_tag_is_looked_for_until_the_page_is_full(self, database: Database) -> None:
        rows = [plant_memory(database, tags=["red"] if number % 3 == 0 else []) for number in range(30)]
        wanted = [row.id for row in reversed(rows) if "red" in row.tags]
        assert page(database, MemoryFilter(tag="red"), limit=4) == wanted[:4]
        assert page(database, MemoryFilter(tag="re")) == []

    def test_memories_of_the_same_instant_are_paged_without_a_gap(self, database: Database) -> None:
        rows = [plant_memory(database, created_at=START) for _ in range(7)]
        seen: list[str] = []
        while found := page(database, MemoryFilter(after=(START, seen[-1]) if seen else None), limit=3):
            seen += found
        assert sorted(seen) == sorted(row.id for row in rows)
        assert len(seen) == len(rows)

    def test_sources_stand_in_the_order_of_citing(self, database: Database) -> None:
        session = plant_session(database)
        turns = [plant_turn(database, session, turn_key=key) for key in ("z", "a", "m")]
        row = plant_memory(database, turn=turns[0])
        with database.transaction() as db:
            for turn in (*turns[1:], turns[1]):
                source = MemorySource(memory_id=row.id, turn_id=turn.id or 0, turn_key=turn.turn_key)
                MemoryRepository(db).add_source(source)
        with database.reading() as db:
            assert MemoryRepository(db).sources([row.id]) == {row.id: ["z", "a", "m"]}
            assert MemoryRepository(db).source_turn_ids([row.id]) == [turn.id for turn in turns]

    def test_forgetting_takes_vectors_and_sources_and_tells_the_index(self, database: Database) -> None:
        turn = plant_turn(database, plant_session(database))
        gone, kept = plant_memory(database, turn=turn), plant_memory(database, turn=turn)
        with database.transaction() as db:
            assert MemoryRepository(db).forget([gone.id, "unknown"]) == 1
        with database.reading() as db:
            assert db.get(Memory, gone.id) is None
            assert db.get(MemoryVector, gone.id) is None
            assert MemoryRepository(db).sources([gone.id, kept.id]) == {kept.id: [turn.turn_key]}
            due = [change.memory_id for change in ChangeRepository(db).due("epoch", limit=10)]
        assert due.count(gone.id) == 2
        assert due.count(kept.id) == 1

    def test_more_ids_than_a_statement_may_name_are_found_and_forgotten(self, database: Database) -> None:
        rows = [plant_memory(database) for _ in range(3)]
        ids = [f"none-{number}" for number in range(1500)] + [row.id for row in rows]
        with database.transaction() as db:
            memories = MemoryRepository(db)
            assert len(memories.by_ids([id_of(row) for row in rows] * 600, scopes=[MINE])) == 3
            assert memories.sources(ids) == {}
            assert memories.forget(ids) == 3

    def test_a_newer_tombstone_replaces_the_older(self, database: Database) -> None:
        for moment in (later(0), later(60)):
            with database.transaction() as db:
                MemoryRepository(db).bury([(MINE, "f" * 32)], at=moment)
        with database.reading() as db:
            assert MemoryRepository(db).tombstones(MINE, text_keys=["f" * 32]) == {"f" * 32: later(60)}

    def test_counts_are_by_scope_kind_and_status(self, database: Database) -> None:
        plant_memory(database)
        plant_memory(database)
        plant_memory(database, THEIRS, kind=MemoryKind.EVENT, status=MemoryStatus.FLAGGED)
        with database.reading() as db:
            counts = MemoryRepository(db).counts()
        assert sorted(counts) == [(THEIRS, "event", "flagged", 1), (MINE, "fact", "active", 2)][::-1]


class TestChanges:
    def test_a_change_is_due_until_the_index_of_this_epoch_has_it(self, database: Database) -> None:
        row = plant_memory(database)
        with database.transaction() as db:
            changes = ChangeRepository(db)
            due = changes.due("one", limit=5)
            assert [change.memory_id for change in due] == [row.id]
            changes.mark_applied([row.id], through=due[0].seq or 0, epoch="one")
            assert (changes.lag("one"), changes.lag("two")) == (0, 1)
            assert [change.memory_id for change in changes.due("two", limit=5)] == [row.id]

    def test_a_later_change_of_the_same_memory_stays_due(self, database: Database) -> None:
        row = plant_memory(database)
        with database.transaction() as db:
            changes = ChangeRepository(db)
            first = changes.due("one", limit=5)[0].seq or 0
            changes.add([row.id])
            changes.mark_applied([row.id], through=first, epoch="one")
            assert changes.lag("one") == 1

    def test_only_applied_changes_are_dropped(self, database: Database) -> None:
        rows = [plant_memory(database) for _ in range(2)]
        with database.transaction() as db:
            changes = ChangeRepository(db)
            newest = max(change.seq or 0 for change in changes.due("one", limit=5))
            changes.mark_applied([rows[0].id], through=newest, epoch="one")
            assert changes.newest_applied("two") is None
            assert changes.drop_applied("one", through=newest) == 1
            assert [change.memory_id for change in changes.due("one", limit=5)] == [rows[1].id]

    def test_a_number_is_never_used_again(self, database: Database) -> None:
        """Otherwise "applied up to 7" of a slow process would cover a change that is newer than it."""
        row = plant_memory(database)
        with database.transaction() as db:
            changes = ChangeRepository(db)
            used = changes.due("one", limit=5)[0].seq or 0
            changes.mark_applied([row.id], through=used, epoch="one")
            assert changes.drop_applied("one", through=used) == 1
        with database.transaction() as db:
            changes = ChangeRepository(db)
            changes.add([row.id])
            fresh = db.get(IndexChange, changes.due("one", limit=1)[0].seq)
            assert fresh is not None
            assert (fresh.seq or 0) > used

    def test_states_and_versions_leave_out_what_is_gone(self, database: Database) -> None:
        row = plant_memory(database, version=3)
        with database.reading() as db:
            changes = ChangeRepository(db)
            assert [memory.id for memory, _ in changes.states([row.id, "gone"])] == [row.id]
            assert changes.versions([row.id, "gone"]) == {row.id: 3}
            assert changes.memory_ids() == {row.id}


class TestJobs:
    def test_a_job_that_did_not_start_is_widened(self, database: Database) -> None:
        with database.transaction() as db:
            jobs = JobRepository(db)
            first = jobs.owe_consolidation(MINE, through=2, at=START)
            assert jobs.owe_consolidation(MINE, through=4, at=START) == first
            assert jobs.owe_consolidation(THEIRS, through=9, at=START) != first
        with database.reading() as db:
            job = JobRepository(db).get(first)
            assert job is not None
            assert job.payload == {"through": {MINE: 4}}

    def test_a_job_that_runs_is_not_widened(self, database: Database) -> None:
        with database.transaction() as db:
            jobs = JobRepository(db)
            first = jobs.owe_consolidation(MINE, through=2, at=START)
            assert jobs.set(first, state=JobState.RUNNING)
            second = jobs.owe_consolidation(MINE, through=4, at=START)
            assert second != first

    def test_a_job_is_not_changed_in_a_state_that_forbids_it(self, database: Database) -> None:
        with database.transaction() as db:
            jobs = JobRepository(db)
            job_id = jobs.owe(JobKind.IMPORT, scope=None, payload={}, at=START)
            assert jobs.set(job_id, unless=(JobState.RUNNING,), state=JobState.DONE)
            assert not jobs.set(job_id, unless=(JobState.DONE,), state=JobState.FAILED)
        with database.reading() as db:
            assert JobRepository(db).counts() == {"done": 1}

    def test_jobs_without_a_flow_run_are_found_oldest_first(self, database: Database) -> None:
        with database.transaction() as db:
            jobs = JobRepository(db)
            ids = [jobs.owe(JobKind.IMPORT, scope=None, payload={}, at=later(-number)) for number in range(3)]
            jobs.set(ids[1], flow_run_id="run")
            assert [job.id for job in jobs.unsubmitted(limit=5)] == [ids[2], ids[0]]

    def test_open_jobs_long_unseen_are_found(self, database: Database) -> None:
        with database.transaction() as db:
            jobs = JobRepository(db)
            states = (JobState.QUEUED, JobState.RUNNING, JobState.DONE)
            ids = [jobs.owe(JobKind.IMPORT, scope=None, payload={}, at=START) for _ in states]
            for job_id, state in zip(ids, states, strict=True):
                jobs.set(job_id, state=state, flow_run_id="run", submitted_at=START)
            assert {job.id for job in jobs.submitted_before(later(1), limit=5)} == set(ids[:2])
            assert jobs.submitted_before(START, limit=5) == []

    def test_the_last_end_is_of_the_jobs_that_were_done(self, database: Database) -> None:
        with database.transaction() as db:
            jobs = JobRepository(db)
            assert jobs.last_ended(JobKind.CONSOLIDATE) is None
            for number, state in enumerate((JobState.DONE, JobState.DONE, JobState.FAILED)):
                job_id = jobs.owe(JobKind.CONSOLIDATE, scope=None, payload={}, at=START)
                jobs.set(job_id, state=state, ended_at=later(number))
            assert jobs.last_ended(JobKind.CONSOLIDATE) == later(1)


class TestTurns:
    def test_a_range_is_the_oldest_that_wait(self, database: Database) -> None:
        session = plant_session(database)
        rows = [plant_turn(database, session) for _ in range(5)]
        ids = [row.id or 0 for row in rows]
        with database.transaction() as db:
            turns = TurnRepository(db)
            assert turns.mark_consolidated(ids[:1], at=START) == 1
            assert [row.id for row in turns.range_to_consolidate(MINE, through=ids[3], limit=2)] == ids[1:3]
            before = turns.turn_before(rows[1])
            assert before is not None
            assert before.id == ids[0]
            assert turns.turn_before(rows[0]) is None

    def test_turns_are_marked_once(self, database: Database) -> None:
        ids = [plant_turn(database, plant_session(database)).id or 0 for _ in range(2)]
        with database.transaction() as db:
            assert TurnRepository(db).mark_consolidated(ids[:1], at=START) == 1
            assert TurnRepository(db).mark_consolidated(ids, at=START) == 1

    def test_words_go_when_they_were_consolidated_and_the_session_is_quiet(self, database: Database) -> None:
        quiet, lively = plant_session(database), plant_session(database, last_received_at=later(100))
        rows = [
            plant_turn(database, quiet, consolidated_at=START),
            plant_turn(database, quiet),
            plant_turn(database, lively, consolidated_at=START),
        ]
        with database.transaction() as db:
            assert TurnRepository(db).drop_texts(quiet_since=later(50), now=later(50)) == 1
        with database.reading() as db:
            assert [row.id for row in TurnRepository(db).with_text([MINE])] == [row.id for row in rows[1:]]

    def test_forgotten_words_do_not_wait_for_consolidation(self, database: Database) -> None:
        row = plant_turn(database, plant_session(database), speaker="Ana")
        with database.transaction() as db:
            turns = TurnRepository(db)
            assert turns.forget_texts([row.id or 0], scopes=[MINE], at=START) == 1
            assert turns.forget_texts([row.id or 0], scopes=[MINE], at=START) == 0
            buffer = BufferRepository(db)
            assert (buffer.waiting(MINE), turns.newest_waiting(MINE), turns.waiting_total()) == ((0, None), None, 0)
            assert buffer.known_keys(MINE, agent_id="main", session_key=row.session_key, turn_keys=[row.turn_key])
