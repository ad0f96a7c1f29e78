"""The index process and the service as children that are measured: CPU to the microsecond, memory, and an end."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

from memory_core.bootstrap import MemoryCore
from memory_core.errors import Unavailable

_START_WITHIN_S = 180.0
_END_WITHIN_S = 60.0
_NS_PER_MS = 1e6
_MIB = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A child process."""

    process: psutil.Process

    def cpu_ms(self) -> float:
        """CPU time of all its threads so far; exact on Linux, else to the nearest 10 ms."""
        tasks = Path(f"/proc/{self.process.pid}/task")
        try:
            return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()) / _NS_PER_MS
        except OSError:
            times = self.process.cpu_times()
            return (times.user + times.system) * 1000

    def main_thread_cpu_ms(self) -> float:
        """CPU time of its first thread so far, which is a service's event loop; Linux only."""
        pid = self.process.pid
        return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[0]) / _NS_PER_MS

    def resident_mib(self) -> int:
        """Memory it holds now."""
        return self.process.memory_info().rss // _MIB


@contextmanager
def index_process(home: Path) -> Generator[Measured]:
    """The index process of a home."""
    with _child(home, "memory_core.adapters.index_process") as measured:
        yield measured


@contextmanager
def service_process(home: Path) -> Generator[tuple[Measured, httpx.Client]]:
    """The service of a home, which answers, and a client that knows its token."""
    port = _free_port()
    with (
        _child(home, "plugin.service", NIGHTSHIFT_PORT=str(port)) as measured,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30, trust_env=False) as client,
    ):
        _wait_until_healthy(client)
        client.headers["Authorization"] = f"Bearer {(home / 'token').read_text().strip()}"
        yield measured, client


def wait_for_index(core: MemoryCore) -> None:
    """Return when the index process answers."""
    deadline_s = time.monotonic() + _START_WITHIN_S
    while True:
        try:
            core.index.count()
        except Unavailable:
            if time.monotonic() > deadline_s:
                raise
            time.sleep(0.05)
        else:
            return


@contextmanager
def _child(home: Path, module: str, **environ: str) -> Generator[Measured]:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("NIGHTSHIFT_")},
        "NIGHTSHIFT_HOME": str(home),
        "NIGHTSHIFT_LIFELINE": "1",
        "OPENBLAS_NUM_THREADS": "1",  # as the supervisor has it
        **environ,
    }
    command = [sys.executable, "-m", module]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        try:
            yield Measured(process=psutil.Process(process.pid))
        finally:
            if process.stdin:
                process.stdin.close()
            process.wait(_END_WITHIN_S)


def _wait_until_healthy(client: httpx.Client) -> None:
    deadline_s = time.monotonic() + _START_WITHIN_S
    while True:
        try:
            client.get("/healthz").raise_for_status()
        except httpx.HTTPError:
            if time.monotonic() > deadline_s:
                raise
            time.sleep(0.1)
        else:
            return


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port
