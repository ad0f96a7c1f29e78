"""Makes the projection of token vectors from 384 to 128 dimensions.

Run it with `python -m memory_core.adapters.fit_token_projection --models FOLDER`; it takes a minute and a half of CPU.

The text it learns from is written by this module: plain sentences with the vocabulary's own words in their gaps, so
that every part of the meaning space is visited and the file can be made again anywhere. The projection holds the 128
directions that keep most of the dot products between token states (an uncentred principal component analysis).
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import structlog

from memory_core.adapters import plain_sentences
from memory_core.adapters.bundled_model import BundledModel, TextModel
from memory_core.adapters.passage_batches import batches
from memory_core.adapters.token_rows import PROJECTION_FILE, TOKEN_SIZE, unit_rows
from memory_core.adapters.word_pieces import PieceTable
from memory_core.stop_words import STOP_WORDS
from memory_core.values import FloatArray

_SEED = 20_250_601
_SENTENCES = 6_000
_FIRST_WORD = 1996


def sentences(vocabulary: Sequence[str], *, count: int, seed: int) -> list[str]:
    """Plain sentences with the vocabulary's own words in their gaps, function words left out."""
    words = [word for word in vocabulary[_FIRST_WORD:] if word.isascii() and word.isalpha() and len(word) > 1]
    words = [word for word in words if word not in STOP_WORDS["english"]]
    return plain_sentences.sentences(words, count=count, seed=seed)


def fit(model: TextModel, texts: Sequence[str], *, size: int = TOKEN_SIZE) -> FloatArray:
    """The projection, shape (384, size), that keeps most of the token states' dot products.

    Returns:
        Orthonormal columns, the most important first, each with its largest part positive.
    """
    pieces = PieceTable(model.vocabulary)
    products = np.zeros((0, 0))
    for batch in batches(texts):
        for states in model.states([texts[index] for index in batch]):
            rows = unit_rows(states.states[pieces.carries_meaning[states.piece_ids]]).astype(np.float64)
            products = rows.T @ rows if products.size == 0 else products + rows.T @ rows
    _, directions = np.linalg.eigh(products)
    columns = directions[:, ::-1][:, :size]
    signs = np.sign(columns[np.abs(columns).argmax(axis=0), np.arange(size)])
    return (columns * signs).astype(np.float32)


def main() -> None:
    """Fit and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--models", type=Path, required=True, help="folder for the model's files")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name(PROJECTION_FILE))
    options = parser.parse_args()
    model = BundledModel(options.models)
    projection = fit(model, sentences(model.vocabulary, count=_SENTENCES, seed=_SEED))
    np.save(options.out, projection.astype(np.float16), allow_pickle=False)
    structlog.get_logger().info("projection.written", path=str(options.out), shape=projection.shape)


if __name__ == "__main__":
    main()
