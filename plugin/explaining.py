"""Why each memory was recalled or left out, as a table for people."""

from collections.abc import Iterator, Mapping, Sequence

from plugin.client import Json, as_object
from plugin.terminal import printable

SHOWN = 50
"""Candidates that are shown; behind them there is only what fits less and less."""
_TEXT_CHARS = 100
_HEADINGS = ("score", "outcome", "made of", "memory")


def explained(trace: Sequence[Json]) -> Iterator[str]:
    """Lines of a table: score, outcome and parts of each candidate, best first, the largest part of a score first.

    Args:
        trace: Of an answer of `/v1/recall` with `explain`.
    """
    rows = [_HEADINGS, *map(_row, trace[:SHOWN])]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS) - 1)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield "  ".join([*cells, row[-1]]).rstrip()
    if len(trace) > SHOWN:
        yield f"... and {len(trace) - SHOWN} more with a lower score"


def _row(entry: Json) -> tuple[str, str, str, str]:
    score = entry.get("score")
    text = str(entry.get("text") or "")
    shown = text if len(text) <= _TEXT_CHARS else f"{text[:_TEXT_CHARS]}…"
    return (
        f"{score:.3f}" if isinstance(score, int | float) else "",
        printable(str(entry.get("outcome") or "")),
        _parts(as_object(entry.get("parts"))),
        printable(f"{entry.get('kref')} {shown}"),
    )


def _parts(parts: Mapping[str, object]) -> str:
    numbers = [(name, value) for name, value in parts.items() if isinstance(value, int | float) and value]
    numbers.sort(key=lambda part: -abs(part[1]))
    return " ".join(f"{printable(name)} {value:+.2f}" for name, value in numbers)
