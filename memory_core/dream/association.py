"""Pure: edges that a memory gets from its neighbours, from names, and from where it came from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID, uuid5

from memory_core.dream.changes import Change, Entity, Op
from memory_core.dream.known import Known
from memory_core.dream.snapshot import Snapshot
from memory_core.dream.tagging import names
from memory_core.values import LinkKind, MemoryKind

RELATED_FLOOR = 0.6
"""Cosine from which two statements count as being about the same thing."""
MOST_RELATED = 3
"""RELATED_TO edges that one look at a memory draws."""
LARGEST_DEGREE = 8
"""RELATED_TO edges of one memory: more would connect everything with everything."""
MOST_MENTIONED = 3
_BOUND = frozenset(LinkKind) - {LinkKind.MENTIONS}
"""Kinds that say already how two memories are related."""


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """Who and what a scope has memories of: names to the ids of the memories that introduce them."""

    by_name: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


def people_of(rows: Sequence[Known]) -> People:
    """The names that memories of the kind `entity` introduce."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if row.kind is MemoryKind.ENTITY:
            for name in names(row.text):
                found.setdefault(name.casefold(), []).append(row.memory_id)
    return People(by_name={name: tuple(ids) for name, ids in found.items()})


def related(memory: Known, near: Sequence[tuple[Known, float]], *, snapshot: Snapshot) -> Iterator[tuple[Known, float]]:
    """Neighbours that a RELATED_TO edge is to be drawn to; noted in the snapshot as they are taken."""
    drawn = 0
    for other, cosine in near:
        if drawn == MOST_RELATED or cosine < RELATED_FLOOR or snapshot.related[memory.memory_id] >= LARGEST_DEGREE:
            return
        if not other.in_force or snapshot.related[other.memory_id] >= LARGEST_DEGREE:
            continue
        if snapshot.joined(memory.memory_id, other.memory_id, kinds=tuple(_BOUND)):
            continue
        drawn += 1
        yield other, cosine


def mentioned(memory: Known, people: People) -> list[str]:
    """Memories that introduce whom or what this one names.

    A name that two memories introduce is left alone: two people may have the same first name.
    """
    if memory.kind is MemoryKind.ENTITY:
        return []
    found: list[str] = []
    for name in sorted(names(memory.text), key=len, reverse=True):
        introduced = people.by_name.get(name.casefold(), ())
        if len(introduced) == 1 and introduced[0] != memory.memory_id:
            found.append(introduced[0])
    return list(dict.fromkeys(found))[:MOST_MENTIONED]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEdge:
    """An edge to be drawn."""

    kind: LinkKind
    source_id: str
    target_id: str
    reason: str
    weight: float = 1.0


def edge_change(edge: NewEdge, *, run_id: str, scope: str) -> Change:
    """The change that draws an edge; its id is the same each time the run comes here."""
    link_id = str(uuid5(UUID(run_id), f"{edge.kind}:{edge.source_id}:{edge.target_id}"))
    return Change(
        op=Op.LINK,
        memory_id=edge.source_id,
        other_id=edge.target_id,
        reason=edge.reason,
        entity=Entity.LINK,
        entity_id=link_id,
        after={
            "scope_key": scope,
            "kind": edge.kind,
            "source_id": edge.source_id,
            "target_id": edge.target_id,
            "weight": round(edge.weight, 3),
            "reason": edge.reason,
            "run_id": run_id,
        },
    )
