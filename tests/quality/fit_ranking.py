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
import math
import random
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memory_core.adapters.fastembed_embedder import FastembedEmbedder
from memory_core.recall.features import FEATURES
from memory_core.recall.scoring import LENIENCE, MIDDLE, SLOPE, WEIGHTS
from tests.quality.conditional_logit import Choice, Vector, fit
from tests.quality.everyday_questions import EVERYDAY
from tests.quality.logistic_curve import Curve, fit_curve
from tests.quality.ranking_bench import Asked, Conversation, Store, read_conversations

Split = tuple[tuple[int, ...], tuple[int, ...]]
"""Numbers of the conversations to learn from and to score."""

ALL = tuple(range(len(FEATURES)))
METRICS = ("r@5", "r@10", "r@20", "MRR")
DEPTHS = (5, 10, 20)
TOP = 5
"""Memories that automatic recall injects."""
_ODDS = 0.3 / (1 - 0.3) * math.exp(-LENIENCE)
THRESHOLD = _ODDS / (1 + _ODDS)
"""Of the curve as fitted: where a score is .3 once the lenience in force is added."""
FOREIGN_QUESTIONS = 80
"""Drawn for each store from the other conversations."""
SEED = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """Questions asked of stores that don't hold the answer, by kind and conversation."""

    everyday: list[list[Asked]]
    strangers: list[list[Asked]]
    swapped: list[list[Asked]]

    def of(self, conversation: int) -> list[Asked]:
        """All kinds for one store."""
        return [*self.everyday[conversation], *self.strangers[conversation], *self.swapped[conversation]]


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
        asked = _ask_all(stores, conversations, alone=False)
        alone = _ask_all(stores, conversations, alone=True)
        unanswered = _ask_others(stores, conversations, alone=False)
        unanswered_alone = _ask_others(stores, conversations, alone=True)
    _print_pool(asked)
    _print_ranking(asked, alone=alone)
    _print_ablation(asked)
    everything = range(len(asked))
    # Memories with and without a session pass the same threshold, so the curve learns from both.
    both = [[*asked[number], *alone[number]] for number in everything]
    neither = [[*unanswered.of(number), *unanswered_alone.of(number)] for number in everything]
    _print_abstention(asked, unanswered, fitted_on=asked, stored=both, absent=neither)
    print("\nthe same, no memory has a session")
    _print_abstention(alone, unanswered_alone, fitted_on=asked, stored=both, absent=neither)
    weights = learn(asked, conversations=everything)
    curve = calibrate(both, neither, weights=weights, conversations=everything)
    print("\nfor scoring.py:")
    for name, weight in zip(FEATURES, weights, strict=True):
        print(f'    "{name}": {weight:.2f},')
    print(f"SLOPE, MIDDLE = {curve.slope:.3f}, {curve.middle:.2f}")


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


def calibrate(
    asked: Sequence[Sequence[Asked]],
    unanswered: Sequence[Sequence[Asked]],
    *,
    weights: Vector,
    conversations: Sequence[int],
) -> Curve:
    """The curve that tells the best gold memory of a question from the best memory of one that nothing answers.

    Questions whose gold isn't among the first `TOP` teach nothing here, nor do those about the wrong person.
    """
    stored = [
        float((question.table @ weights)[question.gold_rows()].max())
        for number in conversations
        for question in asked[number]
        if question.category != "adversarial" and (ranks(question, weights) or [TOP + 1])[0] <= TOP
    ]
    absent = [best(question, weights) for number in conversations for question in unanswered[number]]
    return fit_curve(stored, absent)


def best(question: Asked, weights: Vector) -> float:
    """The highest sum of a pool."""
    return float((question.table @ weights).max())


def _ask_all(stores: Sequence[Store], conversations: Sequence[Conversation], *, alone: bool) -> list[list[Asked]]:
    return [
        [store.ask(question, alone=alone) for question in conversation.questions]
        for store, conversation in zip(stores, conversations, strict=True)
    ]


