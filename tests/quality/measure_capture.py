"""What capture costs, in CPU time: `python -m tests.quality.measure_capture`.

Statements a second: consolidation of labelled turns without a chat model over the real embedder and real tables, in one
process. Acknowledging a turn: a service process of its own answers `POST /v1/turns` with everything on disk; its CPU
time is counted whole, so HTTP, checks and background work are in it.
"""

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import httpx
import psutil

from memory_core.adapters.fastembed_embedder import FastembedEmbedder
from memory_core.bootstrap import MemoryCore, Ports, compose_core
from memory_core.capture.service import LiveTurn
from memory_core.settings_loading import load_settings
from memory_core.values import ScopeKey, SessionRef
from tests.fakes.clock import FakeClock
from tests.fakes.flow_engine import FakeFlowEngine
from tests.fakes.vector_index import FakeVectorIndex
from tests.quality.labelled_turns import conversations

TURNS, WARM_UP = 300, 30
_PEOPLE = 7
_BELOW_THRESHOLD = 9
"""So many turns of one person owe no consolidation yet."""
_ANA = SessionRef(session_key="agent:main:main", channel="signal", sender_id="ana", sender_name="Ana", timezone="UTC")
_SCOPE = ScopeKey("user.signal.ana")
_LONG_UTTERANCES = 4
"""So many utterances of a conversation said at once make a long one."""
_START_WITHIN_S = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class _Exchange:
    user: str
    assistant: str


def measure_capture() -> dict[str, object]:
    """Statements a CPU-second for short and long utterances, and the CPU milliseconds of one acknowledged turn."""
    short = _exchanges(together=1)
    return {
        "statementsPerCpuS": {
            "short": _consolidate(short),
            "long": _consolidate(_exchanges(together=_LONG_UTTERANCES)),
        },
        "acknowledge": {
            "threadCpuMs": _accept(short, turns_each=_BELOW_THRESHOLD),
            "threadCpuMsOwing": _accept(short, turns_each=TURNS),
            **_acknowledge(short),
        },
    }


def _exchanges(*, together: int) -> list[_Exchange]:
    """Labelled utterances of people, so many at once, each answered by the next utterances of the assistant."""
    made: list[_Exchange] = []
    for conversation in conversations():
        said = [turn.text for turn in conversation.turns if turn.speaker]
        answers = [turn.text for turn in conversation.turns if not turn.speaker] or ["I see, thank you."]
        for start in range(0, len(said), together):
            number = start // together
            answer = [answers[(number * together + offset) % len(answers)] for offset in range(together)]
            made.append(_Exchange(user=" ".join(said[start : start + together]), assistant=" ".join(answer)))
    return made


def _consolidate(exchanges: Sequence[_Exchange]) -> dict[str, float]:
    with _core() as core:
        for number, exchange in enumerate(exchanges):
            core.capture.accept(_ANA, _turn(exchange, core=core, number=number))
        core.embedder.embed_passages(["The first call loads what later calls find loaded."])
        began = time.process_time()
        done = core.consolidation.run(_SCOPE, through=1_000_000, on_batch=lambda _: None)
        took_s = time.process_time() - began
    made = done.added + done.repeated
    return {"statements": made, "perCpuS": round(made / took_s, 1)}


def _accept(exchanges: Sequence[_Exchange], *, turns_each: int) -> dict[str, float]:
    """CPU time of the thread that takes a turn in, without HTTP; past the threshold each turn also widens a job."""
    times: list[float] = []
    with _core() as core:
        for number in range(TURNS + WARM_UP):
            turn = _turn(exchanges[number % len(exchanges)], core=core, number=number)
            began = time.thread_time()
            core.capture.accept(replace(_ANA, sender_id=f"person-{number // turns_each}"), turn)
            times.append((time.thread_time() - began) * 1000)
    cuts = statistics.quantiles(times[WARM_UP:], n=20)
    return {"p50": round(cuts[9], 2), "p95": round(cuts[18], 2)}


def _acknowledge(exchanges: Sequence[_Exchange]) -> dict[str, object]:
    """CPU time of a whole service process for each turn it acknowledges."""
    with _service() as (client, process):
        for number in range(WARM_UP):
            _post(client, exchanges[number % len(exchanges)], number=number)
        began = _cpu_s(process)
        for number in range(WARM_UP, WARM_UP + TURNS):
            _post(client, exchanges[number % len(exchanges)], number=number)
        return {"processCpuMsMean": round((_cpu_s(process) - began) * 1000 / TURNS, 2)}


def _post(client: httpx.Client, exchange: _Exchange, *, number: int) -> None:
    session = {"sessionKey": "agent:main:main", "channel": "signal", "senderId": f"person-{number % _PEOPLE}"}
    body = {"session": session, "turnKey": f"t{number}", "user": {"text": exchange.user}}
    reply = client.post("/v1/turns", json={**body, "assistant": {"text": exchange.assistant}})
    if reply.is_error:
        raise RuntimeError(reply.text)


def _turn(exchange: _Exchange, *, core: MemoryCore, number: int) -> LiveTurn:
    at = core.clock.now() + timedelta(minutes=number)
    return LiveTurn(turn_key=f"t{number}", at=at, user_text=exchange.user, assistant_text=exchange.assistant)


@contextmanager
def _core() -> Generator[MemoryCore]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        embedder = FastembedEmbedder(home / "model")
        ports = Ports(clock=FakeClock(), index=FakeVectorIndex(), embedder=embedder, engine=FakeFlowEngine())
        settings = load_settings({"NIGHTSHIFT_HOME": str(home)}, overrides={"timezone": "UTC"})
        with compose_core(settings, ports) as core:
            yield core


@contextmanager
def _service() -> Generator[tuple[httpx.Client, psutil.Process]]:
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        free.close()
        own = {"NIGHTSHIFT_HOME": folder, "NIGHTSHIFT_PORT": str(port), "NIGHTSHIFT_LIFELINE": "1"}
        command = [sys.executable, "-m", "plugin.service"]
        with subprocess.Popen(
            command, env={**os.environ, **own}, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
        ) as process:
            try:
                url = f"http://127.0.0.1:{port}"
                _wait_for(url)
                token = (Path(folder) / "token").read_text(encoding="ascii").strip()
                with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
                    yield client, psutil.Process(process.pid)
            finally:
                if process.stdin:
                    process.stdin.close()
                process.wait(60)


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + _START_WITHIN_S
    while time.monotonic() < deadline:
        try:
            if httpx.get(f"{url}/healthz").is_success:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    raise TimeoutError(f"the service at {url} didn't start within {_START_WITHIN_S} s")


def _cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def main() -> None:
    """Print the figures."""
    print(json.dumps(measure_capture(), indent=1))


if __name__ == "__main__":
    main()
