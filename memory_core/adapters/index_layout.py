"""What a point looks like in the index: sizes and names of its vectors, keys of its payload, and what is refused."""

import math
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from memory_core.errors import Invalid
from memory_core.values import Embedding, FloatArray, MemoryId, MemoryStatus, Point, ScopeKey, SparseVector

FORMAT = 2
"""Raised when payloads or kinds of storage change: an index of another format is made anew from the tables."""

DENSE = "dense"
TOKENS = "tokens"
SPARSE = "sparse"

SHELF = "shelf"
"""Status and scope in one, because every search asks for both: one condition takes half the time of two."""
KIND = "kind"
SPACE = "space"
SESSION = "session"
EVENT = "event"
"""Unix seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexLayout:
    """Which vectors an index holds; vectors of another layout never enter it.

    Attributes:
        model: Name of the embedding model and of everything else that stored vectors depend on.
        dense_size: Length of a pooled vector.
        token_size: Length of a token row.
    """

    model: str
    dense_size: int
    token_size: int

    def check_points(self, points: Sequence[Point]) -> None:
        """Refuse what the engine would lose without a word.

        Raises:
            Invalid: an id is no UUID, a vector has the wrong size, or holds a value that is not finite.
        """
        for point in points:
            check_id(point.memory_id)
            self.check_embedding(point.embedding, of=f"memory {point.memory_id}")

    def check_embedding(self, embedding: Embedding, *, of: str) -> None:
        """The same for one text's vectors; `of` names it in the message.

        Raises:
            Invalid: a vector has the wrong size or holds a value that is not finite.
        """
        if embedding.dense.shape != (self.dense_size,):
            raise Invalid(f"{of}: the dense vector has shape {embedding.dense.shape}, wanted ({self.dense_size},)")
        if len(embedding.tokens) and embedding.tokens.shape[1:] != (self.token_size,):
            raise Invalid(f"{of}: token vectors have shape {embedding.tokens.shape}, wanted (n, {self.token_size})")
        if not (_finite(embedding.dense) and _finite(embedding.tokens)):
            raise Invalid(f"{of}: a vector holds a value that is not finite")
        _check_sparse(embedding.sparse, of=of)


BUNDLED = IndexLayout(model="minilm-l6-v2-int8+pca128.v1+keywords.v1", dense_size=384, token_size=128)
"""Of the bundled embedder. The name changes with weights, projection, choice of token rows, and keywords."""


def check_id(memory_id: MemoryId) -> None:
    """Refuse an id that is not a UUID in its canonical form.

    Raises:
        Invalid: it isn't.
    """
    try:
        is_canonical = str(uuid.UUID(memory_id)) == memory_id
    except ValueError:
        is_canonical = False
    if not is_canonical:
        raise Invalid(f"memory {memory_id!r}: the id must be a UUID in its canonical form")


def shelves(scopes: Sequence[ScopeKey], statuses: Iterable[MemoryStatus]) -> list[str]:
    """Values of `SHELF` that hold memories of these scopes and statuses."""
    allowed = tuple(statuses)
    return [_shelf(scope, status) for scope in dict.fromkeys(scopes) for status in allowed]


def payload_of(point: Point) -> dict[str, str | int]:
    """What searches filter by; no text."""
    return {
        SHELF: _shelf(point.scope, point.status),
        KIND: point.kind.value,
        SPACE: point.space,
        SESSION: point.session_id,
        EVENT: point.event_at,
    }


def _shelf(scope: ScopeKey, status: MemoryStatus) -> str:
    return f"{status.value}|{scope}"


def _finite(vector: FloatArray) -> bool:
    return bool(np.isfinite(vector).all())


def _check_sparse(sparse: SparseVector, *, of: str) -> None:
    if len(sparse.indices) != len(sparse.values) or len(set(sparse.indices)) != len(sparse.indices):
        raise Invalid(f"{of}: keyword numbers must be distinct and have one weight each")
    if not all(0 <= index < 2**32 for index in sparse.indices):
        raise Invalid(f"{of}: a keyword number is outside 0 to 2**32 - 1")
    if not all(math.isfinite(value) and value > 0 for value in sparse.values):
        raise Invalid(f"{of}: a keyword weight is not a positive number")
