"""Watches `/readyz` until every part works, and says when each one does."""

import asyncio
from collections.abc import Mapping

import httpx

from plugin.client import READY, ready_parts
from plugin.report import Report

_POLL_S = 0.25
_TIMEOUT_S = 3.0
_NAME_COLUMNS = 10


class Readiness:
    """The service's own word on which parts work."""

    def __init__(self, url: str, report: Report) -> None:
        self._url = f"{url}/readyz"
        self._report = report

    async def wait(self) -> None:
        """Return at the first 200, with one line for each part as it comes up; may wait for ever."""
        clock = asyncio.get_running_loop()
        started_s = clock.time()
        told: set[str] = set()
        async with httpx.AsyncClient(trust_env=False, timeout=_TIMEOUT_S) as client:
            while True:
                ready, parts = await self._ask(client)
                waited_s = clock.time() - started_s
                for name in (name for name, state in parts.items() if state == READY and name not in told):
                    told.add(name)
                    self._report.line(f"  {name:<{_NAME_COLUMNS}} ready after {waited_s:4.1f} s")
                if ready:
                    return
                missing = [f"{name} ({state})" for name, state in parts.items() if state != READY] or ["the service"]
                self._report.waiting(f"  {waited_s:3.0f} s, waiting for {', '.join(missing)}")
                await asyncio.sleep(_POLL_S)

    async def _ask(self, client: httpx.AsyncClient) -> tuple[bool, Mapping[str, str]]:
        try:
            answer = await client.get(self._url)
            return answer.is_success, ready_parts(answer.json())
        except (httpx.HTTPError, ValueError):
            return False, {}
