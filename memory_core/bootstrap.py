"""The composition root: plain calls in order, closed in reverse."""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_core.adapters.index_client import RemoteEmbedder, RemoteIndex
from memory_core.adapters.index_layout import BUNDLED
from memory_core.adapters.prefect_engine import PrefectEngine
from memory_core.adapters.system_clock import SystemClock
from memory_core.capture.dedup import TextKeys
from memory_core.capture.service import CaptureService
from memory_core.capture.storing import StoringService
from memory_core.capture.writing import MemoryWriter
from memory_core.consolidation.service import ConsolidationService
from memory_core.forgetting.service import ForgettingService
from memory_core.indexing.service import IndexingService
from memory_core.jobs.handlers import handlers
from memory_core.jobs.service import JobService
from memory_core.keyfile import load_or_create
from memory_core.ports import Clock, Embedder, FlowEngine, VectorIndex
from memory_core.recall.finding import Finder
from memory_core.recall.ledger import Ledger
from memory_core.recall.library import LibraryService
from memory_core.recall.prefetch import Prefetch
from memory_core.recall.service import RecallService
from memory_core.settings import Settings
from memory_core.store.database import Database

if TYPE_CHECKING:
    from memory_core.adapters.qdrant_server_index import QdrantServerIndex

HOME_MODE = 0o700
_PRIVATE_UMASK = 0o077


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCore:
    """The services of one process; every one is thread-safe."""

    settings: Settings
    clock: Clock
    database: Database
    index: VectorIndex
    embedder: Embedder
    engine: FlowEngine
    capture: CaptureService
    finder: Finder
    recall: RecallService
    indexing: IndexingService
    consolidation: ConsolidationService
    forgetting: ForgettingService
    storing: StoringService
    library: LibraryService
    jobs: JobService


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """The outside of a core; tests give fakes."""

    clock: Clock
    index: VectorIndex
    embedder: Embedder
    engine: FlowEngine


def prepare_home(settings: Settings) -> None:
    """Make the home folder, readable by its owner only; files of this process are made the same way."""
    os.umask(_PRIVATE_UMASK)
    settings.home.mkdir(mode=HOME_MODE, parents=True, exist_ok=True)
    settings.home.chmod(HOME_MODE)


@contextmanager
def open_core(settings: Settings, *, on_work: Callable[[], None] = lambda: None) -> Generator[MemoryCore]:
    """Open everything over the real adapters.

    Args:
        settings: Where everything is.
        on_work: Called after a commit that owes a job; must not block.

    Raises:
        Corrupt: the tables can't be read or belong to a newer version.
        Unavailable: the database is away.
    """
    prepare_home(settings)
    index = _open_index(settings)
    embedder = RemoteEmbedder(settings.index_socket)
    engine = PrefectEngine(settings)
    ports = Ports(clock=SystemClock(), index=index, embedder=embedder, engine=engine)
    try:
        with compose_core(settings, ports, on_work=on_work) as core:
            yield core
    finally:
        engine.close()
        embedder.close()
        index.close()


@contextmanager
def compose_core(
    settings: Settings, ports: Ports, *, on_work: Callable[[], None] = lambda: None
) -> Generator[MemoryCore]:
    """Open the tables and put the services together over the given ports.

    Raises:
        Corrupt: the tables can't be read or belong to a newer version.
        Unavailable: the database is away.
    """
    database = Database(settings.database_url)
    try:
        database.migrate()
        yield _compose(settings, ports, database=database, on_work=on_work)
    finally:
        database.close()


def _open_index(settings: Settings) -> "RemoteIndex | QdrantServerIndex":
    backends = settings.backends
    if backends.qdrant_url is None:
        return RemoteIndex(settings.index_socket)
    from memory_core.adapters.qdrant_server_index import connect  # noqa: PLC0415 4.8 s that embedded mode must not pay

    return connect(backends.qdrant_url, backends.qdrant_api_key, layout=BUNDLED)


def _compose(settings: Settings, ports: Ports, *, database: Database, on_work: Callable[[], None]) -> MemoryCore:
    clock, index, embedder = ports.clock, ports.index, ports.embedder
    keys = TextKeys(load_or_create(settings.home / "text.key").encode())
    writer = MemoryWriter(embedder, keys=keys, project=settings.identity.project)
    finder = Finder(database, index=index, embedder=embedder)
    indexing = IndexingService(database, index=index, embedder=embedder, clock=clock)
    consolidation = ConsolidationService(database, writer=writer, clock=clock)
    return MemoryCore(
        settings=settings,
        clock=clock,
        database=database,
        index=index,
        embedder=embedder,
        engine=ports.engine,
        capture=CaptureService(database, clock=clock, settings=settings, on_work=on_work),
        finder=finder,
        recall=RecallService(
            finder,
            prefetch=Prefetch(database, finder=finder, index=index),
            ledger=Ledger(),
            settings=settings,
        ),
        indexing=indexing,
        consolidation=consolidation,
        forgetting=ForgettingService(database, indexing=indexing, keys=keys, clock=clock),
        storing=StoringService(database, writer=writer, clock=clock, pii_redaction=settings.capture.pii_redaction),
        library=LibraryService(database),
        jobs=JobService(
            database, engine=ports.engine, handlers=handlers(consolidation, indexing=indexing), clock=clock
        ),
    )
