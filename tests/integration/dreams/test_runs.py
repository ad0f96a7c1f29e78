"""What a dream run does with what it finds."""

from datetime import timedelta
from typing import Any

import pytest

from memory_core.values import MemoryKind, MemoryStatus, Origin
from tests.integration.cores import ANAS, BOS, World
from tests.integration.dreams.planting import dream, edges, ops, plant, plant_event, points, row, status, tables


@pytest.fixture
def world(sqlite_world: World) -> World:
    return sqlite_world


class TestConflicts:
    def test_a_newer_value_takes_the_place_of_the_older(self, world: World) -> None:
        old = plant(world, "I live in Lisbon.", days_ago=30)
        new = plant(world, "I live in Porto now.", days_ago=3)
        plant(world, "My sister plays the cello.")
        dream(world)
        was = row(world, old)
        assert (was.status, was.superseded_by, was.valid_until) == (MemoryStatus.SUPERSEDED, new.id, new.valid_from)
        assert was.revision == old.revision
        assert (new.id, "SUPERSEDES", old.id) in edges(world)
        assert status(world, new) == MemoryStatus.ACTIVE

    def test_the_index_shows_it(self, world: World) -> None:
        old = plant(world, "I live in Lisbon.", days_ago=30)
        plant(world, "I live in Porto now.", days_ago=3)
        dream(world)
        (point,) = [point for point in world.index.points.values() if point.memory_id == old.id]
        assert point.status is MemoryStatus.SUPERSEDED

    def test_a_mention_retires_nothing(self, world: World) -> None:
        kept = [
            plant(world, "I live in Lisbon."),
            plant(world, "My brother lives in Porto.", days_ago=2),
            plant(world, "I visited Porto last week.", days_ago=1),
            plant(world, "Lisbon has steep streets.", days_ago=1),
        ]
        dream(world)
        assert {status(world, memory) for memory in kept} == {MemoryStatus.ACTIVE}

    def test_what_the_assistant_says_replaces_nothing_a_person_said(self, world: World) -> None:
        said = plant(world, "I live in Lisbon.")
        plant(world, "I live in Porto now.", days_ago=1, origin=Origin.ASSISTANT, speaker=None)
        dream(world)
        assert status(world, said) != MemoryStatus.SUPERSEDED

    @pytest.mark.parametrize("kept", [{"pinned": True}, {"tags": ["published"]}])
    def test_pinned_and_published_are_never_retired(self, world: World, kept: dict[str, Any]) -> None:
        old = plant(world, "I live in Lisbon.", **kept)
        plant(world, "I live in Porto now.", days_ago=1)
        run = dream(world)
        assert status(world, old) == MemoryStatus.ACTIVE
        (refused,) = [change for change in world.core.dreams.reports.get(run.id).changes if change.state == "refused"]
        assert refused.op == "supersede"
        assert ("pinned" in refused.reason) or ("published" in refused.reason)

    def test_nothing_crosses_a_scope(self, world: World) -> None:
        anas = plant(world, "I live in Lisbon.")
        bos = plant(world, "I live in Porto now.", days_ago=1, scope=BOS, speaker="Ana")
        twin = plant(world, "I live in Lisbon.", scope=BOS, speaker="Ana")
        dream(world)
        assert status(world, anas) == MemoryStatus.ACTIVE
        assert row(world, twin).superseded_by == bos.id
        assert not [edge for edge in edges(world) if anas.id in edge]

    def test_a_run_over_one_scope_leaves_the_others(self, world: World) -> None:
        old = plant(world, "I live in Lisbon.")
        plant(world, "I live in Porto now.", days_ago=1)
        dream(world, scope=BOS)
        assert status(world, old) == MemoryStatus.ACTIVE
        dream(world, scope=ANAS)
        assert status(world, old) == MemoryStatus.SUPERSEDED


