"""Statements on memories, their vectors, sources and tombstones. Every read names the scopes that it may see."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import and_, bindparam, delete, func, insert, or_, tuple_
from sqlmodel import Session as DbSession
from sqlmodel import col, select

from memory_core.models.artifact import Artifact
from memory_core.models.memory import IndexChange, Memory, MemorySource, MemoryVector, Tombstone
from memory_core.models.turn import Turn
from memory_core.values import MemoryId, MemoryKind, MemoryStatus, ScopeKey, TimeRange

_BATCH = 500
"""Rows asked for at once; SQLite allows some thousand parameters in a statement."""
_BY_IDS = select(Memory).where(
    col(Memory.id).in_(bindparam("ids", expanding=True)),
    # An expression, which no index fits: SQLite would rather read the whole scope than a few ids.
    (col(Memory.scope_key) + "").in_(bindparam("scopes", expanding=True)),
)
"""Made once, since every recall asks it: to make it takes half as long as to run it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFilter:
    """Which memories to list; every given part must hold. `after` is the (created_at, id) of the last one seen."""

    statuses: tuple[MemoryStatus, ...] = (MemoryStatus.ACTIVE, MemoryStatus.FLAGGED)
    space: str | None = None
    kind: MemoryKind | None = None
    tag: str | None = None
    session_key: str | None = None
    speaker: str | None = None
    event: TimeRange = field(default_factory=TimeRange)
    after: tuple[datetime, str] | None = None


