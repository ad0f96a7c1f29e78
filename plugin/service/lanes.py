"""A bounded number of threads for one purpose: who gives up waiting leaves the work to end, and its place taken."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

_T = TypeVar("_T")


class Lane:
    """Threads of their own. Belongs to one event loop."""

    def __init__(self, name: str, *, at_once: int) -> None:
        """Let so many pieces of work run at the same time; more wait for a place."""
        self._places = asyncio.Semaphore(at_once)
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix=name)
        self._running = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def run(self, work: Callable[[], _T]) -> _T:
        """Do work in a thread.

        When this is cancelled, work that has no place yet is dropped. A thread can't be cancelled: work that runs goes
        on for nobody and keeps its place until it ends, so that late work never piles up.
        """
        await self._places.acquire()
        self._running += 1
        self._idle.clear()
        future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        future.add_done_callback(self._leave)
        return await asyncio.shield(future)

    async def wait_idle(self) -> None:
        """Wait until nothing runs."""
        await self._idle.wait()

    async def close(self) -> None:
        """Wait for what runs."""
        await asyncio.to_thread(self._threads.shutdown)

    def _leave(self, _: "asyncio.Future[Any]") -> None:
        self._running -= 1
        if self._running == 0:
            self._idle.set()
        self._places.release()
