"""What the routes of one service share, and how they get it."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from fastapi import Request

from memory_core.bootstrap import MemoryCore
from plugin.service.background import Background
from plugin.service.gateways import Gateways
from plugin.service.metrics import Metrics
from plugin.service.prefetcher import Prefetcher
from plugin.service.readiness import Readiness
from plugin.service.recalling import Recaller
from plugin.service.signal_board import SignalBoard
from plugin.service.tools.base import Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceContext:
    """The parts of one service."""

    core: MemoryCore
    token: str
    metrics: Metrics
    readiness: Readiness
    background: Background
    tools: Mapping[str, Tool]
    recaller: Recaller
    prefetcher: Prefetcher
    signals: SignalBoard
    ending: threading.Event = field(default_factory=threading.Event)
    """Set when the service is about to end: long polls answer now."""
    gateways: Gateways = field(default_factory=Gateways)


async def service(request: Request) -> ServiceContext:
    """The context of the service that got this request; a plain function would be run in a thread."""
    context: ServiceContext = request.app.state.service
    return context
