from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from memory_core.dates.calendar_spans import Precision
from memory_core.dates.resolving import resolve

# 10 May 2023 was a Wednesday; noon in Berlin.
WEDNESDAY = datetime(2023, 5, 10, 10, 0, tzinfo=UTC)


def days(text: str, *, said_at: datetime = WEDNESDAY, tz: str = "Europe/Berlin") -> list[tuple[str, str]]:
    """First and last local day of every mention."""
    zone = ZoneInfo(tz)
    found = resolve(text, said_at, tz=tz)
    return [
        (m.since.astimezone(zone).date().isoformat(), _last_day(m.until.astimezone(zone)).isoformat()) for m in found
    ]


def _last_day(until: datetime) -> date:
    """The day a half-open stretch ends in; a night ends in the morning but belongs to the evening."""
    return date.fromordinal(until.date().toordinal() - 1) if until.hour <= 6 else until.date()


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("I saw her today", "2023-05-10", "2023-05-10"),
        ("tonight we eat out", "2023-05-10", "2023-05-10"),
        ("yesterday", "2023-05-09", "2023-05-09"),
        ("tomorrow", "2023-05-11", "2023-05-11"),
        ("the day before yesterday", "2023-05-08", "2023-05-08"),
        ("the day after tomorrow", "2023-05-12", "2023-05-12"),
        ("this morning", "2023-05-10", "2023-05-10"),
        ("yesterday evening", "2023-05-09", "2023-05-09"),
        ("last night", "2023-05-09", "2023-05-09"),
        ("last week", "2023-05-01", "2023-05-07"),
        ("this week", "2023-05-08", "2023-05-14"),
        ("next week", "2023-05-15", "2023-05-21"),
        ("the week before last", "2023-04-24", "2023-04-30"),
        ("the week after next", "2023-05-22", "2023-05-28"),
        ("last weekend", "2023-05-06", "2023-05-07"),
        ("this weekend", "2023-05-13", "2023-05-14"),
        ("I painted a lot this weekend and was tired", "2023-05-06", "2023-05-07"),
        ("next weekend", "2023-05-20", "2023-05-21"),
        ("two weekends ago", "2023-04-29", "2023-04-30"),
        ("this past weekend", "2023-05-06", "2023-05-07"),
        ("last month", "2023-04-01", "2023-04-30"),
        ("this month", "2023-05-01", "2023-05-31"),
        ("next month", "2023-06-01", "2023-06-30"),
        ("last year", "2022-01-01", "2022-12-31"),
        ("next year", "2024-01-01", "2024-12-31"),
        ("3 days ago", "2023-05-07", "2023-05-07"),
        ("three days ago", "2023-05-07", "2023-05-07"),
        ("a week ago", "2023-05-01", "2023-05-07"),
        ("two weeks ago", "2023-04-24", "2023-04-30"),
        ("a month ago", "2023-04-01", "2023-04-30"),
        ("five months ago", "2022-12-01", "2022-12-31"),
        ("four years ago", "2019-01-01", "2019-12-31"),
        ("a couple of years ago", "2021-01-01", "2021-12-31"),
        ("about ten years ago", "2013-01-01", "2013-12-31"),
        ("in 3 days", "2023-05-13", "2023-05-13"),
        ("in two weeks", "2023-05-22", "2023-05-28"),
        ("in a month", "2023-06-01", "2023-06-30"),
        ("two days from now", "2023-05-12", "2023-05-12"),
        ("a few days ago", "2023-05-05", "2023-05-08"),
        ("a few weeks ago", "2023-04-03", "2023-04-30"),
        ("a few years ago", "2018-01-01", "2021-12-31"),
        ("last Friday", "2023-05-05", "2023-05-05"),
        ("last Wednesday", "2023-05-03", "2023-05-03"),
        ("this Friday", "2023-05-12", "2023-05-12"),
        ("next Friday", "2023-05-19", "2023-05-19"),
        ("next Monday", "2023-05-15", "2023-05-15"),
        ("see you Friday", "2023-05-12", "2023-05-12"),
        ("I saw him on Friday", "2023-05-05", "2023-05-05"),
        ("we will meet on Monday", "2023-05-15", "2023-05-15"),
        ("Friday night we danced", "2023-05-05", "2023-05-05"),
        ("on Friday last week", "2023-05-05", "2023-05-05"),
        ("Tuesday of next week", "2023-05-16", "2023-05-16"),
        ("we moved in March", "2023-03-01", "2023-03-31"),
        ("we moved in November", "2022-11-01", "2022-11-30"),
        ("I will move in November", "2023-11-01", "2023-11-30"),
        ("last May", "2022-05-01", "2022-05-31"),
        ("next May", "2024-05-01", "2024-05-31"),
        ("in May 2021", "2021-05-01", "2021-05-31"),
        ("May 7", "2023-05-07", "2023-05-07"),
        ("May 7th, 2021", "2021-05-07", "2021-05-07"),
        ("7 May 2023", "2023-05-07", "2023-05-07"),
        ("the 7th of May", "2023-05-07", "2023-05-07"),
        ("Dec 24", "2022-12-24", "2022-12-24"),
        ("we will fly on Dec 24", "2023-12-24", "2023-12-24"),
        ("June 3-7", "2023-06-03", "2023-06-07"),
        ("2023-04-30", "2023-04-30", "2023-04-30"),
        ("30.04.2023", "2023-04-30", "2023-04-30"),
        ("4/30/2023", "2023-04-30", "2023-04-30"),
        ("in 2019", "2019-01-01", "2019-12-31"),
        ("back in 2016", "2016-01-01", "2016-12-31"),
        ("last summer", "2022-06-01", "2022-08-31"),
        ("the summer of 2021", "2021-06-01", "2021-08-31"),
        ("last winter", "2022-12-01", "2023-02-28"),
        ("the week before 9 June 2023", "2023-05-29", "2023-06-04"),
        ("the Sunday before 25 May 2023", "2023-05-21", "2023-05-21"),
        ("two days before May 7", "2023-05-05", "2023-05-05"),
        ("the weekend after 9 June 2023", "2023-06-10", "2023-06-11"),
        ("gestern", "2023-05-09", "2023-05-09"),
        ("vorgestern", "2023-05-08", "2023-05-08"),
        ("übermorgen", "2023-05-12", "2023-05-12"),
        ("letzte Woche", "2023-05-01", "2023-05-07"),
        ("vor drei Monaten", "2023-02-01", "2023-02-28"),
        ("nächsten Freitag", "2023-05-19", "2023-05-19"),
        ("am 7. Mai", "2023-05-07", "2023-05-07"),
        ("hier", "2023-05-09", "2023-05-09"),
        ("la semaine dernière", "2023-05-01", "2023-05-07"),
        ("il y a deux ans", "2021-01-01", "2021-12-31"),
        ("le 7 mai 2023", "2023-05-07", "2023-05-07"),
        ("ayer", "2023-05-09", "2023-05-09"),
        ("hace tres días", "2023-05-07", "2023-05-07"),
        ("el próximo viernes", "2023-05-19", "2023-05-19"),
        ("el 7 de mayo de 2023", "2023-05-07", "2023-05-07"),
        ("我上周去了里斯本", "2023-05-01", "2023-05-07"),
        ("昨日は寿司を食べた", "2023-05-09", "2023-05-09"),
    ],
)
def test_an_expression_means_its_days(text: str, *, first: str, last: str) -> None:
    assert days(text) == [(first, last)]


