"""A question put to the person it asks about."""

import pytest

from memory_core.recall.addressing import put_to


@pytest.mark.parametrize(
    ("question", "put"),
    [
        ("What did Ana research?", "What did you research?"),
        ("When is Ana's birthday?", "When is your birthday?"),
        ("When is Ana Lima’s birthday?", "When is your birthday?"),
        ("Where does Ms Lima swim?", "Where does Ms you swim?"),
        ("What did Ana buy on 3 May 2023?", "What did you buy?"),
        ("How is the banana bread of Ana made?", "How is the banana bread of you made?"),
    ],
)
def test_the_person_is_addressed(question: str, put: str) -> None:
    assert put_to(question, speaker="Ana Lima") == put


def test_nobody_is_addressed_where_no_single_person_is_meant() -> None:
    assert put_to("What do Ana and Bruno share?", speaker=None) == "What do Ana and Bruno share?"


@pytest.mark.parametrize("question", ["Was hat Ana gekauft?", "¿Qué compró Ana?", "Что купила Ana?", "Ana?"])
def test_only_english_questions_are_put_so(question: str) -> None:
    assert put_to(question, speaker="Ana") == question


def test_a_word_that_only_looks_like_the_name_stays() -> None:
    assert put_to("When will Will call?", speaker="Will") == "When will you call?"


def test_a_name_may_hold_any_sign() -> None:
    assert put_to("What does C. (work) think?", speaker="C. (work)") == "What does you think?"
