"""Times told from something in memory."""

from datetime import UTC, datetime

import pytest

from memory_core.dates.languages import Unit
from memory_core.recall.anchoring import Anchor, Event, anchored_periods, find_anchor, told_time

ASKED = datetime(2025, 6, 11, 12, tzinfo=UTC)
"""A Wednesday."""


def found(question: str) -> Anchor | None:
    return find_anchor(question, asked_at=ASKED, zone="UTC")


def days(anchor: Anchor, event: Event, *, zone: str = "UTC") -> list[tuple[str, str]]:
    periods = anchored_periods(anchor, event, asked_at=ASKED, zone=zone)
    return [(one.since.isoformat()[:16], one.until.isoformat()[:16]) for one in periods]


@pytest.mark.parametrize(
    ("question", "anchor"),
    [
        (
            "What did I cook two days before my birthday?",
            Anchor(event="my birthday", side=-1, count=2, unit=Unit.DAY, is_yearly=True),
        ),
        ("Where did I work before I moved?", Anchor(event="I moved", side=-1)),
        ("Who called the week after our wedding?", Anchor(event="our wedding", side=1, count=1, unit=Unit.WEEK)),
        ("What has Marta painted since she left Porto?", Anchor(event="she left Porto", side=1)),
        ("What did we eat during the trip to Japan?", Anchor(event="the trip to Japan", side=0)),
        ("What did I get on my last birthday?", Anchor(event="my last birthday", side=0, is_yearly=True)),
        ("Before I moved, where did I work?", Anchor(event="I moved", side=-1)),
    ],
)
def test_the_event_is_what_stands_behind_before_or_after(question: str, anchor: Anchor) -> None:
    assert found(question) == anchor


@pytest.mark.parametrize(
    "question",
    [
        "What did I use before?",
        "What did we do before the 3rd of May 2024?",
        "Is there a pharmacy on my street?",
        "Who takes after whom?",
        "",
    ],
)
def test_other_questions_tell_no_time_from_an_event(question: str) -> None:
    assert found(question) is None


def test_a_day_counted_from_a_birthday_is_one_of_the_past_three() -> None:
    told = told_time("My birthday is on 14 March", said_at=ASKED, zone="UTC", event_at=ASKED, event_until=None)
    anchor = Anchor(event="my birthday", side=-1, count=2, unit=Unit.DAY, is_yearly=True)
    assert [since[:10] for since, _ in days(anchor, told)] == ["2025-03-12", "2024-03-12", "2023-03-12"]


def test_a_birthday_to_come_is_last_years() -> None:
    born = Event(since=datetime(1990, 8, 2, tzinfo=UTC), until=datetime(1990, 8, 3, tzinfo=UTC))
    anchor = Anchor(event="my birthday", side=0, is_yearly=True)
    assert days(anchor, born)[0] == ("2024-08-02T00:00", "2024-08-03T00:00")


def test_a_birthday_on_a_leap_day_has_a_day_in_every_year() -> None:
    born = Event(since=datetime(1992, 2, 29, tzinfo=UTC), until=datetime(1992, 3, 1, tzinfo=UTC))
    assert days(Anchor(event="my birthday", side=0, is_yearly=True), born)[0][0] == "2025-02-28T00:00"


def test_days_are_those_of_the_zone() -> None:
    moved = Event(since=datetime(2025, 5, 1, 22, tzinfo=UTC), until=datetime(2025, 5, 2, 22, tzinfo=UTC))
    anchor = Anchor(event="I moved", side=-1, count=1, unit=Unit.DAY)
    assert days(anchor, moved, zone="Europe/Berlin") == [("2025-04-30T22:00", "2025-05-01T22:00")]
    assert days(anchor, moved, zone="Asia/Tokyo") == [("2025-04-30T15:00", "2025-05-01T15:00")]


def test_before_without_a_count_has_no_beginning_and_says_little() -> None:
    moved = Event(since=datetime(2025, 5, 2, tzinfo=UTC), until=datetime(2025, 5, 3, tzinfo=UTC))
    (before,) = anchored_periods(Anchor(event="I moved", side=-1), moved, asked_at=ASKED, zone="UTC")
    (after,) = anchored_periods(Anchor(event="I moved", side=1), moved, asked_at=ASKED, zone="UTC")
    assert before.since.year < 1950
    assert (before.until, after.since) == (moved.since, moved.until)
    assert after.until > ASKED
    assert 0 < before.weight == after.weight < 0.5


def test_an_event_is_when_the_memory_says_or_else_when_it_was_told() -> None:
    day = datetime(2025, 1, 1, tzinfo=UTC)
    kept = told_time("We moved on 3 May", said_at=ASKED, zone="UTC", event_at=day, event_until=ASKED)
    read = told_time("We moved yesterday", said_at=ASKED, zone="UTC", event_at=day, event_until=None)
    told = told_time("We moved at last", said_at=ASKED, zone="UTC", event_at=day, event_until=None)
    assert kept == Event(since=day, until=ASKED)
    assert read.since == datetime(2025, 6, 10, tzinfo=UTC)
    assert told == Event(since=day, until=None)
