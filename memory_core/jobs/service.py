"""Jobs from owed to done: handed to the flow engine by the service, run by a flow, polled by their id."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import structlog

from memory_core.errors import Conflict, MemoryCoreError, NotFound, Unavailable
from memory_core.jobs.handlers import Handler
from memory_core.models.job import Job
from memory_core.ports import Clock, FlowEngine
from memory_core.store.database import Database
from memory_core.store.jobs import JobRepository
from memory_core.values import FlowRun, JobId, JobKind, JobState, ScopeKey

MAX_ATTEMPTS = 5
"""Flow runs made for one job before it counts as failed."""
ENDED = (JobState.DONE, JobState.FAILED, JobState.CANCELLED)
_BATCH = 20
_UNSEEN = timedelta(seconds=30)
"""How long a job may be open after it was handed over before its flow run is looked at."""

log = structlog.get_logger(__name__)


class JobService:
    """Hands jobs over, runs them, tells how they stand."""

    def __init__(
        self, database: Database, *, engine: FlowEngine, handlers: Mapping[JobKind, Handler], clock: Clock
    ) -> None:
        """Use the given parts."""
        self._database = database
        self._engine = engine
        self._handlers = handlers
        self._clock = clock

    def owe(self, kind: JobKind, *, scope: ScopeKey | None, payload: Mapping[str, Any]) -> JobId:
        """Add a job in a transaction of its own."""
        with self._database.transaction() as db:
            return JobRepository(db).owe(kind, scope=scope, payload=payload, at=self._clock.now())

    def get(self, job_id: JobId) -> Job:
        """One job.

        Raises:
            NotFound: there is none of this id.
        """
        with self._database.reading() as db:
            job = JobRepository(db).get(job_id)
        if job is None:
            raise NotFound(f"job: there is no job {job_id[:40]!r}")
        return job

    def submit_owed(self) -> int:
        """Make a flow run for every job that has none; returns how many were handed over.

        Raises:
            Unavailable: the flow engine is away; what is left waits for the next call.
        """
        with self._database.reading() as db:
            jobs = JobRepository(db).unsubmitted(limit=_BATCH)
        for job in jobs:
            self._note_run(job, run=self._hand_over(job))
        return len(jobs)

    def retry(self, job_id: JobId) -> Job:
        """Have a job that failed or was cancelled done again; what it did before does no harm.

        Raises:
            NotFound: there is none of this id.
            Conflict: it didn't fail.
        """
        job = self.get(job_id)
        fresh = {"state": JobState.QUEUED, "flow_run_id": None, "error": None, "ended_at": None, "progress": 0.0}
        if not self._set(job_id, unless=(JobState.QUEUED, JobState.RUNNING, JobState.DONE), **fresh):
            raise Conflict(f"job: {job.state} jobs can't be tried again, only failed and cancelled ones")
        return self.get(job_id)

    def look_after(self) -> int:
        """Look at the flow runs of jobs that are open for long; start again what ended without finishing its job.

        Raises:
            Unavailable: the flow engine is away.
        """
        with self._database.reading() as db:
            jobs = JobRepository(db).submitted_before(self._clock.now() - _UNSEEN, limit=_BATCH)
        for job in jobs:
            self._look_after(job)
        return len(jobs)

    def run(self, job_id: JobId) -> Mapping[str, Any] | None:
        """Do the work of a job; what the flow calls. A job that ended already is left alone.

        Returns:
            The result; None when there was nothing to do.

        Raises:
            NotFound: there is no such job.
            Unavailable: a part is away; the flow should try again.
            MemoryCoreError: the job failed for good, which its row says too.
        """
        job = self.get(job_id)
        if not self._set(job_id, unless=ENDED, state=JobState.RUNNING, started_at=job.started_at or self._clock.now()):
            return None
        with self._database.reading() as db:  # the payload may have been widened until the line above
            payload = (JobRepository(db).get(job_id) or job).payload
        try:
            result = self._handlers[JobKind(job.kind)](
                {**payload, "jobId": job_id}, lambda share: self._progress(job_id, share)
            )
        except Unavailable as error:
            self._set(job_id, unless=ENDED, error=str(error))
            raise
        except Exception as error:
            reason = str(error) if isinstance(error, MemoryCoreError) else f"internal error: {type(error).__name__}"
            self._set(job_id, unless=ENDED, state=JobState.FAILED, error=reason, ended_at=self._clock.now())
            raise
        self._set(
            job_id,
            unless=ENDED,
            state=JobState.DONE,
            result=result,
            error=None,
            progress=1.0,
            ended_at=self._clock.now(),
        )
        return result

    def counts(self) -> Mapping[str, int]:
        """Number of jobs by state."""
        with self._database.reading() as db:
            return JobRepository(db).counts()

    def _look_after(self, job: Job) -> None:
        try:
            run = self._engine.read(job.flow_run_id or "")
        except NotFound:
            run = FlowRun(run_id=job.flow_run_id or "", state=JobState.FAILED, message="the flow engine lost the run")
        if run.state not in ENDED:
            self._set(_id(job), unless=ENDED, submitted_at=self._clock.now())
        elif job.attempts % MAX_ATTEMPTS == 0:  # each retry on request gives it as many again
            reason = job.error or run.message or f"the flow run ended as {run.state}"
            self._set(_id(job), unless=ENDED, state=JobState.FAILED, error=reason, ended_at=self._clock.now())
            log.warning("job.failed", job_id=job.id, kind=job.kind, attempts=job.attempts)
        else:
            self._note_run(job, run=self._hand_over(job))

    def _hand_over(self, job: Job) -> FlowRun:
        kind, parameters = JobKind(job.kind), _parameters(job)
        if job.attempts == 0:
            return self._engine.submit(_id(job), kind=kind, parameters=parameters)
        return self._engine.resubmit(_id(job), kind=kind, parameters=parameters, attempt=job.attempts + 1)

    def _note_run(self, job: Job, *, run: FlowRun) -> None:
        self._set(
            _id(job),
            unless=ENDED,
            flow_run_id=run.run_id,
            attempts=job.attempts + 1,
            submitted_at=self._clock.now(),
        )

    def _progress(self, job_id: JobId, share: float) -> None:
        if not self._set(job_id, unless=ENDED, progress=share):
            raise Conflict("the job was ended from outside")

    def _set(self, job_id: JobId, *, unless: tuple[JobState, ...], **values: Any) -> bool:  # noqa: ANN401 column values
        with self._database.transaction() as db:
            return JobRepository(db).set(job_id, unless=unless, **values)


def _id(job: Job) -> JobId:
    return JobId(job.id)


def _parameters(job: Job) -> Mapping[str, str]:
    return {"job_id": job.id}
