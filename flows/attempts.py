"""One job from its first try to the state its flow run ends in: retries, cancellation, errors."""

import asyncio
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import structlog
from prefect.client.schemas.objects import State
from prefect.states import Cancelled, Completed, Failed

from memory_core.errors import MemoryCoreError, Unavailable
from memory_core.values import JobId

RETRY_PAUSES_S = (2.0, 5.0, 15.0, 30.0)
"""Waits between tries of a job whose index, tables or model are away: a restart of a process takes 5 to 15 s.

They stand here and not in the settings of the flows because Prefect retries a flow after any error, and a job that
failed for good would only fail again.
"""

log = structlog.get_logger()


async def attempt_job(
    job_id: str, *, work: Callable[[JobId], None], pauses_s: Sequence[float] = RETRY_PAUSES_S
) -> State[Any]:
    """Do one job in a thread, and again after each pause while a part is away.

    Nothing is raised, because Prefect would keep the error, its traceback and with them words of a memory.

    Returns:
        The state the flow ends in: completed, cancelled, or failed with a reason that holds no memory text.
    """
    try:
        for pause_s in pauses_s:
            try:
                return await _attempt(job_id, work)
            except Unavailable as error:
                log.warning("flow.part_away", job_id=job_id, reason=str(error), next_try_in_s=pause_s)
                await asyncio.sleep(pause_s)
        return await _attempt(job_id, work)
    except Unavailable as error:
        return Failed(message=str(error))
    except asyncio.CancelledError:
        if task := asyncio.current_task():
            task.uncancel()
        return Cancelled(message="cancelled on request")


async def _attempt(job_id: str, work: Callable[[JobId], None]) -> State[Any]:
    try:
        await _in_thread(partial(work, JobId(job_id)))
    except Unavailable:
        raise
    except MemoryCoreError as error:
        return Failed(message=str(error))
    except Exception as error:  # noqa: BLE001  the runner of jobs is where every error ends
        log.error("flow.broke", job_id=job_id, error=type(error).__name__, at=_place(error))  # noqa: TRY400
        return Failed(message=f"internal error: {type(error).__name__}")
    return Completed()


async def _in_thread(work: Callable[[], None]) -> None:
    thread = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        await asyncio.shield(thread)
    except asyncio.CancelledError:
        # A thread can't be interrupted: the run isn't over before its work is. What came of it is in the job's row.
        await asyncio.wait([thread])
        if error := thread.exception():
            log.info("flow.cancelled_work_failed", error=type(error).__name__)
        raise


def _place(error: BaseException) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(frame.filename).name}:{frame.lineno}"
