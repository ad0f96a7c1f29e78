"""Work owed is done, whoever is away for however long."""

from collections.abc import Mapping
from typing import Any

import pytest

from memory_core.errors import Conflict, Invalid, NotFound, Unavailable
from memory_core.jobs.handlers import Handler, Progress
from memory_core.jobs.service import MAX_ATTEMPTS, JobService
from memory_core.models.job import Job
from memory_core.store.jobs import JobRepository
from memory_core.values import JobId, JobKind, JobState
from tests.integration.cores import ANAS, BOS, World, pass_time

FACT = "My sister Marta lives in Porto"

CONSOLIDATED = {"turns": 2, "added": 1, "updated": 0, "superseded": 0, "repeated": 0, "rejected": 0, "flagged": 0}
"""What a job tells of one exchange that made one memory."""


def owe(world: World, key: str = "t1") -> JobId:
    world.say(f"{FACT} {key}", key=key)
    job_id = world.core.capture.owe_now(ANAS)
    assert job_id is not None
    return job_id


def job_of(world: World, job_id: JobId) -> Job:
    return world.core.jobs.get(job_id)


def runs(world: World) -> int:
    return len(world.engine.submissions)


def end_run(world: World, job_id: JobId, *, state: JobState, message: str | None = None) -> None:
    world.engine.move(job_of(world, job_id).flow_run_id or "", state, message=message)


def service(world: World, handler: Handler) -> JobService:
    handlers = dict.fromkeys(JobKind, handler)
    return JobService(world.core.database, engine=world.engine, handlers=handlers, clock=world.clock)


def test_a_job_goes_from_owed_to_done(world: World) -> None:
    job_id = owe(world)
    assert (job_of(world, job_id).state, job_of(world, job_id).flow_run_id) == (JobState.QUEUED, None)
    assert world.core.jobs.submit_owed() == 1
    submitted = job_of(world, job_id)
    assert (submitted.attempts, submitted.flow_run_id) == (1, world.engine.submissions[0].run_id)
    assert world.engine.submissions[0].parameters == {"job_id": job_id}
    world.clock.advance(seconds=5)
    assert world.core.jobs.run(job_id) == CONSOLIDATED
    done = job_of(world, job_id)
    assert (done.state, done.progress, done.error) == (JobState.DONE, 1.0, None)
    assert done.started_at == done.ended_at == world.clock.now()
    assert len(world.index.points) == 1


def test_a_job_is_handed_over_once(world: World) -> None:
    owe(world)
    assert [world.core.jobs.submit_owed(), world.core.jobs.submit_owed()] == [1, 0]
    assert runs(world) == 1


def test_jobs_wait_while_the_engine_is_away(world: World) -> None:
    job_id = owe(world)
    world.engine.away = "the Prefect server is away"
    with pytest.raises(Unavailable, match="Prefect"):
        world.core.jobs.submit_owed()
    assert job_of(world, job_id).attempts == 0
    world.engine.away = None
    assert world.core.jobs.submit_owed() == 1


def test_a_run_whose_creation_was_not_noted_is_not_created_again(world: World) -> None:
    """The process died between the engine's answer and the note."""
    job_id = owe(world)
    world.engine.submit(job_id, kind=JobKind.CONSOLIDATE, parameters={"job_id": job_id})
    world.core.jobs.submit_owed()
    assert runs(world) == 1
    assert job_of(world, job_id).flow_run_id == world.engine.submissions[0].run_id


def test_what_was_said_after_the_hand_over_is_done_too(world: World) -> None:
    job_id = owe(world, "t1")
    world.core.jobs.submit_owed()
    assert owe(world, "t2") == job_id
    world.core.jobs.run(job_id)
    assert len(world.texts()) == 2


def test_a_job_that_was_done_is_not_done_again(world: World) -> None:
    job_id = owe(world)
    world.core.jobs.run(job_id)
    assert world.core.jobs.run(job_id) is None
    assert job_of(world, job_id).state == JobState.DONE


def test_an_unknown_job_is_not_found(world: World) -> None:
    with pytest.raises(NotFound, match="job: "):
        world.core.jobs.get(JobId("nothing"))
    with pytest.raises(NotFound):
        world.core.jobs.run(JobId("nothing"))


