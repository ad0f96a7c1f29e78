"""A memory as a run sees it, kept in step with what the run does to it."""

from dataclasses import dataclass
from datetime import datetime

from memory_core.store.dream_views import KnownRow
from memory_core.values import MemoryKind, MemoryStatus, Origin

PUBLISHED = "published"
"""Tag of a memory that was published."""


@dataclass(slots=True, kw_only=True)
class Known:
    """A memory in force.

    Attributes:
        said_at: When it was said.
        touched_at: When it was last said or changed.
        one_person: All of its scope is said by one person and the assistant.
        in_force: False once this run retired it.
    """

    memory_id: str
    kind: MemoryKind
    text: str
    speaker: str | None
    origin: Origin
    imported: bool
    one_person: bool
    said_at: datetime
    created_at: datetime
    touched_at: datetime
    event_at: datetime
    event_until: datetime | None
    valid_from: datetime | None
    valid_until: datetime | None
    status: MemoryStatus
    pinned: bool
    count: int
    tags: list[str]
    session_id: int | None
    revision: int
    version: int
    in_force: bool = True

    @property
    def day(self) -> datetime | None:
        """When it happens, where that differs from when it was said."""
        return self.event_at if self.event_at != self.said_at else None

    @property
    def keeps(self) -> str | None:
        """Why no run may retire it; None when one may."""
        if self.pinned:
            return "it is pinned"
        if PUBLISHED in self.tags:
            return "it is published"
        if self.kind is MemoryKind.ARTIFACT:
            return "it stands for something that was made"
        return None


def known_of(row: KnownRow, *, one_person: bool) -> Known:
    """The memory of a row; see `Known.one_person`."""
    return Known(
        memory_id=row.memory_id,
        kind=MemoryKind(row.kind),
        text=row.text,
        speaker=row.speaker,
        origin=Origin(row.origin),
        imported=row.imported,
        one_person=one_person,
        said_at=row.valid_from or row.created_at,
        created_at=row.created_at,
        touched_at=max(row.created_at, row.updated_at),
        event_at=row.event_at,
        event_until=row.event_until,
        valid_from=row.valid_from,
        valid_until=row.valid_until,
        status=MemoryStatus(row.status),
        pinned=row.pinned,
        count=row.repeats,
        tags=list(row.tags),
        session_id=row.session_id,
        revision=row.revision,
        version=row.version,
    )
