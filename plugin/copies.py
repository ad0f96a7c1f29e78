"""Which copies were made of a home, backups and exports, so that forgetting can name them."""

from contextlib import suppress
from pathlib import Path

_BACKUPS, _EXPORTS = "backups.txt", "exports.txt"
"""Where copies were put, a path on a line."""


def backups_of(home: Path) -> list[Path]:
    """Backups that were made of this home and are still where they were put, oldest first.

    They hold what was forgotten since: restoring one forgets it again, but whoever has the file can read it.
    """
    return _noted(home / _BACKUPS)


def exports_of(home: Path) -> list[Path]:
    """Files of exported memories, alike. One that was written to standard output left no path to note."""
    return _noted(home / _EXPORTS)


def note_backup(home: Path, target: Path) -> None:
    """Remember where a backup was put."""
    _note(home / _BACKUPS, target)


def note_export(home: Path, target: Path) -> None:
    """Remember where an export was put; a home on another machine isn't told."""
    if home.is_dir():
        _note(home / _EXPORTS, target)


def _noted(file: Path) -> list[Path]:
    with suppress(OSError, UnicodeDecodeError):
        lines = file.read_text(encoding="utf-8").splitlines()
        return [path for path in map(Path, dict.fromkeys(lines)) if path.exists()]
    return []


def _note(file: Path, target: Path) -> None:
    with file.open("a", encoding="utf-8") as noted:
        noted.write(f"{target.absolute()}\n")
