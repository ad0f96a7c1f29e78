"""Forgetting again what a backup brought back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_core.capture.dedup import TextKeys
from memory_core.forgetting.service import ForgettingService, Selection
from memory_core.forgetting.tombstones import memory_key, turn_key
from memory_core.models.memory import Tombstone
from memory_core.models.turn import Turn
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
            buried = {(one.scope_key, one.text_key): one.forgotten_at for one in graves.all()}
            # A memory may once have said what was forgotten, and say something else by now.
            revisions = [one for scope, one in graves.revisions() if (scope, one.state.get("text_key")) in buried]
            for revision in revisions:
                graves.remove(revision)
            chosen: dict[str, tuple[list[MemoryId], list[int]]] = {}
            for memory in graves.memories():
                if self._is_buried(memory, buried=buried):
                    chosen.setdefault(memory.scope_key, ([], []))[0].append(MemoryId(memory.memory_id))
            for turn in graves.turns():
                if self._is_buried_turn(turn, buried=buried):
                    chosen.setdefault(turn.scope_key, ([], []))[1].append(turn.id or 0)
        receipts = [
            self._forgetting.forget(
                [ScopeKey(scope)], Selection(memory_ids=tuple(memory_ids), turn_ids=tuple(turn_ids))
            )
            for scope, (memory_ids, turn_ids) in chosen.items()
        ]
        return Reapplied(
            memories=sum(receipt.memories for receipt in receipts),
            turns=sum(receipt.turns for receipt in receipts),
            revisions=len(revisions),
            artifacts=sum(receipt.artifacts for receipt in receipts),
        )

    def _is_buried(self, memory: Buriable, *, buried: _Graves) -> bool:
        if (memory.scope_key, memory_key(self._keys, MemoryId(memory.memory_id))) in buried:
            return True
        forgotten_at = buried.get((memory.scope_key, memory.text_key))
        return forgotten_at is not None and memory.said_at <= forgotten_at

    def _is_buried_turn(self, turn: Turn, *, buried: _Graves) -> bool:
        return (turn.scope_key, turn_key(self._keys, turn_name(turn))) in buried
