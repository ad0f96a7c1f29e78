"""Near-duplicates become one memory."""

from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State

from flows.run_report import show_report
from flows.runtime import run_job
from memory_core.values import JobKind


@flow(name=JobKind.DEDUPLICATE.value)
async def deduplicate(job_id: str) -> State[Any]:
    """Merges memories that say the same into one, with counts, sources and edges of both."""
    state = await run_job(job_id)
    await show_report(job_id)
    return state
