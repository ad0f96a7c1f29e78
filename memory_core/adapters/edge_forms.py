"""Our values as the embedded engine's: configuration, points, filters; pure."""

from collections.abc import Sequence
from uuid import UUID

import qdrant_edge as edge

from memory_core.adapters.index_layout import (
    DENSE,
    EVENT,
    KIND,
    SHELF,
    SPACE,
    SPARSE,
    TOKENS,
    IndexLayout,
    payload_of,
    shelves,
)
from memory_core.values import Embedding, MemoryId, MemoryStatus, Point, PointFilter

PAYLOAD_INDEXES = (
    (SHELF, edge.KeywordIndexParams(is_tenant=True)),
    (KIND, edge.PayloadSchemaType.Keyword),
    (SPACE, edge.PayloadSchemaType.Keyword),
    (EVENT, edge.PayloadSchemaType.Integer),
)
# Kilobytes; higher than any segment grows. A graph pays from 100,000 memories on and takes minutes to build.
_NO_GRAPH = 10**9


def configuration(layout: IndexLayout) -> edge.EdgeConfig:
    """How an index of this layout is kept."""
    return edge.EdgeConfig(
        vectors={
            # Half precision halves the time of a search, which reads all vectors of the scopes.
            DENSE: edge.EdgeVectorParams(
                size=layout.dense_size,
                distance=edge.Distance.Cosine,
                datatype=edge.VectorStorageDatatype.Float16,
            ),
            # 8 bits a value, 1.9 KB an ordinary memory: half of float16, scores differ by less than .001.
            TOKENS: edge.EdgeVectorParams(
                size=layout.token_size,
                distance=edge.Distance.Dot,
                datatype=edge.VectorStorageDatatype.Turbo8,
                multivector_config=edge.MultiVectorConfig(edge.MultiVectorComparator.MaxSim),
            ),
        },
        sparse_vectors={SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
        optimizers=edge.EdgeOptimizersConfig(indexing_threshold=_NO_GRAPH),
        max_search_threads=1,
        # Without the log a second process opens the folder and sees nothing, and a kill loses what wasn't flushed.
        wal_enabled=True,
    )


def point_form(point: Point) -> edge.Point:
    """A checked point as the engine takes it."""
    embedding = point.embedding
    vectors: dict[str, list[float] | edge.SparseVector | list[list[float]]] = {DENSE: embedding.dense.tolist()}
    # The engine refuses a matrix without rows: such a point has no token vectors, and its late score is 0.
    if len(embedding.tokens):
        vectors[TOKENS] = embedding.tokens.tolist()
    if embedding.sparse.indices:
        vectors[SPARSE] = sparse_form(embedding)
    return edge.Point(point.memory_id, vectors, payload_of(point))


def sparse_form(embedding: Embedding) -> edge.SparseVector:
    """The keyword weights."""
    return edge.SparseVector(list(embedding.sparse.indices), list(embedding.sparse.values))


def corpus_form(where: PointFilter) -> edge.Filter:
    """All memories of the scopes, among which a keyword is rare or not."""
    return edge.Filter(should=_on_shelves(shelves(where.scopes, MemoryStatus)))


def filter_form(where: PointFilter, *, ids: Sequence[MemoryId] = ()) -> edge.Filter:
    """What a search may return, narrowed to the given ids if there are any."""
    must: list[edge.ConditionType] = []
    if where.kind is not None:
        must.append(_equal(KIND, where.kind))
    if where.space is not None:
        must.append(_equal(SPACE, where.space))
    if where.event.start is not None or where.event.end is not None:
        start = None if where.event.start is None else where.event.start.timestamp()
        end = None if where.event.end is None else where.event.end.timestamp()
        must.append(edge.FieldCondition(EVENT, range=edge.RangeFloat(gte=start, lt=end)))
    if ids:
        must.append(edge.HasIdCondition({UUID(memory_id) for memory_id in ids}))
    return edge.Filter(must=must, should=_on_shelves(shelves(where.scopes, where.statuses)))


def _on_shelves(names: Sequence[str]) -> "list[edge.ConditionType]":
    # One condition for each: a list of values in one condition takes a third longer.
    return [_equal(SHELF, name) for name in names]


def _equal(key: str, value: str) -> edge.FieldCondition:
    return edge.FieldCondition(key, match=edge.MatchValue(value))
