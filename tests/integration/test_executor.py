"""The executor of flow runs on a real Prefect server: whatever is killed, each job is done."""

import os
import signal
import time
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import psutil
import pytest

from memory_core.adapters.prefect_engine import PrefectEngine
from memory_core.values import FlowRun, JobId, JobKind, JobState
from tests.prefect_server import PrefectServer, Process, wait_until
from tests.trivial_flows import hold_of, trace_of


@pytest.fixture(scope="module")
def shared_executor(prefect_server: PrefectServer) -> Generator[Process]:
    executor = prefect_server.executor()
    yield executor
    executor.kill()


@pytest.fixture
def executor(prefect_server: PrefectServer, engine: PrefectEngine, *, shared_executor: Process) -> Process:
    """A running executor of the trivial flows; a test may kill it, the next finds it running again."""
    if not shared_executor.is_running:
        shared_executor.kill()
        shared_executor.start()
    prefect_server.wait_executor(engine)
    return shared_executor


def new_job() -> JobId:
    # Its last character tells the failing flow how to fail.
    return JobId(f"{str(uuid4())[:-1]}f")


def submit(engine: PrefectEngine, job_id: JobId, *, kind: JobKind = JobKind.CONSOLIDATE) -> FlowRun:
    return engine.submit(job_id, kind=kind, parameters={"job_id": job_id})


def wait_for_state(engine: PrefectEngine, run: FlowRun, *, state: JobState, within_s: float = 30) -> FlowRun:
    wait_until(lambda: engine.read(run.run_id).state is state, what=f"the run is {state}", within_s=within_s)
    return engine.read(run.run_id)


def held_job(server: PrefectServer) -> JobId:
    job_id = new_job()
    hold = hold_of(server.home, job_id)
    hold.parent.mkdir(exist_ok=True)
    hold.touch()
    return job_id


def release(server: PrefectServer, job_id: JobId) -> None:
    hold_of(server.home, job_id).unlink()


def events(server: PrefectServer, job_id: JobId) -> list[str]:
    return [line.split()[0] for line in trace_of(server.home, job_id)]


def wait_for_start(server: PrefectServer, job_id: JobId, *, starts: int = 1) -> None:
    wait_until(lambda: events(server, job_id).count("start") == starts, what=f"start {starts} of the job")


def test_a_submitted_job_is_done(*, prefect_server: PrefectServer, engine: PrefectEngine, executor: Process) -> None:
    submit(engine, new_job())  # the first one opens connections
    took_s: list[float] = []
    for _ in range(5):
        time.sleep(0.3)
        job_id = new_job()
        started_s = time.monotonic()
        wait_for_state(engine, submit(engine, job_id), state=JobState.DONE)
        took_s.append(time.monotonic() - started_s)
        assert events(prefect_server, job_id) == ["start", "end"]
    resident = {name: psutil.Process(pid).memory_info().rss / 1e6 for name, pid in processes(prefect_server, executor)}
    print(f"submit to done: {sorted(took_s)[2]:.2f} s (median of 5); resident MB: {resident}")


def processes(server: PrefectServer, executor: Process) -> list[tuple[str, int]]:
    return [("server", server.process.pid), ("executor", executor.pid)]


@pytest.mark.usefixtures("executor")
def test_twenty_jobs_at_once_are_each_done_once(prefect_server: PrefectServer, engine: PrefectEngine) -> None:
    jobs = [new_job() for _ in range(20)]
    started_s = time.monotonic()
    runs = [submit(engine, job_id) for job_id in jobs]
    for run in runs:
        wait_for_state(engine, run, state=JobState.DONE)
    print(f"20 jobs at once: {time.monotonic() - started_s:.1f} s")
    assert [events(prefect_server, job_id) for job_id in jobs] == [["start", "end"]] * 20


