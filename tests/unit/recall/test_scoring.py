"""One score out of the features."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.recall.features import FEATURES
from memory_core.recall.scoring import BASE, CAUTION, CURVE, FALL, WEIGHTS, Setting, best_row, score, setting_of


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


def test_the_parts_explain_the_score() -> None:
    setting = Setting(closest=0.5, field=0.1, pieces=2.0)
    (scored,) = score(np.array([row(late_window=0.9, gist=0.5, speaker=1.0)]), setting=setting)
    assert set(scored.parts) == {"late_window", "gist", "speaker"}
    log_odds = CURVE["sum"] * sum(scored.parts.values()) + setting.log_odds + BASE - CAUTION
    assert scored.value == pytest.approx(1 / (1 + np.exp(-log_odds)))


def test_the_best_row_has_the_highest_sum() -> None:
    assert best_row(np.array([row(question=1.0), row(late_window=0.5), row(late_window=0.4)])) == 1


def test_a_memory_that_stands_out_is_surer_than_one_among_its_like() -> None:
    table = np.array([row(late_window=0.5, stretch=0.5)])
    (apart,) = score(table, setting=Setting(closest=0.6, field=0.1))
    (alike,) = score(table, setting=Setting(closest=0.6, field=0.4))
    (far,) = score(table, setting=Setting(closest=0.2, field=0.1))
    assert far.value < apart.value > alike.value


def test_the_setting_takes_the_best_memory_out_of_the_field() -> None:
    setting = setting_of([0.2, 0.9, None], best=1, found=[0.9, 0.2, 0.1, 0.3], pieces=8)
    assert setting.closest == 0.9
    assert 0.15 < setting.field < 0.2
    assert setting.pieces == pytest.approx(math.log(8))


def test_a_memory_that_dense_search_missed_is_as_close_as_the_last_it_found() -> None:
    assert setting_of([None], best=0, found=[0.5, 0.3], pieces=4).closest == 0.3


def test_a_lonely_memory_stands_out_from_an_ordinary_field() -> None:
    setting = setting_of([0.7], best=0, found=[0.7], pieces=4)
    assert setting.field == pytest.approx(setting_of([None], best=0, found=[], pieces=0).field)
    assert setting.field < 0.3


def test_a_perfect_memory_passes_the_default_threshold_and_an_unrelated_one_does_not() -> None:
    perfect, unrelated = score(
        np.array(
            [
                row(late_window=0.8, stretch=0.8, gist=0.8, keyword_window=0.7),
                row(late_window=0.3, stretch=0.4, gist=0.3),
            ]
        ),
        setting=Setting(closest=0.3, field=0.15, pieces=2.3),
    )
    assert perfect.value > 0.5
    assert unrelated.value < 0.3


@given(st.lists(st.lists(st.floats(-50, 50), min_size=len(FEATURES), max_size=len(FEATURES)), min_size=1, max_size=9))
def test_scores_follow_the_sums_and_stay_between_0_and_1(table: list[list[float]]) -> None:
    scored = score(np.array(table))
    sums = [sum(one.parts.values()) for one in scored]
    assert all(0 <= one.value <= 1 for one in scored)
    by_sum = [one.value for _, one in sorted(zip(sums, scored, strict=True), key=lambda pair: pair[0])]
    assert by_sum == pytest.approx(sorted(by_sum))


def test_what_is_worse_than_the_best_falls_faster_than_the_curve() -> None:
    best, worse = score(np.array([row(late_window=0.8), row(late_window=0.6)]))
    lost = np.log(best.value / (1 - best.value)) - np.log(worse.value / (1 - worse.value))
    assert lost == pytest.approx(FALL * 0.2 * WEIGHTS["late_window"])
