"""Measures what a dream run finds, and what it costs: `python -m tests.quality.measure_dream [--memories 10000]`.

The set is `night_set`: what is planted there is known, so what a run does can be held against it. The real model embeds
it; no chat model is asked.
"""

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, uuid4, uuid5

from sqlalchemy import insert

from memory_core.adapters.fastembed_embedder import FastembedEmbedder
from memory_core.bootstrap import MemoryCore, Ports, compose_core
from memory_core.dream.progress import RunRequest
from memory_core.models.memory import Memory, MemoryVector
from memory_core.settings_loading import load_settings
from memory_core.values import JobKind, MemoryKind, MemoryStatus, Origin, ScopeKey
from memory_core.vectors import passage_text, to_stored
from tests.fakes.clock import FakeClock
from tests.fakes.flow_engine import FakeFlowEngine
from tests.fakes.vector_index import FakeVectorIndex
from tests.quality.made_up_store import embed_material, fill
from tests.quality.night_set import REPEATS, SUPERSESSIONS, Said, statements

BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)
NOW = BEGAN + timedelta(days=60)
SCOPE = ScopeKey("user.night")
SPEAKER = "Ana"
IN_FORCE = {MemoryStatus.ACTIVE, MemoryStatus.FLAGGED}
_MIB = 1024


@contextmanager
def open_world(now: datetime) -> Generator[MemoryCore]:
    """A core over tables of its own with the real embedder, in this process."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        home.mkdir()
        settings = load_settings(
            {"NIGHTSHIFT_HOME": str(home)}, overrides={"timezone": "UTC", "chatModel.provider": "none"}
        )
        embedder = FastembedEmbedder(Path(folder) / "model")
        ports = Ports(clock=FakeClock(now), index=FakeVectorIndex(), embedder=embedder, engine=FakeFlowEngine())
        with compose_core(settings, ports) as core:
            yield core


def plant(core: MemoryCore, said: Sequence[Said]) -> dict[str, str]:
    """Write the statements as memories in force; returns their ids by key."""
    embeddings = core.embedder.embed_passages([passage_text(one.text, speaker=SPEAKER) for one in said])
    ids = {one.key: str(uuid5(NAMESPACE_OID, one.key)) for one in said}
    rows: list[dict[str, Any]] = []
    vectors: list[dict[str, Any]] = []
    for one, embedding in zip(said, embeddings, strict=True):
        at = BEGAN + timedelta(days=one.day)
        vectors.append({"memory_id": ids[one.key], "model": core.embedder.model, **asdict(to_stored(embedding))})
        rows.append(
            Memory(
                id=ids[one.key],
                scope_key=SCOPE,
                kref=f"kref://night/personal/{one.key}.fact",
                space="personal",
                kind=MemoryKind.FACT,
                text=one.text,
                text_key=ids[one.key].replace("-", ""),
                speaker=SPEAKER,
                origin=Origin.USER,
                event_at=at,
                valid_from=at,
                created_at=at,
                updated_at=at,
                status=MemoryStatus.ACTIVE,
            ).model_dump()
        )
    with core.database.transaction() as db:
        db.connection().execute(insert(Memory), rows)
        db.connection().execute(insert(MemoryVector), vectors)
    return ids


def run(core: MemoryCore, kind: JobKind = JobKind.DREAM) -> str:
    """Do one run over everything; returns its id."""
    request = RunRequest(run_id=str(uuid4()), kind=kind)
    return core.dream_runs.run(request, on_progress=lambda _: None).id


def measure_findings(kind: JobKind = JobKind.DREAM) -> dict[str, object]:
    """What a run finds of what was planted, and what it does wrong."""
    said = statements()
    with open_world(NOW) as core:
        ids = plant(core, said)
        run(core, kind)
        with core.database.reading() as db:
            rows = {key: db.get_one(Memory, memory_id) for key, memory_id in ids.items()}
    texts = {one.key: one.text for one in said}
    missed = [n for n in range(len(SUPERSESSIONS)) if rows[f"old-{n}"].status != MemoryStatus.SUPERSEDED]
    groups = [[rows[f"repeat-{n}-{k}"] for k in range(len(group))] for n, group in enumerate(REPEATS)]
    whole = [group for group in groups if sum(row.status in IN_FORCE for row in group) == 1]
    retired = [key for key, row in rows.items() if row.status not in IN_FORCE]
    wrong = [key for key in retired if not key.startswith("old-") and not _is_repeat_of_kept(key, rows)]
    false_merges = [
        key for key in retired if rows[key].status == MemoryStatus.DEPRECATED and not _is_repeat_of_kept(key, rows)
    ]
    return {
        "statements": len(said),
        "supersessionsPlanted": len(SUPERSESSIONS),
        "supersessionsFound": len(SUPERSESSIONS) - len(missed),
        "supersessionsFoundShare": round(1 - len(missed) / len(SUPERSESSIONS), 3),
        "wronglyRetired": len(wrong),
        "repeatsPlanted": len(REPEATS),
        "repeatsMerged": len(whole),
        "repeatsMergedShare": round(len(whole) / len(REPEATS), 3),
        "falseMerges": len(false_merges),
        "flagged": sum(row.status == MemoryStatus.FLAGGED for row in rows.values()),
        "missed": {texts[f"old-{n}"]: rows[f"old-{n}"].status for n in missed},
        "wrong": {texts[key]: str(rows[key].status) for key in wrong},
        "apart": [texts[f"repeat-{n}-0"] for n, group in enumerate(groups) if group not in whole],
    }


def measure_cost(memories: int) -> dict[str, object]:
    """CPU and memory of a run over many memories without a chat model."""
    with open_world(datetime(2027, 1, 1, tzinfo=UTC)) as core:
        fill(core, embed_material(core), size=memories)
        before_s, before_kib = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began_s = time.monotonic()
        run_id = run(core)
        cpu_s, wall_s = time.process_time() - before_s, time.monotonic() - began_s
        grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib
        report = core.dreams.reports.get(run_id)
    return {
        "memories": memories,
        "reviewed": report.reviewed,
        "cpuS": round(cpu_s, 1),
        "wallS": round(wall_s, 1),
        "peakGrowthMiB": round(grown_kib / _MIB),
        "changes": dict(report.counts),
    }


def measure_dream(memories: int = 10_000) -> dict[str, object]:
    """Everything that `make bench` prints of dream runs."""
    figures = measure_findings()
    told = {name: value for name, value in figures.items() if isinstance(value, int | float)}
    deduplicated = measure_findings(JobKind.DEDUPLICATE)
    return {
        "findings": told,
        "deduplication": {name: deduplicated[name] for name in ("repeatsMerged", "repeatsMergedShare", "falseMerges")},
        "cost": measure_cost(memories),
    }


def _is_repeat_of_kept(key: str, rows: Mapping[str, Memory]) -> bool:
    """Whether a retired statement gave way to one of its own group."""
    if not key.startswith("repeat-"):
        return False
    group = key.rsplit("-", 1)[0]
    kept = {row.id for name, row in rows.items() if name.rsplit("-", 1)[0] == group}
    return rows[key].superseded_by in kept


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=0, help="also measure the cost of a run over so many")
    asked = parser.parse_args()
    print(json.dumps(measure_findings(), indent=1))
    if asked.memories:
        print(json.dumps(measure_cost(asked.memories), indent=1))


if __name__ == "__main__":
    main()
