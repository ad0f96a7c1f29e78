"""Sockets in folders with long names: the system takes addresses of about 100 bytes only."""

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_MAX_BYTES = 100
"""Below the limits of Linux (107) and macOS (103)."""


@contextmanager
def unix_address(path: Path) -> Generator[str]:
    """An address of the socket file that is short enough to bind or connect to, good within the block.

    A long one leads through a link in a folder that only we can enter; once connected or bound, it isn't needed.
    """
    if len(os.fsencode(path)) <= _MAX_BYTES:
        yield str(path)
        return
    with tempfile.TemporaryDirectory(prefix="nightshift-") as folder:
        link = Path(folder) / "s"
        link.symlink_to(path.parent, target_is_directory=True)
        yield str(link / path.name)
