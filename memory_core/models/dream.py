"""Dream runs: what each one has to look at, what it changed, and what was looked at already."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index
from sqlmodel import Field

from memory_core.models.base import Instant, Json, Table


class DreamRun(Table, table=True):
    """One pass of maintenance; also that of deduplication.

    Attributes:
        id: UUID; that of its job.
        kind: One of `values.JobKind`: dream or deduplicate.
        scope_key: Whose memory it works on; None for all.
        state: running, done, failed, cancelled or undone; while it is running the job's row says how it stands.
        cause: Why it was asked for: schedule, request or session.
        planned: How many memories it set out to look at.
        reviewed: How many it looked at so far, with those outside of its plan that it weighed for retirement.
        counts: Number of changes by what they do.
        notes: What a person should know of it, as sentences without text of memories.
        model: The chat model that answered; None while none did.
        trying_seq: First item of the batch in progress; None between batches.
        trying_size: Items of that batch.
        tries: How often that batch ended its process or failed.
        careful_through: Items up to here are looked at one by one: one of them may be what ends the process.
    """

    __table_args__ = (Index("ix_dreamrun_started_at", "started_at", "id"),)

    id: str = Field(primary_key=True, max_length=36)
    kind: str
    scope_key: str | None = None
    state: str
    dry_run: bool = False
    cause: str
    planned: int = 0
    reviewed: int = 0
    counts: dict[str, int] = Field(default_factory=dict, sa_type=Json)
    notes: list[str] = Field(default_factory=list, sa_type=Json)
    model: str | None = None
    tokens: int = 0
    calls: int = 0
    trying_seq: int | None = None
    trying_size: int = 0
    tries: int = 0
    careful_through: int = 0
    started_at: datetime = Field(sa_type=Instant)
    ended_at: datetime | None = Field(default=None, sa_type=Instant)
    undone_at: datetime | None = Field(default=None, sa_type=Instant)


class DreamItem(Table, table=True):
    """A memory that a run has to look at; gone when the run ended.

    Attributes:
        seq: Order of looking.
        changed: It changed since it was last looked at; else only its time has come.
    """

    run_id: str = Field(primary_key=True, max_length=36)
    seq: int = Field(primary_key=True)
    scope_key: str
    memory_id: str = Field(max_length=36)
    changed: bool = True
    done: bool = False


class DreamChange(Table, table=True):
    """One thing that a run did, would do, or was refused; written in the commit that does it.

    Attributes:
        seq: Order within the run.
        memory_id: The memory that it is about.
        other_id: The memory that takes its place, or the other end of an edge.
        op: What it does, for people; one of `dream.changes.Op`.
        detail: A part of the change before it, of no interest by itself.
        entity: What is changed: memory, vector, history, link or source.
        entity_id: Which one.
        before: Columns to their values before; None when the row is new.
        after: The same columns after.
        state: applied, proposed (dry run), refused, reverted, or forgotten: then it holds no words any more.
    """

    run_id: str = Field(primary_key=True, max_length=36)
    seq: int = Field(primary_key=True)
    memory_id: str = Field(max_length=36, index=True)
    other_id: str | None = Field(default=None, max_length=36, index=True)
    op: str
    detail: bool = False
    entity: str
    entity_id: str = Field(max_length=48, index=True)
    reason: str
    before: dict[str, Any] | None = Field(default=None, sa_type=Json)
    after: dict[str, Any] | None = Field(default=None, sa_type=Json)
    state: str


class DreamReview(Table, table=True):
    """The version of a memory that was last looked at: what a later run finds unchanged it leaves alone.

    Attributes:
        due_at: When time alone makes another look worth while; None when it never does.
        parked: It broke the look twice and is left alone until it changes.
    """

    memory_id: str = Field(primary_key=True, max_length=36)
    version: int
    due_at: datetime | None = Field(default=None, sa_type=Instant)
    parked: bool = False


class DreamSchedule(Table, table=True):
    """When runs happen by themselves; one row.

    Attributes:
        cron: Five fields, as somebody set them at run time; None when the setting counts.
        served_at: Times of the schedule up to here had their run.
    """

    id: int = Field(primary_key=True)
    cron: str | None = None
    paused: bool = False
    served_at: datetime = Field(sa_type=Instant)
