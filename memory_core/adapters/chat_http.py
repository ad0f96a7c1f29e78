"""One question to a chat model's server: bounded, repeated while that may help, its answer read within a deadline.

No error here quotes what was sent or what came back: both hold words of people, the headers a key.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, cast
from urllib.parse import urlsplit

import httpx
import stamina

from memory_core.errors import Invalid, Unavailable

MAX_ANSWER_BYTES = 8_000_000
_REFUSED_KEY = frozenset({401, 403})
_PASSING = frozenset({408, 425, 429})
_NOT_THERE = frozenset({404, 405, 410})
_LOCAL = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long a question may take, in seconds.

    Attributes:
        attempts: Most requests for one question.
        total_s: All of them and the pauses between.
        connect_s: To reach the server.
        silence_s: Without a byte of the answer; a model that doesn't stream is silent while it thinks.
        first_pause_s: Doubled after each attempt, with as much jitter again.
        longest_pause_s: A server that asks for more in `Retry-After` is not asked again.
    """

    attempts: int = 4
    total_s: float = 120.0
    connect_s: float = 5.0
    silence_s: float = 90.0
    first_pause_s: float = 1.0
    longest_pause_s: float = 30.0


class Declined(Invalid):
    """The server takes this request for wrong; `words` are its own and may quote the request: for matching only."""

    def __init__(self, status: int, words: str) -> None:
        """Keep what is needed to ask in another form."""
        super().__init__(f"the chat model's server refuses the request with {status}")
        self.words = words


class _Passing(Unavailable):
    """The same request may work in a moment; None when the server doesn't say when."""

    def __init__(self, message: str, *, pause_s: float | None = None) -> None:
        super().__init__(message)
        self.pause_s = pause_s


class ChatServer:
    """Connections to one server. Thread-safe."""

    def __init__(self, base_url: str, *, headers: Mapping[str, str], patience: Patience) -> None:
        """Nothing is sent before the first question."""
        self._patience = patience
        self._client = _open_client(base_url, headers)

    def close(self) -> None:
        """Give the connections back."""
        if self._client is not None:
            self._client.close()

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The JSON object that the server answers.

        Raises:
            Declined: it refuses this request.
            Unavailable: it is away, too slow or too busy, refuses the key, or is no chat model's server.
        """
        patience = self._patience
        deadline_s = time.monotonic() + patience.total_s
        for attempt in stamina.retry_context(
            on=self._pause_after,
            attempts=patience.attempts,
            timeout=patience.total_s,
            wait_initial=patience.first_pause_s,
            wait_max=patience.longest_pause_s,
            wait_jitter=patience.first_pause_s,
        ):
            with attempt:
                return self._ask(path, body, deadline_s=deadline_s)
        raise Unavailable("the chat model's server was not asked")

    def _pause_after(self, error: Exception) -> bool | float:
        if not isinstance(error, _Passing):
            return False
        if error.pause_s is None:
            return True
        return error.pause_s if error.pause_s <= self._patience.longest_pause_s else False

    def _ask(self, path: str, body: Mapping[str, Any], *, deadline_s: float) -> dict[str, Any]:
        if self._client is None:
            raise Unavailable("chatModel.baseUrl or chatModel.apiKey can't be used as it is written")
        left_s = deadline_s - time.monotonic()
        if left_s <= 0:
            raise Unavailable("the chat model is too slow")
        patience = self._patience
        timeout = httpx.Timeout(min(patience.silence_s, left_s), connect=min(patience.connect_s, left_s))
        try:
            with self._client.stream("POST", path, json=body, timeout=timeout) as response:
                content = _read(response, deadline_s=deadline_s)
        except httpx.TimeoutException as error:
            raise _Passing("the chat model is too slow") from error
        except httpx.TransportError as error:
            raise _Passing(f"the chat model's server doesn't answer ({type(error).__name__})") from error
        except (httpx.InvalidURL, httpx.DecodingError, UnicodeError) as error:
            raise Unavailable("chatModel.baseUrl names no chat model's server") from error
        return _judged(response, content)


def _open_client(base_url: str, headers: Mapping[str, str]) -> httpx.Client | None:
    try:
        return httpx.Client(
            base_url=base_url.rstrip("/"),
            headers=dict(headers),
            # A proxy of the machine must not see what goes to a server on the machine.
            trust_env=urlsplit(base_url).hostname not in _LOCAL,
        )
    except (httpx.InvalidURL, ValueError):  # mistyped: nothing of that may keep the service from starting
        return None


def _read(response: httpx.Response, *, deadline_s: float) -> bytes:
    chunks: list[bytes] = []
    size = 0
    for chunk in response.iter_bytes():
        chunks.append(chunk)
        size += len(chunk)
        if size > MAX_ANSWER_BYTES:
            raise Unavailable("the answer of the chat model's server is too large")
        if time.monotonic() > deadline_s:  # a byte now and then would never be too silent
            raise Unavailable("the chat model is too slow")
    return b"".join(chunks)


def _judged(response: httpx.Response, content: bytes) -> dict[str, Any]:
    status = response.status_code
    if status in _PASSING or response.is_server_error:
        raise _Passing(f"the chat model's server is busy or broken ({status})", pause_s=_asked_pause_s(response))
    if status in _REFUSED_KEY:
        raise Unavailable("the chat model's server refuses the key in chatModel.apiKey")
    if status in _NOT_THERE:
        raise Unavailable("the chat model's server knows no such address or model: see chatModel.baseUrl and .model")
    if response.is_client_error:
        raise Declined(status, content.decode("utf-8", "replace")[:4000])
    parsed = _json_object(response, content)
    if parsed is None:
        raise Unavailable("what answers at chatModel.baseUrl is no chat model's server")
    return parsed


def _json_object(response: httpx.Response, content: bytes) -> dict[str, Any] | None:
    if not response.is_success:
        return None
    try:
        parsed: object = httpx.Response(200, content=content).json()
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else None


def _asked_pause_s(response: httpx.Response) -> float | None:
    """What `Retry-After` asks for, as seconds or as a date beside the server's own; None when it asks nothing."""
    asked = response.headers.get("retry-after")
    if asked is None:
        return None
    try:
        pause_s = float(asked)
    except ValueError:
        try:
            until, now = parsedate_to_datetime(asked), parsedate_to_datetime(response.headers.get("date", ""))
            pause_s = (until - now).total_seconds()
        except (ValueError, TypeError):
            return None
    return max(pause_s, 0.0) if pause_s == pause_s else None  # noqa: PLR0124 NaN
