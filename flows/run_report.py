"""What Prefect's page shows of a run: numbers and where the report is. Its database gets no words of memories."""

import asyncio

import structlog
from prefect.artifacts import acreate_markdown_artifact

from flows.runtime import open_core_once
from memory_core.dream.markdown import as_summary
from memory_core.errors import NotFound

log = structlog.get_logger()


async def show_report(run_id: str) -> None:
    """Leave an artifact with the numbers of a run; a page without it is no reason for a flow to fail."""
    try:
        text = await asyncio.to_thread(_summary, run_id)
        await acreate_markdown_artifact(text, key=f"run-{run_id}", description="What the run did, in numbers")
    except NotFound:
        return
    except Exception as error:  # noqa: BLE001 whatever a Prefect server that is away makes of it
        log.warning("flow.report_not_shown", run_id=run_id, error=type(error).__name__)


def _summary(run_id: str) -> str:
    return as_summary(open_core_once().dreams.reports.get(run_id))
