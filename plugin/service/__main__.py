"""Read the settings, open the core, serve on loopback until the starter ends."""

import gc
import logging
import socket
import sys
from collections.abc import Generator
from contextlib import contextmanager

import structlog
import uvicorn

from memory_core.bootstrap import open_core, prepare_home
from memory_core.errors import MemoryCoreError
from memory_core.keyfile import load_or_create
from memory_core.lifeline import hold
from memory_core.settings import Settings
from memory_core.settings_loading import load_settings
from plugin.service.app import build_app
from plugin.service.background import Background

EXIT_CANNOT_START = 3
_GRACE_S = 5
_OBJECTS_TO_COLLECT = 50_000
"""New objects before the collector looks at them: a long conversation makes some thousand for each request."""

log = structlog.get_logger(__name__)


class _Server(uvicorn.Server):
    """A server that leaves signals alone: the lifeline decides when this process ends."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Install no handler."""
        yield


def main() -> None:
    """Serve; exit code 3 with one line when that is impossible."""
    settings = load_settings()
    logging.basicConfig(level=logging.WARNING, stream=sys.stdout, format="%(levelname)s %(name)s %(message)s")
    try:
        serve(settings)
    except (MemoryCoreError, OSError) as error:
        log.error("service.cannot_start", reason=str(error))  # noqa: TRY400 one line for a person, no traceback
        sys.exit(EXIT_CANNOT_START)


def serve(settings: Settings) -> None:
    """Serve until the starter ends.

    Raises:
        OSError: the address is in use, or the home can't be written.
        MemoryCoreError: the tables can't be opened.
    """
    prepare_home(settings)
    listener = socket.create_server((settings.listen, settings.port), reuse_port=False)
    # Connections inherit it; asyncio sets it only on sockets that were made for TCP by name. Without it the body of
    # every answer waits 40 ms for the client's delayed acknowledgement of the head.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    running: list[Background] = []

    def wake() -> None:
        for background in running:
            background.wake()

    with listener, open_core(settings, on_work=wake) as core:
        app = build_app(core, token=load_or_create(settings.token_file), on_wake=running)
        server = _Server(
            uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=_GRACE_S, lifespan="on")
        )

        def end() -> None:
            if context := getattr(app.state, "service", None):
                context.ending.set()
            server.should_exit = True

        hold(end)
        _collect_rarely()
        log.info("service.listening", port=settings.port)
        server.run(sockets=[listener])


def _collect_rarely() -> None:
    """Spare requests most collections: what is loaded stays for good, and looking through it fell into every tenth one.

    At 2,000 messages a context's 95th percentile fell from 200 to 120 ms of CPU, on a busy machine.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_OBJECTS_TO_COLLECT, *gc.get_threshold()[1:])


if __name__ == "__main__":
    main()
