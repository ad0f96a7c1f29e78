"""Runs the openclaw program: its environment, its command line, one turn without a gateway."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.rig.configuration import config_path
from tests.rig.installation import RigError, node, openclaw

_LOCAL_TURN_TIMEOUT_S = 240


def environment(cache: Path, home: Path, *, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """A clean environment: nothing of the caller's OpenClaw or provider settings leaks in."""
    scratch = cache / "tmp"
    scratch.mkdir(exist_ok=True)
    return {
        "PATH": f"{node(cache).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        # Node keeps its compile cache there. Naming it in NODE_COMPILE_CACHE instead would make the launcher run the
        # gateway as a child process, which Gateway.kill would then miss.
        "TMPDIR": str(scratch),
        "NO_COLOR": "1",
        "DO_NOT_TRACK": "1",
        "OPENCLAW_HOME": str(home),
        "OPENCLAW_STATE_DIR": str(home / ".openclaw"),
        "OPENCLAW_CONFIG_PATH": str(config_path(home)),
        "OPENCLAW_NO_AUTO_UPDATE": "1",
        "OPENCLAW_OFFLINE": "1",
        "OPENCLAW_DISABLE_BONJOUR": "1",
        "OPENCLAW_TRAJECTORY": "0",  # a second record of every turn, which no test reads
        **(extra or {}),
    }


def command(cache: Path, *arguments: str) -> list[str]:
    """The command line of openclaw with these arguments."""
    return [str(node(cache)), str(openclaw(cache)), *arguments]


def run_cli(
    cache: Path, home: Path, *, arguments: list[str], extra: Mapping[str, str] | None = None, timeout_s: float = 240
) -> subprocess.CompletedProcess[str]:
    """Run one openclaw command to its end; its exit code isn't judged."""
    return subprocess.run(
        command(cache, *arguments),
        env=environment(cache, home, extra=extra),
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )


def run_local_turn(
    cache: Path, home: Path, *, text: str, session: str = "agent:main:main", extra: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """One turn without a gateway: services, message hooks and slash commands don't run there.

    Raises:
        RigError: the command failed.
    """
    arguments = ["agent", "--local", "--agent", "main", "--session-key", session, "--message", text, "--json"]
    done = run_cli(cache, home, arguments=arguments, extra=extra, timeout_s=_LOCAL_TURN_TIMEOUT_S)
    if done.returncode:
        raise RigError(f"local turn failed ({done.returncode}): {done.stderr[-2000:]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
