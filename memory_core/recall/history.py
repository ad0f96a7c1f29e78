"""What a memory said before, and how it hangs together with others, as far as the reader may see."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlmodel import Session as DbSession

from memory_core.models.memory import Memory, MemoryRevision
from memory_core.store.artifacts import ArtifactRepository
from memory_core.store.links import LinkRepository
from memory_core.store.memories import MemoryRepository
from memory_core.store.revisions import HISTORIC, RevisionRepository
from memory_core.values import LinkKind, MemoryId, ScopeKey

_INSTANTS = frozenset({"event_at", "event_until", "valid_from", "valid_until"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionView:
    """One version of a memory.

    Attributes:
        at: Since when it said this.
        reason: Why it was made; empty for the first one.
        status: Its status at the end of this version.
    """

    kref: str
    revision: int
    text: str
    at: datetime
    reason: str
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeView:
    """An edge, by the addresses of both sides: `source` KIND `target`."""

    kind: str
    source: str
    target: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Every version of a memory, oldest first, and its edges, oldest first."""

    revisions: tuple[RevisionView, ...]
    edges: tuple[EdgeView, ...]


def history_of(db: DbSession, memory: Memory, *, scopes: Sequence[ScopeKey]) -> History:
    """The history of a memory; edges to what lies outside of the scopes are left out."""
    return History(revisions=tuple(_revisions(db, memory)), edges=tuple(_edges(db, memory, scopes=scopes)))


def as_of_revision(db: DbSession, memory: Memory, *, revision: int) -> Memory | None:
    """The memory as it was in a revision; None when that isn't known."""
    if revision == memory.revision:
        return memory
    earlier = next((row for row in RevisionRepository(db).of(memory.id) if row.revision == revision), None)
    if earlier is None:
        return None
    shown = Memory.model_validate(memory.model_dump())
    for name, value in {**_state(earlier.state), "revision": revision}.items():
        setattr(shown, name, value)
    return shown


def _state(state: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: datetime.fromisoformat(value).astimezone(UTC) if name in _INSTANTS and value else value
        for name, value in state.items()
        if name in HISTORIC
    }


def _revisions(db: DbSession, memory: Memory) -> Iterator[RevisionView]:
    at, reason = memory.created_at, ""
    for earlier in RevisionRepository(db).of(memory.id):
        yield _view(memory, row=earlier, at=at, reason=reason)
        at, reason = earlier.replaced_at, earlier.reason
    yield RevisionView(
        kref=f"{memory.kref}?r={memory.revision}",
        revision=memory.revision,
        text=memory.text,
        at=at,
        reason=reason,
        status=memory.status,
    )


def _view(memory: Memory, *, row: MemoryRevision, at: datetime, reason: str) -> RevisionView:
    return RevisionView(
        kref=f"{memory.kref}?r={row.revision}",
        revision=row.revision,
        text=str(row.state.get("text", "")),
        at=at,
        reason=reason,
        status=str(row.state.get("status", "")),
    )


def _edges(db: DbSession, memory: Memory, *, scopes: Sequence[ScopeKey]) -> Iterator[EdgeView]:
    links = LinkRepository(db).of([memory.id], scopes=scopes)
    others = {end for link in links for end in (link.source_id, link.target_id)} | {memory.superseded_by or ""}
    addresses = _addresses(db, sorted(others - {""}), scopes=scopes) | {memory.id: memory.kref}
    for link in links:
        if link.source_id in addresses and link.target_id in addresses:
            source, target = addresses[link.source_id], addresses[link.target_id]
            yield EdgeView(kind=link.kind, source=source, target=target, reason=link.reason, at=link.created_at)
    is_drawn = any(link.kind == LinkKind.SUPERSEDES and link.target_id == memory.id for link in links)
    if not is_drawn and memory.superseded_by in addresses:  # restored from an export, which holds no edges
        by = addresses[memory.superseded_by or ""]
        yield EdgeView(kind=LinkKind.SUPERSEDES, source=by, target=memory.kref, reason="", at=memory.updated_at)


def _addresses(db: DbSession, ids: Sequence[str], *, scopes: Sequence[ScopeKey]) -> dict[str, str]:
    memories = MemoryRepository(db).by_ids([MemoryId(one) for one in ids], scopes=scopes)
    nodes = ArtifactRepository(db).nodes([one for one in ids if one not in memories], scopes=scopes)
    made = {node: f"{artifact.kref}?r={revision}" for node, (artifact, revision) in nodes.items()}
    return {**{str(memory_id): row.kref for memory_id, row in memories.items()}, **made}
