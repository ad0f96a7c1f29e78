"""Pure: what a question asks for besides its words: whose memory, from when, a date, a number, a name, the past."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memory_core.recall.addressing import put_to
from memory_core.recall.anchoring import Anchor, find_anchor
from memory_core.recall.periods import Period, named_periods
from memory_core.recall.wording import exact_names

_QUIET_SHARE = 0.1
"""Share of a scope's memories from which on a speaker's name tells its memories no longer apart."""
_ASKS_WHEN = re.compile(
    r"^\W*(?:(?:and|but|so|do you (?:know|remember)|remind me)\s+)?"
    r"(?:when|how long ago|(?:on |in |at )?(?:what|which) (?:date|day|week|month|year|time|season)s?)\b",
    re.IGNORECASE,
)
_ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|long|old|often|far|tall|big|fast|large|high|heavy)\b"
    r"|\b(?:what|which)(?:'s| is| was| are| were)?(?: the| her| his| my| our| their| your)?"
    r" (?:number|price|age|size|amount)\b",
    re.IGNORECASE,
)
_ASKS_NAME = re.compile(
    r"^\W*(?:who|whose|where|which)\b"
    r"|\b(?:what|which)\b.*\b(?:name|called|city|country|place|state|movie|film|book|game|song|band|team|author)s?\b",
    re.IGNORECASE,
)
_WANTS_HISTORY = re.compile(
    r"\b(?:used to|previous(?:ly)?|former(?:ly)?|originally|in the past|back then|at first|no longer)\b"
    r"|\b(?:did|was|were|had)\b.*\b(?:before|earlier|until then)\W*$"
    r"|\bmy (?:old|last|ex)\b"
    r"|\b(?:früher|vorher|damals|ehemalig\w*|auparavant|avant|ancien(?:ne)?|antes|antiguo|antigua|antigamente|prima"
    r"|vroeger|voorheen|раньше|прежде)\b|以前|之前|从前|過去|예전|이전에",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|myself|i'm|i've|i'd)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a question asks for.

    Attributes:
        periods: Stretches of time it names; any of them may be meant.
        anchor: Something in memory that it tells a time from.
        speaker: Whose words are asked for, as memories show the name; None when nobody or several are named.
        reading: The question as a model best reads it; for `Embedder.embed_query`.
        quiet: Lower-case words of the question that say nothing about which memory, being names of those who said
            most of them; for `Embedder.embed_query`.
        exact: Small letters of its code-like names, which are spelled one way.
        asks_when: It wants a date.
        asks_number: It wants a number.
        asks_name: It wants the name of somebody, of a place or of a work.
        wants_history: It wants what was true before; then superseded memories count too.
    """

    periods: tuple[Period, ...] = ()
    anchor: Anchor | None = None
    speaker: str | None = None
    reading: str | None = None
    quiet: frozenset[str] = frozenset()
    exact: frozenset[str] = frozenset()
    asks_when: bool = False
    asks_number: bool = False
    asks_name: bool = False
    wants_history: bool = False


def plan(
    question: str, *, asked_at: datetime, zone: str, speakers: Mapping[str, int], asker: str | None = None
) -> Plan:
    """Read a question.

    Args:
        question: Its text.
        asked_at: When it is asked, aware.
        zone: IANA name of the asker's zone.
        speakers: Who said the memories of the scope, with how many each.
        asker: Who asks, as memories show the name.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: the zone is unknown.
    """
    words = frozenset(_WORD.findall(question.lower()))
    names = {speaker: frozenset(_WORD.findall(speaker.lower())) for speaker in speakers}
    named = [speaker for speaker, parts in names.items() if parts & words]
    if not named and asker is not None and _FIRST_PERSON.search(question):
        named = [asker]
    total = sum(speakers.values())
    loud = [names[speaker] for speaker, count in speakers.items() if count >= _QUIET_SHARE * total]
    speaker = named[0] if len(named) == 1 else None
    return Plan(
        periods=named_periods(question, asked_at=asked_at, zone=zone),
        anchor=find_anchor(question, asked_at=asked_at, zone=zone),
        speaker=speaker,
        reading=put_to(question, speaker=speaker),
        quiet=frozenset[str]().union(*loud) & words,
        exact=exact_names(question),
        asks_when=_ASKS_WHEN.search(question) is not None,
        asks_number=_ASKS_NUMBER.search(question) is not None,
        asks_name=_ASKS_NAME.search(question) is not None,
        wants_history=_WANTS_HISTORY.search(question) is not None,
    )
