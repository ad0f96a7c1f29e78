"""Pure: stretches of the calendar around a day, in whole days; and how they become instants."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from memory_core.dates.languages import Unit

_SATURDAY = 5
# Zones where summer is around January.
_SOUTHERN = (
    "Australia/", "Antarctica/", "Pacific/Auckland", "America/Argentina", "America/Buenos_Aires", "America/Sao_Paulo",
    "America/Santiago", "America/Montevideo", "America/Lima", "America/La_Paz", "Africa/Johannesburg", "Africa/Harare",
)  # fmt: skip


class Precision(StrEnum):
    """How exact a stretch is."""

    PART = "part of a day"
    DAY = "day"
    DAYS = "days"
    WEEKEND = "weekend"
    WEEK = "week"
    MONTH = "month"
    SEASON = "season"
    YEAR = "year"
    APPROXIMATE = "approximate"


@dataclass(frozen=True, slots=True)
class Span:
    """Local days, `end` behind the last one, or hours of the first day when both hours are given."""

    start: date
    end: date
    precision: Precision
    hours: tuple[int, int] | None = None


def unit_span(unit: Unit, *, offset: int, today: date) -> Span:
    """The unit that lies `offset` units from the one `today` is in."""
    match unit:
        case Unit.DAY:
            day = today + timedelta(days=offset)
            return Span(day, day + timedelta(days=1), Precision.DAY)
        case Unit.WEEK:
            monday = today + timedelta(days=7 * offset - today.weekday())
            return Span(monday, monday + timedelta(days=7), Precision.WEEK)
        case Unit.WEEKEND:
            saturday = today + timedelta(days=7 * offset + _SATURDAY - today.weekday())
            return Span(saturday, saturday + timedelta(days=2), Precision.WEEKEND)
        case Unit.MONTH:
            start = add_months(today.replace(day=1), offset)
            return Span(start, add_months(start, 1), Precision.MONTH)
        case Unit.YEAR:
            year = today.year + offset
            return Span(date(year, 1, 1), date(year + 1, 1, 1), Precision.YEAR)


def few_span(unit: Unit, *, sign: int, today: date) -> Span:
    """Roughly two to five units before (-1) or after (1) today: what "a few" leaves open."""
    near, far = (unit_span(unit, offset=sign * count, today=today) for count in (2, 5))
    return Span(min(near.start, far.start), max(near.end, far.end), Precision.APPROXIMATE)


def month_span(year: int, month: int) -> Span:
    """A calendar month."""
    start = date(year, month, 1)
    return Span(start, add_months(start, 1), Precision.MONTH)


def season_span(year: int, first_month: int, *, zone: str) -> Span:
    """Three months, those of the northern half shifted by six where the zone lies on the southern one."""
    month = (first_month + 5) % 12 + 1 if zone.startswith(_SOUTHERN) else first_month
    start = date(year, month, 1)
    return Span(start, add_months(start, 3), Precision.SEASON)


def add_months(day: date, count: int) -> date:
    """The first of the month that lies `count` months from the day's own."""
    index = day.year * 12 + day.month - 1 + count
    return date(index // 12, index % 12 + 1, 1)


def weekday_span(weekday: int, *, today: date, sign: int, strict: bool) -> Span:
    """The nearest such weekday before (-1) or after (1) today; today itself only if not strict."""
    away = (weekday - today.weekday()) % 7 if sign > 0 else -((today.weekday() - weekday) % 7)
    if away == 0 and strict:
        away = 7 * sign
    return unit_span(Unit.DAY, offset=away, today=today)


def instants(span: Span, *, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """First instant and the one behind the last, in UTC; days with a change of the clock are as long as they are."""
    if span.hours is None:
        return _midnight(span.start, zone), _midnight(span.end, zone)
    first, last = span.hours
    return _at(span.start, first, zone=zone), _at(span.start, last, zone=zone)


def _at(day: date, hour: int, *, zone: ZoneInfo) -> datetime:
    local = datetime.combine(day + timedelta(days=hour // 24), time(hour % 24), tzinfo=zone)
    return local.astimezone(UTC)


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)
