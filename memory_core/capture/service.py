"""Taking turns in: cleaned, redacted, on disk with the work they cause, in one transaction."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from sqlmodel import Session as DbSession

from memory_core.capture.hygiene import clean_assistant_text, clean_user_text, mention_tools, skip_reason
from memory_core.identity import opaque_label, resolve_scope
from memory_core.models.turn import Session
from memory_core.ports import Clock
from memory_core.privacy.redaction import redact
from memory_core.settings import Settings
from memory_core.store.buffering import BufferRepository, NewTurn
from memory_core.store.database import Database
from memory_core.store.jobs import JobRepository
from memory_core.store.model_calls import ModelCallRepository
from memory_core.store.turns import TurnRepository
from memory_core.store.unsaved import UnsavedRepository
from memory_core.values import JobId, Origin, Scope, ScopeKey, SessionRef

MAX_UTTERANCE_CHARS = 32_000
"""Longer utterances are cut; SPEC section 4."""

PAUSE_AFTER_FAILURE = timedelta(minutes=10)
"""How long the idle track leaves a scope alone whose consolidation failed for good."""

_LOOKED_BACK = timedelta(days=1)
"""Words of sessions that were over earlier are gone, unless the context engine keeps them."""


class CaptureStatus(StrEnum):
    """What became of a turn."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTurn:
    """An exchange as the gateway saw it end.

    Attributes:
        gateway_id: Through which gateway it came; only that one's model may read its words. None when unknown.
    """

    turn_key: str
    at: datetime
    user_text: str
    assistant_text: str
    media: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    gateway_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedLine:
    """One utterance of a transcript file; `number` is its line."""

    number: int
    ref: SessionRef
    message_key: str
    at: datetime
    role: Origin
    speaker: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """What became of a live turn; `waiting` counts the utterances of the scope that aren't consolidated."""

    status: CaptureStatus
    waiting: int
    scheduled: bool = False
    reason: str | None = None


@dataclass(slots=True, kw_only=True)
class Replayed:
    """What became of a batch of lines; `newest` is the number of the newest turn by scope."""

    captured: int = 0
    skipped: int = 0
    newest: dict[ScopeKey, int] = field(default_factory=dict[ScopeKey, int])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Utterance:
    turn_key: str
    role: Origin
    speaker: str | None
    said_at: datetime
    text: str


