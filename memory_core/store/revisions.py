"""Changing a memory so that what it said before stays readable."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from sqlalchemy import delete
from sqlmodel import Session as DbSession
from sqlmodel import col, select

from memory_core.models.link import Link
from memory_core.models.memory import Memory, MemoryRevision, MemoryVector
from memory_core.store.links import LinkRepository
from memory_core.store.memories import MemoryRepository
from memory_core.values import LinkKind, MemoryStatus

HISTORIC = (
    *("text", "text_key", "kind", "speaker", "status", "superseded_by", "pinned", "tags", "count"),
    *("event_at", "event_until", "valid_from", "valid_until"),
)
"""Columns that may be changed later; each revision keeps them all."""
_BATCH = 500
_EDGES = UUID("0b8c5c1e-53f0-4a0e-9c35-52c1f6a0b1d7")
"""Names the ids of edges: the same two memories and kind always make the same id."""


class RevisionRepository:
    """History of memories within one transaction; never commits."""

    def __init__(self, session: DbSession) -> None:
        """Work in the given database session."""
        self._db = session

    def revise(
        self,
        memory: Memory,
        *,
        values: Mapping[str, Any],
        at: datetime,
        reason: str,
        vector: MemoryVector | None = None,
    ) -> None:
        """Make a new revision of a memory; the present one is kept.

        Args:
            memory: A row of this session.
            values: Columns of `HISTORIC` to their new values.
            at: When.
            reason: Why, for people; no text of memories.
            vector: Vectors of a changed text.
        """
        self._db.add(
            MemoryRevision(
                memory_id=memory.id, revision=memory.revision, replaced_at=at, reason=reason, state=state_of(memory)
            )
        )
        memory.revision += 1
        self.change(memory, values=values, at=at)
        if vector is not None:
            self._db.merge(vector)

    def change(self, memory: Memory, *, values: Mapping[str, Any], at: datetime) -> None:
        """Change what isn't part of what a memory says: its status, its validity, its tags. No new revision."""
        if unknown := set(values) - set(HISTORIC):
            raise ValueError(f"no columns that may change: {sorted(unknown)}")
        for name, value in values.items():
            setattr(memory, name, value)
        memory.updated_at = at
        memory.version += 1
        MemoryRepository(self._db).changed(memory.id)

    def supersede(self, old: Memory, *, by: Memory, at: datetime, reason: str = "") -> None:
        """Note that another memory took the place of this one; it stays readable, and an edge shows it.

        It held until the other one was said, also where that was imported later.
        """
        until = by.valid_from or at
        if old.valid_from is not None:
            until = max(until, old.valid_from)
        values = {"status": MemoryStatus.SUPERSEDED, "superseded_by": by.id, "valid_until": until}
        self.change(old, values=values, at=at)
        self.link(LinkKind.SUPERSEDES, source=by, target=old, at=at, reason=reason)

    def contradict(self, newer: Memory, *, older: Memory, at: datetime, reason: str, both: bool = True) -> None:
        """Note that two memories can't both hold; a pinned one keeps its status.

        Args:
            newer: A row of this session, said later.
            older: The other one.
            at: When it was noticed.
            reason: Why, for people; no text of memories.
            both: The older one is doubtful too; else only the newer one is flagged.
        """
        for memory in (newer, older) if both else (newer,):
            if memory.status == MemoryStatus.ACTIVE and not memory.pinned:
                self.change(memory, values={"status": MemoryStatus.FLAGGED}, at=at)
        self.link(LinkKind.CONTRADICTS, source=newer, target=older, at=at, reason=reason)

    def link(self, kind: LinkKind, *, source: Memory, target: Memory, at: datetime, reason: str) -> None:
        """Draw an edge between two memories of one scope, unless it is there."""
        LinkRepository(self._db).add(
            Link(
                id=str(uuid5(_EDGES, f"{kind} {source.id} {target.id}")),
                scope_key=source.scope_key,
                kind=kind,
                source_id=source.id,
                target_id=target.id,
                reason=reason,
                created_at=at,
            )
        )

    def of(self, memory_id: str) -> list[MemoryRevision]:
        """Earlier revisions of a memory, oldest first."""
        statement = (
            select(MemoryRevision).where(MemoryRevision.memory_id == memory_id).order_by(col(MemoryRevision.revision))
        )
        return list(self._db.exec(statement))

    def forget(self, memory_ids: Sequence[str]) -> int:
        """Delete the history of memories; returns how many revisions are gone."""
        gone = 0
        for start in range(0, len(memory_ids), _BATCH):
            batch = memory_ids[start : start + _BATCH]
            gone += self._db.exec(delete(MemoryRevision).where(col(MemoryRevision.memory_id).in_(batch))).rowcount
        return gone

    def forget_single(self, revisions: Collection[tuple[str, int]]) -> int:
        """Delete single earlier revisions, by memory and number; returns how many are gone."""
        gone = 0
        for memory_id, number in revisions:
            chosen = (col(MemoryRevision.memory_id) == memory_id, col(MemoryRevision.revision) == number)
            gone += self._db.exec(delete(MemoryRevision).where(*chosen)).rowcount
        return gone


def state_of(memory: Memory) -> dict[str, Any]:
    """The columns that history keeps, as JSON values."""
    return {name: _plain(getattr(memory, name)) for name in HISTORIC}


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value
