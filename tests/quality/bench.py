"""Measurements of a real tree: `python -m tests.quality.bench [recall|speed|tree|all]`; what `make bench` runs.

The recall benchmark's conversations may not be copied into this project. It is read from the folder that
`NIGHTSHIFT_BENCH` names, `../shared/bench` when unset; without that folder only the tree is measured.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psutil

from tests.acceptance.up_process import UpProcess
from tests.quality.speed import measure_speed

RESULTS = Path("bench-results")
_BENCH_VARIABLE = "NIGHTSHIFT_BENCH"
_MIB = 1024 * 1024
_SIZES = (1_000, 10_000)
_REST_S = 10.0
"""How long a tree is left alone before its memory is measured."""


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


def measure_tree() -> dict[str, object]:
    """Start-up time with an empty home, and resident memory of each process at rest."""
    with running_tree() as (tree, ready_s):
        time.sleep(_REST_S)
        memory = {_name(process): process.memory_info().rss // _MIB for process in tree.processes()}
    return {"readyS": round(ready_s, 1), "residentMiB": {**memory, "total": sum(memory.values())}}


def measure_recall(bench: Path) -> dict[str, object]:
    """Replay the conversations into a fresh tree and score what it recalls."""
    with running_tree() as (tree, _), tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.json"
        command = [
            sys.executable,
            str(bench / "recall_bench.py"),
            *("--url", tree.url),
            *("--token-file", str(tree.home / "token")),
            *("--data", str(bench / "locomo-dev")),
            *("--json", str(table)),
        ]
        subprocess.run(command, check=True)
        return json.loads(table.read_text())


def main() -> None:
    """Measure what is asked for, print it, and keep it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", default="all", choices=("all", "recall", "speed", "tree"))
    what = parser.parse_args().what
    bench = Path(os.environ.get(_BENCH_VARIABLE, "../shared/bench"))
    RESULTS.mkdir(exist_ok=True)
    if what in ("all", "tree"):
        _keep("tree", measure_tree())
    if what in ("all", "speed"):
        _keep("speed", measure_speed(_SIZES))
    if what in ("all", "recall"):
        if (bench / "recall_bench.py").exists():
            _keep("recall", measure_recall(bench))
        else:
            print(f"recall is not measured: no benchmark in {bench} (set {_BENCH_VARIABLE})")


def _name(process: psutil.Process) -> str:
    line = process.cmdline()
    return line[line.index("-m") + 1] if "-m" in line else Path(line[0]).name


def _keep(name: str, figures: dict[str, object]) -> None:
    print(f"{name}:", json.dumps(figures, indent=1))
    (RESULTS / f"{name}.json").write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
