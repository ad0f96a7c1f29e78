"""The database: engine, transactions, migrations; SQLite by default, PostgreSQL by its URL."""

import sqlite3
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from filelock import FileLock
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DatabaseError, DataError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session as DbSession

from memory_core.errors import Conflict, Corrupt, Invalid, Unavailable

BUSY_TIMEOUT_S = 15
"""How long a writer waits for another one; SQLite has one writer at a time."""
_WRITE = "nightshift_write"
_MIGRATION_LOCK = 7461
"""Number of the advisory lock on PostgreSQL; any fixed one."""


class Database:
    """Sessions on one database. Thread-safe."""

    def __init__(self, url: str) -> None:
        """Prepare the engine; connects at the first use."""
        self.engine = _engine(url)
        self._is_sqlite = self.engine.dialect.name == "sqlite"

    @contextmanager
    def transaction(self) -> Generator[DbSession]:
        """A session that commits at the end of the block, or rolls back when it raises.

        On SQLite the write lock is taken at the start, so that nothing read inside can change before the commit.

        Raises:
            Unavailable: the database is away, busy for too long, or its disk is full.
            Conflict: another writer wrote the same unique thing first.
            Invalid: a value that the database can't hold, such as a text with a NUL on PostgreSQL.
            Corrupt: the database file is damaged.
        """
        with (
            _translated(),
            self.engine.connect().execution_options(**{_WRITE: True}) as connection,
            DbSession(connection, expire_on_commit=False) as session,
            session.begin(),
        ):
            yield session

    @contextmanager
    def reading(self) -> Generator[DbSession]:
        """A session that sees one state of the database and changes nothing.

        Raises:
            Unavailable: the database is away.
            Corrupt: the database file is damaged.
        """
        with _translated(), DbSession(self.engine, expire_on_commit=False) as session:
            yield session

    def migrate(self) -> None:
        """Bring the tables to the newest revision; safe when several processes start at once.

        Raises:
            Corrupt: the tables belong to a newer version of Nightshift, or the file is damaged.
            Unavailable: the database is away.
        """
        with _translated(), self._migration_lock(), self.engine.connect() as connection:
            config = Config()
            config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
            config.attributes["connection"] = connection
            scripts = ScriptDirectory.from_config(config)
            current = MigrationContext.configure(connection).get_current_revision()
            connection.rollback()
            if current == scripts.get_current_head():
                return
            if current and current not in {script.revision for script in scripts.walk_revisions()}:
                raise Corrupt(f"the tables are at revision {current}, which this version of Nightshift doesn't know")
            command.upgrade(config, "head")

    def owe_erasure(self, session: DbSession) -> None:
        """Note in this transaction that traces of deleted text must go; see `erase_traces`."""
        if self._is_sqlite:
            session.connection().exec_driver_sql("PRAGMA user_version = 1")

    def erase_traces(self, *, max_bytes: int | None = None) -> bool:
        """Rewrite a SQLite file if that is owed, so that no byte of deleted text is left in it or in its log.

        Pages are overwritten as they are freed, but not what stays behind in a page when a row moves to another one.
        Writers wait meanwhile, about 10 s a gigabyte.

        Args:
            max_bytes: Leave a larger file for a quieter moment.

        Returns:
            Whether nothing is owed any more. False when somebody reads or writes for long: call again later.

        Raises:
            Corrupt: the database file is damaged.
        """
        if not self._is_sqlite:
            return True
        try:
            with _translated(), self._driver() as driver:
                if _number(driver, "user_version") == 0:
                    return True
                if max_bytes is not None and _number(driver, "page_count") * _number(driver, "page_size") > max_bytes:
                    return False
                driver.execute("VACUUM")
                if _number(driver, "wal_checkpoint(TRUNCATE)") != 0:
                    return False
                driver.execute("PRAGMA user_version = 0")
        except Unavailable:
            return False
        return True

    @contextmanager
    def _driver(self) -> Generator[sqlite3.Connection]:
        """The driver's connection without a transaction, its errors as SQLAlchemy shows them."""
        with self.engine.connect() as connection:
            driver = connection.connection.dbapi_connection
            if not isinstance(driver, sqlite3.Connection):
                raise TypeError("not a SQLite database")
            try:
                yield driver
            except sqlite3.OperationalError as error:
                raise OperationalError(None, None, error) from error
            except sqlite3.DatabaseError as error:
                raise DatabaseError(None, None, error) from error

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    @contextmanager
    def _migration_lock(self) -> Generator[None]:
        if not self._is_sqlite:
            with self.engine.begin() as connection:  # the end of this transaction frees the lock, however it ends
                connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _MIGRATION_LOCK})
                yield
            return
        path = self.engine.url.database
        lock: AbstractContextManager[object] = FileLock(f"{path}.migration.lock") if path else nullcontext()
        with lock:
            yield


def _engine(url: str) -> Engine:
    # Parameters are words of people: they may not stand in the text of an error.
    if url.startswith(("postgres://", "postgresql://", "postgresql+psycopg://")):
        return create_engine(
            "postgresql+psycopg://" + url.split("://", 1)[1], pool_pre_ping=True, pool_size=10, hide_parameters=True
        )
    if not url.startswith("sqlite:///"):
        raise Invalid("database.url: must begin with sqlite:/// or postgresql://")
    engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_S}, hide_parameters=True)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: sqlite3.Connection, _record: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # the driver begins nothing by itself, see _begin_sqlite
    for pragma in ("journal_mode=WAL", "foreign_keys=ON", "secure_delete=ON", "synchronous=FULL", "temp_store=MEMORY"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_sqlite(connection: Connection) -> None:
    write = connection.get_execution_options().get(_WRITE)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


@contextmanager
def _translated() -> Generator[None]:
    try:
        yield
    except OperationalError as error:
        raise Unavailable(f"the database can't be used now: {_first_line(error.orig)}") from error
    except PoolTimeout as error:
        raise Unavailable("the database can't be used now: all connections are taken") from error
    except IntegrityError as error:
        raise Conflict("somebody else wrote the same thing at the same moment") from error
    except DataError as error:
        raise Invalid("the database can't hold a value of this kind") from error
    except DatabaseError as error:
        if "malformed" in str(error.orig) or "not a database" in str(error.orig):
            raise Corrupt(f"the database file is damaged: {_first_line(error.orig)}") from error
        raise


def _first_line(error: Any) -> str:  # noqa: ANN401 the driver's error, of any class
    return str(error).splitlines()[0] if str(error) else error.__class__.__name__


def _number(driver: sqlite3.Connection, pragma: str) -> int:
    return int(driver.execute(f"PRAGMA {pragma}").fetchone()[0])
