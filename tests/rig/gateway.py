"""One running gateway: start it, talk to it as the operator or as people on the test channel, look at it, end it."""

import contextlib
import json
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import httpx

from tests.rig.commands import command, environment
from tests.rig.configuration import Json, config_path, merge
from tests.rig.installation import RigError
from tests.rig.websocket import Frame, GatewayClient

_START_TIMEOUT_S = 240  # a start costs about 30 s of processor time
_POLL_S = 0.2
_APPLIED = "config hot reload applied"
_TROUBLE = ("failed", "error", "blocked", "invalid", "quarantin", "timed out", "conflict", "refused")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What came of one message.

    Attributes:
        text: All that the conversation received, joined by newlines.
        state: `final`, `error` or `aborted`.
        session: Key of the session it ran in.
        took_s: From sending to the answer's end.
        events: Gateway events of the turn; for the operator's turns only.
    """

    text: str
    state: str
    session: str
    took_s: float
    events: list[Frame] = field(default_factory=list[Frame])


class Gateway:
    """The gateway of the configuration below `home`; constructing it starts it and waits until it is ready."""

    def __init__(self, cache: Path, home: Path, *, extra: Mapping[str, str] | None = None) -> None:
        self.cache = cache
        self.home = home
        self.config: Json = json.loads(config_path(home).read_text(encoding="utf-8"))
        self.port: int = self.config["gateway"]["port"]
        self.token: str = self.config["gateway"]["auth"]["token"]
        self._client: GatewayClient | None = None
        started = time.monotonic()
        with self._output_path.open("a", encoding="utf-8") as output:
            # A group of its own, so that stop() can also end what plugins started.
            self.process = subprocess.Popen(
                command(cache, "gateway", "run"),
                env=environment(cache, home, extra=extra),
                cwd=home,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            wait_for(self._is_ready, timeout_s=_START_TIMEOUT_S, what="the gateway's start")
        except BaseException:
            self.stop(grace_s=1)
            raise
        self.start_took_s = time.monotonic() - started

    def operator_turn(self, text: str, *, session: str = "agent:main:main", timeout_s: float = 120) -> Turn:
        """Send a message as the operator in the web chat and wait for the end of the answer; slash commands work."""
        started = time.monotonic()
        first = len(self.client.events)
        request = {"sessionKey": session, "message": text, "idempotencyKey": str(uuid.uuid4())}
        run = self.rpc("chat.send", request, timeout_s=timeout_s)["runId"]
        end = self.client.wait_event(lambda event: _ends(event, run), timeout_s=timeout_s, start=first)["payload"]
        message: Json = end.get("message") or {}
        parts: list[Json] = message.get("content") or []
        said = "\n".join(str(part.get("text", "")) for part in parts if part.get("type") == "text")
        return Turn(
            text=said or str(end.get("errorMessage", "")),
            state=str(end["state"]),
            session=session,
            took_s=time.monotonic() - started,
            events=self.client.events[first:],
        )

    def channel_turn(self, text: str, *, sender: str, group: str | None = None, timeout_s: float = 120) -> Turn:
        """Send a message on the test channel, in a direct chat or a group; the gateway picks agent and session."""
        started = time.monotonic()
        message = {"kind": "group" if group else "direct", "chat": group, "sender": sender, "text": text}
        answer = self.http("/rigchat/inbound", body=message, timeout_s=timeout_s)
        if answer.is_error:
            raise RigError(f"channel turn failed ({answer.status_code}): {answer.text[:2000]}")
        done: Json = answer.json()
        return Turn(
            text="\n".join(str(item["text"]) for item in done["replies"]),
            state="error" if done["errors"] else "final",
            session=str(done["sessionKey"]),
            took_s=time.monotonic() - started,
        )

    def completion(self, text: str, *, user: str | None = None, timeout_s: float = 120) -> str:
        """Ask the gateway's OpenAI-compatible endpoint and return its answer."""
        body: Json = {"model": "openclaw", "messages": [{"role": "user", "content": text}]}
        if user:
            body["user"] = user
        answer = self.http("/v1/chat/completions", body=body, timeout_s=timeout_s)
        answer.raise_for_status()
        return str(answer.json()["choices"][0]["message"]["content"])

    def rpc(self, method: str, params: Mapping[str, object] | None = None, *, timeout_s: float = 60) -> Any:
        """Call a gateway method, a plugin's own ones included."""
        return self.client.call(method, params, timeout_s=timeout_s)

    def http(self, path: str, *, body: Mapping[str, object] | None = None, timeout_s: float = 120) -> httpx.Response:
        """Ask a route of the gateway or of a plugin, with the gateway's token."""
        return httpx.request(
            "GET" if body is None else "POST",
            f"http://127.0.0.1:{self.port}{path}",
            json=body,
            headers={"authorization": f"Bearer {self.token}"},
            timeout=timeout_s,
            trust_env=False,
        )

    @property
    def client(self) -> GatewayClient:
        """The connection as the operator, made when first needed."""
        if self._client is None:
            self._client = GatewayClient(self.port, token=self.token)
        return self._client

    def reconfigure(self, changes: Mapping[str, Any], *, timeout_s: float = 60) -> None:
        """Merge changes into the configuration and wait until the gateway applied them.

        Much cheaper than another start: a change below plugins.entries.<id> or plugins.slots replaces the plugin
        instance in the running gateway.
        """
        before = self.output().count(_APPLIED)
        config_path(self.home).write_text(json.dumps(merge(self.config, changes), indent=1), encoding="utf-8")
        wait_for(lambda: self.output().count(_APPLIED) > before, timeout_s=timeout_s, what="the hot reload")

    def output(self) -> str:
        """All that gateways of this home printed."""
        return self._output_path.read_text(encoding="utf-8", errors="replace")

    def problems(self, plugin: str) -> list[str]:
        """Lines of the output that report trouble with a plugin."""
        return [
            line
            for line in self.output().splitlines()
            if plugin in line and any(word in line.lower() for word in _TROUBLE)
        ]

    def stop(self, *, grace_s: float = 30) -> int:
        """Stop as an operator would, then end whatever is left of the process group; the gateway's exit code."""
        self._close_client()
        if self.process.poll() is None:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(grace_s)
        # What plugins started ends when the gateway is gone, and gets the time to do so in order.
        with contextlib.suppress(TimeoutError):
            wait_for(lambda: not self._has_group(), timeout_s=grace_s, what="the process group's end")
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        return self.process.wait(30)

    def kill(self) -> None:
        """Kill only the gateway itself, as a crash would; its children must notice by themselves."""
        self.process.kill()
        self.process.wait(30)
        self._close_client()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def _output_path(self) -> Path:
        return self.home / "gateway.out"

    def _has_group(self) -> bool:
        self.process.poll()
        try:
            os.killpg(self.process.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def _close_client(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def _is_ready(self) -> bool:
        if self.process.poll() is not None:
            raise RigError("the gateway ended while starting:\n" + self.output()[-3000:])
        try:
            return self.http("/readyz", timeout_s=5).is_success
        except httpx.TransportError:
            return False


def wait_for(ready: Callable[[], bool], *, timeout_s: float, what: str) -> None:
    """Return when ready, asking five times a second.

    Raises:
        TimeoutError: it never was; names `what`.
    """
    end = time.monotonic() + timeout_s
    while not ready():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {timeout_s:g} s for {what}")
        time.sleep(_POLL_S)


def _ends(event: Frame, run: str) -> bool:
    payload: Json = event.get("payload") or {}
    return (
        event.get("event") == "chat"
        and payload.get("runId") == run
        and payload.get("state") in ("final", "error", "aborted")
    )
