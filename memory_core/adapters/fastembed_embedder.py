"""Embedder over fastembed: pooled, token and keyword vectors from one forward pass of the bundled or another model."""

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from memory_core.adapters.bundled_model import BundledModel, States, TextModel
from memory_core.adapters.chosen_model import ChosenModel
from memory_core.adapters.index_layout import BUNDLED
from memory_core.adapters.passage_batches import batches
from memory_core.adapters.token_rows import TokenRows, load_projection
from memory_core.adapters.word_pieces import FIRST_WORD, PieceTable
from memory_core.keywords import keywords, weigh_document, weigh_query
from memory_core.values import Embedding

_QUERY_PIECES = 62
_QUERY_CHARACTERS = 2_000
_PASSAGE_CHARACTERS = 8_000


class FastembedEmbedder:
    """Turns texts into vectors in this process; a passage takes about 10 ms of CPU for each 25 word pieces.

    Attributes:
        source: The model itself.
        layout: Of its vectors.
        problem: Why another model than the wanted one is used; None when that is not so.
    """

    def __init__(self, folder: Path, *, chosen: ChosenModel | None = None, problem: str | None = None) -> None:
        """Load the bundled model, or take another one.

        Args:
            folder: Where the bundled model's files are put together; made when missing.
            chosen: The other one; None for the bundled one.
            problem: See above.

        Raises:
            Corrupt: the installed model isn't the one that was checked.
        """
        self.problem = problem
        if chosen is None:
            self.source: TextModel = BundledModel(folder)
            self.layout = BUNDLED
            projection = load_projection()
        else:
            self.source = chosen
            self.layout = chosen.layout
            projection = chosen.projection
        vocabulary = self.source.vocabulary
        # Only vocabularies like the bundled one begin with a block of marks and single characters.
        first_word = FIRST_WORD if "the" in vocabulary[FIRST_WORD : FIRST_WORD + 1] else 0
        self._tokens = TokenRows(PieceTable(vocabulary, first_word=first_word), projection)

    @property
    def model(self) -> str:
        """Name of the model and of the vector layout; vectors of different names never mix."""
        return self.layout.model

    def embed_query(self, text: str, *, quiet: Collection[str] = (), reading: str | None = None) -> Embedding:
        """Vectors of a question, cut to 62 word pieces; its token rows are weighted, the weights adding up to 1.

        So the sum of the best dot products with a text's rows is a mean of cosines: at most 1, and it means the same
        from one question to the next.

        Args:
            text: The question; its keywords are taken from this.
            quiet: Words that get no row, such as names that stand in every memory; all count if nothing else is left.
            reading: The question in the words that the model is to read; None for `text`.
        """
        text, read = (
            self.source.cut(words[:_QUERY_CHARACTERS], pieces=_QUERY_PIECES) for words in (text, reading or text)
        )
        found = keywords(text)
        states = self.source.states([read])[0]
        rows, weights = self._tokens.rows(states, keywords=found, quiet=quiet, function_words=True)
        if len(weights):
            rows = rows * (weights / weights.sum())[:, np.newaxis]
        dense = self._tokens.pooled_question(states, keywords=found, quiet=quiet)
        return Embedding(dense=dense, tokens=rows, sparse=weigh_query(found))

    def embed_passages(self, texts: Sequence[str]) -> list[Embedding]:
        """Vectors of texts to be found, in the order given, each cut to 254 word pieces."""
        done: dict[int, Embedding] = {}
        for batch in batches(texts):
            states = self.source.states([texts[index][:_PASSAGE_CHARACTERS] for index in batch])
            for index, state in zip(batch, states, strict=True):
                done[index] = self._passage(texts[index], state)
        return [done[index] for index in range(len(texts))]

    def _passage(self, text: str, states: States) -> Embedding:
        found = keywords(text)
        rows, _ = self._tokens.rows(states, keywords=found)
        return Embedding(dense=self._tokens.pooled(states, keywords=found), tokens=rows, sparse=weigh_document(found))
