"""`nightshift up` with every real part: it starts, proves itself, bears every kill, and leaves nothing behind.

The tests of the first part share one tree and stand in the order of its life.
"""

import http.server
import json
import os
import re
import signal
import stat
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import ClassVar

import httpx
import pytest

from plugin.copies import exports_of
from tests.acceptance.up_process import MODULES, UpProcess, free_port, nightshift, wait_until
from tests.answer_times import DELAYED_ACKNOWLEDGEMENT_MS, quickest_answer_ms


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Generator[UpProcess]:
    # Longer than the address of a local socket may be.
    home = tmp_path_factory.mktemp("up") / "-".join(["a home with a long name"] * 5)
    home.mkdir(mode=0o755)
    (home / "holiday.txt").write_text("a foreign file")
    started = UpProcess(home)
    yield started
    started.clean_up()


@pytest.fixture
def start(tmp_path: Path) -> Generator[Callable[..., UpProcess]]:
    """Starts trees that are cleaned up."""
    started: list[UpProcess] = []

    def start_one(home: Path | None = None, *options: str, port: int | None = None, sidecar: bool = False) -> UpProcess:
        started.append(UpProcess(home or tmp_path / "home", *options, port=port, sidecar=sidecar))
        return started[-1]

    yield start_one
    for one in started:
        one.clean_up()


def test_it_starts_proves_itself_and_says_what_to_do_next(tree: UpProcess) -> None:
    tree.wait_for("Ctrl-C ends it.")
    said = tree.said
    for part in ("tables", "index", "embedder", "flows"):
        assert re.search(rf"^  {part} +ready after +\d+\.\d s$", said, re.MULTILINE), said
    assert 'said        "The spare key' in said
    assert re.search(r"^  kept .*lantern.*by a flow in [\d.]+ m?s\)$", said, re.MULTILINE), said
    assert re.search(r"^  recalled .*lantern.*\([\d.]+ m?s\)$", said, re.MULTILINE), said
    assert re.search(r"^  forgotten +[1-9]\d* memories", said, re.MULTILINE), said
    assert "FAILED" not in said
    assert tree.url in said
    assert re.search(r"connect$", said, re.MULTILINE)
    assert tree.is_ready()


def test_nothing_of_the_demonstration_stays(tree: UpProcess) -> None:
    done = nightshift(tree.home, tree.port, "export")
    assert done.returncode == 0
    assert "lantern" not in done.stdout


def test_what_it_made_is_private_and_what_was_there_is_left_alone(tree: UpProcess) -> None:
    assert stat.S_IMODE(tree.home.stat().st_mode) == 0o700
    assert (tree.home / "holiday.txt").read_text() == "a foreign file"
    for name in ("token", "prefect.auth", "up.lock", "logs/service.log", "logs/prefect.log"):
        assert stat.S_IMODE((tree.home / name).stat().st_mode) == 0o600, name


def test_all_processes_stay_in_the_group_of_the_starter(tree: UpProcess) -> None:
    for name in MODULES:
        assert os.getpgid(tree.child(name).pid) == tree.process.pid


def test_a_second_start_says_in_one_line_that_it_runs(tree: UpProcess) -> None:
    done = nightshift(tree.home, tree.port, "up")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        f"nightshift: already running at {tree.url} (home {tree.home}, pid {tree.process.pid})"
    ]


def test_status_tells_what_runs(tree: UpProcess) -> None:
    done = nightshift(tree.home, tree.port, "status")
    assert done.returncode == 0, done.stderr
    assert f"{tree.url}, home {tree.home}, pid {tree.process.pid}" in done.stdout
    assert re.search(r"^flows +ok$", done.stdout, re.MULTILINE)


def test_an_answer_waits_for_no_acknowledgement(tree: UpProcess) -> None:
    with httpx.Client(base_url=tree.url, trust_env=False) as client:
        assert quickest_answer_ms(client, "/healthz") < DELAYED_ACKNOWLEDGEMENT_MS / 2


def test_a_memory_is_stored_found_shown_and_forgotten(tree: UpProcess) -> None:
    stored = nightshift(tree.home, tree.port, "remember", "The ladder hangs in the shed behind the bicycles.")
    assert stored.stdout.startswith("ADD"), stored.stdout + stored.stderr
    found = nightshift(tree.home, tree.port, "search", "Where does the ladder hang?")
    kref = next(word for word in found.stdout.split() if word.startswith("kref://"))
    assert "behind the bicycles" in found.stdout
    explained = nightshift(tree.home, tree.port, "search", "Where does the ladder hang?", "--explain")
    assert explained.returncode == 0, explained.stderr
    shown = nightshift(tree.home, tree.port, "show", kref)
    assert re.search(r"^text +The ladder hangs in the shed behind the bicycles\.$", shown.stdout, re.MULTILINE)
    declined = nightshift(tree.home, tree.port, "forget", kref, stdin="n\n")
    assert (declined.returncode, "nothing was forgotten" in declined.stdout) == (1, True)
    forgotten = nightshift(tree.home, tree.port, "forget", kref, "--yes")
    assert "forgot 1 memories" in forgotten.stdout, forgotten.stdout + forgotten.stderr
    assert "ladder" not in nightshift(tree.home, tree.port, "search", "Where does the ladder hang?").stdout
    missing = nightshift(tree.home, tree.port, "show", kref)
    assert (missing.returncode, missing.stdout) == (1, "")
    assert len(missing.stderr.splitlines()) == 1


