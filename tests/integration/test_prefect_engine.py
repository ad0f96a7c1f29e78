"""The flow engine's adapter and its server: what may go wrong between them."""

import threading
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from uuid import uuid4

import pytest

from memory_core.adapters.prefect_engine import PrefectEngine
from memory_core.errors import Unavailable
from memory_core.settings_loading import load_settings
from memory_core.values import FlowRun, JobId, JobKind
from tests.prefect_server import PrefectServer, free_port


def new_job() -> JobId:
    return JobId(str(uuid4()))


def submit(engine: PrefectEngine) -> FlowRun:
    job_id = new_job()
    return engine.submit(job_id, kind=JobKind.CONSOLIDATE, parameters={"job_id": job_id})


class Answering(ThreadingHTTPServer):
    """Answers a fixed list of statuses, the last one for ever, and keeps the bodies it got."""

    def __init__(self, *statuses: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.statuses = list(statuses)
        self.bodies: list[bytes] = []

    def next_status(self) -> int:
        """The one to answer now."""
        return self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]


class _Handler(BaseHTTPRequestHandler):
    def _answer(self) -> None:
        assert isinstance(self.server, Answering)
        self.server.bodies.append(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        answer = b'{"id": "11111111-1111-4111-8111-111111111111", "state": {"type": "SCHEDULED"}}'
        self.send_response(self.server.next_status())
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST = _answer  # noqa: N815  the names http.server calls

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def answering(request: pytest.FixtureRequest) -> Generator[Answering]:
    """A server of the statuses the test asks for."""
    server = Answering(*request.param)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def engine_of(answering: Answering, home: Path) -> PrefectEngine:
    url = f"http://127.0.0.1:{answering.server_port}/api"
    return PrefectEngine(load_settings({"NIGHTSHIFT_HOME": str(home), "NIGHTSHIFT_PREFECT_API_URL": url}))


@pytest.mark.parametrize("answering", [(200, 503, 503, 201)], indirect=True)
def test_a_server_too_busy_is_asked_again_with_the_same_key(answering: Answering, tmp_path: Path) -> None:
    engine = engine_of(answering, tmp_path)
    submit(engine)
    creations = answering.bodies[1:]
    assert len(creations) == 3
    assert len(set(creations)) == 1
    assert b"idempotency_key" in creations[0]
    engine.close()


@pytest.mark.parametrize("answering", [(503,)], indirect=True)
def test_a_server_that_stays_busy_is_given_up_soon(answering: Answering, tmp_path: Path) -> None:
    engine = engine_of(answering, tmp_path)
    started_s = time.monotonic()
    with pytest.raises(Unavailable, match="503"):
        submit(engine)
    assert time.monotonic() - started_s < 5
    engine.close()


def test_without_a_server_in_the_settings_the_setting_is_named(tmp_path: Path) -> None:
    engine = PrefectEngine(load_settings({"NIGHTSHIFT_HOME": str(tmp_path)}))
    with pytest.raises(Unavailable, match="NIGHTSHIFT_PREFECT_API_URL"):
        engine.ready()


def test_a_wrong_password_is_named(prefect_server: PrefectServer) -> None:
    prefect_server.start()
    engine = PrefectEngine(prefect_server.settings(NIGHTSHIFT_PREFECT_API_KEY="nightshift:wrong"))
    with pytest.raises(Unavailable, match="refuses the password in NIGHTSHIFT_PREFECT_API_KEY"):
        submit(engine)
    with pytest.raises(Unavailable, match="refuses the password"):
        engine.ready()
    engine.close()


def test_a_server_that_is_away_is_given_up_soon(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}/api"
    engine = PrefectEngine(load_settings({"NIGHTSHIFT_HOME": str(tmp_path), "NIGHTSHIFT_PREFECT_API_URL": url}))
    started_s = time.monotonic()
    with pytest.raises(Unavailable, match="doesn't answer"):
        submit(engine)
    assert time.monotonic() - started_s < 5
    engine.close()


def test_a_server_that_began_anew_gets_the_run_under_its_new_id(
    prefect_server: PrefectServer, engine: PrefectEngine
) -> None:
    prefect_server.register_flows()
    submit(engine)
    prefect_server.process.kill()
    # Damage at its first page makes the whole file unreadable.
    (prefect_server.home / "prefect" / "prefect.db").write_bytes(b"not a database at all" * 500)
    prefect_server.start()
    assert "prefect.database_set_aside" in prefect_server.process.output()
    with pytest.raises(Unavailable, match="isn't registered"):
        submit(engine)
    prefect_server.register_flows()
    run = submit(engine)
    assert engine.read(run.run_id) == run


def test_readiness_misses_the_executor(prefect_server: PrefectServer, engine: PrefectEngine) -> None:
    prefect_server.register_flows()
    with pytest.raises(Unavailable, match="executor"):
        engine.ready()


def test_the_page_shows_names_a_person_understands(prefect_server: PrefectServer, engine: PrefectEngine) -> None:
    prefect_server.register_flows()
    job_id = new_job()
    parameters = {"job_id": job_id}
    first = engine.submit(job_id, kind=JobKind.IMPORT, parameters=parameters)
    second = engine.resubmit(job_id, kind=JobKind.IMPORT, parameters=parameters, attempt=2)
    with prefect_server.client() as client:
        shown = [client.get(f"/flow_runs/{run.run_id}").json() for run in (first, second)]
    assert [run["name"] for run in shown] == [f"import · {job_id[:8]}", f"import · {job_id[:8]} · attempt 2"]
    assert [run["parameters"] for run in shown] == [parameters, parameters]
    assert all("import" in run["tags"] for run in shown)


def test_twenty_clients_at_once_are_all_served(prefect_server: PrefectServer, engine: PrefectEngine) -> None:
    """Prefect as it comes answers some of these with 503 or drops the connection."""
    prefect_server.register_flows()
    with prefect_server.client() as client:
        known = client.get("/deployments/name/consolidate/consolidate").json()["id"]

    def create(_: int) -> int:
        with prefect_server.client() as client:
            body = {"name": "one of many", "parameters": {"job_id": new_job()}}
            return client.post(f"/deployments/{known}/create_flow_run", json=body).status_code

    with ThreadPoolExecutor(20) as clients:
        answers = list(clients.map(create, range(60)))
    assert answers == [201] * 60
    assert engine.read(submit(engine).run_id)
