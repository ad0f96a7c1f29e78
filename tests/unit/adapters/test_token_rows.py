import numpy as np
import pytest

from memory_core.adapters.bundled_model import STATE_SIZE, States
from memory_core.adapters.token_rows import MAX_ROWS, TOKEN_SIZE, TokenRows, direction, load_projection, unit_rows
from memory_core.adapters.word_pieces import PieceTable, words_of
from memory_core.keywords import keywords

# Numbers of words start at 1996 in the real vocabulary, the commonest first.
_VOCABULARY = (
    "[PAD]",
    "[CLS]",
    "[SEP]",
    "[UNK]",
    "!",
    "+",
    "猫",
    "к",
    "##к",
    *(f"[unused{n}]" for n in range(1987)),
    "the",
    "oak",
    "mar",
    "##guer",
    "##ite",
    "café",
    "2",
    "s",
    *(f"word{n}" for n in range(4000)),
)
_NUMBER = {piece: number for number, piece in enumerate(_VOCABULARY)}


@pytest.fixture(scope="module")
def table() -> PieceTable:
    return PieceTable(_VOCABULARY)


@pytest.fixture(scope="module")
def rows(table: PieceTable) -> TokenRows:
    return TokenRows(table, load_projection())


def states(*pieces: str) -> States:
    ids = np.array([_NUMBER[piece] for piece in ("[CLS]", *pieces, "[SEP]")], dtype=np.int64)
    drawn = np.random.default_rng(3).standard_normal((len(ids), STATE_SIZE)).astype(np.float32)
    return States(piece_ids=ids, states=drawn)


@pytest.mark.parametrize(
    ("piece", "latin", "other", "meaning"),
    [
        ("oak", True, False, True),
        ("2", True, False, True),
        ("café", True, False, True),
        ("##ite", True, False, True),
        ("the", True, False, False),
        ("s", True, False, False),
        ("猫", False, True, False),
        ("##к", False, True, False),
        ("[UNK]", False, True, False),
        ("!", False, False, False),
        ("[CLS]", False, False, False),
        ("[unused3]", False, False, False),
    ],
)
def test_pieces_are_told_apart(table: PieceTable, piece: str, latin: bool, other: bool, meaning: bool) -> None:  # noqa: FBT001, PLR0917 - one row of the table
    number = _NUMBER[piece]
    assert (table.is_latin[number], table.is_other[number], table.carries_meaning[number]) == (latin, other, meaning)


def test_rarer_pieces_count_more_up_to_the_thousandth(table: PieceTable) -> None:
    numbers = np.array([_NUMBER[piece] for piece in ("oak", "word50", "word900", "word3000")])
    weights = table.weights(numbers)
    assert weights[0] < weights[1] < weights[2]
    assert weights[2] == pytest.approx(weights[3], rel=0.02)


def test_words_are_put_together_from_their_pieces(table: PieceTable) -> None:
    said = states("oak", "mar", "##guer", "##ite", "mar").piece_ids
    assert table.of_words(said, words=words_of("Marguerite!")).tolist() == [
        False,
        False,
        True,
        True,
        True,
        False,
        False,
    ]
    assert not table.of_words(said, words=frozenset()).any()


def test_words_are_folded_like_the_vocabulary() -> None:
    assert words_of("Zoë O'Brien-Café") == {"zoe", "o", "brien", "cafe"}


def test_rows_leave_out_marks_function_words_and_other_scripts(rows: TokenRows) -> None:
    made, weights = rows.rows(states("the", "oak", "!", "猫", "[UNK]", "2"), keywords=[])
    assert made.shape == (2, TOKEN_SIZE)
    assert weights.shape == (2,)
    assert np.linalg.norm(made, axis=1) == pytest.approx(1, abs=1e-5)


def test_keywords_of_other_scripts_are_rows_of_their_own(rows: TokenRows) -> None:
    made, _ = rows.rows(states("[UNK]", "[UNK]"), keywords=["我的", "猫", "我的", "oak"])
    assert made.tolist() == np.concatenate([direction("我的", TOKEN_SIZE), direction("猫", TOKEN_SIZE)]).tolist()


