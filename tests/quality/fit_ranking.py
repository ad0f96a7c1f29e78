"""Fit and test the ranking: `python -m tests.quality.fit_ranking FOLDER [--models FOLDER]`; 4 minutes of CPU.

FOLDER holds the conversations of the recall bench (see `ranking_bench`). Printed are cross-validation over
conversations, what each feature is worth, how well stored answers are told from questions that nothing answers, and
the numbers for `memory_core/recall/scoring.py`.

A question counts at turn level: r@k is the share of its gold turns among the sources of the first memories, MRR is one
over the rank of the first. "two-fold" learns from two or three conversations, scores the others, over all 20 halves;
"leave one out" learns from four.
"""

import argparse
import itertools
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memory_core.adapters.fastembed_embedder import FastembedEmbedder
from memory_core.recall.features import FEATURES
from memory_core.recall.scoring import WEIGHTS
from tests.quality.calibration import ask_conversations, ask_facts, print_calibration, print_curve
from tests.quality.conditional_logit import Choice, Vector, fit
from tests.quality.ranking_bench import Asked, Conversation, Store, read_conversations

Split = tuple[tuple[int, ...], tuple[int, ...]]
"""Numbers of the conversations to learn from and to score."""

BY_HAND = ("exact",)
"""Features of which the conversations tell nothing."""
ALL = tuple(column for column, name in enumerate(FEATURES) if name not in BY_HAND)
METRICS = ("r@5", "r@10", "r@20", "MRR")
DEPTHS = (5, 10, 20)


def main() -> None:
    """Measure, fit, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", type=Path, help="where the model's files are put together; kept when given")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        embedder = FastembedEmbedder(arguments.models or Path(scratch))
        conversations = read_conversations(arguments.folder)
        stores = [Store(conversation, embedder) for conversation in conversations]
        asked, alone = (_ask_all(stores, conversations, alone=alone) for alone in (False, True))
        searches = [*ask_conversations(stores, conversations, asked=asked, alone=alone), *ask_facts(embedder)]
    _print_pool(asked)
    _print_ranking(asked, alone=alone)
    _print_ablation(asked)
    everything = range(len(asked))
    weights = learn(asked, conversations=everything)
    print_calibration(searches, learned=lambda number: learn(asked, conversations=_without(number, everything)))
    print("\nfor scoring.py:")
    for name, weight in zip(FEATURES, weights, strict=True):
        print(f'    "{name}": {weight:.2f},')
    print_curve(searches, weights=weights)


def _without(number: int, everything: Sequence[int]) -> list[int]:
    return [one for one in everything if one != number]


def splits(count: int, *, kind: str) -> list[Split]:
    """Every way to learn from some conversations and to score the others."""
    everything = frozenset(range(count))
    if kind == "leave one out":
        return [(tuple(sorted(everything - {one})), (one,)) for one in sorted(everything)]
    halves = [
        (part, tuple(sorted(everything - set(part)))) for part in itertools.combinations(range(count), count // 2)
    ]
    return [*halves, *((second, first) for first, second in halves)]


def learn(asked: Sequence[Sequence[Asked]], *, conversations: Sequence[int], columns: Sequence[int] = ALL) -> Vector:
    """Weights of all features, those outside `columns` being 0."""
    questions = [question for number in conversations for question in asked[number]]
    choices = [
        Choice(table=question.table[:, list(columns)], gold=question.gold_rows())
        for question in questions
        if len(question.gold_rows())
    ]
    weights = np.zeros(len(FEATURES))
    weights[list(columns)] = fit(choices)
    for name in BY_HAND:
        weights[FEATURES.index(name)] = WEIGHTS[name]
    return weights


def best_first(question: Asked, weights: Vector) -> list[int]:
    """Rows of a pool in the order of their sums."""
    return np.argsort(-(question.table @ weights), kind="stable").tolist()


def ranks(question: Asked, weights: Vector) -> list[int]:
    """Ranks of the gold turns that are in the pool at all, from 1, ascending."""
    turns = list(dict.fromkeys(question.keys[row] for row in best_first(question, weights)))
    return sorted(turns.index(key) + 1 for key in question.gold if key in turns)


def measures(question: Asked, weights: Vector) -> list[float]:
    """The values of `METRICS`."""
    found = ranks(question, weights)
    shares = [sum(rank <= depth for rank in found) / len(question.gold) for depth in DEPTHS]
    return [*shares, 1 / found[0] if found else 0.0]


def cross_validate(
    asked: Sequence[Sequence[Asked]], *, kind: str, columns: Sequence[int] = ALL
) -> npt.NDArray[np.float64]:
    """Measures of every question, each the mean over the splits that didn't learn from it; shape (questions, 4)."""
    collected: list[list[list[list[float]]]] = [[] for _ in asked]
    for learned, scored in splits(len(asked), kind=kind):
        weights = learn(asked, conversations=learned, columns=columns)
        for number in scored:
            collected[number].append([measures(question, weights) for question in asked[number]])
    return np.concatenate([np.mean(of_one, axis=0) for of_one in collected])


def _ask_all(stores: Sequence[Store], conversations: Sequence[Conversation], *, alone: bool) -> list[list[Asked]]:
    return [
        [store.ask(question, alone=alone) for question in conversation.questions]
        for store, conversation in zip(stores, conversations, strict=True)
    ]


def _print_pool(asked: Sequence[Sequence[Asked]]) -> None:
    questions = [question for of_one in asked for question in of_one]
    size = np.mean([len(question.keys) for question in questions])
    held = np.mean([len(question.gold & set(question.keys)) / len(question.gold) for question in questions])
    print(f"{len(questions)} questions; a pool holds {size:.0f} memories and {held:.3f} of the gold turns\n")


def _print_ranking(asked: Sequence[Sequence[Asked]], *, alone: Sequence[Sequence[Asked]]) -> None:
    print(f"{'ranking':44s}" + "".join(f"{name:>8s}" for name in METRICS))
    for kind in ("two-fold", "leave one out"):
        rows = cross_validate(asked, kind=kind)
        _print_row(kind, rows)
        if kind == "two-fold":
            categories = [question.category for of_one in asked for question in of_one]
            for category in sorted(set(categories)):
                _print_row(f"  {category}", rows[[name == category for name in categories]])
    in_force = np.array([WEIGHTS[name] for name in FEATURES])
    _print_row("weights in force, as fitted on all", _all_measures(asked, in_force))
    _print_row("weights in force, no memory has a session", _all_measures(alone, in_force))
    window = np.array([float(name == "late_window") for name in FEATURES])
    _print_row("late_window alone", _all_measures(asked, window))


def _print_ablation(asked: Sequence[Sequence[Asked]]) -> None:
    print(f"\n{'without, leave one out':44s}" + "".join(f"{name:>8s}" for name in METRICS))
    whole = cross_validate(asked, kind="leave one out")
    for left_out in ALL:
        name = FEATURES[left_out]
        columns = [column for column in ALL if column != left_out]
        rows = cross_validate(asked, kind="leave one out", columns=columns)
        lost = " ".join(f"{value:+.4f}" for value in (rows - whole).mean(axis=0))
        print(f"  {name:42s} {lost}")


def _all_measures(asked: Sequence[Sequence[Asked]], weights: Vector) -> npt.NDArray[np.float64]:
    return np.array([measures(question, weights) for of_one in asked for question in of_one])


def _print_row(name: str, rows: npt.NDArray[np.float64]) -> None:
    print(f"{name:44s}" + "".join(f"{value:8.4f}" for value in rows.mean(axis=0)))


if __name__ == "__main__":
    main()
