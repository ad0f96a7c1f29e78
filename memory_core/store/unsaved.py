"""Statements on long answers that may be works, and on what was kept of works already."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, exists, func, or_
from sqlmodel import Session as DbSession
from sqlmodel import col, select

from memory_core.models.artifact import ArtifactCapture
from memory_core.models.job import Job
from memory_core.models.memory import Tombstone
from memory_core.models.turn import Session, Turn
from memory_core.values import JobKind, Origin, ScopeKey

LONG_ANSWER_CHARS = 1500
"""A shorter answer is conversation, whatever it says."""


class UnsavedRepository:
    """What was said at length and what was kept, within one transaction; never commits."""

    def __init__(self, session: DbSession) -> None:
        """Work in the given database session."""
        self._db = session

    def long_answers(self, scope: ScopeKey, *, since: datetime, quiet_since: datetime, limit: int) -> list[Turn]:
        """The newest long answers of live sessions that are over, newest first, whose words are still here.

        Nothing that was said before the scope last forgot something: it might bring back what was to go.

        Args:
            scope: Whose.
            since: Sessions without a word since then are left out.
            quiet_since: A session without a word since then is over.
            limit: Most answers.
        """
        forgotten_since = exists().where(
            col(Tombstone.scope_key) == scope, col(Tombstone.forgotten_at) >= col(Turn.created_at)
        )
        statement = (
            select(Turn)
            .join(Session, col(Session.id) == col(Turn.session_id))
            .where(
                col(Session.scope_key) == scope,
                *_long_and_over(since=since, quiet_since=quiet_since),
                ~forgotten_since,
            )
            .order_by(col(Turn.id).desc())
            .limit(limit)
        )
        return list(self._db.exec(statement))

    def scopes_to_look_at(self, *, since: datetime, now: datetime, quiet: timedelta) -> set[ScopeKey]:
        """Scopes with long answers in live sessions that are over, for which no consolidation was owed after that.

        Args:
            since: Sessions without a word since then are left out.
            now: This moment.
            quiet: A session without a word for so long is over.
        """
        over = (
            select(Session)
            .join(Turn, col(Turn.session_id) == col(Session.id))
            .where(*_long_and_over(since=since, quiet_since=now - quiet))
            .distinct()
        )
        sessions = list(self._db.exec(over))
        scopes = {session.scope_key for session in sessions}
        owed = (
            select(Job.scope_key, func.max(Job.created_at))
            .where(Job.kind == JobKind.CONSOLIDATE, col(Job.scope_key).in_(scopes), col(Job.created_at) >= since)
            .group_by(Job.scope_key)
        )
        looked_at = dict(self._db.exec(owed).all())
        return {
            ScopeKey(session.scope_key)
            for session in sessions
            if looked_at.get(session.scope_key, since) < (session.ended_at or session.last_received_at + quiet)
        }

    def question(self, answer: Turn) -> Turn | None:
        """What the person said in the same exchange."""
        statement = select(Turn).where(
            Turn.scope_key == answer.scope_key,
            Turn.agent_id == answer.agent_id,
            Turn.session_key == answer.session_key,
            Turn.turn_key == answer.turn_key,
            Turn.role == Origin.USER,
        )
        return self._db.exec(statement).first()

    def kept(self, scope: ScopeKey, *, most_bytes: int, limit: int) -> Sequence[str]:
        """Checksums of the contents that the scope last asked to keep, newest first, very long ones left out."""
        statement = (
            select(ArtifactCapture.checksum)
            .where(ArtifactCapture.scope_key == scope, col(ArtifactCapture.size_bytes) <= most_bytes)
            .order_by(col(ArtifactCapture.number).desc())
            .limit(limit)
        )
        return list(dict.fromkeys(self._db.exec(statement)))


def _long_and_over(*, since: datetime, quiet_since: datetime) -> list[ColumnElement[bool]]:
    """Clauses for long answers in live sessions that are over; words that are gone have no length."""
    return [
        col(Session.last_received_at) >= since,
        col(Session.imported).is_(False),
        or_(col(Session.ended_at).is_not(None), col(Session.last_received_at) <= quiet_since),
        col(Turn.role) == Origin.ASSISTANT,
        func.length(col(Turn.text)) >= LONG_ANSWER_CHARS,
    ]
