"""What a transaction promises: all or nothing, one writer after the other, and errors that say what to do."""

import sqlite3
import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import event, text

from memory_core.errors import Conflict, Corrupt, Invalid, Unavailable
from memory_core.models.turn import Session
from memory_core.store.database import Database
from memory_core.store.memories import MemoryFilter, MemoryRepository
from memory_core.store.turns import TurnRepository
from memory_core.values import ScopeKey
from tests.fakes.clock import START
from tests.integration.rows import MINE, id_of, memory, plant_memory, plant_session, plant_turn, vector_of


def count(database: Database) -> int:
    with database.reading() as db:
        return len(MemoryRepository(db).page([MINE], where=MemoryFilter(), limit=100_000))


def test_what_a_block_wrote_is_there_after_it(database: Database) -> None:
    plant_memory(database)
    assert count(database) == 1


def test_a_block_that_raises_leaves_nothing(database: Database) -> None:
    class Crash(Exception): ...

    def crash() -> None:
        row = memory()
        with database.transaction() as db:
            MemoryRepository(db).add(row, vector=vector_of(row))
            raise Crash

    with pytest.raises(Crash):
        crash()
    assert count(database) == 0


def test_a_block_may_take_everything_back(database: Database) -> None:
    row = memory()
    with database.transaction() as db:
        MemoryRepository(db).add(row, vector=vector_of(row))
        db.rollback()
    assert count(database) == 0


def test_rows_can_be_read_after_the_block(database: Database) -> None:
    with database.transaction() as db:
        row = memory(tags=["a"])
        MemoryRepository(db).add(row, vector=vector_of(row))
    assert (row.tags, row.created_at.tzinfo is not None) == (["a"], True)


def test_the_same_unique_thing_twice_is_a_conflict(database: Database) -> None:
    row = plant_memory(database)
    with pytest.raises(Conflict):
        plant_memory(database, kref=row.kref)
    assert count(database) == 1


def test_a_turn_of_the_same_key_twice_is_a_conflict(database: Database) -> None:
    session = plant_session(database)
    plant_turn(database, session, turn_key="k")
    with pytest.raises(Conflict):
        plant_turn(database, session, turn_key="k")
    plant_turn(database, session, turn_key="k", role="assistant")


def test_a_turn_without_its_session_is_a_conflict(database: Database) -> None:
    with pytest.raises(Conflict):
        plant_turn(database, plant_session(database), session_id=4711)


def test_times_come_back_as_the_same_instant_in_utc(database: Database) -> None:
    row = plant_memory(database, event_at=START.astimezone(), event_until=None)
    with database.reading() as db:
        found = MemoryRepository(db).by_ids([id_of(row)], scopes=[MINE])[id_of(row)]
    assert found.event_at == START
    assert found.event_at.utcoffset() is not None
    assert found.event_until is None


def test_a_time_without_a_zone_is_not_written(database: Database) -> None:
    with pytest.raises(Exception, match="an instant needs its zone"):
        plant_memory(database, event_at=START.replace(tzinfo=None))
    assert count(database) == 0


def test_no_error_shows_the_words_of_people(database: Database) -> None:
    row = plant_memory(database)
    with pytest.raises(Conflict) as raised:
        plant_memory(database, kref=row.kref, text="xyzzy-secret-words")
    assert "xyzzy" not in str(raised.value) + str(raised.value.__cause__)


