"""Fits the curve from a score to the probability that an answer is stored."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_STEPS = 100
_MAX_EXPONENT = 500.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """1 / (1 + exp(-slope * (score - middle)))."""

    slope: float
    middle: float

    def value(self, score: float) -> float:
        """The probability, in 0 to 1."""
        return 1.0 / (1.0 + math.exp(min(-self.slope * (score - self.middle), _MAX_EXPONENT)))


def fit_curve(stored: Sequence[float], absent: Sequence[float]) -> Curve:
    """The likeliest curve when an answer is as often stored as not, by Newton's method.

    Args:
        stored: Scores of answers, at least two different ones.
        absent: Scores of the best memory where there is no answer, at least two different ones.
    """
    scores = np.array([*stored, *absent])
    center, spread = float(scores.mean()), float(scores.std())
    design = np.stack([(scores - center) / spread, np.ones(len(scores))], axis=1)
    wanted = np.repeat([1.0, 0.0], [len(stored), len(absent)])
    counts = np.repeat([0.5 / len(stored), 0.5 / len(absent)], [len(stored), len(absent)])
    weights = np.zeros(2)
    for _ in range(_STEPS):
        expected = 1.0 / (1.0 + np.exp(-np.clip(design @ weights, -_MAX_EXPONENT, _MAX_EXPONENT)))
        gradient = design.T @ (counts * (wanted - expected)) - 1e-6 * weights
        curvature = (design * (counts * expected * (1.0 - expected))[:, np.newaxis]).T @ design + 1e-6 * np.eye(2)
        weights = weights + np.linalg.solve(curvature, gradient)
    slope = float(weights[0]) / spread
    return Curve(slope=slope, middle=center - float(weights[1]) / slope)
