"""Expressions tried only where a text gives reason to: near a literal that each of their matches holds.

A substring search costs a hundredth of what an expression with alternatives does, and ordinary text has few of the
literals. The result is that of looking everywhere, as long as a match with all that it looks at lies within `before`
and `after` of the literal.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple


class Spot(NamedTuple):
    """Where a sign stands: character offsets, `end` behind its last one."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Source:
    """A text, and the same in lower case, character for character."""

    text: str
    lowered: str


def source_of(text: str) -> Source:
    """The text, ready to be searched without regard to case."""
    lowered = text
    # Letters that `re` takes for an I, i or S where case doesn't count, and that `lower` makes longer or leaves.
    for letter, plain in (("\u0130", "i"), ("\u0131", "i"), ("\u017f", "s")):
        lowered = lowered.replace(letter, plain)
    return Source(text, lowered.lower())


def spots_of(lowered: str, signs: Iterable[str]) -> list[Spot]:
    """Every place of every sign, by start."""
    found: list[Spot] = []
    for sign in signs:
        at = lowered.find(sign)
        while at >= 0:
            found.append(Spot(at, at + len(sign)))
            at = lowered.find(sign, at + len(sign))
    found.sort()
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """An expression and the literals one of which stands in each of its matches.

    Attributes:
        pattern: What is looked for.
        signs: In lower case; none means the expression is as cheap as its signs would be.
        before: How many characters before the start of a sign a match may begin.
        after: How many characters behind the end of a sign may matter to a match.
    """

    pattern: re.Pattern[str]
    signs: tuple[str, ...] = ()
    before: int = 0
    after: int = 0

    def finditer(self, source: Source) -> Iterator[re.Match[str]]:
        """The matches, in ascending order, without overlap."""
        if not self.signs:
            yield from self.pattern.finditer(source.text)
            return
        spots = spots_of(source.lowered, self.signs)
        yield from matches_near(self.pattern, source.text, stretches=stretches(spots, self.before, after=self.after))


def stretches(spots: Iterable[Spot], before: int, *, after: int) -> Iterator[Spot]:
    """Ascending spots widened on both sides; those that overlap become one."""
    start = end = -1
    for spot in spots:
        if spot.start - before > end:
            if end >= 0:
                yield Spot(start, end)
            start = max(0, spot.start - before)
        end = max(end, spot.end + after)
    if end >= 0:
        yield Spot(start, end)


def matches_near(pattern: re.Pattern[str], text: str, *, stretches: Iterable[Spot]) -> Iterator[re.Match[str]]:
    """The matches within ascending stretches of a text; what stands before a stretch is seen by looking back."""
    for start, end in stretches:
        yield from pattern.finditer(text, start, end)