class TestTime:
    def test_what_was_said_to_hold_until_a_day_ends_with_it(self, world: World) -> None:
        over = plant(world, "The office is closed.", valid_until=world.clock.now() - timedelta(days=1))
        plant(world, "The cellar door sticks.")
        run = dream(world)
        assert status(world, over) == MemoryStatus.DEPRECATED
        (change,) = [one for one in world.core.dreams.reports.get(run.id).changes if one.op == "deprecate"]
        assert "over" in change.reason

    def test_time_alone_brings_a_memory_back_to_the_run(self, world: World) -> None:
        ends = plant(world, "The office is closed.", valid_until=world.clock.now() + timedelta(days=40))
        plant(world, "The cellar door sticks.")
        dream(world)
        assert status(world, ends) == MemoryStatus.ACTIVE
        world.clock.advance(days=41)
        plant(world, "The attic is dry.", days_ago=0)
        dream(world)
        assert status(world, ends) == MemoryStatus.DEPRECATED

    def test_a_passing_word_of_the_assistant_fades_and_a_persons_does_not(self, world: World) -> None:
        words = plant(world, "The weather looks fine.", days_ago=200, origin=Origin.ASSISTANT, speaker=None)
        own = plant(world, "My bicycle is green.", days_ago=2000)
        dream(world)
        assert (status(world, words), status(world, own)) == (MemoryStatus.DEPRECATED, MemoryStatus.ACTIVE)

    def test_nothing_young_is_retired_by_time(self, world: World) -> None:
        young = plant(world, "The shop closes.", days_ago=6, valid_until=world.clock.now() - timedelta(days=5))
        plant(world, "The cellar door sticks.")
        dream(world)
        assert status(world, young) == MemoryStatus.ACTIVE
        world.clock.advance(days=2)
        plant(world, "The attic is dry.", days_ago=0)
        dream(world)
        assert status(world, young) == MemoryStatus.DEPRECATED

    def test_what_was_to_be_done_is_set_aside_a_month_after_its_day(self, world: World) -> None:
        now = world.clock.now()
        overdue = plant(
            world, "Remind me to call the dentist.", days_ago=60, kind=MemoryKind.ACTION_ITEM,
            event_at=now - timedelta(days=40),
        )  # fmt: skip
        late = plant(
            world, "Remind me to water the palms.", days_ago=60, kind=MemoryKind.ACTION_ITEM,
            event_at=now - timedelta(days=10),
        )  # fmt: skip
        undated = plant(world, "Remind me to paint the fence.", days_ago=60, kind=MemoryKind.ACTION_ITEM)
        dream(world)
        assert status(world, overdue) == MemoryStatus.DEPRECATED
        assert {status(world, late), status(world, undated)} == {MemoryStatus.ACTIVE}


class TestRepeats:
    def test_repeats_become_one_with_counts_sources_tags_and_edges(self, world: World) -> None:
        first = plant(world, "My sister Marta lives in Porto.", turn_key="t1", count=2, tags=["family"])
        again = plant(world, "my sister Marta lives in Porto!", days_ago=5, turn_key="t2", tags=["porto"])
        plant(world, "The cellar door sticks.")
        dream(world)
        kept, gone = row(world, first), row(world, again)
        assert (kept.status, kept.count) == (MemoryStatus.ACTIVE, 3)
        assert {"family", "porto"} <= set(kept.tags)
        assert (gone.status, gone.superseded_by) == (MemoryStatus.DEPRECATED, first.id)
        assert world.core.library.describe([kept])[0].sources == ("t1", "t2")

    def test_a_denial_is_no_repeat(self, world: World) -> None:
        one = plant(world, "I like olives on pizza.")
        other = plant(world, "I don't like olives on pizza.", days_ago=2)
        plant(world, "The cellar door sticks.")
        dream(world)
        assert row(world, one).count == row(world, other).count == 1
        assert MemoryStatus.DEPRECATED not in {status(world, one), status(world, other)}

    def test_what_happened_twice_is_two_events(self, world: World) -> None:
        now = world.clock.now()
        runs = [
            plant_event(world, "I ran ten kilometres.", days_ago=days, at=now - timedelta(days=days, hours=2))
            for days in (20, 10)
        ]
        plant(world, "The cellar door sticks.")
        dream(world)
        assert {status(world, memory) for memory in runs} == {MemoryStatus.ACTIVE}

    def test_another_speaker_supports(self, world: World) -> None:
        first = plant(world, "The harbour bridge is closed.", scope=ANAS, speaker="Ana", imported=True)
        second = plant(world, "The harbour bridge is closed.", days_ago=2, speaker="Bo", imported=True)
        dream(world)
        assert (second.id, "SUPPORTS", first.id) in edges(world)
        assert {status(world, first), status(world, second)} == {MemoryStatus.ACTIVE}


