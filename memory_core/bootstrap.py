"""The composition root: plain calls in order, closed in reverse."""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_core.adapters.anthropic_chat import AnthropicChat
from memory_core.adapters.artifact_folder import ArtifactFolder
from memory_core.adapters.gateway_chat import GatewayChat
from memory_core.adapters.index_client import RemoteEmbedder, RemoteIndex
from memory_core.adapters.index_layout import BUNDLED
from memory_core.adapters.openai_chat import OpenAIChat
from memory_core.adapters.prefect_engine import PrefectEngine
from memory_core.adapters.system_clock import SystemClock
from memory_core.capture.dedup import TextKeys
from memory_core.capture.editing import EditingService
from memory_core.capture.extraction import ModelExtractor
from memory_core.capture.relatives import Relatives
from memory_core.capture.service import CaptureService
from memory_core.capture.storing import StoringService
from memory_core.capture.writing import MemoryWriter
from memory_core.consolidation.service import ConsolidationService
from memory_core.context.service import ContextService
from memory_core.creative.capturing import CapturingService
from memory_core.creative.drafting import DraftingService
from memory_core.creative.keeping import ArtifactKeeper
from memory_core.creative.remembering import ArtifactMemories, KeepingOptions
from memory_core.creative.service import CreativeService
from memory_core.dream.asking import AfterSessions
from memory_core.dream.desk import Dreams, open_dreams
from memory_core.dream.service import DreamParts, DreamService
from memory_core.forgetting.reapplying import Reapplying
from memory_core.forgetting.selecting import SelectingService
from memory_core.forgetting.service import ForgettingService
from memory_core.gate.service import GateService
from memory_core.indexing.service import IndexingService
from memory_core.jobs.handlers import ConsolidationHandler, handlers
from memory_core.jobs.housekeeping import Housekeeping
from memory_core.jobs.model_calls import ModelCallService
from memory_core.jobs.service import JobService
from memory_core.keyfile import load_or_create
from memory_core.ports import ArtifactStore, ChatModel, Clock, Embedder, FlowEngine, VectorIndex
from memory_core.privacy.guarded_chat import GuardedChat
from memory_core.recall.finding import Finder
from memory_core.recall.ledger import Ledger
from memory_core.recall.library import LibraryService
from memory_core.recall.prefetch import Prefetch
from memory_core.recall.service import RecallService
from memory_core.recall.staging import Staging
from memory_core.settings import ChatProvider, ChatSettings, Settings
from memory_core.store.artifact_blobs import DatabaseArtifacts
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
    selecting: SelectingService
    reapplying: Reapplying
    storing: StoringService
    library: LibraryService
    editing: EditingService
    capturing: CapturingService
    creative: CreativeService
    housekeeping: Housekeeping
    dreams: Dreams
    dream_runs: DreamService
    staging: Staging
    context: ContextService
    gate: GateService
    jobs: JobService
    model_calls: ModelCallService
    chat: GuardedChat | None
    """The chat model of flows; None when there is to be none. It may be away at any moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """The outside of a core; tests give fakes."""

    clock: Clock
    index: VectorIndex
    embedder: Embedder
    engine: FlowEngine
    chat: ChatModel | None = None
    """None leaves it to the settings."""
    purge_index: Callable[[], None] | None = None
    """Empties an index that keeps what was deleted; a Qdrant server vacuums by itself."""


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
    chat = _open_chat(settings.chat)
    ports = Ports(
        clock=SystemClock(),
        index=index,
        embedder=embedder,
        engine=engine,
        chat=chat,
        purge_index=index.purge if isinstance(index, RemoteIndex) else None,
    )
    try:
        with compose_core(settings, ports, on_work=on_work) as core:
            yield core
    finally:
        if chat is not None:
            chat.close()
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


def _open_chat(settings: ChatSettings) -> OpenAIChat | AnthropicChat | None:
    match settings.provider:
        case ChatProvider.OPENAI:
            return OpenAIChat(settings)
        case ChatProvider.ANTHROPIC:
            return AnthropicChat(settings)
        case ChatProvider.GATEWAY | ChatProvider.NONE:
            return None


def _guarded_chat(settings: Settings, model: ChatModel | None, *, model_calls: ModelCallService) -> GuardedChat | None:
    """The chat model behind its guard; None when the settings want none."""
    if settings.chat.provider is ChatProvider.NONE:
        return None
    return GuardedChat(model or GatewayChat(model_calls), pii=settings.capture.pii_redaction)


def _artifact_store(settings: Settings, database: Database, *, clock: Clock) -> ArtifactStore:
    """On this machine, also when the tables are elsewhere, unless whole texts may leave it."""
    if settings.keeps_text and not settings.database_url.startswith("sqlite"):
        return DatabaseArtifacts(database, clock=clock)
    return ArtifactFolder(settings.artifact_folder, clock=clock)


def _compose(settings: Settings, ports: Ports, *, database: Database, on_work: Callable[[], None]) -> MemoryCore:
    clock, index, embedder = ports.clock, ports.index, ports.embedder
    keys = TextKeys(load_or_create(settings.home / "text.key").encode())
    relatives = Relatives(database, index=index, embedder=embedder)
    writer = MemoryWriter(embedder, keys=keys, project=settings.identity.project, relatives=relatives)
    finder = Finder(database, index=index, embedder=embedder)
    indexing = IndexingService(database, index=index, embedder=embedder, clock=clock)
    model_calls = ModelCallService(database, clock=clock)
    chat = _guarded_chat(settings, ports.chat, model_calls=model_calls)
    extractor = ModelExtractor(
        chat,
        clock=clock,
        pii=settings.capture.pii_redaction,
        may_go_without=settings.capture.local_summarization,
    )
    consolidation = ConsolidationService(
        database, writer=writer, clock=clock, extractor=extractor, settings=settings.capture
    )
    capture = CaptureService(database, clock=clock, settings=settings, on_work=on_work)
    prefetch, ledger = Prefetch(database, finder=finder, index=index), Ledger()
    recall = RecallService(finder, prefetch=prefetch, ledger=ledger, settings=settings)
    staging = Staging()
    artifact_store = _artifact_store(settings, database, clock=clock)
    options = KeepingOptions(project=settings.identity.project, keeps_text=settings.keeps_text)
    artifact_memories = ArtifactMemories(writer, keys=keys, clock=clock, options=options)
    keeper = ArtifactKeeper(database, store=artifact_store, memories=artifact_memories, clock=clock)
    capturing = CapturingService(
        database, store=artifact_store, clock=clock, pii_redaction=settings.capture.pii_redaction, on_work=on_work
    )
    consolidate = ConsolidationHandler(
        consolidation,
        drafting=DraftingService(database, capturing=capturing, store=artifact_store, clock=clock, settings=settings),
        indexing=indexing,
        after_sessions=AfterSessions(database, clock=clock),
    )
    dreams = open_dreams(database, settings=settings, clock=clock, on_work=on_work)
    dream_runs = DreamService(
        DreamParts(database=database, clock=clock, embedder=embedder, keys=keys, settings=settings.dream, chat=chat)
    )
    housekeeping = Housekeeping(
        database,
        indexing=indexing,
        artifact_store=artifact_store,
        clock=clock,
        purge_index=ports.purge_index,
    )
    gate = GateService(finder, staging=staging, settings=settings, clock=clock)
    library = LibraryService(database)
    forgetting = ForgettingService(
        database,
        indexing=indexing,
        keys=keys,
        clock=clock,
        artifact_store=artifact_store,
        volatile=(
            lambda _, memory_ids: staging.forget(memory_ids),
            lambda _, memory_ids: ledger.forget(memory_ids),
            lambda _, memory_ids: prefetch.forget(memory_ids),
            lambda scopes, _: gate.forget(scopes),
        ),
    )
    return MemoryCore(
        settings=settings,
        clock=clock,
        database=database,
        index=index,
        embedder=embedder,
        engine=ports.engine,
        capture=capture,
        finder=finder,
        recall=recall,
        staging=staging,
        context=ContextService(
            database, capture=capture, recall=recall, staging=staging, settings=settings, clock=clock
        ),
        gate=gate,
        indexing=indexing,
        consolidation=consolidation,
        forgetting=forgetting,
        selecting=SelectingService(
            database, library=library, finder=finder, artifact_store=artifact_store, settings=settings.recall
        ),
        reapplying=Reapplying(database, keys=keys, forgetting=forgetting),
        storing=StoringService(database, writer=writer, clock=clock, pii_redaction=settings.capture.pii_redaction),
        library=library,
        editing=EditingService(
            database, writer=writer, keys=keys, clock=clock, pii_redaction=settings.capture.pii_redaction
        ),
        capturing=capturing,
        creative=CreativeService(database, store=artifact_store, finder=finder, clock=clock),
        housekeeping=housekeeping,
        dreams=dreams,
        dream_runs=dream_runs,
        jobs=JobService(
            database,
            engine=ports.engine,
            handlers=handlers(
                consolidate, indexing=indexing, keeper=keeper, housekeeping=housekeeping, dreams=dream_runs
            ),
            clock=clock,
        ),
        model_calls=model_calls,
        chat=chat,
    )
