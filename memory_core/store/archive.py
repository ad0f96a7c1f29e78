"""Statements on archived turns and on the windows before them."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import delete, literal_column, update
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
    consolidated_at: datetime | None


_ARCHIVED = (
    col(Turn.id),
    col(Turn.text),
    col(Turn.said_at),
    col(Turn.speaker),
    col(Turn.role),
    col(Turn.consolidated_at),
)


class ArchiveRepository:
    """The context engine's rows within one transaction; never commits."""

    def __init__(self, session: DbSession) -> None:
        """Work in the given database session."""
        self._db = session

    def window(self, scope: str, *, agent_id: str, session_key: str, person: str) -> ContextWindow | None:
        """The window of one person's conversation."""
        return self._db.get(ContextWindow, (scope, agent_id, session_key, person))

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

    def sessions(self, scope: ScopeKey, *, agent_id: str, session_key: str) -> set[int]:
        """Our sessions that hold turns of a conversation."""
        statement = select(Turn.session_id).where(
            Turn.scope_key == scope, Turn.agent_id == agent_id, Turn.session_key == session_key
        )
        return set(self._db.exec(statement.distinct()))

    def newest(self, scope: ScopeKey, *, agent_id: str, session_key: str, limit: int) -> list[ArchivedTurn]:
        """Of the newest turns of a conversation, those whose words are still here, newest first."""
        # An index alone tells which these are; with the words in one statement, every turn is read and sorted.
        newest = (
            select_columns(col(Turn.id))
            .where(col(Turn.scope_key) == scope, col(Turn.agent_id) == agent_id, col(Turn.session_key) == session_key)
            .order_by(col(Turn.id).desc())
            .limit(limit)
        )
        statement = (
            select_columns(*_ARCHIVED)
            .where(col(Turn.id).in_(newest), col(Turn.text).is_not(None))
            .order_by(col(Turn.id).desc())
        )
        return [ArchivedTurn._make(row) for row in self._db.connection().execute(statement)]

    def sources(self, memory_ids: Sequence[MemoryId], *, scopes: Collection[ScopeKey]) -> dict[str, ArchivedTurn]:
        """By memory, the first turn it came from whose words are still here."""
        statement = (
            select_columns(col(MemorySource.memory_id), *_ARCHIVED)
            .join(Turn, col(Turn.id) == col(MemorySource.turn_id))
            .where(
                col(MemorySource.memory_id).in_(memory_ids),
                # An expression, which no index fits: SQLite would rather read every turn of the scope.
                (col(Turn.scope_key) + literal_column("''")).in_(scopes),
                col(Turn.text).is_not(None),
            )
            .order_by(col(MemorySource.id).desc())
        )
        rows = self._db.connection().execute(statement)
        return {memory_id: ArchivedTurn._make(row) for memory_id, *row in rows}
