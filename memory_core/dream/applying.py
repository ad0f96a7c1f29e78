"""Writing what was decided about a batch: the rows themselves, and beside each what it was before."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlmodel import Session as DbSession

from memory_core.capture.dedup import TextKeys
from memory_core.dream.changes import Change, Entity, Op, Standing
from memory_core.models.dream import DreamChange
from memory_core.models.link import Link
from memory_core.models.memory import Memory, MemoryRevision, MemorySource, MemoryVector
from memory_core.store.changes import ChangeRepository
from memory_core.store.dream_views import DreamViewRepository
from memory_core.store.links import LinkRepository
from memory_core.store.revisions import state_of
from memory_core.values import ScopeKey

INSTANTS = frozenset({"valid_until"})
"""Columns of changes that hold an instant, as text in ISO form."""
UNSEEN = frozenset({"tags", "count", "valid_until"})
"""Columns that are no part of a point of the index; a change of them only needn't be told to it."""
VECTOR_BYTES = ("dense", "tokens", "keywords")


class Applier:
    """Writes the changes of one batch in a transaction; never commits."""

    def __init__(self, db: DbSession, *, scope: ScopeKey, run_id: str, at: datetime, keys: TextKeys) -> None:
        """Write in the given session, as of the run's own moment."""
        self._db = db
        self._scope = scope
        self._run_id = run_id
        self._at = at
        self._keys = keys
        self._reading = DreamViewRepository(db, scope=scope, at=at)

    def apply(self, changes: Sequence[Change], *, vectors: Mapping[str, MemoryVector]) -> list[DreamChange]:
        """Make the changes.

        Args:
            changes: In the order in which they were decided.
            vectors: Vectors of new texts, by memory.

        Returns:
            Every row that was changed, in order, to be kept for the report and for undoing; not numbered yet.
        """
        done: list[DreamChange] = []
        learned: set[str] = set()
        for change in changes:
            if change.refused is not None:
                done.append(row_of(change, run_id=self._run_id, state=Standing.REFUSED))
                continue
            made = self._make(change, vectors=vectors)
            done.extend(row_of(one, run_id=self._run_id, state=Standing.APPLIED) for one in made)
            if change.entity is Entity.MEMORY and not set(change.after or ()) <= UNSEEN:
                learned.add(change.memory_id)
        ChangeRepository(self._db).add(sorted(learned))
        return done

    def _make(self, change: Change, *, vectors: Mapping[str, MemoryVector]) -> Iterator[Change]:
        if change.entity is Entity.LINK:
            self._db.add(Link(id=change.entity_id, created_at=self._at, **(change.after or {})))
            yield change
            return
        memory = self._db.get_one(Memory, change.entity_id)
        if change.op is Op.REVISE:
            yield from self._revise(memory, change, vector=vectors[memory.id])
            return
        yield self._set(memory, change)
        if change.op is Op.MERGE and not change.detail and change.other_id:
            yield from self._move_sources(change, to=change.other_id)
            yield from self._move_edges(change, to=change.other_id)

    def _set(self, memory: Memory, change: Change) -> Change:
        after = dict(change.after or {})
        if "count" in after:  # a repeat may have been counted meanwhile
            after["count"] += memory.count - (change.before or {}).get("count", memory.count)
        before = {name: to_json(getattr(memory, name)) for name in after}
        set_columns(memory, after)
        return replace(change, before=before, after=after)

    def _revise(self, memory: Memory, change: Change, *, vector: MemoryVector) -> Iterator[Change]:
        old = self._db.get_one(MemoryVector, memory.id)
        text = (change.after or {})["text"]
        after = {
            "text": text,
            "text_key": self._keys.of(text, speaker=memory.speaker),
            "revision": memory.revision + 1,
        }
        self._db.add(
            MemoryRevision(
                memory_id=memory.id,
                revision=memory.revision,
                replaced_at=self._at,
                reason=change.reason,
                state=state_of(memory),
            )
        )
        history = f"{memory.id}:{memory.revision}"
        yield self._set(memory, replace(change, after=after))
        yield replace(change, entity=Entity.HISTORY, entity_id=history, before=None, after={}, detail=True)
        before, after = vector_columns(old), vector_columns(vector)
        set_vector(old, after)
        yield replace(change, entity=Entity.VECTOR, before=before, after=after, detail=True)

    def _move_sources(self, change: Change, *, to: str) -> Iterator[Change]:
        taken = {(source.turn_id, source.turn_key) for source in self._reading.sources_of([to])}
        for source in self._reading.sources_of([change.memory_id]):
            if (source.turn_id, source.turn_key) in taken:
                continue
            taken.add((source.turn_id, source.turn_key))
            source.memory_id = to
            yield replace(
                change,
                entity=Entity.SOURCE,
                entity_id=str(source.id),
                before={"memory_id": change.memory_id},
                after={"memory_id": to},
                detail=True,
            )

    def _move_edges(self, change: Change, *, to: str) -> Iterator[Change]:
        links = LinkRepository(self._db)
        present = {(link.source_id, link.target_id, link.kind) for link in links.of([to], scopes=[self._scope])}
        for link in links.of([change.memory_id], scopes=[self._scope]):
            source = to if link.source_id == change.memory_id else link.source_id
            target = to if link.target_id == change.memory_id else link.target_id
            if source == target or (source, target, link.kind) in present:
                continue
            present.add((source, target, link.kind))
            before = {"source_id": link.source_id, "target_id": link.target_id}
            link.source_id, link.target_id = source, target
            yield replace(
                change,
                entity=Entity.LINK,
                entity_id=link.id,
                before=before,
                after={"source_id": source, "target_id": target},
                detail=True,
            )


def row_of(change: Change, *, run_id: str, state: Standing) -> DreamChange:
    """The row of a change; its number is set when it is written."""
    return DreamChange(
        run_id=run_id,
        seq=0,
        memory_id=change.memory_id,
        other_id=change.other_id,
        op=change.op,
        detail=change.detail,
        entity=change.entity,
        entity_id=change.entity_id,
        reason=change.reason if change.refused is None else f"{change.reason}; refused: {change.refused}",
        before=dict(change.before) if change.before is not None else None,
        after=dict(change.after) if change.after is not None else None,
        state=state,
    )


def set_columns(row: Memory | Link | MemorySource, values: Mapping[str, Any]) -> None:
    """Set columns from their JSON values; a memory whose point changes gets a new version."""
    for name, value in values.items():
        is_instant = name in INSTANTS and isinstance(value, str)
        setattr(row, name, datetime.fromisoformat(value) if is_instant else value)
    if isinstance(row, Memory) and not set(values) <= UNSEEN:
        row.version += 1


def to_json(value: object) -> Any:  # noqa: ANN401 a JSON value
    """The JSON value of a column."""
    return value.isoformat() if isinstance(value, datetime) else value


def vector_columns(vector: MemoryVector) -> dict[str, Any]:
    """The columns of a vector as JSON values."""
    packed = {name: base64.b64encode(getattr(vector, name)).decode("ascii") for name in VECTOR_BYTES}
    return {**packed, "model": vector.model, "token_width": vector.token_width}


def set_vector(vector: MemoryVector, values: Mapping[str, Any]) -> None:
    """Set the columns of a vector from their JSON values."""
    for name, value in values.items():
        setattr(vector, name, base64.b64decode(value) if name in VECTOR_BYTES else value)
