"""Statements on calls of a gateway's model."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import bindparam, delete, update
from sqlalchemy.sql.elements import ColumnElement
from sqlmodel import Session as DbSession
from sqlmodel import col, or_, select

from memory_core.models.model_call import Gateway, GatewayScope, ModelCall
from memory_core.values import ScopeKey


class CallState(StrEnum):
    """Where a call stands."""

    WAITING = "waiting"
    CLAIMED = "claimed"
    """A gateway asks its model; when its lease ends, the call is offered again."""
    ANSWERED = "answered"
    FAILED = "failed"
    CLOSED = "closed"
    """Nobody waits for it any more: fetched, withdrawn or forgotten."""


_OPEN = (CallState.WAITING, CallState.CLAIMED)

# Made once, see `buffering`: it stands in the way of an acknowledged turn.
_SERVING = select(col(GatewayScope.scope_key), col(GatewayScope.gateway_id)).where(
    col(GatewayScope.scope_key).in_(bindparam("scopes", expanding=True))
)


class ModelCallRepository:
    """Calls and gateways within one transaction; never commits."""

    def __init__(self, session: DbSession) -> None:
        """Work in the given database session."""
        self._db = session

    # -- gateways

    def see(self, gateway_id: str, *, at: datetime) -> None:
        """Note that a gateway asks for calls."""
        self._db.merge(Gateway(id=gateway_id, seen_at=at))
        self._db.flush()

    def gateway(self, gateway_id: str) -> Gateway | None:
        """A gateway; None when it never asked for calls."""
        return self._db.get(Gateway, gateway_id)

    def gateways(self, *, since: datetime) -> list[str]:
        """Gateways that asked for calls since a moment, the last one first."""
        statement = select(Gateway.id).where(col(Gateway.seen_at) >= since).order_by(col(Gateway.seen_at).desc())
        return list(self._db.exec(statement))

    def serve(self, scope: ScopeKey, *, gateway_id: str) -> None:
        """Note the gateway of a scope's newest turn; costs a read when that is no news."""
        if self.serving([scope]).get(scope) == gateway_id:
            return
        self._db.merge(GatewayScope(scope_key=scope, gateway_id=gateway_id))
        self._db.flush()

    def serving(self, scopes: Sequence[ScopeKey]) -> dict[str, str]:
        """Gateway by scope, without scopes that no gateway serves."""
        rows = self._db.connection().execute(_SERVING, {"scopes": list(scopes)})
        return {row.scope_key: row.gateway_id for row in rows}

    # -- calls

    def get(self, call_id: str) -> ModelCall | None:
        """One call."""
        return self._db.get(ModelCall, call_id)

    def add(self, call: ModelCall) -> None:
        """Insert a call."""
        self._db.add(call)
        self._db.flush()

    def is_working(self, gateway_id: str, *, at: datetime) -> bool:
        """Whether a gateway holds a call whose lease has not ended."""
        statement = select(ModelCall.id).where(
            ModelCall.gateway_id == gateway_id,
            ModelCall.state == CallState.CLAIMED,
            col(ModelCall.lease_until) > at,
        )
        return self._db.exec(statement.limit(1)).first() is not None

    def next_for(self, gateway_id: str, *, at: datetime) -> str | None:
        """The oldest call that a gateway may take now."""
        statement = (
            select(ModelCall.id)
            .where(ModelCall.gateway_id == gateway_id, *_offered(at))
            .order_by(col(ModelCall.created_at), col(ModelCall.id))
            .limit(1)
        )
        return self._db.exec(statement).first()

    def claim(self, call_id: str, *, at: datetime, lease_until: datetime) -> bool:
        """Give a call to its gateway; tells whether it was still on offer."""
        statement = (
            update(ModelCall)
            .where(col(ModelCall.id) == call_id, *_offered(at))
            .values(state=CallState.CLAIMED, lease_until=lease_until)
        )
        return self._db.exec(statement).rowcount == 1

    def answer(self, call_id: str, *, at: datetime, reply: dict[str, Any] | None, error: str | None) -> bool:
        """Take the answer or the failure of an open call; the question's words go. Tells whether it was still open."""
        state = CallState.FAILED if reply is None else CallState.ANSWERED
        statement = (
            update(ModelCall)
            .where(col(ModelCall.id) == call_id, col(ModelCall.state).in_(_OPEN), col(ModelCall.expires_at) > at)
            .values(state=state, reply=reply, error=error, request=None)
        )
        return self._db.exec(statement).rowcount == 1

    def close(self, call_id: str) -> None:
        """Nobody waits for a call any more: its words go."""
        self._db.exec(
            update(ModelCall)
            .where(col(ModelCall.id) == call_id)
            .values(state=CallState.CLOSED, request=None, reply=None)
        )

    def forget(self, scopes: Sequence[ScopeKey]) -> int:
        """Overwrite every call that holds words of these scopes; returns how many.

        Read one by one: there are never more than a few, and no database searches lists of JSON as another does.
        """
        forgotten = set(scopes)
        holding = (col(ModelCall.request).is_not(None), col(ModelCall.reply).is_not(None))
        calls = [call for call in self._db.exec(select(ModelCall).where(or_(*holding))) if forgotten & {*call.scopes}]
        for call in calls:
            self.close(call.id)
        return len(calls)

    def expire(self, *, at: datetime, gone_before: datetime) -> int:
        """Overwrite calls that nobody waits for, and drop rows that ended before a moment.

        Returns:
            How many lost their words.
        """
        overdue = (col(ModelCall.expires_at) <= at, col(ModelCall.state) != CallState.CLOSED)
        closing = update(ModelCall).where(*overdue).values(state=CallState.CLOSED, request=None, reply=None)
        closed = self._db.exec(closing).rowcount
        self._db.exec(delete(ModelCall).where(col(ModelCall.expires_at) <= gone_before))
        return closed

    def is_untidy(self, *, at: datetime, gone_before: datetime) -> bool:
        """Whether `expire` would change anything."""
        overdue = (col(ModelCall.expires_at) <= at) & (col(ModelCall.state) != CallState.CLOSED)
        statement = select(ModelCall.id).where(overdue | (col(ModelCall.expires_at) <= gone_before))
        return self._db.exec(statement.limit(1)).first() is not None


def _offered(at: datetime) -> tuple[ColumnElement[bool], ...]:
    lease_over = (col(ModelCall.state) == CallState.CLAIMED) & (col(ModelCall.lease_until) <= at)
    return ((col(ModelCall.state) == CallState.WAITING) | lease_over, col(ModelCall.expires_at) > at)
