"""From a proposed memory to a row: embedded first, then added, counted as a repeat, or refused, in one transaction."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlmodel import Session as DbSession

from memory_core.capture.dedup import TextKeys
from memory_core.kref import memory_kref
from memory_core.models.memory import Memory, MemorySource, MemoryVector
from memory_core.ports import Embedder
from memory_core.store.memories import MemoryRepository
from memory_core.values import Decision, MemoryId, MemoryKind, MemoryStatus, Origin, ScopeKey
from memory_core.vectors import passage_text, to_stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A memory before it is written.

    Attributes:
        said_at: When the words were said; what was forgotten later than that isn't learned again.
        turn: Number and key of the turn it came from; None when a tool stored it.
        session_id: Session of that turn.
        position: Order within the session.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a proposal, and the memory that now holds its text, if any."""

    decision: Decision
    reason: str
    memory: Memory | None = None


class MemoryWriter:
    """Writes proposals; shared by consolidation, tools and import."""

    def __init__(self, embedder: Embedder, *, keys: TextKeys, project: str) -> None:
        """Use the installation's embedder, text keys and project name."""
        self._embedder = embedder
        self._keys = keys
        self._project = project

    def embed(self, proposals: Sequence[Proposal]) -> list[MemoryVector]:
        """Vectors of the proposals, in order; to be called outside of a transaction.

        Raises:
            Unavailable: the embedder is away.
        """
        if not proposals:
            return []
        texts = [passage_text(proposal.text, speaker=proposal.speaker) for proposal in proposals]
        model = self._embedder.model
        return [
            MemoryVector(memory_id=proposal.memory_id, model=model, **asdict(to_stored(embedding)))
            for proposal, embedding in zip(proposals, self._embedder.embed_passages(texts), strict=True)
        ]

    def write(self, db: DbSession, *, proposal: Proposal, vector: MemoryVector, now: datetime) -> Outcome:
        """Add a memory, or count a repeat; tombstones apply to what was said before they were set."""
        memories = MemoryRepository(db)
        text_key = self._keys.of(proposal.text, speaker=proposal.speaker)
        buried = memories.tombstones(proposal.scope, text_keys=[text_key]).get(text_key)
        if buried is not None and proposal.said_at <= buried:
            return Outcome(decision=Decision.REJECT, reason="this was forgotten on request after it had been said")
        if known := memories.by_text_key(text_key, scope=proposal.scope):
            return _count_repeat(memories, known=known, proposal=proposal, now=now)
        memory = self._row(proposal, text_key=text_key, now=now)
        sources = [_source(proposal.memory_id, proposal.turn)] if proposal.turn else []
        memories.add(memory, vector=vector, sources=sources)
        return Outcome(decision=Decision.ADD, reason="new", memory=memory)

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
        )


def _count_repeat(memories: MemoryRepository, *, known: Memory, proposal: Proposal, now: datetime) -> Outcome:
    known.count += 1
    known.updated_at = now
    if proposal.turn:
        memories.add_source(_source(MemoryId(known.id), proposal.turn))
    return Outcome(decision=Decision.SKIP_DUPLICATE, reason="known already, counted as a repeat", memory=known)


def _source(memory_id: MemoryId, turn: tuple[int, str]) -> MemorySource:
    turn_id, turn_key = turn
    return MemorySource(memory_id=memory_id, turn_id=turn_id, turn_key=turn_key)
