"""The service's HTTP API as the command line and the self-demonstration use it: the operator's own, on this machine."""

import hashlib
import hmac
import secrets
from collections.abc import AsyncGenerator, AsyncIterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import cast

import httpx

from memory_core.errors import (
    Conflict,
    Corrupt,
    Forbidden,
    Invalid,
    MemoryCoreError,
    NotFound,
    Refused,
    Unavailable,
)
from memory_core.settings import Settings

Json = Mapping[str, object]

OPERATOR: Json = {"sessionKey": "agent:main:main", "isOwner": True, "chatType": "direct"}
"""The session of commands that a person types on this machine."""
READY = "ok"
"""State of a part that works, in an answer of `/readyz`."""
WAIT_S = 130.0
"""For calls that may hold for 120 s on the other side."""
_TIMEOUT_S = 15.0
_ERRORS = {error.code: error for error in (Conflict, Corrupt, Forbidden, Invalid, NotFound, Refused, Unavailable)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnswer:
    """What a tool said: a text for people, details for programs."""

    text: str
    details: Json


class ServiceClient:
    """Calls that carry the token; every failure is one of our errors, with a message for people."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def get(self, path: str) -> Json:
        """Read one JSON object."""
        return await self._send(self._http.build_request("GET", path))

    async def post(self, path: str, *, body: Json, timeout_s: float = _TIMEOUT_S) -> Json:
        """Send one JSON object and read the answer."""
        return await self._send(self._http.build_request("POST", path, json=body, timeout=timeout_s))

    async def put(self, path: str, *, body: Json) -> Json:
        """Replace something with one JSON object and read the answer."""
        return await self._send(self._http.build_request("PUT", path, json=body))

    async def post_lines(self, path: str, *, lines: AsyncIterable[bytes]) -> Json:
        """Send JSON lines as they come and read the answer."""
        headers = {"Content-Type": "application/x-ndjson"}
        return await self._send(self._http.build_request("POST", path, content=lines, headers=headers, timeout=WAIT_S))

    async def parts(self) -> tuple[bool, Mapping[str, str]]:
        """If everything works, and the state of each part by its name."""
        answer = await self._ask(self._http.build_request("GET", "/readyz"))
        return answer.is_success, ready_parts(_content(answer))

    @asynccontextmanager
    async def read_lines(self, path: str) -> AsyncGenerator[AsyncGenerator[str]]:
        """Read JSON lines as they come, without their ends."""
        try:
            async with self._http.stream("GET", path, timeout=WAIT_S) as answer:
                if not answer.is_success:
                    await answer.aread()
                    raise _error(answer)
                yield cast("AsyncGenerator[str]", answer.aiter_lines())
        except httpx.HTTPError as error:
            raise _unreachable(str(self._http.base_url), error) from error

    async def tool(
        self, name: str, arguments: Json, *, session: Json = OPERATOR, timeout_s: float = _TIMEOUT_S
    ) -> ToolAnswer:
        """Call a tool.

        Raises:
            Invalid: the tool refused the arguments, in its own words.
        """
        body = {"session": session, "arguments": {k: v for k, v in arguments.items() if v is not None}}
        answer = await self.post(f"/v1/tools/{name}", body=body, timeout_s=timeout_s)
        text = str(answer.get("text", ""))
        if answer.get("isError"):
            raise Invalid(text)
        return ToolAnswer(text=text, details=as_object(answer.get("details")))

    async def _send(self, request: httpx.Request) -> Json:
        answer = await self._ask(request)
        if not answer.is_success:
            raise _error(answer)
        return as_object(_content(answer))

    async def _ask(self, request: httpx.Request) -> httpx.Response:
        try:
            return await self._http.send(request)
        except httpx.HTTPError as error:
            raise _unreachable(str(self._http.base_url), error) from error


@asynccontextmanager
async def open_client(settings: Settings) -> AsyncGenerator[ServiceClient]:
    """Connect to the running service of this home.

    Raises:
        Unavailable: nobody answers there.
        Forbidden: whoever answers doesn't know our token, so that it isn't told, or we can't read it.
    """
    url = service_url(settings)
    token = read_token(settings)
    async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=_TIMEOUT_S) as http:
        await prove(http, token=token)
        http.headers["Authorization"] = f"Bearer {token}"
        yield ServiceClient(http)


def as_object(value: object) -> Json:
    """The value as a JSON object; an empty one when it is something else."""
    return cast("Json", value) if isinstance(value, dict) else {}


def as_objects(value: object) -> list[Json]:
    """The value as a list of JSON objects, without what is none."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("Json", item) for item in items if isinstance(item, dict)]


def as_strings(value: object) -> list[str]:
    """The value as a list of texts, without what is none."""
    return [item for item in cast("list[object]", value) if isinstance(item, str)] if isinstance(value, list) else []


def as_count(value: object, *, otherwise: int = 0) -> int:
    """The value as a whole number."""
    return value if isinstance(value, int) else otherwise


def ready_parts(body: object) -> Mapping[str, str]:
    """State of each part in an answer of `/readyz`; a part works when its state is `ok`."""
    return {name: str(state) for name, state in as_object(as_object(body).get("parts")).items()}


def service_url(settings: Settings) -> str:
    """Where the service of these settings is reached from this machine."""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.listen, settings.listen)  # noqa: S104  read, not bound
    return f"http://{host}:{settings.port}"


def read_token(settings: Settings) -> str:
    """The token of this home.

    Raises:
        Unavailable: there is none yet.
        Forbidden: it belongs to somebody else.
    """
    try:
        token = settings.token_file.read_text(encoding="ascii").strip()
    except FileNotFoundError as error:
        raise Unavailable(
            f"no token in {settings.home}: was Nightshift ever started there? Try `nightshift up`"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise Forbidden(f"the token {settings.token_file} can't be read ({error.__class__.__name__})") from error
    if not token:
        raise Forbidden(f"the token {settings.token_file} is empty; remove it and start `nightshift up` again")
    return token


async def prove(http: httpx.AsyncClient, *, token: str) -> None:
    """Let the other side prove that it knows the token, before it is told anything.

    Raises:
        Unavailable: nobody answers.
        Forbidden: it doesn't know the token.
    """
    nonce = secrets.token_hex(16)
    try:
        answer = await http.get("/healthz", params={"nonce": nonce})
    except httpx.HTTPError as error:
        raise _unreachable(str(http.base_url), error) from error
    expected = hmac.new(token.encode(), nonce.encode(), hashlib.sha256).hexdigest()
    proof = as_object(_content(answer)).get("proof")
    if not isinstance(proof, str) or not hmac.compare_digest(proof, expected):
        raise Forbidden(
            f"the program at {http.base_url} doesn't know the token of this home: another program, "
            "or a Nightshift with another home (see NIGHTSHIFT_HOME and NIGHTSHIFT_PORT)"
        )


def _unreachable(url: str, error: httpx.HTTPError) -> Unavailable:
    if isinstance(error, httpx.TimeoutException):
        return Unavailable(f"the service at {url} did not answer in time")
    return Unavailable(f"no service answers at {url}; start it with `nightshift up`")


def _content(answer: httpx.Response) -> object:
    try:
        return answer.json()
    except ValueError:
        return None


def _error(answer: httpx.Response) -> MemoryCoreError:
    said = as_object(as_object(_content(answer)).get("error"))
    message = str(said.get("message") or f"the service answered {answer.status_code}")
    return _ERRORS.get(str(said.get("code")), MemoryCoreError)(message)
