"""One scope as a run sees it: what is in force, its vectors and edges, kept in step with what the run does."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
import numpy.typing as npt

from memory_core.dream.known import Known, known_of
from memory_core.dream.tagging import terms
from memory_core.identity import is_one_persons
from memory_core.store.database import Database
from memory_core.store.dream_views import DreamViewRepository
from memory_core.values import FloatArray, LinkKind, ScopeKey

_FLOAT_BYTES = 4
_DIGITS = 5
"""Cosines are rounded, so that a resumed run, whose matrices have other shapes, orders neighbours the same way."""

Edge = tuple[str, str, LinkKind]
"""Source, target and kind."""


@dataclass(slots=True, kw_only=True)
class Snapshot:
    """Memories of one scope in the order in which they were stored.

    Attributes:
        rows: The memories that were in force when it was read.
        broken: Those of them that can't be understood.
        places: Row number by id.
        vectors: Pooled vectors, a row for each memory; zero where there is none of the common model.
        in_force: Which rows still are.
        edges: All edges of the scope.
        related: Number of RELATED_TO edges by memory.
        by_node: The edges of each memory.
        texts: Number of memories of the scope, whatever their status.
        holding: In how many of them each term stands.
    """

    scope: ScopeKey
    rows: list[Known]
    vectors: FloatArray
    edges: set[Edge]
    texts: int
    holding: Counter[str]
    places: dict[str, int] = field(default_factory=dict[str, int])
    related: Counter[str] = field(default_factory=Counter[str])
    by_node: dict[str, set[Edge]] = field(default_factory=dict[str, set[Edge]])
    broken: set[str] = field(default_factory=set[str])
    in_force: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))

    def __post_init__(self) -> None:
        self.places = {row.memory_id: place for place, row in enumerate(self.rows)}
        self.in_force = np.ones(len(self.rows), np.bool_)
        for edge in self.edges:
            self._note(edge)

    def find(self, memory_id: str) -> Known | None:
        """A memory that is in force; None when it isn't, or not in this scope."""
        row = self.row(memory_id)
        return row if row is not None and row.in_force else None

    def row(self, memory_id: str) -> Known | None:
        """A memory that was in force when the run began; None when it wasn't, or isn't of this scope."""
        place = self.places.get(memory_id)
        return None if place is None else self.rows[place]

    def note_version(self, memory_id: str, *, version: int) -> None:
        """Note which version the tables have now."""
        if row := self.row(memory_id):
            row.version = version

    def retire(self, memory: Known) -> None:
        """Note that a memory is no longer in force."""
        memory.in_force = False
        self.in_force[self.places[memory.memory_id]] = False

    def link(self, edge: Edge) -> bool:
        """Note an edge; False when it is there already."""
        if edge in self.edges:
            return False
        self.edges.add(edge)
        self._note(edge)
        return True

    def move_edges(self, merged: str, *, to: str) -> None:
        """Let the edges of a memory be those of another one, as far as that one lacks them."""
        for edge in sorted(self.by_node.get(merged, ())):
            source, target, kind = edge
            moved = (to if source == merged else source, to if target == merged else target, kind)
            if moved[0] != moved[1] and moved not in self.edges:
                self._drop(edge)
                self.link(moved)

    def joined(self, one: str, other: str, *, kinds: Sequence[LinkKind]) -> bool:
        """Whether an edge of one of the kinds stands between two memories, whichever way."""
        return any((one, other, kind) in self.edges or (other, one, kind) in self.edges for kind in kinds)

    def cosines(self, memory_ids: Sequence[str]) -> FloatArray:
        """How near each of the given memories lies to every memory: a block with a row for each of them."""
        return self.vectors[[self.places[memory_id] for memory_id in memory_ids]] @ self.vectors.T

    def cosine(self, one: Known, other: Known) -> float:
        """How near two memories lie to each other."""
        return float(self.vectors[self.places[one.memory_id]] @ self.vectors[self.places[other.memory_id]])

    def nearest(self, memory: Known, cosines: FloatArray, *, floor: float, limit: int) -> list[tuple[Known, float]]:
        """The nearest memories that are in force at this moment, nearest first, with their cosines.

        Args:
            memory: Whose neighbours.
            cosines: Its row of `cosines`.
            floor: Smallest cosine.
            limit: Most neighbours.
        """
        may = (cosines >= floor) & self.in_force
        may[self.places[memory.memory_id]] = False
        near = np.flatnonzero(may)
        if len(near) > limit:  # cut before sorting, with all that are equal to the last one after rounding
            last = np.partition(cosines[near], -limit)[-limit]
            near = near[cosines[near] >= last - 10.0**-_DIGITS]
        ranked = sorted((-round(float(cosines[place]), _DIGITS), int(place)) for place in near)[:limit]
        return [(self.rows[place], -cosine) for cosine, place in ranked]

    def _note(self, edge: Edge) -> None:
        source, target, kind = edge
        for node in (source, target):
            self.by_node.setdefault(node, set()).add(edge)
            self.related[node] += kind is LinkKind.RELATED_TO

    def _drop(self, edge: Edge) -> None:
        self.edges.remove(edge)
        for node in edge[:2]:
            self.by_node[node].remove(edge)
            self.related[node] -= edge[2] is LinkKind.RELATED_TO


def read_snapshot(database: Database, scope: ScopeKey, *, at: datetime) -> Snapshot:
    """Read a scope as of a moment; memories whose vectors aren't of its commonest model have no neighbours.

    Raises:
        Unavailable: the database is away.
    """
    with database.reading() as db:
        reading = DreamViewRepository(db, scope=scope, at=at)
        rows, broken = _understood(reading, one_person=is_one_persons(scope))
        vectors = _vectors(reading, {row.memory_id: place for place, row in enumerate(rows)})
        edges = {(source, target, LinkKind(kind)) for source, target, kind in reading.edges()}
        holding: Counter[str] = Counter()
        texts = 0
        for text in reading.texts():
            texts += 1
            holding.update(terms(text))
    return Snapshot(scope=scope, rows=rows, vectors=vectors, edges=edges, texts=texts, holding=holding, broken=broken)


def _understood(reading: DreamViewRepository, *, one_person: bool) -> tuple[list[Known], set[str]]:
    rows: list[Known] = []
    broken: set[str] = set()
    for row in reading.known():
        try:
            rows.append(known_of(row, one_person=one_person))
        except (ValueError, TypeError):  # a kind or a status that no version of ours wrote
            broken.add(row.memory_id)
    return rows, broken


def _vectors(reading: DreamViewRepository, places: Mapping[str, int]) -> FloatArray:
    models = reading.models()
    if not models:
        return np.zeros((len(places), 1), np.float32)
    model, width_bytes = models[0]
    vectors = np.zeros((len(places), width_bytes // _FLOAT_BYTES), np.float32)
    for memory_id, dense in reading.dense(model):
        if memory_id in places and len(dense) == width_bytes:
            vectors[places[memory_id]] = np.frombuffer(dense, "<f4")
    return vectors