@pytest.mark.parametrize(
    "text",
    [
        "I may go and they march on",
        "every Friday we play",
        "some day I will see",
        "it took 3 weeks",
        "for about two years",
        "5/7 of the cake",
        "version 2023.4",
        "the last time I checked",
        "the next step",
        "at last we met",
        "Guten Morgen",
        "32 May 2023",
        "I ate a few apples",
        "spring water and summer dress",
        "mon ami",
    ],
)
def test_what_names_no_date_stays_unknown(text: str) -> None:
    assert days(text) == []


def test_day_and_month_in_either_order_stay_unknown_where_nothing_decides() -> None:
    assert days("5/7/2023", tz="Asia/Tokyo") == []
    assert days("5/7/2023", tz="America/New_York") == [("2023-05-07", "2023-05-07")]
    assert days("5/7/2023", tz="Europe/Paris") == [("2023-07-05", "2023-07-05")]


@pytest.mark.parametrize(
    ("tz", "yesterday"),
    [
        ("Pacific/Kiritimati", "2023-05-10"),
        ("Asia/Tokyo", "2023-05-10"),
        ("Europe/Berlin", "2023-05-10"),
        ("UTC", "2023-05-09"),
        ("America/New_York", "2023-05-09"),
        ("America/Los_Angeles", "2023-05-09"),
        ("Pacific/Pago_Pago", "2023-05-09"),
    ],
)
def test_the_day_is_the_speakers_day(tz: str, yesterday: str) -> None:
    assert days("yesterday", said_at=datetime(2023, 5, 10, 23, 0, tzinfo=UTC), tz=tz) == [(yesterday, yesterday)]


