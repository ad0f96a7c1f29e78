"""Whether two statements say the same: rather miss a pair than call two facts one."""

import re

from memory_core.claims.mood import mood_of
from memory_core.claims.statement import Statement, same_speaker
from memory_core.claims.words import plain, words

_FILLERS = frozenset(
    "a an the really very just so oh well btw hey hi please also actually basically honestly literally"
    " definitely ok okay yes yeah by way that der die das el la los las".split()
)
_MOVABLE = frozenset(
    "today yesterday tomorrow now currently tonight recently usually always often sometimes here".split()
)
_FEWEST = 2
_NUMBER = re.compile(r"\d+")


def near_duplicate(one: Statement, other: Statement) -> bool:
    """Whether a reader would notice no difference: the same words in the same order up to small ones.

    Numbers, dates, names, denials and the mood (a question, a plan, a guess) must be equal, and the speaker the same.
    """
    return same_speaker(one, other) and same_words(one.text, other.text)


def same_words(one: str, other: str) -> bool:
    """Whether two texts of one speaker differ in small words only."""
    if _NUMBER.findall(one) != _NUMBER.findall(other) or mood_of(plain(one)) is not mood_of(plain(other)):
        return False
    first, second = _telling(one), _telling(other)
    if min(len(first), len(second)) < _FEWEST:
        return False
    return first == second or _settled(first) == _settled(second)


def _telling(text: str) -> list[str]:
    found = [_singular(word) for word in words(text) if word not in _FILLERS]
    return found if found[:2] != ["user", "be"] else ["i", "am", *found[2:]]


def _singular(word: str) -> str:
    return {"likes": "like", "lives": "live", "works": "work"}.get(word, word)


def _settled(found: list[str]) -> list[str]:
    """With words of time in front or at the end moved to the end: "yesterday I met Bo", "I met Bo yesterday"."""
    if found and found[0] in _MOVABLE and found[-1] not in _MOVABLE:
        return [*found[1:], found[0]]
    return found
