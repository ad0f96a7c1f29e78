from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from memory_core.dream.cron import check_cron, next_times
from memory_core.errors import Invalid

LISBON = "Europe/Lisbon"


def local(times: list[datetime], zone: str) -> list[str]:
    return [time.astimezone(ZoneInfo(zone)).strftime("%m-%d %H:%M") for time in times]


@pytest.mark.parametrize(
    "expression", ["0 3 * * *", "*/20 1-5 * * 1-5", "  30   4 * * SUN ", "0 0 29 2 *", "0 3 1,15 * *"]
)
def test_five_fields_are_accepted_with_single_blanks(expression: str) -> None:
    assert check_cron(expression) == " ".join(expression.split())


@pytest.mark.parametrize(
    "expression",
    ["", "@daily", "0 3 * *", "0 0 3 * * *", "60 3 * * *", "0 24 * * *", "0 3 31 2 *", "a b c d e", "0 3 * * 9"],
)
def test_anything_else_is_refused_with_the_key(expression: str) -> None:
    with pytest.raises(Invalid, match=r"^schedule: "):
        check_cron(expression)


def test_times_are_those_of_the_persons_zone() -> None:
    after = datetime(2026, 7, 1, 12, tzinfo=UTC)
    assert next_times("0 3 * * *", after=after, zone="Asia/Tokyo", count=1) == [datetime(2026, 7, 1, 18, tzinfo=UTC)]


def test_a_time_that_the_clocks_skip_happens_when_they_were_put_forward() -> None:
    """In Lisbon 01:00 became 02:00 on 29 March 2026."""
    times = next_times("30 1 * * *", after=datetime(2026, 3, 28, 12, tzinfo=UTC), zone=LISBON, count=2)
    assert local(times, LISBON) == ["03-29 02:00", "03-30 01:30"]


def test_a_time_that_the_clocks_show_twice_happens_once() -> None:
    """In Lisbon 02:00 became 01:00 on 25 October 2026."""
    times = next_times("30 1 * * *", after=datetime(2026, 10, 24, 12, tzinfo=UTC), zone=LISBON, count=2)
    assert local(times, LISBON) == ["10-25 01:30", "10-26 01:30"]
    again = next_times("30 1 * * *", after=times[0], zone=LISBON, count=1)
    assert again == [times[1]]


def test_nights_around_both_changes_are_23_and_25_hours_long() -> None:
    spring = next_times("0 3 * * *", after=datetime(2026, 3, 27, 12, tzinfo=UTC), zone=LISBON, count=3)
    autumn = next_times("0 3 * * *", after=datetime(2026, 10, 23, 12, tzinfo=UTC), zone=LISBON, count=3)
    assert [b - a for a, b in pairwise(spring)] == [timedelta(hours=23), timedelta(hours=24)]
    assert [b - a for a, b in pairwise(autumn)] == [timedelta(hours=25), timedelta(hours=24)]
