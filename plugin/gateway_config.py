"""The gateway's configuration file: where it is, and what it says."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import json5

from memory_core.errors import Invalid, NotFound
from plugin.client import Json, as_object

PLUGIN_ID = "nightshift"
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


def find_config(environ: Mapping[str, str]) -> Path:
    """The file that a gateway started with this environment reads."""

    def named(variable: str) -> str | None:
        value = environ.get(variable, "").strip()
        return None if value in _UNSET else value

    account = Path(environ.get("HOME") or Path.home())
    home = below(account, named("OPENCLAW_HOME") or "~")
    if path := named("OPENCLAW_CONFIG_PATH"):
        return below(home, path)
    return below(home, named("OPENCLAW_STATE_DIR") or "~/.openclaw") / "openclaw.json"


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


def below(home: Path, path: str) -> Path:
    """A path as a person types it, `~` being this home."""
    if path == "~" or path.startswith("~/"):
        return home / path[2:]
    return Path(path).absolute()


def plugin_settings(config: GatewayConfig) -> Json:
    """What the operator set for Nightshift in it, as it stands there."""
    entries = as_object(as_object(config.content.get("plugins")).get("entries"))
    return as_object(as_object(entries.get(PLUGIN_ID)).get("config"))