def test_a_run_survives_the_kill_of_its_executor(
    *, prefect_server: PrefectServer, engine: PrefectEngine, executor: Process
) -> None:
    job_id = held_job(prefect_server)
    run = submit(engine, job_id)
    wait_for_start(prefect_server, job_id)
    executor.kill()
    assert engine.read(run.run_id).state is JobState.RUNNING
    executor.start()
    wait_for_start(prefect_server, job_id, starts=2)
    release(prefect_server, job_id)
    wait_for_state(engine, run, state=JobState.DONE)
    assert events(prefect_server, job_id) == ["start", "start", "end"]
    with prefect_server.client() as client:
        assert client.get(f"/flow_runs/{run.run_id}").json()["run_count"] == 2


def test_a_run_survives_the_kill_of_the_server(
    *, prefect_server: PrefectServer, engine: PrefectEngine, executor: Process
) -> None:
    job_id = held_job(prefect_server)
    run = submit(engine, job_id)
    wait_for_start(prefect_server, job_id)
    prefect_server.process.kill()
    release(prefect_server, job_id)
    wait_until(lambda: "end" in events(prefect_server, job_id), what="the work goes on without the server")
    prefect_server.start()
    wait_for_state(engine, run, state=JobState.DONE, within_s=60)
    prefect_server.wait_executor(engine)
    assert executor.is_running


def test_an_executor_waits_for_its_server(
    *, prefect_server: PrefectServer, engine: PrefectEngine, executor: Process
) -> None:
    executor.kill()
    prefect_server.process.kill()
    said = executor.output().count("prefect_away")
    executor.start()
    wait_until(lambda: executor.output().count("prefect_away") > said, what="the executor says who is away")
    prefect_server.start()
    prefect_server.wait_executor(engine)
    wait_for_state(engine, submit(engine, new_job()), state=JobState.DONE)


def test_a_running_job_can_be_cancelled(
    *, prefect_server: PrefectServer, engine: PrefectEngine, executor: Process
) -> None:
    job_id = held_job(prefect_server)
    run = submit(engine, job_id, kind=JobKind.CONSOLIDATE)
    wait_for_start(prefect_server, job_id)
    engine.cancel(run.run_id)
    assert engine.read(run.run_id).state is JobState.CANCELLED
    executor.kill()  # before its thread was done: nobody is left to say that it ended
    executor.start()
    wait_until(lambda: prefect_state(prefect_server, run) == "CANCELLED", what="the run counts as cancelled")
    assert events(prefect_server, job_id) == ["start"]


@pytest.mark.usefixtures("executor")
def test_a_cancelled_run_is_not_over_before_its_work_is(prefect_server: PrefectServer, engine: PrefectEngine) -> None:
    job_id = held_job(prefect_server)
    run = submit(engine, job_id)
    wait_for_start(prefect_server, job_id)
    engine.cancel(run.run_id)
    time.sleep(3)  # longer than a poll
    assert prefect_state(prefect_server, run) == "CANCELLING"
    release(prefect_server, job_id)
    wait_until(lambda: prefect_state(prefect_server, run) == "CANCELLED", what="it is over", within_s=5)
    assert events(prefect_server, job_id) == ["start", "end"]


def test_a_job_cancelled_before_it_starts_is_never_run(
    *, prefect_server: PrefectServer, engine: PrefectEngine, executor: Process
) -> None:
    executor.kill()
    cancelled, later = new_job(), new_job()
    engine.cancel(submit(engine, cancelled).run_id)
    run = submit(engine, later)
    executor.start()
    wait_for_state(engine, run, state=JobState.DONE)
    assert events(prefect_server, cancelled) == []


@pytest.mark.usefixtures("executor")
@pytest.mark.parametrize(
    ("last", "message"), [("f", "internal error: RuntimeError"), ("0", "the index is away")], ids=["broken", "away"]
)
def test_a_failed_job_says_why_without_words_of_a_memory(
    *, prefect_server: PrefectServer, engine: PrefectEngine, last: str, message: str
) -> None:
    run = submit(engine, JobId(f"{new_job()[:-1]}{last}"), kind=JobKind.IMPORT)
    assert wait_for_state(engine, run, state=JobState.FAILED).message == message
    database = (prefect_server.home / "prefect" / "prefect.db").read_bytes()
    assert b"words of a memory" not in database
    assert "words of a memory" not in prefect_server.executor().output()


