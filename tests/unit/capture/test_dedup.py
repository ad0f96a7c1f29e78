"""Two texts share a key when a reader would notice no difference, and only then."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.capture.dedup import TextKeys, normalise

KEYS = TextKeys(b"k" * 64)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I like tea.", "i  like\ntea"),
        ("I like tea!", "  I like tea…"),
        ("“I like tea”", "I like tea"),
        ("ＴＥＡ", "tea"),
        ("Caf\u00e9", "Cafe\u0301"),
        ("I moved, to Oslo:", "I moved, to Oslo"),
    ],
)
def test_small_differences_of_writing_are_none(one: str, other: str) -> None:
    assert KEYS.of(one, speaker="Ana") == KEYS.of(other, speaker="ANA ")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I write C", "I write C++"),
        ("I write C", "I write C#"),
        ("She is coming", "She is coming?"),
        ("👍", "👎"),
        ("👍", ""),
        ("It was -5", "It was 5"),
        ("-5 degrees", "5 degrees"),
        ("+351", "351"),
        ("I owe $5", "I owe 5"),
        ("It grew by 5", "It grew by 5%"),
        ("I like tea", "I like tea (a lot)"),
        ("I don't", "I dont"),
        ("a b", "ab"),
    ],
)
def test_what_a_reader_notices_makes_another_fact(one: str, other: str) -> None:
    assert KEYS.of(one, speaker=None) != KEYS.of(other, speaker=None)


def test_the_same_words_of_another_person_are_another_fact() -> None:
    words = "I like tea"
    assert len({KEYS.of(words, speaker=speaker) for speaker in ("Ana", "Bo", None)}) == 3


def test_speaker_and_words_cannot_be_shifted_into_each_other() -> None:
    assert KEYS.of("b c", speaker="a") != KEYS.of("c", speaker="a b")
    assert KEYS.of("b\0c", speaker="a") != KEYS.of("c", speaker="a\0b")


def test_without_the_key_of_the_installation_a_guess_cannot_be_tested() -> None:
    assert TextKeys(b"one").of("I like tea", speaker=None) != TextKeys(b"two").of("I like tea", speaker=None)


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(st.text(max_size=50), st.none() | st.text(max_size=10))
def test_a_key_is_32_hexadecimal_digits(text: str, speaker: str | None) -> None:
    assert len(bytes.fromhex(KEYS.of(text, speaker=speaker))) == 16
