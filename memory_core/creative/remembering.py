"""What is remembered of an artifact: one memory that mentions it, and passages of its content to find it by."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID, uuid5

from sqlmodel import Session as DbSession

from memory_core.capture.dedup import TextKeys
from memory_core.capture.proposals import Proposal
from memory_core.capture.writing import MemoryWriter
from memory_core.creative.passages import Named, excerpt_of, mention, passages, searched_as
from memory_core.kref import memory_kref
from memory_core.models.artifact import Artifact, ArtifactCapture
from memory_core.models.memory import Memory, MemoryVector
from memory_core.ports import Clock
from memory_core.store.artifacts import ArtifactRepository
from memory_core.store.links import LinkRepository
from memory_core.store.memories import MemoryRepository
from memory_core.store.revisions import RevisionRepository
from memory_core.values import MemoryId, MemoryKind, MemoryStatus, Origin, ScopeKey

MADE_BY = "creative@1"
_IDS = UUID("5b0c7d0e-6f0b-4a53-9a68-0d7f7f2f7a41")
_BATCH = 8
"""Texts embedded at once; between batches the progress is told, and a cancelled job ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepingOptions:
    """How artifacts are remembered.

    Attributes:
        project: First part of the addresses of memories.
        keeps_text: Words of the content may stand in the tables and in the index; False where those are elsewhere and
            only statements may leave this machine.
    """

    project: str
    keeps_text: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What will be remembered of a revision, the mention first, made outside of a transaction."""

    excerpt: str
    proposals: Sequence[Proposal]
    vectors: Sequence[MemoryVector]


def id_for(what: str, capture: ArtifactCapture) -> MemoryId:
    """An id drawn from the job's: a second try makes the same ones."""
    return MemoryId(str(uuid5(_IDS, f"{what} {capture.job_id}")))


class ArtifactMemories:
    """Writes memories of artifacts."""

    def __init__(self, writer: MemoryWriter, *, keys: TextKeys, clock: Clock, options: KeepingOptions) -> None:
        """Use the given parts."""
        self._writer = writer
        self._keys = keys
        self._clock = clock
        self._options = options

    def draft(self, capture: ArtifactCapture, *, content: str, progress: Callable[[float], None]) -> Draft:
        """Read and embed a content.

        Raises:
            Unavailable: the embedder is away.
        """
        named = Named(title=capture.title, project=capture.project, space=capture.space, kind=capture.kind)
        excerpt = excerpt_of(content) if self._options.keeps_text else ""
        whole = Proposal(
            memory_id=id_for("memory", capture),
            scope=ScopeKey(capture.scope_key),
            space=capture.space,
            text=mention(named, excerpt=excerpt),
            kind=MemoryKind.ARTIFACT,
            origin=Origin.ASSISTANT,
            speaker=capture.speaker,
            said_at=capture.created_at,
            tags=tuple(capture.tags),
        )
        texts = passages(content) if self._options.keeps_text else []
        parts = [
            replace(whole, memory_id=id_for(f"part {number}", capture), text=text) for number, text in enumerate(texts)
        ]
        # A passage is embedded together with the title, which its own words rarely hold.
        embedded = [whole, *(replace(part, text=searched_as(named, part.text)) for part in parts)]
        vectors: list[MemoryVector] = []
        for start in range(0, len(embedded), _BATCH):
            vectors += self._writer.embed(embedded[start : start + _BATCH])
            progress(min(0.95, len(vectors) / len(embedded)))
        return Draft(excerpt=excerpt, proposals=[whole, *parts], vectors=vectors)

    def write(self, db: DbSession, *, capture: ArtifactCapture, artifact: Artifact, draft: Draft) -> None:
        """Bring the memory that mentions the artifact, and its passages, to the revision that was drafted."""
        memories = MemoryRepository(db)
        if gone := ArtifactRepository(db).part_ids(artifact.id):
            LinkRepository(db).forget(gone)
            RevisionRepository(db).forget(gone)
            memories.forget(gone)
        own, *parts = [
            self._row(proposal, capture=capture, artifact=artifact, part=number - 1 if number else None)
            for number, proposal in enumerate(draft.proposals)
        ]
        known_id = MemoryId(artifact.memory_id)
        known = memories.by_ids([known_id], scopes=[ScopeKey(artifact.scope_key)]).get(known_id)
        if known is None:
            artifact.memory_id = own.id
            memories.add(own, vector=draft.vectors[0])
        else:
            _replace_mention(db, known=known, by=own, vector=draft.vectors[0])
        for row, vector in zip(parts, draft.vectors[1:], strict=True):
            memories.add(row, vector=vector)

    def _row(self, proposal: Proposal, *, capture: ArtifactCapture, artifact: Artifact, part: int | None) -> Memory:
        now = self._clock.now()
        return Memory(
            id=proposal.memory_id,
            scope_key=proposal.scope,
            kref=memory_kref(
                proposal.memory_id, project=self._options.project, space=proposal.space, kind=proposal.kind
            ),
            space=proposal.space,
            kind=proposal.kind,
            text=proposal.text,
            # Of its own: a statement of the same words is another memory, and must not count as a repeat of this one.
            text_key=self._keys.of(proposal.text, speaker=f"{artifact.id} {part}"),
            speaker=proposal.speaker,
            origin=proposal.origin,
            event_at=proposal.said_at,
            valid_from=proposal.said_at,
            created_at=now,
            updated_at=now,
            status=MemoryStatus.ACTIVE,
            pinned=artifact.published is not None,
            tags=list(dict.fromkeys([*artifact.tags, *proposal.tags])),
            made_by=MADE_BY,
            job_id=capture.job_id,
            artifact_id=artifact.id,
            part=part,
        )


def _replace_mention(db: DbSession, *, known: Memory, by: Memory, vector: MemoryVector) -> None:
    values = {
        "text": by.text,
        "text_key": by.text_key,
        "speaker": by.speaker,
        "event_at": by.event_at,
        "valid_until": None,
        "superseded_by": None,
        "status": MemoryStatus.ACTIVE,
        "tags": by.tags,
    }
    vector.memory_id = known.id
    reason = "a new revision of the artifact"
    RevisionRepository(db).revise(known, values=values, at=by.updated_at, reason=reason, vector=vector)
