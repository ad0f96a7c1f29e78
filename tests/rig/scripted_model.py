"""A chat model on loopback that says what a test scripted; speaks the OpenAI protocol, streaming included.

model = ScriptedModel()
model.rule("extract facts", reply('{"facts": []}'))                        # every request that matches
model.push(tool_call("memory_search", {"query": "cat"}), reply("Miso."))   # then, in order, one a request
... a provider points at model.url ...
model.requests                                                             # every request body, in order
"""

import contextlib
import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, cast

from tests.rig.model_steps import Answer, Body, Step, reply, texts

MODEL_ID = "scripted-model"
_CHARS_PER_TOKEN = 4


class ScriptedModel:
    """Serves from construction until `stop`; thread-safe."""

    def __init__(self, *, default: str = "ok", port: int = 0) -> None:
        self.default = default
        self.requests: list[Body] = []
        self._rules: list[tuple[re.Pattern[str], Answer]] = []
        self._queue: deque[Step] = deque()
        self._lock = threading.Lock()
        self._server = _Server(port, take=self.take)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Base URL for an OpenAI-compatible provider."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def push(self, *steps: Step) -> None:
        """Queue steps for the requests that no rule takes, one step a request."""
        with self._lock:
            self._queue.extend(steps)

    def rule(self, pattern: str, answer: Answer) -> None:
        """Answer every request whose messages match the regular expression; rules come before the queue."""
        with self._lock:
            self._rules.append((re.compile(pattern), answer))

    def reset(self) -> None:
        """Forget steps, rules and requests."""
        with self._lock:
            self._queue.clear()
            self._rules.clear()
            self.requests.clear()

    def take(self, body: Body) -> tuple[Step, int]:
        """The step for a request, which is kept in `requests`, and its number."""
        with self._lock:
            self.requests.append(body)
            number = len(self.requests)
            whole = "\n".join(text for _, text in texts(body))
            for pattern, answer in self._rules:
                if pattern.search(whole):
                    return (answer(body) if callable(answer) else answer), number
            return (self._queue.popleft() if self._queue else reply(self.default)), number

    def stop(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _usage(body: Body, step: Step) -> dict[str, int]:
    prompt = len(json.dumps(body.get("messages", []))) // _CHARS_PER_TOKEN
    completion = len(step.text) // _CHARS_PER_TOKEN + 1
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _head(number: int, *, kind: str) -> dict[str, Any]:
    return {"id": f"scripted-{number}", "object": kind, "created": int(time.time()), "model": MODEL_ID}


def _completion(body: Body, step: Step, *, number: int) -> Body:
    message: dict[str, Any] = {"role": "assistant", "content": step.text}
    if step.reasoning:
        message["reasoning_content"] = step.reasoning
    if step.tool:
        function = {"name": step.tool, "arguments": json.dumps(step.arguments)}
        message["tool_calls"] = [{"id": f"call_{number}", "type": "function", "function": function}]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if step.tool else "stop"}
    return {**_head(number, kind="chat.completion"), "choices": [choice], "usage": _usage(body, step)}


def _deltas(step: Step, *, number: int) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    for piece in _pieces(step.reasoning, step.chunk_chars):
        yield {"reasoning_content": piece}
    for piece in _pieces(step.text, step.chunk_chars):
        yield {"content": piece}
    if step.tool:
        function = {"name": step.tool, "arguments": ""}
        yield {"tool_calls": [{"index": 0, "id": f"call_{number}", "type": "function", "function": function}]}
        for piece in _pieces(json.dumps(step.arguments), step.chunk_chars):
            yield {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}


def _pieces(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))


def _events(body: Body, step: Step, *, number: int) -> Iterator[Body]:
    head = _head(number, kind="chat.completion.chunk")
    for delta in _deltas(step, number=number):
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    finish = "tool_calls" if step.tool else "stop"
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
    yield {**head, "choices": [], "usage": _usage(body, step)}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, *, take: Callable[[Body], tuple[Step, int]]) -> None:
        self.take = take
        super().__init__(("127.0.0.1", port), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        del format, args

    def do_GET(self) -> None:
        if self.path.endswith("/models"):
            self._json({"object": "list", "data": [{"id": MODEL_ID, "object": "model"}]})
        else:
            self._json({"error": {"message": "not found"}}, status=404)

    def do_POST(self) -> None:
        body: Body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        if not self.path.endswith("/chat/completions"):
            self._json({"error": {"message": "not found"}}, status=404)
            return
        step, number = cast("_Server", self.server).take(body)
        if step.status:
            error = {"message": step.text, "type": "invalid_request_error", "code": step.code}
            self._json({"error": error}, status=step.status)
        elif body.get("stream"):
            self._stream(_events(body, step, number=number), delay_s=step.delay_s)
        else:
            self._json(_completion(body, step, number=number))

    def _json(self, value: Body, *, status: int = 200) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, events: Iterator[Body], *, delay_s: float) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        # The gateway closes the connection of a turn that it cancels.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for event in events:
                self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
                self.wfile.flush()
                time.sleep(delay_s)
            self.wfile.write(b"data: [DONE]\n\n")
