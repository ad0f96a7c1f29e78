"""What every vector index promises: the fake, the embedded engine alone and behind its process, the server's client."""

import uuid
import warnings
from collections.abc import Generator
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pytest
from qdrant_client import QdrantClient

from memory_core.adapters.index_layout import BUNDLED
from memory_core.adapters.qdrant_edge_index import QdrantEdgeIndex
from memory_core.adapters.qdrant_server_index import QdrantServerIndex
from memory_core.errors import Invalid
from memory_core.ports import VectorIndex
from memory_core.values import (
    Embedding,
    MemoryId,
    MemoryKind,
    MemoryStatus,
    Point,
    PointFilter,
    ScopeKey,
    SparseVector,
    TimeRange,
)
from tests.contracts.index_material import NOON, OURS, Vectors, found, late, ours, point
from tests.fakes.vector_index import FakeVectorIndex

_THEIRS = ScopeKey("user-theirs")
_NO_KEYWORDS = SparseVector(indices=(), values=())
_EVERY_STATUS = tuple(MemoryStatus)


@pytest.fixture(scope="module")
def edge_index(tmp_path_factory: pytest.TempPathFactory) -> Generator[QdrantEdgeIndex]:
    """Made once: a new one takes a second of waiting for the disk."""
    edge = QdrantEdgeIndex.create(tmp_path_factory.mktemp("edge") / "shard", layout=BUNDLED, name="test")
    yield edge
    edge.close()


@pytest.fixture(params=["fake", "edge", "process", "server"])
def index(request: pytest.FixtureRequest) -> Generator[VectorIndex]:
    if request.param == "fake":
        yield FakeVectorIndex(layout=BUNDLED)
    elif request.param == "server":
        with warnings.catch_warnings():
            # The client's local mode is here for the adapter's calls; its payload indexes do nothing.
            warnings.filterwarnings("ignore", message="Payload indexes have no effect")
            yield QdrantServerIndex(QdrantClient(":memory:"), layout=BUNDLED)
    else:
        chosen: VectorIndex = (
            request.getfixturevalue("edge_index")
            if request.param == "edge"
            else request.getfixturevalue("running_index").index
        )
        chosen.delete(chosen.ids(after=None, limit=10_000))
        yield chosen


def test_a_point_is_found_by_each_of_its_vectors(index: VectorIndex) -> None:
    vectors = Vectors()
    points = [point(vectors.embedding(n, n + 100)) for n in range(1, 9)]
    index.upsert(points)
    wanted = points[4]
    hit = index.search(wanted.embedding, where=ours(), limit=3)[0]
    assert hit.memory_id == wanted.memory_id
    assert hit.dense == pytest.approx(1, abs=1e-3)
    assert hit.sparse is not None
    assert hit.sparse > 0
    assert hit.late == pytest.approx(6, abs=0.02)


def test_an_empty_index_finds_nothing(index: VectorIndex) -> None:
    assert index.search(Vectors().embedding(1), where=ours(), limit=5) == []
    assert index.ids(after=None, limit=5) == []
    assert index.count() == 0


def test_search_and_score_never_cross_the_scope(index: VectorIndex) -> None:
    vectors = Vectors()
    secret = vectors.embedding(1, 2, 3)
    planted = [point(secret, scope=_THEIRS) for _ in range(5)]
    mine = [point(vectors.embedding(50 + n)) for n in range(3)]
    index.upsert([*planted, *mine])
    ids = [p.memory_id for p in (*planted, *mine)]
    every = ours(statuses=_EVERY_STATUS)
    assert found(index.search(secret, where=every, limit=50)) == {p.memory_id for p in mine}
    assert found(index.score(secret, memory_ids=ids, where=every)) == {p.memory_id for p in mine}


def test_scopes_are_matched_whole(index: VectorIndex) -> None:
    embedding = Vectors().embedding(1)
    index.upsert([point(embedding, scope=ScopeKey(scope)) for scope in ("user-ours-2", "User-ours", "user", "ours")])
    assert index.search(embedding, where=ours(), limit=10) == []


def test_several_scopes_are_searched_together(index: VectorIndex) -> None:
    vectors = Vectors()
    points = [point(vectors.embedding(1), scope=scope) for scope in (OURS, _THEIRS, ScopeKey("third"))]
    index.upsert(points)
    hits = index.search(vectors.embedding(1), where=PointFilter(scopes=(OURS, _THEIRS)), limit=10)
    assert found(hits) == {points[0].memory_id, points[1].memory_id}


