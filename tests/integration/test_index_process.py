"""The index process as it is run: killed, damaged, started twice, asked while it works."""

import os
import signal
import stat
import statistics
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from memory_core.adapters.index_layout import BUNDLED
from memory_core.errors import Unavailable
from memory_core.values import Embedding, MemoryId, MemoryKind, MemoryStatus, Point, PointFilter, ScopeKey
from tests.contracts.test_vector_index import Vectors
from tests.index_process import IndexProcess
from tests.prefect_server import wait_until

_OURS = PointFilter(scopes=(ScopeKey("ours"),))


@pytest.fixture
def own(tmp_path: Path) -> Generator[IndexProcess]:
    """A running process that the test may kill."""
    own = IndexProcess(tmp_path / "home")
    try:
        own.start()
        yield own
    finally:
        own.close()


def point(embedding: Embedding) -> Point:
    return Point(
        memory_id=MemoryId(str(uuid.uuid4())),
        embedding=embedding,
        scope=ScopeKey("ours"),
        kind=MemoryKind.FACT,
        status=MemoryStatus.ACTIVE,
        space="personal",
        session_id=0,
        event_at=0,
    )


def stored_ids(running: IndexProcess) -> set[MemoryId]:
    found: set[MemoryId] = set()
    after: MemoryId | None = None
    while page := running.index.ids(after=after, limit=500):
        found.update(page)
        after = page[-1]
    return found


class Writer:
    """Upserts without pause, and remembers what was acknowledged."""

    def __init__(self, running: IndexProcess) -> None:
        self.acknowledged: list[Point] = []
        self._running = running
        self._vectors = Vectors()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "Writer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            batch = [point(self._vectors.embedding(n)) for n in range(1, 12)]
            try:
                self._running.index.upsert(batch)
            except Unavailable:
                time.sleep(0.01)
            else:
                self.acknowledged += batch


def test_a_kill_loses_nothing_that_was_acknowledged(own: IndexProcess) -> None:
    epoch = own.index.epoch()
    with Writer(own) as writer:
        for number in range(3):
            reached = len(writer.acknowledged) + 150
            wait_until(lambda: len(writer.acknowledged) >= reached, what="150 more points are acknowledged")  # noqa: B023 - called at once
            if number == 1:
                own.index.flush()
            own.process.kill()
            own.start()
    assert {p.memory_id for p in writer.acknowledged} <= stored_ids(own)
    assert own.index.epoch() == epoch
    for wanted in writer.acknowledged[::97]:
        hit = own.index.search(wanted.embedding, where=_OURS, limit=1)[0]
        assert hit.memory_id == wanted.memory_id
        assert hit.late == pytest.approx(6, abs=0.02)


def test_a_damaged_index_starts_empty_under_another_epoch(own: IndexProcess) -> None:
    epoch = own.index.epoch()
    own.index.upsert([point(Vectors().embedding(1))])
    own.process.kill()
    (own.settings.index_folder / "shard" / "wal" / "first-index").write_bytes(b"")
    own.start()
    assert own.index.epoch() != epoch
    assert own.index.count() == 0
    own.index.upsert([point(Vectors().embedding(1))])
    assert own.index.count() == 1


def test_a_second_process_says_so_in_one_line_and_ends_with_3(own: IndexProcess) -> None:
    command = [sys.executable, "-m", "memory_core.adapters.index_process"]
    environ = {**os.environ, "NIGHTSHIFT_HOME": str(own.settings.home)}
    second = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60, check=False)
    said = second.stdout + second.stderr
    assert second.returncode == 3
    assert len(said.strip().splitlines()) == 1
    assert "another process uses the index" in said
    assert own.answers()


def test_it_ends_with_its_starter(own: IndexProcess) -> None:
    own.index.upsert([point(Vectors().embedding(1))])
    assert own.process.end() == 0
    assert not own.settings.index_socket.exists()
    own.start()
    assert own.index.count() == 1


def test_it_ends_on_sigterm_and_bears_sigint(own: IndexProcess) -> None:
    os.kill(own.process.pid, signal.SIGINT)
    os.kill(own.process.pid, signal.SIGINT)
    assert own.answers()
    os.kill(own.process.pid, signal.SIGTERM)
    assert own.process.wait() == 0


