"""Numbers on how the service does; no text, sender or query is ever a label."""

from collections import deque
from statistics import quantiles

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_REMEMBERED = 1000
"""Recalls that the percentiles of `/v1/stats` look back on."""
_BUCKETS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1.0, 1.5, 5.0)


class Metrics:
    """Counters of one service process."""

    def __init__(self) -> None:
        """Start at zero, in a registry of its own."""
        self._registry = CollectorRegistry()
        self._recall_ms: deque[float] = deque(maxlen=_REMEMBERED)
        self.recalls = Counter("nightshift_recalls", "Recalls by outcome", ["outcome"], registry=self._registry)
        self.recall_seconds = Histogram(
            "nightshift_recall_seconds", "Time a recall took", buckets=_BUCKETS, registry=self._registry
        )
        self.recall_sources = Counter(
            "nightshift_recall_sources", "Recalls by where the answer came from", ["source"], registry=self._registry
        )
        self.prefetches = Counter(
            "nightshift_prefetches",
            "Recalls computed ahead, by what became of them",
            ["outcome"],
            registry=self._registry,
        )
        self.turns = Counter("nightshift_turns", "Turns by what became of them", ["status"], registry=self._registry)
        self.tools = Counter("nightshift_tool_calls", "Tool calls", ["tool", "error"], registry=self._registry)
        self.buffered = Gauge("nightshift_buffered_turns", "Turns waiting for consolidation", registry=self._registry)
        self.index_lag = Gauge("nightshift_index_lag", "Changes that the index lacks", registry=self._registry)
        self.last_capture = Gauge(
            "nightshift_last_capture_seconds", "Unix time of the last captured turn", registry=self._registry
        )
        self.misses = 0

    def recalled(self, outcome: str, *, source: str, took_ms: float) -> None:
        """Count a recall; the outcome `missed` is one past its deadline or with a part away."""
        self.recalls.labels(outcome=outcome).inc()
        self.recall_sources.labels(source=source).inc()
        self.recall_seconds.observe(took_ms / 1000)
        self._recall_ms.append(took_ms)
        self.misses += outcome == "missed"

    def recall_percentiles(self) -> tuple[float | None, float | None]:
        """Milliseconds that half and 95 % of the last recalls stayed below; None before there were two."""
        if len(self._recall_ms) < 2:  # noqa: PLR2004 quantiles need two
            return None, None
        cuts = quantiles(self._recall_ms, n=20)
        return round(cuts[9], 2), round(cuts[18], 2)

    def text(self) -> bytes:
        """Prometheus text."""
        return generate_latest(self._registry)
