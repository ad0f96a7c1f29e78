"""The board on which flows leave questions for a gateway's model, and gateways their answers.

Flows, service and gateway are processes of their own, so a question is a row. It goes to one gateway only: the one
that the scope's newest turn came through. A scope that no gateway brought (an import) belongs to the gateway if only
one is known, else to none: it can't be told whose model may read its words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from memory_core.errors import Conflict, NotFound, Unavailable
from memory_core.models.model_call import ModelCall
from memory_core.ports import Clock
from memory_core.store.database import Database
from memory_core.store.model_calls import CallState, ModelCallRepository
from memory_core.values import ChatReply, ChatRequest, ScopeKey

CONNECTED_WITHIN = timedelta(seconds=60)
"""A gateway that didn't ask for calls for so long is away; it asks every 25 s."""
KNOWN_WITHIN = timedelta(days=30)
"""A gateway that didn't ask for so long doesn't count when it is asked whether there is only one."""
LEASE = timedelta(seconds=75)
"""How long a gateway that took a call is believed to be working on it."""
_ROWS_KEPT_FOR = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A call that a gateway took."""

    call_id: str
    lease_until: datetime
    request: Mapping[str, Any]


class ModelCallService:
    """Takes questions from flows and answers from gateways."""

    def __init__(self, database: Database, *, clock: Clock) -> None:
        """Use the given parts."""
        self._database = database
        self._clock = clock

    # -- for flows

    def post(self, request: ChatRequest, *, response_format: dict[str, Any] | None, wait: timedelta) -> str:
        """Leave a question; returns its id.

        Args:
            request: The question; redacted already.
            response_format: The form of the reply, for the provider; None when any words will do.
            wait: How long somebody waits for the answer.

        Raises:
            Unavailable: the gateway that may answer is not connected, or there is none.
        """
        now = self._clock.now()
        with self._database.transaction() as db:
            calls = ModelCallRepository(db)
            gateway_id = _gateway_for(calls, request.scopes, now=now)
            if not _is_connected(calls, gateway_id, now=now):
                raise Unavailable("no gateway is connected that could ask its model")
            call = ModelCall(
                id=str(uuid4()),
                gateway_id=gateway_id,
                scopes=list(request.scopes),
                state=CallState.WAITING,
                request=_asked(request, response_format),
                created_at=now,
                expires_at=now + wait,
            )
            calls.add(call)
        return call.id

    def reply(self, call_id: str) -> ChatReply | None:
        """The answer to a question; None while there is none.

        Raises:
            Unavailable: the gateway's model failed, or the words were forgotten meanwhile.
        """
        with self._database.reading() as db:
            call = ModelCallRepository(db).get(call_id)
        if call is None or call.state == CallState.CLOSED:
            raise Unavailable("the question to the gateway's model was withdrawn")
        if call.state == CallState.FAILED:
            raise Unavailable(f"the gateway's model failed: {call.error}")
        return ChatReply(**call.reply) if call.reply is not None else None

    def withdraw(self, call_id: str) -> None:
        """Nobody waits for the answer any more: the words go."""
        with self._database.transaction() as db:
            ModelCallRepository(db).close(call_id)

    # -- for gateways

    def see(self, gateway_id: str) -> None:
        """Note that a gateway is there."""
        with self._database.transaction() as db:
            ModelCallRepository(db).see(gateway_id, at=self._clock.now())

    def serve(self, scope: ScopeKey, gateway_id: str) -> None:
        """Note that a scope's newest turn came through a gateway; costs a read when that is no news."""
        with self._database.reading() as db:
            if ModelCallRepository(db).serving([scope]).get(scope) == gateway_id:
                return
        with self._database.transaction() as db:
            ModelCallRepository(db).serve(scope, gateway_id=gateway_id)

    def claim(self, gateway_id: str) -> Claim | None:
        """The oldest question for a gateway, which then has 75 seconds for it; None when there is none."""
        now = self._clock.now()
        with self._database.reading() as db:
            call_id = ModelCallRepository(db).next_for(gateway_id, at=now)
        if call_id is None:
            return None
        lease_until = now + LEASE
        with self._database.transaction() as db:
            calls = ModelCallRepository(db)
            if not calls.claim(call_id, at=now, lease_until=lease_until):
                return None
            calls.see(gateway_id, at=now)
            call = calls.get(call_id)
        if call is None or call.request is None:
            return None
        return Claim(call_id=call_id, lease_until=lease_until, request=call.request)

    def answer(self, call_id: str, *, reply: ChatReply | None, error: str | None = None) -> None:
        """Take the answer to a question, once; also a late one, as long as somebody waits.

        Raises:
            NotFound: there is no such question.
            Conflict: it was answered, withdrawn or forgotten.
        """
        content = None if reply is None else {name: getattr(reply, name) for name in ChatReply.__dataclass_fields__}
        with self._database.transaction() as db:
            calls = ModelCallRepository(db)
            if calls.get(call_id) is None:
                raise NotFound(f"model call: there is none called {call_id[:40]!r}")
            if not calls.answer(call_id, at=self._clock.now(), reply=content, error=error):
                raise Conflict("model call: nobody waits for an answer any more")

    def expire(self) -> int:
        """Overwrite questions that nobody waits for, as a killed flow leaves them; returns how many."""
        now = self._clock.now()
        times = {"at": now, "gone_before": now - _ROWS_KEPT_FOR}
        with self._database.reading() as db:
            if not ModelCallRepository(db).is_untidy(**times):
                return 0
        with self._database.transaction() as db:
            return ModelCallRepository(db).expire(**times)


def _gateway_for(calls: ModelCallRepository, scopes: Sequence[ScopeKey], *, now: datetime) -> str:
    serving = calls.serving(scopes)
    found = set(serving.values())
    if len(serving) < len(set(scopes)) or not scopes:
        known = calls.gateways(since=now - KNOWN_WITHIN)
        if not known:
            raise Unavailable("no gateway is connected that could ask its model")
        if scopes and len(known) > 1:
            raise Unavailable("several gateways are known, and it can't be told which one these words came through")
        found.add(known[0])
    if len(found) > 1:
        raise Unavailable("these words came through several gateways: no single one may ask its model about all")
    return found.pop()


def _is_connected(calls: ModelCallRepository, gateway_id: str, *, now: datetime) -> bool:
    gateway = calls.gateway(gateway_id)
    seen = gateway is not None and gateway.seen_at >= now - CONNECTED_WITHIN
    return seen or calls.is_working(gateway_id, at=now)


def _asked(request: ChatRequest, response_format: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "system": request.system,
        "prompt": request.prompt,
        "max_tokens": request.max_tokens,
        "response_format": response_format,
        "purpose": request.purpose,
        "model": request.model,
    }
