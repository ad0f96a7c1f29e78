"""How large Prefect's database stays: a year of flow runs in a real one, pruned by its own service, then shrunk.

One run is made through the API. Its rows are copied, with new ids and dates spread over the time, into the file of the
stopped server; the server is started, which prunes, and stopped, and the room is given back as at our next start.
`python -m tests.prefect_year` prints the sizes of a year at forty runs a day.
"""

import sqlite3
import tempfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

from flows.database import find_template, prepare_home
from memory_core.adapters.prefect_engine import PrefectEngine
from memory_core.values import JobId, JobKind, JobState
from tests.prefect_server import PrefectServer, is_ready, wait_until

RUNS_A_DAY = 40
"""Of a person who talks a lot: thirty consolidations, some works and imports, the night's run, housekeeping."""
_KEPT_DAYS = 7
_EVENTS_A_RUN = 5
"""More than Prefect writes; they are kept for a day."""
_FORMAT = "%Y-%m-%d %H:%M:%S.%f"
_PATIENCE_S = 600

Row = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Bytes of the database file, and flow runs in it: after the time, after pruning, after shrinking."""

    runs: int
    full_bytes: int
    kept_runs: int
    pruned_bytes: int
    shrunk_bytes: int


def measure(home: Path, *, days: int, runs_a_day: int) -> Sizes:
    """Let the time pass; 14,600 runs take about three minutes and 150 MB."""
    server = PrefectServer(home)
    prepare_home(home / "prefect", template=find_template())
    database = home / "prefect" / "prefect.db"
    server.start()
    executor = server.executor()
    engine = PrefectEngine(server.settings())
    try:
        executor.start()
        wait_until(lambda: is_ready(engine), what="the executor is ready", within_s=_PATIENCE_S)
        _run_one(engine)
        executor.end()
        server.process.kill()
        runs = _copy_run(database, days=days, runs_a_day=runs_a_day)
        full_bytes = database.stat().st_size
        server.start()
        most = {"flow_run": (_KEPT_DAYS + 1) * runs_a_day + 1, "events": 2 * _EVENTS_A_RUN * runs_a_day + 100}
        wait_until(
            lambda: all(_count(database, table) <= limit for table, limit in most.items()),
            what="old runs and events are pruned",
            within_s=_PATIENCE_S,
        )
    finally:
        engine.close()
        executor.kill()
        server.process.kill()
    kept_runs, pruned_bytes = _count(database, "flow_run"), _whole_size(database)
    prepare_home(home / "prefect", template=None)
    return Sizes(
        runs=runs,
        full_bytes=full_bytes,
        kept_runs=kept_runs,
        pruned_bytes=pruned_bytes,
        shrunk_bytes=_whole_size(database),
    )


def _run_one(engine: PrefectEngine) -> None:
    job_id = JobId(f"{str(uuid4())[:-1]}f")
    run = engine.submit(job_id, kind=JobKind.CONSOLIDATE, parameters={"job_id": job_id})
    wait_until(lambda: engine.read(run.run_id).state is JobState.DONE, what="the run is done", within_s=_PATIENCE_S)


def _copy_run(database: Path, *, days: int, runs_a_day: int) -> int:
    with closing(sqlite3.connect(database, timeout=30)) as connection, connection:
        connection.row_factory = sqlite3.Row
        run = dict(connection.execute("SELECT * FROM flow_run WHERE state_type = 'COMPLETED'").fetchone())
        states = _rows(connection, "SELECT * FROM flow_run_state WHERE flow_run_id = ?", key=run["id"])
        events = _rows(connection, "SELECT * FROM events WHERE resource_id = ?", key=f"prefect.flow-run.{run['id']}")
        for number in range(days * runs_a_day):
            ids = {str(row["id"]): str(uuid4()) for row in (run, *states, *events)}
            back = timedelta(days=number / runs_a_day)
            for table, rows in (("flow_run", [run]), ("flow_run_state", states), ("events", events)):
                for row in rows:
                    _insert(connection, table, row=_moved(row, ids=ids, back=back))
    return days * runs_a_day + 1


def _rows(connection: sqlite3.Connection, statement: str, *, key: object) -> list[Row]:
    return [dict(row) for row in connection.execute(statement, (key,))]


def _moved(row: Row, *, ids: Mapping[str, str], back: timedelta) -> Row:
    """The row with new ids wherever the old ones stand, so long ago."""
    moved: Row = {}
    for name, value in row.items():
        if name == "idempotency_key":
            moved[name] = str(uuid4())
        elif isinstance(value, str):
            moved[name] = _ago(value, back)
            for old, new in ids.items():
                moved[name] = str(moved[name]).replace(old, new)
        else:
            moved[name] = value
    return moved


def _ago(value: str, back: timedelta) -> str:
    try:
        return (datetime.strptime(value, _FORMAT) - back).strftime(_FORMAT)  # noqa: DTZ007 as Prefect stores it: UTC
    except ValueError:
        return value


def _insert(connection: sqlite3.Connection, table: str, *, row: Row) -> None:
    columns = ", ".join(f'"{name}"' for name in row)
    places = ", ".join("?" for _ in row)
    connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({places})", tuple(row.values()))  # noqa: S608 our names


def _count(database: Path, table: str) -> int:
    with closing(sqlite3.connect(database, timeout=30)) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608 our names


def _whole_size(database: Path) -> int:
    """With what its log still holds."""
    with closing(sqlite3.connect(database, timeout=30)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return database.stat().st_size


def main() -> None:
    """Print the sizes of a year."""
    with tempfile.TemporaryDirectory(prefix="nightshift-year-") as folder:
        sizes = measure(Path(folder), days=365, runs_a_day=RUNS_A_DAY)
    print(f"a year of {sizes.runs} flow runs: {sizes.full_bytes / 1e6:.1f} MB")
    print(f"pruned to the last {_KEPT_DAYS} days, {sizes.kept_runs} runs: {sizes.pruned_bytes / 1e6:.1f} MB")
    print(f"after the next start: {sizes.shrunk_bytes / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
