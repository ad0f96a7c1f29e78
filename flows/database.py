"""The database file of the embedded Prefect server: a migrated template for new homes, a broken one set aside.

Our own tables are the truth about every job; Prefect's database holds what Prefect knows of its runs. So nothing is
lost for good with it, and a server that starts is worth more than a history that can't be read.
"""

import shutil
import sqlite3
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import structlog

from flows.environment import database_file

log = structlog.get_logger()

_WORTH_BYTES = 20 * 2**20
"""A smaller file isn't worth the time."""
_SHRINKABLE_BYTES = 2 * 2**30
"""A larger one would hold up the start for more than about 20 s."""
_SIDE_FILES = ("-wal", "-shm", "-journal")
_MIGRATIONS = Path("server", "database", "_migrations", "versions", "sqlite")


def template_places() -> list[Path]:
    """Where the template of the installed Prefect may lie, best first: in the virtual environment, in the cache."""
    name = f"prefect-{version('prefect')}.sqlite3"
    return [
        Path(sys.prefix) / "share" / "nightshift" / name,
        Path.home() / ".cache" / "nightshift" / name,
    ]


def find_template() -> Path | None:
    """The template of the installed Prefect; None when it was never built."""
    return next((place for place in template_places() if place.is_file()), None)


def store_template(source: Path, places: Sequence[Path]) -> Path | None:
    """Keep a compact copy of a migrated database as the template.

    Returns:
        The first of the places that could be written; None when none could.
    """
    for place in places:
        half_written = place.with_suffix(".new")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            half_written.unlink(missing_ok=True)
            with closing(sqlite3.connect(source)) as connection:
                connection.execute("VACUUM INTO ?", (str(half_written),))
            half_written.replace(place)
        except (OSError, sqlite3.Error) as error:
            log.debug("prefect.template_place_unusable", place=str(place), error=str(error))
        else:
            return place
    return None


def prepare_home(home: Path, *, template: Path | None) -> None:
    """Make Prefect's folder ready for a start: set aside what can't be read, begin a new one with the template.

    Without a template a new database is left to the server, which then takes about 20 s for its first start.
    """
    if home.exists() and not home.is_dir():
        _set_aside(home, problem="not a folder")
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    database = database_file(home)
    if database.exists() and (problem := find_problem(database)):
        _set_aside(database, problem=problem)
    shrink(database)
    if template and not database.exists():
        _copy(template, database)


def shrink(database: Path, *, patience_s: float = 10) -> None:
    """Give back the room of deleted runs when that is more than half of the file; only while no server runs.

    Prefect deletes old runs but never gives room back: a busy month would stay on the disk for good.
    """
    if not database.exists() or not _WORTH_BYTES <= database.stat().st_size <= _SHRINKABLE_BYTES:
        return
    before = database.stat().st_size
    try:
        with closing(sqlite3.connect(database, timeout=patience_s)) as connection:
            free, pages = (
                connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("freelist_count", "page_count")
            )
            if free <= pages / 2:
                return
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:  # such as a full disk, or a server that still runs: it works as it is
        log.warning("prefect.database_not_shrunk", reason=str(error))
    else:
        log.info("prefect.database_shrunk", from_mb=before // 2**20, to_mb=database.stat().st_size // 2**20)


def find_problem(database: Path) -> str | None:
    """Why Prefect couldn't work with this file, for people; None when it can."""
    try:
        with closing(sqlite3.connect(database, timeout=10)) as connection:
            damage = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if damage != "ok":
                return "damaged"
            revision = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error as error:
        return str(error)
    if revision is None or not _is_known(revision[0]):
        return "written by another version of Prefect"
    return None


def _is_known(revision: str) -> bool:
    # Found without importing Prefect, which would read its environment before it is set.
    spec = find_spec("prefect")
    if spec is None or spec.origin is None:
        return False
    return any((Path(spec.origin).parent / _MIGRATIONS).glob(f"*_{revision}_*.py"))


def _copy(template: Path, database: Path) -> None:
    half_written = database.with_suffix(".new")
    try:
        shutil.copyfile(template, half_written)
        if problem := find_problem(half_written):
            log.warning("prefect.template_unusable", template=str(template), problem=problem)
            half_written.unlink()
        else:
            half_written.replace(database)
    except OSError as error:
        log.warning("prefect.template_unusable", template=str(template), problem=str(error))


def _set_aside(path: Path, *, problem: str) -> None:
    aside = path.with_name(f"{path.name}.broken-{time.strftime('%Y%m%dT%H%M%S')}")
    path.replace(aside)
    for suffix in _SIDE_FILES:
        side_file = path.with_name(path.name + suffix)
        if side_file.exists():
            side_file.replace(aside.with_name(aside.name + suffix))
    log.warning("prefect.database_set_aside", problem=problem, kept_as=str(aside))
