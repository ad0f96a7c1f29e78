"""The whole read path: scope, query, candidates, ranking, threshold, block."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from memory_core.errors import Unavailable
from memory_core.identity import resolve_scope
from memory_core.models.memory import Memory
from memory_core.ports import Clock, Embedder, VectorIndex
from memory_core.recall.packing import Line, pack
from memory_core.recall.query import build_query, measured_chars
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.store.memories import MemoryRepository
from memory_core.values import Hit, MemoryId, MemoryKind, MemoryStatus, PointFilter, ScopeKey, SessionRef, TimeRange

CANDIDATES = 100
"""Best of dense and best of keyword search that are ranked."""
_IN_FORCE = (MemoryStatus.ACTIVE, MemoryStatus.FLAGGED)
_EVER = (*_IN_FORCE, MemoryStatus.SUPERSEDED)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is looked for, and among what.

    Attributes:
        text: The finished query.
        at: When it is asked.
        as_of: Answer as one would have then; None for now.
        include_superseded: Facts that were replaced count too.
        event: Only what happened within.
    """

    text: str
    at: datetime
    limit: int
    as_of: datetime | None = None
    include_superseded: bool = False
    kind: MemoryKind | None = None
    space: str | None = None
    event: TimeRange = field(default_factory=TimeRange)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A memory that answers, with its score in 0 to 1 and what the score is made of."""

    memory: Memory
    score: float
    parts: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """What the gateway asks before a turn; None means the setting decides."""

    message: str
    at: datetime
    previous_user: str | None = None
    last_assistant: str | None = None
    top_k: int | None = None
    threshold: float | None = None
    budget_chars: int | None = None
    as_of: datetime | None = None
    include_superseded: bool = False
    explain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """The answer to a recall.

    Attributes:
        found: What qualified, best first.
        context: The finished block; empty when nothing qualified.
        degraded: Something was away or too late, and memory may be missing.
        reason: Why nothing was looked for, or what was away.
        trace: Why each candidate was chosen or left out; only when asked for.
    """

    found: list[Found]
    context: str
    query: str
    degraded: bool = False
    reason: str | None = None
    trace: list[dict[str, object]] | None = None


class RecallService:
    """Finds memories."""

    def __init__(
        self, database: Database, *, index: VectorIndex, embedder: Embedder, clock: Clock, settings: Settings
    ) -> None:
        """Use the given parts."""
        self._database = database
        self._index = index
        self._embedder = embedder
        self._clock = clock
        self._settings = settings

    def recall(self, ref: SessionRef, request: RecallRequest) -> Recalled:
        """What the agent should know for this turn; never raises for a part that is away."""
        scope = resolve_scope(ref, self._settings.identity)
        settings = self._settings.recall
        query = build_query(request.message, previous_user=request.previous_user, last_assistant=request.last_assistant)
        if not scope.reads:
            return Recalled(found=[], context="", query=query, reason=scope.reason)
        if measured_chars(query) < settings.min_prompt_chars:
            return Recalled(found=[], context="", query=query, reason="the message is too short to look for anything")
        question = Question(
            text=query,
            at=request.at,
            limit=request.top_k or settings.top_k,
            as_of=request.as_of,
            include_superseded=request.include_superseded,
        )
        try:
            candidates = self.search(scope.reads, question)
        except Unavailable as error:
            log.warning("recall.degraded", reason=str(error))
            return Recalled(found=[], context="", query=query, degraded=True, reason=str(error))
        threshold = settings.search_threshold if request.threshold is None else request.threshold
        found = [candidate for candidate in candidates if candidate.score >= threshold][: question.limit]
        context, packed = pack(
            [_line(entry) for entry in found],
            budget_chars=request.budget_chars or settings.inject_chars,
            line_chars=settings.inject_chars_per_memory,
            timezone=ref.timezone or self._settings.identity.timezone,
        )
        trace = _trace(candidates, threshold=threshold, chosen=len(found), packed=packed) if request.explain else None
        return Recalled(found=found, context=context, query=query, trace=trace)

    def search(self, scopes: Sequence[ScopeKey], question: Question) -> list[Found]:
        """Every candidate in the scopes, ranked, best first.

        Raises:
            Unavailable: the index or the embedder is away.
        """
        where = PointFilter(
            scopes=tuple(scopes),
            statuses=_EVER if question.include_superseded or question.as_of else _IN_FORCE,
            kind=question.kind,
            space=question.space,
            event=question.event,
        )
        embedding = self._embedder.embed_query(question.text)
        hits = self._index.search(embedding, where=where, limit=CANDIDATES)
        with self._database.reading() as db:
            rows = MemoryRepository(db).by_ids([hit.memory_id for hit in hits], scopes=scopes)
        moment = question.as_of or self._clock.now()
        fitting = [
            (hit, row)
            for hit in hits
            if (row := rows.get(MemoryId(hit.memory_id))) is not None and _holds(row, question=question, moment=moment)
        ]
        return sorted((_score(hit, row) for hit, row in fitting), key=lambda found: -found.score)


def _holds(row: Memory, *, question: Question, moment: datetime) -> bool:
    """The table decides, not the index: it may lag behind by a moment."""
    if row.status not in (_EVER if question.include_superseded or question.as_of else _IN_FORCE):
        return False
    if question.include_superseded:
        return True
    began = row.valid_from is None or question.as_of is None or row.valid_from <= moment
    return began and (row.valid_until is None or row.valid_until > moment)


def _score(hit: Hit, row: Memory) -> Found:
    return Found(memory=row, score=max(0.0, min(1.0, hit.late)), parts={"late": hit.late, "keywords": hit.sparse or 0})


def _line(found: Found) -> Line:
    memory = found.memory
    return Line(kref=memory.kref, text=memory.text, at=memory.valid_from or memory.event_at, speaker=memory.speaker)


def _trace(candidates: Sequence[Found], *, threshold: float, chosen: int, packed: int) -> list[dict[str, object]]:
    return [
        {
            "kref": found.memory.kref,
            "score": round(found.score, 4),
            "parts": {name: round(value, 4) for name, value in found.parts.items()},
            "outcome": _outcome(rank, found=found, threshold=threshold, chosen=chosen, packed=packed),
        }
        for rank, found in enumerate(candidates)
    ]


def _outcome(rank: int, *, found: Found, threshold: float, chosen: int, packed: int) -> str:
    if found.score < threshold:
        return f"left out: its score is below the threshold of {threshold:g}"
    if rank >= chosen:
        return f"left out: {chosen} better ones were found"
    return "in the block" if rank < packed else "chosen, but the block was full"
