"""Which word pieces carry meaning and how much a question's piece counts: one table over the model's vocabulary."""

import re
import unicodedata
from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from memory_core.keywords import is_latin
from memory_core.stop_words import STOP_WORDS
from memory_core.values import FloatArray

FIRST_WORD = 1996
"""The vocabulary lists marks and single characters first, then words and their parts by falling frequency."""
_RARE_RANK = 1000
_MULTILINGUAL_SHARE = 0.3
"""Of the pieces with letters, those of other scripts: .05 in the bundled model, over .5 in multilingual ones."""
_LEFT_OF_APOSTROPHES = frozenset(("s", "t", "d", "m", "ll", "re", "ve"))
_WORD_WEIGHT = float(np.log(_RARE_RANK + 5))


class PieceTable:
    """Looks up word pieces by number.

    Attributes:
        is_latin: Whether the piece is Latin letters or digits, which the model was trained on.
        is_other: Whether it holds letters of another script, or is the mark of an unknown text.
        carries_meaning: Latin, and no function word.
        reads_all: The model has many words of other scripts: then they count as Latin does.
    """

    def __init__(self, vocabulary: Sequence[str], *, first_word: int = FIRST_WORD) -> None:
        """Look at every piece.

        Args:
            vocabulary: Pieces by their number, parts of words beginning with "##", the model's marks in brackets.
            first_word: Number of the most frequent word.
        """
        stop = STOP_WORDS["english"] | _LEFT_OF_APOSTROPHES
        texts = [piece.removeprefix("##") for piece in vocabulary]
        marks = [piece.startswith("[") and len(piece) > 1 for piece in vocabulary]
        words = [any(map(str.isalnum, text)) and not mark for text, mark in zip(texts, marks, strict=True)]
        latin = [word and is_latin(text) for word, text in zip(words, texts, strict=True)]
        self.is_latin: npt.NDArray[np.bool_] = np.array(latin)
        self.is_other: npt.NDArray[np.bool_] = np.array(words) & ~self.is_latin
        self.reads_all = bool(self.is_other.sum() > _MULTILINGUAL_SHARE * max(int(np.sum(words)), 1))
        if self.reads_all:
            self.is_latin, self.is_other = self.is_latin | self.is_other, np.zeros_like(self.is_other)
        self.is_other |= np.array([piece == "[UNK]" for piece in vocabulary])
        self.carries_meaning: npt.NDArray[np.bool_] = self.is_latin & ~np.array([p in stop for p in vocabulary])
        self._texts = tuple(vocabulary)
        self._weights = _weights(len(vocabulary), first_word=first_word)

    def weights(self, piece_ids: npt.NDArray[np.int64]) -> FloatArray:
        """How much each piece of a question counts; only the proportions matter."""
        return self._weights[piece_ids]

    def of_words(self, piece_ids: npt.NDArray[np.int64], *, words: Collection[str]) -> npt.NDArray[np.bool_]:
        """Which pieces belong to one of the words, which are folded as `words_of` does; shape (pieces,)."""
        found = np.zeros(len(piece_ids), dtype=np.bool_)
        start, word = 0, ""
        pieces = [self._texts[int(number)] for number in piece_ids]
        for position, piece in enumerate([*pieces, ""]):
            if piece.startswith("##"):
                word += piece.removeprefix("##")
                continue
            found[start:position] = word in words
            start, word = position, piece
        return found


def words_of(text: str) -> frozenset[str]:
    """The words of a text as the vocabulary spells them: small letters without accents."""
    bare = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(c))
    return frozenset(re.findall(r"[^\W_]+", bare))


def keyword_weights(keywords: Sequence[str]) -> FloatArray:
    """How much each keyword counts that stands in for word pieces: a pair of characters as much as a rare piece."""
    return np.array([_WORD_WEIGHT if len(keyword) > 1 else _WORD_WEIGHT / 2 for keyword in keywords], dtype=np.float32)


def _weights(size: int, *, first_word: int) -> FloatArray:
    """Inverse document frequency guessed from the rank, by Zipf's law; beyond the 1,000th all count the same.

    What is frequent in one person's memories, such as their name, isn't known here.
    """
    rank = np.clip(np.arange(size) - first_word + 1, 1, _RARE_RANK)
    return np.log(rank + 5).astype(np.float32)
