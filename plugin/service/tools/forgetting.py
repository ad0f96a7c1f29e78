"""The tool that erases: preview first, then what was seen, or only what surely is meant."""

import asyncio
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, StringConstraints

from memory_core.errors import NotFound
from memory_core.forgetting.service import Receipt, Selection
from memory_core.keywords import content_words
from memory_core.models.memory import Memory
from memory_core.recall.finding import Question
from memory_core.store.memories import MemoryFilter
from memory_core.values import MemoryId, MemoryStatus, ScopeKey, TimeRange
from plugin.service.schemas import STORABLE, Instant, Key, MemoryOut, Wire
from plugin.service.tools.base import Tool, ToolCall, ToolReply, dump

_PREVIEWS = 256
_PREVIEW_S = 900.0
_PREVIEW_LIMIT = 50
_EVERY_STATUS = tuple(MemoryStatus)
_MYSELF = frozenset({"me", "myself", "i", "my", "ich", "mich", "moi", "yo", "mí"})


class ForgetArguments(Wire):
    """Arguments of `memory_forget`."""

    refs: list[Key] = Field(default_factory=list, max_length=1000)
    query: Annotated[str, STORABLE, StringConstraints(max_length=4000, strip_whitespace=True)] | None = None
    person: Key | None = None
    session_key: Key | None = None
    from_: Instant | None = Field(default=None, alias="from")
    to: Instant | None = None
    preview_id: Key | None = None
    confirm: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Preview:
    scopes: tuple[ScopeKey, ...]
    selection: Selection
    until: float


