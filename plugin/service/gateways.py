"""Which gateways use this service: each says so again and again, and how many turns wait in its own memory.

A sidecar ends with the gateway that started it, unless another one uses it: `plugin.up` asks here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import Field

from plugin.service.schemas import Key, Wire

PRESENT_FOR = timedelta(seconds=60)
"""How long a gateway counts as present after it was last heard of; the plugin says so every ten seconds."""
_MOST = 100
"""Gateways remembered; the one not heard of for longest is forgotten first."""

Count = Annotated[int, Field(ge=0, le=1_000_000_000)]


class GatewayIn(Wire):
    """What a gateway says of itself."""

    gateway_id: Key
    leaving: bool = False
    waiting_turns: Count = 0
    waiting_bytes: Count = 0
    lost_turns: Count = 0
    most_turns: Count | None = None
    most_bytes: Count | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Visit:
    at: datetime
    said: Mapping[str, Any]


class Gateways:
    """The gateways heard of lately."""

    def __init__(self) -> None:
        """None yet."""
        self._visits: dict[str, _Visit] = {}

    def note(self, gateway: GatewayIn, *, at: datetime) -> int:
        """Take note of one gateway; returns how many others are present."""
        self._visits.pop(gateway.gateway_id, None)
        if not gateway.leaving:
            said = gateway.model_dump(mode="json", by_alias=True, exclude={"leaving"}, exclude_none=True)
            self._visits[gateway.gateway_id] = _Visit(at=at, said=said)
        while len(self._visits) > _MOST:
            del self._visits[next(iter(self._visits))]
        return sum(other["gatewayId"] != gateway.gateway_id for other in self.present(at))

    def present(self, now: datetime) -> list[dict[str, Any]]:
        """What each said that was heard of within the last minute, and when."""
        return [
            {**visit.said, "seenAt": visit.at.isoformat()}
            for visit in self._visits.values()
            if now - visit.at <= PRESENT_FOR
        ]
