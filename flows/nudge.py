"""The executor's door bell: a private socket on which a line wakes it and tells whether it can run flows now."""

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path

from memory_core.errors import Invalid
from memory_core.unix_address import unix_address

READY = b"ok\n"
NOT_READY = b"waiting\n"
_PATIENCE_S = 2.0


async def open_nudge(path: Path, *, wake: Callable[[], None], is_ready: Callable[[], bool]) -> asyncio.Server:
    """Listen until the returned server is closed; every line calls `wake` and is answered `ok` or `waiting`.

    A socket that a killed executor left is replaced: only the holder of the executor's lock may call this.

    Raises:
        Invalid: the folder can't hold a socket.
    """

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, TimeoutError, ValueError):
            if await asyncio.wait_for(reader.readline(), _PATIENCE_S):
                wake()
                writer.write(READY if is_ready() else NOT_READY)
                await asyncio.wait_for(writer.drain(), _PATIENCE_S)
        writer.close()

    try:
        path.unlink(missing_ok=True)  # noqa: ASYNC240  once, before anything else runs
        with unix_address(path) as address:
            return await asyncio.start_unix_server(answer, address)
    except OSError as error:
        raise Invalid(f"NIGHTSHIFT_HOME: {path} can't be a socket ({error})") from error
