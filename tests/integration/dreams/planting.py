"""Memories to dream about, planted with the vectors of the world's embedder, and the whole state of the tables."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4, uuid5

from sqlalchemy import text as sql

from memory_core.dream.progress import RunRequest
from memory_core.models.dream import DreamRun
from memory_core.models.memory import Memory, MemorySource, MemoryVector
from memory_core.store.memories import MemoryRepository
from memory_core.values import JobKind, MemoryId, MemoryKind, MemoryStatus, Origin, ScopeKey
from memory_core.vectors import passage_text, to_stored
from tests.integration.cores import ANAS, World

LONG_AGO_DAYS = 30
_DREAM_TABLES = frozenset({"dreamrun", "dreamitem", "dreamchange", "dreamreview", "dreamschedule"})
_BOOKS = frozenset({"job", "indexchange", "scopeversion", "alembic_version"})
"""Tables that only count, queue or remember work: they grow with undoing as with everything."""


def plant(world: World, text: str, *, days_ago: float = LONG_AGO_DAYS, scope: ScopeKey = ANAS, **fields: Any) -> Memory:
    """Write a memory that was said so long ago; fields of the row may be given."""
    said_at = world.clock.now() - timedelta(days=days_ago)
    memory_id = str(uuid4())
    row: dict[str, Any] = {
        "id": memory_id,
        "scope_key": scope,
        "kref": f"kref://tests/personal/m-{memory_id}.fact",
        "space": "personal",
        "kind": MemoryKind.FACT,
        "text": text,
        "text_key": uuid5(uuid4(), text).hex,
        "speaker": "Ana" if scope == ANAS else "Bo",
        "origin": Origin.USER,
        "event_at": said_at,
        "valid_from": said_at,
        "created_at": said_at,
        "updated_at": said_at,
        "status": MemoryStatus.ACTIVE,
    }
    turn_key = fields.pop("turn_key", None)
    memory = Memory(**(row | fields))
    embedding = world.embedder.embed_passages([passage_text(memory.text, speaker=memory.speaker)])[0]
    vector = MemoryVector(memory_id=memory.id, model=world.embedder.model, **asdict(to_stored(embedding)))
    sources = [MemorySource(memory_id=memory.id, turn_id=None, turn_key=turn_key)] if turn_key else []
    with world.core.database.transaction() as db:
        MemoryRepository(db).add(memory, vector=vector, sources=sources)
    return memory


def plant_event(world: World, text: str, *, at: datetime, days_ago: float = LONG_AGO_DAYS) -> Memory:
    """Write an event of a day."""
    return plant(world, text, days_ago=days_ago, kind=MemoryKind.EVENT, event_at=at)


def dream(
    world: World, *, dry_run: bool = False, kind: JobKind = JobKind.DREAM, scope: ScopeKey | None = None
) -> DreamRun:
    """Do a run now, as a flow does it."""
    request = RunRequest(run_id=str(uuid4()), kind=kind, scope=scope, dry_run=dry_run)
    run = world.core.dream_runs.run(request, on_progress=lambda _: None)
    world.core.indexing.apply_due()
    world.clock.advance(hours=24)
    return run


def row(world: World, memory: Memory) -> Memory:
    """The present state of a memory."""
    with world.core.database.reading() as db:
        return db.get_one(Memory, memory.id)


def status(world: World, memory: Memory) -> str:
    """The present status of a memory."""
    return row(world, memory).status


def edges(world: World, *, kind: str | None = None) -> set[tuple[str, str, str]]:
    """Edges as source, kind, target."""
    with world.core.database.engine.connect() as connection:
        found = connection.execute(sql("SELECT source_id, kind, target_id FROM link"))
        return {(source, name, target) for source, name, target in found if kind in {None, name}}


def ops(world: World, run: DreamRun) -> dict[str, int]:
    """What a run did, counted."""
    return dict(world.core.dreams.reports.get(run.id).counts)


def tables(world: World) -> Mapping[str, list[tuple[Any, ...]]]:
    """Every row of every table that holds something, apart from what the night keeps for itself.

    A memory's version isn't compared: it counts changes for the index and never goes back.
    """
    found: dict[str, list[tuple[Any, ...]]] = {}
    with world.core.database.engine.connect() as connection:
        names = connection.execute(sql("SELECT name FROM sqlite_master WHERE type = 'table'")).scalars().all()
        for name in sorted(set(names) - _DREAM_TABLES - _BOOKS):
            if name.startswith("sqlite_"):
                continue
            result = connection.execute(sql(f"SELECT * FROM {name}"))  # noqa: S608 names of our own tables
            kept = [at for at, column in enumerate(result.keys()) if (name, column) != ("memory", "version")]
            found[name] = sorted((tuple(line[at] for at in kept) for line in result), key=repr)
    return found


def points(world: World) -> dict[MemoryId, tuple[Any, ...]]:
    """What the index holds when it is up to date."""
    world.core.indexing.apply_due()
    return {
        point.memory_id: (
            *(point.scope, point.kind, point.status, point.space, point.session_id, point.event_at),
            *(point.embedding.dense.tobytes(), point.embedding.tokens.tobytes(), point.embedding.sparse.indices),
        )
        for point in world.index.points.values()
    }
