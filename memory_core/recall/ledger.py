"""What was injected in each session, so that with `reinject: once` it isn't injected again."""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Set
from typing import NamedTuple

from memory_core.recall.place import Place, for_everybody, is_session
from memory_core.values import MemoryId, SessionRef

MAX_SESSIONS = 512
"""Those used longest ago are given up first; SPEC section 3."""


class Injected(NamedTuple):
    """A memory as it stood in a block; once it changed, it is another one."""

    memory_id: MemoryId
    version: int


class Ledger:
    """Remembers what was injected, in this process only. Thread-safe."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._lock = threading.Lock()
        self._sessions: OrderedDict[Place, OrderedDict[Injected, None]] = OrderedDict()

    def known(self, place: Place) -> Set[Injected]:
        """What was injected in this session, whoever spoke."""
        with self._lock:
            return frozenset(self._sessions.get(for_everybody(place), ()))

    def note(self, place: Place, injected: Iterable[Injected], *, window: int) -> None:
        """Remember what was injected now, and of it all the last `window`."""
        key = for_everybody(place)
        with self._lock:
            session = self._sessions.setdefault(key, OrderedDict())
            self._sessions.move_to_end(key)
            for entry in injected:
                session[entry] = None
                session.move_to_end(entry)
            while len(session) > window:
                session.popitem(last=False)
            while len(self._sessions) > MAX_SESSIONS:
                self._sessions.popitem(last=False)

    def forget(self, memory_ids: Set[MemoryId]) -> None:
        """Drop memories that are gone."""
        with self._lock:
            for session in self._sessions.values():
                for entry in [entry for entry in session if entry.memory_id in memory_ids]:
                    del session[entry]

    def clear(self, ref: SessionRef) -> None:
        """Forget a session: it starts anew."""
        with self._lock:
            for place in [place for place in self._sessions if is_session(place, ref)]:
                del self._sessions[place]
