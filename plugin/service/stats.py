"""What `/v1/stats` tells: counts and times, no text, scopes by hash."""

from hashlib import blake2b
from typing import Any

from memory_core.errors import Unavailable
from memory_core.store.jobs import JobRepository
from memory_core.store.memories import MemoryRepository
from memory_core.store.turns import TurnRepository
from memory_core.values import JobKind
from plugin.service.context import ServiceContext


def statistics(it: ServiceContext) -> dict[str, Any]:
    """Everything countable; also brings the gauges of `/metrics` up to date."""
    with it.core.database.reading() as db:
        counts = MemoryRepository(db).counts()
        jobs = JobRepository(db)
        waiting = TurnRepository(db).waiting_total()
        last_capture = TurnRepository(db).last_captured_at()
        last_consolidation = jobs.last_ended(JobKind.CONSOLIDATE)
        job_counts = dict(jobs.counts())
    schedule = it.core.dreams.schedule.read()
    lag = _lag(it)
    it.metrics.buffered.set(waiting)
    it.metrics.index_lag.set(-1 if lag is None else lag)
    p50, p95 = it.metrics.recall_percentiles()
    return {
        "memories": {
            "total": sum(number for *_, number in counts),
            "byScope": _sum(counts, 0, hashed=True),
            "byKind": _sum(counts, 1),
            "byStatus": _sum(counts, 2),
        },
        "buffered": waiting,
        "jobs": job_counts,
        "indexLag": lag,
        # The same process answers for both: who waited for it once in vain doesn't wait again.
        "embedding": None if lag is None else _embedding(it),
        "lastCaptureAt": last_capture.isoformat() if last_capture else None,
        "lastConsolidationAt": last_consolidation.isoformat() if last_consolidation else None,
        "lastDreamRunAt": schedule.last_at.isoformat() if schedule.last_at else None,
        "nextDreamRunAt": schedule.next_at[0].isoformat() if schedule.next_at else None,
        "recall": {"p50Ms": p50, "p95Ms": p95, "misses": it.metrics.misses},
        "chatModel": {"provider": it.core.settings.chat.provider, "model": it.core.settings.chat.model},
        "gateways": it.gateways.present(it.core.clock.now()),
        "settingsProblems": list(it.core.settings.problems),
    }


def _lag(it: ServiceContext) -> int | None:
    try:
        return it.core.indexing.lag()
    except Unavailable:
        return None


def _embedding(it: ServiceContext) -> dict[str, Any] | None:
    """Which model embeds, why it isn't the wanted one, and how many memories wait for it; None while it is away."""
    try:
        return {
            "model": it.core.embedder.model,
            "problem": it.core.embedder.problem,
            "waiting": it.core.indexing.stale_count(),
        }
    except Unavailable:
        return None


def _sum(counts: list[tuple[str, str, str, int]], column: int, *, hashed: bool = False) -> dict[str, int]:
    totals: dict[str, int] = {}
    for row in counts:
        key = str(row[column])
        name = blake2b(key.encode(), digest_size=6).hexdigest() if hashed else key
        totals[name] = totals.get(name, 0) + row[3]
    return totals
