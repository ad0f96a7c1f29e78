"""What must stand in a gateway's configuration for Nightshift to work in it."""

import copy
import json
from dataclasses import dataclass
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

import json5

from memory_core.settings import Settings
from memory_core.settings_loading import load_settings
from plugin.client import Json, as_object, as_strings
from plugin.gateway_config import PLUGIN_ID, GatewayConfig, below

PLUGIN_FOLDER = Path(__file__).resolve().parent / "openclaw"
_MANIFEST = "openclaw.plugin.json"
_OWN_MEMORY, _OWN_ENGINE = "memory-core", "legacy"
"""What the gateway takes when nobody else has the slot."""


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


def plug_in(config: GatewayConfig, settings: Settings, *, engine: bool | None = None) -> tuple[Json, list[Change]]:
    """The configuration with Nightshift plugged in, and what differs from the present one.

    Args:
        config: The gateway's configuration as it is.
        settings: The installation that the gateway shall use.
        engine: Whether Nightshift shall be the gateway's context engine; None leaves that as it is.
    """
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
    _choose_memory_slot(plugins)
    if engine is not None:
        _choose_engine_slot(plugins, engine=engine)
    _allow_dream_model(plugins, settings)
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
    home = below(Path.home(), told) if isinstance(told, str) and told else usual.home
    if home != settings.home:
        plugins.put(f"{ours}.local.home", to=str(settings.home))
    told = plugins.get(f"{ours}.baseUrl")
    if _port(told, otherwise=usual.port) != settings.port:
        plugins.put(f"{ours}.baseUrl", to=f"http://127.0.0.1:{settings.port}")


def _choose_memory_slot(plugins: _Editor) -> None:
    ours = f"entries.{PLUGIN_ID}.config"
    wanted = plugins.get(f"{ours}.memorySlot")
    if isinstance(wanted, str) and wanted.strip().lower() == "replace":
        plugins.put("slots.memory", to=PLUGIN_ID)
        if plugins.get(f"{ours}.dreaming") is None:
            # The gateway would load its own memory beside us, for its nightly work on memory files.
            plugins.put(f"{ours}.dreaming", to={"enabled": False})
    elif plugins.get("slots.memory") == PLUGIN_ID:
        plugins.put("slots.memory", to=_OWN_MEMORY)


def _choose_engine_slot(plugins: _Editor, *, engine: bool) -> None:
    if engine:
        plugins.put("slots.contextEngine", to=PLUGIN_ID)
    elif plugins.get("slots.contextEngine") == PLUGIN_ID:
        plugins.put("slots.contextEngine", to=_OWN_ENGINE)


def _allow_dream_model(plugins: _Editor, settings: Settings) -> None:
    """Another model than the agent's needs the operator's leave, for that model only."""
    model = _dream_model(plugins) or settings.dream.model
    if not model or "/" not in model:
        return
    ours = f"entries.{PLUGIN_ID}.llm"
    plugins.put(f"{ours}.allowModelOverride", to=True)
    # Without a list every model is allowed once overriding is; a list that is there must hold ours.
    for name in ("allowedModels", "allowedCompletionModels"):
        listed = as_strings(plugins.get(f"{ours}.{name}"))
        is_needed = name == "allowedModels" or listed
        if is_needed and model not in listed and "*" not in listed:
            plugins.put(f"{ours}.{name}", to=[*listed, model])


def _dream_model(plugins: _Editor) -> str | None:
    ours = f"entries.{PLUGIN_ID}.config"
    wanted = plugins.get(f"{ours}.dreamStateModel") or plugins.get(f"{ours}.dreamState.model")
    if isinstance(wanted, str):
        return wanted.strip()
    parts = as_object(wanted)
    names = [str(parts[name]).strip() for name in ("provider", "model") if parts.get(name)]
    return "/".join(names) if names else None


def _port(url: object, *, otherwise: int) -> int | None:
    if not isinstance(url, str) or not url:
        return otherwise
    try:
        return urlsplit(url).port
    except ValueError:
        return None
