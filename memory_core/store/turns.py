"""Statements on sessions and turns."""

import json
from collections.abc import Iterable, Sequence
from datetime import date, datetime

from sqlalchemy import func, or_, update
from sqlmodel import Session as DbSession
from sqlmodel import col, select

from memory_core.models.turn import Session, Turn
from memory_core.values import ScopeKey

_BATCH = 500
"""Rows named at once; SQLite allows some thousand parameters in a statement."""


class TurnRepository:
    """Sessions and turns within one transaction; never commits."""

    def __init__(self, session: DbSession) -> None:
        """Work in the given database session."""
        self._db = session

    def serialise(self, scopes: Iterable[ScopeKey]) -> None:
        """Let other writers of these scopes wait until this transaction ends; SQLite has one writer anyway."""
        if self._db.get_bind().dialect.name != "sqlite":
            for scope in sorted(set(scopes)):
                self._db.exec(select(func.pg_advisory_xact_lock(func.hashtextextended(scope, 0))))

    def sessions_of_day(self, scope: ScopeKey, *, day: date) -> int:
        """Highest number of a session that began on that day; 0 when none did."""
        statement = select(func.max(Session.number)).where(Session.scope_key == scope, Session.day == day)
        return self._db.exec(statement).one() or 0

    def add(self, row: Session | Turn) -> None:
        """Insert a row; its number is known afterwards."""
        self._db.add(row)
        self._db.flush()

    def end_sessions(self, scope: ScopeKey, *, at: datetime) -> int:
        """Close what is open in a scope; a later turn begins a new session."""
        statement = (
            update(Session)
            .where(col(Session.scope_key) == scope, col(Session.ended_at).is_(None), col(Session.imported).is_(False))
            .values(ended_at=at)
        )
        return self._db.exec(statement).rowcount

    def scopes_waiting(self, *, agent_id: str, session_key: str) -> set[ScopeKey]:
        """Scopes with waiting turns that were said under a session key; several people may share one."""
        statement = select(Turn.scope_key).where(
            Turn.agent_id == agent_id, Turn.session_key == session_key, col(Turn.consolidated_at).is_(None)
        )
        return {ScopeKey(key) for key in self._db.exec(statement.distinct())}

    def waiting_total(self) -> int:
        """Number of turns of all scopes that wait for consolidation."""
        statement = select(func.count()).where(col(Turn.consolidated_at).is_(None), col(Turn.text).is_not(None))
        return self._db.exec(statement).one()

    def newest_waiting(self, scope: ScopeKey) -> int | None:
        """Number of the newest turn that waits; None when none does."""
        statement = select(func.max(Turn.id)).where(Turn.scope_key == scope, col(Turn.consolidated_at).is_(None))
        return self._db.exec(statement).one()

    def quiet_scopes(self, *, before: datetime) -> list[ScopeKey]:
        """Scopes with waiting turns, none of which arrived after `before`."""
        statement = (
            select(Turn.scope_key)
            .where(col(Turn.consolidated_at).is_(None))
            .group_by(Turn.scope_key)
            .having(func.max(Turn.created_at) < before)
        )
        return [ScopeKey(key) for key in self._db.exec(statement)]

    def range_to_consolidate(self, scope: ScopeKey, *, through: int, limit: int) -> list[Turn]:
        """The oldest waiting turns of a scope up to a number, in order."""
        statement = (
            select(Turn)
            .where(Turn.scope_key == scope, col(Turn.consolidated_at).is_(None), col(Turn.id) <= through)
            .order_by(col(Turn.id))
            .limit(limit)
        )
        return list(self._db.exec(statement))

    def turn_before(self, turn: Turn) -> Turn | None:
        """The turn said before this one in the same session, if its words are still here."""
        statement = (
            select(Turn)
            .where(Turn.session_id == turn.session_id, col(Turn.id) < turn.id)
            .order_by(col(Turn.id).desc())
            .limit(1)
        )
        return self._db.exec(statement).first()

    def turns_before(self, turn: Turn, *, limit: int) -> list[Turn]:
        """The turns said before this one in the same session, oldest first; their words may be gone."""
        statement = (
            select(Turn)
            .where(Turn.session_id == turn.session_id, col(Turn.id) < turn.id)
            .order_by(col(Turn.id).desc())
            .limit(limit)
        )
        return list(self._db.exec(statement))[::-1]

    def mark_consolidated(self, turn_ids: Sequence[int], *, at: datetime) -> int:
        """Note that turns became memories; returns how many had not been marked yet."""
        statement = (
            update(Turn)
            .where(col(Turn.id).in_(turn_ids), col(Turn.consolidated_at).is_(None))
            .values(consolidated_at=at)
        )
        return self._db.exec(statement).rowcount

    def most_consolidated(self, scope: ScopeKey, *, since: datetime | None) -> int:
        """Utterances of the live session of which most were consolidated since a moment; 0 when there is none."""
        statement = (
            select(func.count())
            .select_from(Turn)
            .join(Session, col(Session.id) == col(Turn.session_id))
            .where(Turn.scope_key == scope, col(Session.imported).is_(False), col(Turn.consolidated_at).is_not(None))
            .group_by(col(Turn.session_id))
            .order_by(func.count().desc())
            .limit(1)
        )
        if since is not None:
            statement = statement.where(col(Turn.consolidated_at) > since)
        return self._db.exec(statement).first() or 0

    def drop_texts(self, *, quiet_since: datetime, now: datetime) -> int:
        """Overwrite the words of consolidated turns of quiet sessions that aren't archived; returns how many."""
        quiet = select(Session.id).where(
            col(Session.last_received_at) < quiet_since,
            or_(col(Session.archived_until).is_(None), col(Session.archived_until) < now),
        )
        statement = (
            update(Turn)
            .where(col(Turn.consolidated_at).is_not(None), col(Turn.text).is_not(None), col(Turn.session_id).in_(quiet))
            .values(text=None)
        )
        return self._db.exec(statement).rowcount

    def forget_texts(self, turn_ids: Sequence[int], *, scopes: Sequence[ScopeKey], at: datetime) -> int:
        """Overwrite the words and the speaker of turns of the scopes, consolidated or not.

        Returns:
            How many had words.
        """
        overwritten = 0
        for start in range(0, len(turn_ids), _BATCH):
            chosen = (col(Turn.id).in_(turn_ids[start : start + _BATCH]), col(Turn.scope_key).in_(scopes))
            had_words = update(Turn).where(*chosen, col(Turn.text).is_not(None))
            statement = had_words.values(text=None, consolidated_at=func.coalesce(col(Turn.consolidated_at), at))
            overwritten += self._db.exec(statement).rowcount
            self._db.exec(update(Turn).where(*chosen).values(speaker=None))
        return overwritten

    def cut_text(self, turn_id: int, *, text: str, scopes: Sequence[ScopeKey]) -> int:
        """Leave only these words of a turn of the scopes that waits for consolidation; returns 1, else 0."""
        statement = (
            update(Turn)
            .where(
                col(Turn.id) == turn_id,
                col(Turn.scope_key).in_(scopes),
                col(Turn.text).is_not(None),
                col(Turn.consolidated_at).is_(None),
            )
            .values(text=text)
        )
        return self._db.exec(statement).rowcount

    def by_ids(self, turn_ids: Sequence[int], *, scopes: Sequence[ScopeKey]) -> list[Turn]:
        """Those of the turns that lie in the scopes, whether their words are here or not."""
        found: list[Turn] = []
        for start in range(0, len(turn_ids), _BATCH):
            numbers = col(Turn.id).in_(turn_ids[start : start + _BATCH])
            found += self._db.exec(select(Turn).where(numbers, col(Turn.scope_key).in_(scopes)))
        return found

    def with_text(
        self,
        scopes: Sequence[ScopeKey],
        *,
        session_key: str | None = None,
        start: datetime | None = None,
        end: datetime | None = None,
    ) -> list[Turn]:
        """Turns of the scopes whose words are still here, narrowed by session key and time of saying."""
        statement = select(Turn).where(col(Turn.scope_key).in_(scopes), col(Turn.text).is_not(None))
        if session_key is not None:
            statement = statement.where(Turn.session_key == session_key)
        if start is not None:
            statement = statement.where(col(Turn.said_at) >= start)
        if end is not None:
            statement = statement.where(col(Turn.said_at) < end)
        return list(self._db.exec(statement.order_by(col(Turn.id))))

    def last_captured_at(self) -> datetime | None:
        """When the newest turn arrived."""
        statement = select(Turn.created_at).order_by(col(Turn.id).desc()).limit(1)
        return self._db.exec(statement).first()


def turn_name(turn: Turn) -> str:
    """What tells an utterance apart within its scope, in every copy of the tables."""
    return json.dumps([turn.agent_id, turn.session_key, turn.turn_key, turn.role])
