"""From a question to ranked memories: plan, candidates, pool, scores, and what of it holds at the moment asked for."""

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from memory_core.identity import parts_shelf
from memory_core.models.memory import Memory
from memory_core.ports import Embedder, VectorIndex
from memory_core.recall.anchoring import anchored_periods, told_time
from memory_core.recall.features import measure
from memory_core.recall.plan import Plan, plan
from memory_core.recall.pool import Pool, gather
from memory_core.recall.scoring import Score, Setting, best_row, score, setting_of
from memory_core.recall.wording import is_mostly_latin, is_question
from memory_core.store.database import Database
from memory_core.store.memories import MemoryRepository
from memory_core.store.pools import PoolRepository, PoolRow
from memory_core.values import Hit, MemoryKind, MemoryStatus, PointFilter, ScopeKey, TimeRange

CANDIDATES = 100
"""Best of dense and best of keyword search that are ranked."""
_IN_FORCE = (MemoryStatus.ACTIVE, MemoryStatus.FLAGGED)
_EVER = (*_IN_FORCE, MemoryStatus.SUPERSEDED)
_TELLING = 3
"""Best memories among which one tells when an event was."""
_SURE = 0.3
"""Lowest score of a memory that is taken to tell of it."""
_SPEAKERS_FRESH_S, _SPEAKERS_FRESH_PER_S = 60.0, 1000.0
"""Speakers are counted anew after a minute, or later where that takes long: at most .1 % of the time goes into it."""
_SPEAKERS_KEPT = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is looked for, and among what.

    Attributes:
        text: The finished query.
        at: When it is asked.
        zone: Zone of the asker, an IANA name.
        asker: Who asks, as memories show the name.
        as_of: Answer as one would have then; None for now.
        include_superseded: Facts that were replaced count too.
        event: Only what happened within.
        anchored: It is itself about the time of an event, and looks for no other.
    """

    text: str
    at: datetime
    zone: str
    asker: str | None = None
    as_of: datetime | None = None
    include_superseded: bool = False
    kind: MemoryKind | None = None
    space: str | None = None
    event: TimeRange = field(default_factory=TimeRange)
    anchored: bool = False


class Ranked(NamedTuple):
    """A memory that may answer, with its score in 0 to 1 and what it is made of; hundreds are made a question."""

    row: PoolRow
    score: float
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A memory that answers, whole, with its score."""

    memory: Memory
    score: float


def is_over(row: PoolRow, *, at: datetime) -> bool:
    """Whether what a memory says ended before that moment."""
    return row.valid_until is not None and row.valid_until <= at


class Finder:
    """Finds and ranks memories."""

    def __init__(self, database: Database, *, index: VectorIndex, embedder: Embedder) -> None:
        """Use the given parts."""
        self._database = database
        self._index = index
        self._embedder = embedder
        self._speakers = _SpeakerCache(database)

    def rank(self, scopes: Sequence[ScopeKey], question: Question) -> list[Ranked]:
        """Every memory of the question's pool that holds, best first.

        Raises:
            Unavailable: the index, the embedder or the database is away.
        """
        if not scopes:
            return []
        read = self._anchored(scopes, self._plan(scopes, question), question=question)
        statuses = _EVER if question.include_superseded or question.as_of or read.wants_history else _IN_FORCE
        where = PointFilter(
            scopes=_shelves(scopes, kind=question.kind),
            statuses=statuses,
            kind=question.kind,
            space=question.space,
            event=question.event,
        )
        embedding = self._embedder.embed_query(question.text, quiet=read.quiet, reading=read.reading)
        hits = self._index.search(embedding, where=where, limit=CANDIDATES)
        with self._database.reading() as db:
            width = embedding.tokens.shape[1] if embedding.tokens.size else 0
            pool = gather(db, hits, scopes=scopes, token_width=width, model=self._embedder.model)
        if not pool.rows:
            return []
        table = measure(embedding, pool.contenders, plan=read, vectors=pool.vectors)
        setting = _setting(table, pool, hits=hits, pieces=len(embedding.tokens))
        scores = score(table, setting=setting if is_mostly_latin(question.text) else None)
        return _answers(pool, scores, where=where, question=question)

    def load(self, ranked: Sequence[Ranked], *, scopes: Sequence[ScopeKey]) -> list[Found]:
        """The memories of a ranking, whole, in its order; those that are gone meanwhile are left out."""
        with self._database.reading() as db:
            rows = MemoryRepository(db).by_ids([entry.row.memory_id for entry in ranked], scopes=scopes)
        return [
            Found(memory=rows[entry.row.memory_id], score=entry.score)
            for entry in ranked
            if entry.row.memory_id in rows
        ]

    def _anchored(self, scopes: Sequence[ScopeKey], read: Plan, *, question: Question) -> Plan:
        """Look when the event was that the question tells a time from: one more search, for such questions only."""
        if read.anchor is None or question.anchored:
            return read
        event = replace(question, text=read.anchor.event, anchored=True, event=TimeRange(), include_superseded=False)
        found = next((one for one in self.rank(scopes, event)[:_TELLING] if not is_question(one.row.text)), None)
        if found is None or found.score < _SURE:
            return read
        row = found.row
        told = told_time(
            row.text,
            said_at=row.valid_from or row.event_at,
            zone=question.zone,
            event_at=row.event_at,
            event_until=row.event_until,
        )
        if read.anchor.is_yearly and told.until is None:
            return read
        periods = anchored_periods(read.anchor, told, asked_at=question.at, zone=question.zone)
        # What was so before may have been replaced since.
        history = read.wants_history or read.anchor.side < 0
        return replace(read, periods=(*read.periods, *periods), wants_history=history)

    def _plan(self, scopes: Sequence[ScopeKey], question: Question) -> Plan:
        speakers = self._speakers.get(tuple(scopes))
        return plan(question.text, asked_at=question.at, zone=question.zone, speakers=speakers, asker=question.asker)


