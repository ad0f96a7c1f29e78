"""Forgetting: rows, vectors, sources and buffered words go, and stay gone when old material comes again."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import structlog
from sqlmodel import Session as DbSession

from memory_core.capture.dedup import TextKeys
from memory_core.errors import Unavailable
from memory_core.forgetting.reach import Reach, ReachFinder
from memory_core.forgetting.tombstones import memory_key, piece_key, spoken_keys, text_keys, turn_key, wording_keys
from memory_core.indexing.service import IndexingService
from memory_core.models.memory import Memory, MemoryRevision
from memory_core.models.turn import Turn
from memory_core.ports import ArtifactStore, Clock
from memory_core.store.artifacts import ArtifactRepository
from memory_core.store.changes import ChangeRepository
from memory_core.store.database import Database
from memory_core.store.derivatives import DerivativeRepository
from memory_core.store.dreams import DreamRepository
from memory_core.store.links import LinkRepository
from memory_core.store.memories import MemoryRepository
from memory_core.store.model_calls import ModelCallRepository
from memory_core.store.revisions import RevisionRepository
from memory_core.store.turns import TurnRepository, turn_name
from memory_core.values import MemoryId, ScopeKey

ERASED_AT_ONCE_BYTES = 32_000_000
"""A larger file is rewritten in the background: whoever asked isn't kept waiting for more than a second."""

Volatile = Callable[[Sequence[ScopeKey], frozenset[MemoryId]], None]
"""Lets go of what a process keeps in memory of these scopes and memories."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What is to be forgotten.

    Attributes:
        memory_ids: Memories; of one that mentions an artifact, the artifact goes too.
        turn_ids: Buffered or archived turns, by number.
        wordings: Earlier wordings of memories that stay: id and revision.
        artifact_revisions: Earlier versions of artifacts that stay, by id.
        captures: Requests to keep something that wait, by number.
    """

    memory_ids: tuple[MemoryId, ...] = ()
    turn_ids: tuple[int, ...] = ()
    wordings: tuple[tuple[str, int], ...] = ()
    artifact_revisions: tuple[str, ...] = ()
    captures: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What was forgotten, in numbers only.

    Attributes:
        memories: Memories that were asked for and are gone; passages of artifacts don't count.
        derived: Memories that went with them: copies, summaries, answers that took them up.
        turns: Utterances whose words were overwritten, whole or in part.
        vectors: Points that left the index.
        pending: The index is away; its points go as soon as it is back.
        artifacts: Made things that are gone, each with all its revisions.
        wordings: Earlier wordings that are gone, of memories and artifacts that stay.
        changes: Entries in reports of dream runs that were overwritten.
    """

    memories: int
    turns: int
    vectors: int
    pending: bool = False
    krefs: tuple[str, ...] = field(default=())
    artifacts: int = 0
    derived: int = 0
    wordings: int = 0
    changes: int = 0


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
        volatile: Sequence[Volatile] = (),
    ) -> None:
        """Use the given parts; `volatile` is what this process keeps in memory."""
        self._database = database
        self._artifact_store = artifact_store
        self._indexing = indexing
        self._keys = keys
        self._clock = clock
        self._volatile = volatile

    def preview(self, scopes: Sequence[ScopeKey], selection: Selection) -> Receipt:
        """What `forget` would do with the same selection now.

        Raises:
            Unavailable: the tables can't be read.
        """
        with self._database.reading() as db:
            reach = ReachFinder(db, scopes=scopes).find(selection.memory_ids, turn_ids=selection.turn_ids)
            points = ChangeRepository(db).versions(list(reach.rows))
        worded = sum(turn.text is not None for turn in reach.turns.values())
        return _receipt(
            reach,
            turns=worded + len(reach.cuts),
            vectors=len(points),
            artifacts=len(reach.artifact_ids),
            wordings=len({*reach.wordings, *selection.wordings}) + len(selection.artifact_revisions),
        )

    def forget(self, scopes: Sequence[ScopeKey], selection: Selection) -> Receipt:
        """Erase memories of the scopes, what goes with them, the words they came from, and buffered turns.

        Ids outside of the scopes are ignored.

        Raises:
            Unavailable: the tables can't be written; nothing was forgotten.
        """
        now = self._clock.now()
        with self._database.transaction() as db:
            reach = ReachFinder(db, scopes=scopes).find(selection.memory_ids, turn_ids=selection.turn_ids)
            self._bury(db, reach, selection=selection, scopes=scopes)
            artifacts = ArtifactRepository(db)
            whole = artifacts.forget(reach.artifact_ids, scopes=scopes)
            pieces = artifacts.forget_pieces(
                revision_ids=selection.artifact_revisions, captures=selection.captures, scopes=scopes
            )
            wordings, changes = _forget_wordings(db, {*reach.wordings, *selection.wordings}, scopes=scopes)
            points = ChangeRepository(db).versions(list(reach.rows))
            changes += _forget_rows(db, list(reach.rows), scopes=scopes)
            turns = _forget_words(db, reach, scopes=scopes, at=now)
            self._database.owe_erasure(db)
        for let_go in self._volatile:
            let_go(scopes, frozenset(reach.rows))
        self._erase_contents([*whole.checksums, *pieces.checksums], at=now)
        applied = self._apply_to_index()
        self._database.erase_traces(max_bytes=ERASED_AT_ONCE_BYTES)
        receipt = _receipt(
            reach,
            turns=turns,
            vectors=len(points) if applied else 0,
            artifacts=whole.count,
            wordings=wordings + pieces.count,
            changes=changes,
            pending=not applied,
        )
        log.info(
            "memory.forgotten",
            memories=receipt.memories,
            derived=receipt.derived,
            turns=turns,
            artifacts=receipt.artifacts,
            wordings=receipt.wordings,
            changes=changes,
        )
        return receipt

    def buffered(
        self,
        scopes: Sequence[ScopeKey],
        *,
        session_key: str | None = None,
        start: datetime | None = None,
        end: datetime | None = None,
    ) -> list[Turn]:
        """Turns whose words are still in the working buffer or in the archive."""
        with self._database.reading() as db:
            return TurnRepository(db).with_text(scopes, session_key=session_key, start=start, end=end)

    def _bury(self, db: DbSession, reach: Reach, *, selection: Selection, scopes: Sequence[ScopeKey]) -> None:
        """Note what may neither be learned again from old material nor come back with a backup."""
        keys, buried = self._keys, set[tuple[str, str]]()
        wordings = _wordings_of(db, {*reach.wordings, *selection.wordings}, scopes=scopes)
        earlier = _by_memory(DerivativeRepository(db, scopes=scopes).revisions(of=reach.rows))
        for row in reach.rows.values():
            found = text_keys(keys, row, revisions=earlier.get(row.id, ())) | {memory_key(keys, MemoryId(row.id))}
            buried |= {(row.scope_key, key) for key in found}
        for row, revision in wordings:
            buried |= {(row.scope_key, key) for key in wording_keys(keys, row, state=revision.state)}
        for number, turn in reach.turns.items():
            buried.add((turn.scope_key, turn_key(keys, turn_name(turn))))
            if number in selection.turn_ids and turn.consolidated_at is None:
                buried |= {(turn.scope_key, key) for key in spoken_keys(keys, turn)}
        pieces = ArtifactRepository(db).pieces(
            revision_ids=selection.artifact_revisions, captures=selection.captures, scopes=scopes
        )
        buried |= {(scope, piece_key(keys, piece)) for scope, piece in pieces}
        MemoryRepository(db).bury(sorted(buried), at=self._clock.now())

    def _erase_contents(self, checksums: Sequence[str], *, at: datetime) -> None:
        """Remove contents that nothing needs any more; housekeeping does it later where this can't."""
        with self._database.reading() as db:
            needed = ArtifactRepository(db).needed(checksums)
        try:
            self._artifact_store.delete([one for one in checksums if one not in needed], before=at)
        except Unavailable as error:
            log.warning("artifact.content_left", reason=str(error))

    def _apply_to_index(self) -> bool:
        try:
            self._indexing.apply_due()
            self._indexing.flush()
        except Unavailable:
            return False
        return True


