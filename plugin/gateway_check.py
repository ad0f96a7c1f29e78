"""What is wrong with the settings in a gateway's configuration, in the words of the service."""

import re
from collections.abc import Iterator
from typing import cast
from urllib.parse import SplitResult, urlsplit

from memory_core.settings_loading import problems_of
from plugin.client import Json, as_object

_VARIABLE = re.compile(r"\$\{[^}]*\}")
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_ELSEWHERE = {
    "port": "put the port into baseUrl, such as http://127.0.0.1:7462",
    "home": "the folder is local.home",
}
"""Settings of the service that the gateway has under another name."""


def setting_problems(given: Json) -> list[str]:
    """One line for each setting that is unknown, out of range, or not what it must be.

    Args:
        given: What stands below `plugins.entries.nightshift.config`.
    """
    known = {key: value for key, value in given.items() if key not in _ELSEWHERE}
    moved = [f"{key}: not a setting of the gateway; {_ELSEWHERE[key]}" for key in given if key in _ELSEWHERE]
    return [*problems_of(_checkable(known)), *moved, *remote_problems(given)]


def is_remote(given: Json) -> bool:
    """Whether the gateway uses a service that somebody else starts."""
    return str(given.get("mode", "")).strip().lower() in {"remote", "cloud"}


def remote_problems(given: Json) -> Iterator[str]:
    """Why the plugin refuses the remote service it is told to use; nothing in mode local."""
    if not is_remote(given) or _has_variable(given.get("baseUrl")):
        return
    url = _split(given.get("baseUrl"))
    if url is None:
        yield "baseUrl: mode remote needs the URL of your own service"
        return
    privacy = as_object(given.get("privacy"))
    if url.hostname not in _LOOPBACK:
        if url.scheme != "https":
            yield "baseUrl: turns go to another machine over https:// only"
        if _is_on(privacy.get("uploadSummariesOnly"), otherwise=True) and not _is_on(privacy.get("ownRemote")):
            yield "privacy.ownRemote: must be true, for a remote service gets every turn whole: is it your own?"
    if not given.get("apiKey"):
        yield "mode: remote needs the service's token in apiKey"


def _checkable(given: Json) -> Json:
    """Without what only the gateway can read: variables of its environment and references to secrets."""
    checkable: dict[str, object] = {}
    for key, value in given.items():
        if value is None or _has_variable(value) or _is_reference(value):
            continue
        # A level down there may be some too: qdrant.apiKey.
        inner = cast("Json", value) if isinstance(value, dict) else None
        checkable[key] = value if inner is None or key in {"identityLinks", "dreaming"} else _checkable(inner)
    return checkable


def _has_variable(value: object) -> bool:
    return isinstance(value, str) and _VARIABLE.search(value) is not None


def _is_reference(value: object) -> bool:
    return isinstance(value, dict) and {"source", "id"} <= set(cast("Json", value))


def _is_on(value: object, *, otherwise: bool = False) -> bool:
    words = {"true": True, "on": True, "yes": True, "1": True, "false": False, "off": False, "no": False, "0": False}
    return words.get(str(value).strip().lower(), otherwise)


def _split(value: object) -> SplitResult | None:
    if not isinstance(value, str):
        return None
    try:
        url = urlsplit(value.strip())
        _ = url.port  # one that is no number is told by reading it
    except ValueError:
        return None
    return url if url.hostname and url.scheme in {"http", "https"} else None
