"""Installs the pinned OpenClaw and the Node it needs from npm into one cache folder; a no-op when they are there.

Run as a program, it installs with a line for each long step: `python -m tests.rig.installation`.
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

NODE_MAJOR = 24
OPENCLAW_VERSION = "2026.9.6"
CACHE_VARIABLE = "NIGHTSHIFT_RIG_CACHE"
_STEP_TIMEOUT_S = 900
_VERSION_TIMEOUT_S = 30

Progress = Callable[[str], None]


class RigError(RuntimeError):
    """The rig can't do what a test asked of it; the message is for people."""


def rig_cache() -> Path:
    """The folder that holds Node and OpenClaw for all test runs of this user."""
    return Path(os.environ.get(CACHE_VARIABLE) or "~/.cache/nightshift/rig").expanduser().absolute()


def node(cache: Path) -> Path:
    """The Node executable of the cache."""
    return cache / "node_modules" / ".bin" / "node"


def openclaw(cache: Path) -> Path:
    """The program file of OpenClaw in the cache."""
    return cache / "node_modules" / "openclaw" / "openclaw.mjs"


def install(cache: Path, progress: Progress | None = None) -> Path:
    """Install what is missing; several processes may call this at once.

    Args:
        cache: Needs about 800 MB.
        progress: Is told a line before and after each long step.

    Raises:
        RigError: npm is missing or failed.
    """
    tell = progress or _print_line
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / ".install.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _has_node(cache):
            _npm_install(cache, package=f"node@{NODE_MAJOR}", about="Node for the gateway, about 10 s", tell=tell)
        if not _has_openclaw(cache):
            _npm_install(
                cache, package=f"openclaw@{OPENCLAW_VERSION}", about="the gateway, about 90 s and 800 MB", tell=tell
            )
    if not (_has_node(cache) and _has_openclaw(cache)):
        raise RigError(f"the installation in {cache} is incomplete; remove that folder and try again")
    return cache


def _print_line(line: str) -> None:
    print(line, flush=True)


def _has_node(cache: Path) -> bool:
    try:
        done = subprocess.run(
            [node(cache), "--version"], capture_output=True, text=True, timeout=_VERSION_TIMEOUT_S, check=False
        )
    except OSError:
        return False
    return done.stdout.startswith(f"v{NODE_MAJOR}.")


def _has_openclaw(cache: Path) -> bool:
    try:
        package: dict[str, object] = json.loads((openclaw(cache).parent / "package.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    # npm writes the lock file last: without it an installation was cut short.
    return package.get("version") == OPENCLAW_VERSION and _is_locked(cache)


def _is_locked(cache: Path) -> bool:
    try:
        return "node_modules/openclaw" in (cache / "package-lock.json").read_text(encoding="utf-8")
    except OSError:
        return False


def _npm_install(cache: Path, *, package: str, about: str, tell: Progress) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise RigError("npm is not on the PATH: install Node.js 20 or newer with npm, then try again")
    if not (cache / "package.json").exists():
        (cache / "package.json").write_text('{"private":true}\n', encoding="utf-8")
    tell(f"rig: installing {package} ({about}) into {cache} ...")
    started = time.monotonic()
    command = [npm, "install", "--prefix", str(cache), "--no-audit", "--no-fund", "--loglevel=error", package]
    # The cache's own Node comes first: OpenClaw refuses to be installed by an older one.
    path = f"{node(cache).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    try:
        subprocess.run(
            command,
            env={**os.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_STEP_TIMEOUT_S,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        raise RigError(f"npm could not install {package}:\n{str(error.stderr)[-2000:]}") from error
    except subprocess.TimeoutExpired as error:
        raise RigError(f"npm did not install {package} within {_STEP_TIMEOUT_S} s") from error
    tell(f"rig: installed {package} in {time.monotonic() - started:.0f} s")


def main() -> int:
    """Install into the cache of this user; 1 and one line when that fails."""
    try:
        cache = install(rig_cache())
    except RigError as error:
        print(f"rig: {error}", file=sys.stderr)
        return 1
    print(f"rig: openclaw {OPENCLAW_VERSION} is in {cache}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
