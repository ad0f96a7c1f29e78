"""Pure: times that a question tells from something in memory: "two days before my birthday", "before I moved".

The question names the event; a memory tells when it was. Only questions of this shape look for one, once.
"""

import calendar
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from memory_core.dates.languages import ENGLISH, Unit
from memory_core.dates.resolving import resolve
from memory_core.recall.periods import Period, named_periods

_COUNT = r"\d{1,3}|" + "|".join(sorted(ENGLISH.numbers, key=len, reverse=True))
_OWNER = r"(?:my|our|your|his|her|their|the|\w+['’]s)"
_SOMEBODY = r"(?:I|we|you|he|she|they|(?-i:[A-Z])\w+)"
_ENDS_WITH = re.compile(
    rf"\b(?:(?:(?P<count>{_COUNT}|the)\s+(?P<unit>day|week|month|year)s?\s+)?(?P<side>before|after|since|until)|during)"
    rf"\s+(?P<event>(?:{_OWNER}|{_SOMEBODY})\s+[^,?!.;]{{2,80}}?)\s*(?:[,?!.;]|$)",
    re.IGNORECASE,
)
_ON_A_DAY = re.compile(
    rf"\b(?:on|at|for)\s+(?P<event>{_OWNER}\s+(?:\w+\s+){{0,3}}?(?:birthday|anniversary|wedding|graduation))\b", re.I
)
_EVERY_YEAR = re.compile(r"\b(?:birthday|anniversary)\b", re.IGNORECASE)
_YEARS_BACK = 3
_OPEN_WEIGHT = 0.45
"""Of a stretch that ends or begins with the event and has no other end: much lies within."""
_UNIT_DAYS = {Unit.DAY: 1, Unit.WEEK: 7, Unit.MONTH: 30, Unit.YEAR: 365}
_SLACK_DAYS = {Unit.DAY: 0, Unit.WEEK: 3, Unit.MONTH: 15, Unit.YEAR: 182}
"""How far around a counted day is meant: the longer the unit, the looser."""
_LONG_AGO = timedelta(days=365 * 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """An event that a question tells a time from.

    Attributes:
        event: What to look for: "my birthday", "I moved".
        side: -1 before it, 1 after it, 0 at it.
        count, unit: How far from it; None for anything on that side.
        is_yearly: It comes every year.
    """

    event: str
    side: int
    count: int | None = None
    unit: Unit | None = None
    is_yearly: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """When something was: half-open; `until` is None where only the day it was told is known."""

    since: datetime
    until: datetime | None


def find_anchor(question: str, *, asked_at: datetime, zone: str) -> Anchor | None:
    """The event that the question tells a time from, if it does, and the calendar alone doesn't say when that is.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: the zone is unknown.
    """
    match = _ENDS_WITH.search(question) or _ON_A_DAY.search(question)
    if match is None or named_periods(match["event"], asked_at=asked_at, zone=zone):
        return None
    said = match.groupdict()
    event, unit = match["event"], said.get("unit")
    return Anchor(
        event=event,
        side={"before": -1, "until": -1, "after": 1, "since": 1}.get((said.get("side") or "").lower(), 0),
        count=_number(match["count"]) if unit else None,
        unit=Unit(unit.lower()) if unit else None,
        is_yearly=_EVERY_YEAR.search(event) is not None,
    )


def told_time(text: str, *, said_at: datetime, zone: str, event_at: datetime, event_until: datetime | None) -> Event:
    """When a memory's event was: as it is kept with the memory, as the text tells, or when it was told.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: the zone is unknown.
    """
    if event_until is not None:
        return Event(since=event_at, until=event_until)
    mentions = resolve(text, said_at, tz=zone)
    return Event(since=mentions[0].since, until=mentions[0].until) if mentions else Event(since=event_at, until=None)


def anchored_periods(anchor: Anchor, event: Event, *, asked_at: datetime, zone: str) -> tuple[Period, ...]:
    """The stretches of time that the question names, now that it is known when the event was.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: the zone is unknown.
    """
    tz = ZoneInfo(zone)
    since = event.since.astimezone(tz).date()
    until = max(event.until.astimezone(tz).date() if event.until else since, since + timedelta(days=1))
    if not anchor.is_yearly:
        return (_period(anchor, since, until=until, asked_at=asked_at, tz=tz),)
    today = asked_at.astimezone(tz).date()
    days = [day for back in range(_YEARS_BACK + 1) if (day := _in_year(since, today.year - back)) <= today]
    return tuple(
        _period(anchor, day, until=day + timedelta(days=1), asked_at=asked_at, tz=tz) for day in days[:_YEARS_BACK]
    )


def _period(anchor: Anchor, since: date, *, until: date, asked_at: datetime, tz: ZoneInfo) -> Period:
    first, last = _midnight(since, tz), _midnight(until, tz)
    if anchor.side == 0:
        return Period(since=first, until=last)
    if anchor.unit is None:
        if anchor.side < 0:
            return Period(since=first - _LONG_AGO, until=first, weight=_OPEN_WEIGHT)
        return Period(since=last, until=max(asked_at, last) + timedelta(days=1), weight=_OPEN_WEIGHT)
    away, slack = timedelta(days=_UNIT_DAYS[anchor.unit] * (anchor.count or 1)), _SLACK_DAYS[anchor.unit]
    day = since - away if anchor.side < 0 else until - timedelta(days=1) + away
    return Period(
        since=_midnight(day - timedelta(days=slack), tz), until=_midnight(day + timedelta(days=slack + 1), tz)
    )


def _number(text: str) -> int:
    word = text.lower()
    return 1 if word == "the" else int(word) if word.isdecimal() else ENGLISH.numbers[word]


def _in_year(day: date, year: int) -> date:
    return date(year, day.month, min(day.day, calendar.monthrange(year, day.month)[1]))


def _midnight(day: date, tz: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), tz).astimezone(UTC)
