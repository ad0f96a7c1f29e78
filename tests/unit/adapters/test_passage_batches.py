import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.adapters.passage_batches import MAX_BATCH, batches


@given(st.lists(st.integers(min_value=0, max_value=3000), max_size=80))
def test_every_text_is_in_one_batch_of_bounded_size(lengths: list[int]) -> None:
    texts = ["x" * length for length in lengths]
    plan = batches(texts)
    assert sorted(index for batch in plan for index in batch) == list(range(len(texts)))
    for batch in plan:
        longest = max(min(256, len(texts[index]) // 4 + 3) for index in batch)
        assert len(batch) <= MAX_BATCH
        assert len(batch) == 1 or len(batch) * longest <= 512


def test_texts_of_like_length_go_together() -> None:
    assert batches(["long " * 200, "a", "long " * 200, "b"]) == [[1, 3], [0, 2]]


@pytest.mark.parametrize(("count", "expected"), [(0, 0), (1, 1), (16, 1), (17, 2), (500, 32)])
def test_short_texts_fill_batches(count: int, expected: int) -> None:
    assert len(batches(["a short text"] * count)) == expected
