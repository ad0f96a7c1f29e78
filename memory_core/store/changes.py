"""Statements on what the index still has to learn."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from sqlalchemy import delete, func, or_, update
from sqlmodel import Session as DbSession
from sqlmodel import col, select

from memory_core.models.memory import IndexChange, Memory, MemoryVector
from memory_core.values import ScopeKey
from memory_core.vectors import StoredVectors


class ChangeRepository:
    """The queue of index changes within one transaction; never commits."""

    def __init__(self, session: DbSession) -> None:
        """Work in the given database session."""
        self._db = session

    def due(self, epoch: str, *, limit: int) -> list[IndexChange]:
        """The oldest changes that the index of this epoch didn't acknowledge."""
        statement = select(IndexChange).where(_not_applied(epoch)).order_by(col(IndexChange.seq)).limit(limit)
        return list(self._db.exec(statement))

    def due_ids(self, epoch: str) -> set[str]:
        """Memories with changes that the index of this epoch didn't acknowledge."""
        return set(self._db.exec(select(IndexChange.memory_id).where(_not_applied(epoch))))

    def is_behind(self, epoch: str, *, scopes: Sequence[ScopeKey]) -> bool:
        """Whether the index of this epoch lacks a change of a memory of the scopes that still exists."""
        statement = (
            select(IndexChange.seq)
            .join(Memory, col(Memory.id) == col(IndexChange.memory_id))
            .where(col(Memory.scope_key).in_(scopes), _not_applied(epoch))
            .limit(1)
        )
        return self._db.exec(statement).first() is not None

    def states(self, memory_ids: Sequence[str]) -> list[tuple[Memory, MemoryVector]]:
        """Memories with their vectors; those that are gone are missing."""
        statement = (
            select(Memory, MemoryVector)
            .join(MemoryVector, col(MemoryVector.memory_id) == col(Memory.id))
            .where(col(Memory.id).in_(memory_ids))
        )
        return [(memory, vector) for memory, vector in self._db.exec(statement)]

    def versions(self, memory_ids: Sequence[str]) -> Mapping[str, int]:
        """Present version by memory; those that are gone are missing, as in `states`."""
        statement = (
            select(Memory.id, Memory.version)
            .join(MemoryVector, col(MemoryVector.memory_id) == col(Memory.id))
            .where(col(Memory.id).in_(memory_ids))
        )
        return dict(self._db.exec(statement).all())

    def replace_vectors(self, memory_id: str, *, model: str, vectors: StoredVectors) -> None:
        """Store vectors of another model; nothing happens when the memory is gone, or has vectors of that model."""
        self._db.exec(
            update(MemoryVector)
            .where(col(MemoryVector.memory_id) == memory_id, col(MemoryVector.model) != model)
            .values(model=model, **asdict(vectors))
        )

    def stale(self, model: str, *, limit: int) -> list[Memory]:
        """Memories whose vectors are of another model, the newest first."""
        statement = (
            select(Memory)
            .join(MemoryVector, col(MemoryVector.memory_id) == col(Memory.id))
            .where(col(MemoryVector.model) != model)
            .order_by(col(Memory.created_at).desc())
            .limit(limit)
        )
        return list(self._db.exec(statement))

    def stale_count(self, model: str) -> int:
        """Number of memories whose vectors are of another model."""
        statement = select(func.count()).select_from(MemoryVector).where(col(MemoryVector.model) != model)
        return self._db.exec(statement).one()

    def mark_applied(self, memory_ids: Sequence[str], *, through: int, epoch: str) -> None:
        """Note that the index has the state that these memories had at change `through`."""
        self._db.exec(
            update(IndexChange)
            .where(col(IndexChange.memory_id).in_(memory_ids), col(IndexChange.seq) <= through)
            .values(applied_epoch=epoch)
        )

    def newest_applied(self, epoch: str) -> int | None:
        """Number of the newest change that the index of this epoch acknowledged."""
        return self._db.exec(select(func.max(IndexChange.seq)).where(IndexChange.applied_epoch == epoch)).one()

    def drop_applied(self, epoch: str, *, through: int) -> int:
        """Delete changes that a flush made permanent; returns how many."""
        statement = delete(IndexChange).where(col(IndexChange.applied_epoch) == epoch, col(IndexChange.seq) <= through)
        return self._db.exec(statement).rowcount

    def add(self, memory_ids: Sequence[str]) -> None:
        """Put memories into the queue, to be written or removed as their rows are then."""
        self._db.add_all(IndexChange(memory_id=memory_id) for memory_id in memory_ids)
        self._db.flush()

    def memory_ids(self) -> set[str]:
        """Ids of all memories that have vectors, and so a point each."""
        return set(self._db.exec(select(MemoryVector.memory_id)))

    def lag(self, epoch: str) -> int:
        """Number of changes that the index doesn't have."""
        return self._db.exec(select(func.count()).select_from(IndexChange).where(_not_applied(epoch))).one()


def _not_applied(epoch: str):  # noqa: ANN202 SQLAlchemy's own type of a clause says nothing to a reader
    return or_(col(IndexChange.applied_epoch).is_(None), col(IndexChange.applied_epoch) != epoch)
