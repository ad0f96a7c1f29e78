"""Statements of the hot path: only the columns that ranking needs, no table objects."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import func
from sqlalchemy import select as select_columns
from sqlmodel import Session as DbSession
from sqlmodel import col, select

from memory_core.models.memory import Memory, MemoryVector, ScopeVersion
from memory_core.values import MemoryId, ScopeKey


class PoolRow(NamedTuple):
    """What ranking looks at of one memory; vectors in their stored form."""

    memory_id: MemoryId
    kref: str
    text: str
    speaker: str | None
    kind: str
    space: str
    status: str
    session_id: int | None
    repeats: int
    pinned: bool
    event_at: datetime
    event_until: datetime | None
    valid_from: datetime | None
    valid_until: datetime | None
    version: int
    tokens: bytes
    token_width: int
    keywords: bytes


_COLUMNS = (
    *(col(Memory.id), col(Memory.kref), col(Memory.text), col(Memory.speaker), col(Memory.kind), col(Memory.space)),
    *(col(Memory.status), col(Memory.session_id), col(Memory.count), col(Memory.pinned)),
    *(col(Memory.event_at), col(Memory.event_until), col(Memory.valid_from), col(Memory.valid_until)),
    col(Memory.version),
    *(col(MemoryVector.tokens), col(MemoryVector.token_width), col(MemoryVector.keywords)),
)
"""In the order of `PoolRow`."""


class PoolRepository:
    """Reads pools within one transaction; every read names the scopes that it may see."""

    def __init__(self, session: DbSession) -> None:
        """Work in the given database session."""
        self._db = session

    def version(self, scopes: Sequence[ScopeKey]) -> int:
        """A number that grows with every change of a memory of the scopes, whoever made it."""
        statement = select(func.sum(ScopeVersion.version)).where(col(ScopeVersion.scope_key).in_(scopes))
        return int(self._db.exec(statement).one() or 0)

    def speakers(self, scopes: Sequence[ScopeKey]) -> Mapping[str, int]:
        """Who said the memories of the scopes, with how many each."""
        statement = (
            select(Memory.speaker, func.count())
            .where(col(Memory.scope_key).in_(scopes), col(Memory.speaker).is_not(None))
            .group_by(col(Memory.speaker))
        )
        return {speaker: number for speaker, number in self._db.exec(statement) if speaker is not None}

    def sessions_of(self, ids: Sequence[MemoryId], *, scopes: Sequence[ScopeKey]) -> set[int]:
        """Sessions in which the memories were said."""
        statement = select(Memory.session_id).where(
            col(Memory.id).in_(ids), col(Memory.scope_key).in_(scopes), col(Memory.session_id).is_not(None)
        )
        return {number for number in self._db.exec(statement) if number is not None}

    def places(self, sessions: Sequence[int], *, scopes: Sequence[ScopeKey]) -> dict[int, list[MemoryId]]:
        """Ids of the memories of each session, in the order in which they were said."""
        statement = (
            select(Memory.session_id, Memory.id)
            .where(col(Memory.session_id).in_(sessions), col(Memory.scope_key).in_(scopes))
            .order_by(col(Memory.session_id), col(Memory.position))
        )
        order: dict[int, list[MemoryId]] = {}
        for session_id, memory_id in self._db.exec(statement):
            order.setdefault(session_id or 0, []).append(MemoryId(memory_id))
        return order

    def rows(self, ids: Sequence[MemoryId], *, scopes: Sequence[ScopeKey]) -> list[PoolRow]:
        """The memories of a pool as far as they lie in the scopes, in no order."""
        statement = (
            select_columns(*_COLUMNS)
            .join(MemoryVector, col(MemoryVector.memory_id) == col(Memory.id))
            .where(col(Memory.id).in_(ids), col(Memory.scope_key).in_(scopes))
        )
        return [PoolRow._make(row) for row in self._db.connection().execute(statement)]
