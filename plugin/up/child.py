"""One child of the supervisor: started, watched, started again when it dies, ended in order."""

import asyncio
import contextlib
import itertools
import os
import signal
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path

from memory_core.lifeline import LIFELINE_VARIABLE
from plugin.terminal import printable
from plugin.up.restart import Deaths, RestartPolicy, Verdict

_CANT_START = 127
"""Exit code that stands for a program that could not be started, as in a shell."""
_LOG_LIMIT_BYTES = 5_000_000
_OLD_LOGS = 2
_TAIL_LINES = 12
_TAIL_BYTES = 8_000
_TAIL_COLUMNS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildSpec:
    """What to start.

    Attributes:
        name: For people and for the log file.
        command: Program and arguments.
        environ: The whole environment of the child.
        log_file: Takes its output; turned over by size at each start.
        stage: When the tree ends, the children of a lower stage end first.
        vital: Without it the tree makes no sense.
        gate: Awaited before the first start; None starts at once.
    """

    name: str
    command: tuple[str, ...]
    environ: Mapping[str, str]
    log_file: Path
    stage: int = 0
    vital: bool = False
    gate: Callable[[], Awaitable[None]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Nursery:
    """What all children of a tree share.

    Attributes:
        policy: How they are started again.
        tell: Takes a line for people.
        spawning: Held while one is started, so that signals are held back for exactly that long.
        restarted: Set whenever one was started again.
    """

    policy: RestartPolicy
    tell: Callable[[str], None]
    spawning: asyncio.Lock
    restarted: asyncio.Event


class GaveUp(Exception):
    """A vital child can't be kept alive; everything to say was said."""


class Child:
    """Keeps one process running until it is told to stop."""

    def __init__(self, spec: ChildSpec, nursery: Nursery) -> None:
        self.spec = spec
        self._nursery = nursery
        self._process: Process | None = None
        self._stopping = asyncio.Event()
        self._log_start_bytes = 0

    async def keep_running(self) -> None:
        """Start it, and start it again whenever it dies; returns after `stop`.

        Raises:
            GaveUp: it is vital and died of its own too often.
        """
        if self.spec.gate is not None:
            await _first(self.spec.gate(), self._stopping.wait())
        deaths = Deaths(self._nursery.policy)
        while not self._stopping.is_set():
            code, lived_s = await self._live_once()
            if not self._stopping.is_set():
                await self._mourn(code, deaths.record(code, lived_s=lived_s))
                self._nursery.restarted.set()

    def retire(self) -> None:
        """Start it no more when it ends; it goes on until then."""
        self._stopping.set()

    async def stop(self, grace_s: float) -> None:
        """End it: a polite word, the end of its pipe, and after the grace a kill. Safe to call twice."""
        self.retire()
        async with self._nursery.spawning:
            # One that was just being started is there by now, and none is started any more.
            process = self._process
        if process is None or process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        if process.stdin is not None:
            process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), grace_s)
        except TimeoutError:
            self._nursery.tell(f"{self.spec.name} did not end within {grace_s:g} s and was killed")
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _live_once(self) -> tuple[int, float]:
        clock = asyncio.get_running_loop()
        started_s = clock.time()
        try:
            process = await self._spawn()
        except OSError as error:
            with contextlib.suppress(OSError), self.spec.log_file.open("a", encoding="utf-8") as log:
                log.write(f"can't be started: {error}\n")
            return _CANT_START, 0.0
        code = 0 if process is None else await process.wait()
        return code, clock.time() - started_s

    async def _spawn(self) -> Process | None:
        async with self._nursery.spawning:
            if self._stopping.is_set():
                return None
            _turn_over(self.spec.log_file)
            with self.spec.log_file.open("ab") as log, signals_held():
                self._log_start_bytes = log.tell()
                self._process = await asyncio.create_subprocess_exec(
                    *self.spec.command,
                    stdin=PIPE,
                    stdout=log,
                    stderr=STDOUT,
                    env={**self.spec.environ, LIFELINE_VARIABLE: "1"},
                )
        return self._process

    async def _mourn(self, code: int, verdict: Verdict) -> None:
        name, tell = self.spec.name, self._nursery.tell
        last_words = _tail(self.spec.log_file, start_bytes=self._log_start_bytes) or ["(it wrote nothing)"]
        if not verdict.hopeless:
            tell(f"{name} {_cause(code)}; starting it again in {verdict.pause_s:g} s")
            if code > 0 and verdict.own_deaths == 1:
                tell(f"    {last_words[-1]}")
        elif verdict.newly_hopeless:
            what_now = "giving up" if self.spec.vital else f"from now on tried every {verdict.pause_s:g} s"
            tell(f"{name} {_cause(code)}, {verdict.own_deaths} times in a row: {what_now}")
            tell(f"the end of {self.spec.log_file}:")
            for line in last_words:
                tell(f"    {line}")
        if verdict.hopeless and self.spec.vital:
            raise GaveUp(name)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), verdict.pause_s)


@contextlib.contextmanager
def signals_held() -> Generator[None]:
    """Hold back Ctrl-C and hang-up in this thread; what is started inside never sees them.

    They reach a whole process group at once. A child that is still starting has no handler yet, and one that has must
    not end before it is told to: so both stay blocked in the children. Here they arrive when the block is left.
    """
    held = (signal.SIGINT, signal.SIGHUP)
    signal.pthread_sigmask(signal.SIG_BLOCK, held)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, held)


async def _first(*awaitables: Awaitable[object]) -> None:
    tasks = [asyncio.ensure_future(awaitable) for awaitable in awaitables]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _cause(code: int) -> str:
    if code >= 0:
        return f"ended by itself (exit code {code})"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def _turn_over(log_file: Path) -> None:
    try:
        if log_file.stat().st_size < _LOG_LIMIT_BYTES:
            return
    except FileNotFoundError:
        return
    names = [log_file, *(log_file.with_name(f"{log_file.name}.{number}") for number in range(1, _OLD_LOGS + 1))]
    for newer, older in reversed(list(itertools.pairwise(names))):
        with contextlib.suppress(FileNotFoundError):
            newer.replace(older)


def _tail(log_file: Path, *, start_bytes: int) -> list[str]:
    with contextlib.suppress(OSError), log_file.open("rb") as log:
        size_bytes = os.fstat(log.fileno()).st_size
        log.seek(max(start_bytes, size_bytes - _TAIL_BYTES))
        text = log.read().decode("utf-8", "replace")
        return [printable(line)[:_TAIL_COLUMNS] for line in text.splitlines() if line.strip()][-_TAIL_LINES:]
    return []
