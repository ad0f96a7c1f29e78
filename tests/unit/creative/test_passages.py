"""What is remembered of a content: every word while that is possible, bounded always."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.creative.passages import (
    EXCERPT_CHARS,
    MAX_PASSAGES,
    PASSAGE_CHARS,
    Named,
    excerpt_around,
    excerpt_of,
    first_line,
    mention,
    passages,
)

NAMED = Named(title="Shutter protocol", project="observatory", space="dome-control", kind="design_note")


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=6000))
def test_passages_hold_every_visible_character_in_order(content: str) -> None:
    together = "".join("".join(passages(content)).split())
    assert together == "".join(content.split())
    assert all(len(passage) <= 2 * PASSAGE_CHARS for passage in passages(content))


@pytest.mark.parametrize("unit", ["word ", "观测所的圆顶。", "x"])
def test_a_huge_content_is_sampled_over_its_whole_length(unit: str) -> None:
    content = (unit * 1_000_000)[: 1_000_000 - 7] + " the end"
    found = passages(content)
    assert 1 < len(found) <= MAX_PASSAGES
    assert all(0 < len(passage) <= PASSAGE_CHARS for passage in found)


def test_code_keeps_its_lines() -> None:
    code = "def close(wind: float) -> bool:\n    return wind > 12\n"
    assert passages(code) == [code.rstrip()]


def test_an_excerpt_is_one_short_line() -> None:
    assert excerpt_of("Close it.\n\n  Then  wait.") == "Close it. Then wait."
    long = excerpt_of("word " * 500)
    assert long.endswith("word …")
    assert len(long) <= EXCERPT_CHARS + 2


def test_an_excerpt_for_a_query_begins_where_the_answer_stands() -> None:
    passage = "The motor is greased. The crank hangs behind the red cabinet. The lamp is green."
    assert excerpt_around(passage, "where is the crank").startswith("The crank hangs")
    assert excerpt_around(passage, "?").startswith("The motor")


def test_a_mention_names_the_work_and_how_it_begins() -> None:
    said = mention(NAMED, excerpt="Close it.")
    assert said == (
        '"Shutter protocol" is a design note kept in project observatory, space dome-control. It begins: Close it.'
    )
    assert mention(NAMED, excerpt="").endswith("space dome-control.")


@pytest.mark.parametrize(
    ("content", "title"),
    [("# Plan\nmore", "Plan"), ("\n\n  --- \nReal start", "Real start"), ("***", "Untitled"), ("x" * 500, "x" * 200)],
)
def test_what_has_no_title_is_called_by_its_first_line(content: str, title: str) -> None:
    assert first_line(content) == title
