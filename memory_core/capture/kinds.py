"""Pure: what kind of memory a statement makes, by the words that give it away; first rule that fits wins."""

import re
from collections.abc import Iterable
from enum import StrEnum

from memory_core.capture import kind_words
from memory_core.values import MemoryKind


class Dated(StrEnum):
    """How exactly a statement says when."""

    NO = "no"
    ROUGHLY = "roughly"
    """A year or a vaguer stretch: "in 2019", "a few years ago"."""
    EXACTLY = "exactly"
    """A month or less."""


def _any(expressions: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(expressions), re.IGNORECASE)


_FIRST = (
    (MemoryKind.CORRECTION, _any(kind_words.CORRECTIONS)),
    (MemoryKind.DECISION, _any(kind_words.DECISIONS)),
    (MemoryKind.ACTION_ITEM, _any(kind_words.ACTION_ITEMS)),
    (MemoryKind.PREFERENCE, _any(kind_words.PREFERENCES)),
)
"""What these words say outweighs a date."""
_ENTITY, _INSTEAD, _SOMEBODY_DID = (
    _any(words) for words in (kind_words.ENTITIES, kind_words.INSTEAD, kind_words.SOMEBODY_DID)
)


def kind_of(statement: str, *, dated: Dated) -> MemoryKind:
    """The kind of a statement.

    Args:
        statement: Its text.
        dated: How exactly it says when.
    """
    for kind, pattern in _FIRST:
        if pattern.search(statement):
            return kind
    if dated is Dated.EXACTLY or (dated is Dated.ROUGHLY and _SOMEBODY_DID.search(statement)):
        return MemoryKind.EVENT
    if dated is Dated.NO and _INSTEAD.search(statement):
        return MemoryKind.PREFERENCE
    return MemoryKind.ENTITY if _ENTITY.search(statement) else MemoryKind.FACT
