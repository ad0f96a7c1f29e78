"""Storing one memory on request, and putting exported ones back."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from memory_core.capture.hygiene import clean_user_text
from memory_core.capture.writing import MemoryWriter, Outcome, Proposal
from memory_core.errors import Invalid
from memory_core.kref import parse
from memory_core.models.memory import Memory
from memory_core.ports import Clock
from memory_core.privacy.redaction import redact
from memory_core.store.database import Database
from memory_core.store.memories import MemoryRepository
from memory_core.values import Decision, MemoryId, MemoryKind, MemoryStatus, Origin, Scope


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
            Unavailable: the embedder or the database is away; nothing was stored.
        """
        if scope.writes is None:
            return Stored(
                outcome=Outcome(decision=Decision.REJECT, reason=scope.reason or "nothing may be stored here")
            )
        text = redact(clean_user_text(request.text), pii=self._pii_redaction).text.strip()
        if not text:
            raise Invalid("text: nothing is left to remember after cleaning")
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
        )
        vector = self._writer.embed([proposal])[0]
        with self._database.transaction() as db:
            memories = MemoryRepository(db)
            old = self._replaced(memories, scope=scope, kref=request.replaces)
            outcome = self._writer.write(db, proposal=proposal, vector=vector, now=now)
            if old is None or outcome.memory is None or outcome.memory.id == old.id:
                return Stored(outcome=outcome)
            _supersede(memories, old=old, by=outcome.memory, at=now)
        replaced = Outcome(decision=Decision.SUPERSEDE, reason="replaces an earlier memory", memory=outcome.memory)
        return Stored(outcome=replaced, superseded=(old.kref,))

    def restore(self, proposals: Sequence[Proposal]) -> list[Outcome]:
        """Put exported memories back, in one transaction; those that are there already are left alone.

        Raises:
            Unavailable: the embedder or the database is away; nothing was stored.
        """
        with self._database.reading() as db:
            repository = MemoryRepository(db)
            scopes = sorted({proposal.scope for proposal in proposals})
            known = repository.by_ids([proposal.memory_id for proposal in proposals], scopes=scopes)
        fresh = [proposal for proposal in proposals if proposal.memory_id not in known]
        vectors = self._writer.embed(fresh)
        now = self._clock.now()
        with self._database.transaction() as db:
            return [
                self._writer.write(db, proposal=proposal, vector=vector, now=now)
                for proposal, vector in zip(fresh, vectors, strict=True)
            ]

    def _replaced(self, memories: MemoryRepository, *, scope: Scope, kref: str | None) -> Memory | None:
        if kref is None:
            return None
        address = parse(kref)
        if old := memories.by_kref(address.kref, scopes=[scope.writes] if scope.writes else []):
            return old
        raise Invalid(f"replaces: there is no memory {address.kref!r}")


def _supersede(memories: MemoryRepository, *, old: Memory, by: Memory, at: datetime) -> None:
    old.status = MemoryStatus.SUPERSEDED
    old.superseded_by = by.id
    old.valid_until = at
    old.updated_at = at
    old.version += 1
    memories.changed(old.id)
