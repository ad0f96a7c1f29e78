"""Real databases for tests: a SQLite file, or a database of a PostgreSQL that this session started; new each time."""

import contextlib
import itertools
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from memory_core.models import artifact, dream, job, memory, turn
from memory_core.models.base import Table
from memory_core.store.database import Database

FAMILIES = (turn, memory, artifact, dream, job)
"""Importing them registers their tables."""

_START_WITHIN_S = 30
_END_WITHIN_S = 15
_WITH_TABLES = "with_tables"
_UNPRIVILEGED = ("postgres", "nobody")
_NUMBERS = itertools.count(1)
# PostgreSQL ends with the pipe: also when the tests are killed, nothing stays behind.
_WITH_LIFELINE = '"$@" & server=$!; cat >/dev/null; kill -INT $server; wait $server'


class PostgresServer:
    """A PostgreSQL of our own on loopback; call `start` first."""

    def __init__(self) -> None:
        self._initdb, self._postgres = _program("initdb"), _program("postgres")
        self._user = _server_user()
        self._folder = Path(tempfile.mkdtemp(prefix="nightshift-postgres-"))
        self._port = _free_port()
        self._shell: subprocess.Popen[bytes] | None = None
        self._has_tables = False
        if self._user:
            shutil.chown(self._folder, self._user)

    def start(self) -> None:
        """Make a cluster and serve it."""
        data = self._folder / "data"
        subprocess.run(
            [self._initdb, "-D", data, "-U", "tests", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"],
            check=True,
            capture_output=True,
            user=self._user,
            cwd=self._folder,
        )
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self._port),
            "unix_socket_directories": "",
            "fsync": "off",
            "synchronous_commit": "off",
            "full_page_writes": "off",
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (self._folder / "log").open("wb") as log:
            self._shell = subprocess.Popen(
                ["sh", "-c", _WITH_LIFELINE, "sh", self._postgres, "-D", data, *options],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                user=self._user,
                cwd=self._folder,
                start_new_session=True,  # Ctrl-C is for the tests; they end the server in order
            )
        self._wait_until_ready()

    def stop(self) -> None:
        """End the server and remove what it wrote."""
        if self._shell and self._shell.stdin:
            self._shell.stdin.close()
            self._shell.wait(_END_WITHIN_S)
        shutil.rmtree(self._folder, ignore_errors=True)

    @contextlib.contextmanager
    def database(self) -> Generator[str]:
        """URL of an empty database that goes at the end."""
        name = f"t{next(_NUMBERS)}"
        self._execute("CREATE DATABASE {}", name)
        try:
            yield self._url(name)
        finally:
            self._execute("DROP DATABASE {} WITH (FORCE)", name)

    def database_with_tables(self) -> str:
        """URL of a database with empty tables at the newest revision; the same one each time, emptied."""
        url = self._url(_WITH_TABLES)
        if not self._has_tables:
            self._execute("CREATE DATABASE {}", _WITH_TABLES)
            migrate(url)
            self._has_tables = True
        names = sql.SQL(", ").join(sql.Identifier(name) for name in Table.metadata.tables)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("SET lock_timeout = '10s'")
            connection.execute(sql.SQL("TRUNCATE {} RESTART IDENTITY").format(names))
        return url

    def _url(self, name: str) -> str:
        return f"postgresql://tests@127.0.0.1:{self._port}/{name}"

    def _execute(self, statement: LiteralString, *names: str) -> None:
        with self._connect() as connection:
            connection.execute(sql.SQL(statement).format(*(sql.Identifier(name) for name in names)))

    def _connect(self) -> psycopg.Connection:
        return psycopg.connect(host="127.0.0.1", port=self._port, user="tests", dbname="postgres", autocommit=True)

    def _wait_until_ready(self) -> None:
        deadline_s = time.monotonic() + _START_WITHIN_S
        while True:
            try:
                self._connect().close()
            except psycopg.OperationalError:
                if time.monotonic() > deadline_s or (self._shell and self._shell.poll() is not None):
                    raise
                time.sleep(0.1)
            else:
                return


def _program(name: str) -> str:
    if found := shutil.which(name):
        return found
    versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[4]))
    if not versions:
        raise FileNotFoundError(f"{name} is neither in PATH nor in /usr/lib/postgresql; install the package postgresql")
    return str(versions[-1])


def _server_user() -> str | None:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in _UNPRIVILEGED if name in known)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@pytest.fixture(scope="session")
def postgres() -> Generator[PostgresServer]:
    """The session's PostgreSQL; without its programs the tests that need it are skipped."""
    try:
        server = PostgresServer()
    except FileNotFoundError as error:
        pytest.skip(f"no PostgreSQL: {error}")
    try:
        server.start()
    except (OSError, subprocess.CalledProcessError, psycopg.OperationalError) as error:
        server.stop()
        pytest.skip(f"PostgreSQL doesn't start: {error}")
    yield server
    server.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[str]:
    """URL of an empty database; a test that asks for it runs on both."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'nightshift.sqlite3'}"
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    with server.database() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def tables_url(request: pytest.FixtureRequest, *, tmp_path: Path, sqlite_template: Path) -> str:
    """URL of a database with tables at the newest revision; a test that asks for it runs on both."""
    if request.param == "sqlite":
        shutil.copy(sqlite_template, tmp_path / "nightshift.sqlite3")
        return f"sqlite:///{tmp_path / 'nightshift.sqlite3'}"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.database_with_tables()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with tables at the newest revision, to be copied."""
    path = tmp_path_factory.mktemp("template") / "nightshift.sqlite3"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> Generator[str]:
    """URL of an empty database of PostgreSQL, for tests of what only many writers can do."""
    with postgres.database() as url:
        yield url


@pytest.fixture
def sqlite_file(tmp_path: Path) -> Path:
    """Where a SQLite database may be made."""
    return tmp_path / "nightshift.sqlite3"


@pytest.fixture
def database(tables_url: str) -> Generator[Database]:
    """Tables at the newest revision; a test that asks for it runs on both databases."""
    opened = Database(tables_url)
    yield opened
    opened.close()


@pytest.fixture
def sqlite(sqlite_template: Path, sqlite_file: Path) -> Generator[Database]:
    """Tables at the newest revision in a SQLite file."""
    shutil.copy(sqlite_template, sqlite_file)
    opened = Database(f"sqlite:///{sqlite_file}")
    yield opened
    opened.close()


def migrate(url: str) -> None:
    """Make the tables of an empty database."""
    opened = Database(url)
    try:
        opened.migrate()
    finally:
        opened.close()
