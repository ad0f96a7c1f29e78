"""What the context engine and the streaming gate cost a turn, in CPU time: `python -m tests.quality.context_overhead`.

A made-up conversation of 2,000 messages is committed and consolidated; then each question assembles its context, from
the bytes of the request to the finished block, before and after a compaction. CPU time is that of the caller and of the
index process together. The gate is given pieces inside a sentence, when there is nothing to judge; what HTTP adds is
measured on a service of its own.
"""

import json
import random
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from memory_core.context.messages import Message
from memory_core.gate.service import Stream
from memory_core.identity import resolve_scope
from memory_core.values import SessionRef
from plugin.service.context_routes import AssembleIn
from tests.quality.made_up_lives import questions, statements
from tests.quality.measured_processes import service_process
from tests.quality.real_core import RealCore, real_core
from tests.quality.speed import percentiles

MESSAGES = 2_000
_QUESTIONS, _WARM_UP = 60, 5
_PIECES = 3_000
_HTTP_PIECES = 300
_BUDGET = 200_000
_SEED = 7461
_BEGAN = datetime(2026, 5, 1, 8, tzinfo=UTC)
_REF = SessionRef(session_key="agent:main:long", user_id="ana", sender_name="Ana", timezone="UTC")
_SESSION = {"sessionKey": _REF.session_key, "userId": _REF.user_id, "senderName": _REF.sender_name}
_ANSWER = "Noted. Here is how I would go about it: first look at what is there, then write down what is missing. "
_PIECE = " and so on"

Figures = dict[str, object]


def measure_overhead() -> Figures:
    """CPU milliseconds of an assembly, and CPU microseconds of a piece that the gate only notes."""
    raw = _transcript()
    with real_core(_BEGAN + timedelta(days=3)) as world:
        messages = AssembleIn.model_validate(_body(raw, prompt=None)).messages
        _hold(world, messages)
        whole = _assemble(world, raw)
        world.core.context.compact(_REF, messages, budget=_BUDGET, force=True)
        windowed = _assemble(world, raw)
        return {
            "messages": len(raw),
            "assembleCpuMs": {"whole": whole, "after a compaction": windowed},
            "observeCpuUs": {**_observe(world), **_observe_over_http(world)},
        }


def _transcript() -> list[dict[str, object]]:
    said = statements(random.Random(_SEED), MESSAGES // 2)
    messages: list[dict[str, object]] = []
    for number, text in enumerate(said):
        at = (_BEGAN + timedelta(minutes=2 * number)).isoformat()
        messages.append({"role": "user", "content": text, "turnKey": f"k{number}", "at": at})
        messages.append({"role": "assistant", "content": [{"type": "text", "text": _ANSWER * 2}], "at": at})
    return messages


def _body(raw: Sequence[dict[str, object]], *, prompt: str | None) -> dict[str, object]:
    return {"session": _SESSION, "messages": raw, "prompt": prompt, "tokenBudget": _BUDGET}


def _hold(world: RealCore, messages: Sequence[Message]) -> None:
    if not world.core.context.bootstrap(_REF, messages):
        raise RuntimeError("nothing was taken in, so nothing would be measured")
    scope = resolve_scope(_REF, world.core.settings.identity).writes
    if scope is None:
        raise RuntimeError("the conversation has no scope to write to")
    world.consolidate(scope)


def _assemble(world: RealCore, raw: Sequence[dict[str, object]]) -> Figures:
    """From the request's bytes to the finished block."""
    asked = questions(random.Random(_SEED), _QUESTIONS + _WARM_UP)
    times: list[float] = []
    for text in asked:
        body = json.dumps(_body(raw, prompt=text)).encode()
        times.append(_cpu_ms(world, lambda body=body: _answer(world, body)))
    return dict(percentiles(times[_WARM_UP:]))


def _answer(world: RealCore, body: bytes) -> None:
    request = AssembleIn.model_validate(json.loads(body))  # as the service does
    assembled = world.core.context.assemble(
        request.session.to_ref(), request.messages, prompt=request.prompt, budget=request.token_budget
    )
    if assembled.recalled is None or assembled.recalled.degraded:
        raise RuntimeError("memory was left out, so its cost wasn't measured")


def _cpu_ms(world: RealCore, work: Callable[[], None]) -> float:
    index_ms, began_s = world.index.cpu_ms(), time.thread_time()
    work()
    return (time.thread_time() - began_s) * 1000 + world.index.cpu_ms() - index_ms


def _observe(world: RealCore) -> Figures:
    """The gate's own part: the call that the service makes."""
    times: list[float] = []
    for number in range(_PIECES):
        began_s = time.thread_time()
        seen = world.core.gate.observe(_REF, _PIECE, run_id=f"r{number // 40}", stream=Stream.ASSISTANT)
        times.append((time.thread_time() - began_s) * 1e6)
        if seen.at_boundary:
            raise RuntimeError("something was judged")
    return {f"core {cut}": value for cut, value in percentiles(times)}


def _observe_over_http(world: RealCore) -> Figures:
    """CPU time of the whole service process for each piece: HTTP, checks, and the gate."""
    with service_process(world.home) as (service, client):

        def post(number: int) -> None:
            body = {"session": _SESSION, "runId": f"r{number // 40}", "stream": "assistant", "delta": _PIECE}
            client.post("/v1/gate/observe", json=body).raise_for_status()

        for number in range(_HTTP_PIECES // 10):
            post(number)
        began_ms = service.cpu_ms()
        for number in range(_HTTP_PIECES):
            post(number)
        return {"service process mean": round((service.cpu_ms() - began_ms) * 1000 / _HTTP_PIECES)}


def main() -> None:
    """Measure and print."""
    print(json.dumps(measure_overhead(), indent=1))


if __name__ == "__main__":
    main()
