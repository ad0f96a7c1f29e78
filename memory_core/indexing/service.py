"""Applies changes of the tables to the index: every change at least once, the newest state last.

A change is a row written in the commit that caused it. It is due until the index of the present epoch acknowledged it,
and it is kept until a flush made it permanent: after a power cut the epoch is another one and the change is due again.
A memory whose vectors are of another model than the embedder's goes into the index by its keywords alone, at once; its
text is embedded again later, some at a time (`embed_stale`), so that neither a search nor a write waits for that.
Several processes may apply at once. Each looks, after it wrote a point, whether the row is still the one it wrote, and
writes again if not, so that whoever comes last leaves the newest state.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import structlog

from memory_core.errors import Unavailable
from memory_core.identity import parts_shelf
from memory_core.models.memory import IndexChange, Memory, MemoryVector
from memory_core.ports import Clock, Embedder, VectorIndex
from memory_core.store.changes import ChangeRepository
from memory_core.store.database import Database
from memory_core.values import Embedding, MemoryId, MemoryKind, MemoryStatus, Point, ScopeKey
from memory_core.vectors import StoredVectors, from_stored, passage_text, to_stored

BATCH = 64
"""Changes applied at once; a batch of vectors is about 200 KB."""
FLUSH_INTERVAL = timedelta(seconds=30)
_PAGE = 1000

log = structlog.get_logger(__name__)


class IndexingService:
    """Keeps the index equal to the tables."""

    def __init__(self, database: Database, *, index: VectorIndex, embedder: Embedder, clock: Clock) -> None:
        """Use the given parts."""
        self._database = database
        self._index = index
        self._embedder = embedder
        self._clock = clock
        self._checked_epoch: str | None = None
        self._flushed_at: datetime | None = None
        self._settled: str | None = None
        self._measured_epoch: str | None = None
        self._dense_size = 0

    def apply_due(self) -> int:
        """Bring the index up to date; returns the number of memories that were written or removed.

        In a new epoch both sides are compared first, so that an index that lost more than its last changes is filled.

        Raises:
            Unavailable: the index or the embedder is away; what was applied stays, a repeat goes on from there.
        """
        epoch = self._index.epoch()
        if epoch != self._checked_epoch:
            self.reconcile()
            self._checked_epoch = epoch
        applied = 0
        while due := self._due(epoch):
            ids = list(dict.fromkeys(change.memory_id for change in due))
            self._apply(ids)
            with self._database.transaction() as db:
                through = max(change.seq or 0 for change in due)
                ChangeRepository(db).mark_applied(ids, through=through, epoch=epoch)
            applied += len(ids)
        return applied

    def try_apply(self) -> bool:
        """Bring the index up to date if it is there; tells whether it was. What is left is applied later."""
        try:
            self.apply_due()
        except Unavailable:
            return False
        return True

    def flush_if_due(self) -> None:
        """Flush when the last time is `FLUSH_INTERVAL` ago.

        Raises:
            Unavailable: the index is away.
        """
        now = self._clock.now()
        if self._flushed_at is None or now - self._flushed_at >= FLUSH_INTERVAL:
            self.flush()
            self._flushed_at = now

    def flush(self) -> None:
        """Make applied changes permanent, then drop them from the queue.

        Raises:
            Unavailable: the index is away.
        """
        epoch = self._index.epoch()
        with self._database.reading() as db:
            through = ChangeRepository(db).newest_applied(epoch)
        if through is None:
            return
        self._index.flush()
        with self._database.transaction() as db:
            ChangeRepository(db).drop_applied(epoch, through=through)

    def reconcile(self) -> tuple[int, int]:
        """Compare both sides: put into the queue what the index lacks and what the tables lack.

        Returns:
            Numbers of missing and of stray points that were not in the queue yet.

        Raises:
            Unavailable: the index is away.
        """
        self._settled = None
        stored = self._stored_ids()
        epoch = self._index.epoch()
        with self._database.reading() as db:
            wanted = ChangeRepository(db).memory_ids()
            queued = ChangeRepository(db).due_ids(epoch)
        missing, stray = wanted - stored - queued, stored - wanted - queued
        if missing or stray:
            log.info("index.drift", missing=len(missing), stray=len(stray))
            with self._database.transaction() as db:
                ChangeRepository(db).add(sorted(missing | stray))
        return len(missing), len(stray)

    def embed_stale(self) -> int:
        """Embed again the newest memories whose vectors are of another model, at most `BATCH`; returns how many.

        Raises:
            Unavailable: the index or the embedder is away.
        """
        model = self._embedder.model
        if model == self._settled:
            return 0
        with self._database.reading() as db:
            memories = ChangeRepository(db).stale(model, limit=BATCH)
        if not memories:
            # Looking for them reads a whole table, so it isn't done again until there may be some.
            self._settled = model
            return 0
        ids = list(self._embed_again(memories, model=model))
        with self._database.transaction() as db:
            ChangeRepository(db).add(ids)
        self.apply_due()
        return len(memories)

    def stale_count(self) -> int:
        """Number of memories whose vectors are of another model than the embedder's.

        Raises:
            Unavailable: the embedder is away.
        """
        model = self._embedder.model
        if model == self._settled:
            return 0
        with self._database.reading() as db:
            return ChangeRepository(db).stale_count(model)

    def lag(self) -> int:
        """Number of changes that the index doesn't have.

        Raises:
            Unavailable: the index is away.
        """
        with self._database.reading() as db:
            return ChangeRepository(db).lag(self._index.epoch())

    def _due(self, epoch: str) -> list[IndexChange]:
        with self._database.reading() as db:
            return ChangeRepository(db).due(epoch, limit=BATCH)

    def _apply(self, ids: Sequence[str]) -> None:
        remaining = list(ids)
        while remaining:
            with self._database.reading() as db:
                states = ChangeRepository(db).states(remaining)
            written = {memory.id: memory.version for memory, _ in states}
            if states:
                self._index.upsert(self._points(states))
            if gone := [MemoryId(memory_id) for memory_id in remaining if memory_id not in written]:
                self._index.delete(gone)
            with self._database.reading() as db:
                present = ChangeRepository(db).versions(remaining)
            remaining = [memory_id for memory_id in remaining if present.get(memory_id) != written.get(memory_id)]

    def _points(self, states: Sequence[tuple[Memory, MemoryVector]]) -> list[Point]:
        self._measure()
        model = self._embedder.model
        stale = [memory for memory, vector in states if vector.model != model]
        if stale:
            self._settled = None
        # A few are embedded now, as one batch of work would be; with many of them, whoever waits would wait for all.
        if stale and self.stale_count() <= BATCH:
            fresh = self._embed_again(stale, model=model)
            return [_point(memory, from_stored(fresh.get(memory.id) or _stored(vector))) for memory, vector in states]
        return [
            _point(memory, from_stored(_stored(vector)) if vector.model == model else self._by_keywords(vector))
            for memory, vector in states
        ]

    def _measure(self) -> None:
        """Ask a question once in each epoch: its length tells how long vectors are.

        It fails when the embedder got another model since its name was asked for, as it may at an epoch's beginning.
        """
        if self._measured_epoch != self._checked_epoch:
            self._dense_size = len(self._embedder.embed_query("").dense)
            self._measured_epoch = self._checked_epoch

    def _by_keywords(self, vector: MemoryVector) -> Embedding:
        """Only the keywords of vectors of another model: those are the same with every model."""
        blank = np.zeros(self._dense_size, np.float32)
        return replace(from_stored(_stored(vector)), dense=blank, tokens=np.zeros((0, 0), np.float32))

    def _embed_again(self, memories: Sequence[Memory], *, model: str) -> dict[str, StoredVectors]:
        texts = [passage_text(memory.text, speaker=memory.speaker) for memory in memories]
        embeddings = self._embedder.embed_passages(texts)
        fresh = {memory.id: to_stored(embedding) for memory, embedding in zip(memories, embeddings, strict=True)}
        with self._database.transaction() as db:
            for memory_id, vectors in fresh.items():
                ChangeRepository(db).replace_vectors(memory_id, model=model, vectors=vectors)
        return fresh

    def _stored_ids(self) -> set[str]:
        stored: set[str] = set()
        after: MemoryId | None = None
        while page := self._index.ids(after=after, limit=_PAGE):
            stored.update(page)
            after = page[-1]
        return stored


def _stored(vector: MemoryVector) -> StoredVectors:
    return StoredVectors(
        dense=vector.dense, tokens=vector.tokens, token_width=vector.token_width, keywords=vector.keywords
    )


def _point(memory: Memory, embedding: Embedding) -> Point:
    scope = ScopeKey(memory.scope_key)
    return Point(
        memory_id=MemoryId(memory.id),
        embedding=embedding,
        scope=scope if memory.part is None else parts_shelf(scope),
        kind=MemoryKind(memory.kind),
        status=MemoryStatus(memory.status),
        space=memory.space,
        session_id=memory.session_id or 0,
        event_at=int(memory.event_at.timestamp()),
    )
