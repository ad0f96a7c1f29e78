"""Asking for runs: one at a time for the whole project, and whoever asks meanwhile is told of that one."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from sqlmodel import Session as DbSession

from memory_core.ports import Clock
from memory_core.store.database import Database
from memory_core.store.dreams import DreamRepository
from memory_core.store.jobs import JobRepository
from memory_core.store.schedules import ScheduleRepository
from memory_core.store.turns import TurnRepository
from memory_core.values import JobId, JobKind, JobState, ScopeKey

KINDS = (JobKind.DREAM, JobKind.DEDUPLICATE)
"""Both change what is remembered: never two of them at once."""

HEAVY_SESSION = 80
"""Utterances of one session, consolidated since the last run, after which a run over them is asked for."""


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

    def __init__(self, database: Database, *, clock: Clock, on_work: Callable[[], None]) -> None:
        """Use the given parts; `on_work` is called after a commit that owes a job."""
        self._database = database
        self._clock = clock
        self._on_work = on_work

    def ask(self, wish: RunWish) -> Asked:
        """Owe the job of a run; while one is queued or running nothing is added, and that one is told.

        Raises:
            Unavailable: the tables can't be written.
        """
        with self._database.transaction() as db:
            asked = ask_within(db, wish, now=self._clock.now())
        if asked.fresh:
            self._on_work()
        return asked


class AfterSessions:
    """Asks for a run over what a heavy session wrote."""

    def __init__(self, database: Database, *, clock: Clock) -> None:
        """Use the given parts."""
        self._database = database
        self._clock = clock

    def ask_if_heavy(self, scope: ScopeKey) -> Asked | None:
        """Ask for a run over a scope when so much of a live session was consolidated since the last one.

        Raises:
            Unavailable: the tables can't be written.
        """
        now = self._clock.now()
        with self._database.transaction() as db:
            since = DreamRepository(db).last_started(JobKind.DREAM, scope=scope)
            if TurnRepository(db).most_consolidated(scope, since=since) < HEAVY_SESSION:
                return None
            return ask_within(db, RunWish(scope=scope, cause="session"), now=now)


def ask_within(db: DbSession, wish: RunWish, *, now: datetime) -> Asked:
    """`DreamRequests.ask` as a part of somebody else's transaction."""
    ScheduleRepository(db).locked(now=now)
    jobs = JobRepository(db)
    if job := jobs.open_of(KINDS):
        return Asked(job_id=JobId(job.id), kind=JobKind(job.kind), state=JobState(job.state), fresh=False)
    job_id = JobId(str(uuid4()))
    payload = {"run": job_id, "scope": wish.scope, "dryRun": wish.dry_run, "cause": wish.cause}
    jobs.owe(wish.kind, scope=wish.scope, payload=payload, at=now, job_id=job_id)
    return Asked(job_id=job_id, kind=wish.kind, state=JobState.QUEUED, fresh=True)
