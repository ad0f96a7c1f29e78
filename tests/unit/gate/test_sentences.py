from hypothesis import given
from hypothesis import strategies as st

from memory_core.gate.sentences import LONGEST_SENTENCE_CHARS, SentenceStream, split_sentences

TEXT = "The dome opens at 9.30 p.m. Dr. Weiss checks the wind first! Is it calm? Then we begin"


def test_sentences_come_out_once_and_whole_however_the_text_is_cut() -> None:
    whole = split_sentences(TEXT)
    stream = SentenceStream()
    pieces = [sentence for piece in TEXT for sentence in stream.add(piece)]
    assert [*pieces, stream.rest()] == whole
    assert whole[-3:] == [
        "The dome opens at 9.30 p.m. Dr. Weiss checks the wind first!",
        "Is it calm?",
        "Then we begin",
    ]


@given(st.text(max_size=200), st.integers(1, 20))
def test_no_word_is_lost(text: str, size: int) -> None:
    stream = SentenceStream()
    found = [sentence for start in range(0, len(text), size) for sentence in stream.add(text[start : start + size])]
    assert "".join("".join([*found, stream.rest()]).split()) == "".join(text.split())


def test_a_sentence_without_an_end_is_judged_all_the_same() -> None:
    stream = SentenceStream()
    assert stream.add("word " * LONGEST_SENTENCE_CHARS) != []
    assert stream.rest() == ""


def test_chinese_sentences_end_too() -> None:
    assert split_sentences("天文台九点开门。风速先检查。") == ["天文台九点开门。", "风速先检查。"]
