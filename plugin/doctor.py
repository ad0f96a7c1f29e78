"""`nightshift doctor`: what is wrong with an installation, and how to mend it."""

import asyncio
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx

from memory_core.errors import MemoryCoreError
from memory_core.settings import Settings
from plugin.client import READY, Json, as_count, as_object, as_objects, open_client, prove, service_url
from plugin.connected import chat_model_line, gateway_lines, lost_turns
from plugin.gateway_check import is_remote, remote_problems, setting_problems
from plugin.gateway_config import PLUGIN_ID, plugin_settings, read_config
from plugin.plug_in import PLUGIN_FOLDER, plug_in

_OLDEST_PYTHON = (3, 11)
_VERSION_TIMEOUT_S = 20
_REMOTE_TIMEOUT_S = 10.0
_NODE_WANTED = "24.16 or newer, but not 25 or 26.0"
"""As `engines` in the package.json of openclaw 2026.9.6 says: `>=24.16.0 <25 || >=26.1.0`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        what: What was found.
        mend: What to do about it; None when all is well.
    """

    what: str
    mend: str | None = None


def examine(settings: Settings, *, config: Path) -> list[Finding]:
    """Look at everything; takes a few seconds when the service is away."""
    given = _plugin_settings(config)
    return [
        *_python(),
        *_node(),
        *_settings(settings),
        *([] if is_remote(given) else _home(settings)),
        *asyncio.run(_remote_service(given) if is_remote(given) else _service(settings)),
        *_plugin_folder(PLUGIN_FOLDER),
        *_gateway(settings, config),
    ]


def node_fits(version: str) -> bool:
    """Whether a version of Node, as it prints it, runs the gateway."""
    found = re.match(r"v?(\d+)\.(\d+)", version)
    if not found:
        return False
    major, minor = int(found[1]), int(found[2])
    return (major, minor) >= (26, 1) or (major == 24 and minor >= 16)  # noqa: PLR2004  the versions in _NODE_WANTED


def _python() -> Iterator[Finding]:
    version = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info[:2] >= _OLDEST_PYTHON:
        yield Finding(what=f"Python {version}")
    else:
        yield Finding(what=f"Python {version} is too old", mend="install Python 3.11 or newer and run `make up` again")


