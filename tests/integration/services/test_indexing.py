"""The index becomes and stays equal to the tables, whatever is lost on the way."""

from collections.abc import Sequence

import pytest

from memory_core.errors import Unavailable
from memory_core.forgetting.service import Selection
from memory_core.models.memory import Memory, MemoryVector
from memory_core.store.changes import ChangeRepository
from memory_core.store.memories import MemoryRepository
from memory_core.values import MemoryId, MemoryStatus, Point
from memory_core.vectors import StoredVectors, from_stored
from tests.integration.cores import ANAS, BOS, World, opened
from tests.integration.rows import plant_memory


class PowerCut(BaseException):
    """Ends the work where it is, as a kill does."""


def plant(world: World, count: int = 1) -> list[Memory]:
    return [plant_memory(world.core.database, ANAS, text=f"planted statement {number}") for number in range(count)]


def due(world: World) -> int:
    with world.core.database.reading() as db:
        return ChangeRepository(db).lag(world.index.epoch())


def retire(world: World, memory: Memory) -> None:
    with world.core.database.transaction() as db:
        row = db.get_one(Memory, memory.id)
        row.status = MemoryStatus.SUPERSEDED
        row.version += 1
        MemoryRepository(db).changed(row.id)


def status_in_index(world: World, memory: Memory) -> str:
    return world.index.points[MemoryId(memory.id)].status


def test_a_written_memory_gets_its_point(world: World) -> None:
    (memory,) = plant(world)
    assert world.core.indexing.apply_due() == 1
    point = world.index.points[MemoryId(memory.id)]
    assert (point.scope, point.kind, point.status, point.space) == (ANAS, "fact", "active", "personal")
    assert point.event_at == int(memory.event_at.timestamp())
    assert due(world) == 0


def test_a_second_time_nothing_is_left_to_do(world: World) -> None:
    plant(world, 3)
    assert [world.core.indexing.apply_due(), world.core.indexing.apply_due()] == [3, 0]


def test_many_changes_are_applied_in_batches(world: World) -> None:
    sizes: list[int] = []
    world.index.before_upsert = lambda points: sizes.append(len(points))
    plant(world, 150)
    assert world.core.indexing.apply_due() == 150
    assert sizes == [64, 64, 22]


def test_a_changed_memory_is_written_again_and_a_forgotten_one_goes(world: World) -> None:
    changed, gone = plant(world, 2)
    world.core.indexing.apply_due()
    retire(world, changed)
    with world.core.database.transaction() as db:
        MemoryRepository(db).forget([gone.id])
    world.core.indexing.apply_due()
    assert set(world.index.points) == {changed.id}
    assert status_in_index(world, changed) == "superseded"


def test_an_index_that_is_away_keeps_the_work_due(world: World) -> None:
    plant(world, 2)
    world.index.away = "the index process is away"
    assert not world.core.indexing.try_apply()
    with pytest.raises(Unavailable):
        world.core.indexing.apply_due()
    world.index.away = None
    assert world.core.indexing.try_apply()
    assert len(world.index.points) == 2


def test_an_index_that_goes_away_in_the_middle_keeps_the_rest_due(world: World) -> None:
    plant(world, 100)
    batches: list[int] = []

    def go_away(points: Sequence[Point]) -> None:
        batches.append(len(points))
        if len(batches) == 2:
            raise Unavailable("the index process was killed")

    world.index.before_upsert = go_away
    with pytest.raises(Unavailable):
        world.core.indexing.apply_due()
    assert due(world) == 36
    world.index.before_upsert = None
    world.core.indexing.apply_due()
    assert len(world.index.points) == 100


def test_a_crash_between_commit_and_apply_leaves_the_change_due_for_the_next_process(world: World) -> None:
    plant(world, 2)
    home, url = world.core.settings.home, world.core.settings.database_url
    with opened(home, url=url, like=world) as other:
        assert other.core.indexing.apply_due() == 2


def test_a_crash_between_upsert_and_note_only_repeats_the_upsert(world: World) -> None:
    plant(world, 2)
    seen: list[int] = []

    def cut(points: Sequence[Point]) -> None:
        seen.append(len(points))
        world.index.points.update({point.memory_id: point for point in points})
        raise PowerCut

    world.index.before_upsert = cut
    with pytest.raises(PowerCut):
        world.core.indexing.apply_due()
    assert (len(world.index.points), due(world)) == (2, 2)
    world.index.before_upsert = None
    world.core.indexing.apply_due()
    assert (len(world.index.points), due(world)) == (2, 0)


