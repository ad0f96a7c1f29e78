"""Corrections that can't be understood alone: "no, it's Thursday" is joined with what it corrects."""

import re
from dataclasses import dataclass

from memory_core.claims.subjects import NAME
from memory_core.claims.values import found_at, timed
from memory_core.claims.words import plain

_LONGEST = 120
_NOTE = r"(?: \([^()]*\))?"
_OPENING = (
    r"(?:(?:no|nope|nein|sorry|oops|wait|actually|correction|not quite|hm+|ah|oh|scratch that"
    r"|my mistake|i was wrong|that's wrong"
    r"|no wait|eigentlich|perdón|entschuldigung)[\s,:;.!—–-]+)"
)
_SAYS = (
    r"(?:(?:i (?:meant|mean|said)|it's|it is|it was|that's|that is|make (?:that|it)|it should"
    r" be|should be|es ist|ich meinte|das ist|es|quise decir)\s+)"
)
_VALUE = r"(?P<prep>(?:on|at|in|by|am|um|el) )?(?P<value>[^\s,;:!?()][^,;!?()]{0,38}?)"
_FORMS = (
    re.compile(
        rf"^\W*{_OPENING}+{_SAYS}?(?:now\s+|actually\s+)?{_VALUE}{_NOTE}(?:,? (?:now|actually"
        rf"|instead))?(?:,? not (?P<old>[^,;:!?()]{{1,40}}?){_NOTE})?\W*$",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^\W*(?:i meant|i mean|make (?:that|it)|ich meinte|quise decir)\s+{_VALUE}{_NOTE}(?:,?"
        rf" not (?P<old>[^,;:!?()]{{1,40}}?){_NOTE})?\W*$",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^\W*{_OPENING}*(?:it's |it is )?not (?:on |at |in )?"
        rf"(?P<old>[^,;:!?()]{{1,40}}?){_NOTE}[,;]? (?:but |it's |it is )*{_VALUE}{_NOTE}\W*$",
        re.IGNORECASE,
    ),
    re.compile(rf"^\W*(?:it's |it is ){_VALUE}{_NOTE},? not (?P<old>[^,;:!?()]{{1,40}}?){_NOTE}\W*$", re.IGNORECASE),
)
_NAME = re.compile(rf"{NAME}(?: {NAME}){{0,2}}")
_MOST_WORDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A value that takes the place of another.

    Attributes:
        value: The right one, as it was said, with the date that capture wrote out.
        old: The wrong one, where it was named.
        preposition: "on", "in" and the like before the value, lower case; empty when there was none.
    """

    value: str
    old: str = ""
    preposition: str = ""


def bare_correction(text: str) -> Correction | None:
    """The correction that an utterance is, when it is nothing else and its value is a day, a number or a name."""
    text = text.strip()
    if len(text) > _LONGEST or text.endswith("?"):
        return None
    for form in _FORMS:
        if (found := form.match(text)) and (value := _value(found["value"])):
            return Correction(
                value=value + _note_after(text, found.end("value")),
                old=(found["old"] or "").strip(),
                preposition=(found["prep"] or "").strip().casefold(),
            )
    return None


def corrected(statement: str, correction: Correction) -> str | None:
    """A statement with the right value in it; None when it isn't clear which of its words was wrong."""
    if correction.old:
        places = [
            found.span()
            for found in re.finditer(rf"(?<!\w){re.escape(correction.old)}(?!\w)", statement, re.IGNORECASE)
        ]
    elif (
        kind := "time"
        if correction.preposition in {"at", "um"} and correction.value.isdigit()
        else _kind(correction.value)
    ):
        places = [span for other, span in found_at(statement) if other == kind]
    else:
        places = _names(statement, preposition=correction.preposition)
    if len(places) != 1:
        return None
    begin, end = places[0]
    end += len(_note_after(statement, end))
    changed = f"{statement[:begin]}{correction.value}{statement[end:]}"
    return None if changed.casefold() == statement.casefold() else changed


def _value(text: str) -> str | None:
    text = text.strip()
    if len(text.split()) > _MOST_WORDS:
        return None
    return text if timed(f"at {text}") or _kind(text) or _NAME.fullmatch(text) else None


def _kind(text: str) -> str | None:
    kinds = [kind for kind, _ in found_at(plain(text))]
    return kinds[0] if kinds else None


def _names(statement: str, *, preposition: str) -> list[tuple[int, int]]:
    """Names in the place where the corrected one would stand."""
    before = (
        rf"\b{preposition} "
        if preposition
        else r"\b(?:is|was|called|named|are|heißt|es|ist)(?: (?:now|called|named))? "
    )
    return [found.span("name") for found in re.finditer(rf"{before}(?P<name>{_NAME.pattern})", statement)]


def _note_after(text: str, end: int) -> str:
    note = re.match(_NOTE, text[end:])
    return note[0] if note else ""
