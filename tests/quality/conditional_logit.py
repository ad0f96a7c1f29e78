"""Fits a linear ranking: the probability of an answer is its share of exp(score) among the rows of its question.

Source: McFadden, Conditional logit analysis of qualitative choice behavior, 1974. The loss is convex, so a damped
Newton iteration finds its only minimum, and nothing has to be tuned.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]

_MAX_STEPS = 50
_ENOUGH = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Choice:
    """A question: its table of features and the rows that answer it, at least one."""

    table: npt.NDArray[np.float64]
    gold: npt.NDArray[np.int64]


def fit(choices: Sequence[Choice], *, ridge: float = 2.0) -> Vector:
    """Weights of the features.

    Args:
        choices: What to learn from.
        ridge: Pull to 0 of the weight of each feature, once its spread is made 1.
    """
    spread = np.concatenate([choice.table for choice in choices]).std(axis=0) + 1e-9
    scaled = [Choice(table=choice.table / spread, gold=choice.gold) for choice in choices]
    weights = np.zeros(len(spread))
    loss = _loss(scaled, weights, ridge=ridge)
    for _ in range(_MAX_STEPS):
        direction = _newton(scaled, weights, ridge=ridge)
        size = 1.0
        while size > _ENOUGH and _loss(scaled, weights + size * direction, ridge=ridge) > loss:
            size /= 2
        weights = weights + size * direction
        before, loss = loss, _loss(scaled, weights, ridge=ridge)
        if before - loss <= _ENOUGH * abs(before):
            break
    return weights / spread


def _loss(choices: Sequence[Choice], weights: Vector, *, ridge: float) -> float:
    total = 0.5 * ridge * float(weights @ weights)
    for choice in choices:
        scores = choice.table @ weights
        top = scores.max()
        total += float(np.log(np.exp(scores - top).sum()) + top - scores[choice.gold].mean())
    return total


def _newton(choices: Sequence[Choice], weights: Vector, *, ridge: float) -> Vector:
    gradient = ridge * weights
    curvature = ridge * np.eye(len(weights))
    for choice in choices:
        scores = choice.table @ weights
        share = np.exp(scores - scores.max())
        share /= share.sum()
        mean = share @ choice.table
        gradient += mean - choice.table[choice.gold].mean(axis=0)
        curvature += choice.table.T @ (choice.table * share[:, np.newaxis]) - np.outer(mean, mean)
    return np.linalg.solve(curvature, -gradient).astype(np.float64)
