"""The recall before a turn: scope, query, threshold, block."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog

from memory_core.errors import Unavailable
from memory_core.identity import resolve_scope
from memory_core.recall.finding import Finder, Found, Question, Ranked
from memory_core.recall.packing import Line, pack
from memory_core.recall.query import build_query, measured_chars
from memory_core.settings import Settings
from memory_core.values import Scope, SessionRef

log = structlog.get_logger(__name__)


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
    """Recalls what the agent should know."""

    def __init__(self, finder: Finder, *, settings: Settings) -> None:
        """Use the given parts."""
        self._finder = finder
        self._settings = settings

    def recall(self, ref: SessionRef, request: RecallRequest) -> Recalled:
        """What the agent should know for this turn; never raises for a part that is away."""
        scope = resolve_scope(ref, self._settings.identity)
        query = build_query(request.message, previous_user=request.previous_user, last_assistant=request.last_assistant)
        if not scope.reads:
            return Recalled(found=[], context="", query=query, reason=scope.reason)
        if measured_chars(query) < self._settings.recall.min_prompt_chars:
            return Recalled(found=[], context="", query=query, reason="the message is too short to look for anything")
        zone = ref.timezone or self._settings.identity.timezone
        question = Question(
            text=query,
            at=request.at,
            zone=zone,
            asker=scope.speaker,
            as_of=request.as_of,
            include_superseded=request.include_superseded,
        )
        try:
            return self._answer(scope, request, question=question)
        except Unavailable as error:
            log.warning("recall.degraded", reason=str(error))
            return Recalled(found=[], context="", query=query, degraded=True, reason=str(error))

    def _answer(self, scope: Scope, request: RecallRequest, *, question: Question) -> Recalled:
        settings = self._settings.recall
        threshold = settings.search_threshold if request.threshold is None else request.threshold
        ranked = self._finder.rank(scope.reads, question)
        chosen = [entry for entry in ranked if entry.score >= threshold][: request.top_k or settings.top_k]
        context, packed = pack(
            [_line(entry) for entry in chosen],
            budget_chars=request.budget_chars or settings.inject_chars,
            line_chars=settings.inject_chars_per_memory,
            timezone=question.zone,
        )
        return Recalled(
            found=self._finder.load(chosen, scopes=scope.reads),
            context=context,
            query=question.text,
            trace=_trace(ranked, threshold=threshold, chosen=len(chosen), packed=packed) if request.explain else None,
        )


def _line(entry: Ranked) -> Line:
    row = entry.row
    return Line(kref=row.kref, text=row.text, at=row.valid_from or row.event_at, speaker=row.speaker)


def _trace(ranked: Sequence[Ranked], *, threshold: float, chosen: int, packed: int) -> list[dict[str, object]]:
    return [
        {
            "kref": entry.row.kref,
            "score": round(entry.score, 4),
            "parts": {name: round(value, 4) for name, value in entry.parts.items()},
            "outcome": _outcome(place, score=entry.score, threshold=threshold, chosen=chosen, packed=packed),
        }
        for place, entry in enumerate(ranked)
    ]


def _outcome(place: int, *, score: float, threshold: float, chosen: int, packed: int) -> str:
    if score < threshold:
        return f"left out: its score is below the threshold of {threshold:g}"
    if place >= chosen:
        return f"left out: {chosen} better ones were found"
    return "in the block" if place < packed else "chosen, but the block was full"
