"""Pure: what two memories that lie near each other are to each other, and what follows from it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

import structlog

from memory_core.claims.claim import Policy
from memory_core.claims.comparing import compare_read
from memory_core.claims.duplicates import near_duplicate, same_words
from memory_core.claims.reading import Reading, read
from memory_core.claims.statement import Statement, Verdict, same_speaker
from memory_core.dream import frames
from memory_core.dream.known import Known
from memory_core.values import MemoryKind, Origin

_MADE = frozenset({MemoryKind.ARTIFACT, MemoryKind.SUMMARY})
"""They stand for something else than their own words, and are neither merged nor replaced."""


_MOST_OF_A_SLOT = 40
"""Memories with a claim of the same attribute that one look compares, the newest first."""


class Relation(StrEnum):
    """What a newer memory is to an older one."""

    REPEATS = "repeats"
    SUPPORTS = "supports"
    REPLACES = "replaces"
    REPLACES_A_PART = "replaces a part"
    CONTRADICTS = "contradicts"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What two memories are to each other.

    Attributes:
        reason: For people; no words of the memories.
        rest: With REPLACES_A_PART: what of the older text still holds.
    """

    older: Known
    newer: Known
    relation: Relation
    reason: str = ""
    rest: str = ""


log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Pairs:
    """Compares memories; each is read once."""

    _readings: dict[str, Reading] = field(default_factory=dict[str, Reading])
    _unreadable: set[str] = field(default_factory=set[str])
    _slots: dict[str, list[Known]] = field(default_factory=dict[str, list[Known]])

    def learn(self, memories: Iterable[Known]) -> None:
        """Note which attributes memories make claims of, so that `rivals` finds them.

        "I live in Lisbon" and "we moved to the coast" may lie far from each other as vectors.
        """
        for memory in memories:
            try:
                attributes = self._attributes(memory)
            except Exception as error:  # noqa: BLE001 one text that breaks its reader must not break the look at all others
                log.warning("dream.unreadable", memory_id=memory.memory_id, error=type(error).__name__)
                self._unreadable.add(memory.memory_id)
                continue
            for attribute in attributes:
                self._slots.setdefault(attribute, []).append(memory)

    def rivals(self, memory: Known) -> list[Known]:
        """Other memories in force that claim an attribute which has one value at a time, the newest first."""
        found: dict[str, Known] = {}
        for attribute in self._attributes(memory):
            for other in reversed(self._slots.get(attribute, ())):
                if other.in_force and other is not memory:
                    found[other.memory_id] = other
                if len(found) == _MOST_OF_A_SLOT:
                    break
        return list(found.values())

    def compare(self, one: Known, other: Known) -> Finding:
        """What two memories of one scope are to each other."""
        older, newer = sorted((one, other), key=lambda memory: (memory.said_at, memory.created_at, memory.memory_id))
        if _MADE & {older.kind, newer.kind} or other.memory_id in self._unreadable:
            return Finding(older=older, newer=newer, relation=Relation.NONE)
        if _is_repeat(older, newer):
            return Finding(older=older, newer=newer, relation=Relation.REPEATS, reason="both say the same")
        if _said_by_another(older, newer):
            reason = "somebody else says the same"
            return Finding(older=older, newer=newer, relation=Relation.SUPPORTS, reason=reason)
        comparison = compare_read(self.reading(older), self.reading(newer))
        relation = _RELATIONS[comparison.verdict]
        if relation is Relation.NONE and _has_another_value(older, newer):
            reason = "the same was said later with another value"
            return Finding(older=older, newer=newer, relation=Relation.REPLACES, reason=reason)
        if relation is Relation.REPEATS and not _may_merge(older, newer):
            relation = Relation.SUPPORTS
        if relation is Relation.REPLACES and comparison.rest:
            relation = Relation.REPLACES_A_PART
        if relation in {Relation.REPLACES, Relation.REPLACES_A_PART} and not _may_replace(older, newer):
            relation = Relation.CONTRADICTS
        return Finding(
            older=older, newer=newer, relation=relation, reason=comparison.reason, rest=comparison.rest.strip()
        )

    def reading(self, memory: Known) -> Reading:
        """A memory, read."""
        if memory.memory_id not in self._readings:
            self._readings[memory.memory_id] = read(statement_of(memory))
        return self._readings[memory.memory_id]

    def forget(self, memory: Known) -> None:
        """Read a memory anew when it is next compared: its text changed."""
        self._readings.pop(memory.memory_id, None)

    def _attributes(self, memory: Known) -> set[str]:
        return {
            claim.attribute
            for sentence in self.reading(memory).sentences
            for claim in sentence.claims
            if claim.policy is not Policy.SEVERAL
        }


_RELATIONS = {
    Verdict.SAME: Relation.REPEATS,
    Verdict.REFINES: Relation.SUPPORTS,
    Verdict.REPLACES: Relation.REPLACES,
    Verdict.CONTRADICTS: Relation.CONTRADICTS,
    Verdict.UNRELATED: Relation.NONE,
}


def statement_of(memory: Known) -> Statement:
    """A memory in the form in which it is compared."""
    return Statement(
        text=memory.text,
        origin=memory.origin,
        said_at=memory.said_at,
        speaker=memory.speaker,
        event_at=memory.day,
        one_person=memory.one_person,
        imported=memory.imported,
        corrects=memory.kind is MemoryKind.CORRECTION,
    )


def _is_repeat(older: Known, newer: Known) -> bool:
    return _may_merge(older, newer) and near_duplicate(statement_of(older), statement_of(newer))


def _may_merge(older: Known, newer: Known) -> bool:
    """What happened twice is two events, and who only echoed it is no second witness."""
    if older.keeps and newer.keeps:
        return False
    if older.origin is not newer.origin:
        return False
    if MemoryKind.EVENT in {older.kind, newer.kind}:
        return older.event_at.date() == newer.event_at.date()
    return older.day is None or newer.day is None or older.day.date() == newer.day.date()


def _said_by_another(older: Known, newer: Known) -> bool:
    if older.speaker == newer.speaker or Origin.USER not in {older.origin, newer.origin}:
        return False
    return same_words(older.text, newer.text)


def _has_another_value(older: Known, newer: Known) -> bool:
    if not _may_replace(older, newer) or not same_speaker(statement_of(older), statement_of(newer)):
        return False
    return frames.replaces(older.text, newer.text)


def _may_replace(older: Known, newer: Known) -> bool:
    """What the assistant says never takes the place of what a person said."""
    return newer.origin is Origin.USER or older.origin is not Origin.USER
