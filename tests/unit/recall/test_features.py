"""What speaks for each memory of a pool."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.recall.features import FEATURES, WINDOW, Contender, measure
from memory_core.recall.periods import Period
from memory_core.recall.plan import Plan
from memory_core.values import Embedding, FloatArray, MemoryId, SparseVector
from memory_core.vectors import JoinedVectors

WIDTH = 8
NOON = datetime(2025, 6, 11, 12, tzinfo=UTC)
AXES = np.eye(WIDTH, dtype=np.float32)
NO_ROWS = np.zeros((0, WIDTH), dtype=np.float32)


def sparse(*numbers: int, weight: float = 1.0) -> SparseVector:
    return SparseVector(indices=numbers, values=(weight,) * len(numbers))


def memory(  # noqa: PLR0913 - a memory has as many sides
    number: int,
    *,
    text: str = "She said so.",
    session: int | None = 1,
    tokens: FloatArray = NO_ROWS,
    keywords: SparseVector | None = None,
    speaker: str | None = None,
    at: datetime = NOON,
    until: datetime | None = None,
    said_at: datetime | None = None,
) -> Contender:
    return Contender(
        memory_id=MemoryId(str(number)),
        text=text,
        speaker=speaker,
        session=session,
        place=number,
        said_at=said_at or at,
        event_at=at,
        event_until=until,
        tokens=tokens,
        keywords=keywords or sparse(),
    )


def asked(tokens: FloatArray = NO_ROWS, keywords: SparseVector | None = None) -> Embedding:
    rows = (tokens / max(len(tokens), 1)).astype(np.float32)
    return Embedding(dense=AXES[0], tokens=rows, sparse=keywords or sparse())


def column(name: str, query: Embedding, *, of: Sequence[Contender], plan: Plan | None = None) -> list[float]:
    return measure(query, of, plan=plan or Plan())[:, FEATURES.index(name)].tolist()


def test_a_memory_that_says_all_of_the_question_has_the_whole_window() -> None:
    pool = [memory(0, tokens=AXES[:3]), memory(9, tokens=AXES[:1]), memory(20, tokens=AXES[5:])]
    assert column("late_window", asked(AXES[:2]), of=pool) == pytest.approx([1.0, 0.5, 0.0])


def test_each_piece_counts_where_it_fits_best_within_the_window() -> None:
    pool = [memory(0, tokens=AXES[:1]), memory(1, tokens=AXES[1:2])]
    before, after = WINDOW[-1], WINDOW[1]
    assert column("late_window", asked(AXES[:2]), of=pool) == pytest.approx([(1 + after) / 2, (before + 1) / 2])


@pytest.mark.parametrize("distance", [*WINDOW, -4, 3])
def test_the_window_ends(distance: int) -> None:
    pool = [memory(10), memory(10 + distance, tokens=AXES[:1])]
    assert column("late_window", asked(AXES[:1]), of=pool)[0] == pytest.approx(WINDOW.get(distance, 0.0))


def test_nothing_is_borrowed_over_the_edge_of_a_session() -> None:
    pool = [memory(0, tokens=AXES[:1], session=1), memory(1, session=2)]
    assert column("late_window", asked(AXES[:1]), of=pool) == pytest.approx([1.0, 0.0])


def test_memories_without_a_session_stand_alone() -> None:
    pool = [memory(0, tokens=AXES[:1], session=None), memory(1, session=None)]
    query = asked(AXES[:1])
    assert column("late_window", query, of=pool) == column("stretch", query, of=pool) == pytest.approx([1.0, 0.0])


def test_opposite_meaning_is_no_evidence_against() -> None:
    assert column("late_window", asked(AXES[:2]), of=[memory(0, tokens=-AXES[:1])]) == pytest.approx([0.0])


def test_a_stretch_is_as_good_as_its_best_place() -> None:
    pool = [memory(place, tokens=AXES[:1] if place == 3 else NO_ROWS) for place in range(7)]
    near, window = column("stretch", asked(AXES[:1]), of=pool), column("late_window", asked(AXES[:1]), of=pool)
    assert near[1:6] == pytest.approx([1.0] * 5)
    assert (near[0], near[6]) == pytest.approx((max(window[:3]), max(window[4:])))


def test_the_gist_compares_whole_meanings() -> None:
    pool = [memory(0, tokens=AXES[:2]), memory(9, tokens=AXES[:4]), memory(20)]
    assert column("gist", asked(AXES[:2]), of=pool) == pytest.approx([1.0, np.sqrt(0.5), 0.0])


def test_rare_keywords_count_more() -> None:
    pool = [memory(number * 9, keywords=sparse(1, 2) if number == 0 else sparse(1)) for number in range(5)]
    pool.append(memory(90, keywords=sparse(2)))
    shares = column("keyword_window", asked(keywords=sparse(1, 2)), of=pool)
    assert shares[0] == pytest.approx(1.0)
    assert shares[5] > 2 * shares[1] > 0


def test_a_keyword_that_nobody_has_lowers_the_share_of_the_others() -> None:
    pool = [memory(0, keywords=sparse(1)), memory(9)]
    (known, _), (halved, _) = (
        column("keyword_window", asked(keywords=wanted), of=pool) for wanted in (sparse(1), sparse(1, 7))
    )
    assert 0 < halved < known / 2


def test_an_answer_gets_what_the_question_before_it_says() -> None:
    pool = [
        memory(0, text="Where is the kayak?", keywords=sparse(1)),
        memory(1),
        memory(5, text="The kayak is blue.", keywords=sparse(1)),
        memory(6),
    ]
    answers = column("answer", asked(keywords=sparse(1)), of=pool)
    assert answers[1] > 0
    assert answers[0] == answers[2] == answers[3] == 0


@pytest.mark.parametrize(
    ("at_days", "said_days", "length_days", "expected"),
    [
        (0, 0, 1, 1.0),
        (-3, 40, 1, 0.0),
        (40, 0, 1, 1.0),
        (5, 5, 1, 1.0),
        (20, 20, 1, 0.4),
        (40, 40, 1, 0.0),
        (-5, -5, 1, 0.0),
        (29, 29, 30, 1.0),
        (35, 35, 30, 0.4),
        (45, 45, 30, 0.0),
    ],
)
def test_what_happened_or_was_told_in_the_time_named_fits(  # noqa: PLR0917 - one row of the table
    at_days: int, said_days: int, length_days: int, expected: float
) -> None:
    since = datetime(2025, 3, 1, tzinfo=UTC)
    noon = since + timedelta(hours=12)
    period = Period(since=since, until=since + timedelta(days=length_days))
    pool = [memory(0, at=noon + timedelta(days=at_days), said_at=noon + timedelta(days=said_days))]
    assert column("date", asked(), of=pool, plan=Plan(periods=(period,))) == [expected]


def test_a_long_event_fits_a_day_within_it() -> None:
    day = datetime(2025, 3, 10, tzinfo=UTC)
    period = Period(since=day, until=day + timedelta(days=1))
    pool = [memory(0, at=day - timedelta(days=9), until=day + timedelta(days=9), said_at=day + timedelta(days=99))]
    assert column("date", asked(), of=pool, plan=Plan(periods=(period,))) == [1.0]


def test_wording_counts_only_where_the_question_wants_it() -> None:
    pool = [memory(0, text="They met Carla in 1999?", speaker="Ana")]
    plain = measure(asked(), pool, plan=Plan())[0]
    wanting = measure(asked(), pool, plan=Plan(speaker="Ana", asks_when=True, asks_number=True))[0]
    told = dict(zip(FEATURES, zip(plain.tolist(), wanting.tolist(), strict=True), strict=True))
    assert [told[name] for name in ("speaker", "time", "number")] == [(0.0, 1.0)] * 3
    assert told["question"] == (1.0, 1.0)
    assert told["names"] == pytest.approx((np.log(2), np.log(2)))


def test_what_a_person_says_of_themselves_counts_where_one_person_is_asked_about() -> None:
    said = [memory(0, text="I gave my boat away."), memory(1, text="You did so well, your boat is gone!")]
    assert column("self", asked(), of=said, plan=Plan(speaker="Ana")) == pytest.approx([np.log(3), -np.log(3)])
    assert column("self", asked(), of=said) == [0.0, 0.0]


def test_names_count_again_where_a_name_is_wanted() -> None:
    said = [memory(0, text="They met Carla in Porto"), memory(1, text="They met there")]
    assert column("wanted_names", asked(), of=said, plan=Plan(asks_name=True)) == pytest.approx([np.log(3), 0.0])
    assert column("wanted_names", asked(), of=said) == [0.0, 0.0]


def test_a_quiet_name_is_no_news() -> None:
    assert column("names", asked(), of=[memory(0, text="They met Carla")], plan=Plan(quiet=frozenset({"carla"}))) == [
        0.0
    ]


def test_a_question_without_words_measures_nothing() -> None:
    empty = Embedding(dense=AXES[0], tokens=np.zeros((0, 0), dtype=np.float32), sparse=sparse())
    table = measure(empty, [memory(0, text="so", tokens=AXES[:2], keywords=sparse(3))], plan=Plan())
    assert table.tolist() == [[0.0] * len(FEATURES)]


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), size=st.integers(1, 12))
def test_the_order_of_a_pool_changes_nothing(seed: int, size: int) -> None:
    chance = np.random.default_rng(seed)

    def rows(count: int) -> FloatArray:
        drawn = chance.standard_normal((count, WIDTH))
        return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)

    pool = [
        memory(
            number,
            session=[None, 1, 2][number % 3],
            tokens=rows(int(chance.integers(0, 4))),
            keywords=sparse(*sorted(set(chance.integers(0, 6, 3).tolist()))),
        )
        for number in range(size)
    ]
    query = asked(rows(3), sparse(1, 2, 3))
    order: list[int] = chance.permutation(size).tolist()
    straight, shuffled = measure(query, pool, plan=Plan()), measure(query, [pool[row] for row in order], plan=Plan())
    assert np.isfinite(straight).all()
    assert shuffled == pytest.approx(straight[order], abs=1e-6)


def test_keywords_stand_for_rows_of_another_model() -> None:
    query = asked(AXES[:2], keywords=sparse(1, 2))
    pool = [memory(1, session=None, keywords=sparse(1, 2)), memory(2, session=None, keywords=sparse(1)), memory(3)]
    numbers = [number for one in pool for number in one.keywords.indices]
    vectors = JoinedVectors(
        rows=np.zeros((3, WIDTH), np.float32),
        starts=np.arange(3),
        numbers=np.array(numbers),
        weights=np.ones(len(numbers)),
        owners=np.array([0, 0, 1]),
    )
    late = FEATURES.index("late_window")
    assert measure(query, pool, plan=Plan(), vectors=vectors)[:, late].tolist() == [0, 0, 0]
    unread = replace(vectors, unread=np.array([True, True, False]))
    whole, half, nothing = measure(query, pool, plan=Plan(), vectors=unread)[:, late].tolist()
    assert whole == pytest.approx(0.8)
    assert 0 < half < 0.4
    assert nothing == 0
