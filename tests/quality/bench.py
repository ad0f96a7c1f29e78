"""Measurements of a real tree: `python -m tests.quality.bench [recall|tree|all]`; what `make bench` runs.

The recall benchmark's conversations may not be copied into this project. It is read from the folder that
`NIGHTSHIFT_BENCH` names, `../shared/bench` when unset; without that folder only the tree is measured.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil

from tests.quality.tree import Tree, running_tree

RESULTS = Path("bench-results")
_BENCH_VARIABLE = "NIGHTSHIFT_BENCH"
_MIB = 1024 * 1024


def measure_tree() -> dict[str, object]:
    """Start-up time, first and second, and resident memory of each process at rest."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        with running_tree(home) as tree:
            first = tree.ready_s
        with running_tree(home) as tree:
            memory = _resident(tree)
            second = tree.ready_s
    return {"firstStartS": round(first, 1), "laterStartS": round(second, 1), "residentMiB": memory}


def measure_recall(bench: Path) -> dict[str, object]:
    """Replay the conversations into a fresh tree and score what it recalls."""
    with tempfile.TemporaryDirectory() as folder, running_tree(Path(folder) / "home") as tree:
        table = Path(folder) / "table.json"
        command = [
            sys.executable,
            str(bench / "recall_bench.py"),
            *("--url", tree.url),
            *("--token-file", str(tree.token_file)),
            *("--data", str(bench / "locomo-dev")),
            *("--json", str(table)),
        ]
        subprocess.run(command, check=True)
        return json.loads(table.read_text())


def main() -> None:
    """Measure what is asked for, print it, and keep it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", default="all", choices=("all", "recall", "tree"))
    what = parser.parse_args().what
    bench = Path(os.environ.get(_BENCH_VARIABLE, "../shared/bench"))
    RESULTS.mkdir(exist_ok=True)
    if what in ("all", "tree"):
        _keep("tree", measure_tree())
    if what in ("all", "recall"):
        if (bench / "recall_bench.py").exists():
            _keep("recall", measure_recall(bench))
        else:
            print(f"recall is not measured: no benchmark in {bench} (set {_BENCH_VARIABLE})")


def _resident(tree: Tree) -> dict[str, int]:
    root = psutil.Process(tree.pid)
    processes = [root, *root.children(recursive=True)]
    named = {_name(process): process.memory_info().rss // _MIB for process in processes}
    return {**named, "total": sum(named.values())}


def _name(process: psutil.Process) -> str:
    line = process.cmdline()
    return line[line.index("-m") + 1] if "-m" in line else Path(line[0]).name


def _keep(name: str, figures: dict[str, object]) -> None:
    print(f"{name}:", json.dumps(figures, indent=1))
    (RESULTS / f"{name}.json").write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
