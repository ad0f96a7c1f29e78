"""VectorIndex over a Qdrant server (qdrant-client), for an installation of many machines."""

import re
import threading
import uuid
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from uuid import UUID

from httpx import HTTPError
from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ApiException

from memory_core.adapters.index_layout import DENSE, FORMAT, SPARSE, TOKENS, IndexLayout, check_id
from memory_core.adapters.server_forms import (
    PAYLOAD_INDEXES,
    among,
    corpus_form,
    filter_form,
    point_form,
    sparse_form,
    sparse_vectors_form,
    vectors_form,
)
from memory_core.errors import Unavailable
from memory_core.values import Embedding, Hit, MemoryId, Point, PointFilter

DEADLINE_S = 5
"""How long one request waits."""
_BEGINNING = "beginning"
_POINTS_PER_REQUEST = 64
_LAST_ID = 2**128 - 1


def connect(url: str, api_key: str | None, *, layout: IndexLayout) -> "QdrantServerIndex":
    """An index on the server behind a URL; the first call connects, and makes the collection if there is none."""
    client = QdrantClient(url=url, api_key=api_key, timeout=DEADLINE_S, check_compatibility=False)
    return QdrantServerIndex(client, layout=layout)


class QdrantServerIndex:
    """One collection for each model and vector layout; the server answers several machines at once."""

    def __init__(self, client: QdrantClient, *, layout: IndexLayout) -> None:
        self._client = client
        self._layout = layout
        self._collection = f"nightshift_{FORMAT}_" + re.sub(r"[^a-z0-9]+", "_", layout.model.lower()).strip("_")
        self._is_prepared = False
        self._lock = threading.Lock()

    def epoch(self) -> str:
        """A name that the collection got when it was made.

        The server acknowledges what its own log holds; that its machine lost power can't be seen from here.

        Raises:
            Unavailable: the server is away.
        """
        with self._prepared():
            metadata = self._client.get_collection(self._collection).config.metadata or {}
        return str(metadata.get(_BEGINNING, self._collection))

    def upsert(self, points: Sequence[Point]) -> None:
        """Add points or replace them whole.

        Raises:
            Invalid: a vector has the wrong size or a value that is not finite; then nothing was written.
            Unavailable: the server is away; the batch may be applied in part, a repeat is safe.
        """
        self._layout.check_points(points)
        latest = list({point.memory_id: point for point in points}.values())
        with self._prepared():
            for start in range(0, len(latest), _POINTS_PER_REQUEST):
                forms = [point_form(point) for point in latest[start : start + _POINTS_PER_REQUEST]]
                self._client.upsert(self._collection, points=forms, wait=True)

    def delete(self, memory_ids: Sequence[MemoryId]) -> None:
        """Remove points; unknown ids are ignored.

        Raises:
            Invalid: an id is no UUID.
            Unavailable: the server is away.
        """
        for memory_id in memory_ids:
            check_id(memory_id)
        if memory_ids:
            gone = models.PointIdsList(points=[str(memory_id) for memory_id in memory_ids])
            with self._prepared():
                self._client.delete(self._collection, points_selector=gone, wait=True)

    def search(self, query: Embedding, *, where: PointFilter, limit: int) -> list[Hit]:
        """The union of the best `limit` of dense and the best `limit` of keyword search, each with its late score.

        Keywords weigh by how rare they are within the scopes searched.

        Raises:
            Invalid: a vector of the question has the wrong size.
            Unavailable: the server is away.
        """
        self._layout.check_embedding(query, of="question")
        if limit < 1 or not where.scopes or not where.statuses:
            return []
        return self._scored(query, within=filter_form(where), limit=limit, where=where)

    def score(self, query: Embedding, *, memory_ids: Sequence[MemoryId], where: PointFilter) -> list[Hit]:
        """Dense, keyword and late scores of the given memories as far as the filter lets them through, in no order.

        Raises:
            Invalid: an id is no UUID, or a vector of the question has the wrong size.
            Unavailable: the server is away.
        """
        self._layout.check_embedding(query, of="question")
        for memory_id in memory_ids:
            check_id(memory_id)
        if not memory_ids or not where.scopes or not where.statuses:
            return []
        return self._scored(query, within=filter_form(where, ids=memory_ids), limit=len(memory_ids), where=where)

    def flush(self) -> None:
        """Nothing to do: the server answers after its own log holds the change."""

    def ids(self, *, after: MemoryId | None, limit: int) -> list[MemoryId]:
        """Ids of stored points in ascending order, those behind `after`.

        Raises:
            Invalid: `after` is no UUID.
            Unavailable: the server is away.
        """
        start: str | None = None
        if after is not None:
            check_id(after)
            number = UUID(after).int
            if number == _LAST_ID:
                return []
            start = str(UUID(int=number + 1))
        if limit < 1:
            return []
        with self._prepared():
            records, _ = self._client.scroll(self._collection, offset=start, limit=limit, with_payload=False)
        return [MemoryId(str(record.id)) for record in records]

    def count(self) -> int:
        """Number of stored points.

        Raises:
            Unavailable: the server is away.
        """
        with self._prepared():
            return self._client.count(self._collection, exact=True).count

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _scored(self, query: Embedding, *, within: models.Filter, limit: int, where: PointFilter) -> list[Hit]:
        by_rarity = models.SearchParams(idf=models.IdfCorpusParams(corpus=corpus_form(where)))
        requests = [models.QueryRequest(query=query.dense.tolist(), using=DENSE, filter=within, limit=limit)]
        if query.sparse.indices:
            requests.append(
                models.QueryRequest(
                    query=sparse_form(query), using=SPARSE, filter=within, limit=limit, params=by_rarity
                )
            )
        with self._prepared():
            dense, *others = self._query(requests)
            sparse = others[0] if others else {}
            found = sorted(dense.keys() | sparse.keys())
            late = self._late(query, found=found)
        hits = [Hit(memory_id=i, dense=dense.get(i), sparse=sparse.get(i), late=late.get(i, 0.0)) for i in found]
        return sorted(hits, key=lambda hit: -hit.late)

    def _late(self, query: Embedding, *, found: Sequence[MemoryId]) -> dict[MemoryId, float]:
        if not found or not len(query.tokens):
            return {}
        only = models.Filter(must=[among(found)])
        request = models.QueryRequest(query=query.tokens.tolist(), using=TOKENS, filter=only, limit=len(found))
        return self._query([request])[0]

    def _query(self, requests: Sequence[models.QueryRequest]) -> list[dict[MemoryId, float]]:
        responses = self._client.query_batch_points(self._collection, requests=requests)
        return [{MemoryId(str(point.id)): point.score for point in response.points} for response in responses]

    @contextmanager
    def _prepared(self) -> Generator[None]:
        """Make the collection before its first use, and translate the client's errors."""
        try:
            with self._lock:
                if not self._is_prepared:
                    self._prepare()
                    self._is_prepared = True
            yield
        except (ApiException, QdrantException, HTTPError, OSError) as error:
            # Somebody may have removed the collection: look again at the next call.
            self._is_prepared = False
            raise Unavailable(f"the Qdrant server is away: {type(error).__name__}") from error

    def _prepare(self) -> None:
        if not self._client.collection_exists(self._collection):
            self._client.create_collection(
                self._collection,
                vectors_config=vectors_form(self._layout),
                sparse_vectors_config=sparse_vectors_form(),
                metadata={_BEGINNING: uuid.uuid4().hex, "model": self._layout.model},
            )
        for key, schema in PAYLOAD_INDEXES:
            self._client.create_payload_index(self._collection, field_name=key, field_schema=schema, wait=True)
