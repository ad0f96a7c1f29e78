"""One real Prefect server for a test session, and executors to run against it; both can be killed."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import IO

import httpx
import pytest

from memory_core.adapters.prefect_engine import PrefectEngine
from memory_core.errors import Unavailable
from memory_core.lifeline import LIFELINE_VARIABLE
from memory_core.settings import Settings
from memory_core.settings_loading import load_settings
from memory_core.values import JobKind

ROOT = Path(__file__).parent.parent
PASSWORD = "nightshift:for-tests"
_START_WITHIN_S = 90
_END_WITHIN_S = 15


def wait_until(holds: Callable[[], bool], *, what: str, within_s: float = 30) -> None:
    """Look every 50 ms until it holds; fail the test with `what` when it doesn't in time."""
    deadline_s = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > deadline_s:
            pytest.fail(f"not within {within_s:g} s: {what}")
        time.sleep(0.05)


class Process:
    """A child of the test with a lifeline, its output in a file."""

    def __init__(self, *command: str, environ: Mapping[str, str], log_file: Path) -> None:
        self._command = (sys.executable, "-W", "ignore::DeprecationWarning", *command)
        self.environ = {**os.environ, **environ, LIFELINE_VARIABLE: "1", "PYTHONUNBUFFERED": "1"}
        self._log_file = log_file
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Of the present process."""
        assert self._running
        return self._running.pid

    @property
    def is_running(self) -> bool:
        """Whether it was started and neither killed nor ended."""
        return self._running is not None and self._running.poll() is None

    def start(self) -> None:
        """Start it; it must not be running."""
        assert self._running is None
        self._log_file.parent.mkdir(parents=True, exist_ok=True)
        with self._log_file.open("ab") as log:
            self._running = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=log, stderr=log, cwd=ROOT, env=self.environ
            )

    def kill(self) -> None:
        """As a crash does it; nothing when it isn't running."""
        if self._running:
            self._running.send_signal(signal.SIGKILL)
            self._reap()

    def end(self) -> int:
        """End its lifeline, as when its starter dies; returns the exit code."""
        assert self._running
        _stdin(self._running).close()
        return self._reap()

    def wait(self) -> int:
        """Wait for its own end; returns the exit code."""
        return self._reap()

    def output(self) -> str:
        """All it wrote so far, over all starts."""
        return self._log_file.read_text() if self._log_file.exists() else ""

    def _reap(self) -> int:
        assert self._running
        running, self._running = self._running, None
        try:
            return running.wait(_END_WITHIN_S)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()
            raise
        finally:
            with contextlib.suppress(BrokenPipeError):
                _stdin(running).close()


class PrefectServer:
    """The embedded Prefect server on a free port with a home of its own."""

    def __init__(self, home: Path, *, password: str = PASSWORD) -> None:
        self.home = home
        self.environ = {
            "NIGHTSHIFT_HOME": str(home),
            "NIGHTSHIFT_PREFECT_API_URL": f"http://127.0.0.1:{free_port()}/api",
            "NIGHTSHIFT_PREFECT_API_KEY": password,
        }
        self.process = Process("-m", "flows.server", environ=self.environ, log_file=home / "prefect.log")

    @property
    def url(self) -> str:
        """Of the API."""
        return self.environ["NIGHTSHIFT_PREFECT_API_URL"]

    def settings(self, **environ: str) -> Settings:
        """Settings of a process that uses this server; variables given win."""
        return load_settings({**self.environ, **environ})

    def start(self) -> None:
        """Start it unless it runs, and wait until it answers."""
        if not self.process.is_running:
            self.process.start()
        wait_until(self._answers, what=f"the Prefect server answers\n{self.process.output()}", within_s=_START_WITHIN_S)

    def client(self) -> httpx.Client:
        """A client for what only tests do."""
        user, _, password = self.environ["NIGHTSHIFT_PREFECT_API_KEY"].partition(":")
        return httpx.Client(base_url=self.url, auth=(user, password), timeout=30)

    def register_flows(self) -> None:
        """Make the deployments known, as an executor does; nobody runs them."""
        with self.client() as client:
            for kind in JobKind:
                flow = client.post("/flows/", json={"name": kind.value}).raise_for_status().json()
                body = {"name": kind.value, "flow_id": flow["id"]}
                client.post("/deployments/", json=body).raise_for_status()

    def executor(self) -> Process:
        """An executor of the trivial flows, not yet started; one at a time may run."""
        program = "from flows.executor import main; main('tests.trivial_flows:DEPLOYMENTS')"
        return Process("-c", program, environ=self.environ, log_file=self.home / "executor.log")

    def wait_executor(self, engine: PrefectEngine) -> None:
        """Wait until flows can be run."""
        wait_until(lambda: is_ready(engine), what="the executor is ready")

    def _answers(self) -> bool:
        with contextlib.suppress(httpx.TransportError):
            return httpx.get(f"{self.url}/health").is_success
        return False


def free_port() -> int:
    """A port on loopback that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_ready(engine: PrefectEngine) -> bool:
    """Whether flows can be run now."""
    try:
        engine.ready()
    except Unavailable:
        return False
    return True


@pytest.fixture(scope="session")
def prefect_server(tmp_path_factory: pytest.TempPathFactory) -> Generator[PrefectServer]:
    """The server of the session, from the template database, which is built if this machine has none yet."""
    subprocess.run([sys.executable, "-m", "flows.server", "--prepare"], cwd=ROOT, check=True)
    server = PrefectServer(tmp_path_factory.mktemp("prefect"))
    server.start()
    yield server
    server.process.kill()


@pytest.fixture
def engine(prefect_server: PrefectServer) -> Generator[PrefectEngine]:
    """The real flow engine against the server of the session, which runs."""
    prefect_server.start()
    engine = PrefectEngine(prefect_server.settings())
    yield engine
    engine.close()


def _stdin(process: "subprocess.Popen[bytes]") -> IO[bytes]:
    assert process.stdin
    return process.stdin
