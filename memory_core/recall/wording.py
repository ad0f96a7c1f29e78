"""Pure: what the wording of a memory shows at a glance: a question, names, a time, a number.

A recall looks at some 300 texts, so each look takes a few microseconds.
"""

import math
import re
from collections.abc import Collection

_ENTITY = re.compile(r"[A-Z](?<![.!?:—-] [A-Z])(?<!^[A-Z])(?<!\w[A-Z])[a-zA-Z]+")
"""A capitalised word inside a sentence; in languages that capitalise every noun it counts nouns, which is as good.

The letter stands before the conditions on what precedes it, since the engine skips to a letter quickly.
"""
_WORD = re.compile(r"[a-z]+|\d+")
_TIME_WORDS = frozenset(
    (
        "yesterday today tonight tomorrow ago last next week weeks weekend month months year years recently earlier "
        "soon morning afternoon evening summer winter spring autumn monday tuesday wednesday thursday friday saturday "
        "sunday january february march april june july august september october november december"
    ).split()
) | frozenset(map(str, range(1900, 2100)))
"""Without "may" and "fall", which are mostly other words."""
_NUMBER_WORDS = frozenset(
    (
        "one two three four five six seven eight nine ten eleven twelve dozen hundred thousand once twice several few "
        "couple half"
    ).split()
)
_ENDS = ("", ".", ",", "!", "?", ";", ":")
_FIRST_PERSON = frozenset(
    word + end
    for word in (
        "i i'm i've i'd i'll i’m i’ve i’d i’ll me my mine myself we we're we've we'd we'll we’re we’ve we’d we’ll us "
        "our ours ourselves ich mich mir mein meine meinen meinem meiner wir uns unser unsere je moi mon mes nous "
        "notre nos"
    ).split()
    for end in _ENDS
)
_SECOND_PERSON = frozenset(
    word + end
    for word in (
        "you you're you've you'd you'll you’re you’ve you’d you’ll your yours yourself du dich dir dein deine deinen "
        "deinem deiner euch tu toi ton tes vous votre vos"
    ).split()
    for end in _ENDS
)
"""Languages that can't leave the person out: English, German, French."""

_BEHIND_LATIN = "\u0250"
_CODE = re.compile(r"[^\s,;!?()\[\]{}\"“”„«»`]+")
_CODE_SIGN = re.compile(r"[a-z\d][A-Z]|[_+#/\\@]|[^\W\d_].*\d|[^\W_]\.[^\W_]|::")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|am|pm|k|s)?|(?:[^\W\d_]\.)+[^\W\d_]?", re.IGNORECASE)


def exact_names(text: str) -> frozenset[str]:
    """Its code-like names, in small letters: `snake_case`, `camelCase`, C++, paths, versions, error codes."""
    words = (word.strip(".:'’-/\\") if word[-1:] in ".:'’-" else word for word in _CODE.findall(text))
    return frozenset(word.lower() for word in words if _CODE_SIGN.search(word) and not _ORDINAL.fullmatch(word))


def exactly_told(text: str, *, wanted: Collection[str]) -> float:
    """Share of the names that it holds letter by letter; 0 when none is wanted."""
    if not wanted:
        return 0.0
    small = text.lower()
    return sum(name in small for name in wanted) / len(wanted)


def is_mostly_latin(text: str) -> bool:
    """Whether at least half of its letters are Latin; so for a text without letters."""
    letters = [char for char in text if char.isalpha()]
    return 2 * sum(char < _BEHIND_LATIN for char in letters) >= len(letters)


def is_question(text: str) -> bool:
    """Whether it ends by asking."""
    return text.rstrip(" \"'”’)]").endswith(("?", "？", "؟"))


def names_told(text: str, *, known: Collection[str]) -> float:
    """ln(1 + number of capitalised words inside its sentences), those of `known` (lower case) left out."""
    found = _ENTITY.findall(text)
    strange = found if not known else [word for word in found if word.lower() not in known]
    return math.log1p(len(strange))


def tells_of_self(text: str) -> float:
    """ln(1 + words that mean the speaker) - ln(1 + words that mean the listener).

    A person is told of where they speak of themselves: praise and questions for the other ("You did so well!") are no
    news of either.
    """
    # Splitting at spaces costs a third of what patterns do; marks at a word's end are in the sets.
    words = text.lower().split()
    own = sum(map(_FIRST_PERSON.__contains__, words))
    other = sum(map(_SECOND_PERSON.__contains__, words))
    return math.log1p(own) - math.log1p(other)


def tells_time(text: str) -> bool:
    """Whether it says when, in English."""
    return not _TIME_WORDS.isdisjoint(_WORD.findall(text.lower()))


def tells_number(text: str) -> bool:
    """Whether it holds a number, as digits or an English word."""
    words = _WORD.findall(text.lower())
    return not _NUMBER_WORDS.isdisjoint(words) or any(map(str.isdigit, words))
