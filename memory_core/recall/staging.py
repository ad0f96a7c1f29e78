"""Memories that the streaming gate found useful, waiting for their session's next context."""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence, Set

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
        self._shown: OrderedDict[Place, frozenset[MemoryId]] = OrderedDict()

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

    def show(self, place: Place, memory_ids: Iterable[MemoryId]) -> None:
        """Note what stands in the context of the turn in progress, in the place of the turn before."""
        with self._lock:
            self._shown[place] = frozenset(memory_ids)
            self._shown.move_to_end(place)
            while len(self._shown) > MAX_PLACES:
                self._shown.popitem(last=False)

    def shown(self, place: Place) -> frozenset[MemoryId]:
        """What stands in the context of the turn in progress."""
        with self._lock:
            return self._shown.get(place, frozenset())

    def waiting(self, place: Place) -> tuple[MemoryId, ...]:
        """What waits in one person's session, newest last."""
        with self._lock:
            return tuple(self._waiting.get(place, ()))

    def take(self, place: Place) -> tuple[MemoryId, ...]:
        """What waited; it waits no longer."""
        with self._lock:
            return tuple(self._waiting.pop(place, ()))

    def forget(self, memory_ids: Set[MemoryId]) -> None:
        """Let memories that are gone wait no longer."""
        with self._lock:
            for waiting in self._waiting.values():
                for memory_id in memory_ids & waiting.keys():
                    del waiting[memory_id]
            for place, shown in self._shown.items():
                self._shown[place] = shown - memory_ids

    def clear(self, ref: SessionRef) -> None:
        """Nothing waits in a session any more, for whomever."""
        with self._lock:
            for kept in (self._waiting, self._shown):
                for place in [place for place in kept if is_session(place, ref)]:
                    del kept[place]