@pytest.mark.parametrize("where", [PointFilter(scopes=()), PointFilter(scopes=(OURS,), statuses=())])
def test_no_scope_or_no_status_finds_nothing(index: VectorIndex, where: PointFilter) -> None:
    stored = point(Vectors().embedding(1))
    index.upsert([stored])
    assert index.search(stored.embedding, where=where, limit=5) == []
    assert index.score(stored.embedding, memory_ids=[stored.memory_id], where=where) == []


def test_statuses_kinds_and_spaces_filter(index: VectorIndex) -> None:
    vectors = Vectors()
    plain = point(vectors.embedding(1))
    flagged = replace(plain, memory_id=MemoryId(str(uuid.uuid4())), status=MemoryStatus.FLAGGED)
    superseded = replace(plain, memory_id=MemoryId(str(uuid.uuid4())), status=MemoryStatus.SUPERSEDED)
    decision = replace(plain, memory_id=MemoryId(str(uuid.uuid4())), kind=MemoryKind.DECISION)
    room = replace(plain, memory_id=MemoryId(str(uuid.uuid4())), space="kitchen")
    index.upsert([plain, flagged, superseded, decision, room])

    def searched(**parts: object) -> set[MemoryId]:
        return found(index.search(plain.embedding, where=ours(**parts), limit=10))

    assert searched() == found_ids(plain, flagged, decision, room)
    assert searched(statuses=(MemoryStatus.SUPERSEDED,)) == found_ids(superseded)
    assert searched(kind=MemoryKind.DECISION) == found_ids(decision)
    assert searched(space="kitchen") == found_ids(room)
    assert searched(space="kitchen", kind=MemoryKind.DECISION) == set()


def found_ids(*points: Point) -> set[MemoryId]:
    return {p.memory_id for p in points}


def test_event_times_are_half_open_ranges(index: VectorIndex) -> None:
    plain = point(Vectors().embedding(1))
    at = {
        hours: replace(plain, memory_id=MemoryId(str(uuid.uuid4())), event_at=plain.event_at + hours * 3600)
        for hours in (-1, 0, 1)
    }
    index.upsert(list(at.values()))
    hour = timedelta(hours=1)

    def within(start: datetime | None, end: datetime | None) -> set[MemoryId]:
        where = ours(event=TimeRange(start=start, end=end))
        return found(index.search(plain.embedding, where=where, limit=10))

    assert within(None, None) == found_ids(*at.values())
    assert within(NOON, None) == found_ids(at[0], at[1])
    assert within(None, NOON) == found_ids(at[-1])
    assert within(NOON, NOON + hour) == found_ids(at[0])
    assert within(NOON - hour, NOON + 2 * hour) == found_ids(*at.values())
    assert within(NOON + timedelta(seconds=1), NOON + timedelta(seconds=2)) == set()


def test_late_scores_equal_numpys(index: VectorIndex) -> None:
    vectors = Vectors()
    points = [point(vectors.embedding(n, rows=1 + n % 9)) for n in range(60)]
    index.upsert(points)
    query = vectors.embedding(3, rows=7)
    weights = np.linspace(0.05, 0.3, 7, dtype=np.float32)[:, np.newaxis]
    query = replace(query, tokens=query.tokens * weights)
    hits = index.search(query, where=ours(), limit=60)
    expected = {p.memory_id: late(query, p.embedding) for p in points}
    assert len(hits) == 60
    for hit in hits:
        assert hit.late == pytest.approx(expected[hit.memory_id], abs=0.002)
    assert [hit.late for hit in hits] == sorted((hit.late for hit in hits), reverse=True)


def test_a_search_joins_the_best_of_both_kinds(index: VectorIndex) -> None:
    vectors = Vectors()
    query = vectors.embedding(1)
    near = [point(replace(vectors.embedding(500 + n), dense=query.dense)) for n in range(3)]
    worded = [point(vectors.embedding(1)) for _ in range(3)]
    others = [point(vectors.embedding(900 + n)) for n in range(30)]
    index.upsert([*near, *worded, *others])
    hits = index.search(query, where=ours(), limit=3)
    assert found(hits) == found_ids(*near, *worded)
    by_id = {hit.memory_id: hit for hit in hits}
    assert all(by_id[p.memory_id].sparse is None for p in near)
    assert all(by_id[p.memory_id].dense is None for p in worded)
    assert len(index.search(query, where=ours(), limit=1)) <= 2
    assert index.search(query, where=ours(), limit=0) == []


