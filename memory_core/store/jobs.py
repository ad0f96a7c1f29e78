"""Statements on jobs."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import bindparam, delete, func, update
from sqlmodel import Session as DbSession
from sqlmodel import col, select

from memory_core.models.base import Json
from memory_core.models.job import Job
from memory_core.values import JobId, JobKind, JobState, ScopeKey

_OPEN = (JobState.QUEUED, JobState.RUNNING)
_BEGUN = (JobState.RUNNING, JobState.DONE, JobState.FAILED, JobState.CANCELLED)

# Made once, see `buffering`: they stand in the way of an acknowledged turn.
_OPEN_JOBS = (
    select(col(Job.id), col(Job.payload))
    .where(Job.scope_key == bindparam("scope"), Job.kind == bindparam("of_kind"), col(Job.state).in_(_OPEN))
    .order_by(col(Job.created_at))
)
_WIDEN = (
    update(Job)
    .where(col(Job.id) == bindparam("which"), col(Job.state).not_in(_BEGUN))
    .values(payload=bindparam("wider", type_=Json))
)


class JobRepository:
    """Jobs within one transaction; never commits."""

    def __init__(self, session: DbSession) -> None:
        """Work in the given database session."""
        self._db = session

    def get(self, job_id: JobId) -> Job | None:
        """One job."""
        return self._db.get(Job, job_id)

    def owe_consolidation(self, scope: ScopeKey, *, through: int, at: datetime) -> JobId:
        """Owe the consolidation of a scope's turns up to a number.

        Returns:
            A job that is open and goes so far, one that didn't start and was widened, or a new one.
        """
        connection = self._db.connection()
        for job in connection.execute(_OPEN_JOBS, {"scope": scope, "of_kind": JobKind.CONSOLIDATE}).all():
            if job.payload.get("through", {}).get(scope, 0) >= through:
                return JobId(job.id)
            if connection.execute(_WIDEN, {"which": job.id, "wider": {"through": {scope: through}}}).rowcount == 1:
                return JobId(job.id)
        return self.owe(JobKind.CONSOLIDATE, scope=scope, payload={"through": {scope: through}}, at=at)

    def owe(
        self,
        kind: JobKind,
        *,
        scope: ScopeKey | None,
        payload: Mapping[str, Any],
        at: datetime,
        job_id: JobId | None = None,
    ) -> JobId:
        """Add a job, under the given id or a new one; the dispatcher hands it to the flow engine after the commit."""
        job = Job(
            id=job_id or str(uuid4()),
            kind=kind,
            state=JobState.QUEUED,
            scope_key=scope,
            payload=dict(payload),
            created_at=at,
        )
        self._db.add(job)
        self._db.flush()
        return JobId(job.id)

    def open_of(self, kinds: Sequence[JobKind]) -> Job | None:
        """The oldest job of these kinds that didn't end, whatever its scope."""
        statement = select(Job).where(col(Job.kind).in_(kinds), col(Job.state).in_(_OPEN)).order_by(col(Job.created_at))
        return self._db.exec(statement.limit(1)).first()

    def unsubmitted(self, *, limit: int) -> list[Job]:
        """The oldest jobs that no flow run was made for."""
        statement = (
            select(Job)
            .where(Job.state == JobState.QUEUED, col(Job.flow_run_id).is_(None))
            .order_by(col(Job.created_at))
            .limit(limit)
        )
        return list(self._db.exec(statement))

    def submitted_before(self, moment: datetime, *, limit: int) -> list[Job]:
        """Open jobs that were handed over before a moment, those longest unseen first."""
        statement = (
            select(Job)
            .where(col(Job.state).in_(_OPEN), col(Job.flow_run_id).is_not(None), col(Job.submitted_at) < moment)
            .order_by(col(Job.submitted_at))
            .limit(limit)
        )
        return list(self._db.exec(statement))

    def set(self, job_id: JobId, *, unless: Sequence[JobState] = (), **values: Any) -> bool:  # noqa: ANN401 column values
        """Change columns of a job, unless it is in one of the states; tells whether it was changed."""
        statement = update(Job).where(col(Job.id) == job_id, col(Job.state).not_in(list(unless))).values(**values)
        return self._db.exec(statement).rowcount == 1

    def scopes_failed_since(self, moment: datetime) -> frozenset[str]:
        """Scopes with a consolidation that failed after a moment."""
        statement = select(Job.scope_key).where(
            Job.kind == JobKind.CONSOLIDATE, Job.state == JobState.FAILED, col(Job.ended_at) > moment
        )
        return frozenset(scope for scope in self._db.exec(statement) if scope is not None)

    def newest(self, kind: JobKind) -> datetime | None:
        """When the last job of this kind was owed."""
        return self._db.exec(select(func.max(Job.created_at)).where(Job.kind == kind)).one()

    def first(self) -> datetime | None:
        """When the first job of all was owed."""
        return self._db.exec(select(func.min(Job.created_at))).one()

    def prune(self, *, before: datetime, keep: Sequence[JobKind]) -> int:
        """Delete jobs that ended before a moment, those of some kinds excepted; returns how many."""
        statement = delete(Job).where(col(Job.ended_at) < before, col(Job.kind).not_in(list(keep)))
        return self._db.exec(statement).rowcount

    def last_ended(self, kind: JobKind) -> datetime | None:
        """When a job of this kind was last done."""
        statement = select(func.max(Job.ended_at)).where(Job.kind == kind, Job.state == JobState.DONE)
        return self._db.exec(statement).one()

    def counts(self) -> Mapping[str, int]:
        """Number of jobs by state."""
        return dict(self._db.exec(select(Job.state, func.count()).group_by(Job.state)).all())
