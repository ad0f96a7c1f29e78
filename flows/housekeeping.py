"""What is tidied once a day."""

from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State

from flows.runtime import run_job
from memory_core.values import JobKind


@flow(name=JobKind.HOUSEKEEPING.value)
async def housekeeping(job_id: str) -> State[Any]:
    """Compares index and tables, removes contents that nothing needs and records of jobs that ended long ago."""
    return await run_job(job_id)