def test_keywords_weigh_by_rarity_within_the_scopes_searched(index: VectorIndex) -> None:
    vectors = Vectors()
    rare, common = 1, 2
    holder = point(vectors.embedding(rare, 40))
    index.upsert([holder, *(point(vectors.embedding(common, 100 + n)) for n in range(20))])
    # Everywhere else the rare word is on every page.
    index.upsert([point(vectors.embedding(rare, 200 + n), scope=_THEIRS) for n in range(60)])
    hits = index.search(vectors.embedding(rare, common), where=ours(), limit=30)
    scores = {hit.memory_id: hit.sparse or 0 for hit in hits}
    others = [score for memory_id, score in scores.items() if memory_id != holder.memory_id]
    assert scores[holder.memory_id] > 10 * max(others) > 0


def test_upsert_replaces_whole(index: VectorIndex) -> None:
    vectors = Vectors()
    old = point(vectors.embedding(1, 2))
    index.upsert([old])
    bare = Embedding(
        dense=vectors.unit(1, BUNDLED.dense_size)[0],
        tokens=np.zeros((0, BUNDLED.token_size), np.float32),
        sparse=_NO_KEYWORDS,
    )
    index.upsert([replace(old, embedding=bare, space="moved", scope=_THEIRS)])
    assert index.count() == 1
    assert index.search(old.embedding, where=ours(), limit=5) == []
    hit = index.search(old.embedding, where=PointFilter(scopes=(_THEIRS,), space="moved"), limit=5)[0]
    assert hit.late == 0
    assert hit.sparse is None
    assert hit.dense == pytest.approx(float(old.embedding.dense @ bare.dense), abs=1e-3)


def test_the_last_of_equal_ids_in_a_batch_stays(index: VectorIndex) -> None:
    first = point(Vectors().embedding(1))
    index.upsert([first, replace(first, space="second")])
    assert index.count() == 1
    assert len(index.search(first.embedding, where=ours(space="second"), limit=5)) == 1


def test_upsert_twice_is_once(index: VectorIndex) -> None:
    stored = [point(Vectors(n).embedding(n)) for n in range(1, 4)]
    index.upsert(stored)
    index.upsert(stored)
    assert index.count() == 3
    index.upsert([])
    assert index.count() == 3


def test_delete_removes_and_ignores_the_unknown(index: VectorIndex) -> None:
    vectors = Vectors()
    kept, gone = point(vectors.embedding(1)), point(vectors.embedding(1))
    index.upsert([kept, gone])
    index.delete([gone.memory_id, MemoryId(str(uuid.uuid4()))])
    index.delete([gone.memory_id])
    index.delete([])
    assert index.ids(after=None, limit=10) == [kept.memory_id]
    assert found(index.search(gone.embedding, where=ours(), limit=5)) == {kept.memory_id}


def _spoiled(embedding: Embedding) -> dict[str, Embedding]:
    nan, infinite = embedding.dense.copy(), embedding.tokens.copy()
    nan[5] = np.nan
    infinite[0, 0] = np.inf
    return {
        "NaN in dense": replace(embedding, dense=nan),
        "infinity in tokens": replace(embedding, tokens=infinite),
        "short dense": replace(embedding, dense=embedding.dense[:-1]),
        "narrow tokens": replace(embedding, tokens=embedding.tokens[:, :-1]),
        "NaN keyword": replace(embedding, sparse=SparseVector(indices=(1,), values=(float("nan"),))),
        "keyword twice": replace(embedding, sparse=SparseVector(indices=(1, 1), values=(1.0, 1.0))),
        "keyword of no weight": replace(embedding, sparse=SparseVector(indices=(1,), values=(0.0,))),
    }


@pytest.mark.parametrize("flaw", list(_spoiled(Vectors().embedding(1))))
def test_what_is_refused_leaves_nothing_behind(index: VectorIndex, flaw: str) -> None:
    vectors = Vectors()
    good = [point(vectors.embedding(n)) for n in range(1, 50)]
    bad = point(_spoiled(vectors.embedding(1))[flaw])
    with pytest.raises(Invalid):
        index.upsert([*good, bad])
    assert index.count() == 0


