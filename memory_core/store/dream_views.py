"""What a dream run reads of one scope: only the columns that its decisions need, no table objects."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, func
from sqlalchemy import select as select_columns
from sqlmodel import Session as DbSession
from sqlmodel import col, select

from memory_core.models.link import Link
from memory_core.models.memory import Memory, MemorySource, MemoryVector
from memory_core.store.dreams import IN_FORCE
from memory_core.values import ScopeKey

_ROWS = 500


class KnownRow(NamedTuple):
    """A memory in force."""

    memory_id: str
    kind: str
    text: str
    speaker: str | None
    origin: str
    imported: bool
    event_at: datetime
    event_until: datetime | None
    valid_from: datetime | None
    valid_until: datetime | None
    created_at: datetime
    updated_at: datetime
    status: str
    pinned: bool
    repeats: int
    tags: list[str]
    session_id: int | None
    revision: int
    version: int


_COLUMNS = (
    *(col(Memory.id), col(Memory.kind), col(Memory.text), col(Memory.speaker), col(Memory.origin)),
    *(col(Memory.imported), col(Memory.event_at), col(Memory.event_until)),
    *(col(Memory.valid_from), col(Memory.valid_until), col(Memory.created_at), col(Memory.updated_at)),
    *(col(Memory.status), col(Memory.pinned), col(Memory.count), col(Memory.tags), col(Memory.session_id)),
    *(col(Memory.revision), col(Memory.version)),
)
"""In the order of `KnownRow`."""


class DreamViewRepository:
    """Reads one scope as a run sees it: what was there when it began."""

    def __init__(self, session: DbSession, *, scope: ScopeKey, at: datetime) -> None:
        """Read memories of the scope that were there at this moment."""
        self._db = session
        self._scope = scope
        self._at = at

    def known(self) -> list[KnownRow]:
        """Memories in force, oldest first."""
        statement = select_columns(*_COLUMNS).where(*self._in_force()).order_by(col(Memory.created_at), col(Memory.id))
        return [KnownRow._make(row) for row in self._db.connection().execute(statement)]

    def models(self) -> list[tuple[str, int]]:
        """Embedding models of the memories in force with the size of a pooled vector in bytes, the commonest first."""
        number = func.count()
        statement = (
            select_columns(col(MemoryVector.model), func.max(func.length(col(MemoryVector.dense))))
            .join(Memory, col(Memory.id) == col(MemoryVector.memory_id))
            .where(*self._in_force())
            .group_by(col(MemoryVector.model))
            .order_by(number.desc(), col(MemoryVector.model))
        )
        return [(model, size) for model, size in self._db.connection().execute(statement)]

    def dense(self, model: str) -> Iterator[tuple[str, bytes]]:
        """Pooled vectors of one model by memory in force."""
        statement = (
            select(MemoryVector.memory_id, MemoryVector.dense)
            .join(Memory, col(Memory.id) == col(MemoryVector.memory_id))
            .where(*self._in_force(), col(MemoryVector.model) == model)
            .execution_options(yield_per=_ROWS)
        )
        yield from self._db.exec(statement)

    def texts(self) -> Iterator[str]:
        """What every memory says, also those that are no longer in force."""
        statement = (
            select_columns(col(Memory.text))
            .where(col(Memory.scope_key) == self._scope, col(Memory.created_at) <= self._at, col(Memory.part).is_(None))
            .execution_options(yield_per=_ROWS)
        )
        for (text,) in self._db.connection().execute(statement):
            yield text

    def edges(self) -> Iterator[tuple[str, str, str]]:
        """Source, target and kind of each edge of the scope."""
        statement = (
            select(Link.source_id, Link.target_id, Link.kind)
            .where(col(Link.scope_key) == self._scope)
            .execution_options(yield_per=_ROWS)
        )
        yield from self._db.exec(statement)

    def same_turns(self, memory_id: str, *, limit: int) -> list[str]:
        """Other memories of the scope that came from the same turns, in a fixed order."""
        turns = select(MemorySource.turn_id).where(
            MemorySource.memory_id == memory_id, col(MemorySource.turn_id).is_not(None)
        )
        statement = (
            select(MemorySource.memory_id)
            .join(Memory, col(Memory.id) == col(MemorySource.memory_id))
            .where(
                col(MemorySource.turn_id).in_(turns),
                MemorySource.memory_id != memory_id,
                Memory.scope_key == self._scope,
            )
            .distinct()
            .order_by(col(MemorySource.memory_id))
            .limit(limit)
        )
        return list(self._db.exec(statement))

    def sources_of(self, memory_ids: Sequence[str]) -> list[MemorySource]:
        """Where the memories came from."""
        statement = (
            select(MemorySource).where(col(MemorySource.memory_id).in_(memory_ids)).order_by(col(MemorySource.id))
        )
        return list(self._db.exec(statement))

    def _in_force(self) -> tuple[ColumnElement[bool], ...]:
        return (
            col(Memory.scope_key) == self._scope,
            col(Memory.status).in_(IN_FORCE),
            col(Memory.created_at) <= self._at,
            col(Memory.part).is_(None),  # passages of artifacts go and come with their revision
        )
