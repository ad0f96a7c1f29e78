"""The version of a scope grows with every change of its memories, whoever makes it and how."""

import pytest
from sqlalchemy import text
from sqlmodel import Session as DbSession

from memory_core.store.database import Database
from memory_core.store.memories import MemoryRepository
from memory_core.store.pools import PoolRepository
from memory_core.values import ScopeKey
from tests.integration.rows import MINE, THEIRS, plant_memory


def version(database: Database, *scopes: ScopeKey) -> int:
    with database.reading() as db:
        return PoolRepository(db).version(scopes or (MINE,))


@pytest.fixture
def memory_id(database: Database) -> str:
    """A memory of mine that is there already."""
    return plant_memory(database).id


def test_a_scope_without_memories_has_version_0(database: Database) -> None:
    assert version(database) == 0


def test_an_added_memory_raises_the_version_of_its_scope_only(database: Database, memory_id: str) -> None:
    assert memory_id
    assert version(database) == 1
    assert version(database, THEIRS) == 0
    assert version(database, MINE, THEIRS) == 1


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE memory SET status = 'superseded'",
        "UPDATE memory SET text = 'corrected'",
        "UPDATE memory SET valid_until = updated_at",
        "UPDATE memory SET count = count + 1",
    ],
)
def test_any_change_raises_it_even_by_plain_sql_and_without_a_new_time(
    database: Database, memory_id: str, *, change: str
) -> None:
    before = version(database)
    with database.transaction() as db:
        db.connection().execute(text(f"{change} WHERE id = :id"), {"id": memory_id})
    assert version(database) > before


def test_forgetting_raises_it_and_never_brings_an_old_number_back(database: Database, memory_id: str) -> None:
    seen = {version(database)}
    with database.transaction() as db:
        MemoryRepository(db).forget([memory_id])
    seen.add(version(database))
    plant_memory(database)
    seen.add(version(database))
    assert len(seen) == 3


def test_a_memory_that_moves_raises_both_scopes(database: Database, memory_id: str) -> None:
    before = version(database, MINE), version(database, THEIRS)
    with database.transaction() as db:
        db.connection().execute(
            text("UPDATE memory SET scope_key = :to WHERE id = :id"), {"to": THEIRS, "id": memory_id}
        )
    assert version(database, MINE) > before[0]
    assert version(database, THEIRS) > before[1]


def test_what_is_rolled_back_raises_nothing(database: Database, memory_id: str) -> None:
    class Undone(Exception): ...

    before = version(database)

    def change(db: DbSession) -> None:
        db.connection().execute(text("UPDATE memory SET text = 'x' WHERE id = :id"), {"id": memory_id})
        raise Undone

    with pytest.raises(Undone), database.transaction() as db:
        change(db)
    assert version(database) == before
