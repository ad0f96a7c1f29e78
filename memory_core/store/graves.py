"""Statements on tombstones as a whole, and on what they may lie over."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import func
from sqlalchemy import select as select_columns
from sqlmodel import Session as DbSession
from sqlmodel import col, select

from memory_core.models.artifact import Artifact, ArtifactCapture, ArtifactRevision
from memory_core.models.memory import Memory, MemoryRevision, Tombstone
from memory_core.models.turn import Turn


class Buriable(NamedTuple):
    """A memory, as far as tombstones know it."""

    memory_id: str
    scope_key: str
    text_key: str
    said_at: datetime


class GraveRepository:
    """All scopes at once, within one transaction; for restoring a backup and for housekeeping only. Never commits."""

    def __init__(self, session: DbSession) -> None:
        """Work in the given database session."""
        self._db = session

    def all(self) -> list[Tombstone]:
        """Every tombstone."""
        return list(self._db.exec(select(Tombstone)))

    def newest(self) -> datetime | None:
        """When something was last forgotten."""
        return self._db.exec(select(func.max(Tombstone.forgotten_at))).one()

    def add(self, tombstones: Sequence[Tombstone]) -> None:
        """Take over tombstones of another database; of two on the same thing the later holds."""
        for one in tombstones:
            known = self._db.get(Tombstone, (one.scope_key, one.text_key))
            if known is None:
                self._db.add(Tombstone(scope_key=one.scope_key, text_key=one.text_key, forgotten_at=one.forgotten_at))
            else:
                known.forgotten_at = max(known.forgotten_at, one.forgotten_at)
        self._db.flush()

    def memories(self) -> list[Buriable]:
        """Every memory, as far as tombstones know them."""
        said_at = func.coalesce(col(Memory.valid_from), col(Memory.created_at))
        statement = select_columns(col(Memory.id), col(Memory.scope_key), col(Memory.text_key), said_at)
        return [Buriable._make(row) for row in self._db.connection().execute(statement)]

    def revisions(self) -> list[tuple[str, MemoryRevision]]:
        """Every earlier revision, each behind the scope of its memory."""
        statement = select(Memory.scope_key, MemoryRevision).join(
            MemoryRevision, col(MemoryRevision.memory_id) == col(Memory.id)
        )
        return [(scope, revision) for scope, revision in self._db.exec(statement)]

    def turns(self) -> list[Turn]:
        """Every turn whose words are here."""
        return list(self._db.exec(select(Turn).where(col(Turn.text).is_not(None))))

    def versions(self) -> list[tuple[str, str]]:
        """Scope and id of every earlier version of a made thing."""
        statement = (
            select(Artifact.scope_key, ArtifactRevision.id)
            .join(ArtifactRevision, col(ArtifactRevision.artifact_id) == col(Artifact.id))
            .where(col(ArtifactRevision.revision) != col(Artifact.current))
        )
        return list(self._db.exec(statement))

    def requests(self) -> list[ArtifactCapture]:
        """Every request to keep something that isn't done."""
        return list(self._db.exec(select(ArtifactCapture).where(col(ArtifactCapture.artifact_id).is_(None))))
