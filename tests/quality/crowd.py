"""Recalls through the service: one after the other, then ten at once beside health checks."""

import statistics
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from random import Random

import httpx

from tests.quality.made_up_lives import questions
from tests.quality.made_up_store import SEED, person
from tests.quality.measured_processes import Measured

AT_ONCE = 10
_ALONE = 100
_EACH = 20
_HEALTH_EVERY_S = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowded:
    """Figures of recalls one after the other, and of many at once."""

    alone: Mapping[str, object]
    together: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asker:
    """Asks the service what a person would."""

    client: httpx.Client
    asked_at: datetime

    def ask(self, text: str, *, number: int) -> float:
        """Recall; returns the wall time in milliseconds."""
        ref = person(number)
        body = {
            "session": {"sessionKey": ref.session_key, "userId": ref.user_id},
            "message": {"text": text, "at": self.asked_at.isoformat()},
            "budgetMs": 15_000,
            "threshold": 0,
        }
        began = time.perf_counter()
        answer = self.client.post("/v1/recall", json=body)
        took_ms = (time.perf_counter() - began) * 1000
        found = answer.raise_for_status().json()
        if found["degraded"] or not found["memories"]:
            raise RuntimeError(f"nothing was recalled, so nothing was measured: {found.get('reason')}")
        return took_ms

    def is_healthy(self) -> float:
        """Ask whether the service lives; returns the wall time in milliseconds."""
        began = time.perf_counter()
        self.client.get("/healthz").raise_for_status()
        return (time.perf_counter() - began) * 1000


def measure_crowd(client: httpx.Client, *, processes: Sequence[Measured], asked_at: datetime) -> Crowded:
    """Measure.

    Args:
        client: Of the service; used by many threads.
        processes: Whose CPU time counts.
        asked_at: When all questions are asked.
    """
    asker = _Asker(client=client, asked_at=asked_at)
    texts = questions(Random(SEED + 1), _ALONE)
    for number, text in enumerate(texts[:AT_ONCE]):
        asker.ask(text, number=number)
    return Crowded(alone=_alone(asker, texts, processes=processes), together=_together(asker, texts))


def _alone(asker: _Asker, texts: Sequence[str], *, processes: Sequence[Measured]) -> Mapping[str, object]:
    cpu: list[float] = []
    wall: list[float] = []
    for number, text in enumerate(texts):
        began_ms = sum(process.cpu_ms() for process in processes)
        wall.append(asker.ask(text, number=number))
        time.sleep(0.005)  # what the service still does after it answered is its CPU time too
        cpu.append(sum(process.cpu_ms() for process in processes) - began_ms)
    return {**_cuts("CPU ms", cpu), **_cuts("wall ms", wall)}


def _together(asker: _Asker, texts: Sequence[str]) -> Mapping[str, object]:
    """Ten clients, each with a row of questions; all start at once, while health checks go on."""
    start, done = threading.Barrier(AT_ONCE + 1), threading.Event()

    def row(client: int) -> list[float]:
        start.wait()
        return [asker.ask(texts[(client * _EACH + turn) % len(texts)], number=client) for turn in range(_EACH)]

    def check() -> list[float]:
        start.wait()
        took: list[float] = []
        while not done.is_set():
            took.append(asker.is_healthy())
            time.sleep(_HEALTH_EVERY_S)
        return took

    with ThreadPoolExecutor(AT_ONCE + 1) as threads:
        checking = threads.submit(check)
        try:
            rows = list(threads.map(row, range(AT_ONCE)))
        finally:
            done.set()
        checks = checking.result()
    ends = [sum(times) for times in rows]
    return {
        **_cuts("recall ms", [took for times in rows for took in times]),
        "recalls per s": round(AT_ONCE * _EACH / max(ends) * 1000, 1),
        "slowest client to fastest": round(max(ends) / min(ends), 2),
        **_cuts("health ms", checks),
        "health ms max": round(max(checks), 1),
    }


def _cuts(name: str, values: Sequence[float]) -> dict[str, object]:
    cuts = statistics.quantiles(values, n=20)
    return {f"{name} p50": round(cuts[9], 1), f"{name} p95": round(cuts[18], 1)}