def test_of_missed_nights_only_one_is_made_up_for(
    *, prefect_server: PrefectServer, engine: PrefectEngine, executor: Process
) -> None:
    executor.kill()
    job_id = new_job()
    schedule_id = schedule_nightly(prefect_server, parameters={"job_id": job_id})
    executor.start()
    prefect_server.wait_executor(engine)
    wait_until(lambda: "end" in events(prefect_server, job_id), what="the missed work is done")
    wait_until(lambda: "Scheduled" not in past_states(prefect_server), what="nothing missed is left")
    assert past_states(prefect_server) == ["Completed", "Skipped", "Skipped"]
    assert events(prefect_server, job_id) == ["start", "end"]
    # That the executor registered its flows again left the schedule alone.
    assert [one["id"] for one in deployment(prefect_server)["schedules"]] == [schedule_id]
    with prefect_server.client() as client:
        client.delete(f"/deployments/{deployment(prefect_server)['id']}/schedules/{schedule_id}").raise_for_status()


def test_a_second_executor_in_the_same_home_gives_way(prefect_server: PrefectServer, executor: Process) -> None:
    second = prefect_server.executor()
    second.start()
    assert second.wait() == 1
    assert "another executor of flow runs works in" in second.output()
    assert executor.is_running


def test_an_executor_whose_lifeline_ends_leaves_its_runs_to_the_next(
    *, prefect_server: PrefectServer, engine: PrefectEngine, executor: Process
) -> None:
    job_id = held_job(prefect_server)
    run = submit(engine, job_id)
    wait_for_start(prefect_server, job_id)
    assert executor.end() == 0
    assert engine.read(run.run_id).state is JobState.RUNNING
    release(prefect_server, job_id)
    executor.start()
    wait_for_state(engine, run, state=JobState.DONE)
    assert events(prefect_server, job_id) == ["start", "start", "end"]


def test_an_executor_ends_on_sigterm_and_bears_ctrl_c(executor: Process) -> None:
    os.kill(executor.pid, signal.SIGINT)
    time.sleep(0.5)
    assert executor.is_running
    os.kill(executor.pid, signal.SIGTERM)
    assert executor.wait() == 0


def prefect_state(server: PrefectServer, run: FlowRun) -> str:
    with server.client() as client:
        return str(client.get(f"/flow_runs/{run.run_id}").json()["state"]["type"])


def deployment(server: PrefectServer) -> dict[str, Any]:
    with server.client() as client:
        return client.get("/deployments/name/consolidate/consolidate").raise_for_status().json()


def schedule_nightly(server: PrefectServer, *, parameters: dict[str, str]) -> str:
    """Make a schedule as if it had stood for three nights; returns its id."""
    now = datetime.fromtimestamp(time.time(), tz=UTC)
    due = now - timedelta(minutes=2)
    nightly = {"cron": f"{due.minute} {due.hour} * * *", "timezone": "UTC"}
    body = [{"schedule": nightly, "active": True, "parameters": parameters}]
    times = {"start_time": str(now - timedelta(days=2, hours=12)), "end_time": str(now), "min_runs": 3}
    with server.client() as client:
        path = f"/deployments/{deployment(server)['id']}"
        made = client.post(f"{path}/schedules", json=body).raise_for_status().json()
        client.post(f"{path}/schedule", json=times).raise_for_status()
    return str(made[0]["id"])


def past_states(server: PrefectServer) -> list[str]:
    """Names of the states of runs that a schedule had made for a time that has passed."""
    with server.client() as client:
        runs = client.post("/flow_runs/filter", json={"limit": 200}).raise_for_status().json()
    return sorted(run["state"]["name"] for run in runs if run["auto_scheduled"] and is_past(run))


def is_past(run: dict[str, Any]) -> bool:
    return datetime.fromisoformat(run["expected_start_time"]).timestamp() < time.time()
