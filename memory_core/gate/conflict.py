"""Pure: whether what the agent is about to say differs from what a stored memory says."""

import re
from dataclasses import replace
from datetime import timedelta

from memory_core.claims.comparing import compare
from memory_core.claims.statement import Statement, Verdict
from memory_core.keywords import content_words

_VOICE = {
    "you are": "I am",
    "you're": "I'm",
    "you have": "I have",
    "you've": "I've",
    "you were": "I was",
    "yourself": "myself",
    "yours": "mine",
    "your": "my",
    "you": "I",
}
_YOU = re.compile(r"\b(" + "|".join(re.escape(words) for words in _VOICE) + r")\b", re.IGNORECASE)
_NUMBERS = re.compile(r"(?<![\w.])\d+(?:[.,:]\d+)*(?![\w])")
_DAYS = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:january|february|march|april|june|july|august|september"
    r"|october|november|december)\b",
    re.IGNORECASE,
)
_NAMES = re.compile(r"(?<=[\w,;] )[A-ZÀ-Þ][\w'’-]+")
_SAME_SHARE = 0.6
_UNSURE = re.compile(
    r"\b(?:i (?:don'?t|do not) (?:know|have (?:that|any|this)|remember|recall)|not sure"
    r"|no (?:record|idea)|can(?:'t|not) (?:find|recall|tell)"
    r"|you (?:haven'?t|have not) (?:told|mentioned)|weiß ich nicht|no lo sé)\b",
    re.IGNORECASE,
)
_ENDS_EARLIER = timedelta(seconds=1)


def differs(sentence: str, memory: Statement) -> bool:
    """Whether a sentence of the agent and a memory can't both be right.

    Either the claims of both exclude each other, or both say the same of different values: another day, another number,
    another name.
    """
    if sentence.rstrip().endswith(("?", "？")):
        return False
    spoken = replace(memory, text=_in_their_voice(sentence), said_at=memory.said_at - _ENDS_EARLIER, event_at=None)
    if compare(spoken, memory).verdict in {Verdict.REPLACES, Verdict.CONTRADICTS}:
        return True
    return _other_value(sentence, memory.text)


def admits_not_knowing(text: str) -> bool:
    """Whether a text says that something isn't known."""
    return bool(_UNSURE.search(text))


def is_said(memory: str, *, in_text: str) -> bool:
    """Whether nearly all that a memory says was said already."""
    words = content_words(memory)
    return bool(words) and len(words & content_words(in_text)) >= 0.9 * len(words)


def _in_their_voice(sentence: str) -> str:
    """What the agent says to a person, as the person would: "your flight leaves" is "my flight leaves"."""
    return _YOU.sub(lambda found: _VOICE[found.group().lower()], sentence)


def _other_value(sentence: str, memory: str) -> bool:
    """Exactly one kind of value differs: where two do, it is rather about something else."""
    kinds = [kind for kind in (_NUMBERS, _DAYS, _NAMES) if _found(kind, sentence) and _found(kind, memory)]
    other = [kind for kind in kinds if not _found(kind, sentence) & _found(kind, memory)]
    return len(other) == 1 and _same_frame(_without(other[0], sentence), _without(other[0], memory))


def _found(values: re.Pattern[str], text: str) -> set[str]:
    return {value.casefold() for value in values.findall(text)}


def _without(values: re.Pattern[str], text: str) -> frozenset[str]:
    return content_words(values.sub(" ", text))


def _same_frame(said: frozenset[str], stored: frozenset[str]) -> bool:
    smaller = min(len(said), len(stored))
    return smaller >= 2 and len(said & stored) >= _SAME_SHARE * max(len(said), len(stored))  # noqa: PLR2004 a word is no frame