class TestAssociation:
    def test_names_and_rare_words_become_tags(self, world: World) -> None:
        memory = plant(world, "We met Marta Silva at the observatory.")
        plant(world, "The observatory needs a new dome.")
        for number in range(12):
            plant(world, f"Statement {number} about gardening tool {number}.")
        dream(world)
        tags = row(world, memory).tags
        assert {"marta silva", "observatory"} <= set(tags)
        assert len(tags) <= 5

    def test_a_memory_mentions_whom_another_introduces(self, world: World) -> None:
        marta = plant(world, "My sister is called Marta.", kind=MemoryKind.ENTITY)
        memory = plant(world, "Yesterday I had lunch with Marta by the river.", days_ago=2)
        dream(world)
        assert (memory.id, "MENTIONS", marta.id) in edges(world)

    def test_a_name_that_two_people_bear_is_left_alone(self, world: World) -> None:
        plant(world, "My sister is called Marta.", kind=MemoryKind.ENTITY)
        plant(world, "Our neighbour is named Marta.", kind=MemoryKind.ENTITY)
        plant(world, "Yesterday I had lunch with Marta by the river.", days_ago=2)
        dream(world)
        assert edges(world, kind="MENTIONS") == set()

    def test_near_memories_are_connected_with_a_bound(self, world: World) -> None:
        for number in range(30):
            plant(world, f"Telescope dome shutter motor number {number} hums loudly.")
        dream(world)
        degrees: dict[str, int] = {}
        for source, _, target in edges(world, kind="RELATED_TO"):
            for node in (source, target):
                degrees[node] = degrees.get(node, 0) + 1
        assert degrees
        assert max(degrees.values()) <= 8


class TestCursor:
    def test_what_is_unchanged_is_not_looked_at_again(self, world: World) -> None:
        for number in range(5):
            plant(world, f"Telescope dome shutter motor number {number} hums loudly.")
        assert dream(world).reviewed == 5
        again = dream(world)
        assert (again.planned, ops(world, again)) == (0, {})

    def test_only_what_is_new_is_looked_at(self, world: World) -> None:
        plant(world, "I live in Lisbon.")
        dream(world)
        plant(world, "The cellar door sticks.", days_ago=0)
        assert dream(world).planned == 1

    def test_one_new_fact_a_day_still_replaces_an_old_one(self, world: World) -> None:
        old = plant(world, "I live in Lisbon.")
        dream(world)
        plant(world, "I live in Porto now.", days_ago=0)
        run = dream(world)
        assert status(world, old) == MemoryStatus.SUPERSEDED
        assert run.reviewed == 2


class TestDryRun:
    def test_it_tells_all_and_changes_nothing(self, world: World) -> None:
        plant(world, "I live in Lisbon.")
        plant(world, "I live in Porto now.", days_ago=1)
        plant(world, "The cellar door sticks.")
        plant(world, "the cellar door sticks", days_ago=3)
        before, index = tables(world), points(world)
        dry = dream(world, dry_run=True)
        assert (tables(world), points(world)) == (before, index)
        proposed = ops(world, dry)
        assert {"supersede", "merge"} <= set(proposed)
        real = dream(world)
        assert ops(world, real) == proposed
