"""Pure: expressions of dates in one language, each with what it means on a given day."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date

from memory_core.dates.calendar_spans import (
    Precision,
    Span,
    add_months,
    few_span,
    month_span,
    season_span,
    unit_span,
    weekday_span,
)
from memory_core.dates.languages import Language, Unit

_YEAR = r"(?:19|20)\d\d"
_NEAR_MONTHS = 6
_FIRST_YEAR, _LAST_YEAR = 1900, 2099
_HAN_NUMBERS = {
    number: value for value, number in enumerate("一 二 三 四 五 六 七 八 九 十 十一 十二".split(), start=1)
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What the meaning of an expression depends on.

    Attributes:
        today: The day it was said, in the speaker's zone.
        zone: The speaker's zone.
        tense: -1 when the sentence tells of the past, 1 of what is to come, 0 unknown.
    """

    today: date
    zone: str
    tense: int


Meaning = Callable[[re.Match[str], Context], Span | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """An expression, its meaning, and words one of which a text must hold for it; none: a digit."""

    pattern: re.Pattern[str]
    meaning: Meaning
    words: frozenset[str]


class DateGrammar:
    """The rules of one language, built from its table."""

    def __init__(self, language: Language) -> None:
        """Compile the table."""
        self.language = language
        self._bound = (r"(?<!\w)", r"(?!\w)") if language.spaced else ("", "")
        self._tenses = [
            (sign, re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE))
            for sign, words in ((-1, language.past), (1, language.future))
            if words
        ]
        self.rules = [
            *(*self._phrases(), *self._relative(), *self._weekdays(), *self._months(), *self._dates()),
            *self._numbered(),
        ]
        self.anchors = self._anchors()
        self.words = frozenset[str]().union(*(rule.words for rule in self.rules)) - {"an", "a"}

    def tense(self, sentence: str) -> int:
        """-1, 0 or 1: past, unknown or mixed, future."""
        return sum(sign for sign, pattern in self._tenses if pattern.search(sentence))

    def _rule(self, body: str, meaning: Meaning, *, words: Iterable[str]) -> Rule:
        before, after = self._bound
        return Rule(re.compile(before + body + after, re.IGNORECASE), meaning, frozenset(words))

    def _phrases(self) -> Iterable[Rule]:
        table = self.language
        parts = _any(table.parts)
        if table.phrases:
            tail = rf"(?:\s(?P<part>{parts}))?" if parts else ""
            no = "".join(f"(?<!{word} )" for word in table.not_after)
            yield self._rule(
                rf"{no}(?P<phrase>{_any(table.phrases)}){tail}", self._phrase, words=_heads(table.phrases, table)
            )
        if table.day_parts:
            yield self._rule(
                rf"(?P<phrase>{_any(table.day_parts)})", self._day_part, words=_heads(table.day_parts, table)
            )

    def _phrase(self, match: re.Match[str], context: Context) -> Span:
        unit, offset = self.language.phrases[_key(match["phrase"])]
        span = unit_span(unit, offset=offset, today=context.today)
        return self._with_part(span, match) if "part" in match.re.groupindex else span

    def _day_part(self, match: re.Match[str], context: Context) -> Span:
        offset, first, last = self.language.day_parts[_key(match["phrase"])]
        span = unit_span(Unit.DAY, offset=offset, today=context.today)
        return replace(span, precision=Precision.PART, hours=(first, last))

    def _with_part(self, span: Span, match: re.Match[str]) -> Span:
        if not match["part"] or span.precision is not Precision.DAY:
            return span
        return replace(span, precision=Precision.PART, hours=self.language.parts[_key(match["part"])])

    def _which(self) -> str:
        table = self.language
        return rf"(?:(?P<last>{table.last})|(?P<this>{table.this})|(?P<next>{table.following}))"

    def _relative(self) -> Iterable[Rule]:
        table = self.language
        if not table.units:
            return
        units = _any(table.units)
        if table.last:
            which, article = self._which(), r"(?:(?:the|die|das|den|la|le|les|el|los|de|het)\s)?"
            yield self._rule(rf"{article}{which}\s(?P<unit>{units})", self._relative_unit, words=table.units)
            yield self._rule(rf"{article}(?P<unit>{units})\s{which}", self._relative_unit, words=table.units)
        heads = table.units if table.spaced else [unit[0] for unit in table.units]
        number = rf"(?:(?P<n>\d{{1,3}}|(?:{_any(table.numbers)})(?:\sof)?)|(?P<few>{table.few or '(?!)'}))"
        number = rf"(?:(?:about|around|almost|over|exactly|etwa|fast|environ|casi|a)\s)?{number}"
        for sign, templates in ((-1, table.ago), (1, table.ahead)):
            for template in templates:
                body = template.replace("{n}", number).replace("{unit}", rf"(?P<unit>{units})").replace(" ", r"\s")
                yield self._rule(body, self._counted(sign), words=heads)

    def _relative_unit(self, match: re.Match[str], context: Context) -> Span:
        unit = self.language.units[_key(match["unit"])]
        offset = -1 if match["last"] else 1 if match["next"] else 0
        if unit is Unit.WEEKEND and match["this"] and context.tense < 0 and context.today.weekday() < 5:  # noqa: PLR2004 Saturday
            offset = -1
        return unit_span(unit, offset=offset, today=context.today)

    def _counted(self, sign: int) -> Meaning:
        def meaning(match: re.Match[str], context: Context) -> Span | None:
            unit = self.language.units[_key(match["unit"])]
            if match["few"]:
                return few_span(unit, sign=sign, today=context.today)
            count = self._number(match["n"])
            reached = _reaches(unit, count=count, context=context)
            return unit_span(unit, offset=sign * count, today=context.today) if reached else None

        return meaning

    def _number(self, text: str) -> int:
        word = _key(text).removesuffix(" of")
        return int(word) if word.isdecimal() else self.language.numbers[word]

    def _weekdays(self) -> Iterable[Rule]:
        table = self.language
        if not table.weekdays:
            return
        names, which, parts = _any(table.weekdays), self._which(), _any(table.parts)
        weekday, part = rf"(?P<weekday>{names})", rf"(?:\s(?P<part>{parts}))?"
        week = _any([word for word, unit in table.units.items() if unit is Unit.WEEK])
        article = r"(?:(?:the|den|le|el)\s)?"
        yield self._rule(
            rf"(?:(?:{table.on}))?{weekday}(?:\sof)?\s{which}\s(?:{week}){part}",
            self._weekday_of_week,
            words=table.weekdays,
        )
        yield self._rule(rf"{article}{which}\s{weekday}{part}", self._weekday, words=table.weekdays)
        yield self._rule(rf"{article}{weekday}\s{which}(?!\s(?:{week})){part}", self._weekday, words=table.weekdays)
        # Every Friday, Fridays: a habit, no date.
        bare = rf"(?<!every )(?<!each )(?<!jeden )(?<!cada )(?<!chaque ){weekday}{part}"
        yield self._rule(bare, self._bare_weekday, words=table.weekdays)

    def _weekday_of_week(self, match: re.Match[str], context: Context) -> Span:
        offset = -1 if match["last"] else 1 if match["next"] else 0
        monday = unit_span(Unit.WEEK, offset=offset, today=context.today).start
        return self._with_part(unit_span(Unit.DAY, offset=self._weekday_number(match), today=monday), match)

    def _weekday(self, match: re.Match[str], context: Context) -> Span:
        number = self._weekday_number(match)
        if match["next"]:
            return self._weekday_of_week(match, context)
        sign = -1 if match["last"] else 1
        return self._with_part(weekday_span(number, today=context.today, sign=sign, strict=sign < 0), match)

    def _bare_weekday(self, match: re.Match[str], context: Context) -> Span | None:
        if _key(match["weekday"]) in self.language.case_matters and match["weekday"][0].islower():
            return None
        sign = -1 if context.tense < 0 else 1
        span = weekday_span(self._weekday_number(match), today=context.today, sign=sign, strict=True)
        return self._with_part(span, match)

    def _weekday_number(self, match: re.Match[str]) -> int:
        return self.language.weekdays[_key(match["weekday"])]

    def _months(self) -> Iterable[Rule]:
        table = self.language
        if not table.months:
            return
        which, names = self._which(), rf"(?P<month>{_any(table.months)})\b\.?"
        year = rf"(?:,?\s(?:of\s|del?\s)?(?P<year>{_YEAR}))"
        yield self._rule(rf"{which}\s{names}{year}?", self._which_month, words=table.months)
        yield self._rule(rf"{names}\s{which}", self._which_month, words=table.months)
        yield self._rule(rf"(?:{table.in_month})\s{names}{year}?", self._month, words=table.months)
        yield self._rule(rf"(?<!\d )(?<!\d[.] )(?<!\d(?:st|nd|rd|th) ){names}{year}", self._month, words=table.months)
        seasons = rf"(?P<season>{_any(table.seasons)})"
        yield self._rule(
            rf"(?:the\s)?(?:{which}\s)?{seasons}{year}?(?:\s(?P<after>{table.last}))?",
            self._season,
            words=table.seasons,
        )
        yield self._rule(rf"(?:{table.in_month})\s(?:the\syear\s)?(?P<year>{_YEAR})", self._year, words=())

    def _which_month(self, match: re.Match[str], context: Context) -> Span | None:
        groups = match.groupdict()
        if groups.get("year"):
            return self._month(match, context)
        month, today = self.language.months[_key(match["month"])], context.today
        if match["last"]:
            return month_span(today.year - (month >= today.month), month)
        if match["next"]:
            return month_span(today.year + (month <= today.month), month)
        return month_span(today.year, month)

    def _month(self, match: re.Match[str], context: Context) -> Span | None:
        if not self._is_month(match["month"]):
            return None
        month = self.language.months[_key(match["month"])]
        return month_span(int(match["year"]), month) if match["year"] else _nearest_month(month, context=context)

    def _is_month(self, name: str) -> bool:
        return not (_key(name) in self.language.case_matters and name[0].islower())

    def _season(self, match: re.Match[str], context: Context) -> Span | None:
        first = self.language.seasons[_key(match["season"])]
        if match["year"]:
            return season_span(int(match["year"]), first, zone=context.zone)
        spans = [season_span(context.today.year + away, first, zone=context.zone) for away in (-2, -1, 0, 1)]
        if match["last"] or match["after"]:
            return next(span for span in reversed(spans) if span.end <= context.today)
        if match["next"] or (match["this"] and context.tense >= 0):
            return next(span for span in spans if span.end > context.today)
        return next(span for span in reversed(spans) if span.start <= context.today) if match["this"] else None

    def _year(self, match: re.Match[str], context: Context) -> Span:
        return unit_span(Unit.YEAR, offset=int(match["year"]) - context.today.year, today=context.today)

    def _dates(self) -> Iterable[Rule]:
        table = self.language
        if not table.months:
            return
        names, day = rf"(?P<month>{_any(table.months)})\b\.?", r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|\.|º)?(?!\d)"
        until = r"(?:\s?[-–]\s?(?P<until>\d{1,2})(?:st|nd|rd|th|\.)?(?!\d))?"
        year = rf"(?:,?\s(?:del?\s)?(?P<year>{_YEAR}))?"
        lead = r"(?:(?:the|le|el|den|dem|am)\s)?"
        yield self._rule(rf"{names}\s(?:the\s)?{day}{until}{year}", self._date, words=table.months)
        yield self._rule(rf"{lead}{day}{until}(?:\sof|\sde)?\s{names}{year}", self._date, words=table.months)

    def _date(self, match: re.Match[str], context: Context) -> Span | None:
        if not self._is_month(match["month"]):
            return None
        month, day = self.language.months[_key(match["month"])], int(match["day"])
        year = match["year"]
        start = a_day(int(year), month=month, day=day) if year else _nearest(month, day, context=context)
        if start is None:
            return None
        end = a_day(start.year, month=month, day=int(match["until"])) if match["until"] else None
        if end and end > start:
            return Span(start, unit_span(Unit.DAY, offset=1, today=end).start, Precision.DAYS)
        return unit_span(Unit.DAY, offset=0, today=start)

    def _numbered(self) -> Iterable[Rule]:
        """2023年5月7日, 5月, 2023年: numbers with a mark behind each."""
        if self.language.numbered is None:
            return
        of_year, of_month, of_day = (rf"\s?[{marks}]" for marks in self.language.numbered)
        # No digit and no "ago" around it: three months aren't March.
        month = rf"(?<![\d〇一二三四五六七八九十])(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九]){of_month}"
        day = rf"(?:\s?(?P<day>[12]\d|3[01]|0?[1-9]){of_day})?"
        words = self.language.numbered[1]
        yield self._rule(rf"(?P<year>{_YEAR}){of_year}\s?{month}{day}", self._numbered_date, words=words)
        yield self._rule(month + day, self._numbered_date, words=words)
        yield self._rule(rf"(?P<year>{_YEAR}){of_year}", self._year, words=self.language.numbered[0])

    def _numbered_date(self, match: re.Match[str], context: Context) -> Span | None:
        month = int(match["month"]) if match["month"].isdecimal() else _HAN_NUMBERS[match["month"]]
        year = match.groupdict().get("year")
        if not match["day"]:
            return month_span(int(year), month) if year else _nearest_month(month, context=context)
        day = int(match["day"])
        found = a_day(int(year), month=month, day=day) if year else _nearest(month, day, context=context)
        return unit_span(Unit.DAY, offset=0, today=found) if found else None

    def _anchors(self) -> list[tuple[int, re.Pattern[str]]]:
        """Expressions that end where a date begins: "the week before", "two days after"."""
        table = self.language
        number = rf"(?:(?P<n>\d{{1,3}}|{_any(table.numbers)})\s)?"
        words = rf"{number}(?:(?P<unit>{_any(table.units)})|(?P<weekday>{_any(table.weekdays)}))"
        return [
            (sign, re.compile(rf"(?:(?:the|die|der|das|la|le|el)\s)?{words}\s(?:{link})\s(?:the\s)?$", re.IGNORECASE))
            for sign, link in ((-1, table.before), (1, table.after))
            if link
        ]

    def anchored(self, match: re.Match[str], anchor: Span, *, sign: int) -> Span:
        """The stretch that an expression of `anchors` names, hung on the anchor's first day."""
        if match["weekday"]:
            number = self.language.weekdays[_key(match["weekday"])]
            return weekday_span(number, today=anchor.start, sign=sign, strict=True)
        count = self._number(match["n"]) if match["n"] else 1
        unit = self.language.units[_key(match["unit"])]
        if unit is Unit.WEEKEND and sign > 0 and anchor.start.weekday() < 5:  # noqa: PLR2004 Saturday
            count -= 1  # the weekend after a Wednesday ends the same week
        return unit_span(unit, offset=sign * count, today=anchor.start)


