import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.capture.chunking import Chunk, pack, sentences, split_long


def split(text: str) -> list[str]:
    return [text[chunk.start : chunk.end] for chunk in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Lee met Mrs. Ray at 3.14 p.m. sharp.", ["Dr. Lee met Mrs. Ray at 3.14 p.m. sharp."]),
        ("We left at 5 p.m. Bo stayed.", ["We left at 5 p.m.", "Bo stayed."]),
        ("See e.g. the docs, v1.2.3 is out.", ["See e.g. the docs, v1.2.3 is out."]),
        ("Am 7. Mai war es kalt. Dann nicht.", ["Am 7. Mai war es kalt.", "Dann nicht."]),
        ("Wait... what? no", ["Wait... what?", "no"]),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("line one\nline two", ["line one", "line two"]),
        ("你好。我住在里斯本！是吗？", ["你好。", "我住在里斯本！", "是吗？"]),
        ("Look [shares image: a dog. A big one]", ["Look", "[shares image: a dog. A big one]"]),
        ("www.example.com is up", ["www.example.com is up"]),
        ("", []),
        ("  \n ", []),
    ],
)
def test_sentences_end_where_readers_end_them(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@given(st.text(alphabet=st.sampled_from(list("ab A.!?\n。[]0 \t")), max_size=80))
def test_no_visible_character_is_lost(text: str) -> None:
    assert "".join("".join(part.split()) for part in split(text)) == "".join(text.split())


@given(st.text(alphabet=st.sampled_from(list("ab ,;。")), min_size=1, max_size=300), st.integers(5, 50))
def test_long_sentences_are_cut_within_the_limit_and_lose_nothing(text: str, limit: int) -> None:
    parts = split_long(text, Chunk(0, len(text)), limit=limit)
    assert all(part.end - part.start <= limit for part in parts)
    assert "".join("".join(text[p.start : p.end].split()) for p in parts) == "".join(text.split())


@given(st.lists(st.integers(1, 60), max_size=30))
def test_groups_hold_everything_in_order_within_the_limit(lengths: list[int]) -> None:
    groups = pack(lengths, limit=50)
    assert [index for group in groups for index in group] == list(range(len(lengths)))
    assert all(len(group) == 1 or sum(lengths[i] for i in group) + len(group) - 1 <= 50 for group in groups)
