"""The service on a socket of its own, over a core with fakes of its ports; its log is searched after each test."""

import asyncio
import socket
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from typing_extensions import override

from plugin.service.app import build_app
from plugin.service.background import Background
from tests.integration.cores import World, opened

TOKEN = "6d1f4b7a9c2e5083d1f4b7a9c2e50836d1f4b7a9c2e5083d1f4b7a9c2e50836d"
SECRET_WORDS = "zanzibarquill"
"""A word for texts, names and queries that no log, metric or statistic may show."""
ANA: Mapping[str, Any] = {
    "sessionKey": "agent:main:main",
    "channel": "signal",
    "senderId": "ana",
    "senderName": "Ana",
    "timezone": "UTC",
}
BO: Mapping[str, Any] = {**ANA, "senderId": "bo", "senderName": "Bo"}
NOBODY: Mapping[str, Any] = {"sessionKey": "agent:main:main"}
_START_WITHIN_S = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A running service; `client` knows the token, `ending` tells it that it is about to end."""

    world: World
    client: httpx.Client
    port: int
    ending: threading.Event

    def post(self, path: str, **body: Any) -> httpx.Response:
        """Post JSON; the fields are the body's."""
        return self.client.post(path, json=body)

    def tool(self, name: str, session: Mapping[str, Any] = ANA, **arguments: Any) -> dict[str, Any]:
        """Call a tool; always answered with 200."""
        answer = self.post(f"/v1/tools/{name}", session=dict(session), arguments=arguments)
        assert answer.status_code == 200, answer.text
        reply: dict[str, Any] = answer.json()
        assert set(reply) == {"text", "details", "isError"}
        assert isinstance(reply["text"], str)
        assert isinstance(reply["details"], dict)
        return reply

    def turn(self, text: str, *, key: str, session: Mapping[str, Any] = ANA, **fields: Any) -> dict[str, Any]:
        """Capture a turn."""
        body = {
            "session": dict(session),
            "turnKey": key,
            "at": self.world.clock.now().isoformat(),
            "user": {"text": text},
            "assistant": {"text": "I see, thank you."},
        }
        answer = self.client.post("/v1/turns", json=body | fields)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def remember(self, text: str, *, session: Mapping[str, Any] = ANA, **fields: Any) -> dict[str, Any]:
        """Store a memory with the tool; returns it."""
        reply = self.tool("memory_store", session, text=text, **fields)
        assert reply["details"]["decision"] == "ADD", reply
        return reply["details"]["memory"]

    def error(self, answer: httpx.Response, *, status: int, code: str) -> str:
        """Check the one shape of errors; returns the message."""
        assert answer.status_code == status, answer.text
        body = answer.json()
        assert set(body) == {"error"}
        assert set(body["error"]) == {"code", "message", "retryable"}
        assert body["error"]["code"] == code
        assert isinstance(body["error"]["retryable"], bool)
        return body["error"]["message"]


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield

    @override
    async def main_loop(self) -> None:
        await self.on_tick(0)  # sets the headers of every answer
        # Looks for its end ten times as often as uvicorn: each of some four hundred tests waits for it.
        while not self.should_exit:  # noqa: ASYNC110 - another thread sets it
            await asyncio.sleep(0.01)


@contextmanager
def served(world: World) -> Generator[Service]:
    """Serve a world on a free port."""
    waking: list[Background] = []
    app = build_app(world.core, token=TOKEN, on_wake=waking)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        server = _Server(uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=2))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        deadline_s = time.monotonic() + _START_WITHIN_S
        while not server.started:
            assert time.monotonic() < deadline_s
            assert thread.is_alive()
            time.sleep(0.01)
        headers = {"Authorization": f"Bearer {TOKEN}"}
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=30) as client:
                yield Service(world=world, client=client, port=port, ending=app.state.service.ending)
        finally:
            server.should_exit = True
            thread.join(20)


@pytest.fixture
def service(
    sqlite_world: World, *, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> Generator[Service]:
    """A running service; whatever the test did, its log shows neither words of people nor the token."""
    with served(sqlite_world) as found:
        yield found
    written = "".join(capfd.readouterr()) + caplog.text
    assert SECRET_WORDS not in written.lower()
    assert TOKEN not in written


@pytest.fixture
def small_service(tmp_path: Path) -> Generator[Service]:
    """A service that consolidates after four utterances."""
    with opened(tmp_path, overrides={"consolidationThreshold": 4}) as world, served(world) as found:
        yield found