def a_day(year: int, *, month: int, day: int) -> date | None:
    """The day, or None when the calendar has no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _nearest_month(month: int, *, context: Context) -> Span:
    """The month in the year that the tense asks for; without a tense one that is soon, else the last one."""
    away = (month - context.today.month) % 12
    if context.tense < 0 or (context.tense == 0 and away > _NEAR_MONTHS):
        away -= 12 if away else 0
    start = add_months(context.today, away)
    return month_span(start.year, start.month)


def _nearest(month: int, day: int, *, context: Context) -> date | None:
    """The day in the year that the tense asks for; without a tense the nearest one."""
    days = [found for away in (-1, 0, 1) if (found := a_day(context.today.year + away, month=month, day=day))]
    if context.tense < 0:
        days = [found for found in days if found <= context.today] or days
    elif context.tense > 0:
        days = [found for found in days if found >= context.today] or days
    return min(days, key=lambda found: abs((found - context.today).days), default=None)


def _reaches(unit: Unit, *, count: int, context: Context) -> bool:
    """Whether so many units from now still lie in the years a memory may have."""
    years = count if unit is Unit.YEAR else count // 12 + 1
    return context.today.year - years > _FIRST_YEAR and context.today.year + years < _LAST_YEAR


def _any(words: Iterable[str]) -> str:
    """An alternative of words, longest first, spaces of any kind."""
    return "|".join(re.escape(word).replace(r"\ ", r"\s") for word in sorted(words, key=len, reverse=True)) or "(?!)"


def _key(text: str) -> str:
    return re.sub(r"\s", " ", text).lower()


def _heads(phrases: Iterable[str], language: Language) -> frozenset[str]:
    """Words that give a set of phrases away; characters where a language has no spaces."""
    if not language.spaced:
        return frozenset(phrase[0] for phrase in phrases)
    return frozenset(max(re.findall(r"\w+", phrase), key=len) for phrase in phrases)
