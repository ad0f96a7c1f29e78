"""`nightshift up` as a person or a gateway starts it, in a process group of its own."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import httpx
import psutil
import pytest

START_WITHIN_S = 180
END_WITHIN_S = 40
MODULES = {
    "index": "memory_core.adapters.index_process",
    "service": "plugin.service",
    "prefect": "flows.server",
    "executor": "flows.executor",
}
"""Children of the tree by the name that people read, and what each runs."""


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def nightshift(home: Path, port: int, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run one command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "plugin.cli", *arguments],
        env=_environ(home, port),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=START_WITHIN_S,
        check=False,
    )


class UpProcess:
    """A running `nightshift up`; its output goes to a file beside its home."""

    def __init__(self, home: Path, *options: str, port: int | None = None, sidecar: bool = False) -> None:
        self.home = home
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.output = home.with_suffix(".out")
        arguments = ["up", "--sidecar"] if sidecar else ["up"]
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "plugin.cli", *arguments, *options],
                env=_environ(home, self.port),
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def said(self) -> str:
        """All that it wrote so far."""
        return self.output.read_text(errors="replace")

    def wait_for(self, text: str, *, within_s: float = START_WITHIN_S, times: int = 1) -> None:
        """Wait until it wrote the text so often; fail the test when it doesn't, or ends first."""

        def there() -> bool:
            if self.said.count(text) >= times:
                return True
            if self.process.poll() is not None:
                pytest.fail(f"it ended before it wrote {text!r}:\n{self.said}\n{self._logs()}")
            return False

        wait_until(there, what=lambda: f"{text!r} in:\n{self.said}\n{self._logs()}", within_s=within_s)

    def is_ready(self) -> bool:
        """Everything works, by the service's own word."""
        try:
            return httpx.get(f"{self.url}/readyz", timeout=5, trust_env=False).status_code == 200
        except httpx.HTTPError:
            return False

    def child(self, name: str) -> psutil.Process:
        """The process of one child as it runs now."""

        def found() -> list[psutil.Process]:
            return [process for process in self.processes() if _runs(process, MODULES[name])]

        wait_until(lambda: len(found()) == 1, what=lambda: f"one process of {name}", within_s=30)
        return found()[0]

    def processes(self) -> list[psutil.Process]:
        """Every process of the group that lives, the supervisor included."""
        return [process for process in psutil.process_iter() if _is_of_group(process, self.process.pid)]

    def signal_group(self, number: signal.Signals) -> None:
        """What a terminal does with Ctrl-C: every process gets it at once."""
        os.killpg(self.process.pid, number)

    def wait_for_end(self, *, within_s: float = END_WITHIN_S) -> int:
        """Exit code of the supervisor, once no process of the group is left."""
        code = self.process.wait(within_s)
        self.wait_until_gone(within_s=within_s)
        return code

    def wait_until_gone(self, *, within_s: float = END_WITHIN_S) -> None:
        """Wait until no process of the group lives."""
        wait_until(lambda: not self.processes(), what=lambda: f"gone: {self.processes()}", within_s=within_s)

    def clean_up(self) -> None:
        """End whatever is left, at the end of a test."""
        if self.process.stdin:
            self.process.stdin.close()
        with contextlib.suppress(ProcessLookupError):
            self.signal_group(signal.SIGTERM)
        try:
            self.process.wait(END_WITHIN_S)
            self.wait_until_gone(within_s=END_WITHIN_S)
        finally:
            with contextlib.suppress(ProcessLookupError):
                self.signal_group(signal.SIGKILL)
            self.process.wait()

    def _logs(self) -> str:
        logs = sorted((self.home / "logs").glob("*.log")) if self.home.is_dir() else []
        return "\n".join(f"--- {log.name}\n{log.read_text(errors='replace')[-2000:]}" for log in logs)


def wait_until(holds: Callable[[], bool], *, what: Callable[[], str], within_s: float) -> None:
    """Look five times a second until it holds; fail the test when it doesn't in time."""
    deadline_s = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > deadline_s:
            pytest.fail(f"not within {within_s:g} s: {what()}")
        time.sleep(0.2)


def _environ(home: Path, port: int) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("NIGHTSHIFT_")}
    return {**inherited, "NIGHTSHIFT_HOME": str(home), "NIGHTSHIFT_PORT": str(port)}


def _runs(process: psutil.Process, module: str) -> bool:
    try:
        command: Sequence[str] = process.cmdline()
    except psutil.Error:
        return False
    return module in command


def _is_of_group(process: psutil.Process, group: int) -> bool:
    try:
        return os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE
    except (ProcessLookupError, psutil.Error):
        return False
