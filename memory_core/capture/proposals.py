"""A memory before it is written, and what became of it."""

from dataclasses import dataclass
from datetime import datetime

from memory_core.claims.statement import Statement
from memory_core.identity import is_one_persons
from memory_core.models.memory import Memory
from memory_core.values import Decision, MemoryId, MemoryKind, Origin, ScopeKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A memory before it is written.

    Attributes:
        said_at: When the words were said; what was forgotten later than that isn't learned again.
        turn: Number and key of the turn it came from; None when a tool stored it.
        session_id: Session of that turn.
        position: Order within the session.
        made_by: The rules or the prompt that made it, with their version.
        job_id: The job that writes it; None when none does.
    """

    memory_id: MemoryId
    scope: ScopeKey
    space: str
    text: str
    kind: MemoryKind
    origin: Origin
    speaker: str | None
    said_at: datetime
    event_at: datetime | None = None
    event_until: datetime | None = None
    imported: bool = False
    pinned: bool = False
    tags: tuple[str, ...] = ()
    turn: tuple[int, str] | None = None
    session_id: int | None = None
    position: int = 0
    made_by: str | None = None
    job_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a proposal.

    Attributes:
        memory: The memory that now holds its text, if any.
        superseded: Memories whose place it took.
        revised: Memories of which it replaced a part.
        flagged: Memories that it is in conflict with; which of them is right wasn't clear.
    """

    decision: Decision
    reason: str
    memory: Memory | None = None
    superseded: tuple[Memory, ...] = ()
    revised: tuple[Memory, ...] = ()
    flagged: tuple[Memory, ...] = ()

    @property
    def is_new(self) -> bool:
        """Whether a memory was added, rather than one that was there taking the words over."""
        return (
            self.memory is not None and self.decision is not Decision.SKIP_DUPLICATE and self.memory not in self.revised
        )


def statement_in(proposal: Proposal) -> Statement:
    """A proposal in the form in which it is compared."""
    return Statement(
        text=proposal.text,
        origin=proposal.origin,
        said_at=proposal.said_at,
        speaker=proposal.speaker,
        event_at=proposal.event_at,
        one_person=is_one_persons(proposal.scope),
        imported=proposal.imported,
        corrects=proposal.kind is MemoryKind.CORRECTION,
    )
