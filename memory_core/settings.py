"""Every setting of the service, in groups, with its default; read by `settings_loading`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path


class ScopeRule(StrEnum):
    """Whose memory a turn reads and writes; SPEC section 2."""

    USER = "user"
    FIXED = "fixed"
    AGENT = "agent"
    SESSION = "session"
    SENDER = "sender"


class Reinject(StrEnum):
    """When a memory is injected again; SPEC section 3."""

    RELEVANT = "relevant"
    """Whenever a turn needs it."""
    ONCE = "once"
    """Once a session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentitySettings:
    """Names on what is written, and whose memory it is."""

    project: str = "CognitiveMemory"
    user_id: str = "default"
    app_name: str = "nightshift-openclaw"
    scope: ScopeRule = ScopeRule.USER
    identity_links: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    timezone: str = "UTC"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSettings:
    """How much is recalled, how good it must be, how often, and how long that may take."""

    top_k: int = 5
    search_threshold: float = 0.3
    min_prompt_chars: int = 8
    recall_budget_ms: int = 1500
    inject_chars: int = 4000
    inject_chars_per_memory: int = 400
    rerank: bool = True
    reinject: Reinject = Reinject.RELEVANT
    dedupe_window: int = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureSettings:
    """When buffered turns become memories, and what is masked before they are written."""

    consolidation_threshold: int = 20
    idle_consolidation_timeout_s: int = 300
    session_ttl_s: int = 3600
    compaction_grace_s: int = 60
    pii_redaction: bool = True
    local_summarization: bool = True
    tags: tuple[str, ...] = ()
    space: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacySettings:
    """What may leave this machine."""

    upload_summaries_only: bool = True
    own_remote: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DreamSettings:
    """When the night shift works, with which model, at what cost."""

    schedule: str = "0 3 * * *"
    model: str | None = None
    tokens: int = 200_000
    calls: int = 200
    minutes: int = 30


class CompactionMode(StrEnum):
    """What a compaction leaves in the model's context; SPEC section 9."""

    HYBRID = "hybrid"
    FULL = "full"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSettings:
    """How the context engine keeps the model's context short."""

    compaction_mode: CompactionMode = CompactionMode.HYBRID
    protect_tail: int = 6
    recall_limit: int = 12
    auto_consolidate: bool = True
    archive_ttl_days: int = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSettings:
    """When the streaming gate speaks up; SPEC section 10."""

    interrupt_gate: bool = True
    ingest_reasoning: bool = True
    force_repass: bool = False
    focus: float = 0.45
    sensitivity: float = 0.5
    stability: float = 0.5


class ChatProvider(StrEnum):
    """Who answers the questions of flows."""

    GATEWAY = "gateway"
    """The connected gateway, with its own model and its own credentials."""
    OPENAI = "openai"
    """A server that speaks the OpenAI protocol."""
    ANTHROPIC = "anthropic"
    """A server that speaks the Anthropic protocol."""
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSettings:
    """The chat model of the flows; never on the path of a turn."""

    provider: ChatProvider = ChatProvider.GATEWAY
    base_url: str | None = None
    api_key: str | None = None
    model: str | None = None


class GatewayMode(StrEnum):
    """Where a gateway finds its service."""

    LOCAL = "local"
    """Beside the gateway; started by it when none runs."""
    REMOTE = "remote"
    """At an address, started by somebody else."""


class MemorySlot(StrEnum):
    """How we live in a gateway; SPEC section 8."""

    SUPPLEMENT = "supplement"
    """Beside its own memory."""
    REPLACE = "replace"
    """As its memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewaySettings:
    """What only a gateway's plugin acts on; read here to be checked, and so that nobody calls it unknown."""

    mode: GatewayMode = GatewayMode.LOCAL
    base_url: str | None = None
    api_key: str | None = None
    memory_slot: MemorySlot = MemorySlot.SUPPLEMENT
    auto_recall: bool = True
    auto_capture: bool = True
    corpus_supplement: bool = True
    prompt_supplement: bool = True
    timeout_ms: int = 5000
    breaker_max_failures: int = 3
    breaker_cooldown_ms: int = 60_000
    local_command: object = None
    local_python_path: str | None = None
    local_home: str | None = None
    local_timeout_ms: int = 30_000
    dreaming: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Backends:
    """The parts of a many-machine installation; None means the embedded one, or the bundled model."""

    embedding_model: str | None = None
    database_url: str | None = None
    qdrant_url: str | None = None
    qdrant_api_key: str | None = None
    prefect_api_url: str | None = None
    prefect_api_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings of one installation, each within its range."""

    home: Path
    listen: str = "127.0.0.1"
    port: int = 7461
    identity: IdentitySettings = field(default_factory=IdentitySettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    capture: CaptureSettings = field(default_factory=CaptureSettings)
    privacy: PrivacySettings = field(default_factory=PrivacySettings)
    dream: DreamSettings = field(default_factory=DreamSettings)
    context: ContextSettings = field(default_factory=ContextSettings)
    gate: GateSettings = field(default_factory=GateSettings)
    chat: ChatSettings = field(default_factory=ChatSettings)
    backends: Backends = field(default_factory=Backends)
    gateway: GatewaySettings = field(default_factory=GatewaySettings)
    problems: tuple[str, ...] = ()

    @property
    def token_file(self) -> Path:
        """Holds the bearer token; mode 0600."""
        return self.home / "token"

    @property
    def index_socket(self) -> Path:
        """Where the index process listens."""
        return self.home / "index.sock"

    @property
    def executor_socket(self) -> Path:
        """Where the executor of flow runs is woken."""
        return self.home / "executor.sock"

    @property
    def index_folder(self) -> Path:
        """The embedded index; can be rebuilt from the tables."""
        return self.home / "index"

    @property
    def artifact_folder(self) -> Path:
        """Contents of made things, by checksum."""
        return self.home / "artifacts"

    @property
    def keeps_text(self) -> bool:
        """Whether whole texts may stand in tables and index: both are here, or more than statements may leave."""
        is_local = self.backends.qdrant_url is None and self.database_url.startswith("sqlite")
        return is_local or not self.privacy.upload_summaries_only

    @property
    def database_url(self) -> str:
        """SQLAlchemy URL of the tables."""
        return self.backends.database_url or f"sqlite:///{self.home / 'nightshift.sqlite3'}"