def _ask_others(stores: Sequence[Store], conversations: Sequence[Conversation], *, alone: bool) -> Unanswered:
    chance = random.Random(SEED)
    everyday: list[list[Asked]] = []
    strangers: list[list[Asked]] = []
    swapped: list[list[Asked]] = []
    for number, store in enumerate(stores):
        template = replace(conversations[number].questions[0], category="unanswered", gold=frozenset())
        others = [
            (other, question)
            for other, conversation in enumerate(conversations)
            for question in conversation.questions
            if other != number and question.category != "adversarial"
        ]
        drawn = chance.sample(others, FOREIGN_QUESTIONS)
        texts = [question.text for _, question in drawn]
        renamed = [
            _rename(question.text, sorted(stores[other].speakers), to=sorted(store.speakers))
            for other, question in drawn
        ]
        for kind, texts_of_kind in ((everyday, EVERYDAY), (strangers, texts), (swapped, renamed)):
            kind.append([store.ask(replace(template, text=text), alone=alone) for text in texts_of_kind])
    return Unanswered(everyday=everyday, strangers=strangers, swapped=swapped)


def _rename(text: str, names: Sequence[str], *, to: Sequence[str]) -> str:
    for name, other in zip(names, to, strict=False):
        text = re.sub(rf"\b{re.escape(name)}\b", other, text)
    return text


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
    for left_out, name in enumerate(FEATURES):
        columns = [column for column in ALL if column != left_out]
        rows = cross_validate(asked, kind="leave one out", columns=columns)
        lost = " ".join(f"{value:+.4f}" for value in (rows - whole).mean(axis=0))
        print(f"  {name:42s} {lost}")


def _print_abstention(
    asked: Sequence[Sequence[Asked]],
    unanswered: Unanswered,
    *,
    fitted_on: Sequence[Sequence[Asked]],
    stored: Sequence[Sequence[Asked]],
    absent: Sequence[Sequence[Asked]],
) -> None:
    shares: dict[str, list[float]] = {}
    for learned, (number,) in splits(len(asked), kind="leave one out"):
        weights = learn(fitted_on, conversations=learned)
        curve = calibrate(stored, absent, weights=weights, conversations=learned)
        _count(shares, asked[number], weights=weights, curve=curve)
        kinds = {"everyday": unanswered.everyday, "of strangers": unanswered.strangers, "swapped": unanswered.swapped}
        for kind, questions in kinds.items():
            passed = [curve.value(best(question, weights)) >= THRESHOLD for question in questions[number]]
            shares.setdefault(f"unanswered, {kind}: nothing is injected", []).extend(1.0 - one for one in passed)
    print(f"\nscore .3, leave one out (in force: slope {SLOPE}, middle {MIDDLE}, lenience {LENIENCE})")
    for name, values in shares.items():
        print(f"  {name:56s} {np.mean(values):.3f}  of {len(values)}")


def _count(shares: dict[str, list[float]], questions: Sequence[Asked], *, weights: Vector, curve: Curve) -> None:
    for question in questions:
        kind = "wrong person" if question.category == "adversarial" else "answered"
        sums = (question.table @ weights).tolist()
        chosen = [row for row in best_first(question, weights)[:TOP] if curve.value(sums[row]) >= THRESHOLD]
        gold = {question.keys[row] for row in chosen} & question.gold
        shares.setdefault(f"{kind}: something is injected", []).append(float(bool(chosen)))
        shares.setdefault(f"{kind}: a gold turn is injected", []).append(float(bool(gold)))
        if chosen:
            shares.setdefault(f"{kind}: gold share of what is injected", []).append(len(gold) / len(chosen))


def _all_measures(asked: Sequence[Sequence[Asked]], weights: Vector) -> npt.NDArray[np.float64]:
    return np.array([measures(question, weights) for of_one in asked for question in of_one])


def _print_row(name: str, rows: npt.NDArray[np.float64]) -> None:
    print(f"{name:44s}" + "".join(f"{value:8.4f}" for value in rows.mean(axis=0)))


if __name__ == "__main__":
    main()