@pytest.mark.parametrize(
    ("tz", "said_at", "hours"),
    [
        ("Europe/Berlin", datetime(2023, 3, 27, 10, tzinfo=UTC), 23),
        ("Europe/Berlin", datetime(2023, 10, 30, 10, tzinfo=UTC), 25),
        ("America/New_York", datetime(2023, 3, 13, 15, tzinfo=UTC), 23),
        ("Australia/Lord_Howe", datetime(2023, 4, 3, 3, tzinfo=UTC), 24.5),
        ("Asia/Tokyo", datetime(2023, 3, 27, 10, tzinfo=UTC), 24),
    ],
)
def test_a_day_on_which_the_clock_changes_has_its_own_length(tz: str, *, said_at: datetime, hours: float) -> None:
    (mention,) = resolve("yesterday", said_at, tz=tz)
    assert (mention.until - mention.since).total_seconds() / 3600 == hours


def test_a_day_that_starts_after_midnight_is_still_one_day() -> None:
    # Cairo's clock jumped from 00:00 to 01:00 on 28 April 2023.
    (mention,) = resolve("yesterday", datetime(2023, 4, 29, 10, tzinfo=UTC), tz="Africa/Cairo")
    assert mention.since == datetime(2023, 4, 27, 22, tzinfo=UTC)
    assert (mention.until - mention.since).total_seconds() == 23 * 3600


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("the audit was pushed to 13 June", "2023-06-13", "2023-06-13"),
        ("they moved us to June 9", "2023-06-09", "2023-06-09"),
        ("the gig was postponed to the 20th of June", "2023-06-20", "2023-06-20"),
        ("I moved to Lisbon on June 9", "2022-06-09", "2022-06-09"),
        ("Got to pick it up before Thursday", "2023-05-11", "2023-05-11"),
        ("by Friday", "2023-05-12", "2023-05-12"),
        ("until next Tuesday", "2023-05-16", "2023-05-16"),
        ("this coming Tuesday", "2023-05-16", "2023-05-16"),
        ("early June", "2023-06-01", "2023-06-30"),
        ("heute Abend", "2023-05-10", "2023-05-10"),
        ("morgen früh", "2023-05-11", "2023-05-11"),
        ("letzten Dienstag", "2023-05-09", "2023-05-09"),
        ("kommenden Sonntag", "2023-05-14", "2023-05-14"),
        ("in drei Tagen", "2023-05-13", "2023-05-13"),
        ("nächsten Monat", "2023-06-01", "2023-06-30"),
        ("el mes pasado", "2023-04-01", "2023-04-30"),
        ("la semana que viene", "2023-05-15", "2023-05-21"),
        ("dentro de tres días", "2023-05-13", "2023-05-13"),
        ("el sábado pasado", "2023-05-06", "2023-05-06"),
        ("pasado mañana", "2023-05-12", "2023-05-12"),
        ("anteayer", "2023-05-08", "2023-05-08"),
    ],
)
def test_an_expression_in_a_sentence_means_its_days(text: str, *, first: str, last: str) -> None:
    assert days(text) == [(first, last)]


@pytest.mark.parametrize(
    "text",
    ["on the last Friday of the month", "the first Monday of June", "a week from Friday", "letzter Freitag im Monat"],
)
def test_a_weekday_of_another_stretch_stays_unknown(text: str) -> None:
    assert days(text) == []


# Instants at which some zones have the next day, some the last, and some have just changed their clocks.
_INSTANTS = (
    datetime(2024, 3, 10, 7, 30, tzinfo=UTC),
    datetime(2024, 3, 31, 1, 0, tzinfo=UTC),
    datetime(2024, 10, 27, 0, 59, tzinfo=UTC),
    datetime(2024, 11, 3, 6, 30, tzinfo=UTC),
    datetime(2023, 12, 31, 23, 30, tzinfo=UTC),
    datetime(2016, 2, 29, 11, 0, tzinfo=UTC),
)
_ZONES = ("Pacific/Kiritimati", "Asia/Kolkata", "Europe/Berlin", "America/New_York", "Pacific/Pago_Pago")


@pytest.mark.parametrize("said_at", _INSTANTS)
@pytest.mark.parametrize("tz", _ZONES)
@pytest.mark.parametrize(("text", "away"), [("yesterday", -1), ("today", 0), ("tomorrow", 1), ("in 3 days", 3)])
def test_days_are_counted_on_the_calendar_of_the_zone(text: str, *, away: int, tz: str, said_at: datetime) -> None:
    zone = ZoneInfo(tz)
    day = said_at.astimezone(zone).date() + timedelta(days=away)
    (mention,) = resolve(text, said_at, tz=tz)
    assert mention.since == datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)
    assert mention.until == datetime.combine(day + timedelta(days=1), time(), tzinfo=zone).astimezone(UTC)


