"""The text that is searched for: bounded, newest intent first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.recall.query import ANSWER_WORDS, MAX_QUERY_CHARS, build_query, measured_chars, only_agrees

texts = st.text(max_size=400)


def test_a_long_message_stands_for_itself() -> None:
    message = "which restaurant did we choose for the birthday"
    assert build_query(message, previous_user="how is Ana", last_assistant=None) == message


@pytest.mark.parametrize("words", [1, 6])
def test_a_short_message_leans_on_the_one_before(words: int) -> None:
    message = " ".join(f"new{number}" for number in range(words))
    assert build_query(message, previous_user="old words", last_assistant=None) == f"{message} old words"


def test_a_message_of_seven_words_does_not() -> None:
    message = " ".join(f"new{number}" for number in range(7))
    assert build_query(message, previous_user="old words", last_assistant=None) == message


def test_the_opening_of_the_last_answer_is_always_added() -> None:
    answer = " ".join(f"w{number}" for number in range(ANSWER_WORDS + 5))
    query = build_query("one two three four five six seven", previous_user=None, last_assistant=answer)
    assert query == "one two three four five six seven " + " ".join(f"w{number}" for number in range(ANSWER_WORDS))


def test_the_newest_intent_comes_first() -> None:
    query = build_query("new", previous_user="old", last_assistant="answer")
    assert query == "new old answer"


def test_what_is_cut_is_the_oldest() -> None:
    query = build_query("new " * 3 + "intent", previous_user="old " + "x" * 190 + " end", last_assistant="answer")
    assert query.startswith("new intent old")
    assert "answer" not in query


def test_repeated_words_are_dropped_whatever_their_case_and_punctuation() -> None:
    query = build_query("Tea? tea, TEA", previous_user="tea (green) Green!", last_assistant=None)
    assert query == "Tea? (green)"


@given(message=texts, previous=st.none() | texts, answer=st.none() | texts)
def test_a_query_never_exceeds_its_limit_and_begins_with_the_message(
    *, message: str, previous: str | None, answer: str | None
) -> None:
    query = build_query(message, previous_user=previous, last_assistant=answer)
    assert len(query) <= MAX_QUERY_CHARS
    assert query == query.strip()
    if words := message.split():
        assert query.startswith(words[0][:MAX_QUERY_CHARS])


def test_a_text_without_spaces_is_cut_at_the_limit() -> None:
    assert build_query("猫" * 500, previous_user=None, last_assistant=None) == "猫" * MAX_QUERY_CHARS


@pytest.mark.parametrize(
    ("text", "chars"),
    [("tea", 3), ("  tea ", 3), ("猫が好き", 8), ("고양이", 6), ("ｔｅａ", 6), ("", 0), ("naïve", 5), ("猫 a", 4)],
)
def test_wide_characters_count_double(text: str, chars: int) -> None:
    assert measured_chars(text) == chars


@pytest.mark.parametrize(
    "message", ["yeah, that one", "Yes!", "ok, go on then", "Ja, genau.", "sí, vale", "好的", "はい。"]
)
def test_a_message_that_only_takes_up_what_was_said_is_known_as_such(message: str) -> None:
    assert only_agrees(message)


@pytest.mark.parametrize(
    "message", ["", "?!", "yeah, the red one", "when?", "and before that?", "my one", "no, that one", "yes " * 7]
)
def test_a_message_that_adds_something_is_not(message: str) -> None:
    assert not only_agrees(message)
