"""Secrets of one installation: made once, exclusively, readable by their owner only."""

import os
import secrets
from pathlib import Path

from memory_core.errors import Corrupt

_SECRET_BYTES = 32


def load_or_create(path: Path) -> str:
    """The secret in a file, made at the first call; safe when several processes call at once.

    Returns:
        64 hexadecimal digits.

    Raises:
        Corrupt: the file holds no secret.
    """
    secret = secrets.token_hex(_SECRET_BYTES)
    temporary = path.with_name(f"{path.name}.{secret[:16]}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secret)
            file.flush()
            os.fsync(file.fileno())
        os.link(temporary, path)  # fails when another process was first, and never shows a half-written file
    except FileExistsError:
        secret = path.read_bytes().decode("ascii", errors="replace").strip()
    finally:
        temporary.unlink()
    if len(secret) < _SECRET_BYTES or not secret.isascii():
        raise Corrupt(f"{path.name}: the file holds no secret; delete it and start again")
    return secret
