"""Flows for tests of the executor: they leave a trace in the home and wait as long as they are told to."""

import os
import time
from pathlib import Path
from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State

from flows.attempts import attempt_job
from flows.registration import Deployment, JobFlow
from memory_core.errors import Unavailable
from memory_core.settings_loading import HOME_VARIABLE
from memory_core.values import JobId, JobKind

_LONGEST_HOLD_S = 60


def trace_of(home: Path, job_id: str) -> list[str]:
    """What became of a job's runs, in order: `start <pid>`, `end <pid>`."""
    file = home / "trace" / job_id
    return file.read_text().splitlines() if file.exists() else []


def hold_of(home: Path, job_id: str) -> Path:
    """While this file exists the job's run waits."""
    return home / "trace" / f"{job_id}.hold"


def _work(job_id: JobId) -> None:
    home = Path(os.environ[HOME_VARIABLE])
    _note(home, job_id, event="start")
    for _ in range(_LONGEST_HOLD_S * 20):
        if not hold_of(home, job_id).exists():
            break
        time.sleep(0.05)
    _note(home, job_id, event="end")


def _broken_work(job_id: JobId) -> None:
    _note(Path(os.environ[HOME_VARIABLE]), job_id, event="start")
    raise RuntimeError("the words of a memory")


def _work_in_vain(_: JobId) -> None:
    raise Unavailable("the index is away")


def _note(home: Path, job_id: str, *, event: str) -> None:
    folder = home / "trace"
    folder.mkdir(exist_ok=True)
    with (folder / job_id).open("a") as file:
        file.write(f"{event} {os.getpid()}\n")


@flow(name=JobKind.CONSOLIDATE.value)
async def consolidate(job_id: str) -> State[Any]:
    """Waits while it is held."""
    return await attempt_job(job_id, work=_work)


@flow(name=JobKind.IMPORT.value)
async def break_down(job_id: str) -> State[Any]:
    """Fails: for good, or because a part is away when the job's id ends in 0."""
    work = _work_in_vain if job_id.endswith("0") else _broken_work
    return await attempt_job(job_id, work=work, pauses_s=(0.05,))


def _waiting(kind: JobKind) -> JobFlow:
    @flow(name=kind.value)
    async def wait(job_id: str) -> State[Any]:
        """Waits while it is held."""
        return await attempt_job(job_id, work=_work)

    return wait


DEPLOYMENTS = (
    Deployment(flow=consolidate),
    Deployment(flow=break_down, concurrency_limit=1),
    *(Deployment(flow=_waiting(kind)) for kind in JobKind if kind not in {JobKind.CONSOLIDATE, JobKind.IMPORT}),
)
"""One of every kind, as the flow engine is ready only when all are registered."""