class TestSqlite:
    def test_two_writers_go_one_after_the_other(self, sqlite: Database) -> None:
        """Each reads a number and writes the next one: a lost update would show as a repeated number."""
        plant_session(sqlite, number=1)
        failures: list[Exception] = []

        def write() -> None:
            try:
                for _ in range(10):
                    with sqlite.transaction() as db:
                        turns = TurnRepository(db)
                        number = turns.sessions_of_day(MINE, day=START.date()) + 1
                        time.sleep(0.001)
                        turns.add(_session(number))
            except Exception as error:  # noqa: BLE001 shown by the test
                failures.append(error)

        threads = [threading.Thread(target=write) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert failures == []
        with sqlite.reading() as db:
            assert TurnRepository(db).sessions_of_day(MINE, day=START.date()) == 41

    def test_a_reader_does_not_wait_for_a_writer(self, sqlite: Database) -> None:
        plant_memory(sqlite)
        with sqlite.transaction() as db:
            row = memory()
            MemoryRepository(db).add(row, vector=vector_of(row))
            assert count(sqlite) == 1
        assert count(sqlite) == 2

    def test_a_reader_sees_one_state(self, sqlite: Database) -> None:
        with sqlite.reading() as db:
            before = len(MemoryRepository(db).page([MINE], where=MemoryFilter(), limit=10))
            plant_memory(sqlite)
            assert len(MemoryRepository(db).page([MINE], where=MemoryFilter(), limit=10)) == before

    def test_a_full_disk_says_so_and_loses_nothing(self, sqlite: Database) -> None:
        kept = [plant_memory(sqlite, text="x" * 2000) for _ in range(5)]

        def fill(connection: sqlite3.Connection, _record: object) -> None:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count={pages + 2}")

        def write_on() -> None:
            for _ in range(50):
                kept.append(plant_memory(sqlite, text="y" * 5000))  # noqa: PERF401 counts what was acknowledged

        sqlite.engine.dispose()
        event.listen(sqlite.engine, "connect", fill)
        with pytest.raises(Unavailable, match="full") as raised:
            write_on()
        assert raised.value.retryable
        event.remove(sqlite.engine, "connect", fill)
        sqlite.engine.dispose()
        assert count(sqlite) == len(kept)
        plant_memory(sqlite)
        assert count(sqlite) == len(kept) + 1

    def test_a_writer_that_holds_on_makes_the_next_one_unavailable(self, sqlite_file: Path) -> None:
        holder = Database(f"sqlite:///{sqlite_file}")
        holder.migrate()
        hasty = Database(f"sqlite:///{sqlite_file}")

        def be_hasty(connection: sqlite3.Connection, _record: object) -> None:
            connection.execute("PRAGMA busy_timeout=50")

        event.listen(hasty.engine, "connect", be_hasty)
        with holder.transaction() as db:
            TurnRepository(db).add(_session(1))
            with pytest.raises(Unavailable, match="locked"):
                plant_memory(hasty)
            assert count(hasty) == 0
        plant_memory(hasty)
        holder.close()
        hasty.close()

    def test_a_damaged_page_is_called_corrupt(self, sqlite: Database, sqlite_file: Path) -> None:
        for _ in range(40):
            plant_memory(sqlite, text="x" * 2000)
        sqlite.close()
        content = bytearray(sqlite_file.read_bytes())
        content[4096 * 2 :] = b"\xaa" * (len(content) - 4096 * 2)
        sqlite_file.write_bytes(content)
        with pytest.raises(Corrupt, match="damaged"):
            count(sqlite)

    def test_the_file_keeps_the_promises_of_its_pragmas(self, sqlite: Database) -> None:
        names = ("journal_mode", "foreign_keys", "secure_delete", "synchronous")
        with sqlite.reading() as db:
            found = [db.connection().execute(text(f"PRAGMA {name}")).scalar() for name in names]
        assert found == ["wal", 1, 1, 2]


class TestPostgres:
    def test_a_value_it_cannot_hold_is_invalid(self, postgres_url: str) -> None:
        opened = Database(postgres_url)
        opened.migrate()
        with pytest.raises(Invalid), opened.reading() as db:
            MemoryRepository(db).by_kref("nul \0", scopes=[MINE])
        opened.close()

    def test_a_server_that_is_away_is_unavailable(self) -> None:
        opened = Database("postgresql://tests@127.0.0.1:9/none")
        with pytest.raises(Unavailable):
            opened.migrate()
        opened.close()

    @pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
    def test_its_url_may_begin_in_three_ways(self, postgres_url: str, scheme: str) -> None:
        opened = Database(postgres_url.replace("postgresql", scheme, 1))
        opened.migrate()
        opened.close()


@pytest.mark.parametrize("url", ["mysql://h/d", "sqlite://", "nonsense", ""])
def test_another_kind_of_database_is_refused_by_name(url: str) -> None:
    with pytest.raises(Invalid, match=r"database\.url"):
        Database(url)


def _session(number: int) -> Session:
    return Session(
        scope_key=ScopeKey(MINE),
        label=f"l:{number}",
        day=START.date(),
        number=number,
        started_at=START,
        last_at=START,
        last_received_at=START,
    )
