"""Made things on a real tree: twenty asked for at once while Prefect is stopped and started, each kept once."""

import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.test_kills import Client
from tests.acceptance.up_process import UpProcess, wait_until

WORKS = 20
SPACE = {"space": "dome-control", "creativeProject": "observatory"}
_PATIENCE_S = 240.0


@pytest.fixture
def tree(tmp_path: Path) -> Generator[UpProcess]:
    started = UpProcess(tmp_path / "home", "--no-demo")
    started.wait_for("Ctrl-C ends it.")
    yield started
    started.clean_up()


def test_twenty_works_are_each_kept_once_while_prefect_stops_and_starts(tree: UpProcess) -> None:
    client = Client(tree)
    _capture(client, "Rehearsal")
    took_s: list[float] = []

    def ask(number: int) -> str:
        began_s = time.monotonic()
        job_id = _capture(client, f"Night log {number:02d}", content=_content(number))
        took_s.append(time.monotonic() - began_s)
        return job_id

    began_s = time.monotonic()
    with ThreadPoolExecutor(WORKS) as threads:
        first = list(threads.map(ask, range(WORKS // 2)))
        tree.child("prefect").kill()
        second = list(threads.map(ask, range(WORKS // 2, WORKS)))
    asked = first + second
    tree.child("executor").kill()
    wait_until(lambda: tree.said.count("starting it again") >= 2, what=lambda: tree.said, within_s=60)
    states: dict[str, dict[str, Any]] = {}

    def all_done() -> bool:
        states.update({job_id: client.tool("creative_job_status", {"jobId": job_id}) for job_id in asked})
        assert all(one["state"] != "failed" for one in states.values()), states
        return all(one["state"] == "done" for one in states.values())

    wait_until(all_done, what=lambda: f"all kept: {states}", within_s=_PATIENCE_S)
    print(f"20 captures with Prefect killed: {time.monotonic() - began_s:.1f} s")
    print(f"answers in ms, median and worst: {sorted(took_s)[WORKS // 2] * 1e3:.0f}, {max(took_s) * 1e3:.0f}")
    assert len(set(asked)) == len({one["revisionKref"] for one in states.values()}) == WORKS
    assert all(one["revisionKref"].endswith("?r=1") for one in states.values())
    items = client.tool("creative_recall", SPACE)["items"]
    assert sorted(item["title"] for item in _objects(items)) == sorted(
        ["Rehearsal", *(f"Night log {number:02d}" for number in range(WORKS))]
    )
    memories = _objects(client.tool("memory_list", {"kind": "artifact", "limit": 200})["memories"])
    assert len(memories) == WORKS + 1
    for number, job_id in enumerate(asked):
        ref = states[job_id]["itemKref"]
        assert client.tool("creative_recall", {**SPACE, "ref": ref})["content"] == _content(number)
    found = client.tool("creative_recall", {**SPACE, "query": "which night brought the comet named Velqar", "topK": 1})
    assert _objects(found["items"])[0]["title"] == "Night log 07"


def _capture(client: Client, title: str, *, content: str = "Nothing to report yet.") -> str:
    arguments = {"title": title, "content": content, "project": "dome-control", "creativeProject": "observatory"}
    return str(client.tool("creative_capture", {**arguments, "kind": "log"})["jobId"])


def _content(number: int) -> str:
    event = "A comet named Velqar rose in the east." if number == 7 else f"We measured {number + 40} faint stars."
    return f"Log of night {number}.\n{event}\nThe dome was closed at dawn.\n"


def _objects(value: object) -> list[dict[str, Any]]:
    assert isinstance(value, list)
    return value  # pyright: ignore[reportUnknownVariableType]
