"""Calls over the socket of the index process: pooled connections, deadlines, one repeat after a restart."""

import socket
import threading
import time
from pathlib import Path

from memory_core.adapters.index_wire import HEAD, Wire, body_length, pack, unpack
from memory_core.errors import Conflict, Invalid, Unavailable
from memory_core.unix_address import unix_address

_MAX_IDLE = 16
_CHUNK_BYTES = 1 << 20


class Caller:
    """Calls to the index process; thread-safe, each call has a connection to itself.

    A call that finds the connection broken, because the process was started again, is made once more: every call may
    be made twice.
    """

    def __init__(self, path: Path) -> None:
        """Take the socket's path; connects at the first call."""
        self._path = path
        self._idle: list[socket.socket] = []
        self._lock = threading.Lock()

    def call(self, op: str, args: Wire, *, within_s: float) -> object:
        """Make a call.

        Raises:
            Invalid: the process refused the arguments.
            Conflict: the process has another model than the caller thinks.
            Unavailable: the process is away or didn't answer in time.
        """
        deadline = time.monotonic() + within_s
        frame = pack({"op": op, "args": args, "within_s": within_s})
        connection = self._take_idle()
        if connection is not None:
            try:
                return self._exchange(connection, frame, deadline=deadline)
            except (ConnectionError, EOFError):
                self.close()
        try:
            return self._exchange(self._connect(deadline), frame, deadline=deadline)
        except (ConnectionError, EOFError) as error:
            raise Unavailable("the index process ended during the call") from error

    def close(self) -> None:
        """Close idle connections; the next call opens one again."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _exchange(self, connection: socket.socket, frame: bytes, *, deadline: float) -> object:
        try:
            connection.settimeout(_left(deadline))
            connection.sendall(frame)
            answer = _read_frame(connection, deadline=deadline)
        except TimeoutError as error:
            connection.close()
            raise Unavailable("the index process gave no answer in time") from error
        except BaseException:
            connection.close()
            raise
        self._give_back(connection)
        return _result(answer)

    def _connect(self, deadline: float) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(_left(deadline))
        try:
            with unix_address(self._path) as address:
                connection.connect(address)
        except OSError as error:
            connection.close()
            raise Unavailable("the index process is away") from error
        return connection

    def _take_idle(self) -> socket.socket | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _give_back(self, connection: socket.socket) -> None:
        with self._lock:
            if len(self._idle) < _MAX_IDLE:
                self._idle.append(connection)
                return
        connection.close()


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _read_frame(connection: socket.socket, *, deadline: float) -> Wire:
    length = body_length(_receive(connection, HEAD.size, deadline=deadline))
    return unpack(_receive(connection, length, deadline=deadline))


def _receive(connection: socket.socket, size: int, *, deadline: float) -> bytearray:
    received = bytearray()
    while len(received) < size:
        connection.settimeout(_left(deadline))
        chunk = connection.recv(min(size - len(received), _CHUNK_BYTES))
        if not chunk:
            raise EOFError
        received += chunk
    return received


def _result(answer: Wire) -> object:
    if "ok" in answer:
        return answer["ok"]
    message = str(answer.get("message"))
    refusals = {refusal.code: refusal for refusal in (Invalid, Conflict)}
    raise refusals.get(str(answer.get("error")), Unavailable)(message)
