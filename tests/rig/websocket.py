"""Client of the gateway's WebSocket protocol: requests, answers and events.

A local client that names itself the gateway's own backend and holds the shared token needs no device pairing, which is
all that tests on loopback want.
"""

import json
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.rig.installation import RigError

Frame = dict[str, Any]
T = TypeVar("T")

_PROTOCOL = 4
_SCOPES = ["operator.read", "operator.write", "operator.admin", "operator.approvals"]
_LARGEST_FRAME_BYTES = 64 * 1024 * 1024


class GatewayError(RigError):
    """The gateway refused a request or closed the connection."""


class GatewayClient:
    """One connection as an operator; `events` grows as events arrive, each with the time `at` in Unix seconds."""

    def __init__(self, port: int, *, token: str, timeout_s: float = 60) -> None:
        self.events: list[Frame] = []
        self._answers: dict[str, Frame] = {}
        self._changed = threading.Condition()
        self._closed: str | None = None
        self._connection = connect(
            f"ws://127.0.0.1:{port}/", open_timeout=timeout_s, max_size=_LARGEST_FRAME_BYTES, proxy=None
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.wait_event(lambda event: event.get("event") == "connect.challenge", timeout_s=timeout_s)
        self.call("connect", _hello(token), timeout_s=timeout_s)

    def call(self, method: str, params: Mapping[str, object] | None = None, *, timeout_s: float = 60) -> Any:
        """Send one request and return its payload.

        Raises:
            GatewayError: it was refused, or the connection ended.
            TimeoutError: no answer came in time.
        """
        request = str(uuid.uuid4())
        self._connection.send(
            json.dumps({"type": "req", "id": request, "method": method, "params": dict(params or {})})
        )
        answer = self._wait(lambda: self._answers.pop(request, None), timeout_s=timeout_s, what=method)
        if not answer.get("ok"):
            raise GatewayError(f"{method}: {json.dumps(answer.get('error'))}")
        return answer.get("payload")

    def wait_event(self, wanted: Callable[[Frame], bool], *, timeout_s: float = 60, start: int = 0) -> Frame:
        """The first event from position `start` on that is wanted."""
        return self._wait(
            lambda: next((event for event in self.events[start:] if wanted(event)), None),
            timeout_s=timeout_s,
            what="an event",
        )

    def close(self) -> None:
        """End the connection."""
        self._connection.close()
        self._reader.join()

    def _wait(self, ready: Callable[[], T | None], *, timeout_s: float, what: str) -> T:
        end = time.monotonic() + timeout_s
        with self._changed:
            while (value := ready()) is None:
                if self._closed is not None:
                    raise GatewayError(f"no answer for {what}: {self._closed}")
                if not self._changed.wait(max(0.0, end - time.monotonic())) and time.monotonic() >= end:
                    raise TimeoutError(f"no answer for {what} in {timeout_s:g} s")
            return value

    def _read(self) -> None:
        closed = "the connection was closed"
        try:
            for message in self._connection:
                self._receive(json.loads(message))
        except ConnectionClosed as error:
            closed = str(error)
        with self._changed:
            self._closed = closed
            self._changed.notify_all()

    def _receive(self, frame: Frame) -> None:
        with self._changed:
            if frame.get("type") == "res":
                self._answers[frame["id"]] = frame
            else:
                self.events.append({**frame, "at": time.time()})
            self._changed.notify_all()


def _hello(token: str) -> dict[str, object]:
    return {
        "minProtocol": _PROTOCOL,
        "maxProtocol": _PROTOCOL,
        "client": {"id": "gateway-client", "version": "0.0.0", "platform": "linux", "mode": "backend"},
        "role": "operator",
        "scopes": _SCOPES,
        "caps": ["tool-events"],
        "auth": {"token": token},
    }
