"""The process that holds the embedded index and the embedder: `python -m memory_core.adapters.index_process`.

It listens on the private socket `Settings.index_socket` for the service and for flow runs, and ends with its starter.
"""

import asyncio
import os
import socket
import sys
import threading
import time

import structlog

from memory_core import lifeline
from memory_core.adapters.embedder_choice import choose, wait_for_files
from memory_core.adapters.index_folder import claim, mark_damaged, mark_traces, open_index
from memory_core.adapters.index_server import IndexServer
from memory_core.errors import Conflict, Corrupt, MemoryCoreError
from memory_core.settings import Settings
from memory_core.settings_loading import load_settings
from memory_core.unix_address import unix_address

EXIT_FAILED = 1
EXIT_IN_USE = 3
"""Another process has the index; starting again won't help."""

_PRIVATE_UMASK = 0o077
_SOCKET_MODE = 0o600
_WAITING_CLIENTS = 128

log = structlog.get_logger(__name__)


def main() -> None:
    """Serve until the starter ends; one line and an exit code when that is impossible."""
    os.umask(_PRIVATE_UMASK)
    try:
        settings, ending = load_settings(), _Ending()
        lifeline.hold(ending.end)
        serve(settings, ending)
        while ending.take_renewal():
            serve(settings, ending)
    except Conflict as error:
        log.error("index.in_use", reason=str(error))  # noqa: TRY400 - one line for a person, no traceback
        sys.exit(EXIT_IN_USE)
    except (MemoryCoreError, OSError) as error:
        log.error("index.failed", reason=str(error))  # noqa: TRY400 - one line for a person, no traceback
        sys.exit(EXIT_FAILED)


def serve(settings: Settings, ending: "_Ending") -> None:
    """Load, answer, and flush at the end.

    Raises:
        Conflict: another process has the index.
        Corrupt: the model isn't the one that was checked, or the index turned out to be damaged.
        Unavailable: the index can't be written.
    """
    started_at = time.monotonic()
    lock = claim(settings.index_folder)
    try:
        choice = choose(settings)
        index = open_index(settings.index_folder, layout=choice.embedder.layout)
        server = IndexServer(
            embedder=choice.embedder,
            index=index,
            layout=choice.embedder.layout,
            on_damage=lambda: ending.damaged(settings),
            on_purge=lambda: ending.purge(settings),
        )
        if ending.of(server):
            if choice.awaited is not None:
                wait_for_files(choice.awaited, settings.home / "models", on_there=ending.renew)
            listening = _listen(settings)
            log.info("index.ready", points=index.count(), took_s=round(time.monotonic() - started_at, 1))
            asyncio.run(server.serve(listening))
            settings.index_socket.unlink(missing_ok=True)
        if ending.is_damaged:
            raise Corrupt("the index is damaged; the next start makes it anew")
        index.close()
    finally:
        lock.release()


class _Ending:
    """Remembers that the end was asked for, also while there is nothing to stop yet."""

    def __init__(self) -> None:
        self.is_damaged = False
        self._asked = threading.Event()
        self._renewed = threading.Event()
        self._server: IndexServer | None = None

    def end(self) -> None:
        """The starter is gone or wants us to end."""
        self._asked.set()
        if self._server is not None:
            self._server.stop()

    def renew(self) -> None:
        """Serve again, with what is there then."""
        self._renewed.set()
        if self._server is not None:
            self._server.stop()

    def purge(self, settings: Settings) -> None:
        """Nothing of deleted points shall stay: serve again, with an empty index."""
        mark_traces(settings.index_folder)
        self.renew()

    def take_renewal(self) -> bool:
        """Whether serving is to begin again; tells it once."""
        again = self._renewed.is_set() and not self._asked.is_set()
        self._renewed.clear()
        return again

    def of(self, server: IndexServer) -> bool:
        """From now on this server is to be stopped; False when the end was asked for before."""
        self._server = server
        return not self._asked.is_set()

    def damaged(self, settings: Settings) -> None:
        """The files can't be trusted: the next start shall not open them."""
        self.is_damaged = True
        mark_damaged(settings.index_folder)


def _listen(settings: Settings) -> socket.socket:
    # The lock is ours, so a socket file that is there belongs to nobody any more.
    settings.index_socket.unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with unix_address(settings.index_socket) as address:
        listening.bind(address)
    settings.index_socket.chmod(_SOCKET_MODE)
    listening.listen(_WAITING_CLIENTS)
    return listening


if __name__ == "__main__":
    main()