def _shelves(scopes: Sequence[ScopeKey], *, kind: MemoryKind | None) -> tuple[ScopeKey, ...]:
    """Where to look: passages of artifacts would drown what was said, so only who asks for artifacts meets them."""
    parts = map(parts_shelf, scopes) if kind is MemoryKind.ARTIFACT else ()
    return (*scopes, *parts)


class _SpeakerCache:
    """Who said the memories of a scope, as of some time ago, since only large changes matter."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._kept: dict[tuple[ScopeKey, ...], tuple[float, Mapping[str, int]]] = {}

    def get(self, scopes: tuple[ScopeKey, ...]) -> Mapping[str, int]:
        with self._lock:
            fresh_until_s, speakers = self._kept.get(scopes, (float("-inf"), {}))
        began_s = time.monotonic()
        if began_s < fresh_until_s:
            return speakers
        with self._database.reading() as db:
            speakers = PoolRepository(db).speakers(scopes)
        counted_s = time.monotonic()
        fresh_s = max(_SPEAKERS_FRESH_S, _SPEAKERS_FRESH_PER_S * (counted_s - began_s))
        with self._lock:
            if len(self._kept) >= _SPEAKERS_KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[scopes] = (counted_s + fresh_s, speakers)
        return speakers


def _setting(table: npt.NDArray[np.float64], pool: Pool, *, hits: Sequence[Hit], pieces: int) -> Setting | None:
    """The question as a whole; None when the best memory's vectors are of another model."""
    best = best_row(table)
    if pool.vectors.unread is not None and pool.vectors.unread[best]:
        return None
    # A cosine of exactly 0 is that of a point without a pooled vector.
    cosines = {hit.memory_id: hit.dense for hit in hits if hit.dense}
    return setting_of(
        [cosines.get(row.memory_id) for row in pool.rows], best=best, found=list(cosines.values()), pieces=pieces
    )


def _answers(pool: Pool, scores: Sequence[Score], *, where: PointFilter, question: Question) -> list[Ranked]:
    answers = [
        Ranked(row=row, score=scored.value, parts=scored.parts)
        for row, scored in zip(pool.rows, scores, strict=True)
        if _fits(row, where=where) and _holds(row, question=question, statuses=where.statuses)
    ]
    return sorted(answers, key=lambda answer: (-answer.score, answer.row.memory_id))


def _fits(row: PoolRow, *, where: PointFilter) -> bool:
    """Neighbours joined the pool as evidence: they answer only if they pass the filter themselves."""
    if where.kind is not None and row.kind != where.kind:
        return False
    if where.space is not None and row.space != where.space:
        return False
    after_start = where.event.start is None or row.event_at >= where.event.start
    return after_start and (where.event.end is None or row.event_at < where.event.end)


def _holds(row: PoolRow, *, question: Question, statuses: Sequence[MemoryStatus]) -> bool:
    """The table decides, not the index: it may lag behind by a moment."""
    if row.status not in statuses:
        return False
    if question.as_of is not None:
        began = row.valid_from is None or row.valid_from <= question.as_of
        return began and (row.valid_until is None or row.valid_until > question.as_of)
    return row.status == MemoryStatus.SUPERSEDED or not is_over(row, at=question.at)
