"""Dream runs and their schedule, for the operator."""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Response
from pydantic.alias_generators import to_camel

from memory_core.dream.asking import RunWish
from memory_core.dream.markdown import as_markdown
from memory_core.dream.reporting import ReportedChange, RunReport
from memory_core.dream.scheduling import Schedule
from memory_core.values import JobKind, JobState
from plugin.service.context import ServiceContext, service
from plugin.service.schemas import Key, Limit, Wire

router = APIRouter()
Service = Annotated[ServiceContext, Depends(service)]


class ChangeOut(Wire):
    """One change of a run."""

    op: str
    kref: str
    other_kref: str | None
    reason: str
    state: str
    before: dict[str, Any]
    after: dict[str, Any]

    @classmethod
    def of(cls, change: ReportedChange) -> "ChangeOut":
        """The wire form of a change."""
        return cls(
            op=change.op,
            kref=change.kref,
            other_kref=change.other_kref,
            reason=change.reason,
            state=change.state,
            before=_camel(change.before),
            after=_camel(change.after),
        )


class ReportOut(Wire):
    """What a run did; `changes` holds what was done or, in a dry run, would be, `refused` what a guard forbade."""

    id: str
    kind: JobKind
    state: str
    dry_run: bool
    cause: str
    planned: int
    reviewed: int
    changes: list[ChangeOut]
    refused: list[ChangeOut]
    omitted: int
    counts: dict[str, int]
    notes: list[str]
    model: str | None
    tokens: int
    calls: int
    started_at: datetime | None
    ended_at: datetime | None
    undone_at: datetime | None

    @classmethod
    def of(cls, report: RunReport) -> "ReportOut":
        """The wire form of a report."""
        changes = [ChangeOut.of(change) for change in report.changes]
        return cls(
            id=report.run_id,
            kind=report.kind,
            state=report.state,
            dry_run=report.dry_run,
            cause=report.cause,
            planned=report.planned,
            reviewed=report.reviewed,
            changes=[change for change in changes if change.state != "refused"],
            refused=[change for change in changes if change.state == "refused"],
            omitted=report.omitted,
            counts=dict(report.counts),
            notes=list(report.notes),
            model=report.model,
            tokens=report.tokens,
            calls=report.calls,
            started_at=report.started_at,
            ended_at=report.ended_at,
            undone_at=report.undone_at,
        )


class ReportsOut(Wire):
    """Reports, newest first."""

    runs: list[ReportOut]
    next_cursor: str | None


class RunIn(Wire):
    """A run that the operator wants."""

    kind: Literal[JobKind.DREAM, JobKind.DEDUPLICATE] = JobKind.DREAM
    dry_run: bool = False


class RunOut(Wire):
    """The job of a run; `fresh` is false when one was there already, which is told then."""

    job_id: str
    run_id: str
    kind: JobKind
    state: JobState
    fresh: bool


class UndoIn(Wire):
    """How to undo; with `partial` what can be taken back is, and the rest told."""

    partial: bool = False


class UndoOut(Wire):
    """What undoing did."""

    reverted: int
    kept: list[str]


class ScheduleIn(Wire):
    """A change of the schedule; what is absent stays."""

    cron: Key | None = None
    paused: bool | None = None


class ScheduleOut(Wire):
    """The schedule, with its next times."""

    cron: str
    timezone: str
    paused: bool
    changed: bool
    next: list[datetime]
    last: datetime | None

    @classmethod
    def of(cls, schedule: Schedule) -> "ScheduleOut":
        """The wire form of a schedule."""
        return cls(
            cron=schedule.cron,
            timezone=schedule.zone,
            paused=schedule.paused,
            changed=schedule.changed,
            next=list(schedule.next_at),
            last=schedule.last_at,
        )


@router.get("/v1/dream-runs", response_model_exclude_none=True)
async def dream_runs(it: Service, *, limit: Limit = 20, cursor: str | None = None) -> ReportsOut:
    """Reports of runs, newest first, each with its first changes."""
    reports, following = await asyncio.to_thread(it.core.dreams.reports.page, limit=limit, after=cursor)
    return ReportsOut(runs=[ReportOut.of(report) for report in reports], next_cursor=following)


@router.get("/v1/dream-runs/{run_id}", response_model=ReportOut, response_model_exclude_none=True)
async def dream_run(run_id: str, it: Service, *, format: Literal["json", "markdown"] = "json") -> object:
    """The report of one run, for programs or as Markdown for people."""
    report = await asyncio.to_thread(it.core.dreams.reports.get, run_id)
    if format == "json":
        return ReportOut.of(report)
    text = as_markdown(report, zone=it.core.settings.identity.timezone)
    return Response(text, media_type="text/markdown; charset=utf-8")


@router.post("/v1/dream-runs")
async def start_run(body: RunIn, it: Service) -> RunOut:
    """Ask for a run over everything; while one is at work, that one is told."""
    asked = await asyncio.to_thread(it.core.dreams.requests.ask, RunWish(kind=body.kind, dry_run=body.dry_run))
    return RunOut(job_id=asked.job_id, run_id=asked.job_id, kind=asked.kind, state=asked.state, fresh=asked.fresh)


@router.post("/v1/dream-runs/{run_id}/undo")
async def undo_run(run_id: str, it: Service, *, body: UndoIn | None = None) -> UndoOut:
    """Take back what a run did; 409 with the reasons where somebody changed it since."""
    partial = body is not None and body.partial
    undone = await asyncio.to_thread(it.core.dreams.undoing.undo, run_id, partial=partial)
    await asyncio.to_thread(it.core.indexing.try_apply)
    return UndoOut(reverted=undone.reverted, kept=list(undone.kept))


@router.get("/v1/dream-schedule", response_model_exclude_none=True)
async def schedule(it: Service) -> ScheduleOut:
    """When runs happen by themselves."""
    return ScheduleOut.of(await asyncio.to_thread(it.core.dreams.schedule.read))


@router.put("/v1/dream-schedule", response_model_exclude_none=True)
async def change_schedule(body: ScheduleIn, it: Service) -> ScheduleOut:
    """Change the expression, pause or resume, while everything runs; answers the next three times."""
    change = it.core.dreams.schedule.change
    return ScheduleOut.of(await asyncio.to_thread(change, cron=body.cron, paused=body.paused))


def _camel(values: Mapping[str, Any] | None) -> dict[str, Any]:
    """Columns by their names on the wire; nothing for what was new."""
    return {to_camel(name): value for name, value in (values or {}).items()}
