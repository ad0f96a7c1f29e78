"""Undoing restores the state before a run, also after later runs; only what somebody changed since is in the way."""

import itertools

import pytest

from memory_core.errors import Conflict, NotFound
from memory_core.forgetting.service import Selection
from memory_core.models.memory import Memory
from memory_core.store.revisions import RevisionRepository
from memory_core.values import JobKind, MemoryId, MemoryKind, MemoryStatus
from tests.integration.cores import ANAS, World
from tests.integration.dreams.planting import dream, edges, plant, points, row, status, tables


@pytest.fixture
def world(sqlite_world: World) -> World:
    return sqlite_world


def plant_everything(world: World) -> None:
    """Something for every operation of a run."""
    plant(world, "I live in Lisbon.", days_ago=30)
    plant(world, "I live in Porto now.", days_ago=3)
    plant(world, "My sister Marta lives in Faro.", days_ago=30, turn_key="t1", count=2, tags=["family"])
    plant(world, "my sister Marta lives in Faro!", days_ago=5, turn_key="t2", tags=["faro"])
    plant(world, "The office is closed.", valid_until=world.clock.now())
    plant(world, "My sister is called Marta.", kind=MemoryKind.ENTITY)
    plant(world, "I live with two cats and a parrot. My dentist is Dr Alvaro.", days_ago=20)
    plant(world, "My dentist is Dr Nunes now.", days_ago=2)
    for number in range(4):
        plant(world, f"Telescope dome shutter motor {number} hums at night.", days_ago=40 - number)


def undo(world: World, run_id: str) -> int:
    reverted = world.core.dreams.undoing.undo(run_id).reverted
    world.core.indexing.apply_due()
    return reverted


def change(world: World, memory: Memory, **values: object) -> None:
    """Change a memory as a person does."""
    with world.core.database.transaction() as db:
        RevisionRepository(db).change(db.get_one(Memory, memory.id), values=values, at=world.clock.now())
    world.core.indexing.apply_due()


def test_undoing_restores_every_row_and_every_point(world: World) -> None:
    plant_everything(world)
    before, index = tables(world), points(world)
    run = dream(world)
    assert {"supersede", "revise", "merge", "deprecate", "tag", "link"} <= set(
        world.core.dreams.reports.get(run.id).counts
    )
    assert tables(world) != before
    assert undo(world, run.id) > 5
    assert tables(world) == before
    assert points(world) == index
    assert world.core.dreams.reports.get(run.id).state == "undone"


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_runs_are_undone_in_any_order(world: World, order: tuple[int, ...]) -> None:
    plant_everything(world)
    states = [tables(world)]
    runs = [dream(world)]
    # Each later run builds on the one before: the same facts are replaced, merged and tagged again.
    plant(world, "I live in Braga now.", days_ago=0)
    plant(world, "My sister Marta lives in Faro.", days_ago=0, turn_key="t3")
    states.append(tables(world))
    runs.append(dream(world))
    plant(world, "I live in Evora now.", days_ago=0)
    plant(world, "my sister Marta lives in faro", days_ago=0, turn_key="t4", pinned=True)
    runs.append(dream(world))
    for number in order:
        assert undo(world, runs[number].id) > 0
    assert {memory.status for memory in world.memories(ANAS)} == {MemoryStatus.ACTIVE}
    assert edges(world) == set()
    first = {line[0]: line for line in states[0]["memory"]}
    assert {line[0]: line for line in tables(world)["memory"] if line[0] in first} == first
    repeats = {memory.id for memory in world.memories(ANAS) if memory.text.lower().startswith("my sister marta")}
    assert {line[1] for line in tables(world)["memorysource"]} == repeats


def test_undoing_the_last_run_leaves_the_earlier_one(world: World) -> None:
    plant_everything(world)
    dream(world)
    plant(world, "I live in Braga now.", days_ago=0)
    between = tables(world)
    second = dream(world)
    undo(world, second.id)
    assert tables(world) == between


