"""The gateway's configuration file in a test: one plugin under test, the test channel, the scripted model."""

import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from tests.rig.scripted_model import MODEL_ID

CHANNEL = "rigchat"
GATEWAY_TOKEN = "rig-token"
_CHANNEL_FOLDER = Path(__file__).resolve().parent / CHANNEL

Json = dict[str, Any]


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def config_path(home: Path) -> Path:
    """The gateway's configuration file below a test's home."""
    return home / ".openclaw" / "openclaw.json"


def plugin_id(folder: Path) -> str:
    """The id in a plugin's manifest."""
    return str(json.loads((folder / "openclaw.plugin.json").read_text(encoding="utf-8"))["id"])


def merge(base: Json, changes: Mapping[str, Any]) -> Json:
    """Put changes into base, level by level, and return it; lists and plain values are replaced."""
    for key, value in changes.items():
        old = base.get(key)
        if isinstance(value, Mapping) and isinstance(old, dict):
            merge(cast("Json", old), cast("Mapping[str, Any]", value))
        else:
            base[key] = value
    return base


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewaySetup:
    """What a test wants of its gateway; only the plugin and the test channel are loaded unless it says otherwise.

    Attributes:
        plugin_folder: The plugin under test.
        model_url: Where the scripted model is.
        plugin_config: Goes to `plugins.entries.<id>.config`.
        allow: Bundled plugins to keep, such as memory-core.
        slots: Owners of exclusive slots; the memory slot is `none` by default.
        dm_scope: `session.dmScope`; by default all direct chats share one session.
        context_window_tokens: Of the model.
        reasoning: The model is declared to think aloud.
        extra: Merged in last.
    """

    plugin_folder: Path
    model_url: str
    plugin_config: Mapping[str, object] = field(default_factory=dict[str, object])
    allow: tuple[str, ...] = ()
    slots: Mapping[str, str] = field(default_factory=dict[str, str])
    dm_scope: str | None = None
    context_window_tokens: int = 200_000
    reasoning: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])


def write_config(home: Path, setup: GatewaySetup) -> Json:
    """Write the configuration below home, with a free port, and return it."""
    config: Json = {
        "gateway": _gateway(),
        "models": _models(setup),
        "agents": {"defaults": _agent(home)},
        "plugins": _plugins(setup),
        "channels": {CHANNEL: {"enabled": True}},
        "logging": {"file": str(home / "gateway.log")},
        "update": {"checkOnStart": False},
        "telemetry": {"enabled": False},
    }
    if setup.dm_scope:
        config["session"] = {"dmScope": setup.dm_scope}
    merge(config, setup.extra)
    path = config_path(home)
    path.parent.mkdir(parents=True, exist_ok=True)
    (home / "workspace").mkdir(exist_ok=True)
    path.write_text(json.dumps(config, indent=1), encoding="utf-8")
    return config


def _gateway() -> Json:
    return {
        "mode": "local",
        "bind": "loopback",
        "port": free_port(),
        "auth": {"mode": "token", "token": GATEWAY_TOKEN},
        "http": {"endpoints": {"chatCompletions": {"enabled": True}}},
    }


def _models(setup: GatewaySetup) -> Json:
    model = {
        "id": MODEL_ID,
        "name": "Scripted",
        "input": ["text"],
        "reasoning": setup.reasoning,
        "contextWindow": setup.context_window_tokens,
        "maxTokens": 2048,
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
    }
    provider = {"baseUrl": setup.model_url, "apiKey": "no-key", "api": "openai-completions", "models": [model]}
    return {"mode": "replace", "catalogRefresh": {"enabled": False}, "providers": {"scripted": provider}}


def _agent(home: Path) -> Json:
    return {
        "workspace": str(home / "workspace"),
        "skipBootstrap": True,
        "model": {"primary": f"scripted/{MODEL_ID}"},
        "heartbeat": {"every": "0m"},
    }


def _plugins(setup: GatewaySetup) -> Json:
    plugin = plugin_id(setup.plugin_folder)
    entry = {
        "enabled": True,
        "hooks": {"allowConversationAccess": True},
        "config": dict(setup.plugin_config),
    }
    return {
        "allow": [plugin, CHANNEL, *setup.allow],
        "load": {"paths": [str(setup.plugin_folder), str(_CHANNEL_FOLDER)]},
        "slots": {"memory": "none", **setup.slots},
        "entries": {plugin: entry, CHANNEL: {"enabled": True}},
    }
