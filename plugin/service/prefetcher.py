"""Looks ahead after each turn: one at a time, only while no recall is being answered, and never more than a few."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass

import structlog

from memory_core.bootstrap import MemoryCore
from memory_core.errors import MemoryCoreError
from memory_core.values import SessionRef
from plugin.service.errors import place_of
from plugin.service.lanes import Lane
from plugin.service.metrics import Metrics
from plugin.service.recalling import Recaller

MAX_WAITING = 64
"""Turns that wait; the one that waits longest is given up first."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What was said last in a session."""

    ref: SessionRef
    user_text: str
    assistant_text: str


class Prefetcher:
    """Computes the likely next recall of sessions in the background. Belongs to one event loop."""

    def __init__(self, core: MemoryCore, *, recaller: Recaller, metrics: Metrics) -> None:
        """Look ahead in this core whenever the recaller has nothing to do."""
        self._core = core
        self._recaller = recaller
        self._metrics = metrics
        self._lane = Lane("prefetch", at_once=1)
        self._waiting: OrderedDict[tuple[str | None, ...], Exchange] = OrderedDict()
        self._offered = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin; to be called in the event loop."""
        self._task = asyncio.create_task(self._run(), name="prefetch")

    def offer(self, exchange: Exchange) -> None:
        """Look ahead from this exchange soon; an older one of the same person in the same session is given up."""
        key = _key(exchange.ref)
        self._waiting.pop(key, None)
        self._waiting[key] = exchange
        if len(self._waiting) > MAX_WAITING:
            self._waiting.popitem(last=False)
        self._offered.set()

    def drop(self, ref: SessionRef) -> None:
        """Look ahead from nothing that was said in this session so far."""
        for key in [key for key in self._waiting if key[:2] == _key(ref)[:2]]:
            del self._waiting[key]

    async def stop(self) -> None:
        """End; what waits is given up."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._lane.close()

    async def _run(self) -> None:
        while True:
            await self._offered.wait()
            await self._recaller.wait_idle()
            if not self._waiting:
                self._offered.clear()
                continue
            _, exchange = self._waiting.popitem(last=False)
            self._metrics.prefetches.labels(outcome=await self._look_ahead(exchange)).inc()

    async def _look_ahead(self, exchange: Exchange) -> str:
        def work() -> bool:
            return self._core.recall.look_ahead(
                exchange.ref,
                user_text=exchange.user_text,
                assistant_text=exchange.assistant_text,
                now=self._core.clock.now(),
            )

        try:
            return "kept" if await self._lane.run(work) else "skipped"
        except MemoryCoreError as error:
            log.debug("prefetch.failed", code=error.code)
        except Exception as error:  # noqa: BLE001 the next one must go on; nobody waits for this one
            log.error("prefetch.broken", error=type(error).__name__, at=place_of(error))  # noqa: TRY400 the message may hold words of people
        return "failed"


def _key(ref: SessionRef) -> tuple[str | None, ...]:
    return (ref.agent_id, ref.session_key, ref.user_id, ref.channel, ref.sender_id)
