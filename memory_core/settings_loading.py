"""Settings read once from file, environment and gateway, clamped or refused with a reason.

The environment is read here only. A setting that is out of range is clamped, one that can't be read is ignored;
both leave a line in `Settings.problems`, so that nothing a person mistypes stops the service.
"""

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tzlocal import get_localzone_name

from memory_core.setting_keys import ALIASES, GATEWAY_KEYS, KEYS, Key
from memory_core.settings import (
    Backends,
    CaptureSettings,
    ChatProvider,
    ChatSettings,
    CompactionMode,
    ContextSettings,
    DreamSettings,
    GateSettings,
    GatewayMode,
    GatewaySettings,
    IdentitySettings,
    MemorySlot,
    PrivacySettings,
    RecallSettings,
    Reinject,
    ScopeRule,
    Settings,
)

HOME_VARIABLE = "NIGHTSHIFT_HOME"
PREFIX = "NIGHTSHIFT_"
_SHOWN_CHARS = 80
"""How much of a value a report shows."""
_TAG_CHARS = 60
_MOST_TAGS = 20
_Choice = TypeVar("_Choice", bound=StrEnum)


_SECRETS = frozenset(
    {"database.url", "qdrant.apiKey", "prefect.apiUrl", "prefect.apiKey", "chatModel.apiKey", "apiKey"}
)
"""Their values stand in no report: even a mistyped one may hold a password."""
_GROUPS = {
    "identity": IdentitySettings,
    "recall": RecallSettings,
    "capture": CaptureSettings,
    "privacy": PrivacySettings,
    "dream": DreamSettings,
    "context": ContextSettings,
    "gate": GateSettings,
    "chat": ChatSettings,
    "backends": Backends,
    "gateway": GatewaySettings,
}


def variable(key: str) -> str:
    """Environment variable of a setting: `topK` is `NIGHTSHIFT_TOP_K`, `qdrant.url` `NIGHTSHIFT_QDRANT_URL`."""
    return PREFIX + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key).replace(".", "_").upper()


_PLACES = {**KEYS, **GATEWAY_KEYS}
VARIABLES: Mapping[str, str] = {variable(key): key for key in (*ALIASES, *KEYS)}
"""Environment variable to wire name; an alias that differs by a dot only shares its setting's variable."""


def load_settings(
    environ: Mapping[str, str] | None = None, *, overrides: Mapping[str, object] | None = None
) -> Settings:
    """Join defaults, `preferences.json`, environment and overrides, the later winning.

    Args:
        environ: The environment; the process's own when None.
        overrides: Wire names to values as the gateway or the command line gave them.
    """
    environment = os.environ if environ is None else environ
    home = Path(environment.get(HOME_VARIABLE) or "~/.nightshift").expanduser().absolute()
    problems: list[str] = []
    layers = (
        {"timezone": _system_timezone()},
        _read_file(home / "preferences.json", problems),
        {key: environment[name] for name, key in VARIABLES.items() if environment.get(name)},
        overrides or {},
    )
    values = _join(layers, problems)
    groups: dict[str, Any] = {name: group(**values[name]) for name, group in _GROUPS.items()}
    return Settings(home=home, **values[""], **groups, problems=tuple(problems))


def problems_of(content: Mapping[str, object]) -> tuple[str, ...]:
    """What is wrong with settings as a person wrote them, groups as levels; nothing else is looked at."""
    problems: list[str] = []
    _join((_flatten(content),), problems)
    return tuple(problems)


def _join(layers: Iterable[Mapping[str, object]], problems: list[str]) -> dict[str, dict[str, Any]]:
    """Values by group and name, a later layer winning."""
    values: dict[str, dict[str, Any]] = {group: {} for group in ("", *_GROUPS)}
    for layer in layers:
        for key, value in _without_aliases(layer, problems).items():
            if place := _PLACES.get(key):
                _set(values[place.group], key=key, place=place, value=value, problems=problems)
            else:
                problems.append(f"{key}: not a setting of Nightshift")
    return values


def _without_aliases(layer: Mapping[str, object], problems: list[str]) -> dict[str, object]:
    """Names replaced by ours, which win where both are given."""
    replaced = {ALIASES[key]: value for key, value in layer.items() if key in ALIASES}
    problems += [f"{key}: understood as {ALIASES[key]}" for key in layer if key in ALIASES]
    return replaced | {key: value for key, value in layer.items() if key not in ALIASES}


def _system_timezone() -> str:
    try:
        return get_localzone_name() or "UTC"
    except (ZoneInfoNotFoundError, ValueError, OSError):  # TZ or the system's own setting names no zone
        return "UTC"


def _read_file(path: Path, problems: list[str]) -> dict[str, object]:
    try:
        content: object = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        problems.append(f"{path.name}: can't be read ({error.__class__.__name__}), defaults are used")
        return {}
    if not isinstance(content, dict):
        problems.append(f"{path.name}: must hold one JSON object, defaults are used")
        return {}
    return _flatten(cast("dict[str, object]", content))


def _flatten(content: Mapping[str, object]) -> dict[str, object]:
    flat: dict[str, object] = {}
    for key, value in content.items():
        if key in _PLACES or not isinstance(value, dict):
            flat[key] = value
        else:
            flat |= {f"{key}.{name}": inner for name, inner in cast("dict[str, object]", value).items()}
    return flat


