"""When runs happen by themselves: a schedule that can be changed, paused and resumed while everything runs.

The service asks every half minute whether a time of the schedule has passed since the last one that was served. So a
night that was slept through is made up for once on wake, however many there were, and nothing is owed twice.
"""

from dataclasses import dataclass
from datetime import datetime

from memory_core.dream.asking import Asked, RunWish, ask_within
from memory_core.dream.cron import check_cron, next_times
from memory_core.errors import Invalid
from memory_core.models.dream import DreamSchedule
from memory_core.ports import Clock
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.store.dreams import DreamRepository
from memory_core.store.schedules import ScheduleRepository
from memory_core.values import JobKind

SHOWN_TIMES = 3
DEFAULT = "0 3 * * *"
"""What counts when the setting can't be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """The schedule as it stands.

    Attributes:
        cron: Five fields.
        zone: Zone that they are meant in.
        paused: Nothing happens by itself.
        next_at: The next times, in UTC; empty while it is paused.
        last_at: When a run last began; None when none did.
        changed: The expression was set at run time; else it is the setting's.
    """

    cron: str
    zone: str
    paused: bool
    next_at: tuple[datetime, ...]
    last_at: datetime | None
    changed: bool


class ScheduleService:
    """Keeps the schedule and owes runs when their time has come."""

    def __init__(self, database: Database, *, settings: Settings, clock: Clock) -> None:
        """Use the given parts."""
        self._database = database
        self._settings = settings
        self._clock = clock

    def read(self) -> Schedule:
        """The schedule with its next times."""
        now = self._clock.now()
        with self._database.reading() as db:
            row = ScheduleRepository(db).get()
            last_at = DreamRepository(db).last_begun(JobKind.DREAM)
        cron, paused = self._cron(row.cron if row else None), bool(row and row.paused)
        zone = self._settings.identity.timezone
        times = [] if paused else next_times(cron, after=now, zone=zone, count=SHOWN_TIMES)
        return Schedule(
            cron=cron,
            zone=zone,
            paused=paused,
            next_at=tuple(times),
            last_at=last_at,
            changed=bool(row and row.cron),
        )

    def change(self, *, cron: str | None = None, paused: bool | None = None) -> Schedule:
        """Set the expression, pause or resume; what is None stays. Times that passed before don't count any more.

        Raises:
            Invalid: the expression is none.
        """
        checked = check_cron(cron) if cron is not None else None
        now = self._clock.now()
        with self._database.transaction() as db:
            row = ScheduleRepository(db).locked(now=now)
            row.cron = checked or row.cron
            row.paused = row.paused if paused is None else paused
            row.served_at = now
        return self.read()

    def owe_due(self) -> Asked | None:
        """Owe one run when a time of the schedule has passed since the last one that was served.

        Returns:
            The job of that run; None when none was due, or another one is at work, after which it will be due still.
        """
        now = self._clock.now()
        with self._database.reading() as db:
            row = ScheduleRepository(db).get()
            if row is not None and not self._is_due(row, now=now):
                return None
        with self._database.transaction() as db:
            row = ScheduleRepository(db).locked(now=now)
            row.served_at = min(row.served_at, now)  # the clock of the machine may have been set back
            if not self._is_due(row, now=now):
                return None
            asked = ask_within(db, RunWish(cause="schedule"), now=now)
            if not asked.fresh:
                return None
            row.served_at = now
        return asked

    def _is_due(self, row: DreamSchedule, *, now: datetime) -> bool:
        if row.paused:
            return False
        if row.served_at > now:
            return True
        zone = self._settings.identity.timezone
        return next_times(self._cron(row.cron), after=row.served_at, zone=zone, count=1)[0] <= now

    def _cron(self, chosen: str | None) -> str:
        if chosen is not None:
            return chosen
        try:
            return check_cron(self._settings.dream.schedule)
        except Invalid:
            return DEFAULT
