"""What every request passes before a route sees it: host, origin, token, size of the body."""

import hmac
from collections.abc import Mapping

import structlog
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from plugin.service.errors import error_response, place_of

OPEN_PATHS = frozenset({"/healthz", "/readyz"})
"""Tell states only, so they need no token."""
STREAMED_PATHS = frozenset({"/v1/import"})
"""Read their body piece by piece and watch its size themselves."""
MAX_BODY_BYTES = 1_000_000
_BODY_LIMITS: Mapping[str, int] = {
    "/v1/tools/creative_capture": 8_000_000,
    # Whole transcripts; the plugin leaves out what is long and not looked at.
    **dict.fromkeys(("/v1/context/assemble", "/v1/context/compact", "/v1/context/bootstrap"), 32_000_000),
    "/v1/context/commit-turn": 8_000_000,
}
_DRAIN_BYTES = 32_000_000
"""How much of a body that is too large is read and dropped, so that its sender gets to see the answer."""
_LOCAL_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})

log = structlog.get_logger(__name__)


class Gate:
    """Turns away what may not come in; reads bodies up to their limit."""

    def __init__(self, app: ASGIApp, *, token: str, listen: str) -> None:
        """Guard the app with the token; `listen` is a further host name that is ours."""
        self._app = app
        self._token = token.encode()
        self._names = _LOCAL_NAMES | {listen}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: PLR0917 the ASGI signature
        """Answer, or pass on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        refused = self._refusal(request)
        if refused is not None:
            await error_response(*refused)(scope, receive, send)
            return
        if scope["path"] in STREAMED_PATHS:
            await self._pass_on(scope, receive=receive, send=send)
            return
        limit = _BODY_LIMITS.get(scope["path"], MAX_BODY_BYTES)
        body = await _read_body(receive, limit=limit)
        if body is None:
            await error_response("too_large", f"body: larger than {limit} bytes")(scope, receive, send)
            return
        await self._pass_on(scope, receive=_replay(body, receive), send=send)

    async def _pass_on(self, scope: Scope, *, receive: Receive, send: Send) -> None:
        has_begun = False

        async def noting(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except Exception as error:  # noqa: BLE001 the server's own log would show its message: words of people
            log.error("request.failed", error=type(error).__name__, at=place_of(error))  # noqa: TRY400 as above
            if has_begun:
                raise ConnectionAbortedError("the answer broke off") from None
            await error_response("internal", "an internal error; see the service's log")(scope, receive, send)

    def _refusal(self, request: Request) -> tuple[str, str] | None:
        host = request.headers.get("host", "")
        if host.rsplit(":", 1)[0] not in self._names and host not in self._names:
            return "forbidden", "host: requests for another host are not answered"
        origin = request.headers.get("origin")
        if origin is not None and origin.split("://", 1)[-1] != host:
            return "forbidden", "origin: requests of other pages are not answered"
        if request.scope["path"] in OPEN_PATHS:
            return None
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), self._token):
            return "unauthorized", "authorization: the token is missing or wrong"
        return None


async def _read_body(receive: Receive, *, limit: int) -> bytes | None:
    chunks: list[bytes] = []
    size = 0
    more = True
    while more and size <= _DRAIN_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        chunk: bytes = message.get("body", b"")
        size += len(chunk)
        if size <= limit:
            chunks.append(chunk)
        more = message.get("more_body", False)
    return b"".join(chunks) if size <= limit else None


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
