"""The long poll by which a plugin hears of signals."""

import asyncio
import time
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends

from plugin.service.context import ServiceContext, service
from plugin.service.schemas import SessionIn, Since, WaitMs, Wire
from plugin.service.signal_board import Signal

LONG_POLL_MS = 25_000
"""How long a poll is held open when there is nothing to tell; API.md."""
_LOOK_EVERY_S = 0.25

router = APIRouter()
Service = Annotated[ServiceContext, Depends(service)]


class SignalsIn(Wire):
    """What a plugin knows already: the id of the newest signal it got, 0 or nothing at first."""

    session: SessionIn | None = None
    since: Since = 0
    wait_ms: WaitMs = LONG_POLL_MS


class SignalOut(Wire):
    """One call to act."""

    id: int
    type: Literal["before_compaction"] = "before_compaction"
    session: dict[str, Any]
    deadline: datetime
    reason: str

    @classmethod
    def of(cls, signal: Signal) -> "SignalOut":
        """The wire form of a signal."""
        given = {name: value for name, value in asdict(signal.ref).items() if value is not None}
        session = SessionIn.model_validate(given).model_dump(mode="json", by_alias=True, exclude_none=True)
        return cls(id=signal.number, session=session, deadline=signal.deadline, reason=signal.reason)


class SignalsOut(Wire):
    """Signals in order; none when nothing happened in time."""

    signals: list[SignalOut]


@router.post("/v1/signals")
async def signals(body: SignalsIn, it: Service) -> SignalsOut:
    """Wait for signals behind one that is known, at most 25 s; answers at once when the service is about to end."""
    ref = body.session.to_ref() if body.session else None
    end_s = time.monotonic() + body.wait_ms / 1000
    while True:
        found = it.signals.after(body.since, at=it.core.clock.now(), ref=ref)
        if found or time.monotonic() >= end_s or it.ending.is_set():
            return SignalsOut(signals=[SignalOut.of(signal) for signal in found])
        await asyncio.sleep(_LOOK_EVERY_S)
