"""Pure: one score in 0 to 1 out of the features. First weights, to be replaced by fitted ones."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memory_core.recall.features import FEATURES


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A score in 0 to 1 and the features it is made of."""

    value: float
    parts: Mapping[str, float]


def score(table: npt.NDArray[np.float64]) -> list[Score]:
    """Score every row of a feature table."""
    column = {name: table[:, place] for place, name in enumerate(FEATURES)}
    total = column["late_window"] + 0.2 * column["late"] + 0.01 * column["keyword_window"] + 0.1 * column["date"]
    values = np.clip(total / 1.2, 0.0, 1.0)
    return [
        Score(value=float(value), parts=dict(zip(FEATURES, row.tolist(), strict=True)))
        for value, row in zip(values, table, strict=True)
    ]
