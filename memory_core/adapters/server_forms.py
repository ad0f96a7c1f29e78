"""Our values as a Qdrant server's: collection, points, filters; pure."""

from collections.abc import Sequence

from qdrant_client import models

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

PAYLOAD_INDEXES: tuple[tuple[str, models.PayloadSchemaType | models.KeywordIndexParams], ...] = (
    (SHELF, models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)),
    (KIND, models.PayloadSchemaType.KEYWORD),
    (SPACE, models.PayloadSchemaType.KEYWORD),
    (EVENT, models.PayloadSchemaType.INTEGER),
)

# Every search names its scopes: a graph over all of them would never be walked, one for each scope is.
_GRAPH_BY_SCOPE = models.HnswConfigDiff(m=0, payload_m=16)
# Token vectors only rescore what was found.
_NO_GRAPH = models.HnswConfigDiff(m=0)


def vectors_form(layout: IndexLayout) -> dict[str, models.VectorParams]:
    """The dense vectors of a collection of this layout."""
    return {
        DENSE: models.VectorParams(
            size=layout.dense_size,
            distance=models.Distance.COSINE,
            datatype=models.Datatype.FLOAT16,
            hnsw_config=_GRAPH_BY_SCOPE,
        ),
        TOKENS: models.VectorParams(
            size=layout.token_size,
            distance=models.Distance.DOT,
            datatype=models.Datatype.FLOAT16,
            multivector_config=models.MultiVectorConfig(comparator=models.MultiVectorComparator.MAX_SIM),
            hnsw_config=_NO_GRAPH,
        ),
    }


def sparse_vectors_form() -> dict[str, models.SparseVectorParams]:
    """The keyword vectors of a collection."""
    return {SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)}


def point_form(point: Point) -> models.PointStruct:
    """A checked point as the server takes it."""
    embedding = point.embedding
    vectors: dict[str, models.Vector] = {DENSE: embedding.dense.tolist()}
    # A matrix without rows is refused: such a point has no token vectors, and its late score is 0.
    if len(embedding.tokens):
        vectors[TOKENS] = embedding.tokens.tolist()
    if embedding.sparse.indices:
        vectors[SPARSE] = sparse_form(embedding)
    return models.PointStruct(id=point.memory_id, vector=vectors, payload=payload_of(point))


def sparse_form(embedding: Embedding) -> models.SparseVector:
    """The keyword weights."""
    return models.SparseVector(indices=list(embedding.sparse.indices), values=list(embedding.sparse.values))


def corpus_form(where: PointFilter) -> models.Filter:
    """All memories of the scopes, among which a keyword is rare or not."""
    return models.Filter(should=_on_shelves(shelves(where.scopes, MemoryStatus)))


def filter_form(where: PointFilter, *, ids: Sequence[MemoryId] = ()) -> models.Filter:
    """What a search may return, narrowed to the given ids if there are any."""
    must: list[models.Condition] = []
    if where.kind is not None:
        must.append(_equal(KIND, where.kind))
    if where.space is not None:
        must.append(_equal(SPACE, where.space))
    if where.event.start is not None or where.event.end is not None:
        start = None if where.event.start is None else where.event.start.timestamp()
        end = None if where.event.end is None else where.event.end.timestamp()
        must.append(models.FieldCondition(key=EVENT, range=models.Range(gte=start, lt=end)))
    if ids:
        must.append(among(ids))
    return models.Filter(must=must, should=_on_shelves(shelves(where.scopes, where.statuses)))


def among(ids: Sequence[MemoryId]) -> models.HasIdCondition:
    """Condition: the point is one of these."""
    return models.HasIdCondition(has_id=[str(memory_id) for memory_id in ids])


def _on_shelves(names: Sequence[str]) -> list[models.Condition]:
    return [_equal(SHELF, name) for name in names]


def _equal(key: str, value: str) -> models.FieldCondition:
    return models.FieldCondition(key=key, match=models.MatchValue(value=value))