class TestPowerCuts:
    def test_what_was_not_flushed_is_applied_again_in_the_next_epoch(self, world: World) -> None:
        first = plant(world)
        world.core.indexing.apply_due()
        world.core.indexing.flush()
        second = plant(world)
        retire(world, first[0])
        world.core.indexing.apply_due()
        world.index.cut_power()
        assert status_in_index(world, first[0]) == "active"
        world.core.indexing.apply_due()
        assert set(world.index.points) == {memory.id for memory in (*first, *second)}
        assert status_in_index(world, first[0]) == "superseded"

    def test_a_removal_that_was_lost_happens_again(self, world: World) -> None:
        (memory,) = plant(world)
        world.core.indexing.apply_due()
        world.core.indexing.flush()
        with world.core.database.transaction() as db:
            MemoryRepository(db).forget([memory.id])
        world.core.indexing.apply_due()
        world.index.cut_power()
        assert len(world.index.points) == 1
        world.core.indexing.apply_due()
        assert world.index.points == {}

    def test_an_emptied_index_is_filled_again_without_embedding(self, world: World) -> None:
        memories = [world.remember(f"I like the number {number} best", key=f"t{number}") for number in (71, 83)]
        world.core.indexing.flush()
        embedded = len(world.embedder.embedded)
        world.index.empty()
        world.core.indexing.apply_due()
        assert {memory.id for memory in memories} <= set(world.index.points)
        assert len(world.embedder.embedded) == embedded

    def test_points_that_the_tables_lack_are_removed_in_a_new_epoch(self, world: World) -> None:
        (memory,) = plant(world)
        world.core.indexing.apply_due()
        stray = world.index.points[MemoryId(memory.id)]
        world.index.points[MemoryId("00000000-0000-4000-8000-000000000000")] = stray
        world.index.flush()
        world.index.cut_power()
        world.core.indexing.apply_due()
        assert set(world.index.points) == {memory.id}

    def test_both_sides_are_told_how_far_they_were_apart(self, world: World) -> None:
        plant(world, 3)
        world.core.indexing.apply_due()
        world.index.points.popitem()
        assert world.core.indexing.reconcile() == (1, 0)
        assert world.core.indexing.reconcile() == (0, 0)
        world.core.indexing.apply_due()
        assert world.core.indexing.reconcile() == (0, 0)

    def test_more_points_than_a_page_are_compared(self, sqlite_world: World) -> None:
        plant(sqlite_world, 30)
        sqlite_world.core.indexing.apply_due()
        point = next(iter(sqlite_world.index.points.values()))
        for number in range(1200):
            sqlite_world.index.points[MemoryId(f"{number:08d}-0000-4000-8000-000000000000")] = point
        assert sqlite_world.core.indexing.reconcile() == (0, 1200)
        sqlite_world.core.indexing.apply_due()
        assert len(sqlite_world.index.points) == 30

    def test_the_queue_is_emptied_by_a_flush_only(self, world: World) -> None:
        plant(world, 3)
        world.core.indexing.apply_due()
        assert self._rows(world) == 3
        world.core.indexing.flush()
        assert self._rows(world) == 0

    def test_a_flush_is_due_now_and_then(self, world: World) -> None:
        plant(world)
        world.core.indexing.apply_due()
        world.core.indexing.flush_if_due()
        plant(world)
        world.core.indexing.apply_due()
        world.core.indexing.flush_if_due()
        assert world.index.flushes == 1
        world.clock.advance(seconds=31)
        world.core.indexing.flush_if_due()
        assert world.index.flushes == 2

    def test_without_changes_nothing_is_flushed(self, world: World) -> None:
        world.core.indexing.flush()
        assert world.index.flushes == 0

    @staticmethod
    def _rows(world: World) -> int:
        with world.core.database.reading() as db:
            return ChangeRepository(db).lag("an epoch that never was")


class TestTwoProcesses:
    def test_a_slow_writer_of_an_old_state_does_not_win(self, world: World) -> None:
        """It read version 1; before it writes, another process reads version 2, writes it, and says so."""
        (memory,) = plant(world)
        home, url = world.core.settings.home, world.core.settings.database_url
        with opened(home, url=url, like=world) as other:
            world.core.indexing.lag()

            def overtake(_: Sequence[Point]) -> None:
                world.index.before_upsert = None
                retire(world, memory)
                other.core.indexing.apply_due()
                assert status_in_index(world, memory) == "superseded"

            world.index.before_upsert = overtake
            world.core.indexing.apply_due()
        assert status_in_index(world, memory) == "superseded"
        assert due(world) == 0

    def test_a_slow_writer_does_not_bring_a_forgotten_memory_back(self, world: World) -> None:
        (memory,) = plant(world)
        home, url = world.core.settings.home, world.core.settings.database_url
        with opened(home, url=url, like=world) as other:

            def overtake(_: Sequence[Point]) -> None:
                world.index.before_upsert = None
                other.core.forgetting.forget([ANAS], Selection(memory_ids=(MemoryId(memory.id),)))

            world.index.before_upsert = overtake
            world.core.indexing.apply_due()
        assert world.index.points == {}

    def test_a_slow_process_does_not_mark_a_newer_change_as_done(self, world: World) -> None:
        """Between its upsert and its note the queue was flushed and the memory changed again."""
        (memory,) = plant(world)
        world.core.indexing.apply_due()
        world.core.indexing.flush()
        retire(world, memory)
        with world.core.database.reading() as db:
            slow = ChangeRepository(db).due(world.index.epoch(), limit=5)
        world.core.indexing.apply_due()
        world.core.indexing.flush()
        retire(world, memory)
        with world.core.database.transaction() as db:
            through = max(change.seq or 0 for change in slow)
            ChangeRepository(db).mark_applied([memory.id], through=through, epoch=world.index.epoch())
        assert due(world) == 1