@pytest.mark.parametrize("memory_id", ["", "7", "not-a-uuid", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"])
def test_an_id_that_is_no_uuid_is_refused(index: VectorIndex, memory_id: str) -> None:
    stored = point(Vectors().embedding(1))
    with pytest.raises(Invalid):
        index.upsert([replace(stored, memory_id=MemoryId(memory_id))])
    with pytest.raises(Invalid):
        index.delete([MemoryId(memory_id)])
    with pytest.raises(Invalid):
        index.score(stored.embedding, memory_ids=[MemoryId(memory_id)], where=ours())


def test_a_question_of_the_wrong_size_is_refused(index: VectorIndex) -> None:
    index.upsert([point(Vectors().embedding(1))])
    question = _spoiled(Vectors().embedding(1))["short dense"]
    with pytest.raises(Invalid):
        index.search(question, where=ours(), limit=5)


@pytest.mark.parametrize("width", [0, BUNDLED.token_size])
def test_texts_and_questions_without_token_rows_work(index: VectorIndex, width: int) -> None:
    vectors = Vectors()
    rowless = replace(vectors.embedding(1), tokens=np.zeros((0, width), np.float32))
    stored, other = point(rowless), point(vectors.embedding(1))
    index.upsert([stored, other])
    hits = {hit.memory_id: hit for hit in index.search(vectors.embedding(1), where=ours(), limit=5)}
    assert hits[stored.memory_id].late == 0
    assert hits[other.memory_id].late != 0
    asked = index.search(rowless, where=ours(), limit=5)
    assert found(asked) == found_ids(stored, other)
    assert {hit.late for hit in asked} == {0.0}


def test_a_question_without_keywords_finds_by_meaning(index: VectorIndex) -> None:
    stored = point(Vectors().embedding(1))
    index.upsert([stored])
    hits = index.search(replace(stored.embedding, sparse=_NO_KEYWORDS), where=ours(), limit=5)
    assert [(hit.memory_id, hit.sparse) for hit in hits] == [(stored.memory_id, None)]


def test_score_tells_of_the_given_ones_only(index: VectorIndex) -> None:
    vectors = Vectors()
    points = [point(vectors.embedding(n)) for n in range(1, 30)]
    hidden = replace(points[2], status=MemoryStatus.DEPRECATED)
    index.upsert([*points, hidden])
    asked = [points[0].memory_id, points[1].memory_id, hidden.memory_id, MemoryId(str(uuid.uuid4()))]
    query = vectors.embedding(2)
    hits = {hit.memory_id: hit for hit in index.score(query, memory_ids=asked, where=ours())}
    assert set(hits) == {points[0].memory_id, points[1].memory_id}
    for p in points[:2]:
        assert hits[p.memory_id].dense == pytest.approx(float(query.dense @ p.embedding.dense), abs=1e-3)
        assert hits[p.memory_id].late == pytest.approx(late(query, p.embedding), abs=0.01)
    assert hits[points[0].memory_id].sparse is None
    assert hits[points[1].memory_id].sparse is not None
    assert index.score(query, memory_ids=[], where=ours()) == []


def test_score_and_search_agree(index: VectorIndex) -> None:
    vectors = Vectors()
    points = [point(vectors.embedding(n % 5)) for n in range(25)]
    index.upsert(points)
    query = vectors.embedding(3)
    searched = {hit.memory_id: hit for hit in index.search(query, where=ours(), limit=25)}
    scored = index.score(query, memory_ids=[p.memory_id for p in points], where=ours())
    assert len(scored) == 25
    for hit in scored:
        other = searched[hit.memory_id]
        assert (hit.dense, hit.late) == (pytest.approx(other.dense), pytest.approx(other.late))
        assert hit.sparse == (None if other.sparse is None else pytest.approx(other.sparse))


def test_ids_come_in_ascending_pages(index: VectorIndex) -> None:
    points = [point(Vectors(n).embedding(1)) for n in range(25)]
    last = replace(points[0], memory_id=MemoryId("ffffffff-ffff-ffff-ffff-ffffffffffff"))
    index.upsert([*points, last])
    pages: list[list[MemoryId]] = []
    after: MemoryId | None = None
    while page := index.ids(after=after, limit=10):
        pages.append(page)
        after = page[-1]
        assert len(pages) < 10
    assert [len(page) for page in pages] == [10, 10, 6]
    assert [memory_id for page in pages for memory_id in page] == sorted(found_ids(*points, last))
    assert index.ids(after=MemoryId(str(uuid.UUID(int=0))), limit=3) == pages[0][:3]
    assert index.ids(after=None, limit=0) == []


def test_a_flush_changes_nothing_one_can_see(index: VectorIndex) -> None:
    stored = point(Vectors().embedding(1))
    epoch = index.epoch()
    index.upsert([stored])
    index.flush()
    index.flush()
    assert index.epoch() == epoch != ""
    assert index.count() == 1