class TestLostRuns:
    def test_a_run_that_is_still_going_is_left_alone(self, world: World) -> None:
        job_id = owe(world)
        world.core.jobs.submit_owed()
        pass_time(world, seconds=31)
        assert world.core.jobs.look_after() == 1
        assert world.core.jobs.look_after() == 0
        assert (runs(world), job_of(world, job_id).attempts) == (1, 1)

    @pytest.mark.parametrize("state", [JobState.FAILED, JobState.CANCELLED, JobState.DONE])
    def test_a_run_that_ended_without_its_job_is_replaced(self, world: World, state: JobState) -> None:
        job_id = owe(world)
        world.core.jobs.submit_owed()
        end_run(world, job_id, state=state)
        pass_time(world, seconds=31)
        world.core.jobs.look_after()
        assert (runs(world), job_of(world, job_id).attempts) == (2, 2)
        assert job_of(world, job_id).flow_run_id == world.engine.submissions[1].run_id
        world.core.jobs.run(job_id)
        assert job_of(world, job_id).state == JobState.DONE

    def test_a_run_that_the_engine_lost_is_replaced(self, world: World) -> None:
        job_id = owe(world)
        world.core.jobs.submit_owed()
        world.engine.lose(job_of(world, job_id).flow_run_id or "")
        pass_time(world, seconds=31)
        world.core.jobs.look_after()
        assert runs(world) == 2

    def test_a_job_that_was_killed_while_running_is_done_by_the_next_run(self, world: World) -> None:
        job_id = owe(world)
        world.core.jobs.submit_owed()
        with world.core.database.transaction() as db:
            JobRepository(db).set(job_id, state=JobState.RUNNING)
        end_run(world, job_id, state=JobState.FAILED, message="crashed")
        pass_time(world, seconds=31)
        world.core.jobs.look_after()
        world.core.jobs.run(job_id)
        assert job_of(world, job_id).state == JobState.DONE

    def test_after_too_many_runs_a_job_has_failed_with_the_reason(self, world: World) -> None:
        job_id = owe(world)
        world.core.jobs.submit_owed()
        for _ in range(MAX_ATTEMPTS + 2):
            end_run(world, job_id, state=JobState.FAILED, message="out of memory")
            pass_time(world, seconds=31)
            world.core.jobs.look_after()
        failed = job_of(world, job_id)
        assert (failed.state, failed.attempts, failed.error) == (JobState.FAILED, MAX_ATTEMPTS, "out of memory")
        assert failed.ended_at is not None
        assert runs(world) == MAX_ATTEMPTS

    def test_an_engine_that_is_away_costs_no_attempt(self, world: World) -> None:
        job_id = owe(world)
        world.core.jobs.submit_owed()
        pass_time(world, seconds=31)
        world.engine.away = "away"
        with pytest.raises(Unavailable):
            world.core.jobs.look_after()
        assert job_of(world, job_id).attempts == 1


class TestHandlers:
    def test_a_part_that_is_away_leaves_the_job_open_with_the_reason(self, world: World) -> None:
        job_id = owe(world)
        world.embedder.away = "the embedder is loading"
        with pytest.raises(Unavailable):
            world.core.jobs.run(job_id)
        assert (job_of(world, job_id).state, job_of(world, job_id).error) == (
            JobState.RUNNING,
            "the embedder is loading",
        )
        world.embedder.away = None
        world.core.jobs.run(job_id)
        assert (job_of(world, job_id).state, job_of(world, job_id).error) == (JobState.DONE, None)

    def test_an_error_of_ours_fails_the_job_with_its_words(self, world: World) -> None:
        def refuse(_payload: Mapping[str, Any], _progress: Progress) -> dict[str, Any]:
            raise Invalid("through: must be a number")

        job_id = owe(world)
        with pytest.raises(Invalid):
            service(world, refuse).run(job_id)
        assert (job_of(world, job_id).state, job_of(world, job_id).error) == (
            JobState.FAILED,
            "through: must be a number",
        )

    def test_an_unexpected_error_fails_the_job_without_its_words(self, world: World) -> None:
        def crash(_payload: Mapping[str, Any], _progress: Progress) -> dict[str, Any]:
            raise KeyError("words of a person")

        job_id = owe(world)
        with pytest.raises(KeyError):
            service(world, crash).run(job_id)
        assert (job_of(world, job_id).state, job_of(world, job_id).error) == (
            JobState.FAILED,
            "internal error: KeyError",
        )

    def test_progress_can_be_seen(self, world: World) -> None:
        seen: list[float] = []
        job_id = owe(world)

        def slow(_payload: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
            progress(0.4)
            seen.append(job_of(world, job_id).progress)
            return {}

        service(world, slow).run(job_id)
        assert seen == [0.4]

    def test_a_job_that_is_ended_from_outside_stops_at_its_next_step(self, world: World) -> None:
        job_id = owe(world)

        def slow(_payload: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
            with world.core.database.transaction() as db:
                JobRepository(db).set(job_id, state=JobState.CANCELLED)
            progress(0.5)
            return {"not": "reached"}

        with pytest.raises(Conflict):
            service(world, slow).run(job_id)
        assert (job_of(world, job_id).state, job_of(world, job_id).result) == (JobState.CANCELLED, None)

    def test_an_import_covers_several_scopes_and_reports(self, world: World) -> None:
        world.say(FACT, key="t1")
        world.core.jobs.submit_owed()
        payload: dict[str, Any] = {"through": {ANAS: 99, BOS: 99}, "turns": 2, "report": {"read": 3, "rejected": []}}
        job_id = world.core.jobs.owe(JobKind.IMPORT, scope=None, payload=payload)
        result = world.core.jobs.run(job_id)
        assert result == {**CONSOLIDATED, "read": 3, "rejected": []}
