"""A long text in slices that can be looked through one by one, so that no look at it takes long.

An expression keeps the interpreter's lock while it runs: other threads get it between slices. A slice is read with some
of the text on both sides; what lies wholly there is its neighbour's.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from memory_core.privacy.spans import Span

SLICE_CHARS = 65_536
AROUND_CHARS = 2_048
"""Far longer than what any expression looks at, except tokens in one word: those are never cut."""
_BREAK = re.compile(r"[^\w.+/=~-]")
_LEAST_PART = 2
"""A line end in the second half of a slice is worth a shorter slice."""


class _Slice(NamedTuple):
    start: int
    end: int
    begin_around: int
    end_around: int


def find_in_slices(text: str, find: Callable[[str], Iterable[Span]]) -> Iterator[Span]:
    """What `find` finds in the text, slice by slice; spans at a border may come twice."""
    if len(text) <= SLICE_CHARS:
        yield from find(text)
        return
    for part in _slices(text):
        for start, end, kind in find(text[part.begin_around : part.end_around]):
            if start + part.begin_around < part.end and end + part.begin_around > part.start:
                yield Span(start + part.begin_around, end + part.begin_around, kind)


def _slices(text: str) -> Iterator[_Slice]:
    start = 0
    while start < len(text):
        end = _cut(text, start)
        around = _break_after(text, min(end + AROUND_CHARS, len(text)))
        yield _Slice(start, end, max(0, start - AROUND_CHARS), around)
        start = end


def _cut(text: str, start: int) -> int:
    """Where to end a slice: behind a line if one ends in time, otherwise behind the word."""
    full = start + SLICE_CHARS
    if full >= len(text):
        return len(text)
    line = text.rfind("\n", start + SLICE_CHARS // _LEAST_PART, full)
    return line + 1 if line >= 0 else _break_after(text, full)


def _break_after(text: str, at: int) -> int:
    found = _BREAK.search(text, at)
    return found.end() if found else len(text)
