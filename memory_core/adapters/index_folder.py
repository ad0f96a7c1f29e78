"""The folder of the embedded index: one process at a time, started anew when it can't be trusted.

The tables are the truth, so an index that is damaged or holds another model's vectors is thrown away. Whoever feeds the
index sees it by the epoch: it names the folder's beginning and the machine's last start, because a kill loses nothing
that the log holds, and a power cut may lose what wasn't flushed.
"""

import json
import shutil
import uuid
from dataclasses import asdict
from pathlib import Path
from typing import cast

import structlog
from filelock import FileLock, Timeout

from memory_core.adapters.index_layout import FORMAT, IndexLayout
from memory_core.adapters.qdrant_edge_index import QdrantEdgeIndex
from memory_core.errors import Conflict, Corrupt

_SHARD = "shard"
_IDENTITY = "identity.json"
_SUSPECT = "suspect"
_DISCARDED = "discarded"
_TRACES = "traces"
_MAX_FAILED_OPENINGS = 2
"""So often a process may end while opening: damage can end it without a word, but so can a kill."""
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")

log = structlog.get_logger(__name__)


def claim(folder: Path) -> FileLock:
    """Take the folder for this process; given back when released or when the process ends, however it ends.

    Raises:
        Conflict: another process has it.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder.with_name(f"{folder.name}.lock"), mode=0o600)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise Conflict(f"another process uses the index in {folder}") from None
    return lock


def open_index(folder: Path, *, layout: IndexLayout) -> QdrantEdgeIndex:
    """Open the claimed folder's index, or start an empty one under a new epoch when it can't be used.

    Raises:
        Unavailable: the folder can't be written.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.rmtree(folder / _DISCARDED, ignore_errors=True)
    beginning = None if (folder / _TRACES).exists() else _beginning(folder, layout)
    if beginning is not None:
        try:
            return _load(folder, layout=layout, beginning=beginning)
        except Corrupt as error:
            log.warning("index.damaged", reason=str(error))
    return _start_anew(folder, layout)


def mark_damaged(folder: Path) -> None:
    """Have the next opening start an empty index."""
    (folder / _SUSPECT).write_text(str(_MAX_FAILED_OPENINGS), encoding="utf-8")


def mark_traces(folder: Path) -> None:
    """Have the next opening start an empty index: segments and logs keep what was deleted for an unknown time."""
    (folder / _TRACES).touch(mode=0o600)


def _load(folder: Path, *, layout: IndexLayout, beginning: str) -> QdrantEdgeIndex:
    suspect = folder / _SUSPECT
    failed = int(suspect.read_text(encoding="utf-8")) if suspect.exists() else 0
    if failed >= _MAX_FAILED_OPENINGS:
        raise Corrupt("the last openings did not come to an end")
    suspect.write_text(str(failed + 1), encoding="utf-8")
    try:
        return QdrantEdgeIndex.load(folder / _SHARD, layout=layout, name=_epoch(beginning))
    finally:
        # Whatever came of it, the engine came back.
        suspect.unlink()


def _start_anew(folder: Path, layout: IndexLayout) -> QdrantEdgeIndex:
    # The identity goes first and comes last: whenever this is cut short, the folder counts as having none.
    (folder / _IDENTITY).unlink(missing_ok=True)
    if (folder / _SHARD).exists():
        (folder / _SHARD).rename(folder / _DISCARDED)
        shutil.rmtree(folder / _DISCARDED, ignore_errors=True)
    (folder / _SUSPECT).unlink(missing_ok=True)
    beginning = uuid.uuid4().hex
    index = QdrantEdgeIndex.create(folder / _SHARD, layout=layout, name=_epoch(beginning))
    written = folder / f"{_IDENTITY}.new"
    written.write_text(json.dumps({"beginning": beginning, **_contents(layout)}), encoding="utf-8")
    written.replace(folder / _IDENTITY)
    (folder / _TRACES).unlink(missing_ok=True)
    log.info("index.created", model=layout.model)
    return index


def _beginning(folder: Path, layout: IndexLayout) -> str | None:
    """What the folder's index was named at its beginning; None when there is none of this layout."""
    try:
        content: object = json.loads((folder / _IDENTITY).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        log.warning("index.damaged", reason=f"{_IDENTITY} can't be read")
        return None
    identity = cast("dict[str, object]", content) if isinstance(content, dict) else {}
    if any(identity.get(key) != value for key, value in _contents(layout).items()):
        log.info("index.other_contents", wanted=layout.model, format=FORMAT)
        return None
    return str(identity.get("beginning"))


def _contents(layout: IndexLayout) -> dict[str, object]:
    return {"format": FORMAT, "layout": asdict(layout)}


def _epoch(beginning: str) -> str:
    try:
        boot = _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        # Without a name for the machine's start, each start of the process counts as one.
        boot = uuid.uuid4().hex
    return f"{beginning}.{boot}"
