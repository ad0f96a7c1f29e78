"""How well a score tells a stored answer from none: searches of known outcome, cross-validation by store, the curve.

Stored answers count when they are among the first that automatic recall injects. "Strangers" are another
conversation's questions, "swapped" the same with this one's names put in, "absent" ask a store of single facts what it
doesn't hold, "everyday" are errands and small talk.
"""

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from memory_core.ports import Embedder
from memory_core.recall.scoring import BASE, CAUTION, CURVE
from tests.quality.conditional_logit import Vector
from tests.quality.everyday_questions import EVERYDAY
from tests.quality.logistic_curve import Curve, Group, fit_curve
from tests.quality.ranking_bench import Asked, Conversation, Question, Store, of_facts
from tests.quality.single_facts import STORES

TOP = 5
"""Memories that automatic recall injects."""
THRESHOLD_LOG_ODDS = float(np.log(0.3 / 0.7))
FOREIGN_QUESTIONS = 80
"""Drawn for each conversation from the others."""
SEED = 7
STORED = ("conversation", "fact")
GROUP_WEIGHTS = {"strangers": 0.5, "swapped": 0.2}
"""What counts less than 1: nobody asks a store such questions often, and some of them it does answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A question asked of a store, of a kind that tells whether it has the answer.

    Attributes:
        store: Number of the conversation; facts go on behind them.
        kind: One of `STORED`, or why nothing answers.
        alone: No memory had a session.
    """

    store: int
    kind: str
    alone: bool
    asked: Asked

    @property
    def group(self) -> tuple[str, bool]:
        """What is counted together."""
        return self.kind, self.alone


def ask_conversations(
    stores: Sequence[Store],
    conversations: Sequence[Conversation],
    *,
    asked: Sequence[Sequence[Asked]],
    alone: Sequence[Sequence[Asked]],
) -> Iterator[Search]:
    """Searches of the recall bench, with and without sessions; questions about the wrong person are left out."""
    for is_alone, tables in ((False, asked), (True, alone)):
        for number, questions in enumerate(tables):
            for one in questions:
                if one.category != "adversarial" and len(one.gold_rows()):
                    yield Search(store=number, kind="conversation", alone=is_alone, asked=one)
    chance = random.Random(SEED)
    for number, store in enumerate(stores):
        template = replace(conversations[number].questions[0], category="unanswered", gold=frozenset())
        others = [
            (other, question.text)
            for other, conversation in enumerate(conversations)
            for question in conversation.questions
            if other != number and question.category != "adversarial"
        ]
        drawn = chance.sample(others, FOREIGN_QUESTIONS)
        names = sorted(store.speakers)
        swapped = [_rename(text, sorted(stores[other].speakers), to=names) for other, text in drawn]
        texts: dict[str, Sequence[str]] = {
            "everyday": EVERYDAY,
            "strangers": [text for _, text in drawn],
            "swapped": swapped,
        }
        yield from _unanswered(store, number=number, texts=texts, template=template)


def ask_facts(embedder: Embedder) -> Iterator[Search]:
    """Searches of the stores of single facts, with and without a session."""
    for number, facts in enumerate(STORES, start=100):
        conversation = of_facts(facts)
        store = Store(conversation, embedder)
        for is_alone in (False, True):
            for question in conversation.questions:
                kind = "fact" if question.gold else "absent"
                asked = store.ask(question, alone=is_alone)
                if not question.gold or len(asked.gold_rows()):
                    yield Search(store=number, kind=kind, alone=is_alone, asked=asked)
        template = conversation.questions[-1]
        yield from _unanswered(store, number=number, texts={"everyday, of facts": EVERYDAY}, template=template)


def _unanswered(store: Store, *, number: int, texts: dict[str, Sequence[str]], template: Question) -> Iterator[Search]:
    for kind, questions in texts.items():
        for text in questions:
            for alone in (False, True):
                asked = store.ask(replace(template, text=text), alone=alone)
                yield Search(store=number, kind=kind, alone=alone, asked=asked)


def _rename(text: str, names: Sequence[str], *, to: Sequence[str]) -> str:
    for name, other in zip(names, to, strict=False):
        text = re.sub(rf"\b{re.escape(name)}\b", other, text)
    return text


def calibrate(searches: Sequence[Search], *, weights: Vector) -> Curve:
    """The curve that tells the best answer of a question from the best memory where there is no answer.

    Questions whose answer isn't among the first `TOP` teach nothing here.
    """
    rows: dict[tuple[str, bool], list[npt.NDArray[np.float64]]] = defaultdict(list)
    for search in searches:
        values, rank = _values(search, weights)
        if rank < TOP:
            rows[search.group].append(values)
    return fit_curve(
        [
            Group(rows=np.stack(of_kind), is_stored=kind in STORED, weight=GROUP_WEIGHTS.get(kind, 1.0))
            for (kind, _), of_kind in rows.items()
        ]
    )


def print_calibration(searches: Sequence[Search], *, learned: Callable[[int], Vector]) -> None:
    """Print what passes a score of .3, each store scored by a curve that hasn't seen it.

    Args:
        searches: All of them.
        learned: Weights of the features without a store.
    """
    passed: dict[tuple[str, bool], list[float]] = defaultdict(list)
    for store in sorted({search.store for search in searches}):
        weights = learned(store)
        curve = calibrate([search for search in searches if search.store != store], weights=weights)
        for search in searches:
            if search.store == store:
                values, rank = _values(search, weights)
                passes = curve.log_odds(values.tolist()) - CAUTION >= THRESHOLD_LOG_ODDS
                passed[search.group].append(passes and rank < TOP)
    print(f"\nscore .3, each store left out once (caution {CAUTION})")
    for (kind, alone), values in passed.items():
        share = float(np.mean(values))
        told = "the answer is injected" if kind in STORED else "nothing is injected"
        shown = share if kind in STORED else 1 - share
        print(f"  {kind + (', no session' if alone else ''):34s} {told:24s} {shown:.3f}  of {len(values)}")


def print_curve(searches: Sequence[Search], *, weights: Vector) -> None:
    """Print the curve for `scoring.py`."""
    curve = calibrate(searches, weights=weights)
    print("CURVE =", {name: round(weight, 3) for name, weight in zip(CURVE, curve.weights, strict=True)})
    print(f"BASE = {curve.base:.2f} (in force: {dict(CURVE)}, {BASE})")


def _values(search: Search, weights: Vector) -> tuple[npt.NDArray[np.float64], int]:
    """What the curve looks at, and the rank of the best answer; where there is none, of the best memory, at rank 0."""
    sums = search.asked.table @ weights
    setting = search.asked.setting(weights)
    gold = search.asked.gold_rows() if search.kind in STORED else np.arange(len(sums))
    best = float(sums[gold].max())
    return np.array([best, setting.closest, setting.field, setting.pieces]), int((sums > best).sum())
