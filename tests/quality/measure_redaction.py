"""Precision and recall of the detectors of personal data on a marked set.

usage: python tests/quality/measure_redaction.py synth_dataset_v2.json [--show]

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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--show", action="store_true", help="print what was missed and what was wrong")
    arguments = parser.parse_args()
    rows: list[Row] = json.loads(arguments.data.read_text(encoding="utf-8"))
    wanted: Counter[str] = Counter()
    found: Counter[str] = Counter()
    right: Counter[str] = Counter()
    claimed: Counter[str] = Counter()
    begin = time.process_time()
    results = [find_sensitive(row["full_text"], pii=True) for row in rows]
    took_s = time.process_time() - begin
    for row, spans in zip(rows, results, strict=True):
        text = row["full_text"]
        for name, kind in KINDS.items():
            marked = [one for one in row["spans"] if one["entity_type"] == name]
            ours = [span for span in spans if span.kind == kind]
            wanted[name] += len(marked)
            claimed[name] += len(ours)
            for one in marked:
                found[name] += (hit := covers(one, ours))
                if arguments.show and not hit:
                    print(f"missed {name}: {text[max(0, one['start_position'] - 40) : one['end_position'] + 12]!r}")
            for span in ours:
                right[name] += (hit := overlaps(span, marked))
                if arguments.show and not hit:
                    print(
                        f"wrong {name}: {text[max(0, span.start - 40) : span.start]!r} |"
                        f" {text[span.start : span.end]!r}"
                    )
        others = [span for span in spans if span.kind not in KINDS.values()]
        claimed["secrets"] += len(others)
        if arguments.show:
            for span in others:
                print(f"secret: {text[max(0, span.start - 40) : span.end]!r}")
    for name in KINDS:
        recall, precision = found[name] / max(1, wanted[name]), right[name] / max(1, claimed[name])
        print(f"{name:14s} n {wanted[name]:4d}  recall {recall:.3f}  precision {precision:.3f}")
    print(f"secrets claimed: {claimed['secrets']}; {len(rows) / took_s:.0f} texts a CPU-second")


if __name__ == "__main__":
    main()
