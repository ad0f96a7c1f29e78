"""What the executor does with the runs it finds: pure decisions, no Prefect."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class RunState(StrEnum):
    """The states of Prefect that the executor acts on."""

    SCHEDULED = "SCHEDULED"
    PENDING = "PENDING"
    RUNNING = "RUNNING"
    CANCELLING = "CANCELLING"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One flow run, as far as a decision needs it.

    Attributes:
        run_id: Prefect's id.
        deployment_id: The deployment it belongs to.
        state: Where it stands.
        due_at: When it is to start; None for runs that started.
        by_schedule: Made by a schedule, not asked for by anybody.
        starts: How often it was started so far.
    """

    run_id: UUID
    deployment_id: UUID
    state: RunState
    due_at: datetime | None = None
    by_schedule: bool = False
    starts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What becomes of runs that are due.

    Attributes:
        start: To be started now, in this order.
        skip: Never to be started: a later run of the same schedule stands in for them.
        wait: Due as well, once there is room.
    """

    start: tuple[Run, ...]
    skip: tuple[Run, ...]
    wait: tuple[Run, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How many runs may be in progress.

    Attributes:
        limit: Of all deployments together.
        by_deployment: Of one deployment; absent means no limit of its own.
    """

    limit: int
    by_deployment: Mapping[UUID, int]


class Rescue(StrEnum):
    """What becomes of a run that nobody is running although Prefect takes it for running."""

    RESUME = "resume"
    CANCEL = "cancel"
    GIVE_UP = "give up"


def plan_starts(due: Sequence[Run], *, running: Iterable[UUID], room: Room) -> Plan:
    """Choose what starts now, the longest waiting first.

    Of several runs of one schedule only the newest is kept: after three nights asleep there is one night's work.

    Args:
        due: Runs whose time has come.
        running: The deployment of each run in progress.
        room: How many may be in progress.
    """
    skip = _missed(due)
    busy = Counter(running)
    start: list[Run] = []
    wait: list[Run] = []
    for run in sorted((run for run in due if run not in skip), key=_due):
        limit = room.by_deployment.get(run.deployment_id, room.limit)
        if busy.total() < room.limit and busy[run.deployment_id] < limit:
            start.append(run)
            busy[run.deployment_id] += 1
        else:
            wait.append(run)
    return Plan(start=tuple(start), skip=tuple(skip), wait=tuple(wait))


def find_orphans(active: Iterable[Run], *, ours: Collection[UUID]) -> list[Run]:
    """Runs that Prefect takes for pending, running or being cancelled, and that aren't among `ours` in progress."""
    return [run for run in active if run.run_id not in ours and run.state is not RunState.SCHEDULED]


def decide_rescue(run: Run, *, max_starts: int) -> Rescue:
    """What becomes of an orphan: a run that ends its process again and again isn't started for ever."""
    if run.state is RunState.CANCELLING:
        return Rescue.CANCEL
    return Rescue.RESUME if run.starts < max_starts else Rescue.GIVE_UP


def _missed(due: Iterable[Run]) -> list[Run]:
    by_deployment: dict[UUID, list[Run]] = {}
    for run in due:
        if run.by_schedule:
            by_deployment.setdefault(run.deployment_id, []).append(run)
    return [run for runs in by_deployment.values() for run in sorted(runs, key=_due)[:-1]]


def _due(run: Run) -> float:
    return run.due_at.timestamp() if run.due_at else 0.0
