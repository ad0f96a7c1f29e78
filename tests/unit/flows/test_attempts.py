import asyncio
import threading
import time
from collections.abc import Callable

import pytest
from prefect.client.schemas.objects import State, StateType

from flows.attempts import attempt_job
from memory_core.errors import Conflict, MemoryCoreError, Unavailable
from memory_core.values import JobId


class Work:
    """Raises the given errors, one a call, then succeeds."""

    def __init__(self, *errors: Exception) -> None:
        self._errors = list(errors)
        self.calls: list[JobId] = []

    def __call__(self, job_id: JobId) -> None:
        self.calls.append(job_id)
        if self._errors:
            raise self._errors.pop(0)


def attempt(work: Callable[[JobId], None], *, pauses_s: tuple[float, ...] = (0.0, 0.0)) -> State[object]:
    return asyncio.run(attempt_job("job-1", work=work, pauses_s=pauses_s))


def test_a_job_that_succeeds_is_done_once() -> None:
    work = Work()
    assert attempt(work).type is StateType.COMPLETED
    assert work.calls == ["job-1"]


def test_a_job_is_tried_again_while_a_part_is_away() -> None:
    work = Work(Unavailable("the index is away"), Unavailable("the index is away"))
    assert attempt(work).type is StateType.COMPLETED
    assert len(work.calls) == 3


def test_a_part_that_stays_away_fails_the_run_with_its_reason() -> None:
    work = Work(*[Unavailable("the index is away")] * 9)
    state = attempt(work)
    assert (state.type, state.message) == (StateType.FAILED, "the index is away")
    assert len(work.calls) == 3


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (Conflict("the job was ended from outside"), "the job was ended from outside"),
        (ValueError("words of a memory"), "internal error: ValueError"),
    ],
)
def test_a_job_that_fails_for_good_is_not_tried_again(error: Exception, message: str) -> None:
    work = Work(error)
    state = attempt(work)
    assert (state.type, state.message) == (StateType.FAILED, message)
    assert len(work.calls) == 1


def test_the_log_of_a_broken_job_names_the_place_and_no_words(capsys: pytest.CaptureFixture[str]) -> None:
    attempt(Work(ValueError("words of a memory")))
    said = capsys.readouterr().out
    assert "ValueError" in said
    assert "test_attempts.py:" in said
    assert "words of a memory" not in said


def test_the_event_loop_goes_on_while_a_job_works() -> None:
    async def both() -> tuple[State[object], int]:
        ticks = 0
        job = asyncio.create_task(attempt_job("job-1", work=lambda _: time.sleep(0.3), pauses_s=()))
        while not job.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return await job, ticks

    state, ticks = asyncio.run(both())
    assert state.type is StateType.COMPLETED
    assert ticks > 5


@pytest.mark.parametrize("error", [None, Conflict("the job was ended from outside")])
def test_a_cancelled_job_is_cancelled_once_its_work_has_ended(error: MemoryCoreError | None) -> None:
    started, may_end = threading.Event(), threading.Event()

    def work(_: JobId) -> None:
        started.set()
        may_end.wait(10)
        if error:
            raise error

    async def cancel() -> tuple[bool, State[object]]:
        job = asyncio.create_task(attempt_job("job-1", work=work, pauses_s=()))
        await asyncio.to_thread(started.wait, 10)
        job.cancel()
        await asyncio.sleep(0.1)
        over_too_soon = job.done()
        may_end.set()
        return over_too_soon, await job

    over_too_soon, state = asyncio.run(cancel())
    assert not over_too_soon
    assert state.type is StateType.CANCELLED


def test_a_job_cancelled_between_two_tries_is_not_tried_again() -> None:
    work = Work(Unavailable("the index is away"))

    async def cancel() -> State[object]:
        job = asyncio.create_task(attempt_job("job-1", work=work, pauses_s=(60.0,)))
        await asyncio.sleep(0.3)
        job.cancel()
        return await job

    assert asyncio.run(cancel()).type is StateType.CANCELLED
    assert len(work.calls) == 1
