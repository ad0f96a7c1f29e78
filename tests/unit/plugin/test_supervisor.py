"""The supervisor over stand-in children: small programs that hold the lifeline, or die."""

import asyncio
import io
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from plugin.report import Report
from plugin.up.child import ChildSpec
from plugin.up.restart import RestartPolicy
from plugin.up.supervisor import Others, Supervisor

HOLDS = """
import os, sys, threading
from memory_core.lifeline import hold
ended = threading.Event()
hold(ended.set)
print("up", os.getpid(), os.getpgid(0), flush=True)
ended.wait()
print("down", flush=True)
"""
DIES = "import sys; print('no bread in the house'); sys.exit(3)"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
QUICK = RestartPolicy(first_pause_s=0.01, longest_pause_s=0.02, longest_pause_after_kill_s=0.02, hopeless_pause_s=60)


class Tree:
    """A supervisor, its specs and what it said."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said = io.StringIO()
        self.specs: list[ChildSpec] = []
        self.stop_grace_s = 10.0
        self._others = set(_children())

    def add(self, name: str, code: str, *, stage: int = 0, vital: bool = False) -> None:
        self.specs.append(
            ChildSpec(
                name=name,
                command=(sys.executable, "-c", code),
                environ=dict(os.environ),
                log_file=self.folder / f"{name}.log",
                stage=stage,
                vital=vital,
            )
        )

    def log(self, name: str) -> str:
        try:
            return (self.folder / f"{name}.log").read_text()
        except FileNotFoundError:
            return ""

    def pids(self, name: str) -> list[int]:
        return [int(line.split()[1]) for line in self.log(name).splitlines() if line.startswith("up ")]

    def children(self) -> list[int]:
        """Processes of this tree that live; other tests of the session may have theirs."""
        return [pid for pid in _children() if pid not in self._others]

    def run(self, act: Callable[[Supervisor], object] | None = None, *, when: Callable[[], bool]) -> int:
        """Run it; once `when` holds, act (by default: ask it to end)."""

        async def herald(supervisor: Supervisor) -> None:
            async with asyncio.timeout(20):
                while not when():  # noqa: ASYNC110  what is waited for happens in files
                    await asyncio.sleep(0.02)
            (act or end)(supervisor)

        def end(supervisor: Supervisor) -> None:
            supervisor.end("the test is over")

        async def run() -> int:
            supervisor = Supervisor(self.specs, Report(self.said), policy=QUICK, stop_grace_s=self.stop_grace_s)
            try:
                return await supervisor.run(herald, sidecar=False)
            finally:
                # The supervisor leaves them blocked for a process that ends; this one goes on.
                signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))

        return asyncio.run(run())

    def run_sidecar(self, others: Others) -> int:
        """Run it for a gateway that is gone already."""

        async def run() -> int:
            supervisor = Supervisor(self.specs, Report(self.said), policy=QUICK, look_again_s=0.05)
            async with asyncio.timeout(20):
                return await supervisor.run(_silent, sidecar=True, others=others)

        kept, nobody = os.dup(0), os.open(os.devnull, os.O_RDONLY)
        os.dup2(nobody, 0)
        try:
            return asyncio.run(run())
        finally:
            os.dup2(kept, 0)
            os.close(kept)
            os.close(nobody)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))

    async def come_up(self, name: str) -> None:
        """Wait for a child's first line."""
        while not self.pids(name):  # noqa: ASYNC110  what is waited for happens in files
            await asyncio.sleep(0.02)


async def _silent(_: Supervisor) -> None:
    return


def _children() -> list[int]:
    return [process.pid for process in psutil.Process().children() if process.status() != psutil.STATUS_ZOMBIE]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_children_live_in_the_group_of_the_starter_and_end_in_order(tree: Tree) -> None:
    tree.add("used", HOLDS, stage=1)
    tree.add("user", HOLDS)
    assert tree.run(when=lambda: bool(tree.pids("user") and tree.pids("used"))) == 0
    group = str(os.getpgid(0))
    for name in ("used", "user"):
        first, last = tree.log(name).splitlines()
        assert first.split()[2] == group
        assert last == "down"
    ended = [(tree.folder / f"{name}.log").stat().st_mtime_ns for name in ("user", "used")]
    assert ended == sorted(ended)


def test_a_killed_child_is_started_again(tree: Tree) -> None:
    tree.add("service", HOLDS, vital=True)
    tree.add("other", HOLDS)
    killed: list[int] = []

    def kill_then_twice() -> bool:
        pids = tree.pids("service")
        if pids and not killed:
            killed.append(pids[0])
            os.kill(pids[0], signal.SIGKILL)
        return len(pids) == 2 and bool(tree.pids("other"))

    assert tree.run(when=kill_then_twice) == 0
    assert "service was ended by SIGKILL; starting it again" in tree.said.getvalue()
    assert len(tree.pids("other")) == 1


