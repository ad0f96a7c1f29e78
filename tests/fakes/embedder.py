"""FakeEmbedder: the same word is always the same vector, so that texts with common words are near each other."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np

from memory_core.errors import Unavailable
from memory_core.values import Embedding, FloatArray, SparseVector

WIDTH = 256
_WORD = re.compile(r"\w+")
_MAX_WORDS = 256


@dataclass(slots=True, kw_only=True)
class FakeEmbedder:
    """Embeds by hashing words.

    Attributes:
        model: Texts of different models have nothing in common.
        problem: See `Embedder.problem`.
        away: Why every call raises Unavailable; None when the embedder is there.
        before_query: Called with a question before it is embedded; may wait, or raise.
        before_passages: Called with the texts before passages are embedded; may wait, change tables, or raise.
        embedded: Every passage that was embedded, in order.
    """

    model: str = "fake-1"
    problem: str | None = None
    away: str | None = None
    before_query: Callable[[str], None] | None = None
    before_passages: Callable[[Sequence[str]], None] | None = None
    embedded: list[str] = field(default_factory=list[str])

    def embed_query(self, text: str, *, quiet: Collection[str] = (), reading: str | None = None) -> Embedding:  # noqa: ARG002
        """See `Embedder.embed_query`; the late score of a text is the share of the question's words it holds.

        Only equal words meet here, so a question counts as it was asked.
        """
        self._be_there()
        if self.before_query:
            self.before_query(text)
        words = self._words(text)
        loud = [word for word in words if word not in quiet]
        weights = np.asarray([(word in loud) / max(len(loud), 1) for word in words], np.float32)
        return self._embedding(words, rows=self._rows(words) * weights[:, None])

    def embed_passages(self, texts: Sequence[str]) -> list[Embedding]:
        """See `Embedder.embed_passages`."""
        self._be_there()
        if self.before_passages:
            self.before_passages(texts)
        self.embedded += texts
        return [self._embedding(words, rows=self._rows(words)) for words in map(self._words, texts)]

    def _embedding(self, words: Sequence[str], *, rows: FloatArray) -> Embedding:
        mean = rows.sum(axis=0) if len(words) else np.ones(WIDTH, np.float32)
        length = float(np.linalg.norm(mean))
        dense = mean / length if length else np.full(WIDTH, WIDTH**-0.5, np.float32)
        numbers = [int.from_bytes(blake2b(word.encode(), digest_size=4).digest()) for word in words]
        return Embedding(
            dense=dense.astype(np.float32),
            tokens=rows,
            sparse=SparseVector(indices=tuple(numbers), values=(1.0,) * len(numbers)),
        )

    def _rows(self, words: Sequence[str]) -> FloatArray:
        rows = np.zeros((len(words), WIDTH), np.float32)
        for row, word in zip(rows, words, strict=True):
            seed = int.from_bytes(blake2b(f"{self.model}:{word}".encode(), digest_size=8).digest())
            vector = np.random.default_rng(seed).standard_normal(WIDTH)
            row[:] = vector / np.linalg.norm(vector)
        return rows

    def _words(self, text: str) -> list[str]:
        return list(dict.fromkeys(_WORD.findall(text.casefold())))[:_MAX_WORDS]

    def _be_there(self) -> None:
        if self.away is not None:
            raise Unavailable(self.away)
