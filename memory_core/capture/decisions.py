"""Pure: what a proposed memory is to those that are stored. Decides nothing by itself that a person couldn't undo."""

from collections.abc import Iterable
from dataclasses import dataclass

from memory_core.claims.comparing import compare_read
from memory_core.claims.reading import Reading
from memory_core.claims.statement import Comparison, Statement, Verdict, same_speaker
from memory_core.identity import is_one_persons
from memory_core.models.memory import Memory
from memory_core.values import MemoryKind, MemoryStatus, Origin, ScopeKey

IN_FORCE = (MemoryStatus.ACTIVE, MemoryStatus.FLAGGED)
_MOSTLY = 0.6
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


def findings(proposal: Reading, stored: Iterable[Stored]) -> list[Finding]:
    """What a proposal is to stored memories, those left out that it is nothing to; each pair in the order of saying."""
    found: list[Finding] = []
    for known in stored:
        if not _are_near(proposal, known.reading):
            continue
        finding = _finding(proposal, known)
        if finding.comparison.verdict is not Verdict.UNRELATED:
            found.append(finding)
    return found


def _finding(proposal: Reading, known: Stored) -> Finding:
    if proposal.statement.said_at < known.reading.statement.said_at:
        return Finding(memory=known.memory, comparison=compare_read(proposal, known.reading), is_newer=False)
    comparison = compare_read(known.reading, proposal)
    said_in_short = proposal.vocabulary <= known.reading.vocabulary
    if comparison.verdict is Verdict.UNRELATED and said_in_short:  # it may be known in more detail
        backwards = compare_read(proposal, known.reading)
        if backwards.verdict is Verdict.REFINES:
            return Finding(memory=known.memory, comparison=backwards, is_newer=False)
    return Finding(memory=known.memory, comparison=comparison, is_newer=True)


def same_owner(known: Memory, statement: Statement) -> bool:
    """Whether a memory of the same words is a repeat: of the same person, under whatever name."""
    return same_speaker(statement_of(known), statement)


def _are_near(one: Reading, other: Reading) -> bool:
    """Whether comparing may find anything: a common topic, or mostly the same words."""
    if not one.topics.isdisjoint(other.topics):
        return True
    shorter = min(len(one.vocabulary), len(other.vocabulary))
    return len(one.vocabulary & other.vocabulary) >= _MOSTLY * shorter
