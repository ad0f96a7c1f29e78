"""Pure: cron expressions of five fields, in the zone of the person who wrote them.

A time that the clocks skip in spring happens when they have been put forward, one that they show twice in autumn
happens the first time only: the rules of Debian's cron, which `cronsim` follows.
"""

from datetime import UTC, datetime
from itertools import islice
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from memory_core.errors import Invalid

_FIELDS = 5
_SHOWN_CHARS = 80


def check_cron(expression: str) -> str:
    """The expression with single blanks.

    Raises:
        Invalid: it has not five fields, a value is out of range, or no date ever fits.
    """
    clean = " ".join(expression.split())
    if len(clean.split()) != _FIELDS:
        raise Invalid(
            f"schedule: {expression[:_SHOWN_CHARS]!r} must have five fields: "
            "minute, hour, day of month, month, day of week"
        )
    next_times(clean, after=datetime(2000, 1, 1, tzinfo=UTC), zone="UTC", count=1)
    return clean


def next_times(expression: str, *, after: datetime, zone: str, count: int) -> list[datetime]:
    """The next times of a schedule, in UTC.

    Args:
        expression: Five fields.
        after: The times lie behind this instant.
        zone: IANA name of the zone that the fields are meant in.
        count: How many.

    Raises:
        Invalid: the expression is none, or no date ever fits.
    """
    try:
        times = [time.astimezone(UTC) for time in islice(CronSim(expression, after.astimezone(ZoneInfo(zone))), count)]
    except (CronSimError, ValueError, OverflowError) as error:
        raise Invalid(f"schedule: {expression[:_SHOWN_CHARS]!r} can't be read: {str(error).lower()}") from None
    if len(times) < count:
        raise Invalid(f"schedule: {expression[:_SHOWN_CHARS]!r} fits no date in the next fifty years")
    return times
