"""What the wording of a memory shows."""

import math

import pytest

from memory_core.recall.wording import is_question, names_told, tells_number, tells_time


@pytest.mark.parametrize("text", ["Where is it?", 'She asked "why?"', "你好吗？", "  really? "])
def test_what_ends_by_asking_is_a_question(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize("text", ["Is it? It is.", "No.", ""])
def test_what_ends_otherwise_is_none(text: str) -> None:
    assert not is_question(text)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("We went to Porto with Inês and Carla", 3),
        ("Porto was fine. Carla liked it.", 0),
        ("I think I will", 0),
        ("Ana met Bruno", 0),
        ("nothing here", 0),
    ],
)
def test_capitals_inside_sentences_are_names(text: str, count: int) -> None:
    assert names_told(text, known={"bruno"}) == pytest.approx(math.log1p(count))


@pytest.mark.parametrize(
    ("text", "time", "number"),
    [
        ("We met yesterday", True, False),
        ("They married in 1999", True, True),
        ("It was two weeks ago", True, True),
        ("She has three cats", False, True),
        ("The sun is out on Sunday", True, False),
        ("He sings", False, False),
        ("often", False, False),
    ],
)
def test_times_and_numbers_are_seen(text: str, time: bool, number: bool) -> None:  # noqa: FBT001, PLR0917 - one row of the table
    assert (tells_time(text), tells_number(text)) == (time, number)