def test_home_and_socket_are_private(own: IndexProcess) -> None:
    assert stat.S_IMODE(own.settings.index_socket.stat().st_mode) == 0o600
    for path in own.settings.home.rglob("*"):
        if path.name != "index.log" and not path.is_symlink():
            assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_a_home_with_a_long_name_works(tmp_path: Path) -> None:
    own = IndexProcess(tmp_path.joinpath(*["a rather long name of a folder"] * 8))
    try:
        own.start()
        own.index.upsert([point(own.embedder.embed_passages(["The ferry leaves at nine."])[0])])
        assert own.index.count() == 1
    finally:
        own.close()


def test_its_log_holds_no_text_and_its_folder_neither(own: IndexProcess) -> None:
    secret = "Quibberlyzarkle"
    stored = own.embedder.embed_passages([f"{secret} is the name of the boat."])
    own.index.upsert([point(stored[0])])
    own.index.search(own.embedder.embed_query(f"Who is {secret}?"), where=_OURS, limit=3)
    own.index.flush()
    own.process.end()
    for path in own.settings.home.rglob("*"):
        if path.is_file() and "models" not in path.parts:
            assert secret.lower().encode() not in path.read_bytes().lower(), path


def test_questions_are_answered_while_a_long_batch_is_embedded(own: IndexProcess) -> None:
    texts = [
        f"On day {n} the harbour pilot wrote about tides, buoys and the ferry to island {n % 17}." for n in range(500)
    ]
    own.index.upsert([point(embedding) for embedding in own.embedder.embed_passages(texts[:50])])
    alone_ms = _ask(own, questions=20)
    with ThreadPoolExecutor(1) as feeder:
        batch = feeder.submit(own.embedder.embed_passages, texts)
        beside_ms: list[float] = []
        while not batch.done():
            beside_ms += _ask(own, questions=1)
        assert len(batch.result()) == 500
    print(
        f"\na recall alone: p50 {statistics.median(alone_ms):.0f} ms; while 500 passages are embedded: "
        f"p50 {statistics.median(beside_ms):.0f} ms, max {max(beside_ms):.0f} ms, {len(beside_ms)} answered"
    )
    # One after the other, the first answer would come after the whole batch.
    assert len(beside_ms) >= 10


def _ask(own: IndexProcess, *, questions: int) -> Sequence[float]:
    took_ms: list[float] = []
    for number in range(questions):
        started_at = time.perf_counter()
        query = own.embedder.embed_query(f"Which ferry goes to island {number}?")
        assert own.index.search(query, where=_OURS, limit=20)
        took_ms.append((time.perf_counter() - started_at) * 1000)
    return took_ms


def test_the_client_loads_neither_model_nor_engine() -> None:
    heavy = "{'fastembed', 'onnxruntime', 'qdrant_client', 'qdrant_edge', 'tokenizers', 'Stemmer'}"
    program = f"import sys, memory_core.adapters.index_client; print(sorted({heavy} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_what_it_serves_is_the_bundled_layout(running_index: IndexProcess) -> None:
    assert running_index.embedder.model == BUNDLED.model
    query = running_index.embedder.embed_query("a ferry")
    assert query.dense.shape == (BUNDLED.dense_size,)
    assert query.tokens.shape[1] == BUNDLED.token_size


def test_a_purge_leaves_no_trace_of_deleted_points_and_begins_anew_under_another_epoch(own: IndexProcess) -> None:
    old = replace(point(Vectors().embedding(1)), space="quillon-burrow")
    own.index.upsert([old])
    own.index.delete([old.memory_id])
    own.index.flush()
    before = own.index.epoch()
    assert _holds(own.settings.index_folder, b"quillon-burrow"), "what the purge is for"

    own.index.purge()

    wait_until(lambda: own.answers() and own.index.epoch() != before, what="the index begins anew", within_s=60)
    assert stored_ids(own) == set()
    assert not _holds(own.settings.index_folder, b"quillon-burrow")
    own.index.upsert([point(Vectors().embedding(4))])
    assert len(stored_ids(own)) == 1


def _holds(folder: Path, words: bytes) -> bool:
    return any(words in file.read_bytes() for file in folder.rglob("*") if file.is_file())
