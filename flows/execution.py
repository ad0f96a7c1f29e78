"""Runs due flow runs on one machine, in this process.

Prefect decides what is due and keeps what became of it; here runs are taken, started and ended. The executor may be
killed at any moment and the Prefect server may be away at any moment: a run that nobody runs any more is started again
under its own id, and work that can't be reported now is reported or repeated later. Flows therefore run twice safely.
"""

import asyncio
import contextvars
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import structlog
from filelock import FileLock, Timeout
from prefect.client.orchestration import PrefectClient, get_client
from prefect.context import AsyncClientContext
from prefect.settings import PREFECT_CLIENT_MAX_RETRIES, PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings

from flows.nudge import open_nudge
from flows.planning import Rescue, Room, Run, RunState, decide_rescue, find_orphans, plan_starts
from flows.prefect_runs import PrefectRuns, run_to_end
from flows.registration import Deployment, register
from memory_core import lifeline
from memory_core.errors import Unavailable
from memory_core.settings import Settings

log = structlog.get_logger()

MAX_AT_ONCE = 4
"""Runs in progress; more would only wait for the same index, tables and processors."""
MAX_STARTS = 5
"""How often a run is started before it is held to be what ends its process."""
POLL_S = 2.0
_CHECK_ACTIVE_S = 10.0
_GRACE_S = 3.0
_BACKOFF_S = (0.5, 1.0, 2.0, 4.0)
_POLL_TIMEOUT_S = 15.0


def run_executor(deployments: Sequence[Deployment], settings: Settings) -> None:
    """Run what is due until the lifeline ends; to be called from the main thread.

    Raises:
        Unavailable: another executor works in this home.
        Invalid: the home can't hold a socket.
    """
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    executor = Executor(deployments, nudge_socket=settings.executor_socket)
    try:
        with FileLock(settings.home / "executor.lock", timeout=0):
            lifeline.hold(executor.end)
            # In the main thread Prefect would replace the lifeline's handler of SIGTERM with its own for each run.
            with ThreadPoolExecutor(1, thread_name_prefix="executor") as thread:
                thread.submit(_run_loop, executor).result()
    except Timeout as error:
        raise Unavailable(f"another executor of flow runs works in {settings.home}") from error


@dataclass(slots=True)
class _InProgress:
    deployment_id: UUID
    task: asyncio.Task[None]
    asked_to_end: bool = False


