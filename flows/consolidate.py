"""Buffered turns become memories."""

from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State

from flows.runtime import run_job
from memory_core.values import JobKind


@flow(name=JobKind.CONSOLIDATE.value)
async def consolidate(job_id: str) -> State[Any]:
    """Turns what was said since the last time into memories, each range of turns exactly once."""
    return await run_job(job_id)
