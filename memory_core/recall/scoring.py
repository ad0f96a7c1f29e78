"""Pure: from features to an order, and to a score that means the same from question to question.

The order is a weighted sum. Its parts are absolute, so the sum also tells how well the best memory fits at all; a
logistic curve makes a score of it. Both were fitted by `tests/quality/fit_ranking.py`, which prints what stands here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memory_core.recall.features import FEATURES

WEIGHTS: Mapping[str, float] = {
    "late_window": 14.15,
    "stretch": 7.96,
    "gist": 2.69,
    "keyword_window": 2.13,
    "answer": 1.94,
    "date": 5.25,
    "speaker": 0.70,
    "question": -1.04,
    "names": 0.69,
    "time": 1.35,
    "number": 1.29,
}
"""Log-odds for a unit of each feature.

Source: `fit_ranking.py` on LoCoMo's five development conversations, 2026-11-30; ridge 2.
"""
SLOPE, MIDDLE = 0.760, 15.09
"""The sum at which a stored answer and none are equally likely, and how fast that changes; same source."""
_MAX_EXPONENT = 500.0

LENIENCE = 1.35
"""Added to the log-odds: a memory that is missing counts about four times as much as one that is not needed.

With it, at a threshold of .3, .841 of the answered questions get a turn that answers (.814 without), and .940 of
everyday messages that nothing answers get nothing (.997 without); printed by `fit_ranking.py`.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How well a memory answers.

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


def score(table: npt.NDArray[np.float64]) -> list[Score]:
    """Score every row of a feature table, in its order."""
    parts = table * np.array([WEIGHTS[name] for name in FEATURES])
    values = 1.0 / (1.0 + np.exp(np.minimum(SLOPE * (MIDDLE - parts.sum(axis=1)), _MAX_EXPONENT)))
    return [Score(value=value, parts=_Parts(row)) for value, row in zip(values.tolist(), parts.tolist(), strict=True)]
