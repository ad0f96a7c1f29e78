"""Runs are asked for one at a time: by people, by the schedule, after a heavy session."""

import threading
from datetime import UTC, datetime, timedelta

import pytest

from memory_core.dream.asking import HEAVY_SESSION, AfterSessions, RunWish
from memory_core.dream.scheduling import DEFAULT, ScheduleService
from memory_core.errors import Invalid
from memory_core.models.job import Job
from memory_core.store.jobs import JobRepository
from memory_core.values import JobId, JobKind, JobState
from tests.integration.cores import ANAS, World, settings_for
from tests.integration.dreams.planting import plant, status
from tests.integration.rows import plant_session, plant_turn


def dream_jobs(world: World) -> list[Job]:
    jobs: list[Job] = []
    with world.core.database.reading() as db:
        for submission in world.engine.submissions:
            job = JobRepository(db).get(submission.job_id)
            if job is not None and job.kind == JobKind.DREAM:
                jobs.append(job)
    return jobs


def finish(world: World, job_id: JobId) -> None:
    with world.core.database.transaction() as db:
        JobRepository(db).set(job_id, state=JobState.DONE)


class TestOneAtATime:
    def test_whoever_asks_while_one_runs_is_told_of_that_one(self, world: World) -> None:
        first = world.core.dreams.requests.ask(RunWish())
        for wish in (RunWish(), RunWish(scope=ANAS), RunWish(dry_run=True), RunWish(kind=JobKind.DEDUPLICATE)):
            other = world.core.dreams.requests.ask(wish)
            assert (other.job_id, other.fresh, other.kind) == (first.job_id, False, JobKind.DREAM)
        assert world.woken == ["work"]
        finish(world, first.job_id)
        assert world.core.dreams.requests.ask(RunWish()).fresh

    def test_asking_at_the_same_moment_makes_one(self, world: World) -> None:
        world.core.dreams.requests.ask(RunWish())
        finish(world, world.core.dreams.requests.ask(RunWish()).job_id)
        barrier = threading.Barrier(6)
        jobs: list[JobId] = []

        def ask() -> None:
            barrier.wait(10)
            jobs.append(world.core.dreams.requests.ask(RunWish()).job_id)

        threads = [threading.Thread(target=ask) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert len(jobs) == 6
        assert len(set(jobs)) == 1

    def test_the_job_does_the_run(self, world: World) -> None:
        old = plant(world, "I live in Lisbon.")
        plant(world, "I live in Porto now.", days_ago=1)
        asked = world.core.dreams.requests.ask(RunWish())
        assert world.core.dreams.reports.get(asked.job_id).state == JobState.QUEUED
        assert world.run_jobs() == [asked.job_id]
        job = world.core.jobs.get(asked.job_id)
        assert (job.state, (job.result or {})["reviewed"]) == (JobState.DONE, 2)
        assert "Lisbon" not in str(job.result)
        assert status(world, old) == "superseded"
        assert world.core.dreams.reports.get(asked.job_id).cause == "request"
        assert world.core.dreams.undoing.undo(asked.job_id).reverted > 0
        assert status(world, old) == "active"


class TestSchedule:
    def test_a_new_installation_waits_for_the_next_night(self, world: World) -> None:
        assert world.core.dreams.schedule.owe_due() is None
        world.clock.advance(hours=10)
        assert world.core.dreams.schedule.owe_due() is None  # 22:00 UTC
        world.clock.advance(hours=5)
        asked = world.core.dreams.schedule.owe_due()
        assert asked is not None
        world.core.jobs.submit_owed()
        assert [job.payload["cause"] for job in dream_jobs(world)] == ["schedule"]

    def test_nights_that_were_slept_through_are_made_up_for_once(self, world: World) -> None:
        world.core.dreams.schedule.owe_due()
        world.clock.advance(days=3)
        asked = world.core.dreams.schedule.owe_due()
        assert asked is not None
        finish(world, asked.job_id)
        assert world.core.dreams.schedule.owe_due() is None
        world.clock.advance(days=1)
        assert world.core.dreams.schedule.owe_due() is not None

    def test_a_night_on_which_another_run_is_at_work_is_not_lost(self, world: World) -> None:
        world.core.dreams.schedule.owe_due()
        other = world.core.dreams.requests.ask(RunWish(kind=JobKind.DEDUPLICATE))
        world.clock.advance(days=1)
        assert world.core.dreams.schedule.owe_due() is None
        finish(world, other.job_id)
        assert world.core.dreams.schedule.owe_due() is not None

    def test_two_services_owe_one_run(self, world: World) -> None:
        second = ScheduleService(world.core.database, settings=world.core.settings, clock=world.clock)
        world.core.dreams.schedule.owe_due()
        world.clock.advance(days=1)
        owed = [world.core.dreams.schedule.owe_due(), second.owe_due()]
        assert [one is not None for one in owed] == [True, False]

    def test_a_night_of_25_hours_has_one_run(self, world: World) -> None:
        world.clock.set(datetime(2026, 10, 24, 20, tzinfo=UTC))
        world.core.dreams.schedule.change(cron="30 1 * * *")
        owed: list[datetime] = []
        for _ in range(2 * 24 * 2):
            world.clock.advance(minutes=30)
            if asked := world.core.dreams.schedule.owe_due():
                owed.append(world.clock.now())
                finish(world, asked.job_id)
        assert owed == [datetime(2026, 10, 25, 0, 30, tzinfo=UTC), datetime(2026, 10, 26, 1, 30, tzinfo=UTC)]

    def test_it_is_changed_paused_and_resumed_while_everything_runs(self, world: World) -> None:
        schedule = world.core.dreams.schedule
        assert (schedule.read().cron, schedule.read().changed) == (DEFAULT, False)
        changed = schedule.change(cron=" 0  4 * * * ")
        assert (changed.cron, changed.zone, changed.changed) == ("0 4 * * *", "Europe/Lisbon", True)
        assert [moment.hour for moment in changed.next_at] == [3, 3, 3]  # summer time
        assert schedule.change(paused=True).next_at == ()
        world.clock.advance(days=2)
        assert schedule.owe_due() is None
        schedule.change(paused=False)
        assert schedule.owe_due() is None, "what passed while it was paused doesn't count"
        world.clock.advance(days=1)
        assert schedule.owe_due() is not None

    def test_a_wrong_expression_changes_nothing(self, world: World) -> None:
        world.core.dreams.schedule.change(cron="0 4 * * *")
        with pytest.raises(Invalid, match="schedule"):
            world.core.dreams.schedule.change(cron="0 3 31 2 *")
        assert world.core.dreams.schedule.read().cron == "0 4 * * *"

    def test_a_wrong_setting_leaves_the_default(self, world: World) -> None:
        settings = settings_for(world.core.settings.home, overrides={"dreamStateSchedule": "at night"})
        schedule = ScheduleService(world.core.database, settings=settings, clock=world.clock)
        assert schedule.read().cron == DEFAULT

    def test_a_clock_that_is_set_back_does_not_stop_the_nights(self, world: World) -> None:
        world.core.dreams.schedule.owe_due()
        world.clock.set(world.clock.now() - timedelta(days=300))
        assert world.core.dreams.schedule.owe_due() is None
        world.clock.advance(days=1)
        assert world.core.dreams.schedule.owe_due() is not None


class TestHeavySessions:
    def say(self, world: World, turns: int) -> None:
        for number in range(turns):
            world.say(
                f"The telescope number {number} stands in the {number}th dome", key=f"t{number}-{world.clock.now()}"
            )
            world.clock.advance(seconds=20)

    def jobs(self, world: World) -> list[str]:
        world.run_jobs()
        world.core.jobs.submit_owed()
        return [str(job.payload["cause"]) for job in dream_jobs(world)]

    def test_a_run_over_what_a_heavy_session_wrote_is_asked_for(self, world: World) -> None:
        self.say(world, HEAVY_SESSION // 2)
        world.core.capture.owe_now(ANAS)
        assert self.jobs(world) == ["session"]
        assert dream_jobs(world)[0].scope_key == ANAS

    def test_an_ordinary_session_has_none(self, world: World) -> None:
        self.say(world, HEAVY_SESSION // 2 - 1)
        world.core.capture.owe_now(ANAS)
        assert self.jobs(world) == []

    def test_it_is_asked_for_once(self, world: World) -> None:
        self.say(world, HEAVY_SESSION // 2)
        world.core.capture.owe_now(ANAS)
        self.jobs(world)
        world.run_jobs()
        self.say(world, 3)
        world.core.capture.owe_now(ANAS)
        assert self.jobs(world) == ["session"]

    @pytest.mark.parametrize(("imported", "is_asked"), [(True, False), (False, True)])
    def test_an_import_is_no_session(self, world: World, *, imported: bool, is_asked: bool) -> None:
        database, now = world.core.database, world.clock.now()
        session = plant_session(database, ANAS, imported=imported)
        for _ in range(HEAVY_SESSION):
            plant_turn(database, session, consolidated_at=now, imported=imported)
        asked = AfterSessions(database, clock=world.clock).ask_if_heavy(ANAS)
        assert (asked is not None) is is_asked
