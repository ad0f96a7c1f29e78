"""One score out of the features."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.recall.features import FEATURES
from memory_core.recall.scoring import MIDDLE, SLOPE, WEIGHTS, score


def row(**features: float) -> list[float]:
    return [features.get(name, 0.0) for name in FEATURES]


def test_every_feature_has_a_weight() -> None:
    assert set(WEIGHTS) == set(FEATURES)


def test_more_evidence_scores_higher_and_questions_lower() -> None:
    table = np.array(
        [row(late_window=0.8, stretch=0.8, question=1.0), row(late_window=0.8, stretch=0.8), row(date=1.0)]
    )
    asking, telling, dated = score(table)
    assert 0 < dated.value < asking.value < telling.value < 1


def test_the_middle_is_a_half() -> None:
    (even,) = score(np.array([row(late_window=MIDDLE / WEIGHTS["late_window"])]))
    assert even.value == pytest.approx(0.5)


def test_the_parts_explain_the_score() -> None:
    (scored,) = score(np.array([row(late_window=0.9, gist=0.5, speaker=1.0)]))
    assert set(scored.parts) == {"late_window", "gist", "speaker"}
    assert scored.value == pytest.approx(1 / (1 + np.exp(-SLOPE * (sum(scored.parts.values()) - MIDDLE))))


def test_a_perfect_memory_passes_the_default_threshold_and_an_unrelated_one_does_not() -> None:
    perfect, unrelated = score(
        np.array(
            [
                row(late_window=0.8, stretch=0.8, gist=0.8, keyword_window=0.7),
                row(late_window=0.3, stretch=0.4, gist=0.3),
            ]
        )
    )
    assert perfect.value > 0.5
    assert unrelated.value < 0.05


@given(st.lists(st.lists(st.floats(-50, 50), min_size=len(FEATURES), max_size=len(FEATURES)), min_size=1, max_size=9))
def test_scores_follow_the_sums_and_stay_between_0_and_1(table: list[list[float]]) -> None:
    scored = score(np.array(table))
    sums = [sum(one.parts.values()) for one in scored]
    assert all(0 <= one.value <= 1 for one in scored)
    by_sum = [one.value for _, one in sorted(zip(sums, scored, strict=True), key=lambda pair: pair[0])]
    assert by_sum == pytest.approx(sorted(by_sum))
