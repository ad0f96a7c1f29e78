"""Memories that the streaming gate found useful, waiting for their session's next context."""

import threading
from collections import OrderedDict
from collections.abc import Sequence

from memory_core.recall.place import Place, is_session
from memory_core.values import MemoryId, SessionRef

MAX_PLACES = 512
MAX_STAGED = 12
"""Most memories that wait in one session; older ones make way."""


class Staging:
    """Keeps ids, in this process only: losing them costs a hint, never a word. Thread-safe."""

    def __init__(self) -> None:
        """Nothing waits."""
        self._lock = threading.Lock()
        self._waiting: OrderedDict[Place, OrderedDict[MemoryId, None]] = OrderedDict()

    def stage(self, place: Place, memory_ids: Sequence[MemoryId]) -> int:
        """Let memories wait for the next context of one person's session; returns how many wait now."""
        with self._lock:
            waiting = self._waiting.setdefault(place, OrderedDict())
            self._waiting.move_to_end(place)
            for memory_id in memory_ids:
                waiting[memory_id] = None
                waiting.move_to_end(memory_id)
            while len(waiting) > MAX_STAGED:
                waiting.popitem(last=False)
            while len(self._waiting) > MAX_PLACES:
                self._waiting.popitem(last=False)
            return len(waiting)

    def waiting(self, place: Place) -> tuple[MemoryId, ...]:
        """What waits in one person's session, newest last."""
        with self._lock:
            return tuple(self._waiting.get(place, ()))

    def take(self, place: Place) -> tuple[MemoryId, ...]:
        """What waited; it waits no longer."""
        with self._lock:
            return tuple(self._waiting.pop(place, ()))

    def clear(self, ref: SessionRef) -> None:
        """Nothing waits in a session any more, for whomever."""
        with self._lock:
            for place in [place for place in self._waiting if is_session(place, ref)]:
                del self._waiting[place]
