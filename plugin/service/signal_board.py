"""What plugins are to act on: a flush comes, so the agent should save what it made and isn't saved yet.

Signals live in this process only, and few of them: one that is lost with a restart loses nothing, since the words it is
about are on disk and are consolidated all the same.
"""

import threading
from collections import deque
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory_core.values import SessionRef

MOST_SIGNALS = 256
"""Older ones are dropped; a signal is of use for a minute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One call to act.

    Attributes:
        number: Grows from signal to signal, also over restarts.
        deadline: Until when acting on it makes sense.
        reason: What caused the flush: `threshold` or `compaction`.
    """

    number: int
    ref: SessionRef
    deadline: datetime
    reason: str


class SignalBoard:
    """Signals that are still of use. Thread-safe."""

    def __init__(self, *, grace: timedelta) -> None:
        """Give whoever is signalled so much time to act."""
        self._grace = grace
        self._lock = threading.Lock()
        self._signals: deque[Signal] = deque(maxlen=MOST_SIGNALS)
        self._last = 0

    def before_compaction(self, ref: SessionRef, *, at: datetime, reason: str) -> Signal | None:
        """Signal that what a session said is about to be flushed; None when there is no grace to act in.

        A session that has a signal still open gets no second one: nobody is asked twice for the same.
        """
        if not self._grace:
            return None
        with self._lock:
            self._drop_late(at)
            if any(_is_of(signal, ref) for signal in self._signals):
                return None
            self._last = max(self._last + 1, int(at.timestamp() * 1000))
            signal = Signal(number=self._last, ref=ref, deadline=at + self._grace, reason=reason)
            self._signals.append(signal)
            return signal

    def after(self, number: int, *, at: datetime, ref: SessionRef | None) -> list[Signal]:
        """Signals behind a number that are still of use, oldest first; of one session only when it is given."""
        with self._lock:
            self._drop_late(at)
            return [signal for signal in self._signals if signal.number > number and (not ref or _is_of(signal, ref))]

    def _drop_late(self, at: datetime) -> None:
        while self._signals and self._signals[0].deadline <= at:
            self._signals.popleft()


def _is_of(signal: Signal, ref: SessionRef) -> bool:
    return (signal.ref.agent_id, signal.ref.session_key) == (ref.agent_id, ref.session_key)
