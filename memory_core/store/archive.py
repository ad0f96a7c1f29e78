"""Statements on archived turns and on the windows before them.

Those of each assembly are made once: to put one together takes longer than to read its rows.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import bindparam, delete, literal_column, update
from sqlalchemy import select as select_columns
from sqlmodel import Session as DbSession
from sqlmodel import col, select

from memory_core.models.context import ContextWindow
from memory_core.models.memory import MemorySource
from memory_core.models.turn import Session, Turn
from memory_core.values import MemoryId, ScopeKey


class ArchivedTurn(NamedTuple):
    """A turn whose words are still here: what a context needs of it, without the cost of a row's object."""

    id: int
    text: str
    said_at: datetime
    speaker: str | None
    role: str
    is_memory: bool


class KnownWindow(NamedTuple):
    """What is remembered of a window's edge; as in `ContextWindow`."""

    edge_index: int
    edge_before: str
    edge_first: str | None


_ARCHIVED = (
    col(Turn.id),
    col(Turn.text),
    col(Turn.said_at),
    col(Turn.speaker),
    col(Turn.role),
    col(Turn.consolidated_at).is_not(None),
)
"""In the order of `ArchivedTurn`."""
_OF_CONVERSATION = (
    col(Turn.agent_id) == bindparam("agent_id"),
    col(Turn.session_key) == bindparam("session_key"),
)
_WINDOW = select_columns(
    col(ContextWindow.edge_index), col(ContextWindow.edge_before), col(ContextWindow.edge_first)
).where(
    col(ContextWindow.scope_key) == bindparam("scope"),
    col(ContextWindow.agent_id) == bindparam("agent_id"),
    col(ContextWindow.session_key) == bindparam("session_key"),
    col(ContextWindow.person) == bindparam("person"),
)
# An expression, which no index fits: SQLite would rather read every turn of the scope.
_SCOPE_BY_ITSELF = col(Turn.scope_key) + literal_column("''")
_HOLDS_TURNS = select_columns(col(Session.id)).where(
    col(Session.id).in_(bindparam("sessions", expanding=True)),
    select_columns(col(Turn.id))
    .where(col(Turn.session_id) == col(Session.id), bindparam("scope") == _SCOPE_BY_ITSELF, *_OF_CONVERSATION)
    .exists(),
)
# An index alone tells which turns these are; with the words in one statement, every turn is read and sorted.
_NEWEST = (
    select_columns(*_ARCHIVED)
    .where(
        col(Turn.id).in_(
            select_columns(col(Turn.id))
            .where(col(Turn.scope_key) == bindparam("scope"), *_OF_CONVERSATION)
            .order_by(col(Turn.id).desc())
            .limit(bindparam("limit"))
        ),
        col(Turn.text).is_not(None),
    )
    .order_by(col(Turn.id).desc())
)
_SOURCES = (
    select_columns(col(MemorySource.memory_id), *_ARCHIVED)
    .join(Turn, col(Turn.id) == col(MemorySource.turn_id))
    .where(
        col(MemorySource.memory_id).in_(bindparam("memory_ids", expanding=True)),
        _SCOPE_BY_ITSELF.in_(bindparam("scopes", expanding=True)),
        col(Turn.text).is_not(None),
    )
    .order_by(col(MemorySource.id).desc())
)


class ArchiveRepository:
    """The context engine's rows within one transaction; never commits."""

    def __init__(self, session: DbSession) -> None:
        """Work in the given database session."""
        self._db = session

    def window(self, scope: str, *, agent_id: str, session_key: str, person: str) -> KnownWindow | None:
        """The window of one person's conversation."""
        given = {"scope": scope, "agent_id": agent_id, "session_key": session_key, "person": person}
        row = self._db.connection().execute(_WINDOW, given).first()
        return None if row is None else KnownWindow._make(row)

    def set_window(self, window: ContextWindow) -> None:
        """Write a window, in the place of an earlier one."""
        self._db.merge(window)
        self._db.flush()

    def drop_windows(self, *, agent_id: str, session_key: str) -> int:
        """Forget where the windows of a conversation began, for everybody in it; returns how many."""
        statement = delete(ContextWindow).where(
            col(ContextWindow.agent_id) == agent_id, col(ContextWindow.session_key) == session_key
        )
        return self._db.exec(statement).rowcount

    def keep_session(self, turn_key: str, *, scope: ScopeKey, session_key: str, until: datetime) -> None:
        """Keep the words of a turn's session at least until then."""
        of_turn = select(Turn.session_id).where(
            Turn.scope_key == scope, Turn.session_key == session_key, Turn.turn_key == turn_key
        )
        self._db.exec(update(Session).where(col(Session.id).in_(of_turn)).values(archived_until=until))

    def sessions(self, sessions: Collection[int], *, scope: ScopeKey, agent_id: str, session_key: str) -> set[int]:
        """Which of our sessions hold turns of a conversation."""
        given = {"sessions": list(sessions), "scope": scope, "agent_id": agent_id, "session_key": session_key}
        if not sessions:
            return set()
        return {key for key in self._db.connection().execute(_HOLDS_TURNS, given).scalars() if key is not None}

    def newest(self, scope: ScopeKey, *, agent_id: str, session_key: str, limit: int) -> list[ArchivedTurn]:
        """Of the newest turns of a conversation, those whose words are still here, newest first."""
        given = {"scope": scope, "agent_id": agent_id, "session_key": session_key, "limit": limit}
        return [ArchivedTurn._make(row) for row in self._db.connection().execute(_NEWEST, given).all()]

    def sources(self, memory_ids: Sequence[MemoryId], *, scopes: Collection[ScopeKey]) -> dict[str, ArchivedTurn]:
        """By memory, the first turn it came from whose words are still here."""
        if not memory_ids or not scopes:
            return {}
        given = {"memory_ids": list(memory_ids), "scopes": list(scopes)}
        rows = self._db.connection().execute(_SOURCES, given)
        return {memory_id: ArchivedTurn._make(row) for memory_id, *row in rows}
