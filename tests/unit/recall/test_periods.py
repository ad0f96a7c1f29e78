"""Which stretches of time a question names."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.recall.periods import named_periods, without_dates

ASKED = datetime(2025, 6, 11, 12, tzinfo=UTC)
"""A Wednesday."""


def days(text: str, *, zone: str = "UTC", asked_at: datetime = ASKED) -> list[tuple[str, str]]:
    """First day and the day behind the last one of each period, in UTC."""
    found = named_periods(text, asked_at=asked_at, zone=zone)
    return [(period.since.date().isoformat(), period.until.date().isoformat()) for period in found]


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("What did I do on 7 May 2023?", ("2023-05-07", "2023-05-08")),
        ("the 7th of May, 2023", ("2023-05-07", "2023-05-08")),
        ("on May 7th, 2023", ("2023-05-07", "2023-05-08")),
        ("What happened on 2023-05-07?", ("2023-05-07", "2023-05-08")),
        ("In February 2024 I", ("2024-02-01", "2024-03-01")),
        ("in 2024-12", ("2024-12-01", "2025-01-01")),
        ("Where did we live in 2019?", ("2019-01-01", "2020-01-01")),
        ("what did she say yesterday", ("2025-06-10", "2025-06-11")),
        ("what is on today", ("2025-06-11", "2025-06-12")),
        ("who called last night", ("2025-06-10", "2025-06-11")),
        ("last week", ("2025-06-02", "2025-06-09")),
        ("this week", ("2025-06-09", "2025-06-16")),
        ("last weekend", ("2025-06-07", "2025-06-09")),
        ("last month", ("2025-05-01", "2025-06-01")),
        ("last year", ("2024-01-01", "2025-01-01")),
        ("on Monday", ("2025-06-09", "2025-06-10")),
        ("last Wednesday", ("2025-06-04", "2025-06-05")),
        ("two days ago", ("2025-06-09", "2025-06-10")),
        ("3 weeks ago", ("2025-05-18", "2025-05-25")),
        ("the past 10 days", ("2025-06-01", "2025-06-12")),
        ("the last two months", ("2025-04-11", "2025-06-12")),
    ],
)
def test_a_stretch_is_found(text: str, period: tuple[str, str]) -> None:
    assert days(text) == [period]


def test_without_a_year_the_past_three_are_meant() -> None:
    assert days("What did we do in May?") == [
        ("2025-05-01", "2025-06-01"),
        ("2024-05-01", "2024-06-01"),
        ("2023-05-01", "2023-06-01"),
    ]


def test_a_month_to_come_means_those_gone_by() -> None:
    assert days("in September") == [("2024-09-01", "2024-10-01"), ("2023-09-01", "2023-10-01")]


def test_the_month_of_a_whole_year_crosses_into_the_next() -> None:
    assert days("in December 2024") == [("2024-12-01", "2025-01-01")]


@pytest.mark.parametrize(
    "text",
    [
        "May I ask you something?",
        "What may she want?",
        "the march through the hills",
        "Does Jan like tea?",
        "version 2.2024.1 of the driver",
        "on 31 June 2024",
        "room 2019b",
        "What is my name?",
        "",
    ],
)
def test_what_is_no_date_names_nothing(text: str) -> None:
    assert days(text) == []


def test_days_begin_in_the_zone_of_the_asker() -> None:
    late = datetime(2025, 6, 11, 23, 30, tzinfo=UTC)
    (period,) = named_periods("yesterday", asked_at=late, zone="Asia/Tokyo")
    assert (period.since, period.until) == (
        datetime(2025, 6, 10, 15, tzinfo=UTC),
        datetime(2025, 6, 11, 15, tzinfo=UTC),
    )


def test_a_day_of_the_change_to_summer_time_is_an_hour_short() -> None:
    (period,) = named_periods("on 30 March 2025", asked_at=ASKED, zone="Europe/Lisbon")
    assert period.until - period.since == timedelta(hours=23)


@given(text=st.text(max_size=80), day=st.dates(date(1990, 1, 1), date(2090, 1, 1)))
def test_any_text_is_read_and_every_period_has_a_length(text: str, day: date) -> None:
    asked = datetime.combine(day, datetime.min.time(), UTC)
    assert all(period.since < period.until for period in named_periods(text, asked_at=asked, zone="Europe/Lisbon"))


@given(count=st.integers(0, 999), unit=st.sampled_from(["day", "week", "month", "year"]))
def test_long_ago_is_still_a_date(count: int, unit: str) -> None:
    assert len(days(f"{count} {unit}s ago")) == 1


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("the week before 9 May 2024", ("2024-04-29", "2024-05-06")),
        ("the day before yesterday", ("2025-06-09", "2025-06-10")),
        ("what did we do last summer?", ("2024-06-01", "2024-09-01")),
        ("last May", ("2025-05-01", "2025-06-01")),
        ("Was haben wir vorige Woche gemacht?", ("2025-06-02", "2025-06-09")),
        ("Wo war ich am Montag?", ("2025-06-09", "2025-06-10")),
        ("Qu'est-ce que j'ai fait la semaine dernière ?", ("2025-06-02", "2025-06-09")),
        ("¿Qué hice la semana pasada?", ("2025-06-02", "2025-06-09")),
        ("O que fiz na semana passada?", ("2025-06-02", "2025-06-09")),
        ("Cosa ho fatto ieri?", ("2025-06-10", "2025-06-11")),
        ("Wat deed ik vorige week?", ("2025-06-02", "2025-06-09")),
        ("Что я делал на прошлой неделе?", ("2025-06-02", "2025-06-09")),
        ("上周我做了什么？", ("2025-06-02", "2025-06-09")),
        ("先週は何をしましたか", ("2025-06-02", "2025-06-09")),
        ("지난주에 뭐 했지?", ("2025-06-02", "2025-06-09")),
        ("2024年5月3日", ("2024-05-03", "2024-05-04")),
    ],
)
def test_other_languages_and_longer_expressions_are_read_as_in_statements(text: str, period: tuple[str, str]) -> None:
    assert days(text) == [period]


@pytest.mark.parametrize("text", ["¿Qué hicimos en mayo?", "Was war im Mai?", "我五月去了哪里？", "Где я был в мае?"])
def test_a_month_without_a_year_means_the_past_three_in_every_language(text: str) -> None:
    assert days(text) == [(f"{year}-05-01", f"{year}-06-01") for year in (2025, 2024, 2023)]


def test_a_week_begins_in_the_zone_of_the_asker_in_every_language() -> None:
    (period,) = named_periods("上周", asked_at=ASKED, zone="Asia/Shanghai")
    assert (period.since, period.until) == (
        datetime(2025, 6, 1, 16, tzinfo=UTC),
        datetime(2025, 6, 8, 16, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("What did she buy on 3 May 2023?", "What did she buy?"),
        ("In May 2023, what did she buy?", "what did she buy?"),
        ("Who came in the first week of June?", "Who came?"),
        ("Where did we live in 2019?", "Where did we live?"),
        ("Which book was read as of March 12, 2022 in the club?", "Which book was read in the club?"),
        ("What happened on 2023-05-07?", "What happened?"),
        ("What is in the 2019 report?", "What is in the 2019 report?"),
        ("What did she buy on Friday?", "What did she buy on Friday?"),
        ("May I come in?", "May I come in?"),
        ("2023-05-07", "2023-05-07"),
        ("in May?", "in May?"),
    ],
)
def test_calendar_dates_can_be_taken_out(text: str, rest: str) -> None:
    assert without_dates(text) == rest


@given(st.text(max_size=80))
def test_nothing_is_added_when_dates_are_taken_out(text: str) -> None:
    rest = iter(text)
    assert all(char in rest for char in without_dates(text))
