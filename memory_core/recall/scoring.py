"""Pure: from features to an order, and to a score that means the same from question to question.

The order is a weighted sum. A logistic curve makes a score of it, which also looks at the question as a whole: how far
the best memory stands out by the pooled vectors, and how much was asked. Both were fitted by
`tests/quality/fit_ranking.py`, which prints what stands here.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from memory_core.recall.features import FEATURES

WEIGHTS: Mapping[str, float] = {
    "late_window": 13.77,
    "stretch": 8.33,
    "gist": 2.55,
    "keyword_window": 1.71,
    "answer": 1.71,
    "date": 5.18,
    "speaker": 1.03,
    "question": -0.77,
    "self": 0.4,
    "names": 0.23,
    "wanted_names": 1.19,
    "time": 1.38,
    "number": 1.18,
    "exact": 3.0,
}
"""Log-odds for a unit of each feature; `exact` is set by hand, since people in the data speak of no code.

Source: `fit_ranking.py` on LoCoMo's five development conversations, 2026-12-01; ridge 2.
"""
_WEIGHTS: npt.NDArray[np.float64] = np.array([WEIGHTS[name] for name in FEATURES])
CURVE: Mapping[str, float] = {"sum": 0.346, "closest": 11.019, "field": -8.046, "pieces": -1.675}
"""Log-odds for a unit of the sum and of each value of `Setting`; same source, and the single facts of
`tests/quality/single_facts.py`.
"""
BASE = -2.93
"""Log-odds when all of these are 0; same source."""
CAUTION = 0.3
"""Taken from the log-odds, by choice: so .94 of everyday messages that nothing answers get nothing at a score of .3."""
FALL = 0.76
"""Log-odds that a memory loses for each unit of its sum below the best one: the slope of a curve over sums alone.

The setting is that of the best memory: with the curve's own slope, all of a pool would ride on how well one stands out.
"""
_MAX_EXPONENT = 500.0
_TYPICAL_FIELD, _TYPICAL_SHARE = 0.15, 5
"""Where few memories are found, their mean cosine is drawn to that of an unrelated memory, as if so many were there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a search tells of its question as a whole; the same for each memory, so it moves no memory past another.

    Unset, it stands for a question in a script that the bundled model can't read: hashed vectors lie apart in another
    way than the model's, and the sum alone then decides, from about 9.4 on.

    Attributes:
        closest: Cosine of the pooled vectors of question and best memory.
        field: Mean cosine of what dense search found, the best memory left out.
        pieces: ln of the number of token rows of the question.
    """

    closest: float = 0.365
    field: float = 0.15
    pieces: float = 2.2

    @property
    def log_odds(self) -> float:
        """What it adds to the log-odds of each memory."""
        return CURVE["closest"] * self.closest + CURVE["field"] * self.field + CURVE["pieces"] * self.pieces


def setting_of(cosines: Sequence[float | None], *, best: int, found: Sequence[float], pieces: int) -> Setting:
    """Describe a search.

    Args:
        cosines: Of the pooled vectors, for each memory of the pool; None where dense search didn't return it.
        best: The row of the memory with the highest sum.
        found: All cosines that dense search returned, in any order.
        pieces: Token rows of the question.
    """
    known = cosines[best]
    # What dense search didn't return is no closer than what it returned.
    closest = known if known is not None else min(found, default=_TYPICAL_FIELD)
    others = math.fsum(found) - (closest if known is not None else 0.0)
    count = len(found) - (known is not None)
    field = (others + _TYPICAL_FIELD * _TYPICAL_SHARE) / (count + _TYPICAL_SHARE)
    return Setting(closest=closest, field=field, pieces=math.log(max(pieces, 1)))


class Score(NamedTuple):
    """How well a memory answers; a tuple, since hundreds are made for each question.

    Attributes:
        value: In 0 to 1; grows with the sum of the parts.
        parts: What each feature adds to the sum; features that add nothing are left out.
    """

    value: float
    parts: Mapping[str, float]


class _Parts(Mapping[str, float]):
    """What features add, by name; made for hundreds of memories and looked at for a few, so names come last."""

    __slots__ = ("_row",)

    def __init__(self, row: Sequence[float]) -> None:
        self._row = row

    def __getitem__(self, name: str) -> float:
        if name in FEATURES and (part := self._row[FEATURES.index(name)]):
            return part
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (name for name, part in zip(FEATURES, self._row, strict=True) if part)

    def __len__(self) -> int:
        return sum(map(bool, self._row))


def best_row(table: npt.NDArray[np.float64]) -> int:
    """The row of a feature table with the highest sum."""
    return int((table @ _WEIGHTS).argmax())


def score(table: npt.NDArray[np.float64], *, setting: Setting | None = None) -> list[Score]:
    """Score every row of a feature table, in its order.

    Args:
        table: See `features.measure`.
        setting: The question as a whole; None takes an ordinary one.
    """
    parts = table * _WEIGHTS
    sums = parts.sum(axis=1)
    best = CURVE["sum"] * sums.max(initial=-np.inf) + (setting or Setting()).log_odds + BASE - CAUTION
    log_odds = best - FALL * (sums.max(initial=-np.inf) - sums)
    values = 1.0 / (1.0 + np.exp(np.minimum(-log_odds, _MAX_EXPONENT)))
    return [Score(value=value, parts=_Parts(row)) for value, row in zip(values.tolist(), parts.tolist(), strict=True)]
