"""A correction that says only a value is joined with what it corrects, or left alone where that isn't clear."""

import pytest

from memory_core.claims.corrections import bare_correction, corrected

JOINED = [
    ("The meeting is on Tuesday (12 May 2026) at 10", "no, it's Thursday (14 May 2026)",
     "The meeting is on Thursday (14 May 2026) at 10"),
    ("The meeting is on Tuesday at 10", "No, it's Thursday.", "The meeting is on Thursday at 10"),
    ("The port is 5432", "sorry, 5433", "The port is 5433"),
    ("The port is 5432", "I meant 5433", "The port is 5433"),
    ("My sister Marta lives in Porto", "No, in Braga", "My sister Marta lives in Braga"),
    ("My dog is called Rufus", "no, it's Bella", "My dog is called Bella"),
    ("The call is at 3pm", "actually 4pm", "The call is at 4pm"),
    ("The call is on Monday", "not Monday, Tuesday", "The call is on Tuesday"),
    ("The call is on Monday", "It's Tuesday, not Monday", "The call is on Tuesday"),
    ("The deadline is May 3", "no, May 5", "The deadline is May 5"),
    ("The call is at 10:00", "No, it's 11:00", "The call is at 11:00"),
    ("The rent is $900", "no, it's $950", "The rent is $950"),
    ("Der Termin ist am Dienstag", "Nein, am Donnerstag", "Der Termin ist am Donnerstag"),
]  # fmt: skip


@pytest.mark.parametrize(("told", "correction", "right"), JOINED)
def test_it_is_joined_with_what_was_told(told: str, *, correction: str, right: str) -> None:
    found = bare_correction(correction)
    assert found is not None
    assert corrected(told, found) == right


@pytest.mark.parametrize(
    "text",
    [
        "no, I don't think so",
        "No thanks",
        "Actually it's fine",
        "no, is it Thursday?",
        "I live in Porto",
        "No, Thursday was the day when we all went to the beach and had a really good time together",
        "sorry",
        "",
    ],
)
def test_what_corrects_no_value_is_left_alone(text: str) -> None:
    assert bare_correction(text) is None


@pytest.mark.parametrize(
    ("told", "correction"),
    [
        ("My sister Marta lives in Porto", "No, it's Anna"),
        ("The call is on Monday and the demo on Tuesday", "No, it's Friday"),
        ("I met Bo in Porto", "sorry, 5433"),
        ("The call is on Monday", "not Wednesday, Friday"),
        ("The call is on Friday", "No, it's Friday"),
    ],
)
def test_where_it_is_not_clear_what_was_wrong_nothing_is_made_up(told: str, *, correction: str) -> None:
    found = bare_correction(correction)
    assert found is not None
    assert corrected(told, found) is None
