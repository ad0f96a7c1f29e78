"""CPU of a real service for a turn: up to the answer, and what it does afterwards, each by itself.

Nothing is switched off. The next turn comes only when all is quiet again, so that what is computed ahead of the next
recall can't stand in another turn's figure; what begins before the caller has the answer counts as part of answering.
Background work goes on beside both: it is measured by itself while nobody asks for anything.
"""

import re
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from tests.quality.measured_processes import Measured, index_process, service_process

TURNS, WARM_UP = 300, 30
_TURNS_OF_ONE_PERSON = 9
"""So many owe no consolidation yet."""
_REST_S = 10.0
_READY_WITHIN_S = 180.0
_QUIET_S, _QUIET_MS, _QUIET_WITHIN_S = 0.03, 0.2, 3.0
"""Quiet is a stretch of so many seconds with less CPU time than that; longer isn't waited for it."""
_KEPT_AHEAD = re.compile(r'^nightshift_prefetches_total\{outcome="kept"\} (\d+)', re.MULTILINE)


class Exchange(NamedTuple):
    """What was said in a turn."""

    user: str
    assistant: str


class _Cost(NamedTuple):
    answer_ms: float
    loop_ms: float
    after_ms: float
    index_ms: float


def measure_acknowledging(exchanges: Sequence[Exchange]) -> dict[str, Any]:
    """CPU milliseconds of the service and the index process for a turn.

    Returns:
        Of the service up to the answer, in all its threads (`untilAnswer`) and of that in its event loop, which is
        HTTP, JSON and checks; afterwards, which is looking ahead, in the service and in the index process; and of the
        service in each second without a request.

    Raises:
        RuntimeError: a turn wasn't accepted, or nothing was computed ahead.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        index_process(Path(folder)) as index,
        service_process(Path(folder)) as (service, client),
    ):
        client.headers["X-Nightshift-Gateway"] = "bench"  # as a gateway's plugin sends it: it is noted with the turn
        _wait_for_index(client)
        for number in range(WARM_UP):
            _turn(client, service=service, index=index, said=exchanges[number % len(exchanges)], number=number)
        costs = [
            _turn(client, service=service, index=index, said=exchanges[number % len(exchanges)], number=number)
            for number in range(WARM_UP, WARM_UP + TURNS)
        ]
        began_ms = service.cpu_ms()
        time.sleep(_REST_S)
        idle_ms = (service.cpu_ms() - began_ms) / _REST_S
        kept = _KEPT_AHEAD.search(client.get("/metrics").text)
    if not kept or int(kept[1]) < TURNS // 2:
        raise RuntimeError("the service didn't look ahead")
    return {
        "untilAnswer": _figures([cost.answer_ms for cost in costs]),
        "ofThatEventLoop": _figures([cost.loop_ms for cost in costs]),
        "lookingAheadService": _figures([cost.after_ms for cost in costs]),
        "lookingAheadIndex": _figures([cost.index_ms for cost in costs]),
        "idleServiceCpuMsPerS": round(idle_ms, 1),
    }


def _turn(client: httpx.Client, *, service: Measured, index: Measured, said: Exchange, number: int) -> _Cost:
    began_ms, loop_ms, index_ms = service.cpu_ms(), service.main_thread_cpu_ms(), index.cpu_ms()
    _post(client, said, number=number)
    answered_ms, loop_ms = service.cpu_ms(), service.main_thread_cpu_ms() - loop_ms
    _wait_until_quiet(service)
    return _Cost(answered_ms - began_ms, loop_ms, service.cpu_ms() - answered_ms, index.cpu_ms() - index_ms)


def _post(client: httpx.Client, said: Exchange, *, number: int) -> None:
    person = f"person-{number // _TURNS_OF_ONE_PERSON}"
    session = {"sessionKey": "agent:main:main", "channel": "signal", "senderId": person}
    body = {"session": session, "turnKey": f"t{number}", "user": {"text": said.user}}
    reply = client.post("/v1/turns", json={**body, "assistant": {"text": said.assistant}})
    if reply.is_error or reply.json()["status"] != "accepted":
        raise RuntimeError(reply.text)


def _wait_until_quiet(service: Measured) -> None:
    deadline_s, spent_ms = time.monotonic() + _QUIET_WITHIN_S, service.cpu_ms()
    while time.monotonic() < deadline_s:
        time.sleep(_QUIET_S)
        before_ms, spent_ms = spent_ms, service.cpu_ms()
        if spent_ms - before_ms < _QUIET_MS:
            return


def _wait_for_index(client: httpx.Client) -> None:
    deadline_s = time.monotonic() + _READY_WITHIN_S
    while time.monotonic() < deadline_s:
        parts = client.get("/readyz").json()["parts"]
        if parts["index"] == parts["embedder"] == "ok":
            return
        time.sleep(0.2)
    raise TimeoutError(f"the index process wasn't ready within {_READY_WITHIN_S:.0f} s")


def _figures(values: Sequence[float]) -> dict[str, float]:
    cuts = statistics.quantiles(values, n=20)
    return {"p50": round(cuts[9], 2), "p95": round(cuts[18], 2), "mean": round(statistics.fmean(values), 2)}
