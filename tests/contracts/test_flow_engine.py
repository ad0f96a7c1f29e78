"""What every FlowEngine keeps to: the fake and the one over a real Prefect server."""

from collections.abc import Callable, Generator
from uuid import uuid4

import pytest

from memory_core.adapters.prefect_engine import PrefectEngine
from memory_core.errors import NotFound, Unavailable
from memory_core.ports import FlowEngine
from memory_core.values import FlowRun, JobId, JobKind, JobState
from tests.fakes.flow_engine import FakeFlowEngine
from tests.prefect_server import PrefectServer, free_port

CALLS: dict[str, Callable[[FlowEngine], object]] = {
    "submit": lambda engine: submit(engine, new_job()),
    "resubmit": lambda engine: resubmit(engine, new_job(), attempt=2),
    "read": lambda engine: engine.read(str(uuid4())),
    "cancel": lambda engine: engine.cancel(str(uuid4())),
    "ready": lambda engine: engine.ready(),
}


@pytest.fixture(params=["fake", "prefect"])
def flow_engine(request: pytest.FixtureRequest) -> Generator[FlowEngine]:
    """An engine that knows every kind of job and whose runs stay queued: nobody runs them."""
    if request.param == "fake":
        yield FakeFlowEngine()
        return
    server: PrefectServer = request.getfixturevalue("prefect_server")
    server.start()
    server.register_flows()
    engine = PrefectEngine(server.settings())
    yield engine
    engine.close()


@pytest.fixture(params=["fake", "prefect"])
def engine_away(request: pytest.FixtureRequest) -> Generator[FlowEngine]:
    """An engine that can't be reached."""
    if request.param == "fake":
        yield FakeFlowEngine(away="the engine is away")
        return
    server: PrefectServer = request.getfixturevalue("prefect_server")
    url = f"http://127.0.0.1:{free_port()}/api"
    engine = PrefectEngine(server.settings(NIGHTSHIFT_PREFECT_API_URL=url))
    yield engine
    engine.close()


def new_job() -> JobId:
    return JobId(str(uuid4()))


def submit(engine: FlowEngine, job_id: JobId, *, kind: JobKind = JobKind.CONSOLIDATE) -> FlowRun:
    return engine.submit(job_id, kind=kind, parameters={"job_id": job_id})


def resubmit(engine: FlowEngine, job_id: JobId, *, attempt: int) -> FlowRun:
    return engine.resubmit(job_id, kind=JobKind.CONSOLIDATE, parameters={"job_id": job_id}, attempt=attempt)


@pytest.mark.parametrize("kind", JobKind)
def test_a_job_of_every_kind_is_queued(flow_engine: FlowEngine, kind: JobKind) -> None:
    run = submit(flow_engine, new_job(), kind=kind)
    assert run.state is JobState.QUEUED
    assert flow_engine.read(run.run_id) == run


def test_a_job_submitted_twice_has_one_run(flow_engine: FlowEngine) -> None:
    job_id = new_job()
    assert submit(flow_engine, job_id) == submit(flow_engine, job_id)
    assert submit(flow_engine, new_job()).run_id != submit(flow_engine, job_id).run_id


def test_each_attempt_has_a_run_of_its_own(flow_engine: FlowEngine) -> None:
    job_id = new_job()
    runs = [submit(flow_engine, job_id), *(resubmit(flow_engine, job_id, attempt=attempt) for attempt in (2, 3))]
    assert len({run.run_id for run in runs}) == 3
    assert resubmit(flow_engine, job_id, attempt=2) == runs[1]


def test_a_queued_run_can_be_cancelled_and_that_twice(flow_engine: FlowEngine) -> None:
    job_id = new_job()
    run = submit(flow_engine, job_id)
    flow_engine.cancel(run.run_id)
    flow_engine.cancel(run.run_id)
    assert flow_engine.read(run.run_id).state is JobState.CANCELLED
    assert submit(flow_engine, job_id).state is JobState.CANCELLED


@pytest.mark.parametrize("run_id", ["6049221a-d932-41ee-855e-883d948fac87", "", "no id at all", "../deployments"])
def test_an_unknown_run_is_not_found(flow_engine: FlowEngine, run_id: str) -> None:
    with pytest.raises(NotFound):
        flow_engine.read(run_id)
    with pytest.raises(NotFound):
        flow_engine.cancel(run_id)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_an_engine_that_is_away_is_unavailable(engine_away: FlowEngine, call: Callable[[FlowEngine], object]) -> None:
    with pytest.raises(Unavailable):
        call(engine_away)
