from itertools import pairwise

import pytest

from memory_core.gate.knobs import read_knobs
from memory_core.settings import GateSettings

STEPS = [number / 10 for number in range(11)]


def test_focus_raises_the_bar() -> None:
    bars = [read_knobs(GateSettings(focus=step)).bar for step in STEPS]
    assert all(low < high for low, high in pairwise(bars))


def test_sensitivity_looks_at_more_and_interrupts_earlier() -> None:
    knobs = [read_knobs(GateSettings(sensitivity=step)) for step in STEPS]
    assert all(less.words >= more.words for less, more in pairwise(knobs))
    assert all(less.interrupt_bar > more.interrupt_bar for less, more in pairwise(knobs))
    assert knobs[0].words > knobs[-1].words


def test_stability_rests_longer_and_judges_less_often() -> None:
    knobs = [read_knobs(GateSettings(stability=step)) for step in STEPS]
    assert all(less.rest_s < more.rest_s for less, more in pairwise(knobs))
    assert all(less.every <= more.every for less, more in pairwise(knobs))
    assert (knobs[0].rest_s, knobs[0].every) == (0, 1)


@pytest.mark.parametrize("step", STEPS)
def test_an_interruption_takes_more_than_staging(step: float) -> None:
    knobs = read_knobs(GateSettings(focus=step))
    assert knobs.interrupt_bar >= knobs.bar
