"""Settings read once from file, environment and gateway, clamped or refused with a reason.

The environment is read here only. A setting that is out of range is clamped, one that can't be read is ignored;
both leave a line in `Settings.problems`, so that nothing a person mistypes stops the service.
"""

import json
import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tzlocal import get_localzone_name

from memory_core.settings import (
    Backends,
    CaptureSettings,
    ChatProvider,
    ChatSettings,
    CompactionMode,
    ContextSettings,
    DreamSettings,
    GateSettings,
    IdentitySettings,
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Key:
    """Where a wire name goes and what it may be."""

    group: str
    name: str
    low: float | None = None
    high: float | None = None


KEYS: Mapping[str, _Key] = {
    "listen": _Key(group="", name="listen"),
    "port": _Key(group="", name="port", low=0, high=65535),
    "project": _Key(group="identity", name="project"),
    "userId": _Key(group="identity", name="user_id"),
    "appName": _Key(group="identity", name="app_name"),
    "scope": _Key(group="identity", name="scope"),
    "identityLinks": _Key(group="identity", name="identity_links"),
    "timezone": _Key(group="identity", name="timezone"),
    "topK": _Key(group="recall", name="top_k", low=1, high=50),
    "searchThreshold": _Key(group="recall", name="search_threshold", low=0, high=1),
    "minPromptChars": _Key(group="recall", name="min_prompt_chars", low=0, high=4000),
    "recallBudgetMs": _Key(group="recall", name="recall_budget_ms", low=50, high=15000),
    "injectChars": _Key(group="recall", name="inject_chars", low=200, high=40000),
    "injectCharsPerMemory": _Key(group="recall", name="inject_chars_per_memory", low=50, high=4000),
    "rerank": _Key(group="recall", name="rerank"),
    "reinject": _Key(group="recall", name="reinject"),
    "dedupeWindow": _Key(group="recall", name="dedupe_window", low=0, high=5000),
    "consolidationThreshold": _Key(group="capture", name="consolidation_threshold", low=2, high=1000),
    "idleConsolidationTimeout": _Key(group="capture", name="idle_consolidation_timeout_s", low=1, high=86400),
    "sessionTtl": _Key(group="capture", name="session_ttl_s", low=60, high=2592000),
    "piiRedaction": _Key(group="capture", name="pii_redaction"),
    "compactionGrace": _Key(group="capture", name="compaction_grace_s", low=0, high=600),
    "localSummarization": _Key(group="capture", name="local_summarization"),
    "tags": _Key(group="capture", name="tags"),
    "space": _Key(group="capture", name="space"),
    "privacy.uploadSummariesOnly": _Key(group="privacy", name="upload_summaries_only"),
    "privacy.ownRemote": _Key(group="privacy", name="own_remote"),
    "dreamStateSchedule": _Key(group="dream", name="schedule"),
    "dreamStateModel": _Key(group="dream", name="model"),
    "dreamBudget.tokens": _Key(group="dream", name="tokens", low=0, high=100_000_000),
    "dreamBudget.calls": _Key(group="dream", name="calls", low=0, high=100_000),
    "dreamBudget.minutes": _Key(group="dream", name="minutes", low=1, high=1440),
    "contextEngine.compactionMode": _Key(group="context", name="compaction_mode"),
    "contextEngine.protectTail": _Key(group="context", name="protect_tail", low=2, high=200),
    "contextEngine.recallLimit": _Key(group="context", name="recall_limit", low=1, high=50),
    "contextEngine.autoConsolidate": _Key(group="context", name="auto_consolidate"),
    "archiveTtl": _Key(group="context", name="archive_ttl_days", low=0, high=3650),
    "gate.interruptGate": _Key(group="gate", name="interrupt_gate"),
    "gate.ingestReasoning": _Key(group="gate", name="ingest_reasoning"),
    "gate.forceRepass": _Key(group="gate", name="force_repass"),
    "gate.focus": _Key(group="gate", name="focus", low=0, high=1),
    "gate.sensitivity": _Key(group="gate", name="sensitivity", low=0, high=1),
    "gate.stability": _Key(group="gate", name="stability", low=0, high=1),
    "chatModel.provider": _Key(group="chat", name="provider"),
    "chatModel.baseUrl": _Key(group="chat", name="base_url"),
    "chatModel.apiKey": _Key(group="chat", name="api_key"),
    "chatModel.model": _Key(group="chat", name="model"),
    "database.url": _Key(group="backends", name="database_url"),
    "qdrant.url": _Key(group="backends", name="qdrant_url"),
    "qdrant.apiKey": _Key(group="backends", name="qdrant_api_key"),
    "prefect.apiUrl": _Key(group="backends", name="prefect_api_url"),
    "prefect.apiKey": _Key(group="backends", name="prefect_api_key"),
}
"""Wire name of a setting to its place; a dot in the name is a level in the file."""

ALIASES: Mapping[str, str] = {
    "recallScope": "scope",
    "memoryScope": "scope",
    "minScore": "searchThreshold",
    "dreamState.schedule": "dreamStateSchedule",
    "dreamState.model": "dreamStateModel",
}
"""Names that users of other plugins type; understood and reported."""
_SECRETS = frozenset({"database.url", "qdrant.apiKey", "prefect.apiUrl", "prefect.apiKey", "chatModel.apiKey"})
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
}


def variable(key: str) -> str:
    """Environment variable of a setting: `topK` is `NIGHTSHIFT_TOP_K`, `qdrant.url` `NIGHTSHIFT_QDRANT_URL`."""
    return PREFIX + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key).replace(".", "_").upper()


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
    values: dict[str, dict[str, Any]] = {group: {} for group in ("", *_GROUPS)}
    for layer in layers:
        for key, value in _without_aliases(layer, problems).items():
            if place := KEYS.get(key):
                _set(values[place.group], key=key, place=place, value=value, problems=problems)
            else:
                problems.append(f"{key}: not a setting of Nightshift")
    groups: dict[str, Any] = {name: group(**values[name]) for name, group in _GROUPS.items()}
    return Settings(home=home, **values[""], **groups, problems=tuple(problems))


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
        if key in KEYS or not isinstance(value, dict):
            flat[key] = value
        else:
            flat |= {f"{key}.{name}": inner for name, inner in cast("dict[str, object]", value).items()}
    return flat


def _set(target: dict[str, Any], *, key: str, place: _Key, value: object, problems: list[str]) -> None:
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


def _clamp(value: float, place: _Key) -> float:
    if place.low is None or place.high is None:
        return value
    return type(value)(min(max(value, place.low), place.high))


def _convert(value: object, *, wanted: str, place: _Key) -> object:
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
}
"""How values are read that are neither numbers nor switches nor plain texts."""
