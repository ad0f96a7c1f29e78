"""The gateway's configuration file: where it is, what it says, and what must stand in it for Nightshift to work."""

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

import json5

from memory_core.errors import Invalid, NotFound
from memory_core.settings import Settings
from memory_core.settings_loading import load_settings
from plugin.client import Json, as_object, as_strings

PLUGIN_ID = "nightshift"
PLUGIN_FOLDER = Path(__file__).resolve().parent / "openclaw"
_MANIFEST = "openclaw.plugin.json"
_UNSET = frozenset({"", "undefined", "null"})
"""Values of OpenClaw's path variables that count as not set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayConfig:
    """What the file says.

    Attributes:
        path: The file.
        content: Its content; empty when there is no file yet.
        text: Its text; None when there is no file yet.
        editable: It can be written again without losing anything: plain JSON without comments or includes.
    """

    path: Path
    content: Json
    text: str | None
    editable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that must be otherwise in the configuration.

    Attributes:
        key: Where, with dots between the levels.
        before: Present value; None when absent.
        after: Wanted value.
    """

    key: str
    before: object
    after: object

    def __str__(self) -> str:
        """For people, on one line."""
        before = "" if self.before is None else f"{json.dumps(self.before)} -> "
        return f"{self.key}: {before}{json.dumps(self.after)}"


def find_config(environ: Mapping[str, str]) -> Path:
    """The file that a gateway started with this environment reads."""

    def named(variable: str) -> str | None:
        value = environ.get(variable, "").strip()
        return None if value in _UNSET else value

    account = Path(environ.get("HOME") or Path.home())
    home = _below(account, named("OPENCLAW_HOME") or "~")
    if path := named("OPENCLAW_CONFIG_PATH"):
        return _below(home, path)
    return _below(home, named("OPENCLAW_STATE_DIR") or "~/.openclaw") / "openclaw.json"


