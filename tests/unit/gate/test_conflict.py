from datetime import UTC, datetime

import pytest

from memory_core.claims.statement import Statement
from memory_core.gate.conflict import admits_not_knowing, differs, is_said
from memory_core.values import Origin


def remembered(text: str) -> Statement:
    said_at = datetime(2026, 5, 1, tzinfo=UTC)
    return Statement(text=text, origin=Origin.USER, said_at=said_at, speaker="Ana", one_person=True)


@pytest.mark.parametrize(
    ("sentence", "memory"),
    [
        ("Your dentist appointment is on Tuesday.", "My dentist appointment is on Thursday."),
        ("You live in Porto, so take the tram.", "I moved to Lisbon last week."),
        ("The staging port is 5432.", "The staging port is 48213 now."),
        ("Your sister Marta lives in Braga.", "My sister Marta lives in Porto."),
        ("Your train to Rome leaves on Monday.", "My train to Rome leaves on Friday."),
        ("Your dog is called Max.", "My dog is called Rex."),
    ],
)
def test_another_value_of_the_same_differs(sentence: str, memory: str) -> None:
    assert differs(sentence, remembered(memory))


@pytest.mark.parametrize(
    ("sentence", "memory"),
    [
        ("The staging port is 48213.", "The staging port is 48213 now."),
        ("Porto is a lovely city with many bridges.", "My sister Marta lives in Porto."),
        ("You could visit Rome in May.", "I visited Rome in April."),
        ("Shall I book the train to Rome on Monday?", "My train to Rome leaves on Friday."),
        ("I can help with your garden this weekend.", "My garden has three apple trees."),
        ("Here are 3 ideas for the meeting.", "The meeting has 12 people."),
        ("Your flight to Oslo leaves at 9.", "My flight to Bergen leaves at 11."),
        ("You have a meeting on Monday.", "I have a yoga class on Tuesday."),
    ],
)
def test_what_may_both_be_right_does_not(sentence: str, memory: str) -> None:
    assert not differs(sentence, remembered(memory))


def test_not_knowing_is_heard() -> None:
    assert admits_not_knowing("I don't have that information.")
    assert not admits_not_knowing("Your sister doesn't like coriander.")


def test_what_was_said_already_adds_nothing() -> None:
    assert is_said("My dog Rex loves the beach.", in_text="Rex, your dog, loves the beach, and so on.")
    assert not is_said("My dog Rex loves the beach.", in_text="Your dog is nice.")