@pytest.mark.parametrize("said_at", _INSTANTS)
@pytest.mark.parametrize("tz", _ZONES)
@pytest.mark.parametrize(("text", "away"), [("last week", -7), ("this week", 0), ("next week", 7)])
def test_weeks_begin_on_the_mondays_of_the_zone(text: str, *, away: int, tz: str, said_at: datetime) -> None:
    zone = ZoneInfo(tz)
    day = said_at.astimezone(zone).date()
    monday = day - timedelta(days=day.weekday()) + timedelta(days=away)
    (mention,) = resolve(text, said_at, tz=tz)
    assert mention.since == datetime.combine(monday, time(), tzinfo=zone).astimezone(UTC)
    assert mention.until == datetime.combine(monday + timedelta(days=7), time(), tzinfo=zone).astimezone(UTC)


def test_an_old_message_is_resolved_on_its_own_time() -> None:
    said_at = datetime(2019, 1, 2, 12, tzinfo=UTC)
    assert days("last week", said_at=said_at, tz="UTC") == [("2018-12-24", "2018-12-30")]
    assert days("yesterday and the day before yesterday", said_at=said_at) == [("2019-01-01",) * 2, ("2018-12-31",) * 2]


def test_leap_days_and_the_ends_of_months() -> None:
    assert days("yesterday", said_at=datetime(2024, 3, 1, 12, tzinfo=UTC)) == [("2024-02-29",) * 2]
    assert days("a month ago", said_at=datetime(2024, 3, 31, 12, tzinfo=UTC)) == [("2024-02-01", "2024-02-29")]
    assert days("29 February 2023") == []


def test_summer_in_the_south_is_in_january() -> None:
    assert days("last summer", tz="Australia/Sydney") == [("2022-12-01", "2023-02-28")]


def test_a_mention_says_where_it_stands_and_what_it_means() -> None:
    text = "We met two weekends ago in Porto."
    (mention,) = resolve(text, WEDNESDAY, tz="Europe/Berlin")
    assert text[mention.start : mention.end] == "two weekends ago"
    assert (mention.text, mention.precision, mention.explicit) == ("29-30 April 2023", Precision.WEEKEND, False)


def test_dates_that_need_no_help_say_so() -> None:
    assert [mention.explicit for mention in resolve("7 May 2023, then May 9", WEDNESDAY, tz="UTC")] == [True, False]


def test_dates_are_written_in_the_language_they_were_said_in() -> None:
    assert [m.text for m in resolve("gestern", WEDNESDAY, tz="UTC")] == ["9. Mai 2023"]
    assert [m.text for m in resolve("昨天", WEDNESDAY, tz="UTC")] == ["2023年5月9日"]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("wat deed ik vorige week", "2023-05-01", "2023-05-07"),
        ("twee maanden geleden", "2023-03-01", "2023-03-31"),
        ("na semana passada", "2023-05-01", "2023-05-07"),
        ("há três dias", "2023-05-07", "2023-05-07"),
        ("la settimana scorsa", "2023-05-01", "2023-05-07"),
        ("due settimane fa", "2023-04-24", "2023-04-30"),
        ("на прошлой неделе", "2023-05-01", "2023-05-07"),
        ("две недели назад", "2023-04-24", "2023-04-30"),
        ("3 мая 2022", "2022-05-03", "2022-05-03"),
        ("我两周前搬家了", "2023-04-24", "2023-04-30"),
        ("三个月前", "2023-02-01", "2023-02-28"),
        ("3週間前", "2023-04-17", "2023-04-23"),
        ("지난주에 만났어", "2023-05-01", "2023-05-07"),
        ("2주 전에", "2023-04-24", "2023-04-30"),
        ("2022年12月5日", "2022-12-05", "2022-12-05"),
        ("2022年12月", "2022-12-01", "2022-12-31"),
        ("2022年", "2022-01-01", "2022-12-31"),
        ("十二月", "2022-12-01", "2022-12-31"),
        ("2022년 5월 3일", "2022-05-03", "2022-05-03"),
    ],
)
def test_more_languages_name_stretches(text: str, *, first: str, last: str) -> None:
    assert days(text) == [(first, last)]


@pytest.mark.parametrize("text", ["三个月", "二十一月", "13月", "the month of rain", "5日間", "Er kommt morgens"])
def test_a_length_or_a_wrong_number_names_no_date(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize(
    ("text", "yearly"),
    [("in May", True), ("en mayo", True), ("on 3 March", True), ("5月", True), ("in May 2022", False), ("ieri", False)],
)
def test_what_comes_every_year_is_marked(text: str, yearly: bool) -> None:  # noqa: FBT001 a parameter of the table
    assert [mention.yearly for mention in resolve(text, WEDNESDAY, tz="UTC")] == [yearly]


def test_who_looks_back_means_what_is_over() -> None:
    (forward,) = resolve("on Friday", WEDNESDAY, tz="UTC")
    (back,) = resolve("on Friday", WEDNESDAY, tz="UTC", looks_back=True)
    assert (forward.since.date(), back.since.date()) == (date(2023, 5, 12), date(2023, 5, 5))
