"""Measures what this project promises: `python -m tests.quality.bench [SECTION ...] [--without-100k]`.

What `make bench` runs: every section of `SECTIONS`, one after the other. Each prints its tables and is kept in one JSON
file; a section that fails is reported, the others go on, and the exit code says so. Sections that aren't run keep the
figures of the last time.

The recall benchmark's conversations may not be copied into this project. They are read from the folder that
`NIGHTSHIFT_BENCH` names, `../shared/bench` when unset; without it, sections that need it are left out.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import psutil

from memory_core.adapters.system_clock import SystemClock
from tests.acceptance.up_process import UpProcess
from tests.quality.abstention import measure as measure_abstention
from tests.quality.context_evidence import measure_context
from tests.quality.context_overhead import measure_overhead
from tests.quality.gate_curves import measure_gate
from tests.quality.measure_capture import measure_capture
from tests.quality.measure_dream import measure_dream
from tests.quality.measure_extraction import measure_extraction
from tests.quality.measure_redaction import measure_redaction
from tests.quality.measure_secrets import measure_secrets
from tests.quality.measure_survival import measure_survival
from tests.quality.speed import measure_speed
from tests.quality.tables import print_tables

RESULTS = Path("bench-results/bench.json")
_BENCH_VARIABLE = "NIGHTSHIFT_BENCH"
_MIB = 1024 * 1024
_SIZES = (1_000, 10_000, 100_000)
_REST_S = 10.0
"""How long a tree is left alone before its memory is measured."""

Figures = Mapping[str, object]


class _LeftOut(Exception):
    """A section can't be measured here; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was asked for.

    Attributes:
        sizes: Numbers of memories at which speed is measured.
        bench: Folder of the recall benchmark.
    """

    sizes: Sequence[int] = _SIZES
    bench: Path = field(default_factory=lambda: Path(os.environ.get(_BENCH_VARIABLE, "../shared/bench")))

    def conversations(self) -> Path:
        """The benchmark's conversations.

        Raises:
            _LeftOut: they aren't there.
        """
        if not (self.bench / "recall_bench.py").exists():
            raise _LeftOut(f"no benchmark in {self.bench}; set {_BENCH_VARIABLE}")
        return self.bench / "locomo-dev"


@contextmanager
def running_tree() -> Generator[tuple[UpProcess, float]]:
    """A tree with a home of its own, ready, and the seconds that took."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        tree = UpProcess(Path(folder) / "home", "--no-demo")
        try:
            tree.wait_for("Ctrl-C ends it.")
            yield tree, time.monotonic() - began
        finally:
            tree.clean_up()