def test_what_was_undone_is_not_done_again(world: World) -> None:
    plant_everything(world)
    undo(world, dream(world).id)
    before = tables(world)
    again = dream(world)
    assert (again.planned, tables(world)) == (0, before)


def test_a_repeat_that_was_counted_since_stays_counted(world: World) -> None:
    first = plant(world, "The cellar door sticks.", count=2)
    plant(world, "the cellar door sticks", days_ago=2)
    run = dream(world)
    with world.core.database.transaction() as db:
        db.get_one(Memory, first.id).count += 1
    undo(world, run.id)
    assert row(world, first).count == 3


def test_a_tag_that_was_added_since_stays(world: World) -> None:
    memory = plant(world, "We met Marta Silva at the observatory.")
    run = dream(world)
    assert row(world, memory).tags
    change(world, memory, tags=[*row(world, memory).tags, "mine"])
    undo(world, run.id)
    assert row(world, memory).tags == ["mine"]


class TestBlocked:
    def test_a_later_edit_blocks_with_the_reason_and_nothing_is_undone(self, world: World) -> None:
        plant_everything(world)
        run = dream(world)
        (old,) = [memory for memory in world.memories() if memory.text == "I live in Lisbon."]
        change(world, old, status=MemoryStatus.DEPRECATED)
        before = tables(world)
        with pytest.raises(Conflict, match=f"{old.kref}: its status was changed since"):
            undo(world, run.id)
        assert tables(world) == before

    def test_in_part_everything_else_is_undone(self, world: World) -> None:
        plant_everything(world)
        before = tables(world)
        run = dream(world)
        (old,) = [memory for memory in world.memories() if memory.text == "I live in Lisbon."]
        change(world, old, status=MemoryStatus.DEPRECATED)
        undone = world.core.dreams.undoing.undo(run.id, partial=True)
        assert len(undone.kept) == 1
        assert status(world, old) == MemoryStatus.DEPRECATED
        left = [line for line in tables(world)["memory"] if line[0] != old.id]
        assert left == [line for line in before["memory"] if line[0] != old.id]

    def test_an_edit_that_came_to_the_same_is_not_in_the_way(self, world: World) -> None:
        plant_everything(world)
        run = dream(world)
        (old,) = [memory for memory in world.memories() if memory.text == "I live in Lisbon."]
        change(world, old, status=MemoryStatus.ACTIVE, superseded_by=None)
        undo(world, run.id)
        assert status(world, old) == MemoryStatus.ACTIVE

    def test_what_was_forgotten_stays_forgotten(self, world: World) -> None:
        plant_everything(world)
        run = dream(world)
        (old,) = [memory for memory in world.memories() if memory.text == "I live in Lisbon."]
        world.core.forgetting.forget([ANAS], Selection(memory_ids=(MemoryId(old.id),)))
        report = world.core.dreams.reports.get(run.id)
        assert "Lisbon" not in str(report)
        assert old.kref not in str(report)
        undo(world, run.id)
        assert old.id not in {memory.id for memory in world.memories()}

    def test_neither_a_dry_run_nor_an_undone_one_nor_none_at_all(self, world: World) -> None:
        plant_everything(world)
        with pytest.raises(Conflict, match="dry run"):
            undo(world, dream(world, dry_run=True).id)
        run = dream(world)
        undo(world, run.id)
        with pytest.raises(Conflict, match="already"):
            undo(world, run.id)
        with pytest.raises(NotFound):
            undo(world, "no-such-run")


def test_deduplication_is_undone_in_the_same_way(world: World) -> None:
    plant_everything(world)
    before, index = tables(world), points(world)
    run = dream(world, kind=JobKind.DEDUPLICATE)
    assert world.core.dreams.reports.get(run.id).counts == {"merge": 1}
    undo(world, run.id)
    assert (tables(world), points(world)) == (before, index)
