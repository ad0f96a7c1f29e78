"""FlowEngine over Prefect's REST API, with httpx; Prefect itself is never imported, which would cost seconds and 80 MB.

Prefect on SQLite may answer 503 or drop a connection under load. As every call here can be repeated without harm, it
is, a few times within about a second; what then remains is the caller's to try again later.
"""

import contextlib
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote, urlsplit
from uuid import UUID

import httpx

from memory_core.errors import NotFound, Unavailable
from memory_core.settings import Settings
from memory_core.settings_loading import variable
from memory_core.unix_address import unix_address
from memory_core.values import FlowRun, JobId, JobKind, JobState

_TIMEOUT = httpx.Timeout(5.0, connect=2.0)
_NUDGE_TIMEOUT_S = 1.0
_PAUSES_S = (0.1, 0.3, 0.8)
_PASSING = frozenset({408, 429, 502, 503, 504})
_REFUSED = frozenset({401, 403})
_NOT_FOUND = 404
_STATES: Mapping[str, JobState] = {
    "SCHEDULED": JobState.QUEUED,
    "PENDING": JobState.QUEUED,
    "PAUSED": JobState.QUEUED,
    "RUNNING": JobState.RUNNING,
    "COMPLETED": JobState.DONE,
    "FAILED": JobState.FAILED,
    "CRASHED": JobState.FAILED,
    "CANCELLED": JobState.CANCELLED,
    "CANCELLING": JobState.CANCELLED,
}


class PrefectEngine:
    """Hands jobs to a Prefect server and asks it how they stand; safe to use from several threads."""

    def __init__(self, settings: Settings) -> None:
        """Use the server the settings name; nothing is sent before the first call."""
        url = settings.backends.prefect_api_url
        self._client = _make_client(url, key=settings.backends.prefect_api_key) if url else None
        self._executor_socket = settings.executor_socket
        self._deployment_ids: dict[JobKind, str] = {}

    def close(self) -> None:
        """Give the connections back."""
        if self._client:
            self._client.close()

    def submit(self, job_id: JobId, *, kind: JobKind, parameters: Mapping[str, str]) -> FlowRun:
        """See `FlowEngine.submit`."""
        return self._create(kind, key=job_id, name=_run_name(kind, job_id), parameters=parameters)

    def resubmit(self, job_id: JobId, *, kind: JobKind, parameters: Mapping[str, str], attempt: int) -> FlowRun:
        """See `FlowEngine.resubmit`."""
        name = f"{_run_name(kind, job_id)} · attempt {attempt}"
        return self._create(kind, key=f"{job_id}:{attempt}", name=name, parameters=parameters)

    def read(self, run_id: str) -> FlowRun:
        """See `FlowEngine.read`."""
        return _to_flow_run(self._call_run("GET", run_id, needs="id"))

    def cancel(self, run_id: str) -> None:
        """See `FlowEngine.cancel`."""
        body = {"state": {"type": "CANCELLING"}}
        self._call_run("POST", run_id, action="/set_state", body=body, needs="status")
        self._nudge()

    def ready(self) -> None:
        """See `FlowEngine.ready`."""
        deployments = [self._find_deployment(kind, pauses_s=()) for kind in JobKind]
        if any(deployment.get("work_pool_name") is None for deployment in deployments):
            # Nobody but the executor of this machine takes their runs.
            _ask_executor(self._executor_socket)

    def _create(self, kind: JobKind, *, key: str, name: str, parameters: Mapping[str, str]) -> FlowRun:
        body = {"idempotency_key": key, "name": name, "parameters": dict(parameters), "tags": [kind.value]}
        response = self._post_run(kind, body)
        if response.status_code == _NOT_FOUND:  # the server began anew, with another id for the same deployment
            self._deployment_ids.pop(kind, None)
            response = self._post_run(kind, body)
        run = _to_flow_run(_content(response, needs="id"))
        self._nudge()
        return run

    def _post_run(self, kind: JobKind, body: Mapping[str, object]) -> httpx.Response:
        if kind not in self._deployment_ids:
            self._deployment_ids[kind] = str(self._find_deployment(kind, pauses_s=_PAUSES_S)["id"])
        return self._request("POST", f"/deployments/{self._deployment_ids[kind]}/create_flow_run", body=body)

    def _find_deployment(self, kind: JobKind, *, pauses_s: tuple[float, ...]) -> dict[str, Any]:
        name = quote(kind.value, safe="")
        response = self._request("GET", f"/deployments/name/{name}/{name}", pauses_s=pauses_s)
        if response.status_code == _NOT_FOUND:
            raise Unavailable(f"the flow {kind.value!r} isn't registered with the Prefect server yet")
        return _content(response, needs="id")

    def _call_run(
        self, method: str, run_id: str, *, needs: str, action: str = "", body: Mapping[str, object] | None = None
    ) -> dict[str, Any]:
        if not _is_uuid(run_id):
            raise NotFound(f"flow run: there is none called {run_id[:40]!r}")
        response = self._request(method, f"/flow_runs/{run_id}{action}", body=body)
        if response.status_code == _NOT_FOUND:
            raise NotFound(f"flow run: the Prefect server doesn't know {run_id}")
        return _content(response, needs=needs)

    def _request(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, object] | None = None,
        pauses_s: tuple[float, ...] = _PAUSES_S,
    ) -> httpx.Response:
        if self._client is None:
            raise Unavailable(f"no Prefect server is named: {variable('prefect.apiUrl')} is not set")
        for pause_s in pauses_s:
            with contextlib.suppress(httpx.TransportError):
                response = self._client.request(method, path, json=body)
                if response.status_code not in _PASSING:
                    return response
            time.sleep(pause_s)
        try:
            return self._client.request(method, path, json=body)
        except httpx.TransportError as error:
            raise Unavailable(f"the Prefect server doesn't answer ({type(error).__name__})") from error

    def _nudge(self) -> None:
        # It polls as well: a nudge that fails costs two seconds, not the run.
        with contextlib.suppress(OSError), _connect(self._executor_socket) as bell:
            bell.sendall(b"work\n")


