"""Storing one memory on request, and putting exported ones back."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import uuid4

from sqlmodel import Session as DbSession

from memory_core.capture.decisions import IN_FORCE
from memory_core.capture.hygiene import clean_user_text
from memory_core.capture.proposals import Outcome, Proposal
from memory_core.capture.relatives import Batch
from memory_core.capture.writing import MemoryWriter
from memory_core.errors import Forbidden, Invalid
from memory_core.keywords import content_words
from memory_core.kref import parse
from memory_core.models.memory import Memory, MemorySource
from memory_core.ports import Clock
from memory_core.privacy.redaction import redact
from memory_core.store.database import Database
from memory_core.store.memories import MemoryRepository
from memory_core.store.revisions import RevisionRepository
from memory_core.values import Decision, MemoryId, MemoryKind, MemoryStatus, Origin, Scope, ScopeKey

MADE_BY_TOOL = "tool"
"""Maker of memories that somebody asked to keep."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreRequest:
    """A memory that somebody asked to keep."""

    text: str
    kind: MemoryKind = MemoryKind.FACT
    space: str | None = None
    tags: tuple[str, ...] = ()
    pinned: bool = False
    event_at: datetime | None = None
    replaces: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What became of a request, and the addresses of what it replaced."""

    outcome: Outcome
    superseded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedMemory:
    """A memory as an export tells it: what it says, and what became of it since.

    Attributes:
        kref: Its address, which stays what it was.
        sources: Keys of the turns that it came from; the turns themselves need not be here.
    """

    proposal: Proposal
    kref: str
    created_at: datetime
    revision: int
    status: MemoryStatus
    valid_until: datetime | None
    count: int
    sources: tuple[str, ...]


class StoringService:
    """Stores what it is told to."""

    def __init__(self, database: Database, *, writer: MemoryWriter, clock: Clock, pii_redaction: bool) -> None:
        """Use the given parts; `pii_redaction` masks personal data, secrets are masked always."""
        self._database = database
        self._writer = writer
        self._clock = clock
        self._pii_redaction = pii_redaction

    def store(self, scope: Scope, request: StoreRequest) -> Stored:
        """Store one memory; says what really happened.

        Raises:
            Invalid: nothing is left of the text after cleaning, or `replaces` names no memory of this scope.
            Forbidden: `replaces` names what another person of the group said, and it isn't about the caller.
            Unavailable: the embedder or the database is away; nothing was stored.
        """
        if scope.writes is None:
            return Stored(
                outcome=Outcome(decision=Decision.REJECT, reason=scope.reason or "nothing may be stored here")
            )
        text = redact(clean_user_text(request.text), pii=self._pii_redaction).text.strip()
        if not text:
            raise Invalid("text: nothing is left to remember after cleaning")
        self._check_replaceable(scope, kref=request.replaces)
        now = self._clock.now()
        proposal = Proposal(
            memory_id=MemoryId(str(uuid4())),
            scope=scope.writes,
            space=request.space or scope.space,
            text=text,
            kind=request.kind,
            origin=Origin.USER,
            speaker=scope.speaker,
            said_at=now,
            event_at=request.event_at,
            pinned=request.pinned,
            tags=request.tags,
            made_by=MADE_BY_TOOL,
        )
        batch = self._writer.prepare([proposal])
        with self._database.transaction() as db:
            old = _replaced(MemoryRepository(db), scope=scope, kref=request.replaces)
            (outcome,) = self._writer.write(db, batch=batch, now=now)
            if old is not None and outcome.memory is not None and outcome.memory.id != old.id:
                outcome = _supersede(db, outcome, by=outcome.memory, old=old, at=now)
            return Stored(outcome=outcome, superseded=tuple(memory.kref for memory in outcome.superseded))

    def restore(self, exported: Sequence[ExportedMemory]) -> list[Outcome]:
        """Put exported memories back, in one transaction; those that are there already are left alone.

        Returns:
            What became of those that weren't.

        Raises:
            Unavailable: the embedder or the database is away; nothing was stored.
        """
        by_id = {memory.proposal.memory_id: memory for memory in exported}
        with self._database.reading() as db:
            known = MemoryRepository(db).existing(list(by_id))
        fresh = [self._redacted(memory) for memory_id, memory in by_id.items() if memory_id not in known]
        proposals = [memory.proposal for memory in fresh]
        batch = Batch(proposals=proposals, vectors=self._writer.embed(proposals))  # nothing is decided anew
        now = self._clock.now()
        with self._database.transaction() as db:
            outcomes = self._writer.write(db, batch=batch, now=now)
            for memory, outcome in zip(fresh, outcomes, strict=True):
                if outcome.decision is Decision.ADD and outcome.memory:
                    _restore_history(MemoryRepository(db), row=outcome.memory, exported=memory)
        return outcomes

    def link_successors(self, successors: Sequence[tuple[MemoryId, str]], *, scopes: Sequence[ScopeKey]) -> None:
        """Note by address what replaced restored memories; an address that no memory of the same scope has is left."""
        with self._database.transaction() as db:
            memories = MemoryRepository(db)
            rows = memories.by_ids([memory_id for memory_id, _ in successors], scopes=scopes)
            for memory_id, kref in successors:
                row = rows.get(memory_id)
                by = memories.by_kref(kref, scopes=[ScopeKey(row.scope_key)]) if row else None
                if row and by and row.superseded_by is None:
                    row.superseded_by = by.id

    def _redacted(self, memory: ExportedMemory) -> ExportedMemory:
        text = redact(memory.proposal.text, pii=self._pii_redaction).text
        return replace(memory, proposal=replace(memory.proposal, text=text))

    def _check_replaceable(self, scope: Scope, *, kref: str | None) -> None:
        with self._database.reading() as db:
            _replaced(MemoryRepository(db), scope=scope, kref=kref)


def _replaced(memories: MemoryRepository, *, scope: Scope, kref: str | None) -> Memory | None:
    """The memory that is to be replaced: in a group only what one said oneself or what is about oneself."""
    if kref is None:
        return None
    address = parse(kref)
    old = memories.by_kref(address.kref, scopes=[scope.writes] if scope.writes else [])
    if old is None:
        raise Invalid(f"replaces: there is no memory {address.kref!r}")
    if old.artifact_id is not None:
        raise Invalid("replaces: what was made gets new revisions by creative_capture")
    if scope.shared and not scope.is_owner and not _is_ones_own(old, name=scope.speaker):
        raise Forbidden("replaces: in a group one may replace only what one said oneself or what is about oneself")
    return old


def _is_ones_own(memory: Memory, *, name: str | None) -> bool:
    if not name:
        return False
    said_it = memory.origin == Origin.USER and (memory.speaker or "").casefold() == name.casefold()
    words = content_words(name)
    return said_it or (bool(words) and words <= content_words(memory.text))


def _supersede(db: DbSession, outcome: Outcome, *, by: Memory, old: Memory, at: datetime) -> Outcome:
    """Retire what the caller names, beside what the words themselves replace."""
    if old.status in IN_FORCE:
        RevisionRepository(db).supersede(old, by=by, at=at, reason="replaced on request")
    superseded = tuple(dict.fromkeys([*(memory.id for memory in outcome.superseded), old.id]))
    rows = {memory.id: memory for memory in (*outcome.superseded, old)}
    return replace(
        outcome,
        decision=Decision.SUPERSEDE,
        reason="replaces an earlier memory",
        superseded=tuple(rows[memory_id] for memory_id in superseded),
    )


def _restore_history(memories: MemoryRepository, *, row: Memory, exported: ExportedMemory) -> None:
    row.kref = exported.kref
    row.created_at = exported.created_at
    row.revision = exported.revision
    row.status = exported.status
    row.valid_until = exported.valid_until
    row.count = exported.count
    for turn_key in exported.sources:
        memories.add_source(MemorySource(memory_id=row.id, turn_id=None, turn_key=turn_key))
