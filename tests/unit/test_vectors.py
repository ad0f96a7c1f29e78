"""The stored form of vectors gives them back, and refuses what was damaged."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from memory_core.errors import Corrupt
from memory_core.values import Embedding, SparseVector
from memory_core.vectors import StoredVectors, from_stored, join_rows, join_vectors, passage_text, to_stored

single = st.floats(-1, 1, width=32)
half = st.floats(-1, 1, width=16)
keywords = st.dictionaries(st.integers(0, 2**32 - 1), st.floats(0, 100, width=32, exclude_min=True), max_size=20)


@st.composite
def embeddings(draw: st.DrawFn) -> Embedding:
    words = draw(keywords)
    rows, width = draw(st.integers(0, 5)), draw(st.integers(1, 8))
    return Embedding(
        dense=draw(arrays.arrays(np.float32, draw(st.integers(1, 16)), elements=single)),
        tokens=draw(arrays.arrays(np.float32, (rows, width), elements=half)),
        sparse=SparseVector(indices=tuple(words), values=tuple(words.values())),
    )


@given(embeddings())
def test_what_was_stored_comes_back(embedding: Embedding) -> None:
    back = from_stored(to_stored(embedding))
    assert back.dense.dtype == back.tokens.dtype == np.float32
    np.testing.assert_array_equal(back.dense, embedding.dense)
    if embedding.tokens.size:
        np.testing.assert_array_equal(back.tokens, embedding.tokens)
    else:
        assert back.tokens.size == 0
    assert back.sparse.indices == embedding.sparse.indices
    assert back.sparse.values == embedding.sparse.values


@given(st.lists(embeddings(), min_size=1, max_size=4))
def test_rows_of_many_memories_are_found_by_their_first(many: list[Embedding]) -> None:
    width = many[0].tokens.shape[1]
    same = [embedding for embedding in many if embedding.tokens.shape[1] == width]
    rows, firsts = join_rows([to_stored(embedding).tokens for embedding in same], width=width)
    ends = [*firsts[1:], len(rows)]
    for embedding, first, end in zip(same, firsts, ends, strict=True):
        np.testing.assert_array_equal(rows[first:end], embedding.tokens)


@given(st.lists(embeddings(), min_size=1, max_size=4))
def test_joined_vectors_are_those_of_each(many: list[Embedding]) -> None:
    width = many[0].tokens.shape[1]
    stored = [to_stored(embedding) for embedding in many]
    fitting = [one.tokens if one.token_width == width else b"" for one in stored]
    joined = join_vectors(fitting, keywords=[one.keywords for one in stored], width=width)
    ends = [*joined.starts[1:], len(joined.rows)]
    for number, (embedding, tokens) in enumerate(zip(many, fitting, strict=True)):
        own = embedding.tokens if tokens else np.zeros((1, width), np.float32)
        np.testing.assert_array_equal(joined.rows[joined.starts[number] : ends[number]], own)
        mine = joined.owners == number
        assert joined.numbers[mine].tolist() == list(embedding.sparse.indices)
        assert joined.weights[mine].tolist() == list(embedding.sparse.values)


def test_a_question_without_rows_meets_zeros() -> None:
    joined = join_vectors([b"", b"1234"], keywords=[b"", b""], width=0)
    assert joined.rows.tolist() == [[0.0], [0.0]]
    assert joined.starts.tolist() == [0, 1]


def test_no_memory_has_no_rows() -> None:
    rows, firsts = join_rows([], width=4)
    assert rows.shape == (0, 4)
    assert len(firsts) == 0


@pytest.mark.parametrize(
    "damage",
    [
        {"dense": b"123"},
        {"tokens": b"12345"},
        {"token_width": 5},
        {"token_width": -1},
        {"keywords": b"123456"},
        {"keywords": b"1234567890"},
    ],
)
def test_damaged_bytes_are_called_corrupt(damage: dict[str, object]) -> None:
    whole = to_stored(
        Embedding(
            dense=np.ones(4, np.float32),
            tokens=np.ones((3, 4), np.float32),
            sparse=SparseVector(indices=(1, 2), values=(0.5, 1.0)),
        )
    )
    fields: dict[str, object] = {
        "dense": whole.dense,
        "tokens": whole.tokens,
        "token_width": whole.token_width,
        "keywords": whole.keywords,
    }
    damaged = StoredVectors(**{**fields, **damage})  # pyright: ignore[reportArgumentType] values of mixed types
    with pytest.raises(Corrupt):
        from_stored(damaged)


def test_a_memory_is_found_by_who_said_it() -> None:
    assert passage_text("I like tea", speaker="Ana") == "Ana: I like tea"
    assert passage_text("I like tea", speaker=None) == "I like tea"
