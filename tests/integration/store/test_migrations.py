"""The tables come to the newest revision on both databases, whatever happens on the way."""

import subprocess
import sys
import threading
from collections.abc import Generator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, event, inspect, text

from memory_core.errors import Corrupt, MemoryCoreError
from memory_core.models import artifact, context, dream, job, link, memory, model_call, turn
from memory_core.models.base import Table
from memory_core.store.database import Database

TABLES = {
    "artifact",
    "artifactblob",
    "artifactcapture",
    "artifactrevision",
    "contextwindow",
    "dreamchange",
    "dreamitem",
    "dreamreview",
    "dreamrun",
    "dreamschedule",
    "gateway",
    "gatewayscope",
    "indexchange",
    "job",
    "link",
    "memory",
    "memoryrevision",
    "memorysource",
    "memoryvector",
    "modelcall",
    "scopeversion",
    "session",
    "tombstone",
    "turn",
}
FAMILIES = (artifact, context, dream, turn, memory, link, job, model_call)
_CRASH_AFTER_TABLES = 3


@pytest.fixture
def empty(database_url: str) -> Generator[Database]:
    opened = Database(database_url)
    yield opened
    opened.close()


def tables_of(database: Database) -> set[str]:
    return set(inspect(database.engine).get_table_names())


def test_upgrade_makes_every_table(empty: Database) -> None:
    empty.migrate()
    assert tables_of(empty) == TABLES | {"alembic_version"}


def test_upgrading_twice_changes_nothing(empty: Database) -> None:
    empty.migrate()
    empty.migrate()
    assert tables_of(empty) == TABLES | {"alembic_version"}


def test_tables_after_upgrade_equal_the_models(database: Database) -> None:
    assert set(Table.metadata.tables) == TABLES, FAMILIES
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, Table.metadata) == []


def test_threads_that_upgrade_at_once_all_find_the_tables(database_url: str) -> None:
    databases = [Database(database_url) for _ in range(6)]
    barrier = threading.Barrier(len(databases))
    failures: list[BaseException] = []

    def upgrade(opened: Database) -> None:
        barrier.wait(10)
        try:
            opened.migrate()
        except MemoryCoreError as error:
            failures.append(error)

    threads = [threading.Thread(target=upgrade, args=(opened,)) for opened in databases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert tables_of(databases[0]) == TABLES | {"alembic_version"}
    for opened in databases:
        opened.close()


def test_processes_that_upgrade_at_once_all_find_the_tables(database_url: str) -> None:
    script = (
        "import sys; from memory_core.store.database import Database; d = Database(sys.argv[1]); d.migrate(); d.close()"
    )
    running = [subprocess.Popen([sys.executable, "-c", script, database_url], stderr=subprocess.PIPE) for _ in range(3)]
    endings = [(process.communicate(timeout=120)[1].decode(), process.returncode) for process in running]
    assert endings == [("", 0)] * 3
    opened = Database(database_url)
    assert tables_of(opened) == TABLES | {"alembic_version"}
    opened.close()


def test_tables_of_a_newer_version_are_left_alone(empty: Database) -> None:
    empty.migrate()
    with empty.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(Corrupt, match="revision 9999"):
        empty.migrate()
    assert tables_of(empty) == TABLES | {"alembic_version"}


def test_an_upgrade_that_is_cut_off_leaves_nothing_half_made(empty: Database) -> None:
    class PowerCut(Exception): ...

    made: list[str] = []

    def count(_connection: Connection, _cursor: object, statement: str, *_: object) -> None:
        if statement.lstrip().startswith("CREATE TABLE"):
            made.append(statement)
        if len(made) > _CRASH_AFTER_TABLES:
            raise PowerCut

    event.listen(empty.engine, "before_cursor_execute", count)
    with pytest.raises(PowerCut):
        empty.migrate()
    event.remove(empty.engine, "before_cursor_execute", count)
    assert tables_of(empty) - {"alembic_version"} == set()
    empty.migrate()
    assert tables_of(empty) == TABLES | {"alembic_version"}


def test_a_file_that_is_no_database_is_called_corrupt(sqlite_file: Path) -> None:
    sqlite_file.write_bytes(b"these are not the pages of a database" * 200)
    opened = Database(f"sqlite:///{sqlite_file}")
    with pytest.raises(Corrupt, match="damaged"):
        opened.migrate()
    opened.close()