def test_a_transcript_is_imported_with_counts_and_bad_lines_named(tree: UpProcess, tmp_path: Path) -> None:
    lines = [
        {"messageKey": f"m{n}", "at": f"2026-05-0{n}T10:00:00Z", "role": role, "text": text}
        for n, role, text in [
            (1, "user", "My cello teacher is called Severin."),
            (2, "assistant", "I will remember Severin."),
        ]
    ]
    session = {"sessionKey": "agent:main:import", "chatType": "direct", "isOwner": True}
    file = tmp_path / "transcript.jsonl"
    file.write_text("\n".join([*(json.dumps({**session, **line}) for line in lines), "{broken"]))
    done = nightshift(tree.home, tree.port, "import", str(file))
    assert done.returncode == 1
    assert done.stdout == "3 read, 2 captured, 0 skipped, 1 rejected\n", done.stdout + done.stderr
    assert re.search(r"^line 3: ", done.stderr, re.MULTILINE)
    assert "Severin" in nightshift(tree.home, tree.port, "search", "What is my cello teacher called?").stdout


def test_an_export_can_be_read_again(tree: UpProcess, tmp_path: Path) -> None:
    file = tmp_path / "export.jsonl"
    assert nightshift(tree.home, tree.port, "export", "--output", str(file)).returncode == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert exports_of(tree.home) == [file], "forgetting names it"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert any("Severin" in line["text"] for line in lines)
    assert {line["type"] for line in lines} == {"memory"}


def test_the_doctor_finds_the_running_parts_well(tree: UpProcess) -> None:
    done = nightshift(tree.home, tree.port, "doctor", "--config", str(tree.home / "gateway" / "openclaw.json"))
    for part in (f"service at {tree.url}", "tables", "index", "embedder", "flows", "settings"):
        assert f"ok       {part}" in done.stdout.splitlines(), done.stdout
    assert done.returncode == 1
    assert "nightshift connect" in done.stdout


@pytest.mark.parametrize("name", MODULES)
def test_a_killed_child_is_started_again_until_all_is_ready(tree: UpProcess, name: str) -> None:
    before = tree.child(name)
    recovered = tree.said.count("ready again after")
    before.kill()
    tree.wait_for(f"{name} was ended by SIGKILL; starting it again")
    tree.wait_for("ready again after", times=recovered + 1)
    assert tree.child(name).pid != before.pid
    wait_until(tree.is_ready, what=lambda: "ready", within_s=60)


def test_ctrl_c_to_all_of_them_twice_ends_all_of_them(tree: UpProcess) -> None:
    tree.signal_group(signal.SIGINT)
    tree.signal_group(signal.SIGINT)
    assert tree.wait_for_end() == 0
    assert tree.said.endswith("ending: SIGINT\nended\n")
    assert "Traceback" not in tree.said
    assert (tree.home / "up.lock").read_bytes() == b""
    for log in (tree.home / "logs").glob("*.log"):
        assert "KeyboardInterrupt" not in log.read_text(errors="replace"), log


def test_children_end_when_the_supervisor_is_killed_and_the_next_start_works(start: Callable[..., UpProcess]) -> None:
    first = start(None, "--no-demo")
    first.wait_for("Ctrl-C ends it.")
    first.process.kill()
    second = start(first.home, "--no-demo", port=first.port)
    first.wait_until_gone()
    second.wait_for("Ctrl-C ends it.")
    assert second.is_ready()
    second.process.send_signal(signal.SIGTERM)
    assert second.wait_for_end() == 0


def test_a_sidecar_shows_no_demonstration_and_ends_with_its_standard_input(start: Callable[..., UpProcess]) -> None:
    sidecar = start(sidecar=True)
    sidecar.wait_for("ready after", times=5)
    sidecar.wait_for("\nready after")
    assert "Demonstration" not in sidecar.said
    assert sidecar.process.stdin
    sidecar.process.stdin.close()
    assert sidecar.wait_for_end() == 0


def test_a_port_in_use_is_one_clear_line(tmp_path: Path) -> None:
    with other_program() as port:
        done = nightshift(tmp_path / "home", port, "up")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(rf"nightshift: port {port} is in use by .*pid {os.getpid()}.*NIGHTSHIFT_PORT\n", done.stderr)


def test_another_program_on_the_port_is_not_told_the_token(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("5" * 64)
    with other_program() as port:
        done = nightshift(tmp_path, port, "status")
        assert OtherProgram.heard
        assert not any("5" * 64 in request for request in OtherProgram.heard)
    assert done.returncode == 1
    assert "doesn't know the token of this home" in done.stderr


@pytest.mark.parametrize("command", ["status", "search", "export"])
def test_a_service_that_is_not_there_is_one_clear_line(tmp_path: Path, command: str) -> None:
    (tmp_path / "token").write_text("5" * 64)
    arguments = (command, "anything") if command == "search" else (command,)
    done = nightshift(tmp_path, free_port(), *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"nightshift: no service answers at .*\n", done.stderr)


def test_a_home_that_can_not_be_used_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    done = nightshift(tmp_path / "home", free_port(), "up")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"nightshift: home .*\n", done.stderr)


def test_a_damaged_database_is_explained_and_ends_with_a_failure(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "nightshift.sqlite3").write_bytes(b"not a database " * 1000)
    done = nightshift(home, free_port(), "up")
    assert done.returncode == 1
    assert "times in a row: giving up" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert (home / "nightshift.sqlite3").read_bytes().startswith(b"not a database")


class OtherProgram(http.server.BaseHTTPRequestHandler):
    """A web server that isn't ours; remembers what it was told."""

    heard: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        """Answer as if all were well."""
        self.heard.append(f"{self.path} {self.headers}")
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"status": "ok", "proof": "0"}')

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class other_program:  # noqa: N801  reads as the function it stands for
    """Runs it while the block runs; gives its port."""

    def __enter__(self) -> int:
        OtherProgram.heard.clear()
        self._server = http.server.HTTPServer(("127.0.0.1", 0), OtherProgram)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        return self._server.server_port

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
