"""What a run may do, one row at a time, with the columns before and after."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Op(StrEnum):
    """What a change does, as reports name it."""

    SUPERSEDE = "supersede"
    """A newer fact takes the place of an older one."""
    REVISE = "revise"
    """A part of a memory holds no longer and leaves its text."""
    DEPRECATE = "deprecate"
    """A memory is out of date or of no more use."""
    FLAG = "flag"
    """A memory is in doubt."""
    MERGE = "merge"
    """Two memories that say the same become one."""
    TAG = "tag"
    LINK = "link"


RETIRING = frozenset({Op.SUPERSEDE, Op.DEPRECATE, Op.MERGE})
"""What takes a memory out of force; all of it together may concern half of what was reviewed."""


class Entity(StrEnum):
    """Which row a change is made in."""

    MEMORY = "memory"
    VECTOR = "vector"
    HISTORY = "history"
    LINK = "link"
    SOURCE = "source"


class Standing(StrEnum):
    """What became of a change."""

    APPLIED = "applied"
    PROPOSED = "proposed"
    REFUSED = "refused"
    REVERTED = "reverted"
    FORGOTTEN = "forgotten"
    """Its memory was forgotten: no word of it is left, and it can't be taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of one row.

    Attributes:
        memory_id: The memory that it is about.
        other_id: The memory that takes its place, or the other end of an edge.
        before: Columns to their values as JSON; None when the row is new.
        after: The same columns as they become.
        refused: Why a guard forbids it; None when it may be done.
        detail: A part of the change before it, of no interest by itself.
    """

    op: Op
    memory_id: str
    reason: str
    other_id: str | None = None
    entity: Entity = Entity.MEMORY
    entity_id: str = ""
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = field(default=None)
    refused: str | None = None
    detail: bool = False
