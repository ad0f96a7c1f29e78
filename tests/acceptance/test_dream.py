"""A dream run on a real tree: asked for on the command line, done by a flow, reported, undone."""

import re
from collections.abc import Generator

import httpx
import pytest

from plugin.up.home import read_claim
from tests.acceptance.up_process import UpProcess, nightshift

FACTS = ("My cousin Teodora repairs accordions.", "The zither is in the cellar.", "The kiln runs on gas.")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Generator[UpProcess]:
    started = UpProcess(tmp_path_factory.mktemp("dream") / "home", "--no-demo")
    started.wait_for("Ctrl-C ends it.")
    yield started
    started.clean_up()


def run(tree: UpProcess, *arguments: str) -> str:
    done = nightshift(tree.home, tree.port, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def prefect(tree: UpProcess, path: str) -> str:
    """What the Prefect server of the tree answers."""
    page = str((read_claim(tree.home) or {})["prefectPage"])
    user, _, password = (tree.home / "prefect.auth").read_text().strip().partition(":")
    base = "/".join(page.split("/")[:3])
    answer = httpx.post(f"{base}/api{path}", json={}, auth=(user, password), timeout=30)
    answer.raise_for_status()
    return answer.text


def test_a_run_is_done_by_a_flow_reported_and_undone(tree: UpProcess) -> None:
    for fact in FACTS:
        run(tree, "remember", fact)
    said = run(tree, "dream", "--wait")
    found = re.match(r"(?P<id>[0-9a-f-]{36})  \S+  dream done: (?P<reviewed>\d+) reviewed", said)
    assert found, said
    assert int(found["reviewed"]) == len(FACTS)
    report = run(tree, "dream", "report", found["id"])
    assert "teodora" in report
    assert found["id"] in run(tree, "dream", "runs")
    assert "changes were taken back" in run(tree, "dream", "undo", found["id"])
    assert "last 20" in run(tree, "status")


def test_prefect_knows_the_run_and_no_word_of_it(tree: UpProcess) -> None:
    shown = prefect(tree, "/artifacts/filter")
    assert "memories reviewed" in shown
    runs = prefect(tree, "/flow_runs/filter")
    for text in (shown, runs):
        assert "eodora" not in text
        assert "kref://" not in text


def test_duplicates_are_merged_on_request(tree: UpProcess) -> None:
    assert "deduplicate done" in run(tree, "deduplicate", "--wait")
    assert "dry run" in run(tree, "deduplicate", "--wait", "--dry-run")


def test_the_schedule_is_changed_on_the_command_line(tree: UpProcess) -> None:
    said = run(tree, "dream", "schedule", "0 4 * * *").splitlines()
    assert said[0].startswith("0 4 * * * in ")
    assert len(said) == 4
    assert "(paused)" in run(tree, "dream", "pause")
    assert "paused" in run(tree, "status")
    assert len(run(tree, "dream", "resume").splitlines()) == 4
    wrong = nightshift(tree.home, tree.port, "dream", "schedule", "@daily")
    assert wrong.returncode == 1
    assert "five fields" in wrong.stderr
