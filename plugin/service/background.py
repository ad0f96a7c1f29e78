"""What the service does between requests: hand jobs over, keep the index equal, look for quiet sessions."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from memory_core.bootstrap import MemoryCore
from memory_core.errors import MemoryCoreError
from plugin.service.errors import place_of

_LONGEST_PAUSE_S = 10.0

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chore:
    """Something done again and again; after a failure at most `_LONGEST_PAUSE_S` apart."""

    name: str
    work: Callable[[], object]
    interval_s: float


class Background:
    """Runs the chores of a service, each in a task of its own."""

    def __init__(self, core: MemoryCore) -> None:
        """Do the chores of this core."""
        self._core = core
        self._wake = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin; to be called in the event loop."""
        core = self._core
        chores = (
            Chore(name="submit", work=core.jobs.submit_owed, interval_s=2),
            Chore(name="look_after", work=core.jobs.look_after, interval_s=5),
            Chore(name="index", work=self._index, interval_s=1),
            Chore(name="embed_stale", work=core.indexing.embed_stale, interval_s=1),
            Chore(name="idle", work=core.capture.owe_idle, interval_s=5),
            Chore(name="reconcile", work=core.indexing.reconcile, interval_s=3600),
            Chore(name="drop_consolidated", work=core.capture.drop_consolidated, interval_s=60),
            Chore(name="expire_model_calls", work=core.model_calls.expire, interval_s=15),
            Chore(name="dream_schedule", work=core.dreams.schedule.owe_due, interval_s=30),
            Chore(name="housekeeping", work=core.housekeeping.owe_if_due, interval_s=600),
            Chore(name="erase_traces", work=core.database.erase_traces, interval_s=30),
        )
        self._tasks = [asyncio.create_task(self._repeat(chore), name=chore.name) for chore in chores]

    def wake(self) -> None:
        """Hand owed jobs over now; may be called from any thread."""
        self._loop.call_soon_threadsafe(self._wake.set)

    async def stop(self) -> None:
        """End all chores; one in progress is not waited for."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _index(self) -> None:
        self._core.indexing.apply_due()
        self._core.indexing.flush_if_due()

    async def _repeat(self, chore: Chore) -> None:
        failures = 0
        while True:
            try:
                await asyncio.to_thread(chore.work)
            except MemoryCoreError as error:
                failures += 1
                if failures == 1:  # one line a change of state, not one a round
                    log.warning("chore.failing", chore=chore.name, code=error.code, reason=str(error))
            except Exception as error:  # noqa: BLE001 the other chores and the next round must go on
                failures += 1
                log.error("chore.broken", chore=chore.name, error=type(error).__name__, at=place_of(error))  # noqa: TRY400 the message may hold words of people
            else:
                if failures:
                    log.info("chore.recovered", chore=chore.name, failures=failures)
                failures = 0
            pause_s = min(chore.interval_s * 2 ** min(failures, 4), max(chore.interval_s, _LONGEST_PAUSE_S))
            await self._pause(pause_s, wakeable=chore.name == "submit")

    async def _pause(self, seconds: float, *, wakeable: bool) -> None:
        if not wakeable:
            await asyncio.sleep(seconds)
            return
        try:
            await asyncio.wait_for(self._wake.wait(), seconds)
        except TimeoutError:
            return
        self._wake.clear()
