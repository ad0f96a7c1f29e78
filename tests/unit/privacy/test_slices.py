import time

import pytest

from memory_core.privacy.redaction import redact
from memory_core.privacy.slices import SLICE_CHARS
from tests.unit.privacy.secret_cases import positives

FILLER = "The ferry left before noon and nobody waited on the pier.\n"
LENGTH_CHARS = 100_000
RATIO_CEILING = 3.0
"""Twice the text takes twice the time; four times would be quadratic."""


def test_secrets_across_the_border_of_slices_are_found() -> None:
    for _, secret in (case for case in positives() if "\n" not in case[1]):
        line = f"password: {secret}"
        padding = "x " * ((SLICE_CHARS - len(line) // 2) // 2)
        text = f"{padding}{line} {padding}"
        assert redact(text).text.count(secret) <= redact(f"x x {line} x x").text.count(secret)


def test_a_private_key_across_the_border_of_slices_is_one_placeholder() -> None:
    mark = "PRIVATE KEY-----"
    key = f"-----BEGIN {mark}\n" + "QUJDRDEyMzQ1Njc4OTAxMjM0NTY3ODkw\n" * 300 + f"-----END {mark}"
    before = FILLER * ((SLICE_CHARS - len(key) // 2) // len(FILLER))
    assert redact(f"{before}{key}\n{FILLER}").text == f"{before}[private key 1]\n{FILLER}"


@pytest.mark.parametrize("piece", ["M-", "-eyJ", "pass: ", "a@b.", "=", "1 2", "token a1B2c3d4e5f6g7h8 ", "\"'"])
def test_time_grows_no_faster_than_the_text(piece: str) -> None:
    text = piece * (2 * LENGTH_CHARS // len(piece))
    assert _least_cpu_s(text) / _least_cpu_s(text[:LENGTH_CHARS]) < RATIO_CEILING


def _least_cpu_s(text: str) -> float:
    times: list[float] = []
    for _ in range(3):
        began = time.process_time()
        redact(text)
        times.append(time.process_time() - began)
    return min(times)
