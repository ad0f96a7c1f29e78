"""FakeVectorIndex: keeps points in memory, and loses what a power cut would lose when it is told to."""

import math
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from uuid import uuid4

import numpy as np

from memory_core.adapters.index_layout import IndexLayout, check_id
from memory_core.errors import Invalid, Unavailable
from memory_core.values import Embedding, Hit, MemoryId, Point, PointFilter


@dataclass(slots=True, kw_only=True)
class FakeVectorIndex:
    """Searches by brute force.

    Attributes:
        points: What is stored.
        layout: What vectors and ids must look like; None takes any of finite values.
        away: Why every call raises Unavailable; None when the index is there.
        before_upsert: Called with the points before they are written; may wait, change tables, or raise.
        flushes: How often it was flushed.
    """

    points: dict[MemoryId, Point] = field(default_factory=dict[MemoryId, Point])
    layout: IndexLayout | None = None
    away: str | None = None
    before_upsert: Callable[[Sequence[Point]], None] | None = None
    flushes: int = 0
    _epoch: str = field(default_factory=lambda: str(uuid4()))
    _flushed: dict[MemoryId, Point] = field(default_factory=dict[MemoryId, Point])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def epoch(self) -> str:
        """See `VectorIndex.epoch`."""
        self._be_there()
        return self._epoch

    def upsert(self, points: Sequence[Point]) -> None:
        """See `VectorIndex.upsert`."""
        self._be_there()
        if self.layout is not None:
            self.layout.check_points(points)
        for point in points:
            vectors = (point.embedding.dense, point.embedding.tokens)
            if not all(np.isfinite(vector).all() for vector in vectors):
                raise Invalid("embedding: a value is not finite")
        if self.before_upsert:
            self.before_upsert(points)
        with self._lock:
            self.points.update({point.memory_id: point for point in points})

    def delete(self, memory_ids: Sequence[MemoryId]) -> None:
        """See `VectorIndex.delete`."""
        self._be_there()
        self._check_ids(memory_ids)
        with self._lock:
            for memory_id in memory_ids:
                self.points.pop(memory_id, None)

    def search(self, query: Embedding, *, where: PointFilter, limit: int) -> list[Hit]:
        """See `VectorIndex.search`."""
        if limit < 1:
            return []
        hits = self.score(query, memory_ids=list(self.points), where=where)
        by_dense = {hit.memory_id for hit in sorted(hits, key=lambda hit: -(hit.dense or 0))[:limit]}
        matching = [hit for hit in hits if hit.sparse]
        by_words = {hit.memory_id for hit in sorted(matching, key=lambda hit: -(hit.sparse or 0))[:limit]}
        found = [
            replace(
                hit,
                dense=hit.dense if hit.memory_id in by_dense else None,
                sparse=hit.sparse if hit.memory_id in by_words else None,
            )
            for hit in hits
            if hit.memory_id in by_dense | by_words
        ]
        return sorted(found, key=lambda hit: -hit.late)

    def score(self, query: Embedding, *, memory_ids: Sequence[MemoryId], where: PointFilter) -> list[Hit]:
        """See `VectorIndex.score`."""
        self._be_there()
        self._check_ids(memory_ids)
        if self.layout is not None:
            self.layout.check_embedding(query, of="question")
        with self._lock:
            everything = list(self.points.values())
            points = [self.points[memory_id] for memory_id in memory_ids if memory_id in self.points]
        rarity = _rarity(query, [point for point in everything if point.scope in where.scopes])
        return [_hit(query, point, rarity=rarity) for point in points if _fits(point, where)]

    def flush(self) -> None:
        """See `VectorIndex.flush`."""
        self._be_there()
        self.flushes += 1
        self._flushed = dict(self.points)

    def ids(self, *, after: MemoryId | None, limit: int) -> list[MemoryId]:
        """See `VectorIndex.ids`."""
        self._be_there()
        self._check_ids([] if after is None else [after])
        return sorted(memory_id for memory_id in self.points if after is None or memory_id > after)[:limit]

    def count(self) -> int:
        """See `VectorIndex.count`."""
        self._be_there()
        return len(self.points)

    def cut_power(self) -> None:
        """Lose everything since the last flush and begin a new epoch."""
        self.points = dict(self._flushed)
        self._epoch = str(uuid4())

    def empty(self) -> None:
        """Lose everything, as when the folder was removed, and begin a new epoch."""
        self._flushed = {}
        self.cut_power()

    def _check_ids(self, memory_ids: Sequence[MemoryId]) -> None:
        if self.layout is not None:
            for memory_id in memory_ids:
                check_id(memory_id)

    def _be_there(self) -> None:
        if self.away is not None:
            raise Unavailable(self.away)


def _rarity(query: Embedding, corpus: Sequence[Point]) -> dict[int, float]:
    """How much each keyword of the question counts: more, the fewer texts of the corpus hold it."""
    texts = [point.embedding.sparse.indices for point in corpus if point.embedding.sparse.indices]
    holding = Counter(number for numbers in texts for number in numbers)
    return {
        number: math.log(1 + (len(texts) - holding[number] + 0.5) / (holding[number] + 0.5))
        for number in query.sparse.indices
    }


def _hit(query: Embedding, point: Point, *, rarity: dict[int, float]) -> Hit:
    words = dict(zip(point.embedding.sparse.indices, point.embedding.sparse.values, strict=True))
    common = sum(words.get(number, 0.0) * weight for number, weight in rarity.items())
    rows, asked = point.embedding.tokens, query.tokens
    late = float((asked @ rows.T).max(axis=1).sum()) if rows.size and asked.size else 0.0
    return Hit(
        memory_id=point.memory_id,
        dense=float(query.dense @ point.embedding.dense),
        sparse=common or None,
        late=late,
    )


def _fits(point: Point, where: PointFilter) -> bool:
    at = datetime.fromtimestamp(point.event_at, UTC)
    return (
        point.scope in where.scopes
        and point.status in where.statuses
        and where.kind in {None, point.kind}
        and where.space in {None, point.space}
        and (where.event.start is None or at >= where.event.start)
        and (where.event.end is None or at < where.event.end)
    )
