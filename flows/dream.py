"""One dream run."""

from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State

from flows.run_report import show_report
from flows.runtime import run_job
from memory_core.values import JobKind


@flow(name=JobKind.DREAM.value)
async def dream(job_id: str) -> State[Any]:
    """Works on the memory at night: conflicts, staleness, tags, edges, repeats; each change can be undone."""
    state = await run_job(job_id)
    await show_report(job_id)
    return state
