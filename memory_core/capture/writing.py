"""From a proposed memory to a row: embedded and compared first, then decided about and written in one transaction."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from sqlmodel import Session as DbSession

from memory_core.capture.applying import MOST_REPLACED, Applied, Rows
from memory_core.capture.decisions import Finding, same_owner
from memory_core.capture.dedup import TextKeys
from memory_core.capture.proposals import Outcome, Proposal, statement_in
from memory_core.capture.relatives import Batch, Relatives, compared
from memory_core.claims.statement import Verdict
from memory_core.kref import memory_kref
from memory_core.models.memory import Memory, MemoryVector
from memory_core.ports import Embedder
from memory_core.store.memories import MemoryRepository
from memory_core.values import Decision, MemoryId, MemoryStatus, ScopeKey
from memory_core.vectors import passage_text, to_stored


class MemoryWriter:
    """Writes proposals; shared by consolidation, tools and import."""

    def __init__(self, embedder: Embedder, *, keys: TextKeys, project: str, relatives: Relatives | None = None) -> None:
        """Use the installation's embedder, text keys and project name; without relatives only equal texts are found."""
        self._embedder = embedder
        self._keys = keys
        self._project = project
        self._relatives = relatives

    def prepare(self, proposals: Sequence[Proposal]) -> Batch:
        """Embed proposals and find what they are to be compared with; to be called outside of a transaction.

        Raises:
            Unavailable: the embedder is away.
        """
        batch = Batch(proposals=proposals, vectors=self.embed(proposals))
        if self._relatives is not None and proposals:
            for memory, rest in self._relatives.prepare(batch):
                batch.rests[memory.id, rest] = self.vector_of(memory, text=rest)
        return batch

    def embed(self, proposals: Sequence[Proposal]) -> list[MemoryVector]:
        """Vectors of the proposals, in order; to be called outside of a transaction.

        Raises:
            Unavailable: the embedder is away.
        """
        texts = [passage_text(proposal.text, speaker=proposal.speaker) for proposal in proposals]
        return self._vectors(texts, ids=[proposal.memory_id for proposal in proposals])

    def vector_of(self, memory: Memory, *, text: str) -> MemoryVector:
        """The vector that a memory will have with another text.

        Raises:
            Unavailable: the embedder is away.
        """
        return self._vectors([passage_text(text, speaker=memory.speaker)], ids=[MemoryId(memory.id)])[0]

    def write(self, db: DbSession, *, batch: Batch, now: datetime) -> list[Outcome]:
        """Write a batch: each proposal is added, counted as a repeat, refused, or changes what is stored.

        Returns:
            What became of each, in order. Tombstones apply to what was said before they were set.
        """
        rows = Rows(db, keys=self._keys, now=now)
        return [self._write(db, batch, place=place, rows=rows) for place in range(len(batch.proposals))]

    def _write(self, db: DbSession, batch: Batch, *, place: int, rows: Rows) -> Outcome:
        proposal, vector = batch.proposals[place], batch.vectors[place]
        memories = MemoryRepository(db)
        text_keys = self._keys.within(proposal.scope, proposal.text, speaker=proposal.speaker, origin=proposal.origin)
        buried = memories.tombstones(proposal.scope, text_keys=text_keys).values()
        if any(proposal.said_at <= moment for moment in buried):
            return Outcome(decision=Decision.REJECT, reason="this was forgotten on request after it had been said")
        known = memories.by_text_keys(text_keys, scope=proposal.scope)
        statement = statement_in(proposal)
        if repeated := next((row for row in known if same_owner(row, statement)), None):
            return rows.count_repeat(repeated, proposal=proposal)
        found = self._compared(memories, batch, place=place)
        if outcome := _absorbed(rows, found, proposal=proposal, vector=vector, text_key=text_keys[0]):
            return outcome
        memory = self._row(proposal, text_key=text_keys[0], now=rows.now)
        rows.add(memory, vector=vector, turn=proposal.turn)
        batch.written.setdefault(proposal.scope, []).append(memory)
        return _outcome(memory, _replace(rows, found, memory=memory, batch=batch))

    def _compared(self, memories: MemoryRepository, batch: Batch, *, place: int) -> list[Finding]:
        if not batch.candidates:
            return []
        proposal = batch.proposals[place]
        rows = memories.by_ids(batch.related[place], scopes=[proposal.scope])
        rows |= {MemoryId(row.id): row for row in batch.written.get(ScopeKey(proposal.scope), ())}
        return compared(batch, place, rows=list(rows.values()))

    def _vectors(self, texts: Sequence[str], *, ids: Sequence[MemoryId]) -> list[MemoryVector]:
        if not texts:
            return []
        model = self._embedder.model
        return [
            MemoryVector(memory_id=memory_id, model=model, **asdict(to_stored(embedding)))
            for memory_id, embedding in zip(ids, self._embedder.embed_passages(texts), strict=True)
        ]

    def _row(self, proposal: Proposal, *, text_key: str, now: datetime) -> Memory:
        return Memory(
            id=proposal.memory_id,
            scope_key=proposal.scope,
            kref=memory_kref(proposal.memory_id, project=self._project, space=proposal.space, kind=proposal.kind),
            space=proposal.space,
            kind=proposal.kind,
            text=proposal.text,
            text_key=text_key,
            speaker=proposal.speaker,
            origin=proposal.origin,
            imported=proposal.imported,
            event_at=proposal.event_at or proposal.said_at,
            event_until=proposal.event_until,
            valid_from=proposal.said_at,
            created_at=now,
            updated_at=now,
            status=MemoryStatus.ACTIVE,
            pinned=proposal.pinned,
            tags=list(proposal.tags),
            session_id=proposal.session_id,
            position=proposal.position,
            made_by=proposal.made_by,
            job_id=proposal.job_id,
        )


