"""What an address or an id of a made thing, or of a memory, stands for."""

from collections.abc import Sequence

from sqlmodel import Session as DbSession

from memory_core.errors import Invalid
from memory_core.kref import parse, parse_comparison
from memory_core.models.artifact import Artifact
from memory_core.models.memory import Memory
from memory_core.store.artifacts import ArtifactRepository
from memory_core.store.memories import MemoryRepository
from memory_core.values import MemoryId, ScopeKey

_ADDRESS = "kref://"


def find_artifact(db: DbSession, ref: str, *, scopes: Sequence[ScopeKey]) -> Artifact | None:
    """The artifact of an address or id: its own, or that of a memory that mentions it or is a passage of it.

    Raises:
        Invalid: it begins like an address and isn't one.
    """
    artifacts = ArtifactRepository(db)
    if ref.startswith(_ADDRESS):
        kref = parse_comparison(ref).kref
        if found := artifacts.by_kref(kref, scopes=scopes):
            return found
    elif found := artifacts.by_ids([ref], scopes=scopes).get(ref):
        return found
    memory = _find_memory(db, ref, scopes=scopes)
    if memory is None or memory.artifact_id is None:
        return None
    return artifacts.by_ids([memory.artifact_id], scopes=scopes).get(memory.artifact_id)


def find_node(db: DbSession, ref: str, *, scopes: Sequence[ScopeKey]) -> str | None:
    """What an edge can lead to: the id of a revision when the reference is of an artifact, else of a memory.

    Raises:
        Invalid: it begins like an address and isn't one, or asks for two revisions.
    """
    if artifact := find_artifact(db, ref, scopes=scopes):
        asked = parse(ref).revision if ref.startswith(_ADDRESS) else None
        revision = ArtifactRepository(db).revision(artifact.id, number=asked or artifact.current)
        return revision.id if revision else None
    memory = _find_memory(db, ref, scopes=scopes)
    return memory.id if memory else None


def _find_memory(db: DbSession, ref: str, *, scopes: Sequence[ScopeKey]) -> Memory | None:
    memories = MemoryRepository(db)
    if not ref.startswith(_ADDRESS):
        return memories.by_ids([MemoryId(ref)], scopes=scopes).get(MemoryId(ref))
    address = parse_comparison(ref)
    if address.other is not None:
        raise Invalid(f"ref: {ref[:80]!r} names two revisions where one can be read")
    return memories.by_kref(address.kref, scopes=scopes)
