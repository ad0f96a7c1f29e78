"""Word pieces of every kind of tokenizer in one spelling, and what is read of them."""

from typing import Any

import numpy as np
import pytest
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from memory_core.adapters.bundled_model import States
from memory_core.adapters.token_rows import TokenRows, direction
from memory_core.adapters.vocabularies import read_vocabulary
from memory_core.adapters.word_pieces import PieceTable


def with_mark(tokenizer: Any, mark: str) -> Tokenizer:
    tokenizer.add_special_tokens([AddedToken(mark, special=True)])
    return tokenizer


def of_sentences() -> Tokenizer:
    pieces = [("<s>", 0.0), ("<unk>", 0.0), ("▁the", -1.0), ("▁Porto", -2.0), ("s", -3.0), ("▁кошка", -4.0)]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=1))
    return with_mark(tokenizer, "<s>")


def of_bytes() -> Tokenizer:
    numbers = {piece: number for number, piece in enumerate(["<s>", "<unk>", "the", "Ġporto", "ĠÃ©t", "Ã"])}
    tokenizer = Tokenizer(models.BPE(vocab=numbers, merges=[], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    tokenizer.decoder = decoders.ByteLevel()
    return with_mark(tokenizer, "<s>")


def of_words() -> Tokenizer:
    numbers = {piece: number for number, piece in enumerate(["[PAD]", "[UNK]", "the", "porto", "##s"])}
    tokenizer = Tokenizer(models.WordPiece(vocab=numbers, unk_token="[UNK]"))
    return with_mark(tokenizer, "[PAD]")


def test_pieces_are_spelled_in_one_way() -> None:
    assert read_vocabulary(of_words()) == ("[PAD]", "[UNK]", "the", "porto", "##s")
    assert read_vocabulary(of_sentences()) == ("[<s>]", "[UNK]", "the", "porto", "##s", "кошка")
    assert read_vocabulary(of_bytes()) == ("[<s>]", "[UNK]", "##the", "porto", "ét", "##\ufffd")


@pytest.mark.parametrize("foreign", [0, 9])
def test_only_a_vocabulary_with_many_other_scripts_is_taken_to_read_them(foreign: int) -> None:
    table = PieceTable(["[UNK]", *(f"word{n}" for n in range(10)), "кот", *(f"слово{n}" for n in range(foreign))])
    assert table.reads_all == bool(foreign)
    assert bool(table.is_latin[11]) == bool(foreign)
    assert bool(table.is_other[11]) != bool(foreign)
    assert table.is_other[0]


def test_a_model_that_reads_a_script_has_rows_of_its_own_for_it() -> None:
    table = PieceTable(["[UNK]", "cat", "кот", "дом"])
    states = States(piece_ids=np.array([2, 3]), states=np.eye(2, 16, dtype=np.float32), pooled=np.eye(16)[3])
    rows, _ = TokenRows(table, np.eye(16, 8, dtype=np.float32)).rows(states, keywords=["кот", "дом"])
    assert np.array_equal(rows, np.eye(2, 8))
    pooled = TokenRows(table, np.eye(16, 8, dtype=np.float32)).pooled(states, keywords=["кот", "дом"])
    assert np.array_equal(pooled, np.eye(16)[3])


@pytest.mark.parametrize("size", [128, 384, 512, 768, 1024, 100])
def test_a_keyword_has_a_direction_of_every_length(size: int) -> None:
    found = direction("кот", size)
    assert found.shape == (1, size)
    assert np.linalg.norm(found) == pytest.approx(1, abs=1e-5)
    assert abs(float(found[0] @ direction("дом", size)[0])) < 0.35
