"""The pool of a question: what the index found and what stands beside it in its session."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlmodel import Session as DbSession

from memory_core.recall.features import WINDOW, Contender
from memory_core.store.pools import PoolRepository, PoolRow
from memory_core.values import Hit, MemoryId, ScopeKey
from memory_core.vectors import join_rows, read_keywords

NEIGHBOURED = 80
"""Best hits by their first score whose neighbours join the pool: .977 of all gold turns are then in it, else .938."""
KEYWORD_SHARE = 0.02
"""What a unit of keyword score adds to the late score when hits are chosen for their neighbours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Memories that may answer: rows for people, contenders for ranking, in the same order."""

    rows: list[PoolRow]
    contenders: list[Contender]


def gather(db: DbSession, hits: Sequence[Hit], *, scopes: Sequence[ScopeKey], token_width: int) -> Pool:
    """Read the pool of the hits; nothing outside the scopes gets into it.

    Args:
        db: A database session.
        hits: What the index found.
        scopes: What may be read.
        token_width: Length of the question's token rows; rows of another length, of a model that is being replaced,
            are left out.
    """
    repository = PoolRepository(db)
    best = sorted(hits, key=_first_score, reverse=True)[:NEIGHBOURED]
    sessions = repository.sessions_of([hit.memory_id for hit in best], scopes=scopes)
    order = repository.places(sorted(sessions), scopes=scopes) if sessions else {}
    places = {memory_id: place for ids in order.values() for place, memory_id in enumerate(ids)}
    wanted = {hit.memory_id for hit in hits} | _beside([hit.memory_id for hit in best], order=order)
    rows = repository.rows(sorted(wanted), scopes=scopes)
    return Pool(rows=rows, contenders=_contenders(rows, places=places, width=token_width))


def _first_score(hit: Hit) -> float:
    return hit.late + KEYWORD_SHARE * (hit.sparse or 0.0)


def _beside(ids: Sequence[MemoryId], *, order: Mapping[int, Sequence[MemoryId]]) -> set[MemoryId]:
    wanted = frozenset(ids)
    found: set[MemoryId] = set()
    for said in order.values():
        for place, memory_id in enumerate(said):
            if memory_id in wanted:
                found.update(said[place + step] for step in WINDOW if 0 <= place + step < len(said))
    return found


def _contenders(rows: Sequence[PoolRow], *, places: Mapping[MemoryId, int], width: int) -> list[Contender]:
    tokens, starts = join_rows([row.tokens if row.token_width == width else b"" for row in rows], width=width)
    ends = [*starts.tolist(), len(tokens)][1:]
    return [
        Contender(
            memory_id=row.memory_id,
            text=row.text,
            speaker=row.speaker,
            session=row.session_id if row.memory_id in places else None,
            place=places.get(row.memory_id, 0),
            said_at=row.valid_from or row.event_at,
            event_at=row.event_at,
            event_until=row.event_until,
            tokens=tokens[start:end],
            keywords=read_keywords(row.keywords),
        )
        for row, start, end in zip(rows, starts.tolist(), ends, strict=True)
    ]
