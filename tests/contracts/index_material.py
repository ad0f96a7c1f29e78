"""What the index suite is fed with: random vectors, points, filters, and the scores that numpy gives."""

import uuid
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from memory_core.adapters.index_layout import BUNDLED
from memory_core.values import (
    Embedding,
    FloatArray,
    Hit,
    MemoryId,
    MemoryKind,
    MemoryStatus,
    Point,
    PointFilter,
    ScopeKey,
    SparseVector,
)

OURS = ScopeKey("user-ours")
NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)


class Vectors:
    """Random directions, the same in every run."""

    def __init__(self, seed: int = 7) -> None:
        self._random = np.random.default_rng(seed)

    def unit(self, rows: int, size: int) -> FloatArray:
        drawn = self._random.standard_normal((rows, size))
        return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)

    def embedding(self, *keywords: int, rows: int = 6) -> Embedding:
        sparse = SparseVector(indices=tuple(sorted(keywords)), values=(1.0,) * len(keywords))
        return Embedding(
            dense=self.unit(1, BUNDLED.dense_size)[0], tokens=self.unit(rows, BUNDLED.token_size), sparse=sparse
        )


def point(embedding: Embedding, *, scope: ScopeKey = OURS) -> Point:
    return Point(
        memory_id=MemoryId(str(uuid.uuid4())),
        embedding=embedding,
        scope=scope,
        kind=MemoryKind.FACT,
        status=MemoryStatus.ACTIVE,
        space="personal",
        session_id=3,
        event_at=int(NOON.timestamp()),
    )


def ours(**parts: object) -> PointFilter:
    return replace(PointFilter(scopes=(OURS,)), **parts)


def found(hits: list[Hit]) -> set[MemoryId]:
    return {hit.memory_id for hit in hits}


def late(query: Embedding, passage: Embedding) -> float:
    return float((query.tokens @ passage.tokens.T).max(axis=1).sum())
