import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.context.working_memory import flatten, is_telling, telling_sentences


@pytest.mark.parametrize(
    "sentence",
    [
        "The staging port is 48213.",
        "We decided to drop the nightly mail.",
        "I need to renew the passport by Friday.",
        "The ticket is OBS-412.",
        "The config lies in /etc/dome/shutter.toml",
        "It runs since version 2.4.1.",
        "Wir haben beschlossen, im Mai zu fahren.",
    ],
)
def test_decisions_tasks_and_values_are_kept(sentence: str) -> None:
    assert telling_sentences([sentence], known="") == [sentence]


@pytest.mark.parametrize("sentence", ["How are you today?", "That sounds lovely.", "Which port is it, 5432 or 5433?"])
def test_talk_and_questions_are_not(sentence: str) -> None:
    assert telling_sentences([sentence], known="") == []


def test_what_the_model_sees_anyway_is_left_out() -> None:
    assert telling_sentences(["The staging port is 48213."], known=flatten("Well: the  Staging port is 48213.")) == []


def test_newest_first_each_once_and_bounded() -> None:
    texts = [f"Ticket OBS-{number} is open." for number in range(20)]
    assert telling_sentences([*texts, texts[0]], known="", limit=3) == texts[:3]


@given(
    st.lists(
        st.sampled_from(["Fine.", "The port is 48213.", "Is it 5432?", "We decided so!", "明日です。", "\n", " ", "  "])
    )
)
def test_a_text_is_telling_when_one_of_its_sentences_is(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert is_telling(text) == bool(telling_sentences([text], known=""))