def _by_memory(revisions: Iterable[MemoryRevision]) -> dict[str, list[MemoryRevision]]:
    found: dict[str, list[MemoryRevision]] = {}
    for revision in revisions:
        found.setdefault(revision.memory_id, []).append(revision)
    return found


def _forget_rows(db: DbSession, ids: Sequence[MemoryId], *, scopes: Sequence[ScopeKey]) -> int:
    """Delete memories with all that is about them; returns how many entries of dream reports that concerned."""
    LinkRepository(db).forget(ids)
    RevisionRepository(db).forget(ids)
    changes = DreamRepository(db).forget(ids)
    ModelCallRepository(db).forget(scopes)
    MemoryRepository(db).forget(ids)
    return changes


def _forget_wordings(
    db: DbSession, wordings: Collection[tuple[str, int]], *, scopes: Sequence[ScopeKey]
) -> tuple[int, int]:
    """Delete earlier wordings of memories that stay; returns how many, and how many entries of dream reports."""
    known = _wordings_of(db, wordings, scopes=scopes)
    gone = RevisionRepository(db).forget_single([(one.memory_id, one.revision) for _, one in known])
    return gone, DreamRepository(db).forget_wordings(sorted({row.id for row, _ in known}))


def _wordings_of(
    db: DbSession, wordings: Collection[tuple[str, int]], *, scopes: Sequence[ScopeKey]
) -> list[tuple[Memory, MemoryRevision]]:
    """Those of the earlier wordings that lie in the scopes, each with its memory."""
    ids = sorted({MemoryId(memory_id) for memory_id, _ in wordings})
    rows = MemoryRepository(db).by_ids(ids, scopes=scopes)
    found = DerivativeRepository(db, scopes=scopes).revisions(of=rows)
    return [(rows[MemoryId(one.memory_id)], one) for one in found if (one.memory_id, one.revision) in wordings]


def _forget_words(db: DbSession, reach: Reach, *, scopes: Sequence[ScopeKey], at: datetime) -> int:
    turns = TurnRepository(db)
    cut = sum(turns.cut_text(number, text=text, scopes=scopes) for number, text in reach.cuts.items())
    return cut + turns.forget_texts(sorted(reach.turns), scopes=scopes, at=at)


def _receipt(reach: Reach, *, pending: bool = False, **numbers: int) -> Receipt:
    whole = [row for row in reach.chosen.values() if row.part is None]
    counts: Mapping[str, int] = {"turns": 0, "vectors": 0, **numbers}
    return Receipt(
        memories=len(whole),
        derived=len(reach.derived),
        krefs=tuple(row.kref for row in whole),
        pending=pending,
        **counts,
    )