class Executor:
    """Polls, starts, cancels and rescues runs; one per home."""

    def __init__(self, deployments: Sequence[Deployment], *, nudge_socket: Path) -> None:
        """Serve the given deployments; nothing happens before `run`."""
        self._deployments = deployments
        self._nudge_socket = nudge_socket
        self._registered: dict[UUID, Deployment] = {}
        self._in_progress: dict[UUID, _InProgress] = {}
        self._some_wait = False
        self._checked_active_at = float("-inf")
        self._failures = 0
        self._ending = threading.Event()
        self._wake = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def end(self) -> None:
        """Ask that `run` returns soon; may be called from any thread."""
        self._ending.set()
        if self._loop:
            self._loop.call_soon_threadsafe(self._wake.set)

    async def run(self) -> int:
        """Work until `end`.

        Returns:
            How many runs are still in progress; they are rescued by the next executor.
        """
        self._loop = asyncio.get_running_loop()
        nudge = await open_nudge(self._nudge_socket, wake=self._wake.set, is_ready=self._is_ready)
        # Orphans are found without heartbeats, which cost each run a thread and a websocket.
        with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
            polling = get_client(httpx_settings={"timeout": _POLL_TIMEOUT_S})
            async with polling, AsyncClientContext.get_or_create() as reporting:
                await self._work(polling, reporting.client, in_run=contextvars.copy_context())
                nudge.close()
                if tasks := [run.task for run in self._in_progress.values()]:
                    await asyncio.wait(tasks, timeout=_GRACE_S)
        return len(self._in_progress)

    async def _work(self, polling: PrefectClient, reporting: PrefectClient, *, in_run: contextvars.Context) -> None:
        # What a run has to report is worth a minute of Prefect's patience; the next poll comes anyway.
        with temporary_settings({PREFECT_CLIENT_MAX_RETRIES: 0}):
            while not self._ending.is_set():
                await self._try_round(polling, reporting, in_run=in_run)
                await self._sleep()

    def _is_ready(self) -> bool:
        return bool(self._registered) and not self._failures

    async def _try_round(
        self, polling: PrefectClient, reporting: PrefectClient, *, in_run: contextvars.Context
    ) -> None:
        try:
            await self._round(polling, reporting, in_run=in_run)
        except Exception as error:  # noqa: BLE001  whatever a server that is away, restarting or new makes of a call
            if not self._failures:
                log.warning("executor.prefect_away", reason=f"{type(error).__name__}: {error}"[:300])
            self._failures += 1
            self._registered = {}  # a server that comes back may have begun with an empty database
        else:
            if self._failures:
                log.info("executor.prefect_back", failed_rounds=self._failures)
            self._failures = 0

    async def _round(self, polling: PrefectClient, reporting: PrefectClient, *, in_run: contextvars.Context) -> None:
        if not self._registered:
            self._registered = {await register(polling, one): one for one in self._deployments}
            self._checked_active_at = float("-inf")
        runs = PrefectRuns(polling)
        await self._check_active(runs)
        plan = plan_starts(
            [run for run in await runs.read_due([*self._registered]) if run.run_id not in self._in_progress],
            running=[run.deployment_id for run in self._in_progress.values()],
            room=self._room(),
        )
        self._some_wait = bool(plan.wait)
        for run in plan.skip:
            log.info("executor.missed_run_skipped", run_id=str(run.run_id), due_at=str(run.due_at))
            await runs.skip(run.run_id)
        for run in plan.start:
            self._start(run, reporting, in_run=in_run)

    def _room(self) -> Room:
        limits = {key: one.concurrency_limit for key, one in self._registered.items()}
        return Room(limit=MAX_AT_ONCE, by_deployment={key: limit for key, limit in limits.items() if limit})

    async def _check_active(self, runs: PrefectRuns) -> None:
        now_s = asyncio.get_running_loop().time()
        if not self._in_progress and now_s - self._checked_active_at < _CHECK_ACTIVE_S:
            return
        ours = frozenset(self._in_progress)  # taken before the question: who ends meanwhile is no orphan
        active = await runs.read_active([*self._registered])
        self._checked_active_at = now_s
        for run in active:
            if run.state is RunState.CANCELLING:
                self._cancel(run.run_id)
        for run in find_orphans(active, ours=ours):
            await _rescue(run, runs)

    def _start(self, run: Run, client: PrefectClient, *, in_run: contextvars.Context) -> None:
        work = _run(run, client, deployment=self._registered[run.deployment_id])
        task = asyncio.create_task(work, context=in_run.copy())
        self._in_progress[run.run_id] = _InProgress(run.deployment_id, task)
        task.add_done_callback(lambda _: self._ended(run.run_id))

    def _cancel(self, run_id: UUID) -> None:
        run = self._in_progress.get(run_id)
        if run and not run.asked_to_end:
            run.asked_to_end = True
            run.task.cancel()

    def _ended(self, run_id: UUID) -> None:
        del self._in_progress[run_id]
        if self._some_wait:
            self._wake.set()

    async def _sleep(self) -> None:
        pause_s = _BACKOFF_S[min(self._failures, len(_BACKOFF_S)) - 1] if self._failures else POLL_S
        try:
            await asyncio.wait_for(self._wake.wait(), pause_s)
        except TimeoutError:
            return
        self._wake.clear()


async def _run(run: Run, client: PrefectClient, *, deployment: Deployment) -> None:
    try:
        await run_to_end(client, run_id=run.run_id, flow=deployment.flow)
    except asyncio.CancelledError:
        # It came while Prefect's own code ran, which then takes the run for crashed.
        await PrefectRuns(client).cancel(run.run_id)
    except Exception as error:  # noqa: BLE001  a flow answers a state: what comes here is Prefect being away
        log.warning("executor.run_unreported", run_id=str(run.run_id), error=type(error).__name__)


async def _rescue(run: Run, runs: PrefectRuns) -> None:
    rescue = decide_rescue(run, max_starts=MAX_STARTS)
    log.warning("executor.orphan", run_id=str(run.run_id), starts=run.starts, becomes=rescue.value)
    match rescue:
        case Rescue.RESUME:
            await runs.resume(run.run_id)
        case Rescue.CANCEL:
            await runs.cancel(run.run_id)
        case Rescue.GIVE_UP:
            await runs.give_up(run.run_id)


def _run_loop(executor: Executor) -> None:
    runner = asyncio.Runner()
    if unfinished := runner.run(executor.run()):
        # Closing the loop would cancel them and report that; a thread can't be ended but with its process.
        log.info("executor.left_unfinished", runs=unfinished)
        os._exit(0)
    runner.close()
