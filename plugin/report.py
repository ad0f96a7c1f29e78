"""Lines for the person, or the gateway, that started the tree."""

import os
import shutil
import time
from typing import TextIO

_QUIET_S = 10.0


class Report:
    """Writes whole lines; between them, on a terminal, one line that says what is waited for.

    When nobody reads any more (a closed pipe, a terminal that hung up), it falls silent: the tree goes on.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._on_terminal = stream.isatty()
        self._transient = False
        self._spoke_at_s = time.monotonic()

    def line(self, text: str = "") -> None:
        """Write one line."""
        self._write(f"{self._erase()}{text}\n")
        self._spoke_at_s = time.monotonic()

    def waiting(self, text: str) -> None:
        """Say what is waited for: at once on a terminal, elsewhere after 10 s without a line."""
        if self._on_terminal:
            # A line that wraps could not be taken back.
            self._write(f"{self._erase()}{text[: shutil.get_terminal_size().columns - 1]}")
            self._transient = True
        elif time.monotonic() - self._spoke_at_s >= _QUIET_S:
            self.line(text)

    def _erase(self) -> str:
        erase = "\r\x1b[2K" if self._transient else ""
        self._transient = False
        return erase

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._fall_silent()

    def _fall_silent(self) -> None:
        # The interpreter flushes the stream once more at its end; what is left in it must go somewhere.
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)
        except (OSError, ValueError):
            return
