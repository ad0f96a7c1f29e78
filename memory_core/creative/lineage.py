"""Pure: from an artifact to what it was made from, and to what was made from it, over any number of steps."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

MAX_RELATIVES = 100
MAX_STEPS = 12

Edges = Sequence[tuple[str, str]]
"""From the thing that was made to the thing that it was made from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relative:
    """A node that was reached, and over how many steps."""

    node: str
    steps: int


def walk(
    start: Collection[str], *, edges: Callable[[Sequence[str]], Edges], kin: Callable[[Sequence[str]], Sequence[str]]
) -> list[Relative]:
    """Nodes that can be reached, the nearest first, at most `MAX_RELATIVES`; ends where lineage runs in a circle.

    Args:
        start: Nodes that belong together, such as all revisions of an artifact.
        edges: Pairs of a given node and the next one.
        kin: The given nodes together with those that count as the same thing, such as other revisions of it.
    """
    seen = set(start)
    found: list[Relative] = []
    frontier = sorted(start)
    for steps in range(1, MAX_STEPS + 1):
        reached = [node for node in dict.fromkeys(other for _, other in edges(frontier)) if node not in seen]
        found += [Relative(node=node, steps=steps) for node in reached]
        if not reached or len(found) >= MAX_RELATIVES:
            break
        seen.update(reached)
        frontier = list(dict.fromkeys([*reached, *kin(reached)]))
        seen.update(frontier)
    return found[:MAX_RELATIVES]
