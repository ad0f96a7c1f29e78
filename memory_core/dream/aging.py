"""Pure: what time alone does to a memory. What people said about themselves doesn't age; see `docs/dream.md`."""

from datetime import datetime, timedelta

from memory_core.dream.known import Known
from memory_core.values import MemoryKind, Origin

YOUNG = timedelta(days=7)
"""Nothing younger is retired by time."""
OVERDUE = timedelta(days=30)
"""How long after its day an action item still counts as one that may have been put off."""
FADES_AFTER = timedelta(days=90)
"""How long a passing word of the assistant or of a tool is kept when nobody came back to it."""


def outdated(memory: Known, *, at: datetime) -> str | None:
    """Why a memory is out of date or of no more use at this moment; None when it isn't."""
    return next((reason for moment, reason in _ends(memory) if moment <= at), None)


def next_look(memory: Known, *, at: datetime) -> datetime | None:
    """When time alone can next make a difference; None when it never will."""
    return min((moment for moment, _ in _ends(memory) if moment > at), default=None)


def _ends(memory: Known) -> list[tuple[datetime, str]]:
    """When it is out of date, by each rule that concerns it."""
    ends: list[tuple[datetime, str]] = []
    if memory.valid_until is not None:
        ends.append((memory.valid_until, "the time for which it was said to hold is over"))
    if memory.kind is MemoryKind.ACTION_ITEM and memory.day is not None:
        over = memory.event_until or memory.day
        ends.append((over + OVERDUE, f"what was to be done was due more than {OVERDUE.days} days ago"))
    if memory.origin is not Origin.USER and memory.count == 1 and memory.kind not in _LASTING:
        reason = f"a passing word of the {memory.origin}, {FADES_AFTER.days} days old and never taken up again"
        ends.append((memory.touched_at + FADES_AFTER, reason))
    return [(max(moment, memory.created_at + YOUNG), reason) for moment, reason in ends]


_LASTING = frozenset({MemoryKind.SUMMARY, MemoryKind.ARTIFACT, MemoryKind.DECISION, MemoryKind.ENTITY})
