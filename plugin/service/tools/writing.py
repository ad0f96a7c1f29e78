"""Tools that change: store, consolidate."""

import asyncio
import time
from typing import Annotated

from pydantic import Field, StringConstraints

from memory_core.capture.storing import StoreRequest
from memory_core.jobs.service import ENDED
from memory_core.models.job import Job
from memory_core.values import Decision, JobId, MemoryKind
from plugin.service.schemas import STORABLE, Key, MemoryOut, Wire
from plugin.service.tools.base import FromDay, Tool, ToolCall, ToolReply, dump

MAX_WAIT_S = 120.0
"""Longest time that a waiting tool holds its answer; API.md."""
_POLL_S = 0.1

Statement = Annotated[str, STORABLE, StringConstraints(min_length=1, max_length=32_000, strip_whitespace=True)]
Segment = Annotated[str, STORABLE, StringConstraints(min_length=1, max_length=80, pattern=r"^[^\s/?#]+(/[^\s/?#]+)*$")]
Tag = Annotated[str, STORABLE, StringConstraints(min_length=1, max_length=60, strip_whitespace=True)]


class StoreArguments(Wire):
    """Arguments of `memory_store`."""

    text: Statement
    kind: MemoryKind = MemoryKind.FACT
    space: Segment | None = None
    tags: list[Tag] = Field(default_factory=list, max_length=20)
    pinned: bool = False
    event_at: FromDay | None = None
    replaces: Key | None = None


class ConsolidateArguments(Wire):
    """Arguments of `memory_consolidate`."""

    wait: bool = False


async def _store(call: ToolCall, arguments: StoreArguments) -> ToolReply:
    request = StoreRequest(
        text=arguments.text,
        kind=arguments.kind,
        space=arguments.space,
        tags=tuple(arguments.tags),
        pinned=arguments.pinned,
        event_at=arguments.event_at,
        replaces=arguments.replaces,
    )

    def store() -> ToolReply:
        stored = call.core.storing.store(call.scope, request)
        details: dict[str, object] = {
            "decision": stored.outcome.decision,
            "reason": stored.outcome.reason,
            "superseded": list(stored.superseded),
        }
        for name, memories in (("revised", stored.outcome.revised), ("flagged", stored.outcome.flagged)):
            if memories:
                details[name] = [memory.kref for memory in memories]
        if stored.outcome.memory is None:
            return ToolReply(text=f"Not stored: {stored.outcome.reason}.", details=details)
        memory = MemoryOut.of(call.core.library.describe([stored.outcome.memory])[0])
        details["memory"] = dump(memory)
        why = "" if stored.outcome.decision is Decision.ADD else f"; {stored.outcome.reason}"
        return ToolReply(text=f"{stored.outcome.decision}: {memory.text} ({memory.kref}){why}", details=details)

    reply = await asyncio.to_thread(store)
    await asyncio.to_thread(call.core.indexing.try_apply)
    return reply


async def _consolidate(call: ToolCall, arguments: ConsolidateArguments) -> ToolReply:
    scope = call.scope.writes
    job_id = await asyncio.to_thread(call.core.capture.owe_now, scope) if scope else None
    if job_id is None:
        return ToolReply(text="Nothing is waiting to be consolidated.", details={"jobId": None, "state": "done"})
    job = await wait_for_job(call, job_id, wait_s=MAX_WAIT_S if arguments.wait else 0)
    return ToolReply(
        text=f"Consolidation is {job.state}" + (f": {job.error}." if job.error else "."),
        details={"jobId": job.id, "state": job.state} | ({"result": job.result} if job.result else {}),
    )


async def wait_for_job(call: ToolCall, job_id: JobId, *, wait_s: float) -> Job:
    """The job when it ended, or as it stands when the time is over."""
    deadline = time.monotonic() + wait_s
    while True:
        job = await asyncio.to_thread(call.core.jobs.get, job_id)
        if job.state in ENDED or time.monotonic() >= deadline:
            return job
        await asyncio.sleep(_POLL_S)


STORE = Tool(name="memory_store", arguments=StoreArguments, run=_store)
CONSOLIDATE = Tool(name="memory_consolidate", arguments=ConsolidateArguments, run=_consolidate)
