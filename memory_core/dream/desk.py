"""What the service needs of dream runs, in one place: ask, schedule, read, undo; flows do the runs."""

from collections.abc import Callable
from dataclasses import dataclass

from memory_core.dream.asking import DreamRequests
from memory_core.dream.reporting import ReportService
from memory_core.dream.scheduling import ScheduleService
from memory_core.dream.undo import UndoService
from memory_core.ports import Clock
from memory_core.settings import Settings
from memory_core.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Dreams:
    """Services around dream runs."""

    requests: DreamRequests
    schedule: ScheduleService
    reports: ReportService
    undoing: UndoService


def open_dreams(database: Database, *, settings: Settings, clock: Clock, on_work: Callable[[], None]) -> Dreams:
    """Put the services together; `on_work` is called after a commit that owes a job."""
    return Dreams(
        requests=DreamRequests(database, clock=clock, on_work=on_work),
        schedule=ScheduleService(database, settings=settings, clock=clock),
        reports=ReportService(database),
        undoing=UndoService(database, clock=clock),
    )
