"""The pool of a question: the best of what the index found, and what stands beside it in its session."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest

import numpy as np
from sqlmodel import Session as DbSession

from memory_core.recall.features import WINDOW, Contender
from memory_core.store.pools import PoolRepository, PoolRow
from memory_core.values import Hit, ScopeKey
from memory_core.vectors import JoinedVectors, join_vectors

POOLED = 80
"""Best hits by their first score that are ranked.

With all of about 200, r@10 and r@20 are the same within .001 (LoCoMo's five development conversations).
"""
NEIGHBOURED = 50
"""Best of them whose neighbours join the pool: .973 of all gold turns are in it then, .979 with all hits and 80."""
KEYWORD_SHARE = 0.02
"""What a unit of keyword score adds to the late score when hits are chosen."""
_ALONE_SHARE = 0.1

_Place = tuple[int, int]
"""A session and a position in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Memories that may answer: rows for people, contenders and vectors for ranking, in the same order."""

    rows: list[PoolRow]
    contenders: list[Contender]
    vectors: JoinedVectors


def gather(
    db: DbSession, hits: Sequence[Hit], *, scopes: Sequence[ScopeKey], token_width: int, model: str | None = None
) -> Pool:
    """Read the pool of the hits; nothing outside the scopes gets into it.

    Args:
        db: A database session.
        hits: What the index found.
        scopes: What may be read.
        token_width: Length of the question's token rows; rows of another length are left out.
        model: Name of the model that read the question; rows of another one, which is being replaced, are left out
            too. None takes all.
    """
    repository = PoolRepository(db)
    best = [hit.memory_id for hit in nlargest(POOLED, hits, key=_first_score)]
    rows = repository.rows(best, scopes=scopes)
    places = {row.memory_id: place for row in rows if (place := _place(row))}
    close = [places[memory_id] for memory_id in best[:NEIGHBOURED] if memory_id in places]
    order = repository.positions(sorted({session for session, _ in close}), scopes=scopes)
    ranks = {(session, position): rank for session, said in order.items() for rank, position in enumerate(said)}
    beside = set(_beside(close, order=order, ranks=ranks)) - set(places.values())
    rows += repository.rows_at(sorted(beside), scopes=scopes)
    rows.sort(key=_by_length)
    unread = [model is not None and row.model != model for row in rows]
    vectors = join_vectors(
        [
            b"" if other or row.token_width != token_width else row.tokens
            for row, other in zip(rows, unread, strict=True)
        ],
        keywords=[row.keywords for row in rows],
        width=token_width,
    )
    return Pool(
        rows=rows,
        contenders=[_contender(row, ranks=ranks) for row in rows],
        vectors=replace(vectors, unread=np.array(unread)) if any(unread) else vectors,
    )


def _first_score(hit: Hit) -> float:
    # Without a late score, of which everything has a little, keywords speak for both.
    return hit.late + (KEYWORD_SHARE if hit.late else _ALONE_SHARE) * (hit.sparse or 0.0)


def _place(row: PoolRow) -> _Place | None:
    return None if row.session_id is None else (row.session_id, row.position)


def _beside(
    places: Sequence[_Place], *, order: Mapping[int, Sequence[int]], ranks: Mapping[_Place, int]
) -> Iterator[_Place]:
    for session, position in places:
        said, rank = order.get(session, ()), ranks.get((session, position))
        if rank is not None:
            yield from ((session, said[rank + step]) for step in WINDOW if 0 <= rank + step < len(said))


def _by_length(row: PoolRow) -> tuple[int, str]:
    # Memories with equally many token rows stand together: then their rows are added up in one go.
    return len(row.tokens), row.memory_id


def _contender(row: PoolRow, *, ranks: Mapping[_Place, int]) -> Contender:
    place = _place(row)
    rank = ranks.get(place) if place else None
    return Contender(
        memory_id=row.memory_id,
        text=row.text,
        speaker=row.speaker,
        session=None if rank is None else row.session_id,
        place=rank or 0,
        said_at=row.valid_from or row.event_at,
        event_at=row.event_at,
        event_until=row.event_until,
    )
