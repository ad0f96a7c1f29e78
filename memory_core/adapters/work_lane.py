"""One thread that does pieces of work, the urgent ones first; long work gives way between its pieces."""

import heapq
import itertools
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future
from enum import IntEnum

from memory_core.errors import Unavailable

Steps = Generator[None, None, object]
"""Work that yields wherever something more urgent may come in between, and returns its result."""


class Urgency(IntEnum):
    """What goes first; equals take turns, piece by piece."""

    QUESTION = 0
    """Somebody waits for an answer."""
    SMALL = 1
    """One thing to be kept, such as a memory a person asked to store."""
    BULK = 2
    """Many things, such as an import."""


class WorkLane:
    """Runs work in one thread of its own, in the order of urgency and then of arrival."""

    def __init__(self, name: str) -> None:
        self._ready = threading.Condition()
        self._queue: list[tuple[Urgency, int, _Work]] = []
        self._arrivals = itertools.count()
        self._running = 0
        self._closed = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, steps: Steps, *, urgency: Urgency, within_s: float) -> Future[object]:
        """Take work in.

        Args:
            steps: The work.
            urgency: What it may overtake.
            within_s: After this time nobody waits any more: what isn't done by then is dropped.

        Returns:
            The result to come; Unavailable when it was dropped.
        """
        work = _Work(steps=steps, deadline=time.monotonic() + within_s)
        with self._ready:
            if self._closed:
                work.future.set_exception(Unavailable("the index process is ending"))
            else:
                self._put(work, urgency)
        return work.future

    def waiting(self) -> int:
        """Pieces of work that wait or are being done."""
        with self._ready:
            return len(self._queue) + self._running

    def close(self) -> None:
        """Finish the piece in progress, drop the rest, end the thread."""
        with self._ready:
            self._closed = True
            dropped = [work for _, _, work in self._queue]
            self._queue.clear()
            self._ready.notify()
        for work in dropped:
            work.drop("the index process is ending")
        self._thread.join()

    def _put(self, work: "_Work", urgency: Urgency) -> None:
        heapq.heappush(self._queue, (urgency, next(self._arrivals), work))
        self._ready.notify()

    def _run(self) -> None:
        while True:
            with self._ready:
                self._ready.wait_for(lambda: self._queue or self._closed)
                if self._closed:
                    return
                urgency, _, work = heapq.heappop(self._queue)
                self._running = 1
            goes_on = work.step()
            with self._ready:
                self._running = 0
                if goes_on and not self._closed:
                    self._put(work, urgency)
            if goes_on and self._closed:
                work.drop("the index process is ending")


class _Work:
    """Work in progress and the future of its result."""

    def __init__(self, *, steps: Steps, deadline: float) -> None:
        self.future: Future[object] = Future()
        self._steps = steps
        self._deadline = deadline

    def step(self) -> bool:
        """Do the next piece; tells whether there is another."""
        if self.future.cancelled():
            return False
        if time.monotonic() > self._deadline:
            self.drop("the index process had no time for it")
            return False
        try:
            next(self._steps)
        except StopIteration as finished:
            result: object = finished.value
            self._settle(lambda: self.future.set_result(result))
        except BaseException as error:  # noqa: BLE001 - the one who waits for the result gets it
            reason = error
            self._settle(lambda: self.future.set_exception(reason))
        else:
            return True
        return False

    def drop(self, reason: str) -> None:
        """End it without a result."""
        self._steps.close()
        self._settle(lambda: self.future.set_exception(Unavailable(reason)))

    def _settle(self, outcome: Callable[[], None]) -> None:
        # Who waits may have given up in this very moment.
        if self.future.set_running_or_notify_cancel():
            outcome()


def at_once(call: Callable[[], object]) -> Steps:
    """Work of a single piece."""
    return call()
    yield
