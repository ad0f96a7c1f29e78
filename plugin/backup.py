"""One file with everything that can't be made again: tables, contents of made things, keys. No token, no password.

A backup is taken while everything runs. It is put back while nothing does, and what was forgotten since is forgotten
again: the tombstones of the present installation are merged in before the tables take their place.
"""

import json
import os
import shutil
import sqlite3
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import cast

from memory_core.bootstrap import open_core
from memory_core.errors import Corrupt, Invalid, MemoryCoreError, NotFound, Unavailable
from memory_core.forgetting.reapplying import Reapplied
from memory_core.models.memory import Tombstone
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.store.graves import GraveRepository
from plugin.copies import note_backup
from plugin.up.home import claim_home

FORMAT = 1
_MANIFEST = "manifest.json"
_TABLES = "nightshift.sqlite3"
_KEY = "text.key"
_PREFERENCES = "preferences.json"
_ARTIFACTS = "artifacts"
_SIDE_FILES = ("-wal", "-shm")


@dataclass(frozen=True, slots=True, kw_only=True)
class BackedUp:
    """What a backup holds."""

    memories: int
    artifacts: int
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What came back, and what of it was forgotten again at once.

    Attributes:
        replaced: A backup of what was there before; None when nothing was.
        unknown_tombstones: The present installation had tombstones made with another key: they can't be compared.
    """

    memories: int
    taken_at: str
    reapplied: Reapplied
    replaced: Path | None
    unknown_tombstones: int


def back_up(settings: Settings, target: Path) -> BackedUp:
    """Write a backup; the installation may run. An existing file is replaced once the new one is whole.

    Raises:
        Invalid: the tables aren't on this machine, or the file can't be written.
        NotFound: there is nothing to back up.
        Corrupt: the tables are damaged.
    """
    source = _local_tables(settings)
    if not source.exists():
        raise NotFound(f"backup: there are no tables in {settings.home}")
    unfinished = target.with_name(f"{target.name}.part")
    try:
        with tempfile.TemporaryDirectory(prefix=".backup-", dir=settings.home) as folder:
            tables = Path(folder) / _TABLES
            _copy_tables(source, tables)
            memories = _count(tables)
            descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with (
                os.fdopen(descriptor, "wb") as file,
                tarfile.open(fileobj=file, mode="w:gz", compresslevel=6) as archive,
            ):
                artifacts = _write(archive, settings, tables=tables)
            unfinished.replace(target)
            note_backup(settings.home, target)
    except OSError as error:
        raise Invalid(f"backup: {target} can't be written ({error.strerror or error})") from error
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return BackedUp(memories=memories, artifacts=artifacts, size_bytes=target.stat().st_size)


def restore(settings: Settings, source: Path) -> Restored:
    """Put a backup in the place of the present installation; a backup of that is made first.

    Raises:
        AlreadyRunning: Nightshift runs in this home.
        Invalid: the file is no backup of ours, or the tables aren't on this machine.
        Corrupt: the backup is damaged.
    """
    present = _local_tables(settings)
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with claim_home(settings.home), tempfile.TemporaryDirectory(prefix=".restore-", dir=settings.home) as folder:
        fresh = Path(folder)
        manifest = _unpack(source, fresh)
        _check(fresh / _TABLES)
        same_key = _key_of(fresh) == _key_of(settings.home)
        graves = _tombstones(settings) if present.exists() else []
        replaced = _keep_present(settings) if present.exists() else None
        with open_core(replace(settings, home=fresh)) as core:
            reapplied = core.reapplying.apply(graves if same_key else [])
            core.database.erase_traces()
        _settle(fresh / _TABLES)
        memories = _count(fresh / _TABLES)
        _take_over(fresh, settings)
    return Restored(
        memories=memories,
        taken_at=str(manifest.get("takenAt")),
        reapplied=reapplied,
        replaced=replaced,
        unknown_tombstones=0 if same_key else len(graves),
    )


def _local_tables(settings: Settings) -> Path:
    if settings.backends.database_url is not None:
        raise Invalid("backup: the tables are where database.url says; back them up with that database's own tools")
    return settings.home / _TABLES


def _copy_tables(source: Path, target: Path) -> None:
    try:
        with closing(sqlite3.connect(source, timeout=30)) as live, closing(sqlite3.connect(target)) as copy:
            live.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE").fetchone()
    except sqlite3.Error as error:
        raise Corrupt(f"backup: the tables can't be read ({error})") from error


def _write(archive: tarfile.TarFile, settings: Settings, *, tables: Path) -> int:
    """Put everything in; returns the number of contents. One that is forgotten at this moment is left out."""
    manifest = {
        "format": FORMAT,
        "version": version("nightshift"),
        "takenAt": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    about = tables.with_name(_MANIFEST)
    about.write_text(json.dumps(manifest), encoding="utf-8")
    archive.add(about, arcname=_MANIFEST)
    archive.add(tables, arcname=_TABLES)
    for name in (_KEY, _PREFERENCES):
        if (settings.home / name).exists():
            archive.add(settings.home / name, arcname=name)
    contents = 0
    for file in sorted(settings.artifact_folder.glob("??/*")):
        with suppress(FileNotFoundError):
            archive.add(file, arcname=f"{_ARTIFACTS}/{file.parent.name}/{file.name}")
            contents += 1
    return contents


def _unpack(source: Path, target: Path) -> dict[str, object]:
    try:
        with tarfile.open(source, mode="r:gz") as archive:
            archive.extractall(target, members=_ours(archive), filter="data")
        manifest = json.loads((target / _MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise Invalid(f"restore: {error.filename or source} is not there") from error
    except (OSError, ValueError, EOFError, tarfile.TarError) as error:
        raise Invalid(
            f"restore: {source} is no backup of Nightshift, or was cut short ({type(error).__name__})"
        ) from error
    if not isinstance(manifest, dict) or cast("dict[str, object]", manifest).get("format") != FORMAT:
        raise Invalid(f"restore: {source} was written by another version of Nightshift")
    return cast("dict[str, object]", manifest)


def _ours(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Members that belong in a backup; anything else somebody put in stays out."""
    for member in archive:
        top = member.name.split("/", 1)[0]
        if member.isfile() and (member.name in {_MANIFEST, _TABLES, _KEY, _PREFERENCES} or top == _ARTIFACTS):
            member.mode = 0o600
            yield member


