import time

import pytest

from memory_core.privacy.redaction import redact
from tests.quality.measure_secrets import leaks
from tests.quality.secret_set import look_alikes, secrets

RECALL_FLOOR, HARM_CEILING = 0.98, 0.01
KINDS_FLOOR = 25
LONGEST_TURN_CHARS = 32_000
CEILING_S = 2.0


@pytest.mark.parametrize(
    ("first", "second"),
    [("secrets.txt", "look_alikes.txt"), ("secrets_unseen.txt", "look_alikes_unseen.txt")],
)
def test_secrets_are_found_and_look_alikes_stay(first: str, *, second: str) -> None:
    cases = secrets(first)
    leaked = [text for _, text, value in cases if leaks(text, value)]
    assert len({kind for kind, _, _ in cases}) >= KINDS_FLOOR
    assert 1 - len(leaked) / len(cases) >= RECALL_FLOOR, leaked
    harmless = look_alikes(second)
    harmed = [text for text in harmless if redact(text).text != text]
    assert len(harmed) / len(harmless) <= HARM_CEILING, harmed


def test_a_leak_would_be_noticed() -> None:
    assert leaks("the ferry leaves at noon", "ferry leaves")
    assert not leaks("password: Kranich-77", "Kranich-77")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("export FOO=hunter2 && make", "export FOO=[secret 1] && make"),
        ("export K='a b c d'", "export K='[secret 1]'"),
        ("export PATH=/opt/bin:$PATH", "export PATH=/opt/bin:$PATH"),
        ("export LOG_LEVEL=debug", "export LOG_LEVEL=debug"),
        ("password: Kranich-77, again: Kranich-77", "password: [password 1], again: [password 1]"),
        ("redis-cli -a Kranich-77 ping", "redis-cli -a [password 1] ping"),
        ("mein Passwort ist abgelaufen", "mein Passwort ist abgelaufen"),
        ("API_KEY=${API_KEY:?missing}", "API_KEY=${API_KEY:?missing}"),
    ],
)
def test_the_words_around_a_secret_stay(text: str, kept: str) -> None:
    assert redact(text).text == kept


@pytest.mark.parametrize(
    "piece",
    [
        *("token ", "token a1B2c3D4e5F6g7H8 ", "my key ", "password a b c d ", "pass ", "pin is ", "export A=b "),
        *("$env:", "login: a/", "recovery code ", "12 words are abc ", "secret_key', ", "zip -P a ", "a1b2c3 as my "),
        *("echo a | ", "net use /user:", "-p ", "password? It's ", "name: SECRET\nvalue: ", "clave de ", "mysql -p "),
        *("x1y2z3 is my ", "api_key=abc123def456ghi789 ", "password: Kranich-77 "),
    ],
)  # fmt: skip
def test_time_stays_linear_on_texts_made_to_be_slow(piece: str) -> None:
    text = (piece * (LONGEST_TURN_CHARS // len(piece) + 1))[:LONGEST_TURN_CHARS]
    begin = time.process_time()
    redact(text)
    assert time.process_time() - begin < CEILING_S
