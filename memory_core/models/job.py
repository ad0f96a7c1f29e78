"""Work owed: a row written in the same commit as the change that caused it."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index
from sqlmodel import Field

from memory_core.models.base import Instant, Json, Table


class Job(Table, table=True):
    """One piece of work for a flow, polled by its id.

    Attributes:
        id: UUID; the idempotency key of the flow run.
        scope_key: Whose memory it works on; None when on several.
        payload: What to do; ids only, no text.
        flow_run_id: The flow run that does it; None until it was handed over.
        attempts: How often it was handed over to the flow engine.
        result: What it did, for people; no text of memories.
    """

    __table_args__ = (
        Index("ix_job_state_created_at", "state", "created_at"),
        Index("ix_job_scope_key_kind_state", "scope_key", "kind", "state"),
    )

    id: str = Field(primary_key=True, max_length=36)
    kind: str
    state: str
    scope_key: str | None = None
    payload: dict[str, Any] = Field(default_factory=dict, sa_type=Json)
    flow_run_id: str | None = None
    progress: float = 0.0
    attempts: int = 0
    result: dict[str, Any] | None = Field(default=None, sa_type=Json)
    error: str | None = None
    created_at: datetime = Field(sa_type=Instant)
    submitted_at: datetime | None = Field(default=None, sa_type=Instant)
    started_at: datetime | None = Field(default=None, sa_type=Instant)
    ended_at: datetime | None = Field(default=None, sa_type=Instant)
