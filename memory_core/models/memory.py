"""Memories, their vectors and sources, what the index still has to learn, and what may not be learned again."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index, LargeBinary, UniqueConstraint
from sqlmodel import Field

from memory_core.models.base import Instant, Json, RowNumber, Table


class Memory(Table, table=True):
    """A stored statement with scope, source and validity.

    Attributes:
        id: UUID; also the id of its point in the index.
        kref: Address without revision; unique within the scope.
        text_key: Keyed hash of the normalised text, by which repeats are found.
        session_id: Session it was said in; None when it was stored by a tool.
        position: Order within the session; only comparable within one.
        event_at: When it happened, else when it was said.
        event_until: End of what happened, where it is known.
        count: How often it was said.
        version: Grows with every change that the index must learn.
        made_by: The rule or the prompt that made it, with its version, such as `rules@1`; None when it isn't known.
        job_id: The job that wrote it; None when none did.
        artifact_id: The artifact that it mentions, or is a passage of; None for everything that was said.
        part: Number of the passage, from 0, for a passage of an artifact; None for every other memory. Passages are
            looked for only where artifacts are, and go and come with the revision they are of.
    """

    __table_args__ = (
        UniqueConstraint("scope_key", "kref"),
        Index("ix_memory_scope_key_text_key", "scope_key", "text_key"),
        Index("ix_memory_session_id_position", "session_id", "position"),
        Index("ix_memory_scope_key_created_at", "scope_key", "created_at", "id"),
    )

    id: str = Field(primary_key=True, max_length=36)
    scope_key: str
    kref: str
    space: str
    kind: str
    text: str
    text_key: str
    speaker: str | None = None
    origin: str
    imported: bool = False
    event_at: datetime = Field(sa_type=Instant)
    event_until: datetime | None = Field(default=None, sa_type=Instant)
    valid_from: datetime | None = Field(default=None, sa_type=Instant)
    valid_until: datetime | None = Field(default=None, sa_type=Instant)
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)
    revision: int = 1
    status: str
    superseded_by: str | None = Field(default=None, max_length=36)
    pinned: bool = False
    count: int = 1
    tags: list[str] = Field(default_factory=list, sa_type=Json)
    session_id: int | None = Field(default=None, foreign_key="session.id", sa_type=RowNumber)
    position: int = Field(default=0, sa_type=RowNumber)
    version: int = 1
    made_by: str | None = None
    job_id: str | None = Field(default=None, max_length=36)
    artifact_id: str | None = Field(default=None, max_length=36, index=True)
    part: int | None = None


class MemoryRevision(Table, table=True):
    """What a memory said before it was changed; the present state is the memory's own row.

    Attributes:
        replaced_at: When the next revision took its place.
        reason: Why, for people; no text of memories.
        state: Columns of `Memory` as they were, by name; see `store/revisions.py` for which.
    """

    memory_id: str = Field(primary_key=True, foreign_key="memory.id", max_length=36)
    revision: int = Field(primary_key=True)
    replaced_at: datetime = Field(sa_type=Instant)
    reason: str
    state: dict[str, Any] = Field(default_factory=dict, sa_type=Json)


class MemoryVector(Table, table=True):
    """The vectors of a memory under one embedding model, so that the index can be rebuilt without embedding again."""

    memory_id: str = Field(primary_key=True, foreign_key="memory.id", max_length=36)
    model: str
    dense: bytes = Field(sa_type=LargeBinary)
    tokens: bytes = Field(sa_type=LargeBinary)
    token_width: int
    keywords: bytes = Field(sa_type=LargeBinary)


class MemorySource(Table, table=True):
    """A turn that a memory came from; order of rows is order of citing.

    Attributes:
        turn_id: The turn; None when the memory was restored from an export and its turns are not here.
    """

    __table_args__ = (UniqueConstraint("memory_id", "turn_id"),)

    id: int | None = Field(default=None, primary_key=True, sa_type=RowNumber)
    memory_id: str = Field(foreign_key="memory.id", max_length=36)
    turn_id: int | None = Field(default=None, foreign_key="turn.id", sa_type=RowNumber, index=True)
    turn_key: str


class IndexChange(Table, table=True):
    """A memory whose row changed and whose point may not have; kept until the index has it and was flushed.

    Attributes:
        seq: Order of changes; a number is never used again, so that "up to this one" stays true when rows are dropped.
        memory_id: The memory; its row may be gone, then the point goes too.
        applied_epoch: Epoch of the index that acknowledged the change; None while it is due.
    """

    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012 the name and form SQLAlchemy asks for

    seq: int | None = Field(default=None, primary_key=True, sa_type=RowNumber)
    memory_id: str = Field(max_length=36, index=True)
    applied_epoch: str | None = None


class ScopeVersion(Table, table=True):
    """Grows with every change of a memory of the scope; raised by triggers, see revision 0002. Absent means 0."""

    scope_key: str = Field(primary_key=True)
    version: int = Field(sa_type=RowNumber)


class Tombstone(Table, table=True):
    """Keyed hash of a forgotten text: not learned again from what was said before `forgotten_at`."""

    scope_key: str = Field(primary_key=True)
    text_key: str = Field(primary_key=True)
    forgotten_at: datetime = Field(sa_type=Instant)
