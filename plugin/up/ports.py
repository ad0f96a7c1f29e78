"""Ports of this machine: which are free, and who holds one that isn't."""

import asyncio
import errno
import socket
from contextlib import suppress

import psutil

from memory_core.errors import Conflict, Invalid

_POLL_S = 0.25


def free_port() -> int:
    """A loopback port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def wait_for_port(address: str, *, port: int, patience_s: float) -> None:
    """Return once the port can be listened on.

    Args:
        address: Where the service will listen.
        port: Its port.
        patience_s: How long it may still be taken; 0 when nobody is known to be leaving it.

    Raises:
        Conflict: somebody else keeps it.
        Invalid: this address or port can't be listened on at all.
    """
    deadline_s = asyncio.get_running_loop().time() + patience_s
    while not _is_free(address, port):
        if asyncio.get_running_loop().time() >= deadline_s:
            raise Conflict(
                f"port {port} is in use by {_holder(port)}; end that program, "
                "or choose another port with --port or NIGHTSHIFT_PORT"
            )
        await asyncio.sleep(_POLL_S)


def _is_free(address: str, port: int) -> bool:
    try:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family) as probe:
            # As the service does: connections of an earlier one that are fading away don't count.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address, port))
            probe.listen(1)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return False
        raise Invalid(f"can't listen on {address} port {port}: {error.strerror or error}") from error
    return True


def _holder(port: int) -> str:
    with suppress(psutil.Error, OSError):
        for connection in psutil.net_connections("tcp"):
            # psutil describes the address as a plain tuple: host, port; empty when there is none.
            listens_on: tuple[object, ...] = connection.laddr
            if connection.status == psutil.CONN_LISTEN and listens_on[1:2] == (port,) and connection.pid:
                return f"{psutil.Process(connection.pid).name()} (pid {connection.pid})"
    return "another program"
