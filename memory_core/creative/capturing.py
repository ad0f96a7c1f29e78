"""Taking in a made thing: content into the artifact store, then the job that makes it a revision, in one commit."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import uuid4

from memory_core.creative.passages import first_line
from memory_core.creative.references import find_node
from memory_core.errors import Invalid, NotFound
from memory_core.kref import place_of, title_key
from memory_core.models.artifact import ArtifactCapture
from memory_core.models.job import Job
from memory_core.ports import ArtifactStore, Clock
from memory_core.privacy.redaction import redact
from memory_core.store.artifacts import ArtifactRepository
from memory_core.store.database import Database
from memory_core.store.jobs import JobRepository
from memory_core.store.memories import MemoryRepository
from memory_core.values import JobId, JobKind, JobState, MemoryId, Scope, ScopeKey

MAX_CONTENT_BYTES = 5 * 1024 * 1024
JOB_ID = "jobId"
"""The one field of a creative job's payload."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureRequest:
    """A made thing as the agent gives it."""

    title: str
    content: str
    creative_project: str
    project: str
    kind: str
    source_kref: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What became of a request.

    Attributes:
        job_id: The job that keeps it; None when nothing may be kept here.
        title: As it is kept: redacted.
        space: The space it will be found in.
        reason: Why it isn't kept.
        masked: Stretches of the content that were replaced by placeholders.
    """

    job_id: JobId | None
    title: str
    space: str
    reason: str | None = None
    masked: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureState:
    """How a request stands; the addresses are there when it is done."""

    state: JobState
    attempts: int
    error: str | None = None
    item_kref: str | None = None
    revision_kref: str | None = None
    memory_kref: str | None = None
    is_new_revision: bool | None = None


class CapturingService:
    """Accepts made things and tells what became of them."""

    def __init__(
        self,
        database: Database,
        *,
        store: ArtifactStore,
        clock: Clock,
        pii_redaction: bool,
        on_work: Callable[[], None],
    ) -> None:
        """Use the given parts; `pii_redaction` masks personal data, secrets are masked always."""
        self._database = database
        self._store = store
        self._clock = clock
        self._pii_redaction = pii_redaction
        self._on_work = on_work

    def capture(self, scope: Scope, request: CaptureRequest, *, job_id: JobId | None = None) -> Accepted:
        """Keep the content and owe the rest.

        Args:
            scope: Whose it is.
            request: What is to be kept.
            job_id: Names the job, for a caller that may ask for the same thing twice; a new one without it.

        Raises:
            Conflict: there is a job of this id.
            Invalid: the content is empty or too long, or the source is nothing that this scope knows.
            Unavailable: the artifact store or the tables can't be written; nothing is kept.
        """
        place = place_of(project=request.creative_project, space=request.project, kind=request.kind)
        title = redact(request.title.strip(), pii=self._pii_redaction).text
        if scope.writes is None:
            reason = scope.reason or "nothing may be stored here"
            return Accepted(job_id=None, title=title, space=place.space, reason=reason)
        source_id = self._source(request.source_kref, scope=scope.writes)
        safe = redact(_checked(request.content), pii=self._pii_redaction)
        content = safe.text.encode()
        row = ArtifactCapture(
            job_id=job_id or str(uuid4()),
            scope_key=scope.writes,
            project=place.project,
            space=place.space,
            kind=place.kind,
            title=title or first_line(safe.text),
            title_key=title_key(title or first_line(safe.text)),
            tags=list(dict.fromkeys(request.tags)),
            source_id=source_id,
            # The content first: a row without one would be a promise that can't be kept.
            checksum=self._store.put(content),
            size_bytes=len(content),
            speaker=scope.speaker,
            created_at=self._clock.now(),
        )
        owed = self._owe(row)
        self._on_work()
        return Accepted(job_id=owed, title=row.title, space=row.space, masked=sum(safe.counts.values()))

    def state(self, scope: Scope, job_id: JobId) -> CaptureState:
        """How a request of this scope stands.

        Raises:
            NotFound: there is none of this id in the scope.
        """
        with self._database.reading() as db:
            job = JobRepository(db).get(job_id)
            if job is None or job.kind != JobKind.CREATIVE or job.scope_key not in scope.reads:
                raise NotFound(f"jobId: there is no job {job_id[:40]!r}")
            artifacts = ArtifactRepository(db)
            capture = artifacts.capture_of(job_id)
            if job.state != JobState.DONE:
                return _unfinished(job)
            artifact = artifacts.get(capture.artifact_id) if capture and capture.artifact_id else None
            if capture is None or artifact is None:
                return CaptureState(state=JobState.DONE, attempts=job.attempts, error="it was forgotten on request")
            krefs = MemoryRepository(db).krefs([MemoryId(artifact.memory_id)])
        return CaptureState(
            state=JobState.DONE,
            attempts=job.attempts,
            item_kref=artifact.kref,
            revision_kref=f"{artifact.kref}?r={capture.revision}",
            memory_kref=krefs.get(artifact.memory_id),
            is_new_revision=bool((job.result or {}).get("isNewRevision")),
        )

    def _source(self, ref: str | None, *, scope: ScopeKey) -> str | None:
        if ref is None:
            return None
        try:
            with self._database.reading() as db:
                node = find_node(db, ref.strip(), scopes=[scope])
        except Invalid as error:
            raise Invalid(f"sourceMemoryKref: {str(error).removeprefix('ref: ')}") from error
        if node is None:
            raise Invalid(f"sourceMemoryKref: there is no memory or artifact {ref[:120]!r}")
        return node

    def _owe(self, row: ArtifactCapture) -> JobId:
        job_id = JobId(row.job_id)
        with self._database.transaction() as db:
            ArtifactRepository(db).add(row)
            return JobRepository(db).owe(
                JobKind.CREATIVE,
                scope=ScopeKey(row.scope_key),
                payload={JOB_ID: job_id},
                at=row.created_at,
                job_id=job_id,
            )


def _checked(content: str) -> str:
    if not content.strip():
        raise Invalid("content: must not be empty")
    if len(content) > MAX_CONTENT_BYTES or len(content.encode()) > MAX_CONTENT_BYTES:
        raise Invalid(f"content: must be at most {MAX_CONTENT_BYTES} bytes long")
    return content


def _unfinished(job: Job) -> CaptureState:
    if job.state == JobState.CANCELLED:
        return CaptureState(state=JobState.FAILED, attempts=job.attempts, error=job.error or "it was cancelled")
    return CaptureState(state=JobState(job.state), attempts=job.attempts, error=job.error)
