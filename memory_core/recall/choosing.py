"""Pure: which of the ranked memories are given to the agent, and why the others are not."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import islice

from memory_core.recall.finding import Ranked
from memory_core.recall.ledger import Injected

SHOWN_CHARS = 120
"""How much of a memory's text a trace shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What is given to the agent, best first, under which limits."""

    ranked: Sequence[Ranked]
    chosen: Sequence[Ranked]
    threshold: float
    known: Set[Injected]

    def trace(self, *, packed: int) -> list[dict[str, object]]:
        """Every ranked memory with its score, what it is made of, and what became of it.

        Args:
            packed: How many of the chosen stand in the block.
        """
        places = {entry.row.memory_id: place for place, entry in enumerate(self.chosen)}
        return [
            {
                "kref": entry.row.kref,
                "text": entry.row.text[:SHOWN_CHARS],
                "score": round(entry.score, 4),
                "parts": {name: round(value, 4) for name, value in entry.parts.items()},
                "outcome": self._outcome(entry, place=places.get(entry.row.memory_id), packed=packed),
            }
            for entry in self.ranked
        ]

    def _outcome(self, entry: Ranked, *, place: int | None, packed: int) -> str:
        if place is not None:
            return "in the block" if place < packed else "chosen, but the block was full"
        if entry.score < self.threshold:
            return f"left out: its score is below the threshold of {self.threshold:g}"
        if as_injected(entry) in self.known:
            return "left out: it was injected in this session already"
        return f"left out: {len(self.chosen)} better ones were found"


def choose(ranked: Sequence[Ranked], *, threshold: float, limit: int, known: Set[Injected]) -> Choice:
    """Choose the best that reach the threshold and aren't known already.

    Args:
        ranked: Best first.
        threshold: Lowest score.
        limit: Most that are chosen.
        known: What isn't to be injected again.
    """
    fitting = (entry for entry in ranked if entry.score >= threshold and as_injected(entry) not in known)
    return Choice(ranked=ranked, chosen=list(islice(fitting, limit)), threshold=threshold, known=known)


def as_injected(entry: Ranked) -> Injected:
    """The memory as it would stand in a block."""
    return Injected(memory_id=entry.row.memory_id, version=entry.row.version)
