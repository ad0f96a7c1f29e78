"""What the index process and its clients say to each other: frames of msgpack over a socket, never pickles.

A frame is its length in four bytes, then one map. A request is `{op, args, within_s}`, the answer `{ok}` or
`{error, message}`. One request at a time on a connection.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

import msgpack
import numpy as np

from memory_core.errors import Invalid
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
    TimeRange,
)

HEAD = struct.Struct(">I")
MAX_FRAME_BYTES = 128 * 1024 * 1024
"""About 15,000 points, or 60,000 texts."""

_SINGLE = np.dtype("<f4")
_NUMBER = np.dtype("<u4")

Wire = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexHealth:
    """How the index process is.

    Attributes:
        model: Name of its model and vector layout.
        epoch: As `VectorIndex.epoch`.
        count: Number of stored points; 0 in an epoch not seen before when the index had to be started anew.
        waiting: Pieces of work that wait or are being done.
        problem: As `Embedder.problem`.
    """

    model: str
    epoch: str
    count: int
    waiting: int
    problem: str | None = None


def pack(message: Wire) -> bytes:
    """A frame, its length included.

    Raises:
        Invalid: it would be too long.
    """
    body = msgpack.packb(message, use_bin_type=True)
    if len(body) > MAX_FRAME_BYTES:
        raise Invalid(f"a call of {len(body)} bytes to the index is over its limit of {MAX_FRAME_BYTES}")
    return HEAD.pack(len(body)) + body


def body_length(head: bytes | bytearray) -> int:
    """Length of the body that follows, in bytes.

    Raises:
        Invalid: it is too long to be one of ours.
    """
    length: int = HEAD.unpack(head)[0]
    if length > MAX_FRAME_BYTES:
        raise Invalid(f"a frame of {length} bytes is over the limit of {MAX_FRAME_BYTES}")
    return length


def unpack(body: bytes | bytearray) -> Wire:
    """The message in a frame's body.

    Raises:
        Invalid: it is no map in msgpack.
    """
    try:
        message: object = msgpack.unpackb(body, raw=False, strict_map_key=True)
    except (ValueError, msgpack.UnpackException) as error:
        raise Invalid("a frame isn't msgpack") from error
    if not isinstance(message, dict):
        raise Invalid("a frame holds no map")
    return cast("Wire", message)


def from_embedding(embedding: Embedding) -> Wire:
    """Wire form of vectors."""
    return {
        "dense": _bytes(embedding.dense),
        "tokens": _bytes(embedding.tokens),
        "width": embedding.tokens.shape[1],
        "indices": np.asarray(embedding.sparse.indices, _NUMBER).tobytes(),
        "values": np.asarray(embedding.sparse.values, _SINGLE).tobytes(),
    }


def to_embedding(wire: Wire) -> Embedding:
    """Vectors of their wire form."""
    width = int(wire["width"])
    return Embedding(
        dense=_floats(wire["dense"]),
        tokens=_floats(wire["tokens"]).reshape(-1, width) if width else np.zeros((0, 0), np.float32),
        sparse=SparseVector(
            indices=tuple(np.frombuffer(wire["indices"], _NUMBER).tolist()),
            values=tuple(np.frombuffer(wire["values"], _SINGLE).tolist()),
        ),
    )


def from_point(point: Point) -> Wire:
    """Wire form of a point."""
    return {
        "id": point.memory_id,
        "embedding": from_embedding(point.embedding),
        "scope": point.scope,
        "kind": point.kind.value,
        "status": point.status.value,
        "space": point.space,
        "session": point.session_id,
        "event": point.event_at,
    }


def to_point(wire: Wire) -> Point:
    """A point of its wire form."""
    return Point(
        memory_id=MemoryId(wire["id"]),
        embedding=to_embedding(wire["embedding"]),
        scope=ScopeKey(wire["scope"]),
        kind=MemoryKind(wire["kind"]),
        status=MemoryStatus(wire["status"]),
        space=wire["space"],
        session_id=wire["session"],
        event_at=wire["event"],
    )


def from_filter(where: PointFilter) -> Wire:
    """Wire form of a filter."""
    return {
        "scopes": list(where.scopes),
        "statuses": [status.value for status in where.statuses],
        "kind": None if where.kind is None else where.kind.value,
        "space": where.space,
        "start": None if where.event.start is None else where.event.start.timestamp(),
        "end": None if where.event.end is None else where.event.end.timestamp(),
    }


def to_filter(wire: Wire) -> PointFilter:
    """A filter of its wire form."""
    start, end = wire["start"], wire["end"]
    return PointFilter(
        scopes=tuple(ScopeKey(scope) for scope in wire["scopes"]),
        statuses=tuple(MemoryStatus(status) for status in wire["statuses"]),
        kind=None if wire["kind"] is None else MemoryKind(wire["kind"]),
        space=wire["space"],
        event=TimeRange(
            start=None if start is None else datetime.fromtimestamp(start, UTC),
            end=None if end is None else datetime.fromtimestamp(end, UTC),
        ),
    )


def from_hit(hit: Hit) -> Wire:
    """Wire form of a hit."""
    return {"id": hit.memory_id, "dense": hit.dense, "sparse": hit.sparse, "late": hit.late}


def to_hit(wire: Wire) -> Hit:
    """A hit of its wire form."""
    return Hit(memory_id=MemoryId(wire["id"]), dense=wire["dense"], sparse=wire["sparse"], late=wire["late"])


def _bytes(array: FloatArray) -> bytes:
    return np.ascontiguousarray(array, _SINGLE).tobytes()


def _floats(data: bytes) -> FloatArray:
    return np.frombuffer(data, _SINGLE).astype(np.float32)
