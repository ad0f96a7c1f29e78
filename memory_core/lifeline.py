"""Ties a process to the one that started it, so that none is left behind and none ends in the middle of its work.

The starter gives each child a pipe as standard input and sets `NIGHTSHIFT_LIFELINE=1`. When the starter ends, for
whatever reason, the pipe ends, and the child shuts down as after SIGTERM. SIGINT is left to the starter: Ctrl-C reaches
the whole process group at once, and the order of ending is the starter's to choose.
"""

import os
import signal
import threading
from collections.abc import Callable

LIFELINE_VARIABLE = "NIGHTSHIFT_LIFELINE"
_STANDARD_INPUT = 0


def hold(on_end: Callable[[], None]) -> None:
    """Call `on_end` once, on SIGTERM or when the starter is gone; to be called from the main thread.

    Args:
        on_end: Must return soon and may run in any thread; a second signal doesn't call it again.
    """
    called = threading.Event()

    def end(*_: object) -> None:
        if not called.is_set():
            called.set()
            on_end()

    signal.signal(signal.SIGTERM, end)
    if os.environ.get(LIFELINE_VARIABLE) == "1":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        threading.Thread(target=_wait_for_end_of_pipe, args=(end,), name="lifeline", daemon=True).start()
    else:
        signal.signal(signal.SIGINT, end)


def _wait_for_end_of_pipe(end: Callable[[], None]) -> None:
    # Nothing is ever sent: the read returns when the other side is gone. Python's own stdin object would hold a lock
    # that the interpreter needs at its end.
    while os.read(_STANDARD_INPUT, 4096):
        pass
    end()