def _make_client(url: str, *, key: str | None) -> httpx.Client:
    user, colon, password = (key or "").partition(":")
    return httpx.Client(
        base_url=url.rstrip("/"),
        auth=httpx.BasicAuth(user, password) if colon else None,
        headers={"Authorization": f"Bearer {key}"} if key and not colon else None,
        timeout=_TIMEOUT,
        # A proxy of the machine must not see what goes to a server on the machine.
        trust_env=urlsplit(url).hostname not in {"127.0.0.1", "::1", "localhost"},
    )


def _content(response: httpx.Response, *, needs: str) -> dict[str, Any]:
    if response.status_code in _REFUSED:
        raise Unavailable(f"the Prefect server refuses the password in {variable('prefect.apiKey')}")
    if not response.is_success:
        raise Unavailable(f"the Prefect server answers {response.status_code} to {response.request.method}")
    try:
        content: object = response.json()
    except ValueError:
        content = None
    if not isinstance(content, dict) or needs not in content:
        raise Unavailable(f"what answers at {variable('prefect.apiUrl')} is no Prefect server")
    return cast("dict[str, Any]", content)


def _to_flow_run(content: Mapping[str, Any]) -> FlowRun:
    state: Mapping[str, Any] = content.get("state") or {}
    return FlowRun(
        run_id=str(content["id"]),
        state=_STATES.get(str(state.get("type")), JobState.QUEUED),
        message=state.get("message") or None,
    )


def _run_name(kind: JobKind, job_id: JobId) -> str:
    return f"{kind.value} · {job_id[:8]}"


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def _connect(path: Path) -> socket.socket:
    bell = socket.socket(socket.AF_UNIX)
    try:
        bell.settimeout(_NUDGE_TIMEOUT_S)
        with unix_address(path) as address:
            bell.connect(address)
    except OSError:
        bell.close()
        raise
    return bell


def _ask_executor(path: Path) -> None:
    try:
        with _connect(path) as bell:
            bell.sendall(b"ready?\n")
            answer = bell.recv(64)
    except OSError as error:
        raise Unavailable("the executor of flow runs isn't there yet") from error
    if answer.strip() != b"ok":
        raise Unavailable("the executor of flow runs doesn't reach the Prefect server yet")
