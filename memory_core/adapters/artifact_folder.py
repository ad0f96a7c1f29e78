"""ArtifactStore over a local folder: one file a content, named by its checksum, readable by its owner only."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from memory_core.errors import Corrupt, NotFound, Unavailable
from memory_core.ports import Clock

_CHECKSUM_CHARS = 64
_UNFINISHED = ".part"


class ArtifactFolder:
    """Keeps contents as files of a folder; two contents that are equal are one file."""

    def __init__(self, folder: Path, *, clock: Clock) -> None:
        """Use the folder; it is made when something is kept."""
        self._folder = folder
        self._clock = clock

    def put(self, content: bytes) -> str:
        """See `ArtifactStore.put`; never shows a half-written file, and survives a power cut when it returns."""
        checksum = sha256(content).hexdigest()
        file = self._file(checksum)
        try:
            if self._is_there(file, size=len(content)):
                self._stamp(file)  # so that whoever collects what nobody needs sees that somebody does
                return checksum
            for folder in (self._folder, file.parent):
                folder.mkdir(mode=0o700, exist_ok=True)
            unfinished = file.with_name(f"{checksum}.{uuid4().hex[:8]}{_UNFINISHED}")
            try:
                _write(unfinished, content)
                self._stamp(unfinished)
                unfinished.replace(file)
            finally:
                unfinished.unlink(missing_ok=True)
            _sync_folder(file.parent)
        except OSError as error:
            raise Unavailable(f"the artifact folder can't be written: {error.strerror}") from error
        return checksum

    def get(self, checksum: str) -> bytes:
        """See `ArtifactStore.get`."""
        try:
            content = self._file(checksum).read_bytes()
        except FileNotFoundError:
            raise NotFound(f"artifact: the content {checksum[:12]} is gone") from None
        except OSError as error:
            raise Unavailable(f"the artifact folder can't be read: {error.strerror}") from error
        if sha256(content).hexdigest() != checksum:
            raise Corrupt(f"artifact: the content {checksum[:12]} was changed behind our back")
        return content

    def delete(self, checksums: Sequence[str], *, before: datetime | None = None) -> int:
        """See `ArtifactStore.delete`."""
        gone = 0
        for checksum in checksums:
            file = self._file(checksum)
            try:
                if before is None or file.stat().st_mtime <= before.timestamp():
                    file.unlink()
                    gone += 1
            except FileNotFoundError:
                continue
            except OSError as error:
                raise Unavailable(f"the artifact folder can't be written: {error.strerror}") from error
        return gone

    def stored_before(self, moment: datetime) -> list[str]:
        """See `ArtifactStore.stored_before`; what a kill left half-written goes on the way."""
        found: list[str] = []
        for file in self._files():
            with suppress(FileNotFoundError):
                if file.stat().st_mtime >= moment.timestamp():
                    continue
                if file.name.endswith(_UNFINISHED):
                    file.unlink()
                elif len(file.name) == _CHECKSUM_CHARS:
                    found.append(file.name)
        return found

    def _stamp(self, file: Path) -> None:
        now_s = self._clock.now().timestamp()
        os.utime(file, (now_s, now_s))

    def _files(self) -> Iterator[Path]:
        return self._folder.glob("??/*")

    def _file(self, checksum: str) -> Path:
        if len(checksum) != _CHECKSUM_CHARS or not checksum.isalnum():
            raise ValueError("not a checksum")
        return self._folder / checksum[:2] / checksum

    def _is_there(self, file: Path, *, size: int) -> bool:
        """Whether it is there whole; what was damaged is written again."""
        try:
            return file.stat().st_size == size and sha256(file.read_bytes()).hexdigest() == file.name
        except FileNotFoundError:
            return False


def _write(file: Path, content: bytes) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as target:
        target.write(content)
        target.flush()
        os.fsync(target.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
