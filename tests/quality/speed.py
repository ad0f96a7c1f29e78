"""Recall at a growing number of memories over 50 scopes: CPU and wall time by stage, memory, open time, insert rate.

Index process, tables, ranking and service are the real ones; see `made_up_store` for the memories. CPU time is that of
the caller and of the index process together; it tells more than wall time on a machine that does other things too.
"""

import random
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from memory_core.bootstrap import MemoryCore, open_core
from memory_core.recall.features import measure
from memory_core.recall.finding import CANDIDATES
from memory_core.recall.packing import Line, pack
from memory_core.recall.plan import plan
from memory_core.recall.pool import gather
from memory_core.recall.scoring import score
from memory_core.recall.service import RecallRequest
from memory_core.settings import Settings
from memory_core.settings_loading import load_settings
from memory_core.values import PointFilter
from tests.quality.crowd import Crowded, measure_crowd
from tests.quality.made_up_lives import BEGAN, SAID_WITHIN, questions
from tests.quality.made_up_store import EMBEDDED, SCOPES, SEED, Material, embed_material, fill, person, scope_of
from tests.quality.measured_processes import Measured, index_process, service_process, wait_for_index

QUERIES = 200
_ZONE = "Europe/Lisbon"
_ASKED_AT = BEGAN + SAID_WITHIN
_STAGES = ("embed", "search", "rows", "rank", "pack", "whole recall")
_MIB = 2**20
_T = TypeVar("_T")

Figures = Mapping[str, object]


@dataclass(slots=True, kw_only=True)
class _Times:
    """Milliseconds by stage, one number a question."""

    index: Measured
    cpu: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    wall: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def of(self, stage: str, work: Callable[[], _T]) -> _T:
        """Do a stage's work and note what it took here and in the index process."""
        index_ms, began, cpu = self.index.cpu_ms(), time.perf_counter(), time.thread_time()
        result = work()
        own_ms = (time.thread_time() - cpu) * 1000
        self.wall[stage].append((time.perf_counter() - began) * 1000)
        self.cpu[stage].append(own_ms + self.index.cpu_ms() - index_ms)
        return result


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sized:
    """What was measured at one number of memories."""

    times: _Times
    store: Figures
    crowded: Crowded


def measure_speed(sizes: Sequence[int]) -> Figures:
    """All figures, each a table with a line for each number of memories."""
    measured: dict[int, _Sized] = {}
    with tempfile.TemporaryDirectory() as folder:
        material = _material(Path(folder))
    for size in sizes:
        print(f"  {size:,} memories ...", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            measured[size] = _measure(Path(folder), material, size=size)
    return {
        "vectors": f"{EMBEDDED} distinct texts embedded, the others mixed from them with noise; {SCOPES} scopes",
        "questionsAsked": QUERIES,
        "cpuMs": {f"{size:,}": _stages(sized.times.cpu) for size, sized in measured.items()},
        "wallMs": {f"{size:,}": _stages(sized.times.wall) for size, sized in measured.items()},
        "store": {f"{size:,}": sized.store for size, sized in measured.items()},
        "overHttp": {f"{size:,}": sized.crowded.alone for size, sized in measured.items()},
        "tenAtOnce": {f"{size:,}": sized.crowded.together for size, sized in measured.items()},
    }


def _material(home: Path) -> Material:
    with index_process(home), open_core(_settings(home)) as core:
        wait_for_index(core)
        return embed_material(core)


def _measure(home: Path, material: Material, *, size: int) -> _Sized:
    settings = _settings(home)
    with index_process(home) as index, open_core(settings) as core:
        wait_for_index(core)
        fill(core, material, size=size)
        began_ms, began_s = index.cpu_ms(), time.monotonic()
        core.indexing.apply_due()
        inserted = {
            "inserts per index CPU s": round(size / (index.cpu_ms() - began_ms) * 1000),
            "inserts per s": round(size / (time.monotonic() - began_s)),
        }
        core.indexing.flush()
    opened_s = time.monotonic()
    with index_process(home) as index, open_core(settings) as core:
        wait_for_index(core)
        opened: dict[str, object] = {"index open s": round(time.monotonic() - opened_s, 2)}
        times = _ask(core, index)
        with service_process(home) as (service, client):
            crowded = measure_crowd(client, processes=(service, index), asked_at=_ASKED_AT)
            resident = {"index RSS MiB": index.resident_mib(), "service RSS MiB": service.resident_mib()}
    disk = sum(path.stat().st_blocks * 512 for path in (home / "index").rglob("*") if path.is_file())
    kept = {"index MiB": disk // _MIB, "tables MiB": (home / "nightshift.sqlite3").stat().st_size // _MIB}
    return _Sized(times=times, store={**opened, **inserted, **resident, **kept}, crowded=crowded)


def _ask(core: MemoryCore, index: Measured) -> _Times:
    texts = questions(random.Random(SEED), QUERIES)
    for number in range(SCOPES):  # as in a service that runs: who speaks in a scope is known
        _recall(core, texts[number], number=number)
    times = _Times(index=index)
    for number, text in enumerate(texts):
        times.of("whole recall", lambda text=text, number=number: _recall(core, text, number=number))
    for number, text in enumerate(texts):
        _stage_by_stage(core, text, number=number, times=times)
    return times


def _recall(core: MemoryCore, text: str, *, number: int) -> None:
    recalled = core.recall.recall(person(number), RecallRequest(message=text, at=_ASKED_AT, threshold=0.0))
    if recalled.degraded or not recalled.found:
        raise RuntimeError(f"nothing was recalled, so nothing was measured: {recalled.reason}")


def _stage_by_stage(core: MemoryCore, text: str, *, number: int, times: _Times) -> None:
    """What `Finder.rank` and the service do, one after the other."""
    scopes = (scope_of(number),)
    read = plan(text, asked_at=_ASKED_AT, zone=_ZONE, speakers={"Ana": 1, "Mika": 1})
    embedding = times.of("embed", lambda: core.embedder.embed_query(text, quiet=read.quiet, reading=read.reading))
    where = PointFilter(scopes=scopes)
    hits = times.of("search", lambda: core.index.search(embedding, where=where, limit=CANDIDATES))
    with core.database.reading() as db:
        width = embedding.tokens.shape[1]
        pool = times.of("rows", lambda: gather(db, hits, scopes=scopes, token_width=width))
    scores = times.of("rank", lambda: score(measure(embedding, pool.contenders, plan=read, vectors=pool.vectors)))
    best = sorted(zip(scores, pool.rows, strict=True), key=lambda pair: -pair[0].value)[:5]
    lines = [Line(kref=row.kref, text=row.text, at=row.event_at, speaker=row.speaker) for _, row in best]
    times.of("pack", lambda: pack(lines, budget_chars=4000, line_chars=400, timezone=_ZONE))


def _stages(times: Mapping[str, Sequence[float]]) -> Figures:
    return {f"{stage} {cut}": value for stage in _STAGES for cut, value in percentiles(times[stage])}


def percentiles(values: Sequence[float]) -> Iterator[tuple[str, float]]:
    """Median and 95th percentile, rounded."""
    cuts = statistics.quantiles(values, n=20)
    yield "p50", round(cuts[9], 2)
    yield "p95", round(cuts[18], 2)


def _settings(home: Path) -> Settings:
    return load_settings({"NIGHTSHIFT_HOME": str(home)})
