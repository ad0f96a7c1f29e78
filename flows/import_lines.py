"""Imported transcripts and exports become memories."""

from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State

from flows.runtime import run_job
from memory_core.values import JobKind


@flow(name=JobKind.IMPORT.value)
async def import_lines(job_id: str) -> State[Any]:
    """Turns the lines of an import into memories that can be searched."""
    return await run_job(job_id)
