"""Recall at a growing number of memories over 50 scopes: CPU and wall time by stage, memory, open time, inserts.

The memories are made up: sentences of this file, embedded by the real model, then varied by a little noise, since to
embed 100,000 texts would take an hour. Index, tables and ranking are the real ones.
"""

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import psutil
from sqlalchemy import insert

from memory_core.bootstrap import MemoryCore, open_core
from memory_core.errors import Unavailable
from memory_core.keywords import keywords, weigh_document
from memory_core.models.memory import IndexChange, Memory, MemoryVector
from memory_core.models.turn import Session
from memory_core.recall.finding import CANDIDATES, Question
from memory_core.settings_loading import load_settings
from memory_core.values import Embedding, FloatArray, PointFilter, ScopeKey
from memory_core.vectors import passage_text, to_stored

SCOPES = 50
QUERIES = 120
_SESSION_MEMORIES = 20
_CHUNK = 1000
_NOISE = 0.05
_BEGAN = datetime(2026, 1, 5, 9, tzinfo=UTC)
_PEOPLE = ("Ana", "Bruno", "Chidi", "Dora", "Emre", "Freya", "Goran", "Hana")
_THINGS = (
    "blue kayak", "spare key", "telescope lens", "recipe book", "old camera", "garden hose", "violin case",
    "tax folder",
    "winter tent", "bicycle pump", "router password note", "passport", "chess clock", "soldering iron", "tea set",
)  # fmt: skip
_PLACES = (
    "the boat house", "the attic", "the office in Lisbon", "the cellar", "her sister's flat", "the third drawer",
    "the workshop", "the locker at the station", "the car", "the summer cabin", "the school", "the museum depot",
)  # fmt: skip
_SHAPES = (
    "I put the {thing} into {place} after the trip with {person}.",
    "{person} wants the {thing} back from {place} before the weekend.",
    "We decided to keep the {thing} at {place}, because {person} lives nearby.",
    "The {thing} that {person} gave me is still in {place}.",
)


@dataclass(slots=True, kw_only=True)
class Stages:
    """Milliseconds of each query, by stage."""

    wall: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    service_cpu: list[float] = field(default_factory=list[float])

    def note(self, stage: str, began: float) -> None:
        """Note the wall time of a stage since `began`."""
        self.wall.setdefault(stage, []).append((time.perf_counter() - began) * 1000)


def measure_speed(sizes: Sequence[int]) -> dict[str, object]:
    """All figures by number of memories."""
    return {f"{size:,}": _measure(size) for size in sizes}


