"""The recall before a turn: scope, query, threshold, block."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

import structlog

from memory_core.errors import Unavailable
from memory_core.identity import resolve_scope
from memory_core.recall.choosing import as_injected, choose
from memory_core.recall.finding import Finder, Found, Question, Ranked
from memory_core.recall.ledger import Injected, Ledger
from memory_core.recall.packing import Line, pack
from memory_core.recall.place import Place, place_of
from memory_core.recall.prefetch import Prefetch
from memory_core.recall.query import build_query, leans_on_what_was_said, measured_chars, only_agrees
from memory_core.settings import Reinject, Settings
from memory_core.values import SessionRef

log = structlog.get_logger(__name__)

_TOO_SHORT = "the message is too short to look for anything"

Source = Literal["live", "prefetch"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """What the gateway asks before a turn; None means the setting decides.

    Attributes:
        dedupe: With `reinject: once`, what was injected in the session before is left out, and this block is noted.
    """

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
    dedupe: bool = True
    reinject: Reinject | None = None
    dedupe_window: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """The answer to a recall.

    Attributes:
        found: What qualified, best first.
        context: The finished block; empty when nothing qualified.
        injected: What stands in the block.
        degraded: Something was away or too late, and memory may be missing.
        reason: Why nothing was looked for, or what was away.
        source: Where the ranking comes from.
        trace: Why each candidate was chosen or left out; only when asked for.
    """

    found: list[Found]
    context: str
    query: str
    injected: tuple[Injected, ...] = ()
    degraded: bool = False
    reason: str | None = None
    source: Source = "live"
    trace: list[dict[str, object]] | None = None


class RecallService:
    """Recalls what the agent should know."""

    def __init__(self, finder: Finder, *, prefetch: Prefetch, ledger: Ledger, settings: Settings) -> None:
        """Use the given parts."""
        self._finder = finder
        self._prefetch = prefetch
        self._ledger = ledger
        self._settings = settings

    def recall(self, ref: SessionRef, request: RecallRequest) -> Recalled:
        """What the agent should know for this turn; never raises for a part that is away.

        What was computed ahead for this very question is used if nothing changed since; else it is searched for.
        """
        asked = self._asked(ref, request)
        if asked.skipped:
            return Recalled(found=[], context="", query=asked.query, reason=asked.skipped)
        try:
            if (ahead := self._computed_ahead(asked)) is not None:
                return self._answer(asked, ahead, source="prefetch")
            return self._answer(asked, self._search(asked))
        except Unavailable as error:
            log.warning("recall.degraded", reason=str(error))
            return self.without_search(ref, request, reason=str(error))

    def without_search(self, ref: SessionRef, request: RecallRequest, *, reason: str) -> Recalled:
        """What can be said without a search: for a message about the exchange before it, what was computed ahead.

        Never raises for a part that is away, and asks neither the index nor the embedder.

        Args:
            ref: Who speaks where.
            request: What was asked.
            reason: Why there is no search.
        """
        asked = self._asked(ref, request)
        nothing = Recalled(found=[], context="", query=asked.query, degraded=True, reason=reason)
        # A longer message may have another topic, and no memory is better than a wrong one.
        if asked.skipped or not asked.is_of_now or not leans_on_what_was_said(request.message):
            return nothing
        try:
            ranked = self._prefetch.latest(asked.place, at=request.at)
            if ranked is None:
                return nothing
            answer = self._answer(asked, ranked, source="prefetch")
        except Unavailable:
            return nothing
        return replace(answer, degraded=True, reason=f"{reason}; what was found after the last turn is used")

    def look_ahead(self, ref: SessionRef, *, user_text: str, assistant_text: str, now: datetime) -> bool:
        """Compute what a message would recall that only takes up this exchange; returns whether it is kept.

        Raises:
            Unavailable: the index, the embedder or the database is away.
        """
        exchange = RecallRequest(message="", at=now, previous_user=user_text, last_assistant=assistant_text)
        asked = self._asked(ref, exchange)
        return not asked.skipped and self._prefetch.compute(asked.place, asked.question(asked.query))

    def note_injected(self, ref: SessionRef, request: RecallRequest, *, recalled: Recalled) -> None:
        """Remember what really reached the agent; to be called once the answer is on its way."""
        if recalled.injected and self._is_once(request):
            window = self._settings.recall.dedupe_window if request.dedupe_window is None else request.dedupe_window
            self._ledger.note(self._asked(ref, request).place, recalled.injected, window=window)

    def begin_session(self, ref: SessionRef) -> None:
        """Forget what was injected and computed ahead in a session, for everybody who shares its key."""
        self._ledger.clear(ref)
        self._prefetch.clear(ref)

    def _asked(self, ref: SessionRef, request: RecallRequest) -> "_Asked":
        scope = resolve_scope(ref, self._settings.identity)
        query = _query(request, message=request.message)
        too_short = measured_chars(query) < self._settings.recall.min_prompt_chars
        return _Asked(
            request=request,
            place=place_of(ref, scope),
            speaker=scope.speaker,
            query=query,
            zone=ref.timezone or self._settings.identity.timezone,
            skipped=_TOO_SHORT if scope.reads and too_short else None if scope.reads else scope.reason,
        )

    def _search(self, asked: "_Asked") -> list[Ranked]:
        """Rank for the message by itself; only where that finds nothing, together with what a short one leans on.

        Words of the last answer beside a question outweigh it: 20 of an unrelated one took recall at 10 from .838 to
        .71 on LoCoMo's development conversations.
        """
        own = build_query(asked.request.message, previous_user=None, last_assistant=None)
        whole = asked.question(asked.query)
        if only_agrees(own) or measured_chars(own) < self._settings.recall.min_prompt_chars:
            return self._finder.rank(asked.place.scopes, whole)
        ranked = self._finder.rank(asked.place.scopes, asked.question(own))
        threshold = self._threshold(asked.request)
        if any(entry.score >= threshold for entry in ranked) or not leans_on_what_was_said(own) or own == asked.query:
            return ranked
        return self._finder.rank(asked.place.scopes, whole)

    def _threshold(self, request: RecallRequest) -> float:
        return self._settings.recall.search_threshold if request.threshold is None else request.threshold

    def _computed_ahead(self, asked: "_Asked") -> list[Ranked] | None:
        if not asked.is_of_now or not self._prefetch.has(asked.place):
            return None
        message = asked.request.message
        text = _query(asked.request, message="" if only_agrees(message) else message)
        return self._prefetch.answer(asked.place, asked.question(text))

    def _answer(self, asked: "_Asked", ranked: Sequence[Ranked], *, source: Source = "live") -> Recalled:
        settings, request = self._settings.recall, asked.request
        choice = choose(
            ranked,
            threshold=self._threshold(request),
            limit=request.top_k or settings.top_k,
            known=self._ledger.known(asked.place) if self._is_once(request) else frozenset(),
        )
        context, packed = pack(
            [_line(entry) for entry in choice.chosen],
            budget_chars=request.budget_chars or settings.inject_chars,
            line_chars=settings.inject_chars_per_memory,
            timezone=asked.zone,
        )
        return Recalled(
            found=self._finder.load(choice.chosen, scopes=asked.place.scopes),
            context=context,
            query=asked.query,
            injected=tuple(map(as_injected, choice.chosen[:packed])),
            source=source,
            trace=choice.trace(packed=packed) if request.explain else None,
        )

    def _is_once(self, request: RecallRequest) -> bool:
        return request.dedupe and (request.reinject or self._settings.recall.reinject) is Reinject.ONCE


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A request, read: where it is made, what is searched for, and why nothing is, if so."""

    request: RecallRequest
    place: Place
    speaker: str | None
    query: str
    zone: str
    skipped: str | None

    @property
    def is_of_now(self) -> bool:
        """Whether it asks for the present; what is computed ahead tells of nothing else."""
        return self.request.as_of is None and not self.request.include_superseded

    def question(self, text: str) -> Question:
        return Question(
            text=text,
            at=self.request.at,
            zone=self.zone,
            asker=self.speaker,
            as_of=self.request.as_of,
            include_superseded=self.request.include_superseded,
        )


def _query(request: RecallRequest, *, message: str) -> str:
    return build_query(message, previous_user=request.previous_user, last_assistant=request.last_assistant)


def _line(entry: Ranked) -> Line:
    row = entry.row
    return Line(kref=row.kref, text=row.text, at=row.valid_from or row.event_at, speaker=row.speaker)
