"""Only what a newer statement can replace is retired; measured on labelled pairs, and looked at one by one."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.claims.comparing import compare
from memory_core.claims.reading import read
from memory_core.claims.statement import Statement, Verdict
from memory_core.values import Origin
from tests.quality.measure_claims import REPLACED, found, measure
from tests.quality.statement_pairs import EVERYDAY, UNSEEN, Pair, pairs

AT = datetime(2026, 5, 4, 12, tzinfo=UTC)
PAIRS = list(pairs())


def said(text: str, *, days: int = 0, **fields: object) -> Statement:
    statement = Statement(
        text=text, origin=Origin.USER, said_at=AT + timedelta(days=days), speaker="Ana", one_person=True
    )
    return replace(statement, **fields)  # pyright: ignore[reportArgumentType] the names are checked by replace


def test_the_labelled_pairs_are_judged_well_enough() -> None:
    shares = measure()
    assert shares["pairs"] >= 400
    assert shares["replacements_found"] >= 0.9
    assert shares["wrongly_retired"] == 0
    assert shares["doubts_found"] >= 0.9
    assert shares["wrongly_flagged"] <= 2
    assert (shares["same_precision"], shares["near_duplicate_precision"], shares["refined_precision"]) == (1, 1, 1)
    assert shares["same_recall"] >= 0.8


def test_of_pairs_that_were_not_tuned_on_none_is_wrongly_retired() -> None:
    shares = measure(UNSEEN)
    assert shares["pairs"] >= 70
    assert shares["wrongly_retired"] == 0
    assert shares["replacements_found"] >= 0.5


def test_of_corrections_said_in_passing_none_retires_what_holds() -> None:
    shares = measure(EVERYDAY)
    assert shares["pairs"] >= 56
    assert shares["wrongly_retired"] == 0
    assert shares["wrongly_flagged"] == 0
    assert shares["replacements_found"] >= 0.35


@pytest.mark.parametrize(
    "pair", [pair for pair in PAIRS if pair.label not in REPLACED], ids=lambda pair: str(pair)[:80]
)
def test_what_may_still_hold_is_never_retired(pair: Pair) -> None:
    assert found(pair) not in REPLACED


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair.label == "unrelated"][::7])
def test_whoever_speaks_in_between_changes_nothing_either(pair: Pair) -> None:
    """Words of courtesy and details in front don't make a mention a change."""
    talkative = replace(pair, newer=replace(pair.newer, text=f"Oh by the way: {pair.newer.text}"))
    assert found(talkative) not in REPLACED


def test_the_rest_of_a_statement_is_what_still_holds() -> None:
    older = said("I live in Porto and my sister Ines lives in Braga. Our dog likes the beach.")
    comparison = compare(older, said("I moved to Lisbon", days=3))
    assert comparison.verdict is Verdict.REPLACES
    assert comparison.rest == "My sister Ines lives in Braga. Our dog likes the beach."


def test_a_sentence_that_says_more_is_only_doubted() -> None:
    comparison = compare(said("I live in Porto with my wife and work at Acme"), said("I moved to Lisbon", days=3))
    assert (comparison.verdict, comparison.rest) == (Verdict.CONTRADICTS, "")


def test_a_greeting_is_no_rest() -> None:
    comparison = compare(said("Hi there! I live in Porto."), said("I moved to Lisbon", days=3))
    assert (comparison.verdict, comparison.rest) == (Verdict.REPLACES, "")


def test_what_was_to_happen_and_did_is_not_out_of_date() -> None:
    older = said("The budget meeting is on Thursday (7 May 2026)", event_at=AT + timedelta(days=3))
    assert compare(older, said("The budget meeting is on Friday now", days=1)).verdict is Verdict.REPLACES
    assert compare(older, said("The budget meeting is on Friday now", days=30)).verdict is Verdict.UNRELATED


def test_a_known_correction_needs_no_word_that_says_so() -> None:
    older, newer = said("The port is 5432"), said("The port is 5433", days=1)
    assert compare(older, newer).verdict is Verdict.CONTRADICTS
    assert compare(older, replace(newer, corrects=True)).verdict is Verdict.REPLACES


def test_an_echo_of_the_assistant_changes_nothing() -> None:
    echo = said("The staging port is 9090 now", days=1, origin=Origin.ASSISTANT, speaker=None)
    assert compare(said("The staging port is 8080"), echo).verdict is Verdict.CONTRADICTS
    assert compare(replace(echo, said_at=AT), said("The staging port is 8080 now", days=2)).verdict is Verdict.REPLACES


def test_a_renamed_person_is_the_same_one_and_two_of_an_import_are_not() -> None:
    older, newer = said("I live in Porto"), said("I moved to Lisbon", days=1, speaker="Ana of the North")
    assert compare(older, newer).verdict is Verdict.REPLACES
    assert compare(older, replace(newer, imported=True)).verdict is Verdict.UNRELATED
    assert compare(replace(older, one_person=False), replace(newer, one_person=False)).verdict is Verdict.UNRELATED


@given(st.text(max_size=300), st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_any_text_can_be_compared(older: str, newer: str) -> None:
    comparison = compare(said(older), said(newer, days=1))
    assert comparison.verdict in Verdict


@pytest.mark.parametrize("piece", ["my ", "I ", "the meeting of ", "We moved the ", "from to ", "a.b.c. ", "1 2 3 "])
def test_no_text_takes_long_to_read(piece: str) -> None:
    reading = read(said((piece * 400)[:12_000]))
    assert len(reading.sentences) >= 1
