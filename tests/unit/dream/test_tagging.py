import pytest

from memory_core.dream.tagging import MOST_TAGS, names, tags_for, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I met Marta Silva in Porto.", ["Marta Silva", "Porto"]),
        ("Yesterday was fine.", []),
        ("Marta called. I told Marta to wait.", ["Marta"]),
        ("New York is loud.", ["New York"]),
        ("I'll ask OK Tom's sister on Monday.", ["Tom"]),
        ("Call [EMAIL_1] (Friday 8 May 2026).", []),
    ],
)
def test_names(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_terms_leave_out_words_that_sort_nothing() -> None:
    assert terms("I really like the observatory's dome in the morning") == ["observatory", "dome"]


def test_words_of_the_text_s_own_language_are_left_out() -> None:
    assert "son" in terms("My son repairs the clock")
    assert "son" not in terms("Los relojes de la casa son viejos y son caros")


def test_a_tag_is_a_name_or_a_word_that_other_memories_share() -> None:
    holding = {"observatory": 3, "dome": 1, "shutter": 30}
    assert tags_for("The observatory dome has a shutter", present=[], holding=holding, texts=40) == ["observatory"]


def test_tags_are_bounded_with_those_that_are_there() -> None:
    text = "Ana, Bo, Cy, Di, Ed and Flo met Gus, Hal and Ida."
    assert len(tags_for(text, present=["mine"], holding={}, texts=1)) == MOST_TAGS - 1
    assert tags_for(text, present=list("abcde"), holding={}, texts=1) == []


def test_a_tag_that_is_there_is_not_added_again() -> None:
    assert tags_for("I met Marta in Porto", present=["marta"], holding={}, texts=1) == ["porto"]
