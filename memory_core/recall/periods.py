"""Pure: which stretches of time a question names, as seen from when and where it is asked.

A question looks back: "in May" is May of this year or of the two before it, "on Friday" the last one. English is read
here, more loosely than capture reads a statement: "three weeks ago" is said of the days around. What this leaves is
read as in a statement, in every language of `dates`. What is not understood names nothing, and then time simply
doesn't count.
"""

import calendar
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from memory_core.dates.resolving import DateMention, resolve

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
_LEADING = re.compile(
    r"(?:\b(?:on|in|at|of|during|around|since|until|by|for|from|as|the|early|late|mid|first|second|third|last|week|weekend"
    r"|end|beginning|start|before|after)\s+)+$",
    re.IGNORECASE,
)
"""Words that only lead to a date."""
_BEFORE_YEAR = re.compile(r"\b(?:in|of|during|around|since|until|by|from|before|after)\s+$", re.IGNORECASE)
_ISO = re.compile(rf"\b(?P<year>{_YEAR})-(?P<month>\d\d)(?:-(?P<day>\d\d))?\b")
_BARE_YEAR = re.compile(rf"(?<![\w./-])(?P<year>{_YEAR})(?![\w/-])")
_AGO = re.compile(
    rf"\b(?:(?:about|around|almost|over|exactly|a)\s+)?(?P<count>{_COUNT})\s+(?P<unit>day|week|month|year)s?\s+(?:ago|back)\b",
    re.IGNORECASE,
)
_LAST_N = re.compile(
    rf"\b(?:last|past|previous)\s+(?P<count>{_COUNT})\s+(?P<unit>day|week|month|year)s\b", re.IGNORECASE
)
_UNIT = re.compile(r"\b(?P<which>this|last|past|previous)\s+(?P<unit>week|weekend|month|year)\b", re.IGNORECASE)
_DAY_WORD = re.compile(r"\b(?P<word>today|tonight|yesterday|this\s+(?:morning|afternoon|evening)|last\s+night)\b", re.I)
_WEEKDAY = re.compile(rf"\b(?P<name>{'|'.join(_WEEKDAYS)})\b", re.IGNORECASE)
_UNIT_DAYS = {"day": 1, "week": 7}
_SLACK_DAYS = {"day": 0, "week": 3, "month": 15, "year": 182}
_NAMES_THAT_ARE_WORDS = frozenset(("may", "march"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A named stretch of time, half-open, aware, UTC.

    Attributes:
        weight: How much it says that something lies within, in 0 to 1: a stretch without an end says little.
    """

    since: datetime
    until: datetime
    weight: float = 1.0


class _Named(NamedTuple):
    """Where a text names stretches of whole days, and which."""

    start: int
    end: int
    spans: tuple[tuple[date, date], ...]


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
    named = [*_dates(text, today), *_relative(text, today)]
    mentions = resolve(text, asked_at, tz=zone, looks_back=True)
    further = [mention for mention in mentions if _says_more(mention, named)]
    own = [one for one in named if not any(_overlap(mention, one) for mention in further)]
    spans = [(_instant(since, tz), _instant(until, tz)) for one in own for since, until in one.spans]
    spans += [span for mention in further for span in _every_year(mention, tz=tz, today=today)]
    return tuple(dict.fromkeys(Period(since=since, until=until) for since, until in spans))


def _says_more(mention: DateMention, named: Sequence[_Named]) -> bool:
    """Whether it stands where English names nothing, or takes in more: "the week before 9 June", "last May"."""
    return all(
        mention.start <= one.start
        and one.end <= mention.end
        and (mention.end - mention.start > one.end - one.start or (len(one.spans) > 1 and not mention.yearly))
        for one in named
        if _overlap(mention, one)
    )


def _overlap(mention: DateMention, one: _Named) -> bool:
    return mention.start < one.end and one.start < mention.end


def _every_year(mention: DateMention, *, tz: ZoneInfo, today: date) -> Iterator[tuple[datetime, datetime]]:
    """The stretch, and the same in the years before where any of them may be meant."""
    since, until = mention.since.astimezone(tz), mention.until.astimezone(tz)
    for back in range(_YEARS_BACK if mention.yearly else 1):
        first, last = (_months_later(day.date(), -12 * back) for day in (since, until))
        if not mention.yearly:
            yield mention.since, mention.until
        elif first <= today:
            yield _instant(first, tz), _instant(last, tz)


def _instant(day: date, tz: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), tz).astimezone(UTC)


def without_dates(text: str) -> str:
    """The text without the calendar dates that it names in English and the words that lead to them.

    "What did she buy on 3 May 2023?" becomes "What did she buy?". Days named from today ("yesterday", "on Friday")
    stay; so does a year that is no time ("the 2019 report"), and a text of nothing but dates.
    """
    rest = text
    for match in sorted(_calendar_dates(text), key=lambda found: found.start(), reverse=True):
        if match.re is _BARE_YEAR and not _BEFORE_YEAR.search(text, 0, match.start()):
            continue
        lead = _LEADING.search(text, 0, match.start())
        rest = rest[: lead.start() if lead else match.start()].rstrip() + rest[match.end() :]
    return rest.lstrip(" ,") if any(map(str.isalpha, rest)) else text


def _dates(text: str, today: date) -> Iterator[_Named]:
    for match in _calendar_dates(text):
        readings = _span(int(match["year"])) if match.re is _BARE_YEAR else _readings(match, today)
        yield _Named(*match.span(), tuple(readings))


def _calendar_dates(text: str) -> Iterator[re.Match[str]]:
    taken: list[tuple[int, int]] = []
    for match in [*_ISO.finditer(text), *_DATE.finditer(text), *_BARE_YEAR.finditer(text)]:
        if any(start < match.end() and match.start() < end for start, end in taken) or not _is_date(match):
            continue
        taken.append(match.span())
        yield match


def _is_date(match: re.Match[str]) -> bool:
    """May and March are also words, and short names also parts of names: they need company to be a date."""
    if match.re in (_ISO, _BARE_YEAR) or match["day_before"] or match["day_after"] or match["year"]:
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


def _relative(text: str, today: date) -> Iterator[_Named]:
    for pattern, meaning in _RELATIVE:
        for match in pattern.finditer(text):
            yield _Named(*match.span(), (meaning(match, today),))


def _day_word(match: re.Match[str], today: date) -> tuple[date, date]:
    back = 1 if match["word"].lower().split()[0] in ("yesterday", "last") else 0
    return today - timedelta(days=back), today - timedelta(days=back - 1)


def _weekday(match: re.Match[str], today: date) -> tuple[date, date]:
    back = (today.weekday() - _WEEKDAYS[match["name"].lower()] - 1) % 7 + 1
    return today - timedelta(days=back), today - timedelta(days=back - 1)


def _unit(match: re.Match[str], today: date) -> tuple[date, date]:
    return _calendar_unit(match["unit"].lower(), today, back=0 if match["which"].lower() == "this" else 1)


def _ago(match: re.Match[str], today: date) -> tuple[date, date]:
    """Some time ago is said of the days around; the longer the unit, the looser."""
    unit = match["unit"].lower()
    start, slack = _back(today, unit, count=_count(match["count"])), timedelta(days=_SLACK_DAYS[unit])
    return start - slack, start + slack + timedelta(days=1)


def _last_n(match: re.Match[str], today: date) -> tuple[date, date]:
    return _back(today, match["unit"].lower(), count=_count(match["count"])), today + timedelta(days=1)


_RELATIVE: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], tuple[date, date]]], ...] = (
    (_DAY_WORD, _day_word),
    (_WEEKDAY, _weekday),
    (_UNIT, _unit),
    (_AGO, _ago),
    (_LAST_N, _last_n),
)


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