def _check(tables: Path) -> None:
    try:
        with closing(sqlite3.connect(tables)) as connection:
            if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                raise Corrupt("restore: the tables of the backup are damaged")
            connection.execute("SELECT count(*) FROM memory").fetchone()
    except sqlite3.Error as error:
        raise Corrupt(f"restore: the tables of the backup can't be read ({error})") from error


def _key_of(home: Path) -> bytes | None:
    with suppress(OSError):
        return (home / _KEY).read_bytes().strip()
    return None


def _tombstones(settings: Settings) -> list[Tombstone]:
    """Those of the present installation.

    Raises:
        Unavailable: they can't be read; restoring without them could bring back what was forgotten.
    """
    database = Database(settings.database_url)
    try:
        database.migrate()
        with database.reading() as db:
            return GraveRepository(db).all()
    except MemoryCoreError as error:
        reason = f"restore: the present tables can't be read, so what was forgotten isn't known ({error})"
        raise Unavailable(f"{reason}; move {_TABLES} out of {settings.home} to restore all the same") from error
    finally:
        database.close()


def _keep_present(settings: Settings) -> Path:
    kept = settings.home / f"before-restore-{time.strftime('%Y%m%dT%H%M%S')}.tar.gz"
    back_up(settings, kept)
    return kept


def _settle(tables: Path) -> None:
    """Make the file whole by itself: its log is written into it and goes."""
    with closing(sqlite3.connect(tables, timeout=30)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    for suffix in _SIDE_FILES:
        tables.with_name(tables.name + suffix).unlink(missing_ok=True)


def _take_over(fresh: Path, settings: Settings) -> None:
    """Contents first, the tables last and in one step: a kill on the way leaves the present tables whole."""
    home = settings.home
    for file in (fresh / _ARTIFACTS).glob("??/*"):
        place = settings.artifact_folder / file.parent.name / file.name
        for folder in (settings.artifact_folder, place.parent):
            folder.mkdir(mode=0o700, exist_ok=True)
        file.replace(place)
    present = home / _TABLES
    if present.exists():
        _settle(present)
    if (fresh / _KEY).exists():
        (fresh / _KEY).replace(home / _KEY)
    (fresh / _TABLES).replace(present)
    # The index is a copy of other tables now: the next start fills a new one from these.
    shutil.rmtree(settings.index_folder, ignore_errors=True)


def _count(tables: Path) -> int:
    """Number of memories; tables of an earlier version know no passages of artifacts."""
    with closing(sqlite3.connect(tables)) as connection:
        columns = {str(column[1]) for column in connection.execute("PRAGMA table_info(memory)")}
        where = " WHERE part IS NULL" if "part" in columns else ""
        return int(connection.execute(f"SELECT count(*) FROM memory{where}").fetchone()[0])  # noqa: S608 our own words
