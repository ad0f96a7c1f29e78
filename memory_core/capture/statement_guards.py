"""Pure: which statements of a model are taken, and which aren't because the turn they name doesn't say that.

A model may invent, mix up who said what, calculate dates wrongly, or be talked into something by the words it reads.
What it proposes is therefore held against the turn: words, numbers and dates of a statement must come from there.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from zoneinfo import ZoneInfo

from memory_core.capture.assistant_talk import is_filler
from memory_core.capture.chunking import sentences
from memory_core.capture.exchange import begins_as_answer
from memory_core.capture.prompts import Statement
from memory_core.capture.sentence_value import Value, is_question, value
from memory_core.capture.statements import LIMIT_CHARS, Candidate, Utterance
from memory_core.dates.resolving import DateMention, resolve
from memory_core.keywords import keywords
from memory_core.privacy.redaction import redact
from memory_core.values import Origin

LEAST_CONFIDENCE = 0.4
"""Below it a model says itself that the turn may not say this."""
LEAST_OWN_SHARE, LEAST_KNOWN_SHARE = 0.4, 0.8
"""Of a statement's keywords: in the turn it names, and in all that its speaker may take up."""
_STEM_CHARS = 4
"""Words that begin with as many equal characters count as the same: "moved", "moving"."""
_NUMBER = re.compile(r"\d+")
_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|rules?|prompts?|everything above)\b"
    r"|\b(?:system|developer) prompt\b|\byou are now\b|<\|?/?(?:im_start|im_end|system|nightshift-memory)\b"
    r"|^\W*(?:system|assistant|user|developer)\s*:",
    re.IGNORECASE | re.DOTALL,
)


class Refusal(StrEnum):
    """Why a statement isn't taken."""

    UNKNOWN_TURN = "it names a turn that was not shown"
    EMPTY = "it is empty"
    TOO_LONG = "it is too long"
    DOUBTFUL = "the model doubts it"
    ORDER = "it gives orders"
    NOISE = "it is no statement"
    ECHO = "the assistant only says it back, or guesses"
    UNSUPPORTED = "the turn doesn't say it"
    NUMBER = "it holds a number that nobody said"
    DATE = "it holds a date that nobody named"
    REPEATED = "it was there already"


DELIBERATE = frozenset({Refusal.ORDER, Refusal.NOISE, Refusal.ECHO, Refusal.REPEATED, Refusal.DOUBTFUL})
"""What is kept out on purpose: the turn isn't read again in another way for its sake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A turn, and what a statement of it may lean on.

    Attributes:
        text: Its words, dates written out.
        mentions: The dates it names.
        around: Words that its speaker may take up, those of this turn included.
        around_mentions: Dates of all turns shown.
    """

    utterance: Utterance
    text: str
    mentions: tuple[DateMention, ...]
    around: str
    around_mentions: tuple[DateMention, ...]


def written_out(text: str, mentions: Sequence[DateMention]) -> str:
    """A text with the meaning of its relative dates in brackets behind them."""
    written, position = "", 0
    for mention in mentions:
        note = f" ({mention.text})"
        if mention.explicit or text.startswith(note, mention.end):
            continue
        written += text[position : mention.end] + note
        position = mention.end
    return written + text[position:]


def checked(statement: Statement, heard: Heard, *, position: int, made_by: str, pii: bool) -> Candidate | Refusal:
    """The candidate that a statement makes, or why it makes none.

    Args:
        statement: As the model proposed it.
        heard: The turn it names.
        position: Its place among the statements of that turn, from 0.
        made_by: Prompt version and model.
        pii: Redact personal data too.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: the zone of the turn is unknown.
    """
    said = heard.utterance
    text = " ".join(statement.text.split())
    own_dates = resolve(text, said.said_at, tz=said.timezone)
    text = written_out(text, own_dates)
    refusal = _shape(text, statement) or _sense(text, said) or _source(text, heard) or _dates(own_dates, heard)
    if refusal is not None:
        return refusal
    happens = _event(statement, text, heard=heard)
    return Candidate(
        text=redact(text, pii=pii).text,
        kind=statement.memory_kind,
        event_at=happens.since if happens else None,
        event_until=happens.until if happens else None,
        speaker=said.speaker,
        origin=said.role,
        position=position,
        made_by=made_by,
    )


def _shape(text: str, statement: Statement) -> Refusal | None:
    if not text:
        return Refusal.EMPTY
    if len(text) > LIMIT_CHARS:
        return Refusal.TOO_LONG
    return Refusal.DOUBTFUL if not statement.confidence >= LEAST_CONFIDENCE else None


def _sense(text: str, said: Utterance) -> Refusal | None:
    if _ORDER.search(text):
        return Refusal.ORDER
    if is_question(text) or value(text, shared=said.shared) is Value.NOISE:
        return Refusal.NOISE
    is_echo = said.role is not Origin.USER and is_filler(text, heard=said.previous_text or "")
    return Refusal.ECHO if is_echo else None


def _source(text: str, heard: Heard) -> Refusal | None:
    wanted = set(keywords(text))
    said = heard.utterance
    # "Yes, exactly": the question says what is meant.
    first = next((said.text[chunk.start : chunk.end] for chunk in sentences(said.text)), "")
    leaned_on = said.previous_text or "" if begins_as_answer(first) else ""
    own = _Words(f"{heard.text} {leaned_on} {said.speaker or ''}")
    around = f"{heard.around} {leaned_on}"
    if not wanted or own.share(wanted) < LEAST_OWN_SHARE or _Words(around).share(wanted) < LEAST_KNOWN_SHARE:
        return Refusal.UNSUPPORTED
    known = set(_NUMBER.findall(around))
    return Refusal.NUMBER if any(number not in known for number in _NUMBER.findall(text)) else None


def _dates(own_dates: Sequence[DateMention], heard: Heard) -> Refusal | None:
    """Dates with their year are from the model: each must be one that the turns name."""
    named = (*heard.mentions, *heard.around_mentions)
    for mine in own_dates:
        if mine.explicit and not any(mine.since < other.until and other.since < mine.until for other in named):
            return Refusal.DATE
    return None


def _event(statement: Statement, text: str, *, heard: Heard) -> DateMention | None:
    """The stretch of time that a statement tells of, as the rules understand the turn; None where it names none."""
    day = _day(statement.date)
    zone = ZoneInfo(heard.utterance.timezone)
    for mention in (*heard.mentions, *heard.around_mentions):
        if day is not None and _local(mention.since, zone) <= day <= _last_day(mention, zone):
            return mention
    return next((mention for mention in heard.mentions if mention.text in text), None)


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat((text or "").strip()[:10])
    except ValueError:
        return None


def _local(moment: datetime, zone: ZoneInfo) -> date:
    return moment.astimezone(zone).date()


def _last_day(mention: DateMention, zone: ZoneInfo) -> date:
    return _local(max(mention.since, mention.until - datetime.resolution), zone)


class _Words:
    """The keywords of a text, for asking how much of another text comes from it."""

    def __init__(self, text: str) -> None:
        found = set(keywords(text))
        self._exact = found
        self._stems = {word[:_STEM_CHARS] for word in found if len(word) >= _STEM_CHARS}

    def share(self, wanted: set[str]) -> float:
        """Share of the wanted keywords that are here; 0 when none is wanted."""
        here = sum(word in self._exact or word[:_STEM_CHARS] in self._stems for word in wanted)
        return here / len(wanted) if wanted else 0.0
