"""Pure: what a proposed memory is to those that are stored. Decides nothing by itself that a person couldn't undo."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from memory_core.claims.comparing import compare_read
from memory_core.claims.reading import Reading
from memory_core.claims.statement import Comparison, Statement, Verdict
from memory_core.identity import is_one_persons
from memory_core.models.memory import Memory
from memory_core.values import MemoryKind, MemoryStatus, Origin, ScopeKey

IN_FORCE = (MemoryStatus.ACTIVE, MemoryStatus.FLAGGED)
_LEFT_ALONE = frozenset({MemoryKind.ARTIFACT, MemoryKind.SUMMARY})
"""Kinds that no statement replaces: they say what was made, or what many said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A stored memory, read."""

    memory: Memory
    reading: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a proposal is to one stored memory.

    Attributes:
        is_newer: The proposal was said later than the memory, or at the same time; else it is old news.
    """

    memory: Memory
    comparison: Comparison
    is_newer: bool


@dataclass(slots=True, kw_only=True)
class Findings:
    """What a proposal is to the stored memories, by verdict."""

    same: list[Finding] = field(default_factory=list[Finding])
    refines: list[Finding] = field(default_factory=list[Finding])
    replaces: list[Finding] = field(default_factory=list[Finding])
    contradicts: list[Finding] = field(default_factory=list[Finding])

    def add(self, finding: Finding) -> None:
        """Note one."""
        match finding.comparison.verdict:
            case Verdict.SAME:
                self.same.append(finding)
            case Verdict.REFINES:
                self.refines.append(finding)
            case Verdict.REPLACES:
                self.replaces.append(finding)
            case Verdict.CONTRADICTS:
                self.contradicts.append(finding)
            case Verdict.UNRELATED:
                pass


def statement_of(memory: Memory) -> Statement:
    """A stored memory as a statement."""
    said_at = memory.valid_from or memory.created_at
    return Statement(
        text=memory.text,
        origin=Origin(memory.origin),
        said_at=said_at,
        speaker=memory.speaker,
        event_at=None if memory.event_at == said_at else memory.event_at,
        one_person=is_one_persons(ScopeKey(memory.scope_key)),
        imported=memory.imported,
        corrects=memory.kind == MemoryKind.CORRECTION,
    )


def may_be_compared(memory: Memory) -> bool:
    """Whether a statement may change what becomes of this memory."""
    return memory.status in IN_FORCE and memory.kind not in _LEFT_ALONE and memory.part is None


def findings(proposal: Reading, stored: Iterable[Stored]) -> Findings:
    """Compare a proposal with stored memories, each pair in the order in which it was said."""
    found = Findings()
    for known in stored:
        is_newer = proposal.statement.said_at >= known.reading.statement.said_at
        older, newer = (known.reading, proposal) if is_newer else (proposal, known.reading)
        comparison = compare_read(older, newer)
        found.add(Finding(memory=known.memory, comparison=comparison, is_newer=is_newer))
    return found


def end_of(old: Memory, *, by: datetime) -> datetime:
    """When a memory ceased to hold that another one took the place of: never before it began."""
    return max(by, old.valid_from or by)