class Previews:
    """What was shown and may be confirmed: bounded, for a quarter of an hour, by the same scope only."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._kept: OrderedDict[str, _Preview] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, scopes: Sequence[ScopeKey], selection: Selection) -> str:
        """Remember a selection; returns the id that confirms it."""
        preview_id = secrets.token_urlsafe(12)
        preview = _Preview(scopes=tuple(scopes), selection=selection, until=time.monotonic() + _PREVIEW_S)
        with self._lock:
            self._kept[preview_id] = preview
            while len(self._kept) > _PREVIEWS:
                self._kept.popitem(last=False)
        return preview_id

    def take(self, preview_id: str, *, scopes: Sequence[ScopeKey]) -> Selection:
        """The selection that was shown.

        Raises:
            NotFound: there is none of this id for these scopes, or it is too old.
        """
        with self._lock:
            preview = self._kept.get(preview_id)
            if preview is None or preview.scopes != tuple(scopes) or preview.until < time.monotonic():
                raise NotFound("previewId: there is no such preview any more; ask for a new one")
            del self._kept[preview_id]
        return preview.selection


def make(previews: Previews) -> Tool:
    """The tool over a store of previews."""

    async def run(call: ToolCall, arguments: ForgetArguments) -> ToolReply:
        return await asyncio.to_thread(_forget, call, arguments, previews=previews)

    return Tool(name="memory_forget", arguments=ForgetArguments, run=run)


def _forget(call: ToolCall, arguments: ForgetArguments, *, previews: Previews) -> ToolReply:
    if not call.scope.reads:
        return _receipt(Receipt(memories=0, turns=0, vectors=0), matched=0)
    if arguments.confirm and arguments.preview_id:
        selection = previews.take(arguments.preview_id, scopes=call.scope.reads)
        return _receipt(call.core.forgetting.forget(call.scope.reads, selection), matched=len(selection.memory_ids))
    if not (arguments.refs or arguments.query or _narrows(arguments)):
        reason = "arguments: one of refs, query, person, sessionKey, from and to must say what to forget"
        return ToolReply(text=reason, is_error=True)
    memories = [memory for memory in _matching(call, arguments) if _may_forget(call, memory)]
    turns = _buffered(call, arguments)
    selection = Selection(
        memory_ids=tuple(MemoryId(memory.id) for memory in memories), turn_ids=tuple(turn for turn in turns)
    )
    if arguments.confirm:
        return _receipt(call.core.forgetting.forget(call.scope.reads, selection), matched=len(memories))
    return _shown(call, memories, preview_id=previews.keep(call.scope.reads, selection))


def _bounded(arguments: ForgetArguments) -> bool:
    return arguments.from_ is not None or arguments.to is not None


def _matching(call: ToolCall, arguments: ForgetArguments) -> list[Memory]:
    if arguments.refs:
        views = [call.core.library.get(ref, scopes=call.scope.reads) for ref in dict.fromkeys(arguments.refs)]
        return [view.memory for view in views]
    if arguments.query and not arguments.confirm:
        near = _near(call, arguments.query)
        fitting = {memory.id for memory in _fitting(call, arguments)} if _narrows(arguments) else None
        return [memory for memory in near if fitting is None or memory.id in fitting]
    holds = _holds_words(arguments.query)
    return [memory for memory in _fitting(call, arguments) if holds(memory)]


def _near(call: ToolCall, query: str) -> list[Memory]:
    question = Question(text=query, at=call.core.clock.now(), zone=call.zone, include_superseded=True)
    ranked = call.core.finder.rank(call.scope.reads, question)[:_PREVIEW_LIMIT]
    return [found.memory for found in call.core.finder.load(ranked, scopes=call.scope.reads)]


def _narrows(arguments: ForgetArguments) -> bool:
    return bool(arguments.person or arguments.session_key) or _bounded(arguments)


def _fitting(call: ToolCall, arguments: ForgetArguments) -> list[Memory]:
    """Every memory that keeps to person, conversation and time."""
    where = MemoryFilter(
        statuses=_EVERY_STATUS,
        session_key=arguments.session_key,
        event=TimeRange(start=arguments.from_, end=arguments.to),
    )
    about = _about_person(call, arguments.person)
    return [memory for memory in call.core.library.matching(call.scope.reads, where=where) if about(memory)]


def _about_person(call: ToolCall, person: str | None) -> Callable[[Memory], bool]:
    if person is None:
        return lambda _: True
    if person.casefold() in _MYSELF and not call.scope.shared:
        return lambda _: True
    name = (call.scope.speaker or "") if person.casefold() in _MYSELF else person
    return lambda memory: _is_about(memory, name=name)


def _is_about(memory: Memory, *, name: str) -> bool:
    words = {word.casefold() for word in name.split()}
    return bool(words) and ((memory.speaker or "").casefold() == name.casefold() or words <= content_words(memory.text))


def _holds_words(query: str | None) -> Callable[[Memory], bool]:
    if query is None:
        return lambda _: True
    wanted = content_words(query)
    return lambda memory: bool(wanted) and wanted <= content_words(f"{memory.speaker or ''} {memory.text}")


def _may_forget(call: ToolCall, memory: Memory) -> bool:
    if not call.scope.shared or call.scope.is_owner:
        return True
    return bool(call.scope.speaker) and _is_about(memory, name=call.scope.speaker or "")


def _buffered(call: ToolCall, arguments: ForgetArguments) -> list[int]:
    if arguments.refs:
        return []
    about = _about_person(call, arguments.person)
    holds = _holds_words(arguments.query)
    turns = call.core.forgetting.buffered(
        call.scope.reads, session_key=arguments.session_key, start=arguments.from_, end=arguments.to
    )
    return [
        turn.id or 0
        for turn in turns
        if all(test(_as_memory(turn.text or "", turn.speaker)) for test in (about, holds))
        and _may_forget(call, _as_memory(turn.text or "", turn.speaker))
    ]


def _as_memory(text: str, speaker: str | None) -> Memory:
    return Memory.model_construct(text=text, speaker=speaker)


def _shown(call: ToolCall, memories: Sequence[Memory], *, preview_id: str) -> ToolReply:
    views = call.core.library.describe(memories[:_PREVIEW_LIMIT])
    preview = [dump(MemoryOut.of(view)) for view in views]
    text = f"{len(memories)} memories would be forgotten. Confirm with previewId {preview_id}."
    details = {**_numbers(Receipt(memories=0, turns=0, vectors=0), matched=len(memories)), "preview": preview}
    return ToolReply(text=text, details={**details, "previewId": preview_id})


def _receipt(receipt: Receipt, *, matched: int) -> ToolReply:
    later = " The index is away; their vectors go as soon as it is back." if receipt.pending else ""
    text = f"{receipt.memories} memories and {receipt.turns} buffered utterances are forgotten.{later}"
    return ToolReply(text=text, details=_numbers(receipt, matched=matched))


def _numbers(receipt: Receipt, *, matched: int) -> dict[str, object]:
    return {
        "forgotten": receipt.memories,
        "matched": matched,
        "derived": 0,
        "vectors": receipt.vectors,
        "artifacts": receipt.artifacts,
        "buffered": receipt.turns,
    }
