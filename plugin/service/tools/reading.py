"""Tools that read: search, get, list."""

import asyncio
from collections.abc import Sequence
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import Field, StringConstraints

from memory_core.recall.finding import Question
from memory_core.recall.history import History
from memory_core.recall.library import MemoryView
from memory_core.store.memories import MemoryFilter
from memory_core.values import MemoryKind, MemoryStatus, TimeRange
from plugin.service.memory_schemas import EdgeOut, RevisionOut
from plugin.service.schemas import STORABLE, Key, Limit, Line, MemoryOut, TopK, Wire
from plugin.service.tools.base import FromDay, ToDay, Tool, ToolCall, ToolReply, dump

_LISTED = 20
_LABELS = {MemoryStatus.SUPERSEDED: ", superseded", MemoryStatus.FLAGGED: ", in doubt"}
_SEARCHED_AT_LEAST = 10

Query = Annotated[str, STORABLE, StringConstraints(min_length=1, max_length=4000, strip_whitespace=True)]


class SearchArguments(Wire):
    """Arguments of `memory_search`."""

    query: Query
    top_k: TopK | None = None
    kind: MemoryKind | None = None
    space: Key | None = None
    as_of: ToDay | None = None
    from_: FromDay | None = Field(default=None, alias="from")
    to: ToDay | None = None
    include_superseded: bool = False


class GetArguments(Wire):
    """Arguments of `memory_get`."""

    ref: Key
    from_line: Line | None = None
    line_count: Line | None = None


class ListArguments(Wire):
    """Arguments of `memory_list`."""

    space: Key | None = None
    kind: MemoryKind | None = None
    tag: Key | None = None
    status: MemoryStatus | None = None
    limit: Limit = _LISTED
    cursor: Key | None = None


async def _search(call: ToolCall, arguments: SearchArguments) -> ToolReply:
    core = call.core
    top_k = arguments.top_k or max(_SEARCHED_AT_LEAST, core.settings.recall.top_k)
    question = Question(
        text=arguments.query,
        at=core.clock.now(),
        zone=call.zone,
        asker=call.scope.speaker,
        as_of=arguments.as_of,
        include_superseded=arguments.include_superseded,
        kind=arguments.kind,
        space=arguments.space,
        event=TimeRange(start=arguments.from_, end=arguments.to),
    )

    def find() -> list[MemoryOut]:
        ranked = core.finder.rank(call.scope.reads, question)[:top_k]
        found = core.finder.load(ranked, scopes=call.scope.reads)
        views = core.library.describe([entry.memory for entry in found])
        return [MemoryOut.of(view, score=entry.score) for view, entry in zip(views, found, strict=True)]

    memories = await asyncio.to_thread(find) if call.scope.reads else []
    return ToolReply(
        text=_lines(call, memories), details={"memories": [dump(memory) for memory in memories]} | _readers(call)
    )


async def _get(call: ToolCall, arguments: GetArguments) -> ToolReply:
    def read() -> tuple[MemoryView, History]:
        view = call.core.library.get(arguments.ref, scopes=call.scope.reads)
        return view, call.core.library.history(view.memory.id, scopes=call.scope.reads)

    view, history = await asyncio.to_thread(read)
    memory = MemoryOut.of(view)
    lines = memory.text.split("\n")
    first = (arguments.from_line or 1) - 1
    text = "\n".join(lines[first : first + arguments.line_count] if arguments.line_count else lines[first:])
    told = {
        "revisions": [dump(RevisionOut.of(one)) for one in history.revisions],
        "edges": [dump(EdgeOut.of(one)) for one in history.edges],
    }
    details = {"memory": dump(memory)} | told | _readers(call)
    return ToolReply(text=f"{_line(call, memory, text=text)}", details=details)


async def _list(call: ToolCall, arguments: ListArguments) -> ToolReply:
    where = MemoryFilter(space=arguments.space, kind=arguments.kind, tag=arguments.tag)
    if arguments.status:
        where = MemoryFilter(
            space=arguments.space, kind=arguments.kind, tag=arguments.tag, statuses=(arguments.status,)
        )
    page = await asyncio.to_thread(
        call.core.library.page, call.scope.reads, where=where, limit=arguments.limit, cursor=arguments.cursor
    )
    memories = [MemoryOut.of(view) for view in page.views]
    details: dict[str, object] = {"memories": [dump(memory) for memory in memories]}
    if page.cursor:
        details["nextCursor"] = page.cursor
    return ToolReply(text=_lines(call, memories), details=details)


def _readers(call: ToolCall) -> dict[str, object]:
    """Says so where more than one person reads what was found."""
    return {"shared": True} if call.scope.shared else {}


def _lines(call: ToolCall, memories: Sequence[MemoryOut]) -> str:
    if not memories:
        return call.scope.reason or "Nothing is remembered about that."
    return "\n".join(_line(call, memory, text=memory.text) for memory in memories)


def _line(call: ToolCall, memory: MemoryOut, *, text: str) -> str:
    at = (memory.event_at or memory.created_at).astimezone(ZoneInfo(call.zone))
    who = f", {memory.speaker}" if memory.speaker else ""
    label = _LABELS.get(memory.status, "")
    return f"- [{at:%Y-%m-%d}{who}{label}] {text} ({memory.kref})"


SEARCH = Tool(name="memory_search", arguments=SearchArguments, run=_search)
GET = Tool(name="memory_get", arguments=GetArguments, run=_get)
LIST = Tool(name="memory_list", arguments=ListArguments, run=_list)
