"""Forgetting: rows, vectors, sources and buffered words go, and stay gone when old material comes again."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import structlog
from sqlmodel import Session as DbSession

from memory_core.capture.dedup import TextKeys
from memory_core.errors import Unavailable
from memory_core.forgetting.tombstones import memory_key, turn_key
from memory_core.indexing.service import IndexingService
from memory_core.models.memory import Memory
from memory_core.models.turn import Turn
from memory_core.ports import ArtifactStore, Clock
from memory_core.store.artifacts import ArtifactRepository, ForgottenArtifacts
from memory_core.store.database import Database
from memory_core.store.dreams import DreamRepository
from memory_core.store.links import LinkRepository
from memory_core.store.memories import MemoryRepository
from memory_core.store.model_calls import ModelCallRepository
from memory_core.store.revisions import RevisionRepository
from memory_core.store.turns import TurnRepository
from memory_core.values import MemoryId, ScopeKey

ERASED_AT_ONCE_BYTES = 32_000_000
"""A larger file is rewritten in the background: whoever asked isn't kept waiting for more than a second."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What is to be forgotten: memories by id, and buffered turns by number."""

    memory_ids: tuple[MemoryId, ...] = ()
    turn_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What was forgotten, in numbers only.

    Attributes:
        memories: Memories that are gone; passages of artifacts don't count.
        turns: Buffered utterances whose words were overwritten.
        vectors: Points that left the index.
        pending: The index is away; its points go as soon as it is back.
        artifacts: Made things that are gone, each with all its revisions.
    """

    memories: int
    turns: int
    vectors: int
    pending: bool = False
    krefs: tuple[str, ...] = field(default=())
    artifacts: int = 0


class ForgettingService:
    """Erases on request."""

    def __init__(
        self,
        database: Database,
        *,
        indexing: IndexingService,
        keys: TextKeys,
        clock: Clock,
        artifact_store: ArtifactStore,
    ) -> None:
        """Use the given parts."""
        self._database = database
        self._artifact_store = artifact_store
        self._indexing = indexing
        self._keys = keys
        self._clock = clock

    def forget(self, scopes: Sequence[ScopeKey], selection: Selection) -> Receipt:
        """Erase memories of the scopes, the words they came from, and buffered turns; ids outside are ignored.

        Raises:
            Unavailable: the tables can't be written; nothing was forgotten.
        """
        now = self._clock.now()
        with self._database.transaction() as db:
            memories, turns = MemoryRepository(db), TurnRepository(db)
            rows = memories.by_ids(selection.memory_ids, scopes=scopes)
            artifact_ids = sorted({row.artifact_id for row in rows.values() if row.artifact_id})
            of_artifacts = ArtifactRepository(db).memory_ids(artifact_ids)
            rows |= memories.by_ids([MemoryId(memory_id) for memory_id in of_artifacts], scopes=scopes)
            artifacts = ArtifactRepository(db).forget(artifact_ids, scopes=scopes)
            source_turns = memories.source_turn_ids(list(rows))
            turn_ids = sorted({*selection.turn_ids, *source_turns})
            self._bury(db, rows.values(), named_turns=turns.named(turn_ids, scopes=scopes))
            LinkRepository(db).forget(list(rows))
            RevisionRepository(db).forget(list(rows))
            DreamRepository(db).forget(list(rows))
            ModelCallRepository(db).forget(scopes)
            gone = memories.forget(list(rows))
            self._database.owe_erasure(db)
            overwritten = turns.forget_texts(turn_ids, scopes=scopes, at=now)
        self._erase_contents(artifacts, at=now)
        applied = self._apply_to_index()
        self._database.erase_traces(max_bytes=ERASED_AT_ONCE_BYTES)
        whole = [row for row in rows.values() if row.part is None]
        log.info("memory.forgotten", memories=len(whole), turns=overwritten, artifacts=artifacts.count)
        return Receipt(
            memories=len(whole),
            turns=overwritten,
            vectors=gone if applied else 0,
            pending=not applied,
            krefs=tuple(row.kref for row in whole),
            artifacts=artifacts.count,
        )

    def buffered(
        self,
        scopes: Sequence[ScopeKey],
        *,
        session_key: str | None = None,
        start: datetime | None = None,
        end: datetime | None = None,
    ) -> list[Turn]:
        """Turns whose words are still in the working buffer."""
        with self._database.reading() as db:
            return TurnRepository(db).with_text(scopes, session_key=session_key, start=start, end=end)

    def _bury(self, db: DbSession, rows: Iterable[Memory], *, named_turns: Sequence[tuple[ScopeKey, str]]) -> None:
        """Note what may neither be learned again from old material nor come back with a backup."""
        memories, now = MemoryRepository(db), self._clock.now()
        for row in rows:
            for key in (row.text_key, memory_key(self._keys, MemoryId(row.id))):
                memories.bury(ScopeKey(row.scope_key), key, at=now)
        for scope, name in named_turns:
            memories.bury(scope, turn_key(self._keys, name), at=now)

    def _erase_contents(self, artifacts: ForgottenArtifacts, *, at: datetime) -> None:
        """Remove contents that nothing needs any more; housekeeping does it later where this can't."""
        with self._database.reading() as db:
            needed = ArtifactRepository(db).needed(artifacts.checksums)
        try:
            self._artifact_store.delete([one for one in artifacts.checksums if one not in needed], before=at)
        except Unavailable as error:
            log.warning("artifact.content_left", reason=str(error))

    def _apply_to_index(self) -> bool:
        try:
            self._indexing.apply_due()
            self._indexing.flush()
        except Unavailable:
            return False
        return True
