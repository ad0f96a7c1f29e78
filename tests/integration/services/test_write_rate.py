"""When people write faster than is consolidated, the next pass is owed at once, not when the idle track comes by."""

from collections.abc import Sequence
from pathlib import Path

from memory_core.capture.service import Captured
from memory_core.models.job import Job
from memory_core.store.buffering import BufferRepository
from memory_core.store.jobs import JobRepository
from memory_core.values import JobKind, JobState
from tests.integration.cores import ANAS, World, opened

THRESHOLD = 4


def consolidations(world: World) -> list[Job]:
    jobs = {submission.job_id for submission in world.engine.submissions}
    with world.core.database.reading() as db:
        known = [JobRepository(db).get(job_id) for job_id in jobs]
        owed = JobRepository(db).unsubmitted(limit=10)
    found = [job for job in (*known, *owed) if job is not None]
    return [job for job in found if job.kind == JobKind.CONSOLIDATE]


def say(world: World, first: int, *, turns: int) -> list[Captured]:
    return [
        world.say(f"Box {number} in the attic holds {number + 3} old lamps", key=f"t{number}")
        for number in range(first, first + turns)
    ]


def test_what_is_said_while_a_pass_runs_is_owed_at_once(tmp_path: Path) -> None:
    with opened(tmp_path, overrides={"consolidationThreshold": THRESHOLD}) as world:
        assert [captured.scheduled for captured in say(world, 0, turns=2)] == [False, True]
        meanwhile: list[Captured] = []
        states: list[str] = []

        def write_on(_: Sequence[str]) -> None:
            world.embedder.before_passages = None
            meanwhile.extend(say(world, 10, turns=4))
            states.extend(job.state for job in consolidations(world))

        world.embedder.before_passages = write_on
        world.run_jobs()
        assert meanwhile[-1].scheduled
        assert sorted(states) == [JobState.QUEUED, JobState.RUNNING]
        world.run_jobs()
        with world.core.database.reading() as db:
            assert BufferRepository(db).waiting(ANAS).turns == 0
        assert len(world.texts()) == 6
        assert {memory.count for memory in world.memories() if memory.origin == "user"} == {1}
