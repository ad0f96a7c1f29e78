"""The embedded Prefect server as a process: `python -m flows.server`, or with `--prepare` its template database.

It listens on the loopback port that `NIGHTSHIFT_PREFECT_API_URL` names and asks for the password in
`NIGHTSHIFT_PREFECT_API_KEY`. Nothing of Prefect is imported before its environment stands.
"""

import argparse
import contextlib
import os
import pkgutil
import socket
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import structlog
import uvicorn

from flows.database import find_problem, find_template, prepare_home, store_template, template_places
from flows.environment import (
    database_file,
    prefect_home,
    replace_prefect_variables,
    server_address,
    server_environment,
    storage_environment,
)
from memory_core import lifeline
from memory_core.errors import MemoryCoreError, Unavailable
from memory_core.settings import Settings
from memory_core.settings_loading import load_settings

log = structlog.get_logger()

_STOP_WITHIN_S = 5


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave the signals to the lifeline: SIGINT reaches the whole process group and isn't meant for us."""
        yield


def main() -> None:
    """Entry point of the process; exits with 1 and a clear line when it can't serve."""
    parser = argparse.ArgumentParser(prog="python -m flows.server", description="The embedded Prefect server.")
    parser.add_argument("--prepare", action="store_true", help="build the template database and end")
    arguments = parser.parse_args()
    if arguments.prepare:
        prepare()
        return
    os.umask(0o077)
    try:
        serve(load_settings())
    except MemoryCoreError as error:
        log.error("prefect.cannot_serve", reason=str(error))  # noqa: TRY400  the reason is the whole story
        sys.exit(1)


def serve(settings: Settings) -> None:
    """Serve until the lifeline ends.

    Raises:
        Invalid: the URL or the password is missing or unusable.
        Unavailable: the port is taken, or Prefect couldn't start.
    """
    environment = server_environment(settings)
    listener = _bind(server_address(settings))
    prepare_home(prefect_home(settings), template=find_template())
    replace_prefect_variables(os.environ, environment)
    config = uvicorn.Config(
        "flows.server_app:create",
        factory=True,
        lifespan="on",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=_STOP_WITHIN_S,
    )
    server = _Server(config)
    lifeline.hold(lambda: setattr(server, "should_exit", True))
    try:
        server.run(sockets=[listener])
    except SystemExit as error:
        raise Unavailable("Prefect couldn't start; its own lines above say why") from error


def prepare() -> None:
    """Build the template database of the installed Prefect unless it is there; never fails the caller."""
    template = find_template()
    if template and not find_problem(template):
        log.info("prefect.template_ready", template=str(template))
        return
    log.info("prefect.template_building", note="once per version of Prefect, about 20 s")
    with tempfile.TemporaryDirectory(prefix="nightshift-prefect-") as folder:
        replace_prefect_variables(os.environ, storage_environment(Path(folder)))
        pkgutil.resolve_name("flows.server_app:prepare")()
        stored = store_template(database_file(Path(folder)), template_places())
    if stored:
        log.info("prefect.template_ready", template=str(stored))
    else:
        log.warning("prefect.template_not_kept", effect="the first start of each new home takes about 20 s longer")


def _bind(address: tuple[str, int]) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in address[0] else socket.AF_INET)
    # A server that was killed leaves connections behind that would keep its port for a minute.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Connections inherit it; else the body of every answer waits 40 ms for the client's delayed acknowledgement.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        listener.bind(address)
    except OSError as error:
        listener.close()
        host, port = address
        raise Unavailable(f"port {port} on {host} is taken by another program") from error
    return listener


if __name__ == "__main__":
    main()
