"""Rows to plant in tables, each whole and different from the last."""

import itertools
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import numpy as np

from memory_core.models.memory import Memory, MemorySource, MemoryVector
from memory_core.models.turn import Session, Turn
from memory_core.store.database import Database
from memory_core.store.memories import MemoryRepository
from memory_core.store.turns import TurnRepository
from memory_core.values import MemoryId, MemoryKind, MemoryStatus, Origin, ScopeKey
from tests.fakes.clock import START

MINE, THEIRS = ScopeKey("user.ana"), ScopeKey("user.bo")
_COUNT = itertools.count(1)


def memory(scope: ScopeKey = MINE, **fields: Any) -> Memory:
    """A memory in force; every field can be given."""
    number = next(_COUNT)
    row: dict[str, Any] = {
        "id": str(uuid4()),
        "scope_key": scope,
        "kref": f"kref://p/personal/m-{number}.fact",
        "space": "personal",
        "kind": MemoryKind.FACT,
        "text": f"statement {number}",
        "text_key": f"{number:032x}",
        "origin": Origin.USER,
        "event_at": START,
        "valid_from": START,
        "created_at": START + timedelta(seconds=number),
        "updated_at": START,
        "status": MemoryStatus.ACTIVE,
    }
    return Memory(**(row | fields))


def vector_of(row: Memory, *, model: str = "planted") -> MemoryVector:
    """Vectors for a planted memory: of the right form, with no meaning."""
    return MemoryVector(
        memory_id=row.id,
        model=model,
        dense=np.ones(4, "<f4").tobytes(),
        tokens=np.ones((2, 4), "<f2").tobytes(),
        token_width=4,
        keywords=np.asarray([7], "<u4").tobytes() + np.asarray([1.0], "<f4").tobytes(),
    )


def plant_memory(database: Database, scope: ScopeKey = MINE, *, turn: Turn | None = None, **fields: Any) -> Memory:
    """Write a memory with vectors, said in `turn` if given."""
    row = memory(scope, **fields)
    sources = [MemorySource(memory_id=row.id, turn_id=turn.id, turn_key=turn.turn_key)] if turn and turn.id else []
    with database.transaction() as db:
        MemoryRepository(db).add(row, vector=vector_of(row), sources=sources)
    return row


def plant_memories(database: Database, rows: Sequence[Memory]) -> None:
    """Write many memories with vectors, in one transaction."""
    with database.transaction() as db:
        for row in rows:
            MemoryRepository(db).add(row, vector=vector_of(row))


def plant_session(database: Database, scope: ScopeKey = MINE, **fields: Any) -> Session:
    """Write an open session of the present day."""
    number = next(_COUNT)
    row: dict[str, Any] = {
        "scope_key": scope,
        "label": f"owner-personal:x:20260506:{number:03d}",
        "day": START.date(),
        "number": number,
        "started_at": START,
        "last_at": START,
        "last_received_at": START,
    }
    session = Session(**(row | fields))
    with database.transaction() as db:
        TurnRepository(db).add(session)
    return session


def plant_turn(database: Database, session: Session, **fields: Any) -> Turn:
    """Write an utterance of a session, waiting for consolidation."""
    number = next(_COUNT)
    row: dict[str, Any] = {
        "session_id": session.id,
        "scope_key": session.scope_key,
        "space": "personal",
        "agent_id": "main",
        "session_key": "agent:main:main",
        "turn_key": f"turn-{number}",
        "role": Origin.USER,
        "said_at": START,
        "timezone": "UTC",
        "text": f"utterance {number}",
        "created_at": START,
    }
    turn = Turn(**(row | fields))
    with database.transaction() as db:
        TurnRepository(db).add(turn)
    return turn


def id_of(row: Memory) -> MemoryId:
    """The memory's id."""
    return MemoryId(str(UUID(row.id)))


def later(seconds: float) -> datetime:
    """So long after the start of the tests' time."""
    return START + timedelta(seconds=seconds)