def test_nothing_said_has_no_rows(rows: TokenRows) -> None:
    made, weights = rows.rows(states("the", "!"), keywords=[])
    assert made.shape == (0, TOKEN_SIZE)
    assert weights.shape == (0,)


def test_of_many_rows_the_weightiest_stay_in_reading_order(rows: TokenRows) -> None:
    common, rare = ["oak", "2"] * 30, [f"word{n}" for n in range(2000, 2064)]
    pieces = [piece for pair in zip(common, rare, strict=False) for piece in pair] + rare[60:]
    said = states(*pieces)
    made, weights = rows.rows(said, keywords=[])
    kept = [number for number, piece in enumerate(("[CLS]", *pieces)) if piece in set(rare)]
    assert len(made) == MAX_ROWS
    assert weights.min() == weights.max()
    expected = unit_rows(said.states[kept] @ load_projection())
    assert made == pytest.approx(expected, abs=1e-5)


def test_quiet_words_have_no_row(rows: TokenRows) -> None:
    said = states("mar", "##guer", "##ite", "oak")
    loud, _ = rows.rows(said, keywords=[])
    quiet, _ = rows.rows(said, keywords=[], quiet=["Marguerite"])
    assert (len(loud), len(quiet)) == (4, 1)
    assert quiet[0].tolist() == loud[3].tolist()


def test_quiet_words_count_when_nothing_else_is_left(rows: TokenRows) -> None:
    made, _ = rows.rows(states("oak"), keywords=[], quiet=["oak"])
    assert len(made) == 1


def test_a_question_has_rows_for_its_function_words(rows: TokenRows) -> None:
    made, weights = rows.rows(states("the", "oak", "!"), keywords=[], function_words=True)
    assert len(made) == 2
    assert weights[0] < weights[1]


def test_in_a_question_rare_words_decide_the_pooled_vector(rows: TokenRows) -> None:
    said = states("the", "word3000", "oak")
    weights = rows.rows(said, keywords=[], function_words=True)[1]
    loud = said.states[1:3] * weights[:2, np.newaxis]
    expected = unit_rows(loud.sum(axis=0, keepdims=True))[0]
    assert rows.pooled_question(said, keywords=[], quiet=["oak"]) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("pieces", [("oak",), ("!",), ("[UNK]", "猫", "oak")])
def test_a_question_of_quiet_or_unreadable_words_is_pooled_like_a_memory(
    rows: TokenRows, pieces: tuple[str, ...]
) -> None:
    said, found = states(*pieces), keywords("猫")
    pooled = rows.pooled_question(said, keywords=found, quiet=["oak"])
    assert pooled.tolist() == rows.pooled(said, keywords=found).tolist()


def test_a_text_the_model_cannot_read_is_pooled_from_its_keywords(rows: TokenRows) -> None:
    unreadable, found = states("[UNK]", "猫", "[UNK]"), keywords("我的猫")
    pooled = rows.pooled(unreadable, keywords=found)
    assert np.linalg.norm(pooled) == pytest.approx(1, abs=1e-5)
    assert float(pooled @ direction("猫", STATE_SIZE)[0]) > 0.4
    readable = states("oak", "word1", "word2", "猫")
    mean = readable.states.mean(axis=0)
    assert rows.pooled(readable, keywords=found) == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)


def test_directions_of_different_keywords_are_nearly_square() -> None:
    made = np.concatenate([direction(f"{n}猫", TOKEN_SIZE) for n in range(300)])
    cosines = np.abs(made @ made.T - np.eye(300))
    assert np.linalg.norm(made, axis=1) == pytest.approx(1, abs=1e-5)
    assert cosines.max() < 0.5
    assert cosines.mean() < 0.1


def test_directions_never_change() -> None:
    # Stored vectors hold them.
    assert (direction("猫", 16) > 0).astype(int).tolist()[0] == [1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 1, 0, 1, 1, 0, 0]


def test_the_projection_keeps_lengths_and_angles_of_what_it_holds() -> None:
    projection = load_projection()
    assert projection.shape == (STATE_SIZE, TOKEN_SIZE)
    assert projection.T @ projection == pytest.approx(np.eye(TOKEN_SIZE), abs=1e-3)
