"""A server of chat models on loopback that does what a test scripted; speaks the OpenAI and the Anthropic protocol."""

import json
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, cast

Body = dict[str, Any]
MODEL = "scripted-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """What the server does for one request.

    Attributes:
        status: Of the answer.
        body: Of the answer; a mapping goes out as JSON.
        headers: Beside the usual ones.
        silence_s: Before the answer begins.
        drip_s: Between two bytes of it.
        hangs_up: Closes the connection instead.
    """

    status: int = 200
    body: Mapping[str, Any] | bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    silence_s: float = 0.0
    drip_s: float = 0.0
    hangs_up: bool = False


Answer = Act | Callable[[Body], Act]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: Body


def openai_says(text: str | None, **message: Any) -> Act:
    """An answer in the OpenAI protocol."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 21, "completion_tokens": 5, "total_tokens": 26}
    return Act(body={"id": "c1", "object": "chat.completion", "model": MODEL, "choices": [choice], "usage": usage})


def anthropic_says(text: str | None, *, stop_reason: str = "end_turn") -> Act:
    """An answer in the Anthropic protocol."""
    content = [] if text is None else [{"type": "text", "text": text}]
    return _anthropic(content, stop_reason=stop_reason)


def anthropic_uses_tool(arguments: Mapping[str, Any]) -> Act:
    """An answer in the Anthropic protocol that uses the tool it was given."""
    return _anthropic(
        [{"type": "tool_use", "id": "t1", "name": "reply", "input": dict(arguments)}], stop_reason="tool_use"
    )


def _anthropic(content: list[dict[str, Any]], *, stop_reason: str) -> Act:
    usage = {"input_tokens": 21, "output_tokens": 5}
    return Act(
        body={
            "id": "m1",
            "type": "message",
            "model": MODEL,
            "content": content,
            "stop_reason": stop_reason,
            "usage": usage,
        }
    )


def refuses(message: str, *, status: int = 400) -> Act:
    """A refusal of the request."""
    return Act(status=status, body={"error": {"type": "invalid_request_error", "message": message}})


class ChatModelServer:
    """Serves from construction until `stop`; acts are done in order, the last one again and again."""

    def __init__(self, *acts: Answer) -> None:
        self.seen: list[Seen] = []
        self._acts = deque(acts)
        self._lock = threading.Lock()
        self.ended = threading.Event()
        self._server = _Server(take=self._take, ended=self.ended)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where it listens, without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def script(self, *acts: Answer) -> None:
        """What comes next, instead of what was scripted before."""
        with self._lock:
            self._acts = deque(acts)

    def stop(self) -> None:
        """Stop serving; answers in progress are cut off."""
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _take(self, seen: Seen) -> Act:
        with self._lock:
            self.seen.append(seen)
            act = self._acts.popleft() if len(self._acts) > 1 else self._acts[0]
        return act if isinstance(act, Act) else act(seen.body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, *, take: Callable[[Seen], Act], ended: threading.Event) -> None:
        self.take = take
        self.ended = ended
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up is what some tests want."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        del format, args

    def do_POST(self) -> None:
        server = cast("_Server", self.server)
        body: Body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        headers = {name.lower(): value for name, value in self.headers.items()}
        act = server.take(Seen(path=self.path, headers=headers, body=body))
        if act.silence_s:
            server.ended.wait(act.silence_s)
        if act.hangs_up or server.ended.is_set():
            self.close_connection = True
            return
        content = act.body if isinstance(act.body, bytes) else json.dumps(act.body).encode()
        self.send_response_only(act.status)
        for name, value in {
            "content-length": str(len(content)),
            "content-type": "application/json",
            **act.headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self._write(content, drip_s=act.drip_s)

    def _write(self, content: bytes, *, drip_s: float) -> None:
        if not drip_s:
            self.wfile.write(content)
            return
        server = cast("_Server", self.server)
        for number in range(len(content)):
            self.wfile.write(content[number : number + 1])
            self.wfile.flush()
            if server.ended.wait(drip_s):
                return
