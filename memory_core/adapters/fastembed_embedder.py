"""Embedder over fastembed and the bundled model: pooled, token and keyword vectors from one forward pass."""

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from memory_core.adapters.bundled_model import BundledModel, States
from memory_core.adapters.index_layout import BUNDLED
from memory_core.adapters.passage_batches import batches
from memory_core.adapters.token_rows import TokenRows, load_projection
from memory_core.adapters.word_pieces import PieceTable
from memory_core.keywords import keywords, weigh_document, weigh_query
from memory_core.values import Embedding

_QUERY_PIECES = 62
_QUERY_CHARACTERS = 2_000
_PASSAGE_CHARACTERS = 8_000


class FastembedEmbedder:
    """Turns texts into vectors in this process; a passage takes about 10 ms of CPU for each 25 word pieces.

    Attributes:
        bundled: The model itself.
    """

    def __init__(self, folder: Path) -> None:
        """Load the model.

        Args:
            folder: Where the model's files are put together; made when missing.

        Raises:
            Corrupt: the installed model isn't the one that was checked.
        """
        self.bundled = BundledModel(folder)
        self._tokens = TokenRows(PieceTable(self.bundled.vocabulary), load_projection())

    @property
    def model(self) -> str:
        """Name of the model and of the vector layout; vectors of different names never mix."""
        return BUNDLED.model

    def embed_query(self, text: str, *, quiet: Collection[str] = ()) -> Embedding:
        """Vectors of a question, cut to 62 word pieces; its token rows are weighted, the weights adding up to 1.

        So the sum of the best dot products with a text's rows is a mean of cosines: at most 1, and it means the same
        from one question to the next.

        Args:
            text: The question.
            quiet: Words that get no row, such as names that stand in every memory; all count if nothing else is left.
        """
        text = self.bundled.cut(text[:_QUERY_CHARACTERS], pieces=_QUERY_PIECES)
        found = keywords(text)
        states = self.bundled.states([text])[0]
        rows, weights = self._tokens.rows(states, keywords=found, quiet=quiet, function_words=True)
        if len(weights):
            rows = rows * (weights / weights.sum())[:, np.newaxis]
        dense = self._tokens.pooled_question(states, keywords=found, quiet=quiet)
        return Embedding(dense=dense, tokens=rows, sparse=weigh_query(found))

    def embed_passages(self, texts: Sequence[str]) -> list[Embedding]:
        """Vectors of texts to be found, in the order given, each cut to 254 word pieces."""
        done: dict[int, Embedding] = {}
        for batch in batches(texts):
            states = self.bundled.states([texts[index][:_PASSAGE_CHARACTERS] for index in batch])
            for index, state in zip(batch, states, strict=True):
                done[index] = self._passage(texts[index], state)
        return [done[index] for index in range(len(texts))]

    def _passage(self, text: str, states: States) -> Embedding:
        found = keywords(text)
        rows, _ = self._tokens.rows(states, keywords=found)
        return Embedding(dense=self._tokens.pooled(states, keywords=found), tokens=rows, sparse=weigh_document(found))
