"""Pure: what expressions such as "next Friday" mean, given when and where they were said.

"Next Friday" is the Friday of the following Monday-to-Sunday week, "this" and bare Friday the coming one, or the past
one in a sentence that tells of the past, or the one of the stretch that it stands under. What is not said stays
unknown: "a few days ago" is a stretch, "some day" nothing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from memory_core.dates.calendar_spans import Precision, Span, instants, unit_span
from memory_core.dates.further_languages import FURTHER_LANGUAGES
from memory_core.dates.languages import LANGUAGES, Language, Unit
from memory_core.dates.outlines import day_inside, governing
from memory_core.dates.rules import Context, DateGrammar, a_day

_GRAMMARS = tuple(DateGrammar(language) for language in (*LANGUAGES, *FURTHER_LANGUAGES))
_WORD = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
_SENTENCE_EDGE = re.compile(r"[.!?\n。！？](?=\s|$)|\n|[。！？]")
_ISO = re.compile(
    r"(?<![\w./-])(?P<year>(?:19|20)\d\d)(?P<sign>[-./])(?P<month>\d\d?)(?P=sign)(?P<day>\d\d?)(?![\d/-])"
)
_NUMERIC = re.compile(
    r"(?<![\w./-])(?P<first>\d\d?)(?P<sign>[./])(?P<second>\d\d?)(?P=sign)(?P<year>(?:19|20)\d\d)(?![\w/-])"
)
_OF_A_MONTH = re.compile(
    r"\s(?:of (?:the|each|every|this|next) month|of (?-i:[A-Z])\w+|(?:im|des|jeden) monats?|del mes|du mois|week\b)",
    re.IGNORECASE,
)
_WEEK_FROM = re.compile(r"\bweeks? (?:from|after|before)\s$", re.IGNORECASE)
_MONTHS = 12
_YEAR_TELLERS = ("year", "last", "this", "next", "after")
_ANCHOR_REACH_CHARS = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class DateMention:
    """A date expression in a text and what it means.

    Attributes:
        start, end: Character offsets, `end` behind the last one.
        since, until: Aware UTC instants, half-open.
        precision: How exact it is.
        explicit: The text names the year itself, so a reader needs no help.
        yearly: It names a day, month or season that comes every year, without saying which: "in May", "on 3 March".
        text: The meaning for people, in the language of the expression: "7 May 2023", "1-7 May 2023", "2022".
    """

    start: int
    end: int
    since: datetime
    until: datetime
    precision: Precision
    explicit: bool
    yearly: bool
    text: str


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    span: Span
    grammar: DateGrammar
    explicit: bool
    yearly: bool = False
    bare_weekday: bool = False


def resolve(text: str, said_at: datetime, *, tz: str, looks_back: bool = False) -> list[DateMention]:
    """Find date expressions and resolve them.

    Args:
        text: What was said.
        said_at: When, aware.
        tz: Zone of the speaker, an IANA name.
        looks_back: Read it as told of the past where its sentence doesn't tell.

    Returns:
        Mentions in ascending order without overlap; where readings overlap the longest is taken.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: the zone is unknown.
    """
    zone = ZoneInfo(tz)
    today = said_at.astimezone(zone).date()
    base = Context(today=today, zone=tz, tense=-1 if looks_back else 0)
    found = _longest(
        [*_numeric(text, base), *(one for grammar in _GRAMMARS for one in _matches(text, grammar, base=base))]
    )
    return [
        _mention(one, zone=zone)
        for one in _under_stretches(text, _hang(text, found))
        if not _is_of_another_stretch(text, one)
    ]


def _is_of_another_stretch(text: str, found: _Found) -> bool:
    """Whether the words around a weekday make it another day: "last Friday of the month", "a week from Friday"."""
    if found.span.precision is not Precision.DAY:
        return False
    return _OF_A_MONTH.match(text, found.end) is not None or _WEEK_FROM.search(text[: found.start][-16:]) is not None


def _matches(text: str, grammar: DateGrammar, *, base: Context) -> Iterator[_Found]:
    lowered = text.lower()
    words = set(_WORD.findall(lowered)) if grammar.language.spaced else set(lowered)
    if not words & grammar.words and not _DIGIT.search(text):
        return
    for rule in grammar.rules:
        if rule.words and not words & rule.words:
            continue
        for match in rule.pattern.finditer(text):
            tense = grammar.tense(_sentence(text, match)) or base.tense
            span = rule.meaning(match, Context(today=base.today, zone=base.zone, tense=tense))
            if span is not None:
                said = match.groupdict()
                yield _Found(
                    match.start(),
                    match.end(),
                    span,
                    grammar,
                    explicit=bool(said.get("year")),
                    yearly=_is_yearly(said),
                    bare_weekday="weekday" in said and not any(map(said.get, _YEAR_TELLERS)),
                )


def _is_yearly(said: Mapping[str, str | None]) -> bool:
    """Whether the groups of a match name something of the calendar and nothing that tells the year."""
    return any(map(said.get, ("month", "season"))) and not any(map(said.get, _YEAR_TELLERS))


def _sentence(text: str, match: re.Match[str]) -> str:
    """The sentence around a match, without the match itself."""
    start = max(
        (edge.end() for edge in _SENTENCE_EDGE.finditer(text, max(0, match.start() - 240), match.start())),
        default=max(0, match.start() - 240),
    )
    after = _SENTENCE_EDGE.search(text, match.end(), match.end() + 240)
    return f"{text[start : match.start()]} {text[match.end() : after.start() if after else match.end() + 240]}"


def _numeric(text: str, context: Context) -> Iterator[_Found]:
    if not _DIGIT.search(text):
        return
    for match in _ISO.finditer(text):
        if day := a_day(int(match["year"]), month=int(match["month"]), day=int(match["day"])):
            yield _Found(
                match.start(), match.end(), unit_span(Unit.DAY, offset=0, today=day), _GRAMMARS[0], explicit=True
            )
    for match in _NUMERIC.finditer(text):
        order = _day_and_month(match, zone=context.zone)
        if order and (day := a_day(int(match["year"]), month=order[1], day=order[0])):
            explicit = order[0] == order[1] or max(order) > _MONTHS
            yield _Found(match.start(), match.end(), unit_span(Unit.DAY, offset=0, today=day), _GRAMMARS[0], explicit)


def _day_and_month(match: re.Match[str], *, zone: str) -> tuple[int, int] | None:
    """Day and month of 5/7/2023, or None where both orders are in use and nothing decides."""
    first, second = int(match["first"]), int(match["second"])
    if match["sign"] == "." or first > _MONTHS or first == second:
        return first, second
    if second > _MONTHS or zone.startswith("US/"):
        return second, first
    if zone.startswith("Europe/"):
        return first, second
    return (second, first) if zone.startswith("America/") else None


def _longest(found: Iterable[_Found]) -> list[_Found]:
    chosen: list[_Found] = []
    for one in sorted(found, key=lambda one: (one.start - one.end, one.start)):
        if all(one.end <= other.start or other.end <= one.start for other in chosen):
            chosen.append(one)
    return sorted(chosen, key=lambda one: one.start)


def _hang(text: str, found: Iterable[_Found]) -> list[_Found]:
    """Join a date with the stretch that is told from it: "the week before 9 June 2023"."""
    joined: list[_Found] = []
    for one in found:
        begin = max(0, one.start - _ANCHOR_REACH_CHARS)
        for sign, pattern in one.grammar.anchors:
            if match := pattern.search(text[begin : one.start]):
                span = one.grammar.anchored(match, one.span, sign=sign)
                one = _Found(begin + match.start(), one.end, span, one.grammar, explicit=False)  # noqa: PLW2901
                break
        joined = [other for other in joined if other.end <= one.start]
        joined.append(one)
    return joined


def _under_stretches(text: str, found: Iterable[_Found]) -> Iterator[_Found]:
    """Bare weekdays moved into the stretch that they stand under; left out where it has no such day."""
    before: list[tuple[int, Span]] = []
    for one in found:
        stretch = governing(text, one.start, stretches=before) if one.bare_weekday else None
        span = day_inside(one.span, stretch) if stretch else one.span
        if span is not None:
            yield replace(one, span=span)
        before.append((one.end, one.span))


def _mention(found: _Found, *, zone: ZoneInfo) -> DateMention:
    since, until = instants(found.span, zone=zone)
    text = _describe(found.span, language=found.grammar.language)
    return DateMention(
        start=found.start,
        end=found.end,
        since=since,
        until=until,
        precision=found.span.precision,
        explicit=found.explicit,
        yearly=found.yearly,
        text=text,
    )


def _describe(span: Span, *, language: Language) -> str:
    first, last = span.start, span.end - timedelta(days=1)
    month, year = language.month_names[first.month - 1], first.year
    match span.precision:
        case Precision.YEAR:
            return f"{year}"
        case Precision.MONTH:
            return language.month_format.format(month=month, year=year)
        case Precision.PART | Precision.DAY:
            return language.day_format.format(day=first.day, month=month, year=year)
        case _:
            return _describe_stretch(span, language=language, last=language.month_names[last.month - 1])


def _describe_stretch(span: Span, *, language: Language, last: str) -> str:
    first, final = span.start, span.end - timedelta(days=1)
    name = language.month_names[first.month - 1]
    about = f"{language.about} " if span.precision is Precision.APPROXIMATE else ""
    whole_months = first.day == 1 and span.end.day == 1
    if whole_months and first.month == 1 and span.end.month == 1:
        return f"{about}{first.year}-{final.year}"
    if whole_months:
        start = name if first.year == final.year else language.month_format.format(month=name, year=first.year)
        return f"{about}{start} - {language.month_format.format(month=last, year=final.year)}"
    if (first.year, first.month) == (final.year, final.month):
        dash = ".-" if "{day}." in language.day_format else "-"
        return about + language.day_format.format(day=f"{first.day}{dash}{final.day}", month=name, year=first.year)
    start = language.day_format.format(day=first.day, month=name, year=first.year)
    return f"{about}{start} - {language.day_format.format(day=final.day, month=last, year=final.year)}"
