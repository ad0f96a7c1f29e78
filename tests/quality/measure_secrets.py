"""Recall of secrets and harm to look-alikes: `python -m tests.quality.measure_secrets [--show tuned|unseen]`.

Rules were tuned on `data/secrets.txt` and `look_alikes.txt`. The files `*_unseen.txt` were written after that; what
they showed at first is the figure to believe and stands in docs/capture.md, with what was mended since. A secret leaks
when six of its characters in a row survive that don't stand around it too.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence

from memory_core.privacy.redaction import redact
from tests.quality.secret_set import look_alikes, secrets

_LEFT_OVER_CHARS = 6
_PARTS = {
    "tuned": ("secrets.txt", "look_alikes.txt"),
    "unseen": ("secrets_unseen.txt", "look_alikes_unseen.txt"),
}


def leaks(text: str, secret: str) -> bool:
    """Whether a run of the secret's characters is still in the redacted text."""
    kept = redact(text).text
    around = text.replace(secret, "\ufffc")
    size = min(len(secret), _LEFT_OVER_CHARS)
    runs = (secret[at : at + size] for at in range(len(secret) - size + 1))
    return any(run in kept and run not in around for run in runs)


def measure_secrets() -> dict[str, object]:
    """Recall and harm on the set the rules were tuned on and on the unseen one."""
    return {part: _figures(secrets(first), look_alikes(second)) for part, (first, second) in _PARTS.items()}


def _figures(cases: Sequence[tuple[str, str, str]], harmless: Sequence[str]) -> dict[str, object]:
    leaked = Counter(kind for kind, text, value in cases if leaks(text, value))
    harmed = sum(redact(text).text != text for text in harmless)
    return {
        "secrets": len(cases),
        "kinds": len({kind for kind, _, _ in cases}),
        "recall": round(1 - leaked.total() / len(cases), 3),
        "leakedKinds": dict(leaked),
        "harmless": len(harmless),
        "harmed": harmed,
    }


def _show(part: str) -> None:
    first, second = _PARTS[part]
    for kind, text, value in secrets(first):
        if leaks(text, value):
            print(f"leaks {kind}: {text[:200]!r} -> {redact(text).text[:200]!r}")
    for text in look_alikes(second):
        if redact(text).text != text:
            print(f"harms: {text!r} -> {redact(text).text!r}")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", choices=tuple(_PARTS), help="print what leaks and what is harmed")
    shown = parser.parse_args().show
    if shown:
        _show(shown)
    print(json.dumps(measure_secrets(), indent=1))


if __name__ == "__main__":
    main()
