"""Precision and recall of the detectors of personal data on a marked set.

usage: python -m tests.quality.measure_redaction synth_dataset_v2.json [--show]

The file is a list of {"full_text", "spans": [{"entity_type", "start_position", "end_position"}]}. A marked stretch is
found when nine tenths of it are covered by spans of its kind; a span is right when it overlaps a stretch of its kind.
"""

import argparse
import json
import time
from collections import Counter
from pathlib import Path
from typing import TypedDict

from memory_core.privacy.detectors import find_sensitive
from memory_core.privacy.spans import SensitiveKind, Span

KINDS = {
    "EMAIL_ADDRESS": SensitiveKind.EMAIL,
    "PHONE_NUMBER": SensitiveKind.PHONE,
    "US_SSN": SensitiveKind.SSN,
    "CREDIT_CARD": SensitiveKind.CARD,
}
COVERED = 0.9


class Marked(TypedDict):
    entity_type: str
    start_position: int
    end_position: int


class Row(TypedDict):
    full_text: str
    spans: list[Marked]


def covers(marked: Marked, spans: list[Span]) -> bool:
    """Whether the spans cover nearly all of the marked stretch."""
    wanted = range(marked["start_position"], marked["end_position"])
    hit = sum(any(span.start <= position < span.end for span in spans) for position in wanted)
    return hit >= COVERED * len(wanted)


def overlaps(span: Span, marked: list[Marked]) -> bool:
    """Whether the span shares a character with one of the marked stretches."""
    return any(span.start < one["end_position"] and one["start_position"] < span.end for one in marked)


class Tally:
    """Counts by kind."""

    def __init__(self) -> None:
        """Start at zero."""
        self.wanted: Counter[str] = Counter()
        self.found: Counter[str] = Counter()
        self.claimed: Counter[str] = Counter()
        self.right: Counter[str] = Counter()
        self.notes: list[str] = []

    def add(self, row: Row, spans: list[Span]) -> None:
        """Count one text."""
        for name, kind in KINDS.items():
            marked = [one for one in row["spans"] if one["entity_type"] == name]
            ours = [span for span in spans if span.kind == kind]
            missed = [one for one in marked if not covers(one, ours)]
            wrong = [span for span in ours if not overlaps(span, marked)]
            self.wanted[name] += len(marked)
            self.found[name] += len(marked) - len(missed)
            self.claimed[name] += len(ours)
            self.right[name] += len(ours) - len(wrong)
            self._note(
                f"missed {name}", row, stretches=[(one["start_position"], one["end_position"]) for one in missed]
            )
            self._note(f"wrong {name}", row, stretches=[(span.start, span.end) for span in wrong])
        secrets = [(span.start, span.end) for span in spans if span.kind not in KINDS.values()]
        self.claimed["secrets"] += len(secrets)
        self._note("secret", row, stretches=secrets)

    def _note(self, what: str, row: Row, *, stretches: list[tuple[int, int]]) -> None:
        text = row["full_text"]
        self.notes += [f"{what}: {text[max(0, a - 40) : a]!r} | {text[a:b]!r}" for a, b in stretches]


def measure_redaction(data: Path) -> dict[str, object]:
    """Recall and precision by kind, what was taken for a secret, and texts a CPU-second."""
    tally, texts_a_cpu_s = _tally(data)
    kinds = {
        name: {
            "marked": tally.wanted[name],
            "recall": round(tally.found[name] / max(1, tally.wanted[name]), 3),
            "precision": round(tally.right[name] / max(1, tally.claimed[name]), 3),
        }
        for name in KINDS
    }
    return {**kinds, "takenForSecrets": tally.claimed["secrets"], "textsPerCpuS": texts_a_cpu_s}


def _tally(data: Path) -> tuple[Tally, int]:
    rows: list[Row] = json.loads(data.read_text(encoding="utf-8"))
    begin = time.process_time()
    results = [find_sensitive(row["full_text"], pii=True) for row in rows]
    took_s = time.process_time() - begin
    tally = Tally()
    for row, spans in zip(rows, results, strict=True):
        tally.add(row, spans)
    return tally, round(len(rows) / took_s)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--show", action="store_true", help="print what was missed and what was wrong")
    arguments = parser.parse_args()
    if arguments.show:
        print("\n".join(_tally(arguments.data)[0].notes))
    print(json.dumps(measure_redaction(arguments.data), indent=1))


if __name__ == "__main__":
    main()
