"""Reading memories one by one, by page and all of them; every read names the scopes it may see."""

import base64
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from uuid import UUID

from memory_core.errors import Invalid, NotFound
from memory_core.kref import parse
from memory_core.models.memory import Memory
from memory_core.recall.history import History, as_of_revision, history_of
from memory_core.store.database import Database
from memory_core.store.memories import MemoryFilter, MemoryRepository
from memory_core.values import MemoryId, ScopeKey

_ALL_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryView:
    """A memory with what stands in other tables: the turns it came from, and what replaced it."""

    memory: Memory
    sources: tuple[str, ...]
    superseded_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page of memories; `cursor` asks for the next one, None when this is the last."""

    views: list[MemoryView]
    cursor: str | None


class LibraryService:
    """Reads memories."""

    def __init__(self, database: Database) -> None:
        """Use the given tables."""
        self._database = database

    def get(self, ref: str, *, scopes: Sequence[ScopeKey]) -> MemoryView:
        """The memory of an address or id; of an address with `?r=`, as it was in that revision.

        Raises:
            NotFound: there is none in the scopes, or it never had the revision asked for.
            Invalid: the reference is neither an address nor an id.
        """
        with self._database.reading() as db:
            repository = MemoryRepository(db)
            if ref.startswith("kref://"):
                address = parse(ref)
                memory = repository.by_kref(address.kref, scopes=scopes)
                if memory is not None and address.revision is not None:
                    memory = as_of_revision(db, memory, revision=address.revision)
            else:
                memory = repository.by_ids([MemoryId(ref)], scopes=scopes).get(MemoryId(ref))
        if memory is None:
            raise NotFound(f"ref: there is no memory {ref[:120]!r}")
        return self.describe([memory])[0]

    def history(self, memory_id: str, *, scopes: Sequence[ScopeKey]) -> History:
        """Every version of a memory and its edges, as far as the scopes show them.

        Raises:
            NotFound: there is none of this id in the scopes.
        """
        with self._database.reading() as db:
            memory = MemoryRepository(db).by_ids([MemoryId(memory_id)], scopes=scopes).get(MemoryId(memory_id))
            if memory is None:
                raise NotFound(f"ref: there is no memory {memory_id[:120]!r}")
            return history_of(db, memory, scopes=scopes)

    def page(self, scopes: Sequence[ScopeKey], *, where: MemoryFilter, limit: int, cursor: str | None) -> Page:
        """Memories of the scopes, newest first.

        Raises:
            Invalid: the cursor isn't one of ours.
        """
        after = _read_cursor(cursor) if cursor else None
        with self._database.reading() as db:
            rows = MemoryRepository(db).page(scopes, where=replace(where, after=after), limit=limit + 1)
        more = len(rows) > limit
        rows = rows[:limit]
        return Page(views=self.describe(rows), cursor=_write_cursor(rows[-1]) if more else None)

    def matching(self, scopes: Sequence[ScopeKey], *, where: MemoryFilter) -> list[Memory]:
        """Every memory of the scopes that the filter lets through, newest first."""
        rows: list[Memory] = []
        with self._database.reading() as db:
            repository = MemoryRepository(db)
            while batch := repository.page(scopes, where=where, limit=_ALL_AT_ONCE):
                rows += batch
                where = replace(where, after=(batch[-1].created_at, batch[-1].id))
        return rows

    def by_ids(self, memory_ids: Sequence[MemoryId], *, scopes: Sequence[ScopeKey]) -> list[Memory]:
        """Those of the memories that lie in the scopes, in the order given."""
        with self._database.reading() as db:
            rows = MemoryRepository(db).by_ids(memory_ids, scopes=scopes)
        return [rows[memory_id] for memory_id in memory_ids if memory_id in rows]

    def describe(self, memories: Sequence[Memory]) -> list[MemoryView]:
        """Memories with their sources and successors, in the order given."""
        with self._database.reading() as db:
            repository = MemoryRepository(db)
            sources = repository.sources([memory.id for memory in memories])
            successors = repository.krefs([memory.superseded_by for memory in memories if memory.superseded_by])
        return [
            MemoryView(
                memory=memory,
                sources=tuple(sources.get(memory.id, ())),
                superseded_by=successors.get(memory.superseded_by or ""),
            )
            for memory in memories
        ]

    def everything(self, scopes: Sequence[ScopeKey] | None) -> Generator[MemoryView]:
        """Every memory of the scopes, of all scopes when None, oldest first."""
        with self._database.reading() as db:
            rows = MemoryRepository(db).all_rows(scopes)
            while batch := list(islice(rows, _ALL_AT_ONCE)):
                yield from self.describe(batch)


def _write_cursor(memory: Memory) -> str:
    return base64.urlsafe_b64encode(f"{memory.created_at.isoformat()}|{memory.id}".encode()).decode()


def _read_cursor(cursor: str) -> tuple[datetime, str]:
    try:
        moment, _, memory_id = base64.urlsafe_b64decode(cursor.encode()).decode().partition("|")
        return datetime.fromisoformat(moment).astimezone(UTC), str(UUID(memory_id))
    except (ValueError, OverflowError) as error:
        raise Invalid(f"cursor: {cursor[:40]!r} is not a cursor of an earlier answer") from error
