"""Makes the projection of token vectors from 384 to 128 dimensions.

Run it with `python -m memory_core.adapters.fit_token_projection --models FOLDER`; it takes a minute and a half of CPU.

The text it learns from is written by this module: plain sentences with the vocabulary's own words in their gaps, so
that every part of the meaning space is visited and the file can be made again anywhere. The projection holds the 128
directions that keep most of the dot products between token states (an uncentred principal component analysis).
"""

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import structlog

from memory_core.adapters.bundled_model import BundledModel
from memory_core.adapters.passage_batches import batches
from memory_core.adapters.token_rows import PROJECTION_FILE, TOKEN_SIZE, unit_rows
from memory_core.adapters.word_pieces import PieceTable
from memory_core.stop_words import STOP_WORDS
from memory_core.values import FloatArray

_SEED = 20_250_601
_SENTENCES = 6_000
_FIRST_WORD = 1996
_FRAMES = (
    "I moved to the {} last year because of my {} and a new {}.",
    "My sister keeps a {} next to the {} in her kitchen.",
    "We decided to use {} for the {} instead of {}.",
    "He said that {} is better than {} when you care about {}.",
    "What did she say about the {} and the {}?",
    "Please remember that I never eat {} with {}.",
    "The {} meeting with {} is on Thursday at nine.",
    "When is the {} of our {} due?",
    "I have been learning {} since {} and I love it.",
    "Her favourite {} is {}, and she dislikes {}.",
    "They went to a {} near {} and took photos of the {}.",
    "The build fails with a {} error in the {} module after the {} update.",
    "Thanks, that {} really helped me with my {}!",
    "Our {} costs about {} a month, which is too much for a {}.",
    "Yesterday the {} broke, so we had to call a {}.",
    "How do you feel about {} after the {}?",
    "I am planning a {} for my {} with {} and {}.",
    "The doctor told him to avoid {} and to try {}.",
    "You should read the {} about {}, it changed how I see {}.",
    "Since the {} closed, {} works from {}.",
    "Can you send the {} to {} before the {} starts?",
    "It was {} and {}, but the {} made us laugh.",
    "She wants to become a {} and open a {} for {}.",
    "Deploy the {} to {} only after the {} tests pass.",
)


def sentences(vocabulary: Sequence[str], *, count: int, seed: int) -> list[str]:
    """Sentences of no meaning about everything: the frames in turn, their gaps filled with words by Zipf's law."""
    chance = random.Random(seed)  # noqa: S311 - a text that can be made again, no secret
    words = [word for word in vocabulary[_FIRST_WORD:] if word.isascii() and word.isalpha() and len(word) > 1]
    words = [word for word in words if word not in STOP_WORDS["english"]]
    made: list[str] = []
    for number in range(count):
        frame = _FRAMES[number % len(_FRAMES)]
        gaps = [words[int(len(words) ** chance.random()) - 1] for _ in range(frame.count("{}"))]
        made.append(frame.format(*gaps))
    return made


def fit(model: BundledModel, texts: Sequence[str], *, size: int = TOKEN_SIZE) -> FloatArray:
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
