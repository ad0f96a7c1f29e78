"""Reading an import as it streams in: line by line, in batches, nothing unredacted on disk, nothing lost silently."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Annotated, Any, cast

from pydantic import Discriminator, Tag, TypeAdapter, ValidationError

from memory_core.bootstrap import MemoryCore
from memory_core.capture.proposals import Proposal
from memory_core.capture.service import ReplayedLine
from memory_core.capture.storing import ExportedMemory
from memory_core.identity import complete
from memory_core.values import Decision, JobId, JobKind, MemoryId, Origin, ScopeKey, SessionRef
from plugin.service.errors import TooLarge
from plugin.service.schemas import LineIn, MemoryLineIn
from plugin.service.tools.base import describe

MAX_IMPORT_BYTES = 256_000_000
MAX_LINE_BYTES = 1_000_000
MADE_BY_IMPORT = "import"
"""Maker of memories that came from an export which doesn't tell."""
_BATCH_LINES = 200
_REPORTED = 1000
"""Rejected lines that a result names; all are counted."""
_NOT_PARTS_OF_A_REF = frozenset({"type", "message_key", "at", "role", "speaker", "text"})


def _type_of(line: Any) -> str:  # noqa: ANN401 whatever JSON the line held
    return str(cast("dict[str, object]", line).get("type", "turn")) if isinstance(line, dict) else "turn"


_LINE: TypeAdapter[LineIn | MemoryLineIn] = TypeAdapter(
    Annotated[Annotated[LineIn, Tag("turn")] | Annotated[MemoryLineIn, Tag("memory")], Discriminator(_type_of)]
)


@dataclass(slots=True, kw_only=True)
class _Progress:
    read: int = 0
    captured: int = 0
    skipped: int = 0
    rejected: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    rejected_count: int = 0
    through: dict[ScopeKey, int] = field(default_factory=dict[ScopeKey, int])

    def reject(self, number: int, reason: str) -> None:
        self.rejected_count += 1
        if len(self.rejected) < _REPORTED:
            self.rejected.append({"line": number, "reason": reason})

    def report(self) -> dict[str, Any]:
        return {
            "read": self.read,
            "captured": self.captured,
            "skipped": self.skipped,
            "rejected": self.rejected,
            "rejectedCount": self.rejected_count,
        }


class Importer:
    """Takes one import in."""

    def __init__(self, core: MemoryCore) -> None:
        """Write into this core."""
        self._core = core
        self._progress = _Progress()
        self._turns: list[ReplayedLine] = []
        self._memories: list[ExportedMemory] = []
        self._successors: list[tuple[MemoryId, str]] = []
        self._scopes: set[ScopeKey] = set()

    async def take(self, chunks: AsyncIterator[bytes]) -> JobId:
        """Capture every line, then owe the job that consolidates them.

        Raises:
            TooLarge: the body is larger than `MAX_IMPORT_BYTES`; the lines before are kept, and the same import can
                be sent again.
            Unavailable: the tables or the embedder are away; as above.
        """
        async for line in _lines(chunks):
            self._progress.read += 1
            self._read(self._progress.read, line)
            if len(self._turns) + len(self._memories) >= _BATCH_LINES:
                await asyncio.to_thread(self._write)
        await asyncio.to_thread(self._write)
        await asyncio.to_thread(self._link)
        payload = {
            "through": self._progress.through,
            "turns": self._progress.captured,
            "report": self._progress.report(),
        }
        return await asyncio.to_thread(self._core.jobs.owe, JobKind.IMPORT, scope=None, payload=payload)

    def _read(self, number: int, line: bytes) -> None:
        if not line.strip():
            return
        if len(line) > MAX_LINE_BYTES:
            self._progress.reject(number, f"line: longer than {MAX_LINE_BYTES} bytes")
            return
        try:
            parsed = _LINE.validate_json(line)
        except ValidationError as error:
            self._progress.reject(number, describe(error))
            return
        if isinstance(parsed, MemoryLineIn):
            self._memories.append(_exported(parsed))
            if parsed.superseded_by:
                self._successors.append((MemoryId(str(parsed.id)), parsed.superseded_by))
                self._scopes.add(ScopeKey(parsed.scope))
        else:
            self._turns.append(_replayed(number, parsed))

    def _write(self) -> None:
        self._write_turns()
        self._write_memories()

    def _write_turns(self) -> None:
        if self._turns:
            replayed = self._core.capture.replay(self._turns)
            self._progress.captured += replayed.captured
            self._progress.skipped += replayed.skipped
            self._progress.through |= replayed.newest
            self._turns.clear()

    def _write_memories(self) -> None:
        if self._memories:
            outcomes = self._core.storing.restore(self._memories)
            added = sum(outcome.decision is Decision.ADD for outcome in outcomes)
            self._progress.captured += added
            self._progress.skipped += len(self._memories) - added
            self._memories.clear()

    def _link(self) -> None:
        if self._successors:
            self._core.storing.link_successors(self._successors, scopes=sorted(self._scopes))


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The lines of a body; of one that is too long only so much as shows that."""
    size = 0
    rest = b""
    async for chunk in chunks:
        size += len(chunk)
        if size > MAX_IMPORT_BYTES:
            raise TooLarge(f"body: larger than {MAX_IMPORT_BYTES} bytes")
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line
        rest = rest[: MAX_LINE_BYTES + 1]
    if rest:
        yield rest


def _replayed(number: int, line: LineIn) -> ReplayedLine:
    given = {
        name: value for name, value in line.model_dump(exclude=set(_NOT_PARTS_OF_A_REF)).items() if value is not None
    }
    ref = complete(SessionRef(**given, sender_name=line.speaker), given=frozenset(given))
    return ReplayedLine(
        number=number,
        ref=ref,
        message_key=line.message_key,
        at=line.at,
        role=Origin(line.role),
        speaker=line.speaker or (line.sender_id if line.role == "user" else None),
        text=line.text,
    )


def _exported(line: MemoryLineIn) -> ExportedMemory:
    proposal = Proposal(
        memory_id=MemoryId(str(line.id)),
        scope=ScopeKey(line.scope),
        space=line.space,
        text=line.text,
        kind=line.kind,
        origin=line.origin,
        speaker=line.speaker,
        said_at=line.valid_from or line.created_at,
        event_at=line.event_at,
        event_until=line.event_until,
        imported=line.imported,
        pinned=line.pinned,
        tags=tuple(line.tags),
        made_by=line.made_by or MADE_BY_IMPORT,
        job_id=str(line.job_id) if line.job_id else None,
    )
    return ExportedMemory(
        proposal=proposal,
        kref=line.kref,
        created_at=line.created_at,
        revision=line.revision,
        status=line.status,
        valid_until=line.valid_until,
        count=line.count,
        sources=tuple(line.sources),
    )
