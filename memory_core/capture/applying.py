"""What a decision does to rows, within one transaction."""

from dataclasses import dataclass, field
from datetime import datetime

from sqlmodel import Session as DbSession

from memory_core.capture.decisions import Finding
from memory_core.capture.dedup import TextKeys
from memory_core.capture.proposals import Outcome, Proposal
from memory_core.models.memory import Memory, MemorySource, MemoryVector
from memory_core.store.memories import MemoryRepository
from memory_core.store.revisions import RevisionRepository
from memory_core.values import Decision, LinkKind, MemoryId, Origin, ScopeKey

MOST_REPLACED = 5
"""Memories that one proposal may retire, and as many that it may flag: more at once is rather a misunderstanding."""


@dataclass(slots=True, kw_only=True)
class Applied:
    """What was done to stored memories because of a new one, with the reasons for people."""

    superseded: list[Memory] = field(default_factory=list[Memory])
    revised: list[Memory] = field(default_factory=list[Memory])
    flagged: list[Memory] = field(default_factory=list[Memory])
    reasons: list[str] = field(default_factory=list[str])


class Rows:
    """Changes rows; never commits."""

    def __init__(self, db: DbSession, *, keys: TextKeys, now: datetime) -> None:
        """Work in the given database session, at one moment."""
        self._memories = MemoryRepository(db)
        self._revisions = RevisionRepository(db)
        self._keys = keys
        self.now = now

    def add(self, memory: Memory, *, vector: MemoryVector, turn: tuple[int, str] | None) -> None:
        """Insert a memory."""
        self._memories.add(memory, vector=vector, sources=[_source(memory.id, turn)] if turn else [])

    def count_repeat(self, known: Memory, *, proposal: Proposal) -> Outcome:
        """Note that the same was said again."""
        known.count += 1
        known.updated_at = self.now
        self._cite(known, proposal=proposal)
        return Outcome(decision=Decision.SKIP_DUPLICATE, reason="known already, counted as a repeat", memory=known)

    def refine(self, known: Memory, *, proposal: Proposal, vector: MemoryVector, text_key: str) -> Outcome:
        """Give a memory the words that say the same and more; what it said before is its earlier revision."""
        values = {
            "text": proposal.text,
            "text_key": text_key,
            "count": known.count + 1,
            "tags": list(dict.fromkeys([*known.tags, *proposal.tags])),
            "pinned": known.pinned or proposal.pinned,
        }
        if proposal.event_at is not None:
            values |= {"event_at": proposal.event_at, "event_until": proposal.event_until}
        vector.memory_id = known.id
        reason = "said again with more detail"
        self._revisions.revise(known, values=values, at=self.now, reason=reason, vector=vector)
        self._cite(known, proposal=proposal)
        return Outcome(decision=Decision.UPDATE, reason=reason, memory=known, revised=(known,))

    def replace(self, finding: Finding, *, by: Memory, rest: MemoryVector | None, applied: Applied) -> None:
        """Retire a memory, or the part of it that holds no longer; a pinned one is only flagged against."""
        old, comparison = finding.memory, finding.comparison
        if old.pinned or (comparison.rest and rest is None):
            why = "pinned" if old.pinned else "partly out of date, and it changed meanwhile"
            self._contradict(by, older=old, reason=f"the earlier memory is {why}", applied=applied)
            return
        if not comparison.rest or rest is None:
            self._revisions.supersede(old, by=by, at=self.now, reason=comparison.reason)
            applied.superseded.append(old)
            applied.reasons.append(f"replaces an earlier memory: {comparison.reason}")
            return
        keys = self._keys.within(
            ScopeKey(old.scope_key), comparison.rest, speaker=old.speaker, origin=Origin(old.origin)
        )
        values = {"text": comparison.rest, "text_key": keys[0]}
        reason = f"a part of it was replaced: {comparison.reason}"
        self._revisions.revise(old, values=values, at=self.now, reason=reason, vector=rest)
        self._revisions.link(LinkKind.RELATED_TO, source=by, target=old, at=self.now, reason=reason)
        applied.revised.append(old)
        applied.reasons.append(f"replaces a part of an earlier memory: {comparison.reason}")

    def arrive_late(self, memory: Memory, *, finding: Finding, applied: Applied) -> None:
        """An older statement that comes in after the one that replaced it is history from the start."""
        newer = finding.memory
        if finding.comparison.rest or memory.pinned:
            self.doubt(finding, memory=memory, applied=applied)
            return
        self._revisions.supersede(memory, by=newer, at=self.now, reason=finding.comparison.reason)
        applied.reasons.append("kept as history: what was said later is stored already")

    def doubt(self, finding: Finding, *, memory: Memory, applied: Applied) -> None:
        """Flag what can't both hold."""
        newer, older = (memory, finding.memory) if finding.is_newer else (finding.memory, memory)
        self._contradict(newer, older=older, reason=finding.comparison.reason, applied=applied)

    def _contradict(self, newer: Memory, *, older: Memory, reason: str, applied: Applied) -> None:
        both = newer.origin == Origin.USER or older.origin != Origin.USER
        self._revisions.contradict(newer, older=older, at=self.now, reason=reason, both=both)
        applied.flagged.append(older)
        applied.reasons.append(f"in doubt against an earlier memory: {reason}")

    def _cite(self, known: Memory, *, proposal: Proposal) -> None:
        if proposal.turn:
            self._memories.add_source(_source(known.id, proposal.turn))


def _source(memory_id: str, turn: tuple[int, str]) -> MemorySource:
    turn_id, turn_key = turn
    return MemorySource(memory_id=MemoryId(memory_id), turn_id=turn_id, turn_key=turn_key)
