"""Which part works: one line each, no secrets, cheap enough to be asked every second."""

import threading
import time
from collections.abc import Callable, Mapping

from memory_core.bootstrap import MemoryCore
from memory_core.errors import MemoryCoreError
from memory_core.store.turns import TurnRepository

_FRESH_S = 0.5
"""How long an answer is used again."""
OK = "ok"


class Readiness:
    """Asks every part whether it works."""

    def __init__(self, core: MemoryCore) -> None:
        """Look at the parts of this core."""
        self._core = core
        self._checks: Mapping[str, Callable[[], object]] = {
            "tables": lambda: self._read_tables(core),
            "index": core.index.count,
            "embedder": lambda: core.embedder.model,
            "flows": core.engine.ready,
        }
        self._lock = threading.Lock()
        self._at = float("-inf")
        self._parts: Mapping[str, str] = {}

    def parts(self) -> Mapping[str, str]:
        """State by part: `ok`, or what is missing."""
        with self._lock:
            if time.monotonic() - self._at > _FRESH_S:
                self._parts = {name: _state(check) for name, check in self._checks.items()}
                self._at = time.monotonic()
            return self._parts

    def notes(self) -> Mapping[str, str]:
        """What is not as it was wanted, although the part works; by part."""
        try:
            problem = self._core.embedder.problem
        except MemoryCoreError:
            return {}
        return {} if problem is None else {"embedder": problem}

    @staticmethod
    def _read_tables(core: MemoryCore) -> None:
        with core.database.reading() as db:
            TurnRepository(db).last_captured_at()


def _state(check: Callable[[], object]) -> str:
    try:
        check()
    except MemoryCoreError as error:
        return str(error) or error.code
    return OK