def _set(target: dict[str, Any], *, key: str, place: Key, value: object, problems: list[str]) -> None:
    owner = Settings if place.group == "" else _GROUPS[place.group]
    wanted = next(f.type for f in fields(owner) if f.name == place.name)
    try:
        converted = _convert(value, wanted=str(wanted), place=place)
    except ValueError as error:
        problems.append(f"{key}: {_shown(key, value)} {error}, so it is ignored")
        return
    if isinstance(converted, int | float) and not isinstance(converted, bool):
        clamped = _clamp(converted, place)
        if clamped != converted:
            problems.append(f"{key}: {_shown(key, value)} is outside {place.low} to {place.high}, {clamped} is used")
        converted = clamped
    target[place.name] = converted


def _shown(key: str, value: object) -> str:
    return "its value" if key in _SECRETS else repr(value)[:_SHOWN_CHARS]


def _clamp(value: float, place: Key) -> float:
    if place.low is None or place.high is None:
        return value
    return type(value)(min(max(value, place.low), place.high))


def _convert(value: object, *, wanted: str, place: Key) -> object:
    if reader := _READERS.get(f"{place.group}.{place.name}"):
        return reader(value)
    if "bool" in wanted:
        return _boolean(value)
    if "int" in wanted or "float" in wanted:
        return _number(value, whole="int" in wanted)
    if not isinstance(value, str) or not value.strip():
        raise ValueError("must be a text that is not empty")
    return value.strip()


def _number(value: object, *, whole: bool) -> float:
    try:
        number = float(str(value))
        converted = int(number) if whole else number
    except (ValueError, OverflowError):
        raise ValueError("must be a number") from None
    if math.isnan(converted):
        raise ValueError("must be a number")
    return converted


def _boolean(value: object) -> bool:
    words = {"1": True, "true": True, "on": True, "yes": True, "0": False, "false": False, "off": False, "no": False}
    word = str(value).strip().lower()
    if word not in words:
        raise ValueError("must be true or false")
    return words[word]


def _scope(value: object) -> ScopeRule:
    word = str(value).strip().lower()
    return _one_of(ScopeRule, "fixed" if word == "global" else word)


def _one_of(choices: type[_Choice], value: object) -> _Choice:
    try:
        return choices(str(value).strip().lower())
    except ValueError:
        raise ValueError("must be one of " + ", ".join(choices)) from None


def _mode(value: object) -> GatewayMode:
    word = str(value).strip().lower()
    return _one_of(GatewayMode, "remote" if word == "cloud" else word)


def _anything(value: object) -> object:
    return value


def _model(value: object) -> str:
    """`provider/model`, also as the object `{provider, model}`."""
    content = _json(value)
    if isinstance(content, dict):
        parts = cast("dict[str, object]", content)
        value = "/".join(str(parts[name]).strip() for name in ("provider", "model") if parts.get(name))
    if not isinstance(value, str) or not value.strip():
        raise ValueError("must be provider/model, or an object of provider and model")
    return value.strip()


def _tags(value: object) -> tuple[str, ...]:
    content = _json(value)
    items = content.split(",") if isinstance(content, str) else content
    if not isinstance(items, list | tuple):
        raise ValueError("must be a list of words")
    words = (str(item).strip() for item in cast("list[object]", items))
    return tuple(word[:_TAG_CHARS] for word in words if word)[:_MOST_TAGS]


def _space(value: object) -> str:
    path = str(value).strip().strip("/")
    if not re.fullmatch(r"[^\s/?#]+(/[^\s/?#]+)*", path):
        raise ValueError("must be a path of words without blanks, such as work/garden")
    return path


def _json(value: object) -> object:
    """A value of the environment as JSON, where it is some."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


def _timezone(value: object) -> str:
    try:
        return ZoneInfo(str(value)).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("must be an IANA time zone such as Europe/Lisbon") from None


def _links(value: object) -> Mapping[str, tuple[str, ...]]:
    try:
        content: object = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        raise ValueError("must be JSON: an object of person to list of channel:account") from None
    if not isinstance(content, dict):
        raise ValueError("must be an object of person to list of channel:account")
    links: dict[str, tuple[str, ...]] = {}
    for person, accounts in cast("dict[object, object]", content).items():
        if not isinstance(accounts, list | tuple):
            raise ValueError("must be an object of person to list of channel:account")
        links[str(person)] = tuple(str(account) for account in cast("list[object]", accounts))
    return links


_READERS: Mapping[str, Callable[[object], object]] = {
    "identity.scope": _scope,
    "identity.timezone": _timezone,
    "identity.identity_links": _links,
    "recall.reinject": partial(_one_of, Reinject),
    "capture.tags": _tags,
    "capture.space": _space,
    "dream.model": _model,
    "context.compaction_mode": partial(_one_of, CompactionMode),
    "chat.provider": partial(_one_of, ChatProvider),
    "gateway.mode": _mode,
    "gateway.memory_slot": partial(_one_of, MemorySlot),
    "gateway.local_command": _anything,
    "gateway.dreaming": _anything,
}
"""How values are read that are neither numbers nor switches nor plain texts."""
