"""Statements that stand in the way of an acknowledged turn: columns only, made once, no table objects.

A turn is acknowledged within 5 ms of CPU. Putting a statement together costs as much as running it, and table objects
cost more than both.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, TypedDict

from sqlalchemy import bindparam, func, insert, update
from sqlmodel import Session as DbSession
from sqlmodel import col, select

from memory_core.models.turn import Session, Turn
from memory_core.values import ScopeKey

_KNOWN_KEYS = select(Turn.turn_key).where(
    Turn.scope_key == bindparam("scope"),
    Turn.agent_id == bindparam("agent"),
    Turn.session_key == bindparam("session"),
    col(Turn.turn_key).in_(bindparam("keys", expanding=True)),
)
_OPEN_SESSION = (
    select(col(Session.id), col(Session.label), col(Session.last_at))
    .where(
        Session.scope_key == bindparam("scope"),
        Session.imported == bindparam("imported"),
        col(Session.ended_at).is_(None),
        col(Session.last_at) >= bindparam("since"),
        col(Session.started_at) <= bindparam("until"),
    )
    .order_by(col(Session.last_at).desc())
    .limit(1)
)
_GO_ON = (
    update(Session)
    .where(col(Session.id) == bindparam("which"))
    .values(last_at=bindparam("said"), last_received_at=bindparam("received"))
)
_ADD = insert(Turn)
_WAITING = select(func.count(), func.max(Turn.id)).where(
    Turn.scope_key == bindparam("scope"), col(Turn.consolidated_at).is_(None), col(Turn.text).is_not(None)
)


class OpenSession(NamedTuple):
    """A session that may go on: its row number, its label, and when its newest turn was said."""

    id: int
    label: str
    last_at: datetime


class Waiting(NamedTuple):
    """How many `turns` of a scope wait for consolidation, and the number of the newest; None when none does."""

    turns: int
    newest: int | None


class NewTurn(TypedDict):
    """The columns of a turn that was just said; see `models.turn.Turn`."""

    session_id: int
    scope_key: str
    space: str
    agent_id: str
    session_key: str
    turn_key: str
    role: str
    speaker: str | None
    said_at: datetime
    timezone: str
    text: str
    imported: bool
    created_at: datetime


class BufferRepository:
    """The working buffer as it is written, within one transaction; never commits."""

    def __init__(self, session: DbSession) -> None:
        """Work in the given database session."""
        self._connection = session.connection()

    def known_keys(self, scope: ScopeKey, *, agent_id: str, session_key: str, turn_keys: Sequence[str]) -> set[str]:
        """Those of the turn keys that were captured before."""
        wanted = {"scope": scope, "agent": agent_id, "session": session_key, "keys": list(turn_keys)}
        return set(self._connection.execute(_KNOWN_KEYS, wanted).scalars())

    def open_session(self, scope: ScopeKey, *, at: datetime, quiet: timedelta, imported: bool) -> OpenSession | None:
        """The session that a turn said at `at` belongs to; None when it begins a new one."""
        wanted = {"scope": scope, "imported": imported, "since": at - quiet, "until": at + quiet}
        row = self._connection.execute(_OPEN_SESSION, wanted).first()
        return OpenSession(*row) if row else None

    def go_on(self, session_id: int, *, last_at: datetime, received_at: datetime) -> None:
        """Note when the newest turn of a session was said, and when it arrived."""
        self._connection.execute(_GO_ON, {"which": session_id, "said": last_at, "received": received_at})

    def add(self, turns: Sequence[NewTurn]) -> None:
        """Insert turns, in order.

        Raises:
            IntegrityError: one of them was captured before; `transaction()` makes a Conflict of it.
        """
        self._connection.execute(_ADD, turns)

    def waiting(self, scope: ScopeKey) -> Waiting:
        """What waits for consolidation in a scope."""
        return Waiting(*self._connection.execute(_WAITING, {"scope": scope}).one())
