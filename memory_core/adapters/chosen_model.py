"""An embedding model that the operator chose: any text model of fastembed that gives a state for each word piece.

What ranking expects was measured on the bundled model. Many models put all texts close together, so that every cosine
is .6 or more; what is common to all sentences is therefore taken away from each state, and from each pooled vector,
before anything is compared.
"""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from fastembed import TextEmbedding
from tokenizers import Tokenizer

from memory_core.adapters.bundled_model import BUNDLED_NAME, States, give_back_memory
from memory_core.adapters.index_layout import IndexLayout
from memory_core.adapters.passage_batches import MAX_PIECES, batches
from memory_core.adapters.plain_sentences import sentences
from memory_core.adapters.token_rows import TOKEN_SIZE, unit_rows
from memory_core.adapters.vocabularies import read_vocabulary
from memory_core.errors import Invalid, Unavailable
from memory_core.values import FloatArray

_SEED = 20_261_130
_SENTENCES = 96
_WORDS = tuple(
    "river garden doctor holiday budget server kitchen train teacher meeting weather guitar invoice neighbour sister "
    "coffee library project password birthday medicine concert bicycle contract recipe airport winter database".split()
)


def is_bundled(name: str | None) -> bool:
    """Whether the setting `embedding.model` means the model that comes with the installation."""
    return name is None or name.strip().lower() in {"", "bundled", "minilm", BUNDLED_NAME.lower()}


def is_known(name: str) -> bool:
    """Whether fastembed has a text model of that name."""
    return any(name.lower() == str(model["model"]).lower() for model in TextEmbedding.list_supported_models())


def fetch(name: str, folder: Path) -> None:
    """Download a model's files unless they are there; may take minutes.

    Raises:
        Unavailable: they can't be had.
    """
    try:
        TextEmbedding(name, cache_dir=str(folder), threads=1, lazy_load=True)
    except Exception as error:
        # Every library on the way has errors of its own.
        raise Unavailable(f"embedding.model {name} can't be fetched: {_first_line(error)}") from error


class ChosenModel:
    """Word pieces and hidden states of texts; thread-safe.

    Attributes:
        vocabulary: Every word piece, spelled as `word_pieces` reads them.
        layout: Of the vectors made of it.
        projection: From states to token rows, its columns orthonormal, the same in every process.
    """

    def __init__(self, name: str, folder: Path) -> None:
        """Load the model from its files.

        Args:
            name: As fastembed knows it.
            folder: Where its files are; nothing is downloaded.

        Raises:
            Unavailable: the files aren't there.
            Invalid: there are files, but no states of word pieces come out of them.
        """
        try:
            loaded = TextEmbedding(name, cache_dir=str(folder), threads=1, local_files_only=True, lazy_load=True)
        except Exception as error:
            raise Unavailable(f"the files of embedding.model {name} aren't there") from error
        self._model = cast("Any", loaded.model)
        try:
            self._model.load_onnx_model()
            self._prepare()
        except Exception as error:
            raise Invalid(f"embedding.model {name} can't be used: {_first_line(error)}") from error
        give_back_memory()
        size = len(self._pooled_centre)
        self.layout = IndexLayout(
            model=f"{name.lower()}+ortho{TOKEN_SIZE}.v1+keywords.v1", dense_size=size, token_size=TOKEN_SIZE
        )
        self.projection = _projection(len(self._state_centre))

    def states(self, texts: Sequence[str]) -> list[States]:
        """One forward pass over all texts, with the model's own pooled vector of each; the caller keeps it small."""
        return [
            States(piece_ids=raw.piece_ids, states=raw.states - self._state_centre, pooled=self._pooled(raw))
            for raw in self._run(texts)
        ]

    def cut(self, text: str, *, pieces: int) -> str:
        """The opening of a text that has at most `pieces` word pieces, at most 254."""
        offsets = self._tokenizer.encode(text, add_special_tokens=False).offsets
        return text if len(offsets) <= pieces else text[: offsets[pieces - 1][1]]

    def _prepare(self) -> None:
        self._tokenizer = cast("Tokenizer", self._model.tokenizer)
        tokenizer: Any = self._model.tokenizer
        truncation: dict[str, Any] = tokenizer.truncation or {}
        tokenizer.enable_truncation(max_length=min(MAX_PIECES, int(truncation.get("max_length", MAX_PIECES))))
        self.vocabulary = read_vocabulary(self._tokenizer)
        said = sentences(_WORDS, count=_SENTENCES, seed=_SEED)
        found = [raw for batch in batches(said) for raw in self._run([said[index] for index in batch])]
        self._state_centre: FloatArray = np.concatenate([raw.states for raw in found]).mean(axis=0, dtype=np.float32)
        pooled = unit_rows(np.stack([raw.pooled for raw in found if raw.pooled is not None]))
        self._pooled_centre: FloatArray = pooled.mean(axis=0, dtype=np.float32)

    def _pooled(self, raw: States) -> FloatArray:
        pooled = self._state_centre if raw.pooled is None else raw.pooled
        return unit_rows(unit_rows(pooled[np.newaxis]) - self._pooled_centre)[0]

    def _run(self, texts: Sequence[str]) -> list[States]:
        output = self._model.onnx_embed(list(texts))
        if np.ndim(output.model_output) != 3:  # noqa: PLR2004 - texts, pieces, dimensions
            raise Invalid("it gives one vector a text, and none for the word pieces")
        pooled = [np.asarray(vector, np.float32) for vector in self._model._post_process_onnx_output(output)]
        rows: list[States] = []
        for number, mask in enumerate(output.attention_mask.astype(np.bool_)):
            states = unit_rows(output.model_output[number][mask].astype(np.float32))
            rows.append(States(piece_ids=output.input_ids[number][mask], states=states, pooled=pooled[number]))
        return rows


def _projection(size: int) -> FloatArray:
    """Orthonormal columns drawn from a seed, shape (size, 128): dot products keep their mean.

    The columns of the bundled model's projection were fitted to it, and fit no other.
    """
    drawn = np.random.default_rng(_SEED).standard_normal((size, max(size, TOKEN_SIZE)))
    columns, triangle = np.linalg.qr(drawn)
    return (columns * np.sign(np.diag(triangle)))[:, :TOKEN_SIZE].astype(np.float32)


def _first_line(error: BaseException) -> str:
    text = ""
    with contextlib.suppress(IndexError):
        text = str(error).splitlines()[0]
    return f"{type(error).__name__}: {text}"[:300]