def _of(found: Sequence[Finding], verdict: Verdict) -> list[Finding]:
    """Findings of a verdict, those of the newest memories first."""
    of_it = [finding for finding in found if finding.comparison.verdict is verdict]
    return sorted(of_it, key=lambda finding: finding.memory.valid_from or finding.memory.created_at, reverse=True)


def _absorbed(
    rows: Rows, found: Sequence[Finding], *, proposal: Proposal, vector: MemoryVector, text_key: str
) -> Outcome | None:
    """A stored memory that says the same, or takes the words over; None when the proposal is a memory of its own."""
    if same := _of(found, Verdict.SAME):
        return rows.count_repeat(same[0].memory, proposal=proposal)
    for finding in _of(found, Verdict.REFINES):
        if not finding.is_newer:
            return rows.count_repeat(finding.memory, proposal=proposal)
        if not finding.memory.pinned:
            return rows.refine(finding.memory, proposal=proposal, vector=vector, text_key=text_key)
    return None


def _replace(rows: Rows, found: Sequence[Finding], *, memory: Memory, batch: Batch) -> Applied:
    """Retire what the new memory takes the place of, and flag what is doubtful."""
    applied = Applied()
    for finding in _of(found, Verdict.REPLACES)[:MOST_REPLACED]:
        if finding.is_newer:
            rest = batch.rests.get((finding.memory.id, finding.comparison.rest))
            rows.replace(finding, by=memory, rest=rest, applied=applied)
        elif memory.status == MemoryStatus.ACTIVE:
            rows.arrive_late(memory, finding=finding, applied=applied)
    if memory.status == MemoryStatus.SUPERSEDED:
        return applied
    for finding in _of(found, Verdict.CONTRADICTS)[:MOST_REPLACED]:
        rows.doubt(finding, memory=memory, applied=applied)
    return applied


def _outcome(memory: Memory, applied: Applied) -> Outcome:
    decision = Decision.UPDATE if applied.revised else Decision.ADD
    return Outcome(
        decision=Decision.SUPERSEDE if applied.superseded else decision,
        reason="; ".join(dict.fromkeys(applied.reasons)) or "new",
        memory=memory,
        superseded=tuple(applied.superseded),
        revised=tuple(applied.revised),
        flagged=tuple(applied.flagged),
    )
