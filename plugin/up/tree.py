"""The children of the embedded mode: what each is told, and in which order they come up."""

import asyncio
import contextlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace

import httpx

from memory_core.settings import Settings
from memory_core.settings_loading import HOME_VARIABLE, variable
from plugin.up.child import ChildSpec

_USER, _USED = 0, 1
"""Stages of ending: who works ends before what it works with."""
_POLL_S = 0.5
_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefectAccess:
    """Where the embedded Prefect server will listen, and the `user:password` it asks for."""

    port: int
    auth: str

    @property
    def page_url(self) -> str:
        """For people."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def api_url(self) -> str:
        """For programs."""
        return f"{self.page_url}/api"


def embedded_tree(
    settings: Settings, environ: Mapping[str, str], *, prefect: PrefectAccess | None
) -> tuple[ChildSpec, ...]:
    """The children, to be started in this order.

    Args:
        settings: Where everything is.
        environ: The supervisor's own environment, which the children get with what they need added.
        prefect: None when an external Prefect server is configured; its workers run the flows then, and neither a
            server nor an executor is started here.
    """
    told = {
        **environ,
        HOME_VARIABLE: str(settings.home),
        variable("port"): str(settings.port),
        # Without it a child's lines would reach its log only in blocks, the last ones before a kill never.
        "PYTHONUNBUFFERED": "1",
        # The folder in which a person or a gateway starts us may hold packages named like ours: none of it is loaded.
        "PYTHONSAFEPATH": "1",
        # Products of small matrices: threads of the linear algebra library would wait for each other by spinning.
        "OPENBLAS_NUM_THREADS": "1",
    }
    if prefect is not None:
        told |= {variable("prefect.apiUrl"): prefect.api_url, variable("prefect.apiKey"): prefect.auth}
    specs = [
        _spec("index", settings, environ=told, module="memory_core.adapters.index_process", stage=_USED),
        _spec("service", settings, environ=told, module="plugin.service", stage=_USER),
    ]
    if prefect is not None:
        executor = _spec("executor", settings, environ=told, module="flows.executor", stage=_USER)
        specs += [
            _spec("prefect", settings, environ=told, module="flows.server", stage=_USED),
            replace(executor, gate=PrefectGate(prefect.api_url)),
        ]
    return tuple(specs)


def _spec(name: str, settings: Settings, *, environ: Mapping[str, str], module: str, stage: int) -> ChildSpec:
    return ChildSpec(
        name=name,
        command=(sys.executable, "-m", module),
        environ=environ,
        log_file=settings.home / "logs" / f"{name}.log",
        stage=stage,
        vital=name == "service",
    )


class PrefectGate:
    """Opens when the Prefect server answers: the executor has nothing to do before."""

    def __init__(self, api_url: str) -> None:
        self._health_url = f"{api_url}/health"

    async def __call__(self) -> None:
        """Wait for it; may wait for ever."""
        async with httpx.AsyncClient(trust_env=False, timeout=_TIMEOUT_S) as client:
            while True:
                with contextlib.suppress(httpx.HTTPError):
                    if (await client.get(self._health_url)).is_success:
                        return
                await asyncio.sleep(_POLL_S)
