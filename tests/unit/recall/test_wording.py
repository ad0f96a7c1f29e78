"""What the wording of a memory shows."""

import math

import pytest

from memory_core.recall.wording import (
    exact_names,
    exactly_told,
    is_mostly_latin,
    is_question,
    names_told,
    tells_number,
    tells_of_self,
    tells_time,
)


@pytest.mark.parametrize("text", ["Where is it?", 'She asked "why?"', "你好吗？", "  really? "])
def test_what_ends_by_asking_is_a_question(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize(
    ("text", "own", "other"),
    [
        ("I'm glad we sold it, for me!", 3, 0),
        ("Did you get your key?", 0, 2),
        ("You know I'll call you.", 1, 2),
        ("Ich glaube, das ist deine Jacke.", 1, 1),
        ("C’est mon frère, et vous ?", 1, 1),
        ("The mine is closed, thou art told.", 1, 0),
        ("Nobody was there.", 0, 0),
        ("", 0, 0),
    ],
)
def test_whom_a_text_is_about_shows_in_its_persons(text: str, own: int, other: int) -> None:  # noqa: PLR0917 - one row of the table
    assert tells_of_self(text) == pytest.approx(math.log1p(own) - math.log1p(other))


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


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("what is max_retry_count?", {"max_retry_count"}),
        ("Which handler is handleInvoiceUpload.", {"handleinvoiceupload"}),
        ("Which part is written in C++?", {"c++"}),
        ("is F# or C# better", {"f#", "c#"}),
        ("what is in /srv/backup/nightly?", {"/srv/backup/nightly"}),
        ("error E1047, again", {"e1047"}),
        ("ask api.heron.example", {"api.heron.example"}),
        ("What did version 4.12.3 break?", {"4.12.3"}),
        ("What happened on the 7th of May 2023 at 5pm?", set[str]()),
        ("Who, e.g. my well-known aunt's cat, won?", set[str]()),
        ("Was war in den 90s los?", set[str]()),
    ],
)
def test_code_like_names_are_told_from_words(text: str, names: set[str]) -> None:
    assert exact_names(text) == names


def test_exact_names_are_found_letter_by_letter() -> None:
    assert exactly_told("Set MAX_RETRY_COUNT to 3", wanted={"max_retry_count", "e1047"}) == 0.5
    assert exactly_told("Set the retry count", wanted={"max_retry_count"}) == 0
    assert exactly_told("anything", wanted=()) == 0


@pytest.mark.parametrize(
    ("text", "latin"),
    [("Où est Zoë?", True), ("7 + 5", True), ("在 iPhone 里", True), ("我的手机在哪里", False), ("где ключи", False)],
)
def test_a_text_is_latin_when_half_of_its_letters_are(text: str, latin: bool) -> None:  # noqa: FBT001 a parameter
    assert is_mostly_latin(text) is latin
