import pytest

from memory_core.privacy.redaction import redact
from tests.unit.privacy.secret_cases import NEGATIVES, positives

POSITIVES = positives()
LEFT_OVER_CHARS = 6
REQUIRED_RECALL = 0.98


def leaks(text: str, secret: str) -> bool:
    """Whether a run of the secret's characters is still in the redacted text."""
    kept = redact(text).text
    size = min(len(secret), LEFT_OVER_CHARS)
    return any(secret[at : at + size] in kept for at in range(len(secret) - size + 1))


def test_the_sets_are_large_enough_to_mean_something() -> None:
    assert len(POSITIVES) >= 80
    assert len(NEGATIVES) >= 80


def test_recall_on_the_set_of_secrets_reaches_the_floor() -> None:
    missed = [text for text, secret in POSITIVES if leaks(text, secret)]
    assert 1 - len(missed) / len(POSITIVES) >= REQUIRED_RECALL, missed


@pytest.mark.parametrize(("text", "secret"), POSITIVES, ids=[str(n) for n in range(len(POSITIVES))])
def test_a_secret_is_replaced_and_the_words_around_it_stay(text: str, secret: str) -> None:
    kept = redact(text, pii=False).text
    assert not leaks(text, secret)
    words_before = text.split(secret, maxsplit=1)[0].split()
    assert all(word in kept for word in words_before if word.isalpha() and word.lower() != "bearer")


@pytest.mark.parametrize("text", NEGATIVES)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(("text", "secret"), POSITIVES, ids=[str(n) for n in range(len(POSITIVES))])
def test_redacting_twice_changes_nothing(text: str, secret: str) -> None:
    once = redact(text)
    twice = redact(once.text)
    assert secret not in twice.text
    assert twice.text == once.text
    assert not twice.counts
