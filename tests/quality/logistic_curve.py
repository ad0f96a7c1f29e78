"""Fits the curve from what a search tells to the probability that an answer is stored."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_STEPS = 100
_MAX_EXPONENT = 30.0
_RIDGE = 1e-3
"""Pull to 0 of each weight, once its spread is made 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """1 / (1 + exp(-(weights * values + base)))."""

    weights: tuple[float, ...]
    base: float

    def log_odds(self, values: Sequence[float]) -> float:
        """Log-odds of the probability."""
        return float(np.dot(self.weights, values)) + self.base


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Searches of one kind: they share the weight of their group, however many they are."""

    rows: npt.NDArray[np.float64]
    is_stored: bool
    weight: float = 1.0


def fit_curve(groups: Sequence[Group]) -> Curve:
    """The likeliest curve when an answer is as often stored as not, by Newton's method.

    Args:
        groups: At least one of each kind, none empty.
    """
    rows = np.concatenate([group.rows for group in groups])
    wanted = np.concatenate([np.full(len(group.rows), float(group.is_stored)) for group in groups])
    shares = np.concatenate([np.full(len(group.rows), group.weight / len(group.rows)) for group in groups])
    for kind in (0.0, 1.0):
        shares[wanted == kind] *= 0.5 / shares[wanted == kind].sum()
    center, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    design = np.column_stack([(rows - center) / spread, np.ones(len(rows))])
    ridge = np.append(np.full(rows.shape[1], _RIDGE), 0.0)
    weights = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        expected = 1.0 / (1.0 + np.exp(-np.clip(design @ weights, -_MAX_EXPONENT, _MAX_EXPONENT)))
        gradient = design.T @ (shares * (wanted - expected)) - ridge * weights
        curvature = (design * (shares * expected * (1.0 - expected))[:, np.newaxis]).T @ design + np.diag(ridge + 1e-9)
        weights = weights + np.linalg.solve(curvature, gradient)
    slopes = weights[:-1] / spread
    return Curve(weights=tuple(slopes.tolist()), base=float(weights[-1] - slopes @ center))
