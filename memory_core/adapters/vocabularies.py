"""How tokenizers spell their word pieces, as one spelling: that of the bundled model; pure.

A piece that goes on in the middle of a word begins with "##", a mark of the model stands in square brackets, and the
mark of what can't be read is "[UNK]".
"""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, cast

from tokenizers import Tokenizer

UNKNOWN = "[UNK]"
_INSIDE = "##"
_WORD_START = "▁"
_PRINTABLE = (*range(33, 127), *range(161, 173), *range(174, 256))


def read_vocabulary(tokenizer: Tokenizer) -> tuple[str, ...]:
    """Every piece by its number, in small letters; an empty text stands where there is none."""
    described = cast("dict[str, Any]", json.loads(tokenizer.to_str()))
    marks = {number: token.content for number, token in tokenizer.get_added_tokens_decoder().items() if token.special}
    numbers = tokenizer.get_vocab(with_added_tokens=True)
    unknown = _unknown(described["model"])
    spell = _spelling(described)
    pieces = [""] * (max(numbers.values()) + 1)
    for piece, number in numbers.items():
        if unknown in {piece, number}:
            pieces[number] = UNKNOWN
        elif number in marks:
            pieces[number] = f"[{piece.strip('[]')}]"
        else:
            pieces[number] = spell(piece).lower()
    return tuple(pieces)


def _unknown(model: Mapping[str, Any]) -> object:
    unknown = model.get("unk_token")
    return model.get("unk_id") if unknown is None else unknown


def _spelling(described: Mapping[str, Any]) -> Callable[[str], str]:
    if described["model"].get("type") == "WordPiece":
        return str  # as it should be
    steps = json.dumps([described.get("pre_tokenizer"), described.get("decoder")])
    return _of_bytes if "ByteLevel" in steps else _of_sentences


def _of_sentences(piece: str) -> str:
    return piece.removeprefix(_WORD_START) if piece.startswith(_WORD_START) else _INSIDE + piece


def _of_bytes(piece: str) -> str:
    letters = _byte_letters()
    # A part of a letter's bytes is no text: it becomes a sign, which has no row.
    text = bytes(letters[letter] for letter in piece if letter in letters).decode("utf-8", errors="replace")
    return text.lstrip() if text.startswith(" ") else _INSIDE + text


@lru_cache
def _byte_letters() -> Mapping[str, int]:
    """Which byte each letter stands for; bytes that can't be shown were moved behind the 256th letter.

    Source: Radford et al., GPT-2, `bytes_to_unicode`.
    """
    hidden = [byte for byte in range(256) if byte not in _PRINTABLE]
    return {chr(byte): byte for byte in _PRINTABLE} | {chr(256 + place): byte for place, byte in enumerate(hidden)}
