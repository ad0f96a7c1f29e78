"""The calls of Prefect the executor stands on; the half-private ones are here and nowhere else."""

import time
from collections.abc import Awaitable, Sequence
from datetime import UTC, datetime
from typing import cast
from uuid import UUID

from prefect.client.orchestration import PrefectClient
from prefect.client.schemas.filters import (
    DeploymentFilter,
    DeploymentFilterId,
    FlowRunFilter,
    FlowRunFilterState,
    FlowRunFilterStateType,
)
from prefect.client.schemas.objects import FlowRun, State, StateType
from prefect.exceptions import Abort, ObjectNotFound
from prefect.flow_engine import run_flow
from prefect.states import AwaitingRetry, Cancelled, Crashed, Pending
from prefect.utilities.engine import propose_state

from flows.planning import Run, RunState
from flows.registration import JobFlow

_ACTIVE = [StateType.PENDING, StateType.RUNNING, StateType.CANCELLING]


class PrefectRuns:
    """Flow runs of a Prefect server. Every call may raise whatever httpx or Prefect raise when the server is away."""

    def __init__(self, client: PrefectClient) -> None:
        self._client = client

    async def read_due(self, deployment_ids: Sequence[UUID]) -> list[Run]:
        """Runs whose time has come, the longest waiting first, at most 200."""
        now = datetime.fromtimestamp(time.time(), tz=UTC)
        found = await self._client.get_scheduled_flow_runs_for_deployments([*deployment_ids], scheduled_before=now)
        return [_to_run(run) for run in found]

    async def read_active(self, deployment_ids: Sequence[UUID]) -> list[Run]:
        """Runs that Prefect takes for pending, running or being cancelled, at most 200."""
        found = await self._client.read_flow_runs(
            deployment_filter=DeploymentFilter(id=DeploymentFilterId(any_=[*deployment_ids])),
            flow_run_filter=FlowRunFilter(state=FlowRunFilterState(type=FlowRunFilterStateType(any_=_ACTIVE))),
        )
        return [_to_run(run) for run in found]

    async def skip(self, run_id: UUID) -> None:
        """End a run that was missed and that a later one stands in for."""
        await self._force(run_id, Cancelled(name="Skipped", message="missed; the newest missed run stands in for it"))

    async def cancel(self, run_id: UUID) -> None:
        """End a run that was asked to end."""
        await self._force(run_id, Cancelled(message="cancelled on request"))

    async def resume(self, run_id: UUID) -> None:
        """Have a run started again under the same id.

        One forced step, so that a kill in the middle can't leave the run ended without anybody to start it.
        """
        await self._force(run_id, AwaitingRetry(message="its process ended; started again"))

    async def give_up(self, run_id: UUID) -> None:
        """End a run that can't be brought to an end."""
        await self._force(run_id, Crashed(message="its process ended each time it was started"))

    async def _force(self, run_id: UUID, state: State[None]) -> None:
        try:
            await self._client.set_flow_run_state(run_id, state, force=True)
        except ObjectNotFound:
            return  # deleted meanwhile: there is nothing left to end


async def run_to_end(client: PrefectClient, *, run_id: UUID, flow: JobFlow) -> None:
    """Take a due run and run its flow in this task, reporting every step to Prefect.

    Returns without running when somebody else took or ended the run meanwhile.

    Raises:
        asyncio.CancelledError: the task was cancelled outside of the flow's own code.
        Exception: Prefect couldn't be told; its record of the run may say that it is still running.
    """
    try:
        state = await propose_state(client, Pending(), flow_run_id=run_id)
    except (Abort, ObjectNotFound):
        return
    if not state.is_pending():
        return
    run = await client.read_flow_run(run_id)
    # The engine would watch each run of a deployment for being suspended, which ours never are, with a thread and a
    # websocket of its own, and block this event loop until they stand. It reads the whole run again before it starts.
    unwatched = run.model_copy(update={"deployment_id": None})
    outcome = run_flow(flow, flow_run=unwatched, return_type="state")
    await cast("Awaitable[object]", outcome)  # that of an asynchronous flow


def _to_run(run: FlowRun) -> Run:
    if run.deployment_id is None or run.state is None:
        raise ValueError(f"flow run {run.id} has no deployment or no state")
    return Run(
        run_id=run.id,
        deployment_id=run.deployment_id,
        state=RunState(run.state.type.value),
        due_at=run.next_scheduled_start_time,
        by_schedule=bool(run.auto_scheduled),
        starts=run.run_count,
    )
