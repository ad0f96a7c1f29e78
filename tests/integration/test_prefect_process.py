"""The embedded Prefect server as a process: how it starts, refuses and ends."""

import os
import signal
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.answer_times import DELAYED_ACKNOWLEDGEMENT_MS, quickest_answer_ms
from tests.prefect_server import PrefectServer


@pytest.fixture
def server(prefect_server: PrefectServer) -> PrefectServer:
    """The server of the session, running."""
    prefect_server.start()
    return prefect_server


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[PrefectServer]:
    """Another server, not started."""
    own = PrefectServer(tmp_path / "home")
    yield own
    own.process.kill()


def test_nobody_gets_in_without_the_password(server: PrefectServer) -> None:
    for auth in (None, ("nightshift", "wrong")):
        assert httpx.post(f"{server.url}/flow_runs/filter", json={}, auth=auth).status_code == 401
    with server.client() as client:
        assert client.post("/flow_runs/filter", json={}).status_code == 200


def test_no_other_page_may_read_its_answers(server: PrefectServer) -> None:
    with server.client() as client:
        answer = client.get("/health", headers={"Origin": "http://elsewhere.example"})
    assert "access-control-allow-origin" not in answer.headers


def test_an_answer_waits_for_no_acknowledgement(server: PrefectServer) -> None:
    with server.client() as client:
        assert quickest_answer_ms(client, "/health") < DELAYED_ACKNOWLEDGEMENT_MS / 2


def test_its_page_is_served(server: PrefectServer) -> None:
    page = httpx.get(server.url.removesuffix("/api"), follow_redirects=True, headers={"Accept": "text/html"})
    assert page.status_code == 200
    assert "<html" in page.text.lower()


def test_its_folder_is_for_the_owner_only(server: PrefectServer) -> None:
    for path in (server.home / "prefect", server.home / "prefect" / "prefect.db"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


def test_it_bears_ctrl_c_and_ends_with_its_lifeline(server: PrefectServer) -> None:
    os.kill(server.process.pid, signal.SIGINT)
    with server.client() as client:
        assert client.post("/flow_runs/filter", json={}).status_code == 200
    assert server.process.end() == 0


def test_a_taken_port_is_named(own_server: PrefectServer) -> None:
    port = urlsplit(own_server.url).port
    with socket.socket() as other:
        other.bind(("127.0.0.1", port or 0))
        other.listen()
        own_server.process.start()
        assert own_server.process.wait() == 1
    assert f"port {port} on 127.0.0.1 is taken" in own_server.process.output()
    assert "Traceback" not in own_server.process.output()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NIGHTSHIFT_PREFECT_API_URL", ""),
        ("NIGHTSHIFT_PREFECT_API_URL", "https://prefect.example.com/api"),
        ("NIGHTSHIFT_PREFECT_API_KEY", ""),
        ("NIGHTSHIFT_PREFECT_API_KEY", "no colon"),
    ],
)
@pytest.mark.parametrize("module", ["server", "executor"])
def test_an_unusable_setting_is_named(own_server: PrefectServer, *, module: str, name: str, value: str) -> None:
    process = own_server.process if module == "server" else own_server.executor()
    process.environ[name] = value
    process.start()
    assert process.wait() == 1
    assert f"{name}:" in process.output()
    assert "Traceback" not in process.output()
