"""Recall of secrets and harm to look-alikes: `python -m tests.quality.measure_secrets [--show all|tuned|unseen]`.

Rules were tuned on the lines of `secret_set` with an even number; the others are the figures to believe. A secret leaks
when six of its characters in a row survive.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence

from memory_core.privacy.redaction import redact
from tests.quality.secret_set import HARMLESS, secrets

_LEFT_OVER_CHARS = 6


def leaks(text: str, secret: str) -> bool:
    """Whether a run of the secret's characters is still in the redacted text."""
    kept = redact(text).text
    size = min(len(secret), _LEFT_OVER_CHARS)
    return any(secret[at : at + size] in kept for at in range(len(secret) - size + 1))


def measure_secrets() -> dict[str, object]:
    """Recall and harm of both halves, and the kinds that leak in the unseen one."""
    found = secrets()
    return {
        "kinds": len({kind for kind, _, _ in found}),
        "tuned": _figures(found[::2], HARMLESS[::2]),
        "unseen": _figures(found[1::2], HARMLESS[1::2]),
    }


def _figures(cases: Sequence[tuple[str, str, str]], harmless: Sequence[str]) -> dict[str, object]:
    leaked = Counter(kind for kind, text, value in cases if leaks(text, value))
    harmed = sum(redact(text).text != text for text in harmless)
    return {
        "secrets": len(cases),
        "recall": round(1 - leaked.total() / len(cases), 3),
        "leakedKinds": dict(leaked),
        "harmless": len(harmless),
        "harmed": harmed,
    }


def _show(start: int, step: int) -> None:
    for kind, text, value in secrets()[start::step]:
        if leaks(text, value):
            print(f"leaks {kind}: {text[:200]!r} -> {redact(text).text[:200]!r}")
    for text in HARMLESS[start::step]:
        if redact(text).text != text:
            print(f"harms: {text!r} -> {redact(text).text!r}")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", choices=("all", "tuned", "unseen"), help="print what leaks and what is harmed")
    shown = parser.parse_args().show
    if shown:
        _show(1 if shown == "unseen" else 0, 1 if shown == "all" else 2)
    print(json.dumps(measure_secrets(), indent=1))


if __name__ == "__main__":
    main()
