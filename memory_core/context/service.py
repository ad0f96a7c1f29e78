"""The context engine: turns committed once, a window that moves instead of a summary, memory for what left it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import blake2b

import structlog

from memory_core.capture.service import Captured, CaptureService, CaptureStatus, LiveTurn
from memory_core.context.archive import Archive, Wanted
from memory_core.context.beginnings import Beginnings
from memory_core.context.exchanges import Exchange, read_exchanges
from memory_core.context.messages import Message, total_tokens
from memory_core.context.tokens import estimate_tokens
from memory_core.context.window import Edge, Rule, Window, compacted, edge_at, find_window
from memory_core.context.working_memory import flatten
from memory_core.identity import resolve_scope
from memory_core.models.context import ContextWindow
from memory_core.ports import Clock
from memory_core.recall.packing import Line, pack
from memory_core.recall.place import Place, place_of
from memory_core.recall.service import Recalled, RecallRequest, RecallService
from memory_core.recall.staging import Staging
from memory_core.settings import Settings
from memory_core.store.archive import ArchiveRepository
from memory_core.store.database import Database
from memory_core.values import MemoryId, SessionRef

log = structlog.get_logger(__name__)

_ADDITION_SHARE = 0.5
"""Of a context's tokens, what memory may take at most.

With half of them .68 of the turns that answer come back at 1,000 tokens and .74 at 2,000, with a quarter .51 and .68
(LoCoMo's development conversations); from 4,000 tokens on the block's own limit decides.
"""
_RESERVED_SHARE = 0.125
"""Of a context's tokens, what the window leaves to memory, at most the longest block.

A window that filled 95 % of a small budget left one line. By choice; no share was measured against another.
"""
_CHARS_A_TOKEN = 3.5
"""Of a block, most of which is Latin: addresses, dates, and what Latin memories say."""
_PACKED_AT_MOST = 4
"""How often a block is written again, shorter, because its script takes more tokens."""
_ARCHIVE_THRESHOLD_SHARE = 0.35
"""What this conversation itself said and the window dropped comes back at a lower score: the model had it before."""
_UNLIMITED_TOKENS = 1_000_000_000
_PERSON_BYTES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """What the model gets of a transcript.

    Attributes:
        keep_from: Number of the first message that stays.
        addition: The memory block for the turn's own message; empty when there is nothing to say.
        tokens: About what the kept messages and the block take.
        recalled: The recall behind the block; None when none was made.
    """

    keep_from: int
    addition: str = ""
    tokens: int
    recalled: Recalled | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """What a compaction did; `archived` counts messages that left the window."""

    compacted: bool
    tokens_before: int
    tokens_after: int
    archived: int = 0
    reason: str | None = None


class ContextService:
    """Owns the model's context where the operator chose so."""

    def __init__(
        self,
        database: Database,
        *,
        capture: CaptureService,
        recall: RecallService,
        staging: Staging,
        settings: Settings,
        clock: Clock,
    ) -> None:
        """Use the given parts."""
        self._database = database
        self._capture = capture
        self._recall = recall
        self._staging = staging
        self._settings = settings
        self._clock = clock
        self._archive = Archive(database)
        self._beginnings = Beginnings()

    def bootstrap(self, ref: SessionRef, messages: Sequence[Message]) -> int:
        """Take in what was said before this engine had the conversation; returns how many exchanges were new.

        Raises:
            Unavailable: the tables can't be written; what was taken in stays.
        """
        return sum(
            self._commit(ref, exchange).status is CaptureStatus.ACCEPTED
            for exchange in read_exchanges(messages)
            if _is_of(exchange, ref)
        )

    def commit(self, ref: SessionRef, messages: Sequence[Message], *, key: str) -> bool:
        """Keep an accepted turn, once however often it is offered; tells whether it was new.

        Raises:
            Unavailable: the tables can't be written; nothing was kept.
        """
        exchanges = [exchange for exchange in read_exchanges(messages) if _is_of(exchange, ref)]
        statuses = [
            self._commit(ref, replace(exchange, key=key if number == 0 else f"{key}:{number}")).status
            for number, exchange in enumerate(exchanges)
        ]
        return CaptureStatus.DUPLICATE not in statuses

    def assemble(
        self, ref: SessionRef, messages: Sequence[Message], *, prompt: str | None, budget: int | None
    ) -> Assembled:
        """Which messages stay, and what memory adds to the turn; never more than the budget.

        Args:
            ref: Who speaks where.
            messages: The transcript before the turn.
            prompt: What is asked now; None leaves memory out.
            budget: Most tokens; None when the host doesn't say.
        """
        place = self._place(ref)
        window = find_window(messages, self._edge(place), beginnings=self._beginnings)
        room = budget or _UNLIMITED_TOKENS
        room_for_window = room - min(int(room * _RESERVED_SHARE), self._longest_block())
        kept = messages[window.begin :]
        used = total_tokens(kept)
        if used > room_for_window:
            begin = compacted(messages, start=window.begin, rule=self._rule(), budget=room_for_window)
            window = self._move_edge(place, messages, window=window, begin=begin)
            kept = messages[window.begin :]
            used = total_tokens(kept)
        if prompt is None:
            return Assembled(keep_from=window.begin, tokens=used)
        recalled, lines = self._lines(ref, place, prompt=prompt, kept=kept, is_windowed=window.is_windowed)
        addition = self._packed(
            lines,
            tokens=min(int(room * _ADDITION_SHARE), max(room - used, 0)),
            timezone=ref.timezone or self._settings.identity.timezone,
        )
        return Assembled(
            keep_from=window.begin, addition=addition, tokens=used + estimate_tokens(addition), recalled=recalled
        )

    def compact(
        self,
        ref: SessionRef,
        messages: Sequence[Message],
        *,
        budget: int | None,
        force: bool,
        host_tokens: int | None = None,
    ) -> Compacted:
        """Move the window's edge; what lies before it comes back through recall.

        Args:
            ref: Whose conversation.
            messages: The transcript.
            budget: Most tokens that may stay; None when only fewer are wanted.
            force: Also when everything would fit.
            host_tokens: What the host says the transcript takes.
        """
        place = self._place(ref)
        window = find_window(messages, self._edge(place), beginnings=self._beginnings)
        before = total_tokens(messages[window.begin :])
        room = budget or _UNLIMITED_TOKENS
        if host_tokens and budget and host_tokens > budget:
            # The host counts more than we do, perhaps with the model's own tokenizer: its measure decides.
            room = int(budget * min(before / host_tokens, 1.0))
            force = True
        if not force and before <= room:
            return Compacted(compacted=False, tokens_before=before, tokens_after=before, reason="it fits already")
        begin = compacted(messages, start=window.begin, rule=self._rule(), budget=room)
        if begin == window.begin:
            reason = "only the exchange in progress and the protected end are left"
            return Compacted(compacted=False, tokens_before=before, tokens_after=before, reason=reason)
        self._move_edge(place, messages, window=window, begin=begin)
        log.info("context.compacted", archived=begin - window.begin, kept=len(messages) - begin)
        return Compacted(
            compacted=True,
            tokens_before=before,
            tokens_after=total_tokens(messages[begin:]),
            archived=begin - window.begin,
        )

    def end(self, ref: SessionRef) -> None:
        """A conversation starts anew: its windows and what waited for it are gone, for everybody in it."""
        self._staging.clear(ref)
        with self._database.transaction() as db:
            ArchiveRepository(db).drop_windows(agent_id=ref.agent_id, session_key=ref.session_key)

    def _commit(self, ref: SessionRef, exchange: Exchange) -> Captured:
        at = exchange.at or self._clock.now()
        turn = LiveTurn(
            turn_key=exchange.key, at=at, user_text=exchange.user_text, assistant_text=exchange.assistant_text
        )
        captured = self._capture.accept(ref, turn)
        scope = resolve_scope(ref, self._settings.identity).writes
        if scope is not None and captured.status is not CaptureStatus.SKIPPED:
            until = self._clock.now() + timedelta(days=self._settings.context.archive_ttl_days)
            with self._database.transaction() as db:
                ArchiveRepository(db).keep_session(exchange.key, scope=scope, session_key=ref.session_key, until=until)
        return captured

    def _lines(
        self, ref: SessionRef, place: Place, *, prompt: str, kept: Sequence[Message], is_windowed: bool
    ) -> tuple[Recalled, list[Line]]:
        threshold = self._settings.recall.search_threshold
        before = _last_exchange(kept, ref)
        request = RecallRequest(
            message=prompt,
            at=self._clock.now(),
            previous_user=before.user_text if before else None,
            last_assistant=before.assistant_text if before else None,
            top_k=self._settings.context.recall_limit,
            threshold=threshold * _ARCHIVE_THRESHOLD_SHARE if is_windowed else threshold,
        )
        recalled = self._recall.recall(ref, request)
        doubtful = {hit.memory.session_id or 0 for hit in recalled.found if hit.score < threshold}
        own = self._archive.sessions(place, among=doubtful) if is_windowed else frozenset[int]()
        found = [hit for hit in recalled.found if hit.score >= threshold or hit.memory.session_id in own]
        wanted = Wanted(
            question=recalled.query,
            found=found,
            turns=self._archive.newest(place) if is_windowed else (),
            tail=flatten("\n".join(message.text for message in kept)),
            limit=self._settings.context.recall_limit,
        )
        staged = self._staging.take(place)
        self._staging.show(place, [*staged, *(MemoryId(hit.memory.id) for hit in found)])
        lines = self._archive.memories(staged, scopes=place.scopes) + self._archive.lines(place, wanted)
        if is_windowed:
            known = "\n".join([wanted.tail, *(flatten(line.text) for line in lines)])
            lines += self._archive.snapshot(wanted.turns, known=known)
        return recalled, list({line.text: line for line in lines}.values())

    def _packed(self, lines: Sequence[Line], *, tokens: int, timezone: str) -> str:
        """The block of the first lines that fit; empty when not one does."""
        settings = self._settings.recall
        chars = int(min(tokens * _CHARS_A_TOKEN, settings.inject_chars))
        for _ in range(_PACKED_AT_MOST):
            block, _ = pack(lines, budget_chars=chars, line_chars=settings.inject_chars_per_memory, timezone=timezone)
            spent = estimate_tokens(block)
            if spent <= tokens:
                return block
            chars = len(block) * tokens // spent
        return ""

    def _longest_block(self) -> int:
        return int(self._settings.recall.inject_chars / _CHARS_A_TOKEN)

    def _rule(self) -> Rule:
        settings = self._settings.context
        return Rule(mode=settings.compaction_mode, protect_tail=settings.protect_tail)

    def _place(self, ref: SessionRef) -> Place:
        return place_of(ref, resolve_scope(ref, self._settings.identity))

    def _edge(self, place: Place) -> Edge | None:
        with self._database.reading() as db:
            window = ArchiveRepository(db).window(
                _scope_of(place), agent_id=place.agent_id, session_key=place.session_key, person=_person_of(place)
            )
        if window is None:
            return None
        return Edge(index=window.edge_index, before=window.edge_before, first=window.edge_first)

    def _move_edge(self, place: Place, messages: Sequence[Message], *, window: Window, begin: int) -> Window:
        edge = edge_at(messages, begin, base=window.base, beginnings=self._beginnings)
        with self._database.transaction() as db:
            ArchiveRepository(db).set_window(
                ContextWindow(
                    scope_key=_scope_of(place),
                    agent_id=place.agent_id,
                    session_key=place.session_key,
                    person=_person_of(place),
                    edge_index=edge.index,
                    edge_before=edge.before,
                    edge_first=edge.first,
                    updated_at=self._clock.now(),
                )
            )
        if self._settings.context.auto_consolidate:
            for scope in place.scopes:
                self._capture.owe_now(scope)
        return replace(window, begin=begin)


def _last_exchange(messages: Sequence[Message], ref: SessionRef) -> Exchange | None:
    """The newest one that the one who speaks had; a long transcript is read from its end."""
    end = len(messages)
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].begins_exchange:
            for exchange in read_exchanges(messages[index:end]):
                if _is_of(exchange, ref):
                    return exchange
            end = index
    return None


def _is_of(exchange: Exchange, ref: SessionRef) -> bool:
    """Whether the one who speaks said it; many may share a session."""
    return exchange.sender_id is None or exchange.sender_id == ref.sender_id


def _scope_of(place: Place) -> str:
    return "+".join(place.scopes)


def _person_of(place: Place) -> str:
    return blake2b("\0".join(place.person).encode(), digest_size=_PERSON_BYTES).hexdigest()
