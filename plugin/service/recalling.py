"""Recalls within their deadline: past it, what was computed ahead, or nothing."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from memory_core.bootstrap import MemoryCore
from memory_core.recall.library import MemoryView
from memory_core.recall.service import Recalled, RecallRequest
from memory_core.values import SessionRef
from plugin.service.lanes import Lane

T = TypeVar("T")

RECALLS_AT_ONCE = 16
"""Searches that run at the same time, late ones included."""
_FALLBACKS_AT_ONCE = 4
_RESERVE_SHARE, _MOST_RESERVE_S = 0.2, 0.1
"""Of the budget, at its end: to read what was computed ahead, while the search still may come in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InTime:
    """What was recalled in time, with the memories as they are shown."""

    recalled: Recalled
    views: list[MemoryView] = field(default_factory=list[MemoryView])


class Recaller:
    """Answers recalls in threads of their own, so that nothing else can starve them. Belongs to one event loop."""

    def __init__(self, core: MemoryCore) -> None:
        """Recall from this core."""
        self._core = core
        self._searches = Lane("recall", at_once=RECALLS_AT_ONCE)
        # Apart: they are needed just when all searches are late.
        self._fallbacks = Lane("fallback", at_once=_FALLBACKS_AT_ONCE)

    async def answer(self, ref: SessionRef, request: RecallRequest, *, budget_s: float) -> InTime:
        """Recall within the budget, in seconds; what comes later is degraded and may be empty."""
        late = f"the recall took longer than its {budget_s * 1000:.0f} ms"
        recall = self._core.recall
        reserve_s = min(budget_s * _RESERVE_SHARE, _MOST_RESERVE_S)
        tasks = [asyncio.create_task(self._searches.run(lambda: self._shown(recall.recall(ref, request))))]
        try:
            await asyncio.wait(tasks, timeout=budget_s - reserve_s)
            if not tasks[0].done():
                fallback = self._fallbacks.run(lambda: self._shown(recall.without_search(ref, request, reason=late)))
                tasks.append(asyncio.create_task(fallback))
                await asyncio.wait(tasks[:1], timeout=reserve_s)
            in_time = next((task.result() for task in tasks if task.done()), None)
        finally:
            for task in tasks:
                task.cancel()
        if in_time is None:
            return InTime(recalled=Recalled(found=[], context="", query="", degraded=True, reason=late))
        recall.note_injected(ref, request, recalled=in_time.recalled)
        return in_time

    async def in_lane(self, work: Callable[[], T]) -> T:
        """Do other work that searches, in the threads of the searches."""
        return await self._searches.run(work)

    async def wait_idle(self) -> None:
        """Wait until no search runs."""
        await self._searches.wait_idle()

    async def close(self) -> None:
        """Wait for the threads."""
        await self._searches.close()
        await self._fallbacks.close()

    def _shown(self, recalled: Recalled) -> InTime:
        views = self._core.library.describe([found.memory for found in recalled.found])
        return InTime(recalled=recalled, views=views)
