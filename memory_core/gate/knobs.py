"""Pure: what the knobs of the streaming gate mean in numbers. Each runs from 0 to 1; the middle is a quiet helper."""

from dataclasses import dataclass

from memory_core.settings import GateSettings

_LOWEST_BAR, _HIGHEST_BAR = 0.2, 0.8
_LONGEST_REST_S = 20.0
_MOST_SENTENCES_APART = 4
_FEWEST_WORDS, _MOST_WORDS = 1, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Knobs:
    """The knobs, read.

    Attributes:
        bar: Score that a memory needs to bear on a sentence: `focus` raises it, so that only what fits closely counts.
        words: Content words that a sentence needs to be judged: `sensitivity` lowers it, so that more is looked at.
        interrupt_bar: Score at which a memory is worth an interruption by itself; also lowered by `sensitivity`.
        rest_s: Pause after an interruption: `stability` lengthens it.
        every: Of so many sentences one is judged: `stability` spreads them.
    """

    bar: float
    words: int
    interrupt_bar: float
    rest_s: float
    every: int


def read_knobs(settings: GateSettings) -> Knobs:
    """What the settings say."""
    bar = _LOWEST_BAR + (_HIGHEST_BAR - _LOWEST_BAR) * settings.focus
    return Knobs(
        bar=bar,
        words=round(_MOST_WORDS - (_MOST_WORDS - _FEWEST_WORDS) * settings.sensitivity),
        interrupt_bar=bar + (1 - bar) * (1 - settings.sensitivity),
        rest_s=_LONGEST_REST_S * settings.stability,
        every=1 + round((_MOST_SENTENCES_APART - 1) * settings.stability * settings.stability),
    )