def _measure(size: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        settings = load_settings({"NIGHTSHIFT_HOME": str(home)})
        with _index_process(home) as process, open_core(settings) as core:
            _wait_for_index(core)
            _fill(core, size)
            began = _cpu_s(process)
            core.indexing.apply_due()
            insert_cpu_s = _cpu_s(process) - began
            core.indexing.flush()
        opened = time.monotonic()
        with _index_process(home) as process, open_core(settings) as core:
            _wait_for_index(core)
            open_s = time.monotonic() - opened
            figures = _ask(core, process, size=size)
        disk = sum(path.stat().st_blocks * 512 for path in (home / "index").rglob("*") if path.is_file())
        return {
            **figures,
            "indexOpenS": round(open_s, 1),
            "insertsPerIndexCpuS": round(size / insert_cpu_s),
            "indexDiskMiB": disk // 2**20,
            "tablesMiB": (home / "nightshift.sqlite3").stat().st_size // 2**20,
        }


def _ask(core: MemoryCore, process: psutil.Process, *, size: int) -> dict[str, object]:
    chance = random.Random(size)
    stages = Stages()
    for _ in range(5):
        _recall(core, chance, stages=Stages())
    began = _cpu_s(process)
    for _ in range(QUERIES):
        _recall(core, chance, stages=stages)
    index_cpu_ms = (_cpu_s(process) - began) * 1000 / QUERIES
    for _ in range(QUERIES):
        _parts(core, chance, stages=stages)
    service = statistics.median(stages.service_cpu)
    return {
        "cpuMsP50": round(service + index_cpu_ms, 1),
        "serviceCpuMs": _percentiles(stages.service_cpu),
        "indexCpuMsMean": round(index_cpu_ms, 1),
        "wallMs": {stage: _percentiles(times) for stage, times in stages.wall.items()},
        "indexResidentMiB": process.memory_info().rss // 2**20,
    }


def _recall(core: MemoryCore, chance: random.Random, *, stages: Stages) -> None:
    scopes, text = _question(chance)
    began, cpu = time.perf_counter(), time.thread_time()
    ranked = core.finder.rank(scopes, Question(text=text, at=_BEGAN + timedelta(days=300), zone="Europe/Lisbon"))
    stages.note("recall", began)
    stages.service_cpu.append((time.thread_time() - cpu) * 1000)
    assert ranked


def _parts(core: MemoryCore, chance: random.Random, *, stages: Stages) -> None:
    scopes, text = _question(chance)
    began = time.perf_counter()
    embedding = core.embedder.embed_query(text)
    stages.note("embed", began)
    began = time.perf_counter()
    core.index.search(embedding, where=PointFilter(scopes=tuple(scopes)), limit=CANDIDATES)
    stages.note("search", began)


def _question(chance: random.Random) -> tuple[list[ScopeKey], str]:
    text = f"Where did {chance.choice(_PEOPLE)} and I leave the {chance.choice(_THINGS)} after the last trip?"
    return [_scope(chance.randrange(SCOPES))], text


def _fill(core: MemoryCore, size: int) -> None:
    chance = random.Random(7461)
    noise = np.random.default_rng(7461)
    texts = [
        shape.format(thing=thing, place=place, person=person)
        for shape in _SHAPES
        for thing in _THINGS
        for place in _PLACES
        for person in _PEOPLE
    ]
    texts = chance.sample(texts, min(len(texts), 1500))
    embedded = core.embedder.embed_passages([passage_text(text, speaker="Ana") for text in texts])
    for start in range(0, size, _CHUNK):
        numbers = range(start, min(size, start + _CHUNK))
        rows = [
            _rows(number, texts=texts, embedded=embedded, noise=noise, model=core.embedder.model) for number in numbers
        ]
        sessions = [_session(number) for number in numbers if number // SCOPES % _SESSION_MEMORIES == 0]
        with core.database.transaction() as db:
            connection = db.connection()
            if sessions:
                connection.execute(insert(Session), sessions)
            connection.execute(insert(Memory), [memory for memory, _ in rows])
            connection.execute(insert(MemoryVector), [vector for _, vector in rows])
            connection.execute(insert(IndexChange), [{"memory_id": memory["id"]} for memory, _ in rows])


def _rows(
    number: int, *, texts: Sequence[str], embedded: Sequence[Embedding], noise: np.random.Generator, model: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    text = f"{texts[number % len(texts)]} Note {number}."
    base = embedded[number % len(texts)]
    varied = Embedding(
        dense=_vary(base.dense[np.newaxis], noise)[0],
        tokens=_vary(base.tokens, noise),
        sparse=weigh_document(keywords(passage_text(text, speaker="Ana"))),
    )
    memory_id = str(UUID(int=number + 1))
    at = _BEGAN + timedelta(minutes=number)
    memory = Memory(
        id=memory_id,
        scope_key=_scope(number % SCOPES),
        kref=f"kref://speed/personal/m-{number}.fact",
        space="personal",
        kind="fact",
        text=text,
        text_key=f"{number:032x}",
        speaker="Ana",
        origin="user",
        event_at=at,
        valid_from=at,
        created_at=at,
        updated_at=at,
        status="active",
        session_id=_session_id(number),
        position=number,
    )
    vector = {"memory_id": memory_id, "model": model, **asdict(to_stored(varied))}
    return memory.model_dump(), vector


def _vary(rows: FloatArray, noise: np.random.Generator) -> FloatArray:
    varied = rows + noise.normal(0, _NOISE / np.sqrt(rows.shape[1]), rows.shape)
    return (varied / np.linalg.norm(varied, axis=1, keepdims=True)).astype(np.float32)


def _session(number: int) -> dict[str, Any]:
    at = _BEGAN + timedelta(minutes=number)
    return Session(
        id=_session_id(number),
        scope_key=_scope(number % SCOPES),
        label=f"speed-{number}",
        day=at.date(),
        number=number + 1,
        started_at=at,
        last_at=at,
        last_received_at=at,
    ).model_dump()


def _session_id(number: int) -> int:
    return 1 + number % SCOPES + SCOPES * (number // SCOPES // _SESSION_MEMORIES)


def _scope(number: int) -> ScopeKey:
    return ScopeKey(f"speed.{number}")


@contextmanager
def _index_process(home: Path) -> Generator[psutil.Process]:
    environment = {**os.environ, "NIGHTSHIFT_HOME": str(home), "NIGHTSHIFT_LIFELINE": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "memory_core.adapters.index_process"]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        try:
            yield psutil.Process(process.pid)
        finally:
            if process.stdin:
                process.stdin.close()
            process.wait(60)


def _wait_for_index(core: MemoryCore) -> None:
    deadline = time.monotonic() + 120
    while True:
        try:
            core.index.count()
        except Unavailable:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


def _cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def _percentiles(values: Sequence[float]) -> dict[str, float]:
    cuts = statistics.quantiles(values, n=20)
    return {"p50": round(cuts[9], 1), "p95": round(cuts[18], 1)}