class CaptureService:
    """Takes turns and transcript lines in."""

    def __init__(self, database: Database, *, clock: Clock, settings: Settings, on_work: Callable[[], None]) -> None:
        """Use the given parts; `on_work` is called after a commit that owes a job, and must not block."""
        self._database = database
        self._clock = clock
        self._settings = settings
        self._on_work = on_work

    def accept(self, ref: SessionRef, turn: LiveTurn) -> Captured:
        """Buffer a live turn; on disk when this returns. A repeat of the turn key adds nothing.

        Raises:
            Unavailable: the tables can't be written; nothing was kept, and the caller should try again.
        """
        scope = resolve_scope(ref, self._settings.identity)
        reason = scope.reason or skip_reason(ref.trigger, turn.user_text)
        utterances = [] if reason else self._utterances(scope, turn)
        if scope.writes is None or len(utterances) < 2:  # noqa: PLR2004 a turn is what both said
            half = "one half of the turn is empty after cleaning"
            return Captured(status=CaptureStatus.SKIPPED, waiting=self._waiting(scope), reason=reason or half)
        captured = self._accept(ref, scope=scope, utterances=utterances, gateway_id=turn.gateway_id)
        if captured.scheduled:
            self._on_work()
        return captured

    def replay(self, lines: Sequence[ReplayedLine]) -> Replayed:
        """Buffer lines of a transcript in order, in one transaction; known keys are skipped.

        Raises:
            Unavailable: the tables can't be written; nothing of this batch was kept.
        """
        result = Replayed()
        written: set[ScopeKey] = set()
        prepared = [(line, resolve_scope(line.ref, self._settings.identity), self._line(line)) for line in lines]
        with self._database.transaction() as db:
            TurnRepository(db).serialise(scope.writes for _, scope, _ in prepared if scope.writes)
            for line, scope, utterance in prepared:
                if utterance is None or scope.writes is None or self._is_known(db, line=line, scope=scope.writes):
                    result.skipped += 1
                    continue
                self._buffer(db, ref=line.ref, scope=scope, utterances=[utterance], imported=True)
                written.add(scope.writes)
                result.captured += 1
            for key in written:
                result.newest[key] = BufferRepository(db).waiting(key).newest or 0
        return result

    def start_session(self, ref: SessionRef) -> str:
        """Label of the session in progress, or of the one that the next turn will begin."""
        scope = resolve_scope(ref, self._settings.identity)
        now = self._clock.now()
        day = now.astimezone(self._zone(ref)).date()
        if scope.writes is None:
            return opaque_label(ref, scope, day=f"{day:%Y%m%d}", number=0)
        with self._database.reading() as db:
            session = BufferRepository(db).open_session(scope.writes, at=now, quiet=self._quiet(), imported=False)
            number = TurnRepository(db).sessions_of_day(scope.writes, day=day) + 1
        return session.label if session else opaque_label(ref, scope, day=f"{day:%Y%m%d}", number=number)

    def end_session(self, ref: SessionRef) -> str:
        """Close the session in progress and owe the consolidation of what waits; returns its label.

        The gateway doesn't say who ended it, and several people may share a session key: it ends for all of them.
        """
        scope = resolve_scope(ref, self._settings.identity)
        label = self.start_session(ref)
        with self._database.transaction() as db:
            turns = TurnRepository(db)
            ended = turns.scopes_waiting(agent_id=ref.agent_id, session_key=ref.session_key)
            ended |= {scope.writes} if scope.writes else set()
            for key in ended:
                turns.end_sessions(key, at=self._clock.now())
        for key in ended:
            self.owe_now(key)
        return label

    def owe_now(self, scope: ScopeKey) -> JobId | None:
        """Owe the consolidation of everything that waits in a scope; None when nothing does."""
        with self._database.transaction() as db:
            TurnRepository(db).serialise([scope])
            newest = TurnRepository(db).newest_waiting(scope)
            if newest is None:
                return None
            job_id = JobRepository(db).owe_consolidation(scope, through=newest, at=self._clock.now())
        self._on_work()
        return job_id

    def owe_idle(self) -> int:
        """Owe the consolidation of every scope that went quiet and didn't just fail; returns how many.

        Also where an earlier flush left nothing to wait, if long answers are yet to be looked at for works.
        """
        now = self._clock.now()
        before = now - timedelta(seconds=self._settings.capture.idle_consolidation_timeout_s)
        with self._database.reading() as db:
            failed = JobRepository(db).scopes_failed_since(now - PAUSE_AFTER_FAILURE)
            scopes = [scope for scope in TurnRepository(db).quiet_scopes(before=before) if scope not in failed]
            over = UnsavedRepository(db).scopes_to_look_at(since=now - _LOOKED_BACK, now=now, quiet=now - before)
            unseen = over.difference(scopes, failed)
        for scope in scopes:
            self.owe_now(scope)
        for scope in unseen:
            self._owe_look(scope)
        return len(scopes) + len(unseen)

    def _owe_look(self, scope: ScopeKey) -> None:
        with self._database.transaction() as db:
            JobRepository(db).owe_consolidation(scope, through=0, at=self._clock.now())
        self._on_work()

    def drop_consolidated(self) -> int:
        """Overwrite the words of consolidated turns of sessions that went quiet; returns how many."""
        now = self._clock.now()
        quiet_since = now - timedelta(seconds=self._settings.capture.session_ttl_s)
        with self._database.transaction() as db:
            return TurnRepository(db).drop_texts(quiet_since=quiet_since, now=now)

    def _accept(
        self, ref: SessionRef, *, scope: Scope, utterances: Sequence[_Utterance], gateway_id: str | None
    ) -> Captured:
        key = scope.writes or ScopeKey("")
        turn_keys = [utterance.turn_key for utterance in utterances]
        with self._database.transaction() as db:
            TurnRepository(db).serialise([key])
            buffer = BufferRepository(db)
            if buffer.known_keys(key, agent_id=ref.agent_id, session_key=ref.session_key, turn_keys=turn_keys):
                return Captured(status=CaptureStatus.DUPLICATE, waiting=buffer.waiting(key).turns)
            if gateway_id:
                ModelCallRepository(db).serve(key, gateway_id=gateway_id)
            self._buffer(db, ref=ref, scope=scope, utterances=utterances, imported=False)
            waiting = buffer.waiting(key)
            scheduled = waiting.turns >= self._settings.capture.consolidation_threshold
            if scheduled:
                JobRepository(db).owe_consolidation(key, through=waiting.newest or 0, at=self._clock.now())
        return Captured(status=CaptureStatus.ACCEPTED, waiting=waiting.turns, scheduled=scheduled)

    def _utterances(self, scope: Scope, turn: LiveTurn) -> list[_Utterance]:
        media = "".join(f" [attached: {name}]" for name in turn.media)
        answer = clean_assistant_text(turn.assistant_text[:MAX_UTTERANCE_CHARS])
        said = (
            (Origin.USER, scope.speaker, clean_user_text(turn.user_text[:MAX_UTTERANCE_CHARS]) + media),
            (Origin.ASSISTANT, None, answer + mention_tools(turn.tools) if answer.strip() else ""),
        )
        return [
            _Utterance(turn_key=turn.turn_key, role=role, speaker=speaker, said_at=turn.at, text=self._redact(text))
            for role, speaker, text in said
            if text.strip()
        ]

    def _line(self, line: ReplayedLine) -> _Utterance | None:
        clean = clean_assistant_text if line.role is Origin.ASSISTANT else clean_user_text
        text = clean(line.text[:MAX_UTTERANCE_CHARS])
        if not text.strip():
            return None
        return _Utterance(
            turn_key=line.message_key,
            role=line.role,
            speaker=line.speaker,
            said_at=line.at,
            text=self._redact(text),
        )

    def _redact(self, text: str) -> str:
        return redact(text, pii=self._settings.capture.pii_redaction).text

    def _is_known(self, db: DbSession, *, line: ReplayedLine, scope: ScopeKey) -> bool:
        known = BufferRepository(db).known_keys(
            scope, agent_id=line.ref.agent_id, session_key=line.ref.session_key, turn_keys=[line.message_key]
        )
        return bool(known)

    def _buffer(
        self, db: DbSession, *, ref: SessionRef, scope: Scope, utterances: Iterable[_Utterance], imported: bool
    ) -> None:
        said = list(utterances)
        session_id = self._session(db, ref=ref, scope=scope, said=said, imported=imported)
        rows = [
            NewTurn(
                session_id=session_id,
                scope_key=scope.writes or "",
                space=scope.space,
                agent_id=ref.agent_id,
                session_key=ref.session_key,
                turn_key=utterance.turn_key,
                role=utterance.role,
                speaker=utterance.speaker,
                said_at=utterance.said_at,
                timezone=ref.timezone or self._settings.identity.timezone,
                text=utterance.text,
                imported=imported,
                created_at=self._clock.now(),
            )
            for utterance in said
        ]
        BufferRepository(db).add(rows)

    def _session(
        self, db: DbSession, *, ref: SessionRef, scope: Scope, said: Sequence[_Utterance], imported: bool
    ) -> int:
        """Number of the session that goes on with these utterances, or of a new one."""
        buffer, key, at = BufferRepository(db), scope.writes or ScopeKey(""), said[0].said_at
        newest_at = max(utterance.said_at for utterance in said)
        if session := buffer.open_session(key, at=at, quiet=self._quiet(), imported=imported):
            buffer.go_on(session.id, last_at=max(session.last_at, newest_at), received_at=self._clock.now())
            return session.id
        turns = TurnRepository(db)
        day = at.astimezone(self._zone(ref)).date()
        number = turns.sessions_of_day(key, day=day) + 1
        new = Session(
            scope_key=key,
            label=opaque_label(ref, scope, day=f"{day:%Y%m%d}", number=number),
            day=day,
            number=number,
            started_at=at,
            last_at=newest_at,
            last_received_at=self._clock.now(),
            imported=imported,
        )
        turns.add(new)
        return new.id or 0

    def _quiet(self) -> timedelta:
        return timedelta(seconds=self._settings.capture.session_ttl_s)

    def _zone(self, ref: SessionRef) -> ZoneInfo:
        return ZoneInfo(ref.timezone or self._settings.identity.timezone)

    def _waiting(self, scope: Scope) -> int:
        if scope.writes is None:
            return 0
        with self._database.reading() as db:
            return BufferRepository(db).waiting(scope.writes).turns
