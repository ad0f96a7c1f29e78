"""`nightshift connect`: plugs Nightshift into a gateway's configuration, without losing anything of it."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from memory_core.errors import Conflict, Invalid
from memory_core.settings import Settings
from plugin.client import Json
from plugin.gateway_config import GatewayConfig, read_config
from plugin.plug_in import Change, apply_change, plug_in

_MOST_BACKUPS = 1000


def connect_gateway(settings: Settings, path: Path, *, print_only: bool, engine: bool | None = None) -> Iterator[str]:
    """Write what is missing, after a copy of the file was made; yields lines for people.

    Args:
        settings: The installation that the gateway shall use.
        path: The gateway's configuration.
        print_only: Say what would be written, and write nothing.
        engine: Whether Nightshift shall be the gateway's context engine; None leaves that as it is.

    Raises:
        NotFound: there is no gateway.
        Invalid: the file can't be read or written.
        Conflict: it holds comments or includes that writing would lose; what to add by hand was yielded.
    """
    config = read_config(path)
    content, changes = plug_in(config, settings, engine=engine)
    if not changes:
        yield f"{path} has all that Nightshift needs"
        return
    yield f"{'would change' if print_only or not config.editable else 'changes'} in {path}:"
    for change in changes:
        yield f"  {change}"
    if print_only:
        return
    if not config.editable:
        yield "as JSON, to be merged by hand:"
        yield json.dumps(_only(changes), indent=2, ensure_ascii=False)
        raise Conflict(f"{path} has comments, includes or other JSON5, which writing it would lose; it was left alone")
    backup = _write(config, content)
    yield f"written{f', the file as it was is {backup}' if backup else ''}"
    yield "Restart the gateway now (openclaw gateway restart), then run `nightshift doctor`."


def _write(config: GatewayConfig, content: Json) -> Path | None:
    # Through a symbolic link: what it points to is the file.
    target = config.path.resolve()
    try:
        backup = _back_up(target, config.text) if config.text is not None else None
        fresh = target.with_name(f"{target.name}.nightshift-{os.getpid()}")
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
        _create(fresh, text=_formatted(content, like=config.text), mode=mode)
        fresh.replace(target)
    except OSError as error:
        raise Invalid(f"{config.path} can't be written ({error.strerror}: {error.filename})") from error
    return backup


def _back_up(target: Path, text: str) -> Path:
    for number in range(1, _MOST_BACKUPS):
        backup = target.with_name(f"{target.name}.before-nightshift-{number}")
        try:
            _create(backup, text=text, mode=0o600)
        except FileExistsError:
            continue
        return backup
    raise Invalid(f"{target.parent} is full of copies made by `nightshift connect`; remove some")


def _create(path: Path, *, text: str, mode: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        os.fchmod(descriptor, mode)
        file.write(text)
        file.flush()
        os.fsync(descriptor)


def _formatted(content: Json, *, like: str | None) -> str:
    indent = re.search(r"^\{\r?\n([ \t]+)", like or "")
    return json.dumps(content, indent=indent[1] if indent else 2, ensure_ascii=False) + "\n"


def _only(changes: list[Change]) -> Json:
    content: dict[str, object] = {}
    for change in changes:
        apply_change(content, change)
    return content
