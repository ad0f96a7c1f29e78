"""Pure: what is meant by a wish to forget, and what of other texts says the same."""

import re
from collections.abc import Callable, Collection, Iterable

from memory_core.capture.chunking import sentences
from memory_core.capture.dedup import normalise
from memory_core.keywords import content_words

MYSELF = frozenset({"me", "myself", "i", "my", "ich", "mich", "moi", "yo", "mí"})
"""How a person names themselves."""
_NOTE = re.compile(r"\s*\[[^\]]*\]")
"""What extraction wrote into a statement: the date that "on Friday" meant."""
_TELLING_WORDS = 3
"""A statement of fewer content words is recognised in other texts only where it stands whole."""
_SAME_SHARE = 0.8
"""Of the content words of the shorter of two statements, how many both hold when they say the same."""
_ECHO_SHARE = 0.5
"""The same between a statement and an answer in the same exchange, which takes it up in other words."""


def holds(words: Collection[str], text: str) -> bool:
    """Whether a text holds every one of the content words; no words are held by nothing."""
    return bool(words) and content_words(text).issuperset(words)


def is_about(name: str, *, speaker: str | None, text: str) -> bool:
    """Whether a person of this name said a text, or it names them."""
    words = {word.casefold() for word in name.split()}
    return bool(words) and ((speaker or "").casefold() == name.casefold() or words <= content_words(text))


class Statements:
    """Statements that texts are searched for; made once, since a person's whole memory may be among them."""

    def __init__(self, statements: Iterable[str]) -> None:
        """Look for these."""
        self._whole: set[str] = set()
        self._by_word: dict[str, list[frozenset[str]]] = {}
        self._words: set[str] = set()
        for statement in statements:
            said = _NOTE.sub("", statement)
            words = content_words(said)
            self._whole.add(normalise(said))
            self._words |= words
            if len(words) >= _TELLING_WORDS:
                # Under one of its words only: a text without that word can't hold all of them.
                self._by_word.setdefault(max(words, key=lambda word: (len(word), word)), []).append(words)

    def are_in(self, text: str) -> bool:
        """Whether a text says what one of the statements says."""
        words = content_words(text)
        if any(held <= words for word in words & self._by_word.keys() for held in self._by_word[word]):
            return True
        parts = [text, *(text[chunk.start : chunk.end] for chunk in sentences(text))]
        return not self._whole.isdisjoint(map(normalise, parts))

    def touch(self, text: str) -> bool:
        """Whether a text shares any content word with them."""
        return not self._words.isdisjoint(content_words(text))


def is_copy(one: str, other: str) -> bool:
    """Whether two statements say the same in nearly the same words."""
    return normalise(one) == normalise(other) or _shared(one, other, least=2) >= _SAME_SHARE


def is_echo(answer: str, statement: str) -> bool:
    """Whether an answer in the same exchange takes a statement up."""
    return _shared(answer, statement, least=1) >= _ECHO_SHARE


def without(text: str, is_meant: Callable[[str], bool]) -> str:
    """A text without the sentences that are meant; empty when nothing else is left, or the whole can't be parted."""
    chunks = sentences(text)
    kept = [text[chunk.start : chunk.end] for chunk in chunks if not is_meant(text[chunk.start : chunk.end])]
    rest = " ".join(kept)
    return "" if len(kept) == len(chunks) or is_meant(rest) else rest


def _shared(one: str, other: str, *, least: int) -> float:
    words, others = content_words(one), content_words(other)
    shared = len(words & others)
    return shared / min(len(words), len(others)) if shared >= least else 0.0
