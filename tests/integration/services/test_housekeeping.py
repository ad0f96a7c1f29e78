"""What is tidied once a day, over real tables."""

from datetime import timedelta

import pytest

from memory_core.adapters.artifact_folder import ArtifactFolder
from memory_core.creative.capturing import CaptureRequest
from memory_core.errors import NotFound, Unavailable
from memory_core.forgetting.service import Selection
from memory_core.identity import resolve_scope
from memory_core.jobs.housekeeping import INTERVAL, KEEP_JOBS, Housekeeping
from memory_core.values import JobId, JobKind, JobState, MemoryId
from tests.integration.cores import ANA, ANAS, World, pass_time


def capture(world: World, content: str) -> JobId:
    request = CaptureRequest(title="Plan", content=content, creative_project="p", project="s", kind="plan")
    job_id = world.core.capturing.capture(resolve_scope(ANA, world.core.settings.identity), request).job_id
    assert job_id
    return job_id


def stored(world: World) -> int:
    return len(list(world.core.settings.artifact_folder.glob("??/*")))


def test_contents_that_nothing_needs_go_after_an_hour(sqlite_world: World) -> None:
    world = sqlite_world
    capture(world, "kept")
    world.run_jobs()
    capture(world, "asked for, and still waiting")
    orphan = world.core.settings.artifact_folder / "ab" / ("ab" + "0" * 62)
    orphan.parent.mkdir(exist_ok=True)
    orphan.write_bytes(b"left by a kill between file and row")
    world.clock.set(world.clock.now().fromtimestamp(orphan.stat().st_mtime, world.clock.now().tzinfo))
    assert world.core.housekeeping.run().orphan_contents == 0
    pass_time(world, hours=1, seconds=1)
    assert world.core.housekeeping.run().orphan_contents == 1
    assert stored(world) == 2
    world.run_jobs()
    assert stored(world) == 2


def test_records_of_old_jobs_go_but_creative_ids_stay(world: World) -> None:
    world.say("We water the tomatoes every evening.", key="t1")
    old = world.core.jobs.owe(JobKind.CONSOLIDATE, scope=None, payload={})
    made = capture(world, "kept for good")
    world.run_jobs()
    pass_time(world, days=KEEP_JOBS.days + 1)
    waiting = world.core.jobs.owe(JobKind.CONSOLIDATE, scope=None, payload={})
    tidied = world.core.housekeeping.run()
    assert tidied.pruned_jobs == 1
    with pytest.raises(NotFound):
        world.core.jobs.get(old)
    assert world.core.jobs.get(waiting).state == JobState.QUEUED
    scope = resolve_scope(ANA, world.core.settings.identity)
    assert world.core.capturing.state(scope, made).revision_kref == "kref://p/s/plan.plan?r=1"


def test_drift_of_the_index_is_measured_and_mended(world: World) -> None:
    world.remember("The spare key hangs behind the stove.", key="t1")
    before = dict(world.index.points)
    lost = next(iter(world.index.points))
    del world.index.points[lost]
    tidied = world.core.housekeeping.run()
    assert (tidied.missing_points, tidied.stray_points) == (1, 0)
    assert set(world.index.points) == set(before)
    assert world.core.housekeeping.run().missing_points == 0


def test_without_the_index_it_is_tried_again(world: World) -> None:
    world.index.away = "the index starts"
    with pytest.raises(Unavailable):
        world.core.housekeeping.run()


def test_it_is_owed_once_a_day(world: World) -> None:
    assert world.core.housekeeping.owe_if_due() is None  # nothing was ever done here
    world.core.jobs.owe(JobKind.CONSOLIDATE, scope=None, payload={})
    assert world.core.housekeeping.owe_if_due() is None
    pass_time(world, hours=24)
    job_id = world.core.housekeeping.owe_if_due()
    assert job_id
    assert world.core.housekeeping.owe_if_due() is None
    world.run_jobs()
    assert world.core.jobs.get(job_id).result == {
        "orphan_contents": 0,
        "pruned_jobs": 0,
        "missing_points": 0,
        "stray_points": 0,
        "purged": False,
    }
    pass_time(world, seconds=(INTERVAL - timedelta(seconds=1)).total_seconds())
    assert world.core.housekeeping.owe_if_due() is None
    pass_time(world, seconds=1)
    assert world.core.housekeeping.owe_if_due()


class TestPurge:
    """The embedded index keeps deleted points in its files for an unknown time."""

    def test_the_index_begins_anew_once_after_something_was_forgotten(self, sqlite_world: World) -> None:
        world, purged = sqlite_world, list[str]()
        housekeeping = Housekeeping(
            world.core.database,
            indexing=world.core.indexing,
            artifact_store=ArtifactFolder(world.core.settings.artifact_folder, clock=world.clock),
            clock=world.clock,
            purge_index=lambda: purged.append("now"),
        )
        memory = world.remember("The spare key hangs behind the stove.", key="t1")
        assert housekeeping.run().purged is False
        world.core.forgetting.forget([ANAS], Selection(memory_ids=(MemoryId(memory.id),)))
        assert housekeeping.run().purged is True
        job_id = world.core.jobs.owe(JobKind.HOUSEKEEPING, scope=None, payload={})
        pass_time(world, seconds=1)
        world.core.jobs.run(job_id)
        assert housekeeping.run().purged is False
        assert purged == ["now"]

    def test_an_index_that_vacuums_by_itself_is_left_alone(self, sqlite_world: World) -> None:
        memory = sqlite_world.remember("The spare key hangs behind the stove.", key="t1")
        sqlite_world.core.forgetting.forget([ANAS], Selection(memory_ids=(MemoryId(memory.id),)))
        assert sqlite_world.core.housekeeping.run().purged is False
