"""The artifact store on many machines: content in a table that all of them reach."""

from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256

from sqlalchemy import delete
from sqlmodel import col, select

from memory_core.errors import Corrupt, NotFound
from memory_core.models.artifact import ArtifactBlob
from memory_core.ports import Clock
from memory_core.store.database import Database


class DatabaseArtifacts:
    """ArtifactStore over a table; a megabyte takes about 20 ms."""

    def __init__(self, database: Database, *, clock: Clock) -> None:
        """Keep content in these tables."""
        self._database = database
        self._clock = clock

    def put(self, content: bytes) -> str:
        """See `ArtifactStore.put`."""
        checksum = sha256(content).hexdigest()
        with self._database.transaction() as db:
            db.merge(ArtifactBlob(checksum=checksum, content=content, stored_at=self._clock.now()))
        return checksum

    def get(self, checksum: str) -> bytes:
        """See `ArtifactStore.get`."""
        with self._database.reading() as db:
            blob = db.get(ArtifactBlob, checksum)
        if blob is None:
            raise NotFound(f"artifact: the content {checksum[:12]} is gone")
        if sha256(blob.content).hexdigest() != checksum:
            raise Corrupt(f"artifact: the content {checksum[:12]} was changed behind our back")
        return blob.content

    def delete(self, checksums: Sequence[str], *, before: datetime | None = None) -> int:
        """See `ArtifactStore.delete`."""
        if not checksums:
            return 0
        statement = delete(ArtifactBlob).where(col(ArtifactBlob.checksum).in_(checksums))
        if before is not None:
            statement = statement.where(col(ArtifactBlob.stored_at) <= before)
        with self._database.transaction() as db:
            return db.exec(statement).rowcount

    def stored_before(self, moment: datetime) -> list[str]:
        """See `ArtifactStore.stored_before`."""
        with self._database.reading() as db:
            return list(db.exec(select(ArtifactBlob.checksum).where(col(ArtifactBlob.stored_at) < moment)))