def read_config(path: Path) -> GatewayConfig:
    """Read it; a missing file in an existing folder is an empty configuration.

    Raises:
        NotFound: there is no gateway.
        Invalid: the file can't be read.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        if not path.parent.is_dir():
            raise NotFound(
                f"no gateway configuration at {path}; install OpenClaw first, or name it with --config"
            ) from (error)
        return GatewayConfig(path=path, content={}, text=None, editable=True)
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid(f"{path} can't be read ({error.__class__.__name__})") from error
    content, plain = _parse(text, path)
    return GatewayConfig(path=path, content=content, text=text, editable=plain and not _includes(content))


def plug_in(config: GatewayConfig, settings: Settings) -> tuple[Json, list[Change]]:
    """The configuration with Nightshift plugged in, and what differs from the present one."""
    changes: list[Change] = []
    content = copy.deepcopy(dict(config.content))
    plugins = _Editor(content, root="plugins", changes=changes)
    if as_object(content.get("plugins")).get("enabled") is False:
        plugins.put("enabled", to=True)
    plugins.put("load.paths", to=_with_our_folder(plugins.get("load.paths")))
    for name, ours in (("allow", True), ("deny", False)):
        listed = as_strings(plugins.get(name))
        if listed and (PLUGIN_ID in listed) is not ours:
            plugins.put(name, to=[*listed, PLUGIN_ID] if ours else [item for item in listed if item != PLUGIN_ID])
    plugins.put(f"entries.{PLUGIN_ID}.enabled", to=True)
    plugins.put(f"entries.{PLUGIN_ID}.hooks.allowConversationAccess", to=True)
    if plugins.get(f"entries.{PLUGIN_ID}.hooks.allowPromptInjection") is False:
        plugins.put(f"entries.{PLUGIN_ID}.hooks.allowPromptInjection", to=True)
    _say_where_we_are(plugins, settings)
    _choose_slot(plugins)
    return content, changes


def apply_change(content: dict[str, object], change: Change) -> None:
    """Put the wanted value of a change into a configuration; levels that are missing are made."""
    *folders, last = change.key.split(".")
    for name in folders:
        inner = content.get(name)
        if not isinstance(inner, dict):
            inner = content[name] = dict[str, object]()
        content = cast("dict[str, object]", inner)
    content[last] = change.after


class _Editor:
    """Reads and writes below one top-level key, and notes every difference it makes."""

    def __init__(self, content: dict[str, object], *, root: str, changes: list[Change]) -> None:
        self._content = content
        self._root = root
        self._changes = changes

    def get(self, key: str) -> object:
        value: object = as_object(self._content.get(self._root))
        for name in key.split("."):
            value = as_object(value).get(name)
        return value

    def put(self, key: str, *, to: object) -> None:
        before = self.get(key)
        if before == to:
            return
        change = Change(key=f"{self._root}.{key}", before=before, after=to)
        self._changes.append(change)
        apply_change(self._content, change)


def _with_our_folder(paths: object) -> list[str]:
    # Another copy of this plugin, or the place where one was, would be loaded beside ours or instead of it.
    listed = as_strings(paths)
    copies = [path for path in listed if _is_a_copy(Path(path))]
    if len(copies) == 1 and _is_ours(Path(copies[0])):
        return listed
    return [*(path for path in listed if path not in copies), str(PLUGIN_FOLDER)]


def _is_ours(folder: Path) -> bool:
    return folder.expanduser().resolve() == PLUGIN_FOLDER


def _is_a_copy(folder: Path) -> bool:
    folder = folder.expanduser()
    if not folder.exists():
        return folder.parts[-2:] == PLUGIN_FOLDER.parts[-2:]
    try:
        manifest: object = json5.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return as_object(manifest).get("id") == PLUGIN_ID


def _say_where_we_are(plugins: _Editor, settings: Settings) -> None:
    ours = f"entries.{PLUGIN_ID}.config"
    if plugins.get(f"{ours}.mode") in ("remote", "cloud"):
        return
    usual = load_settings({})
    told = plugins.get(f"{ours}.local.home")
    home = _below(Path.home(), told) if isinstance(told, str) and told else usual.home
    if home != settings.home:
        plugins.put(f"{ours}.local.home", to=str(settings.home))
    told = plugins.get(f"{ours}.baseUrl")
    if _port(told, otherwise=usual.port) != settings.port:
        plugins.put(f"{ours}.baseUrl", to=f"http://127.0.0.1:{settings.port}")


def _choose_slot(plugins: _Editor) -> None:
    replaces = plugins.get(f"entries.{PLUGIN_ID}.config.memorySlot") == "replace"
    if replaces:
        plugins.put("slots.memory", to=PLUGIN_ID)
    elif plugins.get("slots.memory") == PLUGIN_ID:
        plugins.put("slots.memory", to="memory-core")


def _parse(text: str, path: Path) -> tuple[Json, bool]:
    plain = True
    try:
        content: object = json.loads(text)
    except ValueError:
        plain = False
        try:
            content = json5.loads(text)
        except ValueError as error:
            raise Invalid(f"{path} is neither JSON nor JSON5: {error}") from error
    if not isinstance(content, dict):
        raise Invalid(f"{path} must hold one JSON object")
    return cast("Json", content), plain


def _includes(content: Json) -> bool:
    plugins = as_object(content.get("plugins"))
    entries = as_object(plugins.get("entries"))
    levels = (content, plugins, as_object(plugins.get("load")), entries, as_object(entries.get(PLUGIN_ID)))
    return any("$include" in level for level in levels)


def _port(url: object, *, otherwise: int) -> int | None:
    if not isinstance(url, str) or not url:
        return otherwise
    try:
        return urlsplit(url).port
    except ValueError:
        return None


def _below(home: Path, path: str) -> Path:
    if path == "~" or path.startswith("~/"):
        return home / path[2:]
    return Path(path).absolute()
