"""A core in this process over the real index process, with a clock that is set: what a service has, without HTTP."""

import logging
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import structlog

from memory_core.adapters.index_client import RemoteEmbedder, RemoteIndex
from memory_core.bootstrap import MemoryCore, Ports, compose_core
from memory_core.settings_loading import load_settings
from memory_core.values import ScopeKey
from tests.fakes.clock import FakeClock
from tests.fakes.flow_engine import FakeFlowEngine
from tests.quality.measured_processes import Measured, index_process, wait_for_index

_ALL_TURNS = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RealCore:
    """The core, its clock, its index process, and the home they share."""

    core: MemoryCore
    clock: FakeClock
    index: Measured
    home: Path

    def consolidate(self, scope: ScopeKey) -> None:
        """Make memories of what waits in a scope, and let the index know them."""
        self.core.consolidation.run(scope, through=_ALL_TURNS, on_batch=lambda _: None)
        while self.core.indexing.lag():
            self.core.indexing.apply_due()


@contextmanager
def real_core(at: datetime, *, overrides: Mapping[str, object] | None = None) -> Generator[RealCore]:
    """Open one in a home of its own, without a chat model; the clock stands at the given instant.

    Only warnings are logged meanwhile.
    """
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        given = {"timezone": "UTC", "chatModel.provider": "none", **(overrides or {})}
        settings = load_settings({"NIGHTSHIFT_HOME": str(home)}, overrides=given)
        clock = FakeClock(at)
        index, embedder = RemoteIndex(settings.index_socket), RemoteEmbedder(settings.index_socket)
        ports = Ports(clock=clock, index=index, embedder=embedder, engine=FakeFlowEngine())
        try:
            with index_process(home) as measured, compose_core(settings, ports) as core:
                wait_for_index(core)
                yield RealCore(core=core, clock=clock, index=measured, home=home)
        finally:
            embedder.close()
            index.close()
            structlog.reset_defaults()