class TestModelChange:
    def test_memories_are_embedded_again_for_the_index_of_the_new_model(self, world: World) -> None:
        memory = world.remember("My sister Marta lives in Porto", key="t1")
        world.core.indexing.flush()
        before = world.index.points[MemoryId(memory.id)].embedding
        world.embedder.model = "fake-2"
        world.index.empty()
        world.core.indexing.apply_due()
        after = world.index.points[MemoryId(memory.id)].embedding
        assert abs(float(before.dense @ after.dense)) < 0.9
        assert "Ana: My sister Marta lives in Porto" in world.embedder.embedded[1:]
        with world.core.database.reading() as db:
            row = db.get_one(MemoryVector, memory.id)
            stored = from_stored(
                StoredVectors(dense=row.dense, tokens=row.tokens, token_width=row.token_width, keywords=row.keywords)
            )
            assert row.model == "fake-2"
        assert float(stored.dense @ after.dense) > 0.999

    def test_many_memories_go_in_by_keywords_and_are_embedded_the_newest_first(self, world: World) -> None:
        memories = plant(world, 150)
        world.core.indexing.apply_due()
        assert world.embedder.embedded == []
        assert world.core.indexing.stale_count() == len(world.index.points) == 150
        point = world.index.points[MemoryId(memories[0].id)].embedding
        assert not point.dense.any()
        assert point.tokens.size == 0
        assert point.sparse.indices == (7,)
        assert [world.core.indexing.embed_stale() for _ in range(4)] == [64, 64, 22, 0]
        assert set(world.embedder.embedded[:64]) == {memory.text for memory in memories[-64:]}
        assert len(world.embedder.embedded) == 150
        assert all(point.embedding.dense.any() for point in world.index.points.values())
        assert (world.core.indexing.stale_count(), due(world)) == (0, 0)

    def test_newer_vectors_are_not_overwritten_by_those_of_an_older_text(self, world: World) -> None:
        (memory,) = plant(world)
        newer = StoredVectors(dense=b"\0" * 4, tokens=b"", token_width=0, keywords=b"")

        def edit(_: Sequence[str]) -> None:
            world.embedder.before_passages = None
            with world.core.database.transaction() as db:
                ChangeRepository(db).replace_vectors(memory.id, model=world.embedder.model, vectors=newer)

        world.embedder.before_passages = edit
        world.core.indexing.embed_stale()
        with world.core.database.reading() as db:
            assert db.get_one(MemoryVector, memory.id).dense == newer.dense

    def test_a_memory_forgotten_while_it_is_embedded_again_stays_gone(self, world: World) -> None:
        memory = world.remember("My sister Marta lives in Porto", key="t1")
        world.embedder.model = "fake-2"
        world.index.empty()

        def forget(_: Sequence[str]) -> None:
            world.embedder.before_passages = None
            with world.core.database.transaction() as db:
                MemoryRepository(db).forget([memory.id])

        world.embedder.before_passages = forget
        world.core.indexing.apply_due()
        assert MemoryId(memory.id) not in world.index.points
        with world.core.database.reading() as db:
            assert db.get(MemoryVector, memory.id) is None

    def test_while_the_embedder_is_away_keywords_still_find_it(self, world: World) -> None:
        memory = world.remember("My sister Marta lives in Porto", key="t1")
        retire(world, memory)
        world.embedder.away = "loading"
        world.core.indexing.apply_due()
        assert status_in_index(world, memory) == "superseded"
        assert world.memories(BOS) == []


def test_a_memory_whose_vectors_are_lost_does_not_stop_the_others(world: World) -> None:
    lost, kept = plant(world, 2)
    with world.core.database.transaction() as db:
        db.delete(db.get_one(MemoryVector, lost.id))
    world.core.indexing.apply_due()
    assert set(world.index.points) == {kept.id}
    assert due(world) == 0