def _node() -> Iterator[Finding]:
    install = f"install Node {_NODE_WANTED}, which OpenClaw needs; Nightshift itself runs without"
    node = shutil.which("node")
    if node is None:
        yield Finding(what="Node.js is not on the PATH", mend=install)
        return
    try:
        done = subprocess.run(  # noqa: S603  the program that the PATH names, as a shell would start it
            [node, "--version"], capture_output=True, text=True, timeout=_VERSION_TIMEOUT_S, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        yield Finding(what=f"{node} can't be run ({error.__class__.__name__})", mend=install)
        return
    version = done.stdout.strip()
    if node_fits(version):
        yield Finding(what=f"Node {version}")
    else:
        yield Finding(what=f"Node {version} on the PATH does not run OpenClaw", mend=install)


def _settings(settings: Settings) -> Iterator[Finding]:
    for problem in settings.problems:
        yield Finding(
            what=f"setting {problem}", mend=f"correct it in {settings.home / 'preferences.json'} or in the environment"
        )
    if not settings.problems:
        yield Finding(what="settings")


def _home(settings: Settings) -> Iterator[Finding]:
    private = {settings.home: 0o700, settings.token_file: 0o600}
    for path, mode in private.items():
        try:
            found = stat.S_IMODE(path.stat().st_mode)
        except OSError as error:
            yield Finding(what=f"{path}: {error.strerror}", mend="start Nightshift once: nightshift up")
            return
        if found & ~mode:
            yield Finding(what=f"{path} is open to others (mode {found:04o})", mend=f"chmod {mode:o} {path}")
            return
    yield Finding(what=f"home {settings.home}")


async def _service(settings: Settings) -> list[Finding]:
    try:
        async with open_client(settings) as client:
            _, parts = await client.parts()
            stats = await client.get("/v1/stats")  # asks for the token; readiness does not
    except MemoryCoreError as error:
        return [
            Finding(what=f"service: {error}", mend="see the line itself; its log is " + str(_log(settings, "service")))
        ]
    return [
        Finding(what=f"service at {service_url(settings)}"),
        *_parts(settings, parts),
        *_embedding(stats),
        Finding(what=f"chat model: {chat_model_line(stats)}"),
        *_connected(stats),
    ]


def _embedding(stats: Json) -> Iterator[Finding]:
    embedding = as_object(stats.get("embedding"))
    problem, waiting = embedding.get("problem"), as_count(embedding.get("waiting"))
    if problem:
        yield Finding(what=str(problem), mend="check embedding.model and the network; its log is logs/index.log")
    if waiting:
        yield Finding(what=f"{waiting} memories are found by keywords until they are embedded again")


def _connected(stats: Json) -> Iterator[Finding]:
    lost = sum(lost_turns(gateway) for gateway in as_objects(stats.get("gateways")))
    mend = "the service was away for too long, or refused them: see its log; what was lost isn't remembered"
    for line in gateway_lines(stats):
        yield Finding(what=f"a gateway is {line}", mend=mend if lost else None)


async def _remote_service(given: Json) -> list[Finding]:
    url, key = given.get("baseUrl"), given.get("apiKey")
    if any(remote_problems(given)) or not (isinstance(url, str) and isinstance(key, str)) or "${" in url + key:
        return [Finding(what="the remote service isn't asked: its address or key is for the gateway to read")]
    try:
        async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=_REMOTE_TIMEOUT_S) as http:
            await prove(http, token=key)
    except (MemoryCoreError, httpx.InvalidURL) as error:
        return [Finding(what=f"remote service: {error}", mend="check baseUrl and apiKey, and that it runs")]
    return [Finding(what=f"remote service at {url}")]


def _parts(settings: Settings, parts: Mapping[str, str]) -> Iterator[Finding]:
    logs = {"index": "index", "embedder": "index", "flows": "prefect"}
    for name, state in parts.items():
        if state == READY:
            yield Finding(what=name)
        else:
            log = _log(settings, logs.get(name, "service"))
            yield Finding(what=f"{name}: {state}", mend=f"wait a minute after a start; then see {log}")


def _log(settings: Settings, name: str) -> Path:
    return settings.home / "logs" / f"{name}.log"


def _plugin_folder(folder: Path) -> Iterator[Finding]:
    for path in (folder, folder / "openclaw.plugin.json"):
        try:
            found = path.stat()
        except OSError as error:
            yield Finding(what=f"{path}: {error.strerror}", mend="install Nightshift again")
            return
        if found.st_mode & stat.S_IWOTH:
            yield Finding(what=f"{path} can be written by anybody: the gateway refuses it", mend=f"chmod o-w {path}")
            return
        if found.st_uid not in (0, os.getuid()):
            yield Finding(
                what=f"{path} belongs to another user: the gateway refuses it", mend=f"chown {os.getuid()} {path}"
            )
            return
    yield Finding(what=f"plugin {folder}")


def _plugin_settings(path: Path) -> Json:
    try:
        return plugin_settings(read_config(path))
    except MemoryCoreError:
        return {}


def _gateway(settings: Settings, path: Path) -> Iterator[Finding]:
    try:
        config = read_config(path)
    except MemoryCoreError as error:
        yield Finding(what=f"gateway: {error}", mend="nightshift connect --config PATH")
        return
    _, changes = plug_in(config, settings)
    for change in changes:
        yield Finding(what=f"gateway {path}: wants {change}", mend="nightshift connect")
    problems = setting_problems(plugin_settings(config))
    for problem in problems:
        yield Finding(
            what=f"gateway {path}: setting {problem}",
            mend=f"correct it below plugins.entries.{PLUGIN_ID}.config; docs/settings.md has names and ranges",
        )
    if not changes and not problems:
        yield Finding(what=f"gateway {path}")