class MemoryRepository:
    """Memories within one transaction; never commits."""

    def __init__(self, session: DbSession) -> None:
        """Work in the given database session."""
        self._db = session

    def add(self, memory: Memory, *, vector: MemoryVector, sources: Sequence[MemorySource] = ()) -> None:
        """Insert a memory with its vectors and sources, and note that the index must learn it."""
        self._db.add(memory)
        self._db.flush()
        self._db.add(vector)
        self._db.add_all(sources)
        self.changed(memory.id)

    def changed(self, memory_id: str) -> None:
        """Note that the index must learn the present state of a memory."""
        self._db.add(IndexChange(memory_id=memory_id))
        self._db.flush()

    def add_source(self, source: MemorySource) -> None:
        """Note another turn that said the same, unless it is noted already."""
        known = select(MemorySource.id).where(
            MemorySource.memory_id == source.memory_id,
            MemorySource.turn_id == source.turn_id,
            MemorySource.turn_key == source.turn_key,
        )
        if self._db.exec(known).first() is None:
            self._db.add(source)

    def by_ids(self, ids: Sequence[MemoryId], *, scopes: Sequence[ScopeKey]) -> dict[MemoryId, Memory]:
        """Those of the memories that lie in the scopes."""
        found: dict[MemoryId, Memory] = {}
        for start in range(0, len(ids), _BATCH):
            wanted = {"ids": ids[start : start + _BATCH], "scopes": list(scopes)}
            found |= {MemoryId(row.id): row for row in self._db.exec(_BY_IDS, params=wanted)}
        return found

    def get(self, memory_id: MemoryId) -> Memory | None:
        """A memory of whichever scope; for the operator and for work that was given its id."""
        return self._db.get(Memory, memory_id)

    def existing(self, ids: Sequence[MemoryId]) -> set[str]:
        """Those of the ids that are taken, in whichever scope; tells nothing else."""
        found: set[str] = set()
        for start in range(0, len(ids), _BATCH):
            found.update(self._db.exec(select(Memory.id).where(col(Memory.id).in_(ids[start : start + _BATCH]))))
        return found

    def by_kref(self, kref: str, *, scopes: Sequence[ScopeKey]) -> Memory | None:
        """The memory of an address, in the first scope that has it; of an artifact's, the one that mentions it."""
        statement = select(Memory).where(Memory.kref == kref, col(Memory.scope_key).in_(scopes))
        if memory := self._db.exec(statement).first():
            return memory
        mention = (
            select(Memory)
            .join(Artifact, col(Artifact.memory_id) == col(Memory.id))
            .where(Artifact.kref == kref, col(Memory.scope_key).in_(scopes))
        )
        return self._db.exec(mention).first()

    def by_text_key(self, text_key: str, *, scope: ScopeKey) -> Memory | None:
        """A memory of the same normalised text that is in force."""
        statement = select(Memory).where(
            Memory.scope_key == scope,
            Memory.text_key == text_key,
            col(Memory.status).in_([MemoryStatus.ACTIVE, MemoryStatus.FLAGGED]),
        )
        return self._db.exec(statement).first()

    def by_text_keys(self, text_keys: Sequence[str], *, scope: ScopeKey) -> list[Memory]:
        """Memories in force of any of the keys, those said first in front."""
        statement = (
            select(Memory)
            .where(
                Memory.scope_key == scope,
                col(Memory.text_key).in_(text_keys),
                col(Memory.status).in_([MemoryStatus.ACTIVE, MemoryStatus.FLAGGED]),
            )
            .order_by(col(Memory.created_at), col(Memory.id))
        )
        return list(self._db.exec(statement))

    def newest_ids(self, scope: ScopeKey, *, limit: int) -> list[MemoryId]:
        """The memories of a scope that were written last and are in force, newest first."""
        statement = (
            select(Memory.id)
            .where(
                Memory.scope_key == scope,
                col(Memory.status).in_([MemoryStatus.ACTIVE, MemoryStatus.FLAGGED]),
                col(Memory.part).is_(None),
            )
            .order_by(col(Memory.created_at).desc(), col(Memory.id).desc())
            .limit(limit)
        )
        return [MemoryId(memory_id) for memory_id in self._db.exec(statement)]

    def page(self, scopes: Sequence[ScopeKey], *, where: MemoryFilter, limit: int) -> list[Memory]:
        """Memories of the scopes, newest first; passages of artifacts are left out."""
        statement = select(Memory).where(
            col(Memory.scope_key).in_(scopes), col(Memory.status).in_(list(where.statuses)), col(Memory.part).is_(None)
        )
        for clause in _clauses(where):
            statement = statement.where(clause)
        statement = statement.order_by(col(Memory.created_at).desc(), col(Memory.id).desc())
        if where.tag is None:
            return list(self._db.exec(statement.limit(limit)))
        rows: list[Memory] = []
        for row in self._db.exec(statement).yield_per(
            _BATCH
        ):  # tags are JSON: compared here, the same on every database
            if where.tag in row.tags:
                rows.append(row)
            if len(rows) == limit:
                break
        return rows

    def all_rows(self, scopes: Sequence[ScopeKey] | None) -> Iterator[Memory]:
        """Every memory of the scopes, of all scopes when None, oldest first, but no passages of artifacts."""
        statement = select(Memory).where(col(Memory.part).is_(None)).order_by(col(Memory.created_at), col(Memory.id))
        if scopes is not None:
            statement = statement.where(col(Memory.scope_key).in_(scopes))
        yield from self._db.exec(statement.execution_options(yield_per=_BATCH))

    def sources(self, ids: Sequence[str]) -> dict[str, list[str]]:
        """Turn keys by memory, in the order of citing."""
        found: dict[str, list[str]] = {}
        for start in range(0, len(ids), _BATCH):
            statement = (
                select(MemorySource.memory_id, MemorySource.turn_key)
                .where(col(MemorySource.memory_id).in_(ids[start : start + _BATCH]))
                .order_by(col(MemorySource.id))
            )
            for memory_id, turn_key in self._db.exec(statement):
                found.setdefault(memory_id, []).append(turn_key)
        return found

    def source_turn_ids(self, ids: Sequence[str]) -> list[int]:
        """Numbers of the turns that the memories came from."""
        found: set[int] = set()
        for start in range(0, len(ids), _BATCH):
            statement = select(MemorySource.turn_id).where(col(MemorySource.memory_id).in_(ids[start : start + _BATCH]))
            found.update(number for number in self._db.exec(statement) if number is not None)
        return sorted(found)

    def krefs(self, ids: Sequence[str]) -> dict[str, str]:
        """Addresses by id."""
        statement = select(Memory.id, Memory.kref).where(col(Memory.id).in_(ids))
        return dict(self._db.exec(statement).all())

    def forget(self, ids: Sequence[str]) -> int:
        """Delete memories with vectors and sources, and note that their points must go; returns how many."""
        gone = 0
        for start in range(0, len(ids), _BATCH):
            batch = ids[start : start + _BATCH]
            self._db.exec(delete(MemoryVector).where(col(MemoryVector.memory_id).in_(batch)))
            self._db.exec(delete(MemorySource).where(col(MemorySource.memory_id).in_(batch)))
            gone += self._db.exec(delete(Memory).where(col(Memory.id).in_(batch))).rowcount
            self._db.add_all(IndexChange(memory_id=memory_id) for memory_id in batch)
        self._db.flush()
        return gone

    def bury(self, buried: Sequence[tuple[str, str]], *, at: datetime) -> None:
        """Note texts, each by scope and key once, that may not be learned again from what was said before `at`."""
        for start in range(0, len(buried), _BATCH):
            batch = buried[start : start + _BATCH]
            named = tuple_(col(Tombstone.scope_key), col(Tombstone.text_key)).in_(batch)
            self._db.exec(delete(Tombstone).where(named))
            rows = [{"scope_key": scope, "text_key": key, "forgotten_at": at} for scope, key in batch]
            self._db.connection().execute(insert(Tombstone), rows)

    def tombstones(self, scope: ScopeKey, *, text_keys: Sequence[str]) -> Mapping[str, datetime]:
        """When the texts were forgotten, for those that were."""
        statement = select(Tombstone).where(Tombstone.scope_key == scope, col(Tombstone.text_key).in_(text_keys))
        return {row.text_key: row.forgotten_at for row in self._db.exec(statement)}

    def counts(self) -> list[tuple[str, str, str, int]]:
        """Number of memories by scope key, kind and status; passages of artifacts don't count."""
        statement = (
            select(Memory.scope_key, Memory.kind, Memory.status, func.count())
            .where(col(Memory.part).is_(None))
            .group_by(Memory.scope_key, Memory.kind, Memory.status)
        )
        return [(scope, kind, status, number) for scope, kind, status, number in self._db.exec(statement)]


def _clauses(where: MemoryFilter):  # noqa: ANN202 SQLAlchemy's own type of a clause says nothing to a reader
    if where.space is not None:
        yield Memory.space == where.space
    if where.kind is not None:
        yield Memory.kind == where.kind
    if where.speaker is not None:
        yield Memory.speaker == where.speaker
    if where.event.start is not None:
        yield col(Memory.event_at) >= where.event.start
    if where.event.end is not None:
        yield col(Memory.event_at) < where.event.end
    if where.session_key is not None:
        said_there = (
            select(MemorySource.memory_id)
            .join(Turn, col(Turn.id) == col(MemorySource.turn_id))
            .where(Turn.session_key == where.session_key)
        )
        yield col(Memory.id).in_(said_there)
    if where.after is not None:
        created_at, memory_id = where.after
        yield or_(
            col(Memory.created_at) < created_at,
            and_(col(Memory.created_at) == created_at, col(Memory.id) < memory_id),
        )
