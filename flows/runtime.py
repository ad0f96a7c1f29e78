"""What every flow has in common: it does one job of the core, which is opened once in its process."""

import atexit
import threading
from contextlib import ExitStack
from functools import cache
from typing import Any

from prefect.client.schemas.objects import State

from flows.attempts import attempt_job
from memory_core.bootstrap import MemoryCore, open_core
from memory_core.settings_loading import load_settings
from memory_core.values import JobId

_opening = threading.Lock()


async def run_job(job_id: str) -> State[Any]:
    """Do a job of the core; its progress, result and error are in its row. Safe to run twice.

    Returns:
        The state the flow run ends in.
    """
    return await attempt_job(job_id, work=_do)


def open_core_once() -> MemoryCore:
    """The core of this process, opened at the first call and closed when the process ends.

    Raises:
        Corrupt: the tables can't be read or belong to a newer version.
        Unavailable: the database is away; the next call tries again.
    """
    with _opening:
        return _core()


def _do(job_id: JobId) -> None:
    open_core_once().jobs.run(job_id)


@cache
def _core() -> MemoryCore:
    stack = ExitStack()
    core = stack.enter_context(open_core(load_settings()))
    atexit.register(stack.close)
    return core
