"""Edges between memories and revisions of artifacts."""

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field

from memory_core.models.base import Instant, Table


class Link(Table, table=True):
    """A directed edge within one scope: `source_id` KIND `target_id`, as in "the new one SUPERSEDES the old one".

    Attributes:
        id: UUID.
        kind: One of `values.LinkKind`.
        source_id: A memory, or a revision of an artifact.
        target_id: The same.
        weight: How strong it is, 0 to 1.
        reason: Why it was drawn, for people; no text of memories.
        run_id: The dream run that drew it; None when something else did.
    """

    __table_args__ = (UniqueConstraint("scope_key", "source_id", "target_id", "kind"),)

    id: str = Field(primary_key=True, max_length=36)
    scope_key: str
    kind: str
    source_id: str = Field(max_length=36, index=True)
    target_id: str = Field(max_length=36, index=True)
    weight: float = 1.0
    reason: str = ""
    run_id: str | None = Field(default=None, max_length=36, index=True)
    created_at: datetime = Field(sa_type=Instant)
