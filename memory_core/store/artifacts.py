"""Statements on made things. Every read names the scopes that it may see."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, delete, or_
from sqlmodel import Session as DbSession
from sqlmodel import col, select

from memory_core.kref import Place
from memory_core.models.artifact import Artifact, ArtifactCapture, ArtifactRevision
from memory_core.models.job import Job
from memory_core.models.memory import Memory
from memory_core.store.links import LinkRepository
from memory_core.values import JobState, ScopeKey

_BATCH = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenArtifacts:
    """What goes with artifacts: how many, and contents that nothing may need any more."""

    count: int = 0
    checksums: tuple[str, ...] = ()


class ArtifactRepository:
    """Artifacts, their revisions and the requests to keep them, within one transaction; never commits."""

    def __init__(self, session: DbSession) -> None:
        """Work in the given database session."""
        self._db = session

    def add(self, row: Artifact | ArtifactRevision | ArtifactCapture) -> None:
        """Insert a row."""
        self._db.add(row)
        self._db.flush()

    def capture_of(self, job_id: str) -> ArtifactCapture | None:
        """The request that a job does."""
        return self._db.exec(select(ArtifactCapture).where(ArtifactCapture.job_id == job_id)).first()

    def waiting_until(self, capture: ArtifactCapture) -> list[ArtifactCapture]:
        """Requests for the same artifact that aren't done, up to this one, oldest first; failed ones are left out."""
        statement = (
            select(ArtifactCapture)
            .join(Job, col(Job.id) == col(ArtifactCapture.job_id))
            .where(
                *_same(capture, of=ArtifactCapture),
                col(ArtifactCapture.artifact_id).is_(None),
                col(ArtifactCapture.number) <= capture.number,
                or_(
                    col(Job.state).not_in([JobState.FAILED, JobState.CANCELLED]),
                    col(ArtifactCapture.number) == capture.number,
                ),
            )
            .order_by(col(ArtifactCapture.number))
        )
        return list(self._db.exec(statement))

    def named(self, capture: ArtifactCapture) -> Artifact | None:
        """The artifact that a request means."""
        return self._db.exec(select(Artifact).where(*_same(capture, of=Artifact))).first()

    def get(self, artifact_id: str) -> Artifact | None:
        """One artifact."""
        return self._db.get(Artifact, artifact_id)

    def by_kref(self, kref: str, *, scopes: Sequence[ScopeKey] | None) -> Artifact | None:
        """The artifact of an address; in whichever scope it is when `scopes` is None, for the operator.

        None when two scopes have the same address and none is named.
        """
        statement = select(Artifact).where(Artifact.kref == kref)
        if scopes is not None:
            return self._db.exec(statement.where(col(Artifact.scope_key).in_(scopes))).first()
        rows = self._db.exec(statement.limit(2)).all()
        return rows[0] if len(rows) == 1 else None

    def by_ids(self, ids: Collection[str], *, scopes: Sequence[ScopeKey]) -> dict[str, Artifact]:
        """Those of the artifacts that lie in the scopes."""
        statement = select(Artifact).where(col(Artifact.id).in_(ids), col(Artifact.scope_key).in_(scopes))
        return {row.id: row for row in self._db.exec(statement)}

    def taken(self, kref: str, *, scope: str) -> bool:
        """Whether an artifact or a memory of the scope has this address."""
        artifact = select(Artifact.id).where(Artifact.scope_key == scope, Artifact.kref == kref)
        memory = select(Memory.id).where(Memory.scope_key == scope, Memory.kref == kref)
        return self._db.exec(artifact).first() is not None or self._db.exec(memory).first() is not None

    def page(self, scopes: Sequence[ScopeKey], *, place: Place, tag: str | None, limit: int) -> list[Artifact]:
        """Artifacts of a project's space, the last changed first; `place.kind` doesn't count."""
        statement = (
            select(Artifact)
            .where(
                col(Artifact.scope_key).in_(scopes), Artifact.project == place.project, Artifact.space == place.space
            )
            .order_by(col(Artifact.updated_at).desc(), col(Artifact.id))
        )
        if tag is None:
            return list(self._db.exec(statement.limit(limit)))
        # Tags are JSON: compared here, the same on every database.
        return [row for row in self._db.exec(statement) if tag in row.tags][:limit]

    def revisions(self, artifact_id: str) -> list[ArtifactRevision]:
        """Revisions of an artifact, oldest first."""
        statement = (
            select(ArtifactRevision)
            .where(ArtifactRevision.artifact_id == artifact_id)
            .order_by(col(ArtifactRevision.revision))
        )
        return list(self._db.exec(statement))

    def revision(self, artifact_id: str, *, number: int) -> ArtifactRevision | None:
        """One revision."""
        statement = select(ArtifactRevision).where(
            ArtifactRevision.artifact_id == artifact_id, ArtifactRevision.revision == number
        )
        return self._db.exec(statement).first()

    def current_revisions(self, artifacts: Sequence[Artifact]) -> dict[str, ArtifactRevision]:
        """The newest revision by artifact."""
        found: dict[str, ArtifactRevision] = {}
        for start in range(0, len(artifacts), _BATCH):
            statement = (
                select(ArtifactRevision)
                .join(Artifact, col(Artifact.id) == col(ArtifactRevision.artifact_id))
                .where(
                    col(Artifact.id).in_([artifact.id for artifact in artifacts[start : start + _BATCH]]),
                    col(ArtifactRevision.revision) == col(Artifact.current),
                )
            )
            found |= {row.artifact_id: row for row in self._db.exec(statement)}
        return found

    def nodes(self, ids: Collection[str], *, scopes: Sequence[ScopeKey]) -> dict[str, tuple[Artifact, int]]:
        """Artifact and number by id of revision, for those of the ids that are revisions in the scopes."""
        statement = (
            select(ArtifactRevision.id, ArtifactRevision.revision, Artifact)
            .join(Artifact, col(Artifact.id) == col(ArtifactRevision.artifact_id))
            .where(col(ArtifactRevision.id).in_(ids), col(Artifact.scope_key).in_(scopes))
        )
        return {node: (artifact, number) for node, number, artifact in self._db.exec(statement)}

    def part_ids(self, artifact_id: str) -> list[str]:
        """Memories that are passages of an artifact."""
        statement = select(Memory.id).where(Memory.artifact_id == artifact_id, col(Memory.part).is_not(None))
        return list(self._db.exec(statement))

    def memory_ids(self, artifact_ids: Sequence[str]) -> list[str]:
        """Every memory of the artifacts: those that mention them, and their passages."""
        return list(self._db.exec(select(Memory.id).where(col(Memory.artifact_id).in_(artifact_ids))))

    def forget(self, artifact_ids: Sequence[str], *, scopes: Sequence[ScopeKey]) -> ForgottenArtifacts:
        """Delete artifacts with revisions, edges and requests; their memories and contents are for the caller.

        Requests that still wait for the same artifact go too: their jobs then have nothing to do.
        """
        checksums: set[str] = set()
        rows = self.by_ids(artifact_ids, scopes=scopes)
        for artifact in rows.values():
            revisions = self.revisions(artifact.id)
            checksums.update(revision.checksum for revision in revisions)
            LinkRepository(self._db).forget([revision.id for revision in revisions])
            requests = or_(col(ArtifactCapture.artifact_id) == artifact.id, and_(*_same(artifact, of=ArtifactCapture)))
            checksums.update(self._db.exec(select(ArtifactCapture.checksum).where(requests)))
            self._db.exec(delete(ArtifactCapture).where(requests))
            self._db.exec(delete(ArtifactRevision).where(col(ArtifactRevision.artifact_id) == artifact.id))
            self._db.delete(artifact)
        self._db.flush()
        return ForgottenArtifacts(count=len(rows), checksums=tuple(sorted(checksums)))

    def forget_pieces(
        self, *, revision_ids: Collection[str], captures: Collection[int], scopes: Sequence[ScopeKey]
    ) -> ForgottenArtifacts:
        """Delete single versions, the newest one of an artifact excepted, and requests that wait.

        Returns:
            How many versions are gone, and contents that nothing may need any more.
        """
        checksums: set[str] = set()
        gone = 0
        for artifact, revision in self._earlier(revision_ids, scopes=scopes):
            checksums.add(revision.checksum)
            LinkRepository(self._db).forget([revision.id])
            done = (col(ArtifactCapture.artifact_id) == artifact.id, col(ArtifactCapture.revision) == revision.revision)
            checksums.update(self._db.exec(select(ArtifactCapture.checksum).where(*done)))
            self._db.exec(delete(ArtifactCapture).where(*done))
            if artifact.published == revision.revision:
                artifact.published = None
            self._db.delete(revision)
            gone += 1
        waiting = (
            col(ArtifactCapture.number).in_(captures),
            col(ArtifactCapture.scope_key).in_(scopes),
            col(ArtifactCapture.artifact_id).is_(None),
        )
        checksums.update(self._db.exec(select(ArtifactCapture.checksum).where(*waiting)))
        self._db.exec(delete(ArtifactCapture).where(*waiting))
        self._db.flush()
        return ForgottenArtifacts(count=gone, checksums=tuple(sorted(checksums)))

    def pieces(
        self, *, revision_ids: Collection[str], captures: Collection[int], scopes: Sequence[ScopeKey]
    ) -> list[tuple[str, str]]:
        """What `forget_pieces` deletes: scope with the id of the version, or of the job of the request."""
        waiting = select(ArtifactCapture.scope_key, ArtifactCapture.job_id).where(
            col(ArtifactCapture.number).in_(captures), col(ArtifactCapture.scope_key).in_(scopes)
        )
        earlier = self._earlier(revision_ids, scopes=scopes)
        return [(artifact.scope_key, revision.id) for artifact, revision in earlier] + list(self._db.exec(waiting))

    def _earlier(
        self, revision_ids: Collection[str], *, scopes: Sequence[ScopeKey]
    ) -> list[tuple[Artifact, ArtifactRevision]]:
        statement = (
            select(Artifact, ArtifactRevision)
            .join(ArtifactRevision, col(ArtifactRevision.artifact_id) == col(Artifact.id))
            .where(
                col(ArtifactRevision.id).in_(revision_ids),
                col(Artifact.scope_key).in_(scopes),
                col(ArtifactRevision.revision) != col(Artifact.current),
            )
        )
        return list(self._db.exec(statement).all())

    def needed(self, checksums: Collection[str]) -> set[str]:
        """Those of the contents that a revision, or a request that isn't done, still needs."""
        found: set[str] = set()
        wanted = sorted(checksums)
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            held = select(ArtifactRevision.checksum).where(col(ArtifactRevision.checksum).in_(batch))
            found.update(self._db.exec(held))
            waiting = select(ArtifactCapture.checksum).where(
                col(ArtifactCapture.checksum).in_(batch), col(ArtifactCapture.artifact_id).is_(None)
            )
            found.update(self._db.exec(waiting))
        return found


def _same(
    identity: Artifact | ArtifactCapture, *, of: type[Artifact] | type[ArtifactCapture]
) -> list[ColumnElement[bool]]:
    """Clauses for rows that mean the same artifact."""
    return [
        col(of.scope_key) == identity.scope_key,
        col(of.project) == identity.project,
        col(of.space) == identity.space,
        col(of.kind) == identity.kind,
        col(of.title_key) == identity.title_key,
    ]
