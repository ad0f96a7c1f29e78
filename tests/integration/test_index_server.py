"""The server of the index process and its clients, over fakes that can be held up and broken."""

import asyncio
import socket
import struct
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memory_core.adapters.index_caller import Caller
from memory_core.adapters.index_client import RemoteEmbedder, RemoteIndex
from memory_core.adapters.index_layout import IndexLayout
from memory_core.adapters.index_server import POINTS_PER_PIECE, IndexServer
from memory_core.errors import Corrupt, Invalid, Unavailable
from memory_core.values import Embedding, Hit, MemoryId, MemoryKind, MemoryStatus, Point, PointFilter, ScopeKey
from tests.fakes.embedder import WIDTH, FakeEmbedder
from tests.fakes.vector_index import FakeVectorIndex

_LAYOUT = IndexLayout(model="fake-1", dense_size=WIDTH, token_size=WIDTH)
_SOON_S = 10
_OURS = PointFilter(scopes=(ScopeKey("ours"),))


class Served:
    """A server of fakes in a thread of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fake_embedder = FakeEmbedder()
        self.fake_index = WatchedIndex(layout=_LAYOUT)
        self.damaged = threading.Event()
        self.purged = threading.Event()
        self.embedder = RemoteEmbedder(path)
        self.index = RemoteIndex(path)
        self.start()

    def start(self) -> None:
        """Serve; the socket is there when this returns."""
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(self.path))
        listening.listen()
        self.server = IndexServer(
            embedder=self.fake_embedder,
            index=self.fake_index,
            layout=_LAYOUT,
            on_damage=self.damaged.set,
            on_purge=self.purged.set,
        )
        self.thread = threading.Thread(target=lambda: asyncio.run(self.server.serve(listening)))
        self.thread.start()

    def stop(self) -> None:
        """End serving and remove the socket."""
        self.server.stop()
        self.thread.join(_SOON_S)
        assert not self.thread.is_alive()
        self.path.unlink(missing_ok=True)

    def points(self, count: int) -> list[Point]:
        """Points of texts about nothing, with ascending ids."""
        return [
            Point(
                memory_id=MemoryId(f"00000000-0000-4000-8000-{number:012d}"),
                embedding=embedding,
                scope=ScopeKey("ours"),
                kind=MemoryKind.FACT,
                status=MemoryStatus.ACTIVE,
                space="personal",
                session_id=0,
                event_at=0,
            )
            for number, embedding in enumerate(FakeEmbedder().embed_passages([f"word{n}" for n in range(count)]))
        ]


class WatchedIndex(FakeVectorIndex):
    """Tells when it is searched, and breaks when it is told to."""

    on_search: Callable[[], None] | None = None

    def search(self, query: Embedding, *, where: PointFilter, limit: int) -> list[Hit]:
        if self.on_search is not None:
            self.on_search()
        return super().search(query, where=where, limit=limit)


@pytest.fixture
def served(tmp_path: Path) -> Generator[Served]:
    served = Served(tmp_path / "index.sock")
    yield served
    served.index.close()
    served.embedder.close()
    served.stop()


def test_a_question_is_answered_between_the_pieces_of_a_long_write(served: Served) -> None:
    log: list[str] = []
    query = FakeEmbedder().embed_query("word3")
    with ThreadPoolExecutor(1) as asker:

        def on_piece(points: Sequence[Point]) -> None:
            log.append(f"{len(points)} points")
            if len(log) == 1:
                asker.submit(served.index.search, query, where=_OURS, limit=3)
                _wait_for(lambda: served.server.waiting() > 1)

        served.fake_index.before_upsert = on_piece
        served.fake_index.on_search = lambda: log.append("question")
        served.index.upsert(served.points(3 * POINTS_PER_PIECE))
    assert log == [f"{POINTS_PER_PIECE} points", "question", f"{POINTS_PER_PIECE} points", f"{POINTS_PER_PIECE} points"]


def test_one_passage_overtakes_many(served: Served) -> None:
    batches: list[str] = []
    with ThreadPoolExecutor(1) as other:

        def on_batch(texts: Sequence[str]) -> None:
            batches.append(texts[0])
            if len(batches) == 1:
                other.submit(served.embedder.embed_passages, ["a single one"])
                _wait_for(lambda: served.server.waiting() > 1)

        served.fake_embedder.before_passages = on_batch
        served.embedder.embed_passages([f"many{n:03d}" for n in range(64)])
    assert batches[1] == "a single one"
    assert len(batches) == 5


def test_questions_are_embedded_while_passages_are(served: Served) -> None:
    begun, let_go = threading.Event(), threading.Event()

    def hold(_: Sequence[str]) -> None:
        begun.set()
        assert let_go.wait(_SOON_S)

    served.fake_embedder.before_passages = hold
    with ThreadPoolExecutor(1) as feeder:
        fed = feeder.submit(served.embedder.embed_passages, ["held up"])
        assert begun.wait(_SOON_S)
        assert served.embedder.embed_query("not held up").dense.shape == (WIDTH,)
        let_go.set()
        assert len(fed.result(_SOON_S)) == 1


def test_many_clients_get_their_own_answers(served: Served) -> None:
    served.index.upsert(served.points(200))

    def ask(number: int) -> bool:
        query = served.embedder.embed_query(f"word{number}")
        hits = served.index.search(query, where=_OURS, limit=1)
        return hits[0].memory_id.endswith(f"{number:012d}")

    with ThreadPoolExecutor(24) as clients:
        assert all(clients.map(ask, range(200)))


@pytest.mark.parametrize(
    "call",
    [
        ("unknown", {}),
        ("search", {}),
        ("search", {"query": 7, "where": {}, "limit": 1}),
        ("upsert", {"points": [{"id": "x"}]}),
        ("embed_passages", {"texts": 5}),
        ("ids", {"after": None, "limit": "many"}),
    ],
)
def test_a_call_that_makes_no_sense_is_refused(served: Served, call: tuple[str, dict[str, object]]) -> None:
    caller = Caller(served.path)
    op, args = call
    with pytest.raises(Invalid):
        caller.call(op, args, within_s=_SOON_S)
    assert caller.call("count", {}, within_s=_SOON_S) == 0
    caller.close()


@pytest.mark.parametrize(
    "sent", [b"GET / HTTP/1.1\r\n\r\n", struct.pack(">I", 5) + b"\xc1\xc1\xc1\xc1\xc1", b"\x00", b""]
)
def test_a_stranger_is_hung_up_on_and_nobody_else(served: Served, sent: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as stranger:
        stranger.settimeout(_SOON_S)
        stranger.connect(str(served.path))
        stranger.sendall(sent)
        stranger.shutdown(socket.SHUT_WR)
        assert stranger.recv(100) == b""
    assert served.index.count() == 0


def test_unavailable_arrives_as_such(served: Served) -> None:
    served.fake_index.away = "gone fishing"
    with pytest.raises(Unavailable, match="gone fishing"):
        served.index.count()


def test_an_unforeseen_failure_hurts_one_call_and_shows_no_text(
    served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    def break_down(texts: Sequence[str]) -> None:
        raise RuntimeError(f"can't do {texts}")

    served.fake_embedder.before_passages = break_down
    with pytest.raises(Unavailable) as refused:
        served.embedder.embed_passages(["a secret of mine"])
    logged = capsys.readouterr().out
    assert "index.call_failed" in logged
    assert "secret" not in logged + str(refused.value)
    assert served.index.count() == 0


def test_damage_ends_the_server_after_it_was_told(served: Served) -> None:
    def break_down() -> None:
        raise Corrupt("a segment is gone")

    served.fake_index.on_search = break_down
    with pytest.raises(Unavailable, match="damaged"):
        served.index.search(FakeEmbedder().embed_query("word1"), where=_OURS, limit=1)
    assert served.damaged.is_set()
    served.thread.join(_SOON_S)
    assert not served.thread.is_alive()


def test_too_slow_is_unavailable_and_what_waits_is_dropped(served: Served) -> None:
    let_go = threading.Event()
    searched: list[int] = []
    served.fake_index.before_upsert = lambda _: assert_(let_go.wait(_SOON_S))
    served.fake_index.on_search = lambda: searched.append(1)
    hasty = RemoteIndex(served.path, question_s=0.1)
    with ThreadPoolExecutor(1) as writer:
        written = writer.submit(served.index.upsert, served.points(1))
        _wait_for(lambda: served.server.waiting() > 0)
        started_at = time.monotonic()
        with pytest.raises(Unavailable, match="in time"):
            hasty.search(FakeEmbedder().embed_query("word1"), where=_OURS, limit=1)
        assert time.monotonic() - started_at < _SOON_S / 2
        # On a busy machine the server may see the request only after its sender gave up, and its time runs from then.
        _wait_for(lambda: served.server.waiting() == 2)
        time.sleep(0.2)
        let_go.set()
        written.result(_SOON_S)
    assert served.index.count() == 1
    assert searched == []
    hasty.close()


def assert_(holds: bool) -> None:  # noqa: FBT001 - as the statement
    assert holds


def test_a_restarted_server_is_found_again(served: Served) -> None:
    served.index.upsert(served.points(2))
    with ThreadPoolExecutor(4) as clients:
        counts = [clients.submit(served.index.count) for _ in range(8)]
        assert {count.result(_SOON_S) for count in counts} == {2}
    served.stop()
    with pytest.raises(Unavailable, match="away"):
        served.index.count()
    served.start()
    assert served.index.count() == 2
    served.stop()
    served.start()
    # This time the idle connections are broken, and nobody noticed.
    assert served.index.count() == 2
    assert served.embedder.model == "fake-1"


def test_nobody_there_is_unavailable_at_once(tmp_path: Path) -> None:
    started_at = time.monotonic()
    with pytest.raises(Unavailable, match="away"):
        RemoteIndex(tmp_path / "none.sock").count()
    with pytest.raises(Unavailable, match="away"):
        _ = RemoteEmbedder(tmp_path / "none.sock").model
    assert time.monotonic() - started_at < 1


def test_stopping_answers_what_is_in_progress_and_drops_the_rest(served: Served) -> None:
    begun, let_go = threading.Event(), threading.Event()

    def hold(_: Sequence[Point]) -> None:
        begun.set()
        assert let_go.wait(_SOON_S)

    served.fake_index.before_upsert = hold
    with ThreadPoolExecutor(2) as clients:
        written = clients.submit(served.index.upsert, served.points(1))
        assert begun.wait(_SOON_S)
        counted = clients.submit(served.index.count)
        _wait_for(lambda: served.server.waiting() > 1)
        served.server.stop()
        with pytest.raises(Unavailable):
            counted.result(_SOON_S)
        let_go.set()
        assert written.result(_SOON_S) is None


def test_vectors_of_another_model_than_the_caller_knows_are_refused_once(served: Served) -> None:
    for call in (lambda: served.embedder.embed_query("word1"), lambda: served.embedder.embed_passages(["word1"])):
        known = served.embedder.model
        served.fake_embedder.model = f"{known} and another"
        with pytest.raises(Unavailable, match="model was changed"):
            call()
        assert served.embedder.model == f"{known} and another"
        call()


def test_why_another_model_is_used_is_told(served: Served) -> None:
    assert served.embedder.problem is None
    served.fake_embedder.problem = "the wanted one isn't there"
    assert served.embedder.problem == "the wanted one isn't there"


def test_health_tells_model_epoch_and_count(served: Served) -> None:
    served.index.upsert(served.points(3))
    health = served.index.health()
    assert (health.model, health.epoch, health.count) == ("fake-1", served.fake_index.epoch(), 3)
    assert health.waiting == 0


def _wait_for(holds: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + _SOON_S
    while not holds():
        assert time.monotonic() < deadline_s
        time.sleep(0.002)
