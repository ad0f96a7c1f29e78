"""Forgetting again what a backup brought back."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memory_core.capture.dedup import TextKeys
from memory_core.forgetting.service import ForgettingService, Selection
from memory_core.forgetting.tombstones import memory_key, piece_key, turn_key
from memory_core.models.memory import Tombstone
from memory_core.store.database import Database
from memory_core.store.graves import Buriable, GraveRepository
from memory_core.store.turns import turn_name
from memory_core.values import MemoryId, ScopeKey

_Graves = Mapping[tuple[str, str], datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reapplied:
    """What was forgotten again, in numbers."""

    memories: int
    turns: int
    revisions: int
    artifacts: int


@dataclass(frozen=True, slots=True)
class _Found:
    """What lies under a tombstone in one scope."""

    memories: list[MemoryId] = field(default_factory=list[MemoryId])
    turns: list[int] = field(default_factory=list[int])
    wordings: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    versions: list[str] = field(default_factory=list[str])
    requests: list[int] = field(default_factory=list[int])

    def selection(self) -> Selection:
        return Selection(
            memory_ids=tuple(self.memories),
            turn_ids=tuple(self.turns),
            wordings=tuple(self.wordings),
            artifact_revisions=tuple(self.versions),
            captures=tuple(self.requests),
        )


class Reapplying:
    """Applies tombstones to tables that may be older than they are."""

    def __init__(self, database: Database, *, keys: TextKeys, forgetting: ForgettingService) -> None:
        """Use the given parts."""
        self._database = database
        self._keys = keys
        self._forgetting = forgetting

    def apply(self, tombstones: Sequence[Tombstone]) -> Reapplied:
        """Take tombstones over, then forget everything that any tombstone lies over.

        Args:
            tombstones: Of the present installation, made with the same key as those in the tables.

        Raises:
            Unavailable: the tables can't be written; a repeat goes on from there.
        """
        with self._database.transaction() as db:
            graves = GraveRepository(db)
            graves.add(tombstones)
            chosen = self._buried(graves, {(one.scope_key, one.text_key): one.forgotten_at for one in graves.all()})
        receipts = [self._forgetting.forget([ScopeKey(scope)], found.selection()) for scope, found in chosen.items()]
        return Reapplied(
            memories=sum(receipt.memories + receipt.derived for receipt in receipts),
            turns=sum(receipt.turns for receipt in receipts),
            revisions=sum(receipt.wordings for receipt in receipts),
            artifacts=sum(receipt.artifacts for receipt in receipts),
        )

    def _buried(self, graves: GraveRepository, buried: _Graves) -> dict[str, _Found]:
        """What lies under tombstones, by scope."""
        chosen: dict[str, _Found] = defaultdict(_Found)
        for scope, revision in graves.revisions():  # a memory may once have said what was forgotten
            if (scope, revision.state.get("text_key")) in buried:
                chosen[scope].wordings.append((revision.memory_id, revision.revision))
        for memory in graves.memories():
            if self._is_buried(memory, buried=buried):
                chosen[memory.scope_key].memories.append(MemoryId(memory.memory_id))
        for turn in graves.turns():
            if (turn.scope_key, turn_key(self._keys, turn_name(turn))) in buried:
                chosen[turn.scope_key].turns.append(turn.id or 0)
        self._find_pieces(graves, buried, chosen=chosen)
        return chosen

    def _find_pieces(self, graves: GraveRepository, buried: _Graves, *, chosen: dict[str, _Found]) -> None:
        for scope, version in graves.versions():
            if (scope, piece_key(self._keys, version)) in buried:
                chosen[scope].versions.append(version)
        for request in graves.requests():
            if (request.scope_key, piece_key(self._keys, request.job_id)) in buried:
                chosen[request.scope_key].requests.append(request.number or 0)

    def _is_buried(self, memory: Buriable, *, buried: _Graves) -> bool:
        if (memory.scope_key, memory_key(self._keys, MemoryId(memory.memory_id))) in buried:
            return True
        forgotten_at = buried.get((memory.scope_key, memory.text_key))
        return forgotten_at is not None and memory.said_at <= forgotten_at
