"""Embedder over fastembed and the bundled model: pooled, token and keyword vectors from one forward pass."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from memory_core.adapters.bundled_model import MAX_PIECES, BundledModel, States
from memory_core.adapters.keywords import keywords, weigh_document, weigh_query
from memory_core.adapters.token_rows import TokenRows, load_projection
from memory_core.adapters.word_pieces import PieceTable
from memory_core.values import Embedding

MODEL = "minilm-l6-v2-int8+pca128.v1"
"""Names weights, projection, choice of rows and stand-ins for other scripts: whatever stored vectors depend on."""
MAX_BATCH = 16
"""Texts of one forward pass; more of them are no faster and hold more memory."""

_QUERY_PIECES = 62
_BATCH_PIECES = 512
_QUERY_CHARACTERS = 2_000
_PASSAGE_CHARACTERS = 8_000


class FastembedEmbedder:
    """Turns texts into vectors in this process; a passage takes about 10 ms of CPU for each 25 word pieces."""

    def __init__(self, folder: Path) -> None:
        """Load the model.

        Args:
            folder: Where the model's files are put together; made when missing.

        Raises:
            Corrupt: the installed model isn't the one that was checked.
        """
        self._model = BundledModel(folder)
        self._tokens = TokenRows(PieceTable(self._model.vocabulary), load_projection())

    @property
    def model(self) -> str:
        """Name of the model and of the vector layout; vectors of different names never mix."""
        return MODEL

    def embed_query(self, text: str) -> Embedding:
        """Vectors of a question, cut to 62 word pieces; its token rows are weighted, the weights adding up to 1.

        So the sum of the best dot products with a text's rows is a mean of cosines: at most 1, and it means the same
        from one question to the next.
        """
        text = self._model.cut(text[:_QUERY_CHARACTERS], pieces=_QUERY_PIECES)
        found = keywords(text)
        states = self._model.states([text])[0]
        rows, weights = self._tokens.rows(states, keywords=found)
        if len(weights):
            rows = rows * (weights / weights.sum())[:, np.newaxis]
        return Embedding(dense=self._tokens.pooled(states, keywords=found), tokens=rows, sparse=weigh_query(found))

    def embed_passages(self, texts: Sequence[str]) -> list[Embedding]:
        """Vectors of texts to be found, in the order given, each cut to 254 word pieces."""
        done: dict[int, Embedding] = {}
        for batch in batches(texts):
            states = self._model.states([texts[index][:_PASSAGE_CHARACTERS] for index in batch])
            for index, state in zip(batch, states, strict=True):
                done[index] = self._passage(texts[index], state)
        return [done[index] for index in range(len(texts))]

    def _passage(self, text: str, states: States) -> Embedding:
        found = keywords(text)
        rows, _ = self._tokens.rows(states, keywords=found)
        return Embedding(dense=self._tokens.pooled(states, keywords=found), tokens=rows, sparse=weigh_document(found))


def batches(texts: Sequence[str]) -> list[list[int]]:
    """Cut texts into forward passes: texts of like length together, about 512 word pieces and at most 16 texts in each.

    Returns:
        Positions in `texts`, each once.
    """
    plan: list[list[int]] = []
    for index in sorted(range(len(texts)), key=lambda index: len(texts[index])):
        # Padding makes every text of a batch as long as its longest, which is the newest here.
        pieces = min(MAX_PIECES, len(texts[index]) // 4 + 3)
        if plan and len(plan[-1]) < MAX_BATCH and (len(plan[-1]) + 1) * pieces <= _BATCH_PIECES:
            plan[-1].append(index)
        else:
            plan.append([index])
    return plan
