"""Runs the tree: brings the children up, keeps them up, and ends them all in order, whatever the reason."""

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial

from plugin.report import Report
from plugin.up.child import Child, ChildSpec, GaveUp, Nursery
from plugin.up.restart import RestartPolicy

ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_STANDARD_INPUT = 0
_LAST_WORDS_S = 3.0
"""How long a demonstration that is cut short may take to clean up; the next one does the rest."""
_SIDECAR_PATIENCE_S = 8.0
"""How long a sidecar leaves Ctrl-C or a hang-up to its gateway, which has last words to send; then it ends anyway."""

Herald = Callable[["Supervisor"], Coroutine[None, None, None]]
Others = Callable[[], Awaitable[int]]
"""Counts the gateways besides the starter that use the tree."""


async def nobody() -> int:
    """Nobody but the starter uses the tree."""
    return 0


class Supervisor:
    """One process tree in the starter's process group."""

    def __init__(
        self,
        specs: Sequence[ChildSpec],
        report: Report,
        *,
        policy: RestartPolicy | None = None,
        stop_grace_s: float = 12.0,
        look_again_s: float = 5.0,
    ) -> None:
        """Know the children; none is started yet.

        Args:
            specs: In the order in which they are started.
            report: Where lines for people go.
            policy: How a child that died is started again.
            stop_grace_s: How long a child may take to end.
            look_again_s: How often a sidecar that outlived its gateway asks whether another one still uses it.
        """
        self.restarted = asyncio.Event()
        """Set whenever a child was started again; the listener clears it."""
        nursery = Nursery(
            policy=policy or RestartPolicy(), tell=report.line, spawning=asyncio.Lock(), restarted=self.restarted
        )
        self.children = [Child(spec, nursery) for spec in specs]
        self._report = report
        self._stop_grace_s = stop_grace_s
        self._look_again_s = look_again_s
        self._ending = asyncio.Event()
        self._reason = ""
        self._others: Others = nobody
        self._outliving: asyncio.Task[None] | None = None

    def end(self, reason: str) -> None:
        """Ask the tree to end; the first reason counts."""
        if not self._ending.is_set():
            self._reason = reason
            self._ending.set()

    async def run(self, herald: Herald, *, sidecar: bool, others: Others = nobody) -> int:
        """Keep everything running until the end is asked for or the vital child can't be kept alive.

        Signals stay blocked when this returns: the process is about to end, and a late Ctrl-C must not hurt it.

        Args:
            herald: Tells the starter how it goes, beside the children; its end ends nothing.
            sidecar: End when standard input does, and leave Ctrl-C to the starter for a while.
            others: Asked when the starter of a sidecar is gone: the tree stays as long as somebody else uses it.

        Returns:
            Exit code of the process.
        """
        self._others = others
        self._listen(sidecar=sidecar)
        keepers = [asyncio.create_task(child.keep_running()) for child in self.children]
        for keeper in keepers:
            keeper.add_done_callback(lambda _: self.end("a part that nothing works without is gone"))
        heralding = asyncio.create_task(herald(self))
        heralding.add_done_callback(self._check_herald)
        await self._ending.wait()
        heralding.cancel()
        await asyncio.wait([heralding], timeout=_LAST_WORDS_S)
        failed = await self._end_children(keepers)
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
        return 1 if failed else 0

    def _check_herald(self, heralding: asyncio.Task[None]) -> None:
        if not heralding.cancelled() and (error := heralding.exception()):
            self._report.line(f"serving goes on, but nothing more will be said about it ({error!r})")

    async def _end_children(self, keepers: Sequence[asyncio.Task[None]]) -> bool:
        self._report.line(f"ending: {self._reason}")
        for child in self.children:
            child.retire()  # a signal may have reached them all at once
        for stage in sorted({child.spec.stage for child in self.children}):
            await asyncio.gather(*(c.stop(self._stop_grace_s) for c in self.children if c.spec.stage == stage))
        outcomes = await asyncio.gather(*keepers, return_exceptions=True)
        failures = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
        for failure in failures:
            if not isinstance(failure, GaveUp):
                raise failure
        self._report.line("ended after a failure" if failures else "ended")
        return bool(failures)

    def _listen(self, *, sidecar: bool) -> None:
        loop = asyncio.get_running_loop()
        for number in ENDING_SIGNALS:
            # Hang-ups that the starter ignores (nohup) stay ignored. An ignored SIGINT, which a shell gives to what it
            # runs in the background, is taken all the same: whoever sends one wants the end.
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, self._on_signal, number, sidecar)
        if sidecar:
            threading.Thread(target=self._watch_input, args=(loop,), name="starter", daemon=True).start()

    def _on_signal(self, number: signal.Signals, sidecar: bool) -> None:  # noqa: FBT001  the loop passes positions only
        if sidecar and number != signal.SIGTERM:
            asyncio.get_running_loop().call_later(_SIDECAR_PATIENCE_S, self._lose_starter, number.name)
        else:
            self.end(number.name)

    def _watch_input(self, loop: asyncio.AbstractEventLoop) -> None:
        # Nothing is ever sent: the read returns when the gateway is gone.
        with contextlib.suppress(OSError):
            while os.read(_STANDARD_INPUT, 4096):
                pass
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(self._lose_starter, "whoever started this is gone")

    def _lose_starter(self, reason: str) -> None:
        if self._outliving is None:
            self._outliving = asyncio.get_running_loop().create_task(self._outlive(reason))
            self._outliving.add_done_callback(partial(self._check_outliving, reason))

    def _check_outliving(self, reason: str, outliving: asyncio.Task[None]) -> None:
        if not outliving.cancelled() and (error := outliving.exception()):
            self.end(f"{reason}, and who else uses this can't be told ({error!r})")

    async def _outlive(self, reason: str) -> None:
        stays = False
        while (count := await self._others()) > 0:
            if not stays:
                self._report.line(f"{reason}; it stays for other gateways that use it ({count})")
            stays = True
            await asyncio.sleep(self._look_again_s)
        self.end("no gateway uses this any more" if stays else reason)
