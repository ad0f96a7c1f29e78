"""A bare weekday under a stretch that the text named before is a day of that stretch, or no day at all."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from memory_core.dates.resolving import resolve

# 28 April 2026 was a Tuesday.
TUESDAY = datetime(2026, 4, 28, 10, 0, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def first_days(text: str) -> list[str]:
    return [m.since.astimezone(BERLIN).strftime("%m-%d") for m in resolve(text, TUESDAY, tz="Europe/Berlin")]


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("Next weekend (9-10 May): On Sunday we hike to the lake.", "05-10"),
        ("Next week: On Friday we take the train.", "05-08"),
        ("Plan for next week:\n- Monday: pack\n- Friday: fly", "05-08"),
        ("Plan for next week:\n\n- Monday: pack\n- Thursday: fly", "05-07"),
        ("**Next week:** Wednesday morning is for the museum.", "05-06"),
        ("11-17 May: we start slowly. The tour of the caves is on Thursday.", "05-14"),
        ("Next weekend we hike on Saturday and rest on Sunday", "05-10"),
        ("Next week, in Rome: dinner with Bo on Tuesday.", "05-05"),
        ("Last weekend: on Sunday the pump broke.", "04-26"),
        ("Nächste Woche: Am Freitag fahren wir los.", "05-08"),
        ("La semana que viene: el viernes salimos.", "05-08"),
        ("This weekend: on Sunday we bake.", "05-03"),
    ],
)
def test_a_weekday_under_a_stretch_is_a_day_of_it(text: str, last: str) -> None:
    assert first_days(text)[-1] == last


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("On Friday we take the train.", "05-01"),
        ("I'm in Rome next week. On Friday I see the dentist.", "05-01"),
        ("I'm in Rome next week, so let's meet on Friday", "05-01"),
        ("Next week: we fly.\n\nOn Friday I see the dentist.", "05-01"),
        ("In May: on Friday we take the train.", "05-01"),
        ("Next week: rest. This Friday the vet comes.", "05-01"),
    ],
)
def test_a_weekday_of_its_own_is_the_coming_one(text: str, last: str) -> None:
    assert first_days(text)[-1] == last


def test_a_day_that_the_stretch_does_not_have_stays_unknown() -> None:
    assert first_days("Next weekend (9-10 May): On Friday we pack.") == first_days("Next weekend (9-10 May):")
