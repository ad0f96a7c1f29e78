"""Lineage with addresses: walks the edges of the tables within the scopes."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlmodel import Session as DbSession

from memory_core.creative.lineage import Edges, Relative, walk
from memory_core.models.artifact import ArtifactRevision
from memory_core.store.artifacts import ArtifactRepository
from memory_core.store.links import LinkRepository
from memory_core.store.memories import MemoryRepository
from memory_core.values import LinkKind, MemoryId, ScopeKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Kin:
    """Something in the lineage of an artifact; `steps` is 1 for what it was made from itself."""

    kref: str
    steps: int


def lineage_of(
    db: DbSession, revisions: Sequence[ArtifactRevision], *, scopes: Sequence[ScopeKey]
) -> tuple[list[Kin], list[Kin]]:
    """What an artifact with these revisions was made from, and what was made from it, the nearest first."""
    artifacts, links = ArtifactRepository(db), LinkRepository(db)
    start = [revision.id for revision in revisions]

    def edges(nodes: Sequence[str], *, backwards: bool) -> Edges:
        found = links.of(nodes, scopes=scopes, kinds=[LinkKind.DERIVED_FROM])
        pairs = [(link.target_id, link.source_id) if backwards else (link.source_id, link.target_id) for link in found]
        return [pair for pair in pairs if pair[0] in set(nodes)]

    def kin(nodes: Sequence[str]) -> list[str]:
        reached = {artifact.id for artifact, _ in artifacts.nodes(nodes, scopes=scopes).values()}
        return [revision.id for artifact_id in sorted(reached) for revision in artifacts.revisions(artifact_id)]

    sources = walk(start, edges=lambda nodes: edges(nodes, backwards=False), kin=kin)
    derived = walk(start, edges=lambda nodes: edges(nodes, backwards=True), kin=kin)
    return _addressed(db, sources, scopes=scopes), _addressed(db, derived, scopes=scopes)


def _addressed(db: DbSession, relatives: Sequence[Relative], *, scopes: Sequence[ScopeKey]) -> list[Kin]:
    ids = [relative.node for relative in relatives]
    revisions = ArtifactRepository(db).nodes(ids, scopes=scopes)
    memories = MemoryRepository(db).by_ids([MemoryId(node) for node in ids], scopes=scopes)
    krefs = {node: f"{artifact.kref}?r={number}" for node, (artifact, number) in revisions.items()}
    krefs |= {memory_id: memory.kref for memory_id, memory in memories.items()}
    return [Kin(kref=krefs[one.node], steps=one.steps) for one in relatives if one.node in krefs]
