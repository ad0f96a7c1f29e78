"""Wire types of single memories: their versions and edges, and how they are corrected."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from memory_core.recall.history import EdgeView, RevisionView
from memory_core.values import MemoryStatus
from plugin.service.schemas import STORABLE, MemoryOut, Wire

_Statement = Annotated[str, STORABLE, StringConstraints(min_length=1, max_length=32_000, strip_whitespace=True)]
_Tag = Annotated[str, STORABLE, StringConstraints(min_length=1, max_length=60, strip_whitespace=True)]


class MemoryPatchIn(Wire):
    """A correction by the operator; what is absent stays."""

    text: _Statement | None = None
    tags: list[_Tag] | None = Field(default=None, max_length=20)
    pinned: bool | None = None
    status: MemoryStatus | None = None


class RevisionOut(Wire):
    """One version of a memory; `reason` says why it was made."""

    kref: str
    revision: int
    text: str
    at: datetime
    reason: str
    status: str

    @classmethod
    def of(cls, view: RevisionView) -> "RevisionOut":
        """The wire form of a version."""
        return cls.model_validate(asdict(view))


class EdgeOut(Wire):
    """An edge between two addresses."""

    kind: str
    source: str = Field(serialization_alias="from")
    target: str = Field(serialization_alias="to")
    reason: str
    at: datetime

    @classmethod
    def of(cls, view: EdgeView) -> "EdgeOut":
        """The wire form of an edge."""
        return cls.model_validate(asdict(view))


class MemoryDetailOut(MemoryOut):
    """A memory with its versions and edges."""

    revisions: list[RevisionOut]
    edges: list[EdgeOut]
