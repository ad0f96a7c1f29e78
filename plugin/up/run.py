"""`nightshift up` from the first check to the last line."""

import asyncio
import os
import shlex
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path

from memory_core.errors import MemoryCoreError
from memory_core.settings import Settings
from memory_core.settings_loading import load_settings
from plugin.client import service_url
from plugin.demo import run_demo
from plugin.report import Report
from plugin.up.gateways import other_gateways
from plugin.up.home import PREFECT_AUTH_FILE, Claim, claim_home, mend_home, prefect_auth, prepare_home
from plugin.up.ports import free_port, wait_for_port
from plugin.up.readiness import Readiness
from plugin.up.supervisor import Supervisor
from plugin.up.tree import PrefectAccess, embedded_tree

_LEFT_BEHIND_PATIENCE_S = 20.0
"""How long processes of a tree that was killed may take to notice and end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpOptions:
    """How the tree is run.

    Attributes:
        sidecar: For a gateway: end when standard input ends, show nothing but states.
        demo: Prove itself once everything is ready.
        gateway: What the gateway that started a sidecar calls itself.
    """

    sidecar: bool
    demo: bool
    gateway: str | None = None


def run_up(settings: Settings, environ: Mapping[str, str], *, options: UpOptions, report: Report) -> int:
    """Serve in the foreground until told to end; the exit code of the process.

    Raises:
        AlreadyRunning: another tree serves this home.
        Invalid: home, address or port can't be used.
        Conflict: the port is somebody else's.
    """
    os.umask(0o077)
    prepare_home(settings)
    with claim_home(settings.home) as claim:
        for line in (*(f"setting {problem}" for problem in settings.problems), *mend_home(settings)):
            report.line(line)
        return asyncio.run(_serve(settings, environ, options=options, report=report, claim=claim))


async def _serve(
    settings: Settings, environ: Mapping[str, str], *, options: UpOptions, report: Report, claim: Claim
) -> int:
    if settings.port == 0:
        settings = replace(settings, port=free_port())
    patience_s = _LEFT_BEHIND_PATIENCE_S if claim.left_behind else 0.0
    await wait_for_port(settings.listen, port=settings.port, patience_s=patience_s)
    prefect = None
    if settings.backends.prefect_api_url is None:
        prefect = PrefectAccess(port=free_port(), auth=prefect_auth(settings.home))
    url = service_url(settings)
    claim.note({"pid": os.getpid(), "url": url, "prefectPage": prefect.page_url if prefect else None})
    report.line(f"Nightshift {version('nightshift')} starts: home {settings.home}, port {settings.port}")
    supervisor = Supervisor(embedded_tree(settings, environ, prefect=prefect), report)
    herald = _Herald(settings, options, report=report, prefect=prefect)
    others = partial(other_gateways, settings, starter=options.gateway)
    return await supervisor.run(herald.tell, sidecar=options.sidecar, others=others)


class _Herald:
    """Tells the starter how the tree comes up, what it can do, and when it recovered."""

    def __init__(
        self, settings: Settings, options: UpOptions, *, report: Report, prefect: PrefectAccess | None
    ) -> None:
        self._settings = settings
        self._options = options
        self._report = report
        self._prefect = prefect
        self._readiness = Readiness(service_url(settings), report)

    async def tell(self, supervisor: Supervisor) -> None:
        """Tell it, for as long as the tree runs."""
        started_s = time.monotonic()
        await self._readiness.wait()
        self._report.line(f"ready after {time.monotonic() - started_s:.1f} s")
        if not self._options.sidecar:
            if self._options.demo:
                await self._demonstrate()
            self._say_what_is_where()
        supervisor.restarted.clear()
        while True:
            await supervisor.restarted.wait()
            supervisor.restarted.clear()
            again_s = time.monotonic()
            await self._readiness.wait()
            self._report.line(f"ready again after {time.monotonic() - again_s:.1f} s")

    async def _demonstrate(self) -> None:
        try:
            await run_demo(self._settings, self._report.line)
        except MemoryCoreError as error:
            self._report.line(f"DEMONSTRATION FAILED: {error}")
            self._report.line(f"The service goes on; the logs in {self._settings.home / 'logs'} may tell why.")

    def _say_what_is_where(self) -> None:
        home, call = self._settings.home, how_to_call(self._settings)
        lines = ["", "Nightshift serves.", f"  service    {service_url(self._settings)}"]
        if self._prefect is None:
            lines.append(f"  flows      run by the workers of {self._settings.backends.prefect_api_url}")
        else:
            lines.append(
                f"  Prefect    {self._prefect.page_url}, the password is the line in {home / PREFECT_AUTH_FILE}"
            )
        lines += [
            f"  data       {home}, logs in {home / 'logs'}",
            "Next, in another terminal:",
            f"  plug it into your OpenClaw gateway   {call} connect",
            f'  try it without one                   {call} remember "The spare key is under the blue pot"',
            f'                                       {call} search "where is the key?"',
            f"  check the installation               {call} doctor",
            "Ctrl-C ends it.",
        ]
        for line in lines:
            self._report.line(line)


def how_to_call(settings: Settings) -> str:
    """The command line that reaches this installation from the present folder, for people to copy."""
    # Beside the Python that runs this, however it was started.
    program = Path(sys.executable).absolute().with_name("nightshift")
    found = shutil.which(program.name)
    if found and Path(found).absolute() == program:
        call = program.name
    elif program.is_relative_to(Path.cwd()):
        call = str(program.relative_to(Path.cwd()))
    else:
        call = str(program)
    usual = load_settings({})
    parts = [call]
    if settings.home != usual.home:
        parts += ["--home", str(settings.home)]
    if settings.port != usual.port:
        parts += ["--port", str(settings.port)]
    return shlex.join(parts)
