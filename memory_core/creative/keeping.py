"""From a request to a revision: once for each request, in the order of asking, however often it is tried."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID, uuid5

from sqlmodel import Session as DbSession

from memory_core.creative.remembering import ArtifactMemories, Draft, id_for
from memory_core.errors import Conflict, NotFound
from memory_core.kref import Place, artifact_krefs
from memory_core.models.artifact import Artifact, ArtifactCapture, ArtifactRevision
from memory_core.models.link import Link
from memory_core.ports import ArtifactStore, Clock
from memory_core.store.artifacts import ArtifactRepository
from memory_core.store.database import Database
from memory_core.store.links import LinkRepository
from memory_core.store.memories import MemoryRepository
from memory_core.values import JobId, LinkKind, MemoryId, ScopeKey

_EDGES = UUID("0f3a6d6c-2f0c-4f63-9b0a-6d1f4f1f0c55")
_TRIES = 4
"""How often a request is tried when others write the same artifact at that moment."""
_FORGOTTEN = "it was forgotten before it was kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a request became.

    Attributes:
        revision: Number of the revision that holds the content.
        is_new_revision: False when the content was that of the current revision already.
    """

    revision: int
    is_new_revision: bool


class ArtifactKeeper:
    """Does the jobs that `CapturingService` owes."""

    def __init__(self, database: Database, *, store: ArtifactStore, memories: ArtifactMemories, clock: Clock) -> None:
        """Use the given parts."""
        self._database = database
        self._store = store
        self._memories = memories
        self._clock = clock

    def keep(self, job_id: JobId, progress: Callable[[float], None]) -> Kept:
        """Do a request, and before it those for the same artifact that were asked for earlier.

        Raises:
            NotFound: it was forgotten meanwhile, or its content is gone.
            Corrupt: its content was changed behind our back.
            Unavailable: a part is away; nothing was written.
        """
        with self._database.reading() as db:
            capture = _read(db, job_id)
            waiting = [] if capture.artifact_id else ArtifactRepository(db).waiting_until(capture)
        for each in waiting:
            self._keep_one(each, progress=progress)
        with self._database.reading() as db:
            done = _read(db, job_id)
            own = ArtifactRepository(db).nodes([id_for("revision", done)], scopes=[ScopeKey(done.scope_key)])
        return Kept(revision=done.revision or 1, is_new_revision=bool(own))

    def _keep_one(self, capture: ArtifactCapture, *, progress: Callable[[float], None]) -> None:
        content = self._store.get(capture.checksum).decode()
        draft: Draft | None = None
        for attempt in range(_TRIES):
            if draft is None and not self._is_current(capture):
                draft = self._memories.draft(capture, content=content, progress=progress)
            try:
                with self._database.transaction() as db:
                    self._write(db, capture=_read(db, capture.job_id), draft=draft)
            except Conflict:  # another one wrote the artifact at the same moment
                if attempt == _TRIES - 1:
                    raise
            else:
                return

    def _is_current(self, capture: ArtifactCapture) -> bool:
        with self._database.reading() as db:
            current = _current(db, ArtifactRepository(db).named(capture))
        return current is not None and current.checksum == capture.checksum

    def _write(self, db: DbSession, *, capture: ArtifactCapture, draft: Draft | None) -> None:
        if capture.artifact_id is not None:
            return
        artifact = ArtifactRepository(db).named(capture)
        revision = _current(db, artifact)
        if revision is None or artifact is None or revision.checksum != capture.checksum:
            if draft is None:
                raise Conflict("the artifact changed meanwhile")
            artifact, revision = self._revise(db, capture=capture, artifact=artifact, draft=draft)
        artifact.tags = list(dict.fromkeys([*artifact.tags, *capture.tags]))
        artifact.updated_at = self._clock.now()
        capture.artifact_id, capture.revision = artifact.id, revision.revision
        self._draw_edges(db, capture=capture, artifact=artifact, revision_id=revision.id)

    def _revise(
        self, db: DbSession, *, capture: ArtifactCapture, artifact: Artifact | None, draft: Draft
    ) -> tuple[Artifact, ArtifactRevision]:
        artifacts = ArtifactRepository(db)
        if artifact is None:
            artifact = _new_artifact(artifacts, capture)
        else:
            artifact.current += 1
        revision = ArtifactRevision(
            id=id_for("revision", capture),
            artifact_id=artifact.id,
            revision=artifact.current,
            checksum=capture.checksum,
            size_bytes=capture.size_bytes,
            excerpt=draft.excerpt,
            created_at=capture.created_at,
        )
        artifacts.add(revision)
        self._memories.write(db, capture=capture, artifact=artifact, draft=draft)
        return artifact, revision

    def _draw_edges(self, db: DbSession, *, capture: ArtifactCapture, artifact: Artifact, revision_id: str) -> None:
        edges = [(LinkKind.MENTIONS, artifact.memory_id, revision_id)]
        source = capture.source_id
        if source and source != revision_id and _exists(db, source, scope=ScopeKey(capture.scope_key)):
            edges.append((LinkKind.DERIVED_FROM, revision_id, source))
        for kind, source_id, target_id in edges:
            LinkRepository(db).add(
                Link(
                    id=str(uuid5(_EDGES, f"{kind} {source_id} {target_id}")),
                    scope_key=artifact.scope_key,
                    kind=kind,
                    source_id=source_id,
                    target_id=target_id,
                    reason="kept with creative_capture",
                    created_at=self._clock.now(),
                )
            )


def _read(db: DbSession, job_id: str) -> ArtifactCapture:
    capture = ArtifactRepository(db).capture_of(job_id)
    if capture is None:
        raise NotFound(_FORGOTTEN)
    return capture


def _current(db: DbSession, artifact: Artifact | None) -> ArtifactRevision | None:
    return ArtifactRepository(db).revision(artifact.id, number=artifact.current) if artifact else None


def _exists(db: DbSession, node_id: str, *, scope: ScopeKey) -> bool:
    """Whether the source is still there: it may have been forgotten while the request waited."""
    if ArtifactRepository(db).nodes([node_id], scopes=[scope]):
        return True
    return bool(MemoryRepository(db).by_ids([MemoryId(node_id)], scopes=[scope]))


def _new_artifact(artifacts: ArtifactRepository, capture: ArtifactCapture) -> Artifact:
    place = Place(project=capture.project, space=capture.space, kind=capture.kind)
    artifact_id = id_for("artifact", capture)
    krefs = artifact_krefs(place, capture.title, artifact_id=artifact_id)
    artifact = Artifact(
        id=artifact_id,
        scope_key=capture.scope_key,
        project=capture.project,
        space=capture.space,
        kind=capture.kind,
        title=capture.title,
        title_key=capture.title_key,
        kref=next(kref for kref in krefs if not artifacts.taken(kref, scope=capture.scope_key)),
        memory_id=id_for("memory", capture),
        tags=list(capture.tags),
        created_at=capture.created_at,
        updated_at=capture.created_at,
    )
    artifacts.add(artifact)
    return artifact
