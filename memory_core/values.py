"""Frozen value objects that every layer shares: ids, closed sets, whose memory, vectors, hits."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NewType

import numpy as np
import numpy.typing as npt

MemoryId = NewType("MemoryId", str)
"""A UUID in its canonical text form; also the id of the memory's point in the index."""
JobId = NewType("JobId", str)
"""A UUID in its canonical text form; also the idempotency key of the flow run."""
ScopeKey = NewType("ScopeKey", str)
"""Names one memory of one person, room or agent; made by `identity.resolve_scope` only."""

FloatArray = npt.NDArray[np.float32]


class MemoryKind(StrEnum):
    """What a memory is about."""

    FACT = "fact"
    PREFERENCE = "preference"
    DECISION = "decision"
    CORRECTION = "correction"
    ACTION_ITEM = "action_item"
    EVENT = "event"
    ENTITY = "entity"
    SUMMARY = "summary"
    ARTIFACT = "artifact"


class MemoryStatus(StrEnum):
    """Where a memory stands in its life."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    DEPRECATED = "deprecated"
    FLAGGED = "flagged"


class Origin(StrEnum):
    """Who said it."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Decision(StrEnum):
    """What became of a memory that was proposed for storing."""

    ADD = "ADD"
    UPDATE = "UPDATE"
    SUPERSEDE = "SUPERSEDE"
    SKIP_DUPLICATE = "SKIP_DUPLICATE"
    REJECT = "REJECT"


class ChatType(StrEnum):
    """How many can read along."""

    DIRECT = "direct"
    GROUP = "group"
    CHANNEL = "channel"


class Trigger(StrEnum):
    """What started a turn."""

    USER = "user"
    HEARTBEAT = "heartbeat"
    CRON = "cron"
    BOOT = "boot"
    MEMORY = "memory"
    SUBAGENT = "subagent"


class LinkKind(StrEnum):
    """What an edge between two memories says of its source."""

    RELATED_TO = "RELATED_TO"
    SUPERSEDES = "SUPERSEDES"
    CONTRADICTS = "CONTRADICTS"
    SUPPORTS = "SUPPORTS"
    DERIVED_FROM = "DERIVED_FROM"
    MENTIONS = "MENTIONS"


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class JobKind(StrEnum):
    """What a job does; each kind has one deployment of the same name."""

    CONSOLIDATE = "consolidate"
    IMPORT = "import"
    DREAM = "dream"
    DEDUPLICATE = "deduplicate"
    CREATIVE = "creative"
    HOUSEKEEPING = "housekeeping"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRef:
    """Who speaks to which agent, where, as the gateway's plugin saw it; see API.md."""

    session_key: str
    agent_id: str = "main"
    session_id: str | None = None
    channel: str | None = None
    chat_type: ChatType = ChatType.DIRECT
    chat_id: str | None = None
    sender_id: str | None = None
    sender_name: str | None = None
    is_owner: bool | None = None
    user_id: str | None = None
    timezone: str | None = None
    trigger: Trigger = Trigger.USER
    parent_session_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Whose memories a reader may see and a writer adds to.

    Attributes:
        reads: Keys whose memories may be read; empty means no recall at all.
        writes: Key that new memories get; None means stores are refused.
        space: Last part of the kref path, `personal` or the room's; holds no raw id.
        speaker: Name of the one who speaks, as memories show it; None when unknown.
        is_owner: The speaker is the operator of this gateway.
        shared: More than one person reads along.
        reason: Why reading or writing is refused, for people; None when both are allowed.
    """

    reads: tuple[ScopeKey, ...]
    writes: ScopeKey | None
    space: str
    speaker: str | None = None
    is_owner: bool = False
    shared: bool = False
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRange:
    """A half-open stretch of time, in UTC; None leaves that side open."""

    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SparseVector:
    """Keyword weights: distinct token numbers below 2**32 and one positive weight each."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Embedding:
    """The three vectors of one text, from one forward pass.

    Attributes:
        dense: Shape (dimension,), unit norm.
        tokens: Shape (pieces, token dimension), a row for each word piece that carries meaning; rows of passages have
            unit norm, rows of queries are weighted so that a sum of maxima is the score. May have no row.
        sparse: Keyword weights; for queries 1 for each distinct keyword.
    """

    dense: FloatArray
    tokens: FloatArray
    sparse: SparseVector


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Point:
    """One memory as the index keeps it; holds no text.

    Attributes:
        memory_id: The memory.
        embedding: Its vectors.
        scope: Its scope key; every search filters by it.
        kind: Its kind.
        status: Its status.
        space: Last part of its kref path.
        session_id: Row number of the session it was said in; 0 when none.
        event_at: When it happened or was said, Unix seconds.
    """

    memory_id: MemoryId
    embedding: Embedding
    scope: ScopeKey
    kind: MemoryKind
    status: MemoryStatus
    space: str
    session_id: int
    event_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PointFilter:
    """What a search may return; every given part must hold.

    Attributes:
        scopes: Scope keys; empty finds nothing.
        statuses: Allowed statuses.
        kind: Only this kind.
        space: Only this space.
        event: Only what happened within.
    """

    scopes: tuple[ScopeKey, ...]
    statuses: tuple[MemoryStatus, ...] = (MemoryStatus.ACTIVE, MemoryStatus.FLAGGED)
    kind: MemoryKind | None = None
    space: str | None = None
    event: TimeRange = field(default_factory=TimeRange)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A scored answer of the index; every score grows with quality.

    Attributes:
        memory_id: The memory found.
        dense: Cosine of the pooled vectors; None when dense search didn't return it.
        sparse: Keyword score (BM25); None when keyword search didn't return it.
        late: Sum over the query's token rows of the best dot product (late interaction); 0 without token rows.
    """

    memory_id: MemoryId
    dense: float | None
    sparse: float | None
    late: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One question to a chat model.

    Attributes:
        system: What it is to do.
        prompt: On what; redacted already.
        max_tokens: Longest reply.
        schema: JSON schema of the reply; None for plain words.
        purpose: What it is for, such as `extract@1`; stands in logs and reports.
        scopes: Whose words are in it; empty when nobody's are.
        model: `provider/model` when another than the configured one is wanted.
    """

    system: str
    prompt: str
    max_tokens: int
    schema: Mapping[str, Any] | None = None
    purpose: str
    scopes: tuple[ScopeKey, ...] = ()
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """What a chat model said, and what that took; tokens are 0 when it doesn't tell."""

    text: str
    model: str
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowRun:
    """State of a flow run as the flow engine tells it."""

    run_id: str
    state: JobState
    message: str | None = None
