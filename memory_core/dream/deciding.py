"""Pure: what a run does about one memory, given its neighbours; nothing is written here.

Decisions are made one memory after the other over a snapshot that is kept in step, so that a run that was killed and
begins again with the tables as they are comes to the same decisions.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory_core.dream.aging import outdated
from memory_core.dream.association import NewEdge, People, edge_change, mentioned, people_of, related
from memory_core.dream.changes import Change, Entity, Op, Standing
from memory_core.dream.guards import Guard
from memory_core.dream.known import Known
from memory_core.dream.pairs import Finding, Pairs, Relation
from memory_core.dream.snapshot import Snapshot
from memory_core.dream.tagging import tags_for
from memory_core.models.dream import DreamChange
from memory_core.store.dreams import IN_FORCE
from memory_core.values import LinkKind, MemoryStatus, Origin

Near = Sequence[tuple[Known, float]]
_TOLD = "refused before"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What all decisions of a run share.

    Attributes:
        at: The moment that counts as the present, however often the run begins again.
        only_duplicates: Nothing but repeats is looked for.
    """

    run_id: str
    at: datetime
    only_duplicates: bool = False


@dataclass(slots=True, kw_only=True)
class Decider:
    """Decides over one scope."""

    facts: RunFacts
    snapshot: Snapshot
    guard: Guard
    pairs: Pairs = field(default_factory=Pairs)
    people: People = field(default_factory=People)
    refused: set[tuple[str, str, str | None]] = field(default_factory=set[tuple[str, str, str | None]])

    def __post_init__(self) -> None:
        self.people = people_of(self.snapshot.rows)
        if not self.facts.only_duplicates:
            self.pairs.learn(self.snapshot.rows)

    def look_at(self, memory: Known, near: Near, *, sources: Sequence[str] = ()) -> list[Change]:
        """What is to be done about a memory that changed since it was last looked at.

        Args:
            memory: One that was in force when the run began.
            near: Its neighbours, nearest first.
            sources: Memories that it sums up.
        """
        if not memory.in_force:
            return []
        if self.facts.only_duplicates:
            return list(self._merge_repeats(memory, near))
        changes = [*self.age(memory)]
        if not memory.in_force:
            return changes
        for source in filter(None, map(self.snapshot.find, sources)):
            changes += self.connect(
                LinkKind.DERIVED_FROM, source=memory, target=source, reason="both come from the same turns"
            )
        changes += self._compare(memory, near)
        if memory.in_force:
            tags = tags_for(memory.text, present=memory.tags, holding=self.snapshot.holding, texts=self.snapshot.texts)
            changes += self.tag(memory, tags, reason="names and rare words of its text")
            changes += self._associate(memory, near)
        return changes

    def replay(self, rows: Iterable[DreamChange]) -> None:
        """Take up what an earlier attempt of the run was refused, and what a dry run proposed: no table shows it."""
        for row in rows:
            if row.state == Standing.REFUSED:
                self.refused.add((row.op, row.memory_id, row.other_id))
                continue
            if row.state != Standing.PROPOSED:
                continue
            after: Mapping[str, Any] = row.after or {}
            if row.entity == Entity.LINK:
                self.snapshot.link((after["source_id"], after["target_id"], LinkKind(after["kind"])))
            elif memory := self.snapshot.find(row.memory_id):
                self._replay_memory(memory, after, other_id=row.other_id if row.op == Op.MERGE else None)

    def connect(
        self, kind: LinkKind, *, source: Known, target: Known, reason: str, weight: float = 1.0
    ) -> Iterator[Change]:
        """Draw an edge between two memories, unless it is there."""
        yield from self.link(
            NewEdge(
                kind=kind,
                source_id=source.memory_id,
                target_id=target.memory_id,
                reason=reason,
                weight=min(weight, 1.0),
            )
        )

    def link(self, edge: NewEdge) -> Iterator[Change]:
        """Draw an edge, unless it is there."""
        if self.snapshot.link((edge.source_id, edge.target_id, edge.kind)):
            yield edge_change(edge, run_id=self.facts.run_id, scope=self.snapshot.scope)

    def deprecate(self, memory: Known, *, reason: str) -> Iterator[Change]:
        """Take a memory out of force because it is of no more use."""
        refused = self._judge(Op.DEPRECATE, memory)
        if refused is _TOLD:
            return
        yield _status_change(memory, Op.DEPRECATE, status=MemoryStatus.DEPRECATED, reason=reason, refused=refused)
        if refused is None:
            memory.status = MemoryStatus.DEPRECATED
            self.snapshot.retire(memory)

    def supersede(self, older: Known, *, by: Known, reason: str) -> Iterator[Change]:
        """Let a newer memory take the place of an older one."""
        refused = self._judge(Op.SUPERSEDE, older, other=by)
        if refused is _TOLD:
            return
        until = max(by.said_at, older.said_at)
        yield Change(
            op=Op.SUPERSEDE,
            memory_id=older.memory_id,
            other_id=by.memory_id,
            entity_id=older.memory_id,
            reason=reason,
            before={"status": older.status, "superseded_by": None, "valid_until": _iso(older.valid_until)},
            after={"status": MemoryStatus.SUPERSEDED, "superseded_by": by.memory_id, "valid_until": _iso(until)},
            refused=refused,
        )
        if refused is not None:
            return
        older.status, older.valid_until = MemoryStatus.SUPERSEDED, until
        self.snapshot.retire(older)
        yield from self.connect(LinkKind.SUPERSEDES, source=by, target=older, reason=reason)

    def contradict(self, newer: Known, older: Known, *, reason: str) -> Iterator[Change]:
        """Note that two memories can't both hold, and put both in doubt; what is pinned keeps its status."""
        if self.snapshot.joined(newer.memory_id, older.memory_id, kinds=(LinkKind.CONTRADICTS,)):
            return
        yield from self.connect(LinkKind.CONTRADICTS, source=newer, target=older, reason=reason)
        for memory in (older, newer):
            if memory.status is MemoryStatus.ACTIVE and not memory.pinned:
                yield _status_change(memory, Op.FLAG, status=MemoryStatus.FLAGGED, reason=reason)
                memory.status = MemoryStatus.FLAGGED

    def merge(self, one: Known, other: Known, *, reason: str) -> Iterator[Change]:
        """Let two memories that say the same become one, which keeps count, sources and edges of both."""
        kept, merged = sorted((one, other), key=_worth)
        refused = self._judge(Op.MERGE, merged, other=kept)
        if refused is _TOLD:
            return
        yield Change(
            op=Op.MERGE,
            memory_id=merged.memory_id,
            other_id=kept.memory_id,
            entity_id=merged.memory_id,
            reason=reason,
            before={"status": merged.status, "superseded_by": None},
            after={"status": MemoryStatus.DEPRECATED, "superseded_by": kept.memory_id},
            refused=refused,
        )
        if refused is not None:
            return
        merged.status = MemoryStatus.DEPRECATED
        self.snapshot.retire(merged)
        self.snapshot.move_edges(merged.memory_id, to=kept.memory_id)
        tags = [*kept.tags, *(tag for tag in merged.tags if tag not in kept.tags)]
        before: dict[str, Any] = {"count": kept.count}
        after: dict[str, Any] = {"count": kept.count + merged.count}
        if tags != kept.tags:
            before["tags"], after["tags"] = list(kept.tags), tags
        kept.count, kept.tags = kept.count + merged.count, tags
        yield Change(
            op=Op.MERGE,
            memory_id=kept.memory_id,
            other_id=merged.memory_id,
            entity_id=kept.memory_id,
            reason=reason,
            before=before,
            after=after,
            detail=True,
        )

    def tag(self, memory: Known, tags: Sequence[str], *, reason: str) -> Iterator[Change]:
        """Add tags to a memory."""
        if not tags:
            return
        before, memory.tags = list(memory.tags), [*memory.tags, *tags]
        yield Change(
            op=Op.TAG,
            memory_id=memory.memory_id,
            entity_id=memory.memory_id,
            reason=reason,
            before={"tags": before},
            after={"tags": list(memory.tags)},
        )

    def settle(self, finding: Finding, *, cosine: float) -> Iterator[Change]:
        """What follows from what two memories are to each other."""
        older, newer, reason = finding.older, finding.newer, finding.reason
        match finding.relation:
            case Relation.REPEATS:
                yield from self.merge(older, newer, reason=reason)
            case Relation.SUPPORTS:
                yield from self.connect(LinkKind.SUPPORTS, source=newer, target=older, reason=reason, weight=cosine)
            case Relation.REPLACES:
                yield from self.supersede(older, by=newer, reason=reason)
            case Relation.REPLACES_A_PART:
                yield from self._revise(older, finding)
            case Relation.CONTRADICTS:
                yield from self.contradict(newer, older, reason=reason)
            case Relation.NONE:
                return

    def _replay_memory(self, memory: Known, after: Mapping[str, Any], *, other_id: str | None) -> None:
        memory.tags = list(after.get("tags", memory.tags))
        memory.count = int(after.get("count", memory.count))
        memory.text = str(after.get("text", memory.text))
        memory.status = MemoryStatus(after.get("status", memory.status))
        if memory.status not in IN_FORCE:
            self.snapshot.retire(memory)
            if other_id is not None:
                self.snapshot.move_edges(memory.memory_id, to=other_id)

    def age(self, memory: Known) -> Iterator[Change]:
        """What time alone does to a memory."""
        reason = None if memory.keeps else outdated(memory, at=self.facts.at)
        if reason:
            yield from self.deprecate(memory, reason=reason)

    def _judge(self, op: Op, memory: Known, *, other: Known | None = None) -> str | None:
        """Why a guard forbids this, None when it doesn't; what was refused before in this run is told once only."""
        key = (op, memory.memory_id, other.memory_id if other else None)
        if key in self.refused:
            return _TOLD
        refused = self.guard.judge(op, memory, at=self.facts.at)
        if refused is not None:
            self.refused.add(key)
        return refused

    def _compare(self, memory: Known, near: Near) -> Iterator[Change]:
        cosines = {other.memory_id: cosine for other, cosine in near}
        rivals = [other for other in self.pairs.rivals(memory) if other.memory_id not in cosines]
        for other in (*(other for other, _ in near), *rivals):
            if not memory.in_force:
                return
            if other.in_force and not self._is_settled(memory, other):
                finding = self.pairs.compare(memory, other)
                yield from self.settle(finding, cosine=cosines.get(other.memory_id, 0.0))

    def _merge_repeats(self, memory: Known, near: Near) -> Iterator[Change]:
        for other, cosine in near:
            if memory.in_force and other.in_force:
                finding = self.pairs.compare(memory, other)
                if finding.relation is Relation.REPEATS:
                    yield from self.settle(finding, cosine=cosine)

    def _is_settled(self, memory: Known, other: Known) -> bool:
        kinds = (LinkKind.CONTRADICTS, LinkKind.SUPERSEDES)
        return self.snapshot.joined(memory.memory_id, other.memory_id, kinds=kinds)

    def _revise(self, older: Known, finding: Finding) -> Iterator[Change]:
        refused = self._judge(Op.REVISE, older, other=finding.newer)
        if refused is _TOLD:
            return
        yield Change(
            op=Op.REVISE,
            memory_id=older.memory_id,
            other_id=finding.newer.memory_id,
            entity_id=older.memory_id,
            reason=finding.reason,
            before={"text": older.text},
            after={"text": finding.rest},
            refused=refused,
        )
        if refused is None:
            older.text = finding.rest
            self.pairs.forget(older)

    def _associate(self, memory: Known, near: Near) -> Iterator[Change]:
        for other_id in mentioned(memory, self.people):
            if self.snapshot.find(other_id):
                edge = NewEdge(
                    kind=LinkKind.MENTIONS,
                    source_id=memory.memory_id,
                    target_id=other_id,
                    reason="it names whom or what the other one introduces",
                )
                yield from self.link(edge)
        for other, cosine in related(memory, near, snapshot=self.snapshot):
            reason = f"they lie near each other ({cosine:.2f})"
            yield from self.connect(LinkKind.RELATED_TO, source=memory, target=other, reason=reason, weight=cosine)


def _worth(memory: Known) -> tuple[object, ...]:
    """Order of keeping: what may not be retired, what a person said, what was said more often, what came first."""
    said_by_person = memory.origin is Origin.USER
    undoubted = memory.status is MemoryStatus.ACTIVE
    return (
        memory.keeps is None, not said_by_person, not undoubted, -memory.count, memory.said_at, memory.created_at,
        memory.memory_id,
    )  # fmt: skip


def _status_change(memory: Known, op: Op, *, status: MemoryStatus, reason: str, refused: str | None = None) -> Change:
    return Change(
        op=op,
        memory_id=memory.memory_id,
        entity_id=memory.memory_id,
        reason=reason,
        before={"status": memory.status},
        after={"status": status},
        refused=refused,
    )


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
