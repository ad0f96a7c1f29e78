"""The pool of a question: the best hits, what stands beside the very best of them, nothing of another scope."""

from collections.abc import Iterable, Sequence

import pytest

from memory_core.models.memory import Memory
from memory_core.recall.features import WINDOW
from memory_core.recall.pool import NEIGHBOURED, POOLED, Pool, gather
from memory_core.store.database import Database
from memory_core.values import Hit, MemoryId
from tests.integration.rows import MINE, THEIRS, memory, plant_memories, plant_session

WIDTH = 4
"""Of the token rows of planted memories."""


def hits(rows: Iterable[Memory]) -> list[Hit]:
    """Each fits a little less than the one before."""
    return [Hit(memory_id=MemoryId(row.id), dense=0.5, sparse=None, late=1 - n / 1000) for n, row in enumerate(rows)]


def said(database: Database, count: int, *, spacing: int = 1) -> list[Memory]:
    """Memories of a session of its own, in the order of saying."""
    session = plant_session(database)
    rows = [memory(session_id=session.id, position=spacing * n) for n in range(count)]
    plant_memories(database, rows)
    return rows


def pool_of(database: Database, found: Sequence[Hit], *, width: int = WIDTH) -> Pool:
    with database.reading() as db:
        return gather(db, found, scopes=[MINE], token_width=width)


def ids(pool: Pool) -> set[str]:
    return {row.memory_id for row in pool.rows}


@pytest.mark.parametrize("spacing", [1, 64])
def test_what_stands_beside_a_hit_joins(database: Database, spacing: int) -> None:
    rows = said(database, 12, spacing=spacing)
    said(database, 12)
    pool = pool_of(database, hits([rows[5]]))
    assert ids(pool) == {rows[5 + step].id for step in (0, *WINDOW)}
    places = {one.memory_id: one.place for one in pool.contenders}
    assert {places[MemoryId(rows[5 + step].id)] - places[MemoryId(rows[5].id)] for step in WINDOW} == set(WINDOW)
    assert len({one.session for one in pool.contenders}) == 1


def test_the_ends_of_a_session_have_fewer_neighbours(database: Database) -> None:
    rows = said(database, 3)
    assert ids(pool_of(database, hits([rows[0]]))) == {row.id for row in rows}
    assert pool_of(database, []).rows == []


def test_rows_contenders_and_vectors_belong_together(database: Database) -> None:
    pool = pool_of(database, hits(said(database, 5)))
    assert [row.memory_id for row in pool.rows] == [one.memory_id for one in pool.contenders]
    assert [row.text for row in pool.rows] == [one.text for one in pool.contenders]
    assert len(pool.vectors.starts) == 5
    assert pool.vectors.rows.shape == (10, WIDTH)
    assert pool.vectors.owners.tolist() == [0, 1, 2, 3, 4]


def test_rows_of_another_model_count_as_none(database: Database) -> None:
    pool = pool_of(database, hits(said(database, 3)), width=WIDTH + 1)
    assert pool.vectors.rows.tolist() == [[0.0] * (WIDTH + 1)] * 3


def test_the_worst_hits_stay_out_and_the_middling_bring_nobody(database: Database) -> None:
    alone = said(database, 1)
    lonely = [said(database, 2)[0] for _ in range(POOLED + 3)]
    order = [*alone, *lonely]
    pool = pool_of(database, hits(order))
    kept = {row.id for row in order[:POOLED]}
    assert kept <= ids(pool)
    assert not ids(pool) & {row.id for row in order[POOLED:]}
    assert len(ids(pool) - kept) == NEIGHBOURED - 1


def test_without_a_session_there_are_no_neighbours(database: Database) -> None:
    rows = [memory(), memory()]
    plant_memories(database, rows)
    pool = pool_of(database, hits(rows))
    assert ids(pool) == {row.id for row in rows}
    assert [one.session for one in pool.contenders] == [None, None]


def test_nothing_of_another_scope_joins(database: Database) -> None:
    session = plant_session(database)
    mine = memory(session_id=session.id, position=1)
    theirs = [memory(THEIRS, session_id=session.id, position=position) for position in (0, 2)]
    plant_memories(database, [mine, *theirs])
    assert ids(pool_of(database, hits([mine, *theirs]))) == {mine.id}


def test_rows_of_another_model_are_left_out(database: Database) -> None:
    rows = said(database, 2)
    with database.reading() as db:
        other = gather(db, hits(rows), scopes=[MINE], token_width=WIDTH, model="another")
        same = gather(db, hits(rows), scopes=[MINE], token_width=WIDTH, model="planted")
    assert other.vectors.unread is not None
    assert other.vectors.unread.all()
    assert not other.vectors.rows.any()
    assert same.vectors.unread is None
    assert same.vectors.rows.any()