def test_a_child_that_keeps_dying_is_explained_while_the_others_go_on(tree: Tree) -> None:
    tree.add("service", HOLDS, vital=True)
    tree.add("other", DIES)
    assert tree.run(when=lambda: bool(tree.pids("service")) and "in a row" in tree.said.getvalue()) == 0
    said = tree.said.getvalue()
    assert "other ended by itself (exit code 3), 5 times in a row: from now on tried every 60 s" in said
    # Once at its first death, once at the end of its log.
    assert said.count("    no bread in the house\n") == 2
    assert tree.log("service").endswith("down\n")


def test_the_tree_ends_with_a_failure_when_its_vital_child_keeps_dying(tree: Tree) -> None:
    tree.add("service", DIES, vital=True)
    tree.add("other", HOLDS)
    assert tree.run(when=lambda: False) == 1
    said = tree.said.getvalue()
    assert "service ended by itself (exit code 3), 5 times in a row: giving up" in said
    assert "    no bread in the house\n" in said
    assert "Traceback" not in said


def test_a_program_that_can_not_be_started_is_explained(tree: Tree) -> None:
    tree.add("service", HOLDS, vital=True)
    missing = str(tree.folder / "missing")
    spec = ChildSpec(name="other", command=(missing,), environ={}, log_file=tree.folder / "other.log")
    tree.specs.append(spec)
    assert tree.run(when=lambda: "in a row" in tree.said.getvalue() and bool(tree.pids("service"))) == 0
    assert "can't be started" in tree.said.getvalue()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_end_it_also_when_they_come_twice(tree: Tree, number: signal.Signals) -> None:
    tree.add("service", HOLDS, vital=True)

    def hit(_: Supervisor) -> None:
        for _time in range(2):
            os.kill(os.getpid(), number)

    before = signal.getsignal(number)
    try:
        assert tree.run(hit, when=lambda: bool(tree.pids("service"))) == 0
    finally:
        signal.signal(number, before)
    assert tree.log("service").endswith("down\n")
    assert f"ending: {number.name}" in tree.said.getvalue()


def test_children_never_see_ctrl_c_or_a_hang_up(tree: Tree) -> None:
    tree.add("service", "import time; print('up', flush=True); time.sleep(60)")
    pids: list[int] = []

    def hit_and_wait() -> bool:
        if "up" not in tree.log("service"):
            return False
        if not pids:
            pids.extend(tree.children())
            for pid in pids:
                os.kill(pid, signal.SIGINT)
                os.kill(pid, signal.SIGHUP)
        return True

    assert tree.run(when=hit_and_wait) == 0
    assert pids
    assert "starting it again" not in tree.said.getvalue()


def test_a_child_that_does_not_listen_is_killed(tree: Tree) -> None:
    tree.stop_grace_s = 0.2
    tree.add("service", STUBBORN)
    assert tree.run(when=lambda: "up" in tree.log("service")) == 0
    assert "service did not end within 0.2 s and was killed" in tree.said.getvalue()


def test_the_end_may_come_while_a_child_is_being_started(tree: Tree) -> None:
    tree.add("service", HOLDS, vital=True)
    assert tree.run(when=lambda: True) == 0
    said = tree.said.getvalue()
    assert said == "ending: the test is over\nended\n"
    assert tree.children() == []


def test_a_child_waits_at_its_gate_and_never_starts_when_the_end_comes_first(tree: Tree) -> None:
    async def closed() -> None:
        await asyncio.sleep(3600)

    tree.add("service", HOLDS, vital=True)
    tree.specs.append(
        ChildSpec(
            name="late",
            command=(sys.executable, "-c", HOLDS),
            environ=dict(os.environ),
            log_file=tree.folder / "late.log",
            gate=closed,
        )
    )
    assert tree.run(when=lambda: bool(tree.pids("service"))) == 0
    assert tree.log("late") == ""


def test_a_long_log_is_turned_over_at_the_next_start(tree: Tree) -> None:
    log = tree.folder / "service.log"
    log.write_bytes(b"old\n" * 1_500_000)
    tree.add("service", HOLDS)
    assert tree.run(when=lambda: bool(tree.pids("service"))) == 0
    assert (tree.folder / "service.log.1").stat().st_size == 6_000_000
    assert log.stat().st_size < 100


@pytest.mark.parametrize(
    ("counts", "stays"),
    [([0], False), ([2, 1, 0], True)],
)
def test_a_sidecar_ends_with_its_starter_unless_others_use_it(tree: Tree, counts: list[int], *, stays: bool) -> None:
    tree.add("service", HOLDS, vital=True)
    left = list(counts)

    async def others() -> int:
        await tree.come_up("service")
        return left.pop(0)

    assert tree.run_sidecar(others) == 0
    assert left == []
    said = tree.said.getvalue()
    assert ("it stays for other gateways that use it (2)" in said) is stays
    reason = "no gateway uses this any more" if stays else "whoever started this is gone"
    assert f"ending: {reason}" in said
    assert tree.log("service").endswith("down\n")


def test_a_sidecar_ends_when_nobody_can_say_who_uses_it(tree: Tree) -> None:
    tree.add("service", HOLDS, vital=True)

    async def others() -> int:
        await tree.come_up("service")
        raise OSError("no such thing")

    assert tree.run_sidecar(others) == 0
    assert "ending: whoever started this is gone" in tree.said.getvalue()
