"""Asking for runs: one at a time for the whole project, and whoever asks meanwhile is told of that one."""

from dataclasses import dataclass

from memory_core.dream.schedule_row import lock_schedule
from memory_core.ports import Clock
from memory_core.store.database import Database
from memory_core.store.jobs import JobRepository
from memory_core.values import JobId, JobKind, JobState, ScopeKey

KINDS = (JobKind.DREAM, JobKind.DEDUPLICATE)
"""Both change what is remembered: never two of them at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunWish:
    """A run that somebody wants; see `progress.RunRequest`."""

    kind: JobKind = JobKind.DREAM
    scope: ScopeKey | None = None
    dry_run: bool = False
    cause: str = "request"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The job of the run that was asked for, or of the one that was there before.

    Attributes:
        fresh: It is the one that was asked for.
    """

    job_id: JobId
    kind: JobKind
    state: JobState
    fresh: bool


class DreamRequests:
    """Takes wishes for runs."""

    def __init__(self, database: Database, *, clock: Clock) -> None:
        """Use the given parts."""
        self._database = database
        self._clock = clock

    def ask(self, wish: RunWish) -> Asked:
        """Owe the job of a run; while one is queued or running nothing is added, and that one is told.

        Raises:
            Unavailable: the tables can't be written.
        """
        now = self._clock.now()
        with self._database.transaction() as db:
            lock_schedule(db, now=now)
            jobs = JobRepository(db)
            if job := jobs.open_of(KINDS):
                return Asked(job_id=JobId(job.id), kind=JobKind(job.kind), state=JobState(job.state), fresh=False)
            payload = {"dryRun": wish.dry_run, "cause": wish.cause, "scope": wish.scope}
            job_id = jobs.owe(wish.kind, scope=wish.scope, payload=payload, at=now)
            jobs.set(job_id, payload={**payload, "run": job_id})
        return Asked(job_id=job_id, kind=wish.kind, state=JobState.QUEUED, fresh=True)
