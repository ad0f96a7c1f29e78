"""What a run did, for people and for programs; the words of memories are read from the memories at that moment."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_core.dream.asking import KINDS
from memory_core.dream.changes import Entity
from memory_core.errors import NotFound
from memory_core.models.dream import DreamChange, DreamRun
from memory_core.models.job import Job
from memory_core.store.database import Database
from memory_core.store.dreams import DreamRepository
from memory_core.store.jobs import JobRepository
from memory_core.values import JobId, JobKind

MOST_CHANGES = 50_000
"""Changes of one report."""
MOST_CHANGES_IN_LIST = 500
"""Changes of each report in a list of reports."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedChange:
    """One change as a report tells it.

    Attributes:
        kref: The memory that it is about.
        other_kref: The memory that takes its place, or the other end of an edge.
        before: Values before, with the memory's text; None when an edge is new.
        after: The same after.
    """

    op: str
    kref: str
    other_kref: str | None
    reason: str
    state: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """What a run did.

    Attributes:
        omitted: Number of changes that are not in `changes`.
    """

    run_id: str
    kind: JobKind
    state: str
    dry_run: bool
    cause: str
    planned: int
    reviewed: int
    changes: tuple[ReportedChange, ...]
    omitted: int
    counts: Mapping[str, int]
    notes: tuple[str, ...]
    model: str | None
    tokens: int
    calls: int
    started_at: datetime | None
    ended_at: datetime | None
    undone_at: datetime | None


class ReportService:
    """Reads reports."""

    def __init__(self, database: Database) -> None:
        """Read from the given tables."""
        self._database = database

    def get(self, run_id: str) -> RunReport:
        """The report of one run; of one that waits still, an empty one.

        Raises:
            NotFound: there is no such run.
        """
        with self._database.reading() as db:
            dreams = DreamRepository(db)
            run, job = dreams.get(run_id), JobRepository(db).get(JobId(run_id))
            if run is not None:
                return _report(dreams, run, job=job, limit=MOST_CHANGES)
        if job is None or job.kind not in KINDS:
            raise NotFound(f"dream run: there is no run {run_id[:40]!r}")
        return _waiting(job)

    def page(self, *, limit: int, after: str | None = None) -> tuple[list[RunReport], str | None]:
        """Reports, newest first, and where the next page begins.

        Raises:
            NotFound: `after` is no run.
        """
        with self._database.reading() as db:
            dreams, jobs = DreamRepository(db), JobRepository(db)
            last = dreams.get(after) if after else None
            if after and last is None:
                raise NotFound(f"cursor: there is no run {after[:40]!r}")
            runs = dreams.page(limit=limit + 1, after=(last.started_at, last.id) if last else None)
            reports = [
                _report(dreams, run, job=jobs.get(JobId(run.id)), limit=MOST_CHANGES_IN_LIST) for run in runs[:limit]
            ]
        return reports, runs[limit - 1].id if len(runs) > limit else None


def _waiting(job: Job) -> RunReport:
    return RunReport(
        run_id=job.id,
        kind=JobKind(job.kind),
        state=job.state,
        dry_run=bool(job.payload.get("dryRun")),
        cause=str(job.payload.get("cause", "request")),
        planned=0,
        reviewed=0,
        changes=(),
        omitted=0,
        counts={},
        notes=(),
        model=None,
        tokens=0,
        calls=0,
        started_at=None,
        ended_at=None,
        undone_at=None,
    )


def _report(dreams: DreamRepository, run: DreamRun, *, job: Job | None, limit: int) -> RunReport:
    counts = dreams.counts(run.id)
    rows = dreams.told(run.id, limit=limit)
    ids = {row.memory_id for row in rows} | {row.other_id for row in rows if row.other_id}
    addresses = dreams.addresses(sorted(ids))
    changes = [_reported(row, addresses) for row in rows]
    return RunReport(
        run_id=run.id,
        kind=JobKind(run.kind),
        state=job.state if run.state == "running" and job is not None else run.state,
        dry_run=run.dry_run,
        cause=run.cause,
        planned=run.planned,
        reviewed=run.reviewed,
        changes=tuple(changes),
        omitted=sum(counts.values()) - len(changes),
        counts=counts,
        notes=tuple(run.notes),
        model=run.model,
        tokens=run.tokens,
        calls=run.calls,
        started_at=run.started_at,
        ended_at=run.ended_at,
        undone_at=run.undone_at,
    )


def _reported(row: DreamChange, addresses: Mapping[str, tuple[str, str]]) -> ReportedChange:
    kref, text = addresses.get(row.memory_id, ("", ""))
    other = addresses.get(row.other_id or "")
    is_memory = row.entity == Entity.MEMORY
    before: Mapping[str, Any] | None = {"text": text, **(row.before or {})} if is_memory else None
    after: Mapping[str, Any] = {"text": text, **(row.after or {})} if is_memory else _edge(row, kref=kref, other=other)
    return ReportedChange(
        op=row.op,
        kref=kref,
        other_kref=other[0] if other else None,
        reason=row.reason,
        state=row.state,
        before=_named(before, addresses) if before is not None else None,
        after=_named(after, addresses),
    )


def _named(values: Mapping[str, Any], addresses: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """Ids as addresses; keys without meaning for people left out."""
    named = {name: value for name, value in values.items() if name != "text_key"}
    successor = named.get("superseded_by")
    if isinstance(successor, str):
        named["superseded_by"] = addresses.get(successor, ("", ""))[0]
    return named


def _edge(row: DreamChange, *, kref: str, other: tuple[str, str] | None) -> dict[str, Any]:
    after = row.after or {}
    return {
        "kind": after.get("kind"),
        "source": kref,
        "target": other[0] if other else "",
        "weight": after.get("weight"),
    }
