"""What capture costs, in CPU time: `python -m tests.quality.measure_capture`.

Statements a second: consolidation of labelled turns without a chat model over the real embedder and real tables, in one
process. Acknowledging a turn: in the thread that takes it in, and a service process of its own that answers
`POST /v1/turns` with everything on disk, HTTP and checks included (`tests/quality/acknowledging.py`).
"""

import json
import statistics
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from memory_core.adapters.fastembed_embedder import FastembedEmbedder
from memory_core.bootstrap import MemoryCore, Ports, compose_core
from memory_core.capture.service import LiveTurn
from memory_core.settings_loading import load_settings
from memory_core.values import ScopeKey, SessionRef
from tests.fakes.clock import FakeClock
from tests.fakes.flow_engine import FakeFlowEngine
from tests.fakes.vector_index import FakeVectorIndex
from tests.quality.acknowledging import TURNS, WARM_UP, Exchange, measure_acknowledging
from tests.quality.labelled_turns import conversations

_BELOW_THRESHOLD = 9
"""So many turns of one person owe no consolidation yet."""
_ANA = SessionRef(session_key="agent:main:main", channel="signal", sender_id="ana", sender_name="Ana", timezone="UTC")
_SCOPE = ScopeKey("user.signal.ana")
_LONG_UTTERANCES = 4
"""So many utterances of a conversation said at once make a long one."""


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
            "service": measure_acknowledging(short),
        },
    }


def _exchanges(*, together: int) -> list[Exchange]:
    """Labelled utterances of people, so many at once, each answered by the next utterances of the assistant."""
    made: list[Exchange] = []
    for conversation in conversations():
        said = [turn.text for turn in conversation.turns if turn.speaker]
        answers = [turn.text for turn in conversation.turns if not turn.speaker] or ["I see, thank you."]
        for start in range(0, len(said), together):
            number = start // together
            answer = [answers[(number * together + offset) % len(answers)] for offset in range(together)]
            made.append(Exchange(" ".join(said[start : start + together]), " ".join(answer)))
    return made


def _consolidate(exchanges: Sequence[Exchange]) -> dict[str, float]:
    with _core() as core:
        for number, exchange in enumerate(exchanges):
            core.capture.accept(_ANA, _turn(exchange, core=core, number=number))
        core.embedder.embed_passages(["The first call loads what later calls find loaded."])
        began = time.process_time()
        done = core.consolidation.run(_SCOPE, through=1_000_000, on_batch=lambda _: None)
        took_s = time.process_time() - began
    made = done.added + done.repeated
    return {"statements": made, "perCpuS": round(made / took_s, 1)}


def _accept(exchanges: Sequence[Exchange], *, turns_each: int) -> dict[str, float]:
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


def _turn(exchange: Exchange, *, core: MemoryCore, number: int) -> LiveTurn:
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


def main() -> None:
    """Print the figures."""
    print(json.dumps(measure_capture(), indent=1))


if __name__ == "__main__":
    main()
