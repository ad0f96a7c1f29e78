"""Pure: which day a bare weekday means under a stretch that was named before: "Next weekend: on Sunday we rest"."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from memory_core.dates.calendar_spans import Precision, Span

_STRETCHES = frozenset({Precision.WEEKEND, Precision.WEEK, Precision.DAYS})
_WEEK_DAYS = 7
_HEAD = re.compile(r"[^.!?\n:：]{0,40}?[)*_]{0,4}\s?[:：][*_]{0,3}\s*")
"""From the end of a stretch to behind the colon of its line; short, a heading isn't a sentence."""
_PARAGRAPH = re.compile(r"\n\s*\n")
_CLAUSE_EDGE = re.compile(r"[,;:.!?\n—–。！？，：]")


def governing(text: str, at: int, *, stretches: Sequence[tuple[int, Span]]) -> Span | None:
    """The stretch a weekday belongs to.

    Args:
        text: What was said.
        at: Where the weekday stands.
        stretches: The end of each mention before it in the text, in order, and what it means.

    Returns:
        The nearest stretch of at most a week whose heading the weekday stands under, up to the next empty line, or that
        stands before it in the same clause; None: it has no such stretch, so it hangs on the day it was said.
    """
    for end, span in reversed(stretches):
        if span.precision in _STRETCHES and (span.end - span.start).days <= _WEEK_DAYS and _governs(text, end, at=at):
            return span
    return None


def day_inside(weekday: Span, stretch: Span) -> Span | None:
    """The same weekday within the stretch, hours kept; None when the stretch has no such day: then it is unknown."""
    start = stretch.start + timedelta(days=(weekday.start.weekday() - stretch.start.weekday()) % _WEEK_DAYS)
    return replace(weekday, start=start, end=start + timedelta(days=1)) if start < stretch.end else None


def _governs(text: str, end: int, *, at: int) -> bool:
    head = _HEAD.match(text, end, at)
    if head is not None:
        return _PARAGRAPH.search(text, head.end(), at) is None
    return _CLAUSE_EDGE.search(text, end, at) is None
