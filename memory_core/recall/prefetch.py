"""The likely next recall of a session, computed ahead and kept until a memory of its scope changes.

What is kept holds no words: numbers of memories and their scores, read anew from the tables when they are used.
"""

import threading
from collections import OrderedDict
from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from zoneinfo import ZoneInfo

from memory_core.ports import VectorIndex
from memory_core.recall.finding import Finder, Question, Ranked, is_over
from memory_core.recall.place import Place, is_session
from memory_core.store.changes import ChangeRepository
from memory_core.store.database import Database
from memory_core.store.pools import PoolRepository
from memory_core.values import MemoryId, MemoryStatus, SessionRef

MAX_PLACES = 512
"""Those computed longest ago are given up first."""
KEPT = 50
"""Best of a ranking that are kept: as many as a recall can ask for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored:
    memory_id: MemoryId
    score: float
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prefetched:
    question: bytes
    version: int
    ranking: tuple[_Scored, ...]


class Prefetch:
    """Computes, keeps and gives out. Thread-safe; in this process only."""

    def __init__(self, database: Database, *, finder: Finder, index: VectorIndex) -> None:
        """Use the given parts."""
        self._database = database
        self._finder = finder
        self._index = index
        self._lock = threading.Lock()
        self._kept: OrderedDict[Place, _Prefetched] = OrderedDict()
        self._cleared = 0

    def compute(self, place: Place, question: Question) -> bool:
        """Compute what a question will find, and keep it in the place of what was kept there before.

        Returns:
            Whether it is kept: not while the index lacks a change of the scope, which would be missing later too.

        Raises:
            Unavailable: the index, the embedder or the database is away.
        """
        cleared = self._cleared
        epoch = self._index.epoch()
        with self._database.reading() as db:
            # In this order: a change between the two makes the version too low, and the answer is never used.
            version = PoolRepository(db).version(place.scopes)
            is_behind = ChangeRepository(db).is_behind(epoch, scopes=place.scopes)
        if is_behind:
            return False
        ranked = self._finder.rank(place.scopes, question)[:KEPT]
        ranking = tuple(
            _Scored(memory_id=entry.row.memory_id, score=entry.score, parts=entry.parts) for entry in ranked
        )
        with self._lock:
            if cleared != self._cleared:
                return False
            self._kept[place] = _Prefetched(question=_digest(question), version=version, ranking=ranking)
            self._kept.move_to_end(place)
            while len(self._kept) > MAX_PLACES:
                self._kept.popitem(last=False)
        return True

    def has(self, place: Place) -> bool:
        """Whether something is kept, valid or not."""
        return place in self._kept

    def answer(self, place: Place, question: Question) -> list[Ranked] | None:
        """What was computed for this very question; None when nothing was, or a memory changed since."""
        kept = self._kept.get(place)
        if kept is None or kept.question != _digest(question):
            return None
        return self._read(place, kept, at=question.at)

    def latest(self, place: Place, *, at: datetime) -> list[Ranked] | None:
        """What was computed last, whatever is asked now; None when nothing was, or a memory changed since."""
        kept = self._kept.get(place)
        return None if kept is None else self._read(place, kept, at=at)

    def forget(self, memory_ids: Set[MemoryId]) -> None:
        """Give up every ranking that names a memory that is gone, and those being computed."""
        with self._lock:
            self._cleared += 1
            named = [
                place for place, kept in self._kept.items() if any(one.memory_id in memory_ids for one in kept.ranking)
            ]
            for place in named:
                del self._kept[place]

    def clear(self, ref: SessionRef) -> None:
        """Forget a session: nothing that was said before is taken up in it."""
        with self._lock:
            self._cleared += 1
            for place in [place for place in self._kept if is_session(place, ref)]:
                del self._kept[place]

    def _read(self, place: Place, kept: _Prefetched, *, at: datetime) -> list[Ranked] | None:
        with self._database.reading() as db:
            pool = PoolRepository(db)
            rows = {row.memory_id: row for row in pool.rows([it.memory_id for it in kept.ranking], scopes=place.scopes)}
            if pool.version(place.scopes) != kept.version:
                return None
        return [
            Ranked(row=row, score=scored.score, parts=scored.parts)
            for scored in kept.ranking
            if (row := rows.get(scored.memory_id))
            and (row.status == MemoryStatus.SUPERSEDED or not is_over(row, at=at))
        ]


def _digest(question: Question) -> bytes:
    """Tells questions apart that could be answered differently; a day is part of it, since "yesterday" moves."""
    day = question.at.astimezone(ZoneInfo(question.zone)).date()
    asked = (question.text.casefold(), question.zone, question.asker, question.as_of, question.include_superseded)
    return blake2b(repr((asked, day, question.kind, question.space, question.event)).encode(), digest_size=16).digest()
