"""Wire types of version 1: camelCase, unknown fields ignored, numbers out of range clamped; never table classes."""

import math
import re
from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from memory_core.errors import Invalid
from memory_core.identity import complete
from memory_core.kref import parse
from memory_core.recall.library import MemoryView
from memory_core.settings import Reinject
from memory_core.values import ChatType, JobKind, JobState, MemoryKind, MemoryStatus, Origin, SessionRef, Trigger

EARLIEST, LATEST = datetime(1900, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
MAX_KEY_CHARS = 512
MAX_TEXT_CHARS = 1_000_000
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")


def _clamp(low: float, high: float) -> BeforeValidator:
    def clamp(value: object) -> object:
        if not isinstance(value, int | float) or isinstance(value, bool):
            return value
        if isinstance(value, float) and math.isnan(value):
            return high  # a threshold that is no number lets nothing through, rather than everything
        return type(value)(min(max(value, low), high))

    return BeforeValidator(clamp)


def _instant(value: object) -> object:
    if not isinstance(value, str):
        raise ValueError("must be a time in RFC 3339 with an offset, such as 2026-05-01T12:00:00+02:00")
    return value


def _in_range(value: datetime) -> datetime:
    # The year first: to compare times of two zones is slow, and a transcript has thousands.
    if not EARLIEST.year < value.year < LATEST.year and not EARLIEST <= value <= LATEST:
        raise ValueError("must be a time between the years 1900 and 2200")
    return value


def _storable(value: object) -> object:
    """Without what a database or UTF-8 can't hold: NUL, and halves of surrogate pairs, as JavaScript cuts emoji."""
    if not isinstance(value, str) or (value.isascii() and "\0" not in value):
        return value
    return _HALF_A_PAIR.sub("\ufffd", value.replace("\0", ""))


def _zone(value: str) -> str:
    try:
        return ZoneInfo(value).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("must be an IANA time zone such as Europe/Lisbon") from None


def _address(value: str) -> str:
    try:
        return parse(value).kref
    except Invalid as error:
        raise ValueError(str(error)) from None


STORABLE = BeforeValidator(_storable)
Instant = Annotated[AwareDatetime, BeforeValidator(_instant), AfterValidator(_in_range)]
"""A time in RFC 3339 with an offset."""
Key = Annotated[str, STORABLE, StringConstraints(min_length=1, max_length=MAX_KEY_CHARS, strip_whitespace=True)]
Text = Annotated[str, STORABLE, StringConstraints(max_length=MAX_TEXT_CHARS)]
Zone = Annotated[str, AfterValidator(_zone)]
TopK = Annotated[int, _clamp(1, 50)]
Limit = Annotated[int, _clamp(1, 200)]
Line = Annotated[int, _clamp(1, 1_000_000_000)]
Since = Annotated[int, _clamp(0, 2**62)]
WaitMs = Annotated[int, _clamp(0, 25_000)]
Count = Annotated[int, _clamp(1, 1_000_000_000)]


class Wire(BaseModel):
    """Base of all wire types."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True)


class SessionIn(Wire):
    """Who speaks to which agent, where."""

    agent_id: Key | None = None
    session_key: Key
    session_id: Key | None = None
    channel: Key | None = None
    chat_type: ChatType | None = None
    chat_id: Key | None = None
    sender_id: Key | None = None
    sender_name: Key | None = None
    is_owner: bool | None = None
    user_id: Key | None = None
    timezone: Zone | None = None
    trigger: Trigger = Trigger.USER
    parent_session_key: Key | None = None

    def to_ref(self) -> SessionRef:
        """The reference, completed from the session key."""
        given = {name: value for name, value in self.model_dump().items() if value is not None}
        return complete(SessionRef(**given), given=frozenset(given))


class MessageIn(Wire):
    """What the person wrote."""

    text: Text
    at: Instant | None = None


class RecallIn(Wire):
    """A recall before a turn."""

    session: SessionIn
    message: MessageIn
    previous_user: Text | None = None
    last_assistant: Text | None = None
    top_k: TopK | None = None
    threshold: Annotated[float, _clamp(0, 1)] | None = None
    as_of: Instant | None = None
    include_superseded: bool = False
    budget_chars: Annotated[int, _clamp(200, 40_000)] | None = None
    budget_ms: Annotated[int, _clamp(50, 15_000)] | None = None
    explain: bool = False
    dedupe: bool = True
    reinject: Reinject | None = None
    dedupe_window: Annotated[int, _clamp(0, 5000)] | None = None


class UserText(Wire):
    """The user's half of a turn."""

    text: Text
    media: list[Key] = Field(default_factory=list, max_length=50)


class AssistantText(Wire):
    """The assistant's half of a turn."""

    text: Text


class ToolUse(Wire):
    """A tool that the assistant used."""

    name: Key
    summary: Text | None = None


class TurnIn(Wire):
    """A turn that ended."""

    session: SessionIn
    turn_key: Key
    at: Instant | None = None
    user: UserText
    assistant: AssistantText
    tools: list[ToolUse] = Field(default_factory=list[ToolUse], max_length=500)


class SessionEventIn(Wire):
    """A session started, was reset or ended."""

    session: SessionIn
    reason: Text | None = None


class ToolIn(Wire):
    """A tool call of the agent."""

    session: SessionIn
    arguments: dict[str, Any] = Field(default_factory=dict)


class MemoryOut(Wire):
    """A memory as the wire shows it."""

    kref: str
    id: str
    text: str
    kind: MemoryKind
    score: float | None = None
    speaker: str | None = None
    origin: Origin
    imported: bool = False
    event_at: datetime | None = None
    event_until: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    created_at: datetime
    revision: int
    status: MemoryStatus
    superseded_by: str | None = None
    tags: list[str]
    pinned: bool
    count: int
    sources: list[str]
    space: str
    made_by: str | None = None
    job_id: str | None = None

    @classmethod
    def of(cls, view: MemoryView, *, score: float | None = None) -> "MemoryOut":
        """The wire form of a memory."""
        memory = view.memory
        return cls(
            kref=memory.kref,
            id=memory.id,
            text=memory.text,
            kind=MemoryKind(memory.kind),
            score=None if score is None else round(score, 6),
            speaker=memory.speaker,
            origin=Origin(memory.origin),
            imported=memory.imported,
            event_at=memory.event_at,
            event_until=memory.event_until,
            valid_from=memory.valid_from,
            valid_until=memory.valid_until,
            created_at=memory.created_at,
            revision=memory.revision,
            status=MemoryStatus(memory.status),
            superseded_by=view.superseded_by,
            tags=memory.tags,
            pinned=memory.pinned,
            count=memory.count,
            sources=list(view.sources),
            space=memory.space,
            made_by=memory.made_by,
            job_id=memory.job_id,
        )


class RecallOut(Wire):
    """The answer to a recall."""

    memories: list[MemoryOut]
    context: str
    degraded: bool
    reason: str | None = None
    source: Literal["live", "prefetch"] = "live"
    query: str
    took_ms: float
    trace: list[dict[str, Any]] | None = None


class TurnOut(Wire):
    """What became of a turn."""

    status: Literal["accepted", "duplicate", "skipped"]
    reason: str | None = None
    buffered: int
    consolidation: Literal["none", "scheduled"]


class SessionOut(Wire):
    """The session in progress."""

    session_id: str


class ToolOut(Wire):
    """The answer of a tool."""

    text: str
    details: dict[str, Any]
    is_error: bool


class JobOut(Wire):
    """How a job stands."""

    id: str
    kind: JobKind
    state: JobState
    progress: float
    flow_run_id: str | None = None
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    attempts: int
    result: dict[str, Any] | None = None
    error: str | None = None


class ImportOut(Wire):
    """The job that an import waits for."""

    job_id: str


class LineIn(Wire):
    """One utterance of a transcript file."""

    type: Literal["turn"] = "turn"
    session_key: Key
    message_key: Key
    at: Instant
    role: Literal["user", "assistant"]
    speaker: Key | None = None
    agent_id: Key | None = None
    chat_type: ChatType | None = None
    chat_id: Key | None = None
    channel: Key | None = None
    sender_id: Key | None = None
    user_id: Key | None = None
    is_owner: bool | None = None
    timezone: Zone | None = None
    text: Text


class MemoryLineIn(Wire):
    """One exported memory."""

    type: Literal["memory"]
    id: UUID
    kref: Annotated[Key, AfterValidator(_address)]
    scope: Key
    text: Text
    kind: MemoryKind
    origin: Origin
    imported: bool = False
    space: Key
    speaker: Key | None = None
    event_at: Instant | None = None
    event_until: Instant | None = None
    valid_from: Instant | None = None
    valid_until: Instant | None = None
    created_at: Instant
    revision: Count = 1
    status: MemoryStatus = MemoryStatus.ACTIVE
    superseded_by: Annotated[Key, AfterValidator(_address)] | None = None
    pinned: bool = False
    count: Count = 1
    tags: list[Key] = Field(default_factory=list)
    sources: list[Key] = Field(default_factory=list)
    made_by: Key | None = None
    job_id: UUID | None = None
