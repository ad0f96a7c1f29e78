"""What is embedded, and the stored form of vectors, from which an index can be rebuilt without embedding again.

The three vectors of a memory are columns of their own: ranking reads token rows and keywords of a few hundred memories
for every recall, and only joins their bytes.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memory_core.errors import Corrupt
from memory_core.values import Embedding, FloatArray, SparseVector

_DATE_NOTE = re.compile(r" \([^()]*\b(?:19|20)\d\d\)")
_HALF = np.dtype("<f2")
_SINGLE = np.dtype("<f4")
_NUMBER = np.dtype("<u4")
_HALF_BITS = np.dtype("<i2")
_HALF_IN_SINGLE = np.int32(0x8FFFE000 - 2**32)
"""Bits of a single that a half's land on, once they are moved up by `_MOVED_UP`: sign, exponent, fraction."""
_MOVED_UP = 13
_BIAS = np.float32(2.0**112)
"""An exponent counts from -15 in a half and from -127 in a single."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVectors:
    """The bytes of an embedding.

    Attributes:
        dense: Single precision.
        tokens: Half precision, as the index keeps them, row after row.
        token_width: Length of a row; 0 when there is none.
        keywords: All numbers, then all weights, four bytes each.
    """

    dense: bytes
    tokens: bytes
    token_width: int
    keywords: bytes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JoinedVectors:
    """Token rows and keywords of many memories, each kind in one piece.

    Attributes:
        rows: Token rows, memory after memory, shape (rows, width); one of zeros stands for a memory that has none.
        starts: Number of each memory's first row.
        numbers: Keywords of all memories.
        weights: Their weights.
        owners: Which memory has each keyword.
        unread: Which memories have rows of another model, left out here; None when there is no such memory.
    """

    rows: FloatArray
    starts: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64]
    owners: npt.NDArray[np.int64]
    unread: npt.NDArray[np.bool_] | None = None


def passage_text(text: str, *, speaker: str | None) -> str:
    """The words by which a memory is found: who said it belongs to them.

    Dates that capture added in brackets are left out: they are in `event_at`, and among the words they took recall at
    10 from .860 to .850 on LoCoMo's development conversations.
    """
    said = _DATE_NOTE.sub("", text)
    return f"{speaker}: {said}" if speaker else said


def to_stored(embedding: Embedding) -> StoredVectors:
    """The stored form of an embedding."""
    rows = embedding.tokens
    return StoredVectors(
        dense=embedding.dense.astype(_SINGLE).tobytes(),
        tokens=rows.astype(_HALF).tobytes(),
        token_width=rows.shape[1] if rows.size else 0,
        keywords=np.asarray(embedding.sparse.indices, _NUMBER).tobytes()
        + np.asarray(embedding.sparse.values, _SINGLE).tobytes(),
    )


def from_stored(stored: StoredVectors) -> Embedding:
    """The embedding of its stored form.

    Raises:
        Corrupt: the bytes don't fit together.
    """
    try:
        rows, _ = join_rows([stored.tokens], width=stored.token_width)
        return Embedding(
            dense=np.frombuffer(stored.dense, _SINGLE).astype(np.float32),
            tokens=rows,
            sparse=read_keywords(stored.keywords),
        )
    except ValueError as error:
        raise Corrupt("stored vectors can't be read") from error


def read_keywords(stored: bytes) -> SparseVector:
    """The keyword weights of `StoredVectors.keywords`."""
    half = len(stored) // 2
    return SparseVector(
        indices=tuple(np.frombuffer(stored[:half], _NUMBER).tolist()),
        values=tuple(np.frombuffer(stored[half:], _SINGLE).tolist()),
    )


def join_rows(stored: Sequence[bytes], *, width: int) -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """Token rows of many memories as one matrix.

    Args:
        stored: `StoredVectors.tokens` of each memory; may be empty.
        width: Length of a row.

    Returns:
        Matrix of shape (all rows, width), and the number of the first row of each memory.
    """
    if width == 0:
        return np.zeros((0, 0), np.float32), np.zeros(len(stored), np.int64)
    row_bytes = width * _HALF.itemsize
    counts = np.fromiter((len(tokens) // row_bytes for tokens in stored), np.int64, len(stored))
    rows = _singles(b"".join(stored)).reshape(-1, width)
    return rows, np.concatenate(([0], np.cumsum(counts)[:-1])) if len(stored) else counts


def join_vectors(tokens: Sequence[bytes], *, keywords: Sequence[bytes], width: int) -> JoinedVectors:
    """What ranking looks at of the vectors of many memories.

    Args:
        tokens: `StoredVectors.tokens` of each memory; empty where its rows have another length.
        keywords: `StoredVectors.keywords` of each memory.
        width: Length of a row; with 0, every memory has one row, a zero.
    """
    blank = bytes(max(width, 1) * _HALF.itemsize)
    rows, starts = join_rows([stored if width and stored else blank for stored in tokens], width=max(width, 1))
    pair = _NUMBER.itemsize + _SINGLE.itemsize
    counts = np.fromiter((len(stored) // pair for stored in keywords), np.int64, len(keywords))
    joined = b"".join(keywords)
    # A memory's numbers stand before its weights, and both before the next one's.
    firsts = np.repeat(np.cumsum(counts) - counts, counts)
    numbers_at = np.arange(len(firsts)) + firsts
    return JoinedVectors(
        rows=rows,
        starts=starts,
        numbers=np.frombuffer(joined, _NUMBER)[numbers_at].astype(np.int64),
        weights=np.frombuffer(joined, _SINGLE)[numbers_at + np.repeat(counts, counts)].astype(np.float64),
        owners=np.repeat(np.arange(len(counts)), counts),
    )


def _singles(halves: bytes) -> FloatArray:
    """Finite numbers of half precision in single precision; six times faster than numpy's own conversion."""
    bits = np.frombuffer(halves, _HALF_BITS).astype(np.int32)
    np.left_shift(bits, _MOVED_UP, out=bits)
    np.bitwise_and(bits, _HALF_IN_SINGLE, out=bits)
    singles = bits.view(np.float32)
    return np.multiply(singles, _BIAS, out=singles)