def tree_at_rest(_: Options) -> Figures:
    """Start-up time with an empty home, and resident memory of each process at rest."""
    with running_tree() as (tree, ready_s):
        time.sleep(_REST_S)
        memory = {_name(process): process.memory_info().rss // _MIB for process in tree.processes()}
    return {"readyS": round(ready_s, 1), "residentMiB": {**memory, "total": sum(memory.values())}}


def recall_quality(options: Options) -> Figures:
    """Replay the conversations into a fresh tree and score what it recalls, by category."""
    conversations = options.conversations()
    with running_tree() as (tree, _), tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.json"
        command = [
            sys.executable,
            str(options.bench / "recall_bench.py"),
            *("--url", tree.url),
            *("--token-file", str(tree.home / "token")),
            *("--data", str(conversations)),
            *("--json", str(table)),
        ]
        subprocess.run(command, check=True)
        return cast("Figures", json.loads(table.read_text()))


def recall_speed(options: Options) -> Figures:
    """CPU and wall time of recalls by stage, alone and ten at once; memory, open time, insert rate."""
    return measure_speed(options.sizes)


def abstention(_: Options) -> Figures:
    """Single facts: how often the right one is injected, and how often nothing where nothing fits."""
    with running_tree() as (tree, _ready_s):
        return measure_abstention(url=tree.url, token=(tree.home / "token").read_text().strip())


def extraction(options: Options) -> Figures:
    """What model-free extraction keeps of labelled conversations, and of the benchmark's gold turns."""
    survival = measure_survival(options.bench / "locomo-dev") if (options.bench / "locomo-dev").exists() else {}
    return {**measure_extraction(), "goldTurns": survival}


def redaction(options: Options) -> Figures:
    """Recall of secrets and harm to look-alikes; personal data where the marked set is there."""
    marked = options.bench / "pii-dev" / "synth_dataset_v2.json"
    return {**measure_secrets(), "personalData": measure_redaction(marked) if marked.exists() else {}}


def capture_cost(_: Options) -> Figures:
    """Statements a CPU-second, and the CPU time of an acknowledged turn."""
    return measure_capture()


def dream_runs(_: Options) -> Figures:
    """What a dream run finds of what was planted in 305 statements, and what 10,000 memories cost it."""
    return measure_dream()


def context(options: Options) -> Figures:
    """What an assembled context holds of the turns that answer, by token budget; what assembling and listening cost."""
    folder = options.bench / "locomo-dev"
    return {"overhead": measure_overhead(), "evidence": measure_context(folder) if folder.exists() else {}}


def gate(_: Options) -> Figures:
    """How often the streaming gate stages, interrupts and revises as its knobs are turned."""
    return measure_gate()


SECTIONS: Mapping[str, Callable[[Options], Figures]] = {
    "tree": tree_at_rest,
    "recall": recall_quality,
    "abstention": abstention,
    "speed": recall_speed,
    "dream": dream_runs,
    "extraction": extraction,
    "redaction": redaction,
    "capture": capture_cost,
    "context": context,
    "gate": gate,
}
"""By name, in order. To add one is a line here; figures are numbers, texts, and maps of them."""


def main() -> None:
    """Measure what is asked for, print it, and keep it as JSON."""
    _be_like_the_service()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"{', '.join(SECTIONS)}; all when none is named")
    parser.add_argument("--without-100k", action="store_true", help="leave out 100,000 memories, about 5 minutes")
    asked = parser.parse_args()
    if unknown := set(asked.sections) - set(SECTIONS):
        parser.error(f"there is no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    options = Options(sizes=_SIZES[:-1] if asked.without_100k else _SIZES)
    outcomes = [_run(name, options) for name in SECTIONS if name in asked.sections or not asked.sections]
    print(f"kept in {RESULTS}")
    sys.exit(0 if all(outcomes) else 1)


def _be_like_the_service() -> None:
    """Start again with one thread for linear algebra, as the service has it; numpy looks when it is loaded."""
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        command = [sys.executable, "-m", "tests.quality.bench", *sys.argv[1:]]
        os.execve(sys.executable, command, {**os.environ, "OPENBLAS_NUM_THREADS": "1"})  # noqa: S606 - this program


def _run(name: str, options: Options) -> bool:
    print(f"\n{name}: {SECTIONS[name].__doc__}", flush=True)
    began = time.monotonic()
    try:
        figures = SECTIONS[name](options)
    except _LeftOut as reason:
        print(f"left out: {reason}")
        return True
    except BaseException as error:  # pytest.fail raises one; the other sections are measured all the same
        if isinstance(error, KeyboardInterrupt):
            raise
        print(f"failed: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        return False
    print_tables(figures)
    _keep(name, figures, took_s=round(time.monotonic() - began))
    return True


def _keep(name: str, figures: Figures, *, took_s: int) -> None:
    RESULTS.parent.mkdir(exist_ok=True)
    kept: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    measured_at = SystemClock().now().isoformat(timespec="seconds")
    kept[name] = {"measuredAt": measured_at, "tookS": took_s, "figures": figures}
    RESULTS.write_text(json.dumps(kept, indent=1))


def _name(process: psutil.Process) -> str:
    line = process.cmdline()
    return line[line.index("-m") + 1] if "-m" in line else Path(line[0]).name


if __name__ == "__main__":
    main()
