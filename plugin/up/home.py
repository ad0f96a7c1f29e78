"""The folder of one installation as the supervisor needs it: usable, private, and claimed by one tree only."""

import fcntl
import json
import os
import secrets
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import cast

from memory_core.errors import Conflict, Invalid
from memory_core.settings import Settings

LOCK_FILE = "up.lock"
PREFECT_AUTH_FILE = "prefect.auth"
_TOKEN_CHARS = 32
"""A shorter token is none; see `memory_core.keyfile`."""
_LOCK_ATTEMPTS = 4
_LOCK_PAUSE_S = 0.1


class AlreadyRunning(Conflict):
    """Another tree serves this home; what was asked for is there."""


class Claim:
    """The lock on a home, held until the process ends, and what it says about the tree that holds it."""

    def __init__(self, lock: int, *, left_behind: bool) -> None:
        self._lock = lock
        self.left_behind = left_behind
        """The tree before this one was killed; processes of it may still be ending."""

    def note(self, facts: Mapping[str, object]) -> None:
        """Write down what others may want to know of this tree; replaces what stood there."""
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, json.dumps(facts).encode(), 0)


def prepare_home(settings: Settings) -> None:
    """Make the folder, for its owner only. Foreign files in it are left alone.

    Raises:
        Invalid: it can't be used, and why.
    """
    home = settings.home
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        home.chmod(0o700)
        (home / "logs").mkdir(mode=0o700, exist_ok=True)
        probe = home / f".probe-{os.getpid()}"
        probe.write_bytes(b"x")
        probe.unlink()
    except FileExistsError as error:
        raise Invalid(f"home {home}: {error.filename} is a file where a folder must be") from error
    except OSError as error:
        raise Invalid(f"home {home}: can't be used ({error.strerror}: {error.filename or home})") from error


def mend_home(settings: Settings) -> list[str]:
    """Take away what a start that was cut short, or a full disk, left half-written; says what, for people.

    To be called under the claim. Data is never taken away: damaged tables are for a person to restore.
    """
    token = settings.token_file
    try:
        if len(token.read_bytes().strip()) >= _TOKEN_CHARS:
            return []
        token.unlink()
    except OSError:
        return []
    return [f"{token.name} was half-written and is made anew"]


@contextmanager
def claim_home(home: Path) -> Generator[Claim]:
    """Be the only tree of this home while the block runs; the lock goes with the process, however it ends.

    Raises:
        AlreadyRunning: another tree holds it.
        Invalid: the lock file can't be opened.
    """
    try:
        lock = os.open(home / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise Invalid(f"home {home}: {LOCK_FILE} can't be opened ({error.strerror})") from error
    try:
        _take(lock, home)
        yield Claim(lock, left_behind=os.fstat(lock).st_size > 0)
        # Only a tree that ended in order gets here.
        os.ftruncate(lock, 0)
    finally:
        os.close(lock)


def read_claim(home: Path) -> Mapping[str, object] | None:
    """What the running tree of this home wrote down; None when none runs."""
    with suppress(OSError), (home / LOCK_FILE).open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _facts(file.read())
    return None


def _take(lock: int, home: Path) -> None:
    for attempt in range(_LOCK_ATTEMPTS):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            # Somebody who only looks (`read_claim`) holds it for an instant.
            if attempt == _LOCK_ATTEMPTS - 1:
                raise AlreadyRunning(_who_runs(home)) from error
            time.sleep(_LOCK_PAUSE_S)
        else:
            return


def _who_runs(home: Path) -> str:
    facts = _facts((home / LOCK_FILE).read_bytes())
    where = f" at {facts['url']}" if "url" in facts else ""
    pid = f", pid {facts['pid']}" if "pid" in facts else ""
    return f"already running{where} (home {home}{pid})"


def _facts(content: bytes) -> Mapping[str, object]:
    # Read while the other side may be writing: half a text counts as none.
    with suppress(ValueError):
        facts: object = json.loads(content)
        if isinstance(facts, dict):
            return cast("dict[str, object]", facts)
    return {}


def prefect_auth(home: Path) -> str:
    """The `user:password` of this installation's Prefect server; made on first use, mode 0600.

    To be called under the claim. A half-written file is replaced.
    """
    path = home / PREFECT_AUTH_FILE
    with suppress(OSError, UnicodeDecodeError):
        auth = path.read_text(encoding="ascii").strip()
        if auth.startswith("nightshift:") and len(auth) >= len("nightshift:") + 32:
            path.chmod(0o600)
            return auth
    auth = "nightshift:" + secrets.token_urlsafe(32)
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(auth + "\n")
    fresh.replace(path)
    return auth
