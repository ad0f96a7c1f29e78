"""A made thing is kept."""

from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State

from flows.runtime import run_job
from memory_core.values import JobKind


@flow(name=JobKind.CREATIVE.value)
async def creative(job_id: str) -> State[Any]:
    """Keeps a text, plan or piece of code that the agent made: as a revision, with a memory and what it came from."""
    return await run_job(job_id)
