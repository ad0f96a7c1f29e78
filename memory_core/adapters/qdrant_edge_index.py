"""VectorIndex over the embedded engine (qdrant-edge): one folder, one process; a call holds the interpreter lock."""

import shutil
from collections.abc import Generator, Sequence, Set
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import numpy as np
import qdrant_edge as edge

from memory_core.adapters.edge_forms import (
    PAYLOAD_INDEXES,
    configuration,
    corpus_form,
    filter_form,
    point_form,
    sparse_form,
)
from memory_core.adapters.index_layout import DENSE, SPARSE, TOKENS, IndexLayout, check_id
from memory_core.errors import Corrupt, Unavailable
from memory_core.values import Embedding, Hit, MemoryId, Point, PointFilter

KEEP_FREE_BYTES = 100 * 2**20
"""Room that must be free on the disk: files are mapped, a full disk would end the process in the middle of a write."""
_SHARE_TO_OPEN_OR_DELETE = 4
"""A fourth of that is enough to open an index and to delete: what is forgotten must not wait for a bigger disk."""
_LAST_ID = 2**128 - 1

_Id = UUID | int | str
"""How the engine gives a point back; in fact a UUID."""


class QdrantEdgeIndex:
    """Searches one folder's points; the process that opened it is the only one that can.

    Scores are exact, no graph is built: 20,000 memories in the scopes asked for take about 6 ms of CPU a search.

    Attributes:
        keep_free_bytes: Upserts are refused when the disk has less room than this, deletes at a fourth of it.
    """

    def __init__(self, shard: edge.EdgeShard, *, folder: Path, layout: IndexLayout, name: str) -> None:
        self.keep_free_bytes = KEEP_FREE_BYTES
        self._shard = shard
        self._folder = folder
        self._layout = layout
        self._name = name
        self._failed_flushes = 0

    @classmethod
    def create(cls, folder: Path, *, layout: IndexLayout, name: str) -> "QdrantEdgeIndex":
        """Make an empty index.

        Args:
            folder: Is made; must not hold an index.
            layout: The vectors it will hold.
            name: What `epoch` answers; differs from any other index's.

        Raises:
            Unavailable: the folder can't be written.
        """
        folder.mkdir(parents=True, exist_ok=True)
        _check_room(folder, needed_bytes=KEEP_FREE_BYTES)
        with _writing():
            shard = edge.EdgeShard.create(str(folder), configuration(layout))
            for key, parameters in PAYLOAD_INDEXES:
                shard.update(edge.UpdateOperation.create_field_index(key, parameters))
            shard.flush()
        return cls(shard, folder=folder, layout=layout, name=name)

    @classmethod
    def load(cls, folder: Path, *, layout: IndexLayout, name: str) -> "QdrantEdgeIndex":
        """Open an index, replay its log, give back the room of deleted points, and try every kind of search.

        Raises:
            Corrupt: the files are damaged, or in use by another process. Some damage ends the process instead.
            Unavailable: the disk is full.
        """
        _check_room(folder, needed_bytes=KEEP_FREE_BYTES // _SHARE_TO_OPEN_OR_DELETE)
        with _reading():
            shard = edge.EdgeShard.load(str(folder), configuration(layout))
            shard.optimize()
        index = cls(shard, folder=folder, layout=layout, name=name)
        index._probe()
        return index

    def epoch(self) -> str:
        """The name given at opening, and how often a flush failed: then what was acknowledged may not be on disk."""
        return self._name if self._failed_flushes == 0 else f"{self._name}.{self._failed_flushes}"

    def upsert(self, points: Sequence[Point]) -> None:
        """Add points or replace them whole; the log makes it survive a kill at once.

        Raises:
            Invalid: a vector has the wrong size or a value that is not finite; then nothing was written.
            Unavailable: the disk is full or can't be written; the batch may be applied in part, a repeat is safe.
        """
        self._layout.check_points(points)
        latest = {point.memory_id: point for point in points}
        if latest:
            _check_room(self._folder, needed_bytes=self.keep_free_bytes)
            with _writing():
                self._shard.update(edge.UpdateOperation.upsert_points([point_form(p) for p in latest.values()]))

    def delete(self, memory_ids: Sequence[MemoryId]) -> None:
        """Remove points; unknown ids are ignored.

        Raises:
            Invalid: an id is no UUID.
            Unavailable: the disk is full or can't be written.
        """
        for memory_id in memory_ids:
            check_id(memory_id)
        if memory_ids:
            _check_room(self._folder, needed_bytes=self.keep_free_bytes // _SHARE_TO_OPEN_OR_DELETE)
            with _writing():
                self._shard.update(edge.UpdateOperation.delete_points(list(memory_ids)))

    def search(self, query: Embedding, *, where: PointFilter, limit: int) -> list[Hit]:
        """The union of the best `limit` of dense and the best `limit` of keyword search, each with its late score.

        Keywords weigh by how rare they are within the scopes searched.

        Raises:
            Invalid: a vector of the question has the wrong size.
            Corrupt: the files are damaged.
        """
        self._layout.check_embedding(query, of="question")
        if limit < 1 or not where.scopes or not where.statuses:
            return []
        return self._scored(query, within=filter_form(where), limit=limit, where=where)

    def score(self, query: Embedding, *, memory_ids: Sequence[MemoryId], where: PointFilter) -> list[Hit]:
        """Dense, keyword and late scores of the given memories as far as the filter lets them through, in no order.

        Raises:
            Invalid: an id is no UUID, or a vector of the question has the wrong size.
            Corrupt: the files are damaged.
        """
        self._layout.check_embedding(query, of="question")
        for memory_id in memory_ids:
            check_id(memory_id)
        if not memory_ids or not where.scopes or not where.statuses:
            return []
        return self._scored(query, within=filter_form(where, ids=memory_ids), limit=len(memory_ids), where=where)

    def flush(self) -> None:
        """Write through to the disk, so that all acknowledged changes survive a power cut; 10 to 400 ms.

        Raises:
            Unavailable: the disk is full or can't be written.
        """
        try:
            with _writing():
                self._shard.flush()
        except Unavailable:
            self._failed_flushes += 1
            raise

    def ids(self, *, after: MemoryId | None, limit: int) -> list[MemoryId]:
        """Ids of stored points in ascending order, those behind `after`.

        Raises:
            Invalid: `after` is no UUID.
            Corrupt: the files are damaged.
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
        with _reading():
            records, _ = self._shard.scroll(edge.ScrollRequest(offset=start, limit=limit))
        return [MemoryId(str(record.id)) for record in records]

    def count(self) -> int:
        """Number of stored points.

        Raises:
            Corrupt: the files are damaged.
        """
        with _reading():
            return self._shard.count(edge.CountRequest())

    def close(self) -> None:
        """Flush and let go of the folder."""
        with _writing():
            self._shard.close()

    def _scored(self, query: Embedding, *, within: edge.Filter, limit: int, where: PointFilter) -> list[Hit]:
        by_rarity = edge.SearchParams(idf=edge.IdfParams(corpus=corpus_form(where)))
        nearest = edge.Query.Nearest(query.dense.tolist(), using=DENSE)
        dense = self._query(edge.QueryRequest(limit=limit, query=nearest, filter=within))
        sparse: dict[_Id, float] = {}
        if query.sparse.indices:
            matching = edge.Query.Nearest(sparse_form(query), using=SPARSE)
            sparse = self._query(edge.QueryRequest(limit=limit, query=matching, filter=within, params=by_rarity))
        found = dense.keys() | sparse.keys()
        late = self._late(query, found=found)
        hits = [
            Hit(memory_id=MemoryId(str(i)), dense=dense.get(i), sparse=sparse.get(i), late=late.get(i, 0.0))
            for i in found
        ]
        return sorted(hits, key=lambda hit: (-hit.late, hit.memory_id))

    def _late(self, query: Embedding, *, found: Set[_Id]) -> dict[_Id, float]:
        if not found or not len(query.tokens):
            return {}
        best = edge.Query.Nearest(query.tokens.tolist(), using=TOKENS)
        among = edge.Filter(must=[edge.HasIdCondition({*found})])
        return self._query(edge.QueryRequest(limit=len(found), query=best, filter=among))

    def _query(self, request: edge.QueryRequest) -> dict[_Id, float]:
        with _reading():
            return {point.id: point.score for point in self._shard.query(request)}

    def _probe(self) -> None:
        """Touch each kind of file; damage shows now rather than in somebody's question."""
        everywhere = np.full(self._layout.dense_size, self._layout.dense_size**-0.5, dtype=np.float32)
        with _reading():
            total = self._shard.count(edge.CountRequest())
            with_dense = self._shard.count(edge.CountRequest(filter=edge.Filter(must=[edge.HasVectorCondition(DENSE)])))
            rows = [everywhere[: self._layout.token_size].tolist()]
            for query in (
                edge.Query.Nearest(everywhere.tolist(), using=DENSE),
                edge.Query.Nearest(rows, using=TOKENS),
                edge.Query.Nearest(edge.SparseVector([0], [1.0]), using=SPARSE),
            ):
                self._shard.query(edge.QueryRequest(limit=1, query=query))
        if total != with_dense:
            raise Corrupt(f"{total - with_dense} of {total} points have lost their vectors")


def _check_room(folder: Path, *, needed_bytes: int) -> None:
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise Unavailable(f"the index can't be written: {error}") from error
    if free < needed_bytes:
        raise Unavailable(f"the disk is full: the index needs {needed_bytes >> 20} MB free, there are {free >> 20}")


@contextmanager
def _writing() -> Generator[None]:
    with _without_panic():
        try:
            yield
        except Exception as error:
            raise Unavailable(f"the index can't be written: {error}") from error


@contextmanager
def _reading() -> Generator[None]:
    # What is asked was checked before: a read only fails when the files are damaged.
    with _without_panic():
        try:
            yield
        except Exception as error:
            raise Corrupt(f"the index can't be read: {error}") from error


@contextmanager
def _without_panic() -> Generator[None]:
    try:
        yield
    except BaseException as error:
        # A panic of the engine isn't an Exception, and its class can't be imported.
        if type(error).__name__ == "PanicException":
            raise Corrupt(f"the index engine gave up: {error}") from error
        raise
