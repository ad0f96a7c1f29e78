import contextlib
from datetime import UTC, datetime, timedelta

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.adapters import index_wire as wire
from memory_core.errors import Invalid
from memory_core.values import (
    Embedding,
    Hit,
    MemoryId,
    MemoryKind,
    MemoryStatus,
    Point,
    PointFilter,
    ScopeKey,
    SparseVector,
    TimeRange,
)


def embedding(rows: int, width: int = 4) -> Embedding:
    drawn = np.random.default_rng(rows).standard_normal((rows, width)).astype(np.float32)
    return Embedding(
        dense=np.arange(3, dtype=np.float32),
        tokens=drawn,
        sparse=SparseVector(indices=(0, 2**32 - 1), values=(0.5, 2.0)),
    )


def carried(message: wire.Wire) -> wire.Wire:
    frame = wire.pack(message)
    body = frame[wire.HEAD.size :]
    assert wire.body_length(frame[: wire.HEAD.size]) == len(body)
    return wire.unpack(body)


@pytest.mark.parametrize("rows", [0, 1, 9])
def test_vectors_arrive_bit_by_bit(rows: int) -> None:
    sent = embedding(rows)
    got = wire.to_embedding(carried(wire.from_embedding(sent)))
    assert got.dense.tolist() == sent.dense.tolist()
    assert got.tokens.shape == sent.tokens.shape
    assert got.tokens.tolist() == sent.tokens.tolist()
    assert (got.sparse.indices, got.sparse.values) == (sent.sparse.indices, sent.sparse.values)
    assert got.dense.flags.writeable


def test_vectors_without_rows_or_keywords_arrive() -> None:
    bare = Embedding(
        dense=np.ones(2, np.float32), tokens=np.zeros((0, 0), np.float32), sparse=SparseVector(indices=(), values=())
    )
    got = wire.to_embedding(carried(wire.from_embedding(bare)))
    assert len(got.tokens) == 0
    assert got.sparse.indices == ()


def test_points_arrive() -> None:
    sent = Point(
        memory_id=MemoryId("a"),
        embedding=embedding(2),
        scope=ScopeKey("s"),
        kind=MemoryKind.ACTION_ITEM,
        status=MemoryStatus.FLAGGED,
        space="kitchen",
        session_id=7,
        event_at=-5,
    )
    got = wire.to_point(carried(wire.from_point(sent)))
    assert (got.memory_id, got.scope, got.kind, got.status) == (sent.memory_id, sent.scope, sent.kind, sent.status)
    assert (got.space, got.session_id, got.event_at) == (sent.space, sent.session_id, sent.event_at)
    assert got.embedding.tokens.tolist() == sent.embedding.tokens.tolist()


_MOMENT = datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC)


@pytest.mark.parametrize(
    "where",
    [
        PointFilter(scopes=()),
        PointFilter(scopes=(ScopeKey("a"), ScopeKey("b")), statuses=(MemoryStatus.SUPERSEDED,)),
        PointFilter(scopes=(ScopeKey("a"),), kind=MemoryKind.EVENT, space="x", event=TimeRange(start=_MOMENT)),
        PointFilter(scopes=(ScopeKey("a"),), event=TimeRange(end=_MOMENT + timedelta(days=1))),
    ],
)
def test_filters_arrive(where: PointFilter) -> None:
    assert wire.to_filter(carried(wire.from_filter(where))) == where


@pytest.mark.parametrize(
    "hit",
    [
        Hit(memory_id=MemoryId("a"), dense=None, sparse=None, late=0.25),
        Hit(memory_id=MemoryId("b"), dense=-0.5, sparse=3.25, late=0.0),
    ],
)
def test_hits_arrive(hit: Hit) -> None:
    assert wire.to_hit(carried(wire.from_hit(hit))) == hit


@given(st.binary(max_size=60))
def test_any_bytes_are_a_map_or_refused(body: bytes) -> None:
    with contextlib.suppress(Invalid):
        assert isinstance(wire.unpack(body), dict)


@pytest.mark.parametrize("body", [b"", b"\xc1", msgpack.packb([1]), msgpack.packb({1: 2}), msgpack.packb("x") + b"x"])
def test_what_is_no_message_is_refused(body: bytes) -> None:
    with pytest.raises(Invalid):
        wire.unpack(body)


def test_frames_over_the_limit_are_refused_on_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Invalid):
        wire.body_length(wire.HEAD.pack(wire.MAX_FRAME_BYTES + 1))
    monkeypatch.setattr(wire, "MAX_FRAME_BYTES", 100)
    with pytest.raises(Invalid):
        wire.pack({"op": "x" * 200})
