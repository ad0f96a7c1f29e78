"""Pure: which stretches of time a question names, as seen from when and where it is asked; English only.

A question looks back: "in May" is May of this year or of the two before it, "on Friday" the last one. What is not
understood names nothing, and then time simply doesn't count.
"""

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

_YEARS_BACK = 3
"""How many years a day or month without a year may mean."""
_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
_SHORT_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_abbr) if name} | {"sept": 9}
_WEEKDAYS = {name.lower(): number for number, name in enumerate(calendar.day_name)}
_NUMBERS = {
    word: number
    for number, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], start=1
    )
} | {"a": 1, "an": 1, "a couple of": 2}
_MONTH = "|".join(sorted({*_MONTHS, *_SHORT_MONTHS}, key=len, reverse=True))
_YEAR = r"(?:19|20)\d\d"
_COUNT = r"\d{1,3}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True))
_DATE = re.compile(
    rf"(?:(?P<lead>\b(?:in|of|during|since|until|by|last|this|early|late|mid|before|after|around)\s+))?"
    rf"(?:\b(?P<day_before>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?"
    rf"\b(?P<month>{_MONTH})\b\.?"
    rf"(?:\s+(?P<day_after>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:))?"
    rf"(?:,?\s*(?:of\s+)?(?P<year>{_YEAR})\b)?",
    re.IGNORECASE,
)
_ISO = re.compile(rf"\b(?P<year>{_YEAR})-(?P<month>\d\d)(?:-(?P<day>\d\d))?\b")
_BARE_YEAR = re.compile(rf"(?<![\w./-])(?P<year>{_YEAR})(?![\w/-])")
_AGO = re.compile(rf"\b(?P<count>{_COUNT})\s+(?P<unit>day|week|month|year)s?\s+(?:ago|back)\b", re.IGNORECASE)
_LAST_N = re.compile(
    rf"\b(?:last|past|previous)\s+(?P<count>{_COUNT})\s+(?P<unit>day|week|month|year)s\b", re.IGNORECASE
)
_UNIT = re.compile(r"\b(?P<which>this|last|past|previous)\s+(?P<unit>week|weekend|month|year)\b", re.IGNORECASE)
_DAY_WORD = re.compile(r"\b(?P<word>today|tonight|yesterday|this\s+(?:morning|afternoon|evening)|last\s+night)\b", re.I)
_WEEKDAY = re.compile(rf"\b(?P<name>{'|'.join(_WEEKDAYS)})\b", re.IGNORECASE)
_UNIT_DAYS = {"day": 1, "week": 7}
_NAMES_THAT_ARE_WORDS = frozenset(("may", "march"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A named stretch of time, half-open, aware, UTC."""

    since: datetime
    until: datetime


def named_periods(text: str, *, asked_at: datetime, zone: str) -> tuple[Period, ...]:
    """The stretches of time that a question names; any of them may be meant.

    Args:
        text: The question.
        asked_at: When it is asked, aware.
        zone: IANA name of the zone in which its days begin.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: the zone is unknown.
    """
    tz = ZoneInfo(zone)
    today = asked_at.astimezone(tz).date()
    spans = [*_dates(text, today), *_relative(text, today)]
    return tuple(dict.fromkeys(Period(since=_instant(a, tz), until=_instant(b, tz)) for a, b in spans))


def _instant(day: date, tz: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), tz).astimezone(UTC)


def _dates(text: str, today: date) -> Iterator[tuple[date, date]]:
    taken: list[tuple[int, int]] = []
    for match in [*_ISO.finditer(text), *_DATE.finditer(text)]:
        if any(start < match.end() and match.start() < end for start, end in taken) or not _is_date(match):
            continue
        taken.append(match.span())
        yield from _readings(match, today)
    for match in _BARE_YEAR.finditer(text):
        if not any(start <= match.start() < end for start, end in taken):
            yield from _span(int(match["year"]))


def _is_date(match: re.Match[str]) -> bool:
    """May and March are also words, and short names also parts of names: they need company to be a date."""
    if match.re is _ISO or match["day_before"] or match["day_after"] or match["year"]:
        return True
    name = match["month"].lower()
    return name in _MONTHS and (name not in _NAMES_THAT_ARE_WORDS or match["lead"] is not None)


def _readings(match: re.Match[str], today: date) -> Iterator[tuple[date, date]]:
    if match.re is _ISO:
        month, day = int(match["month"]), match["day"]
    else:
        name = match["month"].lower()
        month, day = _MONTHS.get(name) or _SHORT_MONTHS[name], match["day_before"] or match["day_after"]
    years = [int(match["year"])] if match["year"] else [today.year - back for back in range(_YEARS_BACK)]
    for year in years:
        for since, until in _span(year, month, day=int(day) if day else None):
            if match["year"] or since <= today:
                yield since, until


def _span(year: int, month: int | None = None, *, day: int | None = None) -> Iterator[tuple[date, date]]:
    try:
        if month is None:
            yield date(year, 1, 1), date(year + 1, 1, 1)
        elif day is None:
            yield date(year, month, 1), _months_later(date(year, month, 1), 1)
        else:
            yield date(year, month, day), date(year, month, day) + timedelta(days=1)
    except ValueError:  # the 31st of June names nothing
        return


def _relative(text: str, today: date) -> Iterator[tuple[date, date]]:
    for match in _DAY_WORD.finditer(text):
        back = 1 if match["word"].lower().split()[0] in ("yesterday", "last") else 0
        yield today - timedelta(days=back), today - timedelta(days=back - 1)
    for match in _WEEKDAY.finditer(text):
        back = (today.weekday() - _WEEKDAYS[match["name"].lower()] - 1) % 7 + 1
        yield today - timedelta(days=back), today - timedelta(days=back - 1)
    for match in _UNIT.finditer(text):
        yield _calendar_unit(match["unit"].lower(), today, back=0 if match["which"].lower() == "this" else 1)
    for match in _AGO.finditer(text):
        unit, count = match["unit"].lower(), _count(match["count"])
        start = _back(today, unit, count=count)
        # "three weeks ago" is said of the days around; the longer the unit, the looser.
        slack = {"day": 0, "week": 3, "month": 15, "year": 182}[unit]
        yield start - timedelta(days=slack), start + timedelta(days=slack + 1)
    for match in _LAST_N.finditer(text):
        yield _back(today, match["unit"].lower(), count=_count(match["count"])), today + timedelta(days=1)


def _count(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBERS[text.lower()]


def _back(today: date, unit: str, *, count: int) -> date:
    if unit in _UNIT_DAYS:
        return today - timedelta(days=_UNIT_DAYS[unit] * count)
    return _months_later(today, -count * (1 if unit == "month" else 12))


def _calendar_unit(unit: str, today: date, *, back: int) -> tuple[date, date]:
    monday = today - timedelta(days=today.weekday() + 7 * back)
    if unit == "week":
        return monday, monday + timedelta(days=7)
    if unit == "weekend":
        return monday + timedelta(days=5), monday + timedelta(days=7)
    start = date(today.year - back, 1, 1) if unit == "year" else _months_later(today.replace(day=1), -back)
    return start, _months_later(start, 12 if unit == "year" else 1)


def _months_later(day: date, months: int) -> date:
    """The same day of another month, or the last one it has."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    year = max(year, 1)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))
