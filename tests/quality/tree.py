"""A real process tree for measurements: its own home and port, started as a user starts it, ended as a user ends it."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

START_LIMIT_S = 180
_STOP_LIMIT_S = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A running tree."""

    url: str
    home: Path
    pid: int
    ready_s: float

    @property
    def token_file(self) -> Path:
        """Where its token is."""
        return self.home / "token"


@contextmanager
def running_tree(home: Path, *, settings: dict[str, str] | None = None) -> Generator[Tree]:
    """Start everything, wait until it is ready, and end it afterwards.

    Args:
        home: Its data folder.
        settings: Further environment variables.

    Raises:
        RuntimeError: it ended or didn't become ready; with the last of its output.
    """
    port = _free_port()
    environment = {
        **os.environ,
        "NIGHTSHIFT_HOME": str(home),
        "NIGHTSHIFT_PORT": str(port),
        "NIGHTSHIFT_DEMO": "0",
        **(settings or {}),
    }
    output = home.with_suffix(".out")
    began = time.monotonic()
    with output.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "plugin.cli", "up"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_until_ready(url, process, output=output)
        yield Tree(url=url, home=home, pid=process.pid, ready_s=time.monotonic() - began)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(_STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait_until_ready(url: str, process: "subprocess.Popen[bytes]", *, output: Path) -> None:
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            if httpx.get(f"{url}/readyz", timeout=5).status_code == httpx.codes.OK:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.2)
    raise RuntimeError("the tree did not become ready:\n" + output.read_text(errors="replace")[-3000:])


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
