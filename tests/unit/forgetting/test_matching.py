"""What says the same as a forgotten statement, and what only resembles it."""

import pytest

from memory_core.forgetting.matching import Statements, holds, is_about, is_copy, is_echo, without
from memory_core.keywords import content_words

CODE = "My locker code word is heliotrope at the gym"


def says_same(statement: str, text: str) -> bool:
    others = ["The pool opens at noon on holidays", "I like tea", statement, "Bye"]
    return Statements(others).are_in(text)


@pytest.mark.parametrize(
    "text",
    [
        CODE,
        f"  {CODE.upper()}!",
        f"By the way: {CODE}, and the pool opens at noon.",
        "At the gym my locker has the code word heliotrope.",
        "Hello. My locker code word is heliotrope at the gym. Bye.",
    ],
)
def test_a_text_that_says_it_is_recognised(text: str) -> None:
    assert says_same(CODE, text)


@pytest.mark.parametrize("text", ["My locker is at the gym", "The code word is heliotrope", "", "?"])
def test_a_text_that_says_less_is_not(text: str) -> None:
    assert not says_same(CODE, text)


def test_the_date_that_was_written_into_a_statement_does_not_count() -> None:
    assert says_same("I see the dentist on Friday [2026-05-08]", "I see the dentist on Friday")


@pytest.mark.parametrize(
    ("statement", "text", "same"),
    [
        ("I smoke", "I smoke", True),
        ("I smoke", "I see. I smoke! Why?", True),
        ("I smoke", "I smoke no more since May", False),
        ("I smoke", "My brother and I smoke salmon", False),
    ],
)
def test_a_short_statement_counts_only_where_it_stands_whole(statement: str, *, text: str, same: bool) -> None:
    assert says_same(statement, text) is same


@pytest.mark.parametrize(
    ("one", "other", "copy"),
    [
        ("My sister Marta lives in Faro.", "my sister Marta lives in Faro!", True),
        ("My sister Marta lives in Faro.", "Marta, my sister, lives in Faro now", True),
        ("My sister Marta lives in Faro.", "My sister Marta works as a dentist in a small clinic", False),
        ("I live in Porto", "I live in Oslo now", False),
        ("I like tea", "I like coffee", False),
        ("Tea", "Tea with lemon and honey", False),
    ],
)
def test_a_copy_says_the_same_in_nearly_the_same_words(one: str, other: str, *, copy: bool) -> None:
    assert is_copy(one, other) is copy
    assert is_copy(other, one) is copy


def test_an_answer_that_takes_a_statement_up_is_an_echo_and_another_one_is_not() -> None:
    assert is_echo("Noted, your locker code word is heliotrope.", CODE)
    assert not is_echo("The pool opens at seven and closes at nine.", CODE)
    assert Statements([CODE]).touch("The gym opens at seven")
    assert not Statements([CODE]).touch("The pool opens at seven")


def test_what_is_meant_leaves_a_text_and_the_rest_stays() -> None:
    text = f"The telescope is new. {CODE}. It is seven metres long."
    assert without(text, lambda part: says_same(CODE, part)) == "The telescope is new. It is seven metres long."
    assert without(CODE, lambda part: says_same(CODE, part)) == ""
    # Said over two sentences, it can't be parted: all of it goes.
    assert without("My locker is at the gym. Its code word is heliotrope.", lambda part: says_same(CODE, part)) == ""


def test_no_words_are_held_by_nothing() -> None:
    assert not holds(content_words("the of in"), "the of in")
    assert holds(content_words("locker codes"), CODE)


@pytest.mark.parametrize(
    ("name", "speaker", "text", "about"),
    [
        ("Ana", "ana", "It rains", True),
        ("Ana", "Bo", "Ana is allergic to nuts", True),
        ("Ana", "Bo", "Anatomy is hard", False),
        ("Ana Lopes", "Bo", "Ana is allergic", False),
        ("", None, "anything", False),
    ],
)
def test_a_text_is_about_whoever_said_it_or_is_named(name: str, *, speaker: str | None, text: str, about: bool) -> None:
    assert is_about(name, speaker=speaker, text=text) is about
