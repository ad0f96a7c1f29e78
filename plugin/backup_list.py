"""Which backups were made of a home, so that forgetting can name them."""

from contextlib import suppress
from pathlib import Path

_LIST = "backups.txt"
"""Where backups were put, a path on a line."""


def backups_of(home: Path) -> list[Path]:
    """Backups that were made of this home and are still where they were put, oldest first.

    They hold what was forgotten since: restoring one forgets it again, but whoever has the file can read it.
    """
    with suppress(OSError, UnicodeDecodeError):
        lines = (home / _LIST).read_text(encoding="utf-8").splitlines()
        return [path for path in map(Path, dict.fromkeys(lines)) if path.exists()]
    return []


def note_backup(home: Path, target: Path) -> None:
    """Remember where a backup was put."""
    with (home / _LIST).open("a", encoding="utf-8") as file:
        file.write(f"{target.absolute()}\n")
