"""Values that slots hold: numbers, times, days, versions, names; whether two of them are equal or can't both hold."""

import re
from enum import StrEnum

from memory_core.claims.words import key_of, plain

Value = frozenset[tuple[str, str]]
"""Kinds and what they say, such as {("weekday", "thursday"), ("time", "10:00")}."""

_WEEKDAYS = {
    name: day
    for day, names in enumerate(
        (
            "monday mon montag lunes",
            "tuesday tue tues dienstag martes",
            "wednesday wed mittwoch miércoles",
            "thursday thu thur thurs donnerstag jueves",
            "friday fri freitag viernes",
            "saturday sat samstag sábado",
            "sunday sun sonntag domingo",
        )
    )
    for name in names.split()
}
_MONTHS = {
    name: month
    for month, names in enumerate(
        (
            "january jan januar enero",
            "february feb februar febrero",
            "march mar märz marzo",
            "april apr abril",
            "may mai mayo",
            "june jun juni junio",
            "july jul juli julio",
            "august aug agosto",
            "september sept sep septiembre",
            "october oct oktober okt octubre",
            "november nov noviembre",
            "december dec dezember dez diciembre",
        ),
        1,
    )
    for name in names.split()
}
_NUMBERED: dict[str, int] = dict(
    zip("one two three four five six seven eight nine ten eleven twelve".split(), range(1, 13), strict=True)
)
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_WEEKDAY = re.compile(rf"\b({'|'.join(sorted(_WEEKDAYS, key=len, reverse=True))})s?\b", re.IGNORECASE)
_DAY_MONTH = re.compile(
    rf"\b(?P<a>\d{{1,2}})(?:st|nd|rd|th|\.)?(?: of| de)? (?P<m>{_MONTH})\b|\b(?P<n>{_MONTH})\.?"
    rf" (?P<b>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)",
    re.IGNORECASE,
)
_ISO = re.compile(r"\b(?:19|20)\d\d-(?P<m>\d\d)-(?P<d>\d\d)\b")
_TIME = re.compile(
    r"\b(?P<h>\d{1,2})[:.](?P<m>\d\d)(?: ?(?P<half>am|pm|a\.m|p\.m))?(?!\d|\.\d)|\b"
    r"(?P<hh>\d{1,2}) ?(?P<half2>am|pm|a\.m|p\.m|o'clock|uhr)\b"
    r"|\bat (?P<bare>\d{1,2})\b(?![:.]\d| ?(?:%|[a-z€$]))|\b(?P<word>noon|midnight)\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"\b(today|tonight|tomorrow|heute|morgen|hoy|mañana)\b", re.IGNORECASE)
_MONEY = re.compile(
    r"(?P<sign>[€$£]) ?(?P<n>\d[\d.,]*)(?P<k>[kKmM]\b)?|\b(?P<n2>\d[\d.,]*)(?P<k2>[kKmM])? ?"
    r"(?P<unit>euros?|dollars?|pounds?|€|£|\$|usd|eur|gbp|chf|francs?)(?!\w)",
    re.IGNORECASE,
)
_VERSION = re.compile(
    r"\bv?(\d+\.\d+(?:\.\d+)*(?:[-+]?(?:rc|beta|alpha|b|a)\d*)?)\b(?! ?(?:am|pm|%|€))|\bv(\d+)\b", re.IGNORECASE
)
_QUANTITY = re.compile(
    r"(?<![\w.])(?P<n>\d[\d.,]*|" + "|".join(_NUMBERED) + r")[ -]?(?P<unit>%|[a-zA-Zµ]+)?", re.IGNORECASE
)
_PLAIN_NUMBER = re.compile(r"(?<![\w.])[€$£]?\d[\d.,]*\d|(?<![\w.])[€$£]?\d")
_CODE = re.compile(r"[A-ZÀ-Þ_/@#.\d]|\w-\w")
_NO_UNITS = frozenset("and or in at on for to of now is per instead since as with not but from again today".split())


class Relation(StrEnum):
    """How two values stand to each other."""

    EQUAL = "equal"
    DIFFERENT = "different"
    UNKNOWN = "unknown"
    """Not of one kind."""


def timed(text: str) -> Value:
    """Day and time of a phrase."""
    text = plain(text)
    found: set[tuple[str, str]] = set()
    text, dates = _cut(text, _ISO)
    found |= {("date", f"{int(match['m'])}-{int(match['d'])}") for match in dates}
    text, dates = _cut(text, _DAY_MONTH)
    found |= {("date", f"{_MONTHS[(m['m'] or m['n']).casefold()]}-{int(m['a'] or m['b'])}") for m in dates}
    found |= {("time", _time(match)) for match in _TIME.finditer(text)}
    found |= {("weekday", str(_WEEKDAYS[day.casefold()])) for day in _WEEKDAY.findall(text)}
    found |= {("relative", day.casefold()) for day in _RELATIVE.findall(text)}
    return frozenset(found)


def measured(text: str) -> Value:
    """Money, versions and quantities of a phrase; a bare number has no unit."""
    text = plain(text)
    found: set[tuple[str, str]] = set()
    text, money = _cut(text, _MONEY)
    found |= {("money", _number(m["n"] or m["n2"]) + (m["k"] or m["k2"] or "").casefold()) for m in money}
    text, versions = _cut(text, _VERSION)
    found |= {("number", match[1] or match[2]) for match in versions}
    for match in _QUANTITY.finditer(text):
        unit = (match["unit"] or "").casefold().rstrip("s")
        number = str(_NUMBERED.get(match["n"].casefold(), _number(match["n"])))
        found.add((f"quantity {unit}" if unit and unit not in _NO_UNITS else "number", number))
    return frozenset(found)


def named(text: str) -> Value:
    """A name, a path, a code; nothing where a phrase looks like ordinary words."""
    key = key_of(text)
    return frozenset({("name", key)}) if key and _CODE.search(text) else frozenset()


def worded(text: str) -> Value:
    """Any phrase."""
    key = key_of(text)
    return frozenset({("name", key)}) if key else frozenset()


def relate(one: Value, other: Value) -> Relation:
    """Whether two values are equal as far as they are of one kind."""
    first, second = _by_kind(one), _by_kind(other)
    common = first.keys() & second.keys()
    if not common:
        return Relation.UNKNOWN
    same = all(first[kind] == second[kind] for kind in common)
    return Relation.EQUAL if same else Relation.DIFFERENT


def _by_kind(value: Value) -> dict[str, set[str]]:
    kinds: dict[str, set[str]] = {}
    for kind, said in value:
        kinds.setdefault(kind, set()).add(said)
    return kinds


def _cut(text: str, pattern: re.Pattern[str]) -> tuple[str, list[re.Match[str]]]:
    return pattern.sub(" ", text), list(pattern.finditer(text))


def _number(text: str) -> str:
    bare = text.rstrip(".,")
    return re.sub(r",(?=\d{3}\b)", "", bare)


def _time(match: re.Match[str]) -> str:
    if match["word"]:
        return "12:00" if match["word"].casefold() == "noon" else "0:00"
    hour = int(match["h"] or match["hh"] or match["bare"])
    half = (match["half"] or match["half2"] or "").casefold()[:1]
    hour = hour + 12 if half == "p" and hour < 12 else hour  # noqa: PLR2004 hours of half a day
    return f"{hour}:{match['m'] or '00'}"


def found_at(text: str) -> list[tuple[str, tuple[int, int]]]:
    """Where days, times and numbers stand in a text, in order; what stands in brackets is left out."""
    blank = re.sub(r"\([^()]*\)", lambda note: " " * len(note[0]), text)
    found: list[tuple[str, tuple[int, int]]] = []
    for kind, pattern in (
        ("date", _ISO),
        ("date", _DAY_MONTH),
        ("weekday", _WEEKDAY),
        ("time", _TIME),
        ("number", _PLAIN_NUMBER),
    ):
        for match in pattern.finditer(blank):
            span = match.span()
            if kind == "time" and match["bare"]:
                span = match.span("bare")
            found.append((kind, span))
            blank = f"{blank[: span[0]]}{' ' * (span[1] - span[0])}{blank[span[1] :]}"
    return sorted(found, key=lambda entry: entry[1])
