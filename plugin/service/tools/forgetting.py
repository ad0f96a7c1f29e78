"""The tool that erases: preview first, then what was seen, or only what surely is meant."""

import asyncio
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field, StringConstraints

from memory_core.errors import Invalid, NotFound
from memory_core.forgetting.selecting import Chosen, Wish
from memory_core.forgetting.service import Receipt, Selection
from memory_core.values import MemoryId, ScopeKey
from plugin.copies import backups_of, exports_of
from plugin.service.schemas import STORABLE, Key, MemoryOut, Wire
from plugin.service.tools.base import FromDay, ToDay, Tool, ToolCall, ToolReply, dump

_PREVIEWS = 256
_PREVIEW_S = 900.0
_PREVIEW_LIMIT = 50
_SHOWN_CHARS = 120
_IN_BACKUPS = "backup files from before may still hold it and stay as they are; restoring one forgets it again."
_IN_EXPORTS = "exported files from before may still hold it."
_NOTHING = Receipt(memories=0, turns=0, vectors=0)
_ASK_FOR_SOMETHING = "arguments: one of refs, query, person, sessionKey, from and to must say what to forget"


class ForgetArguments(Wire):
    """Arguments of `memory_forget`; with a `previewId`, `refs` may be numbers of what was shown, from 1."""

    refs: list[Key] = Field(default_factory=list, max_length=1000)
    query: Annotated[str, STORABLE, StringConstraints(max_length=4000, strip_whitespace=True)] | None = None
    person: Key | None = None
    session_key: Key | None = None
    from_: FromDay | None = Field(default=None, alias="from")
    to: ToDay | None = None
    preview_id: Key | None = None
    confirm: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Preview:
    scopes: tuple[ScopeKey, ...]
    selection: Selection
    until: float


class Previews:
    """What was shown and may be confirmed: bounded, for a quarter of an hour, by the same scope only, once."""

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

    def shown(self, preview_id: str, *, scopes: Sequence[ScopeKey]) -> Selection:
        """The selection that was shown.

        Raises:
            NotFound: there is none of this id for these scopes, or it is too old.
        """
        with self._lock:
            preview = self._kept.get(preview_id)
        if preview is None or preview.scopes != tuple(scopes) or preview.until < time.monotonic():
            raise NotFound("previewId: there is no such preview any more; ask for a new one")
        return preview.selection

    def drop(self, preview_id: str) -> None:
        """Forget a preview that was confirmed."""
        with self._lock:
            self._kept.pop(preview_id, None)


def make(previews: Previews) -> Tool:
    """The tool over a store of previews."""

    async def run(call: ToolCall, arguments: ForgetArguments) -> ToolReply:
        return await asyncio.to_thread(_forget, call, arguments, previews=previews)

    return Tool(name="memory_forget", arguments=ForgetArguments, run=run)


def _forget(call: ToolCall, arguments: ForgetArguments, *, previews: Previews) -> ToolReply:
    scopes = call.scope.reads
    if not scopes:
        return _done(call, _NOTHING, matched=0)
    if call.scope.reason and call.scope.writes is None:
        return ToolReply(text=f"Nothing was forgotten: {call.scope.reason}.", details=_numbers(_NOTHING, matched=0))
    if arguments.confirm and arguments.preview_id:
        selection = _part(call, previews.shown(arguments.preview_id, scopes=scopes), refs=arguments.refs)
        previews.drop(arguments.preview_id)
        receipt = call.core.forgetting.forget(scopes, selection)
        return _done(call, receipt, matched=len(selection.memory_ids))
    wish = _wish(arguments)
    if not wish.says_what:
        return ToolReply(text=_ASK_FOR_SOMETHING, is_error=True)
    chosen = call.core.selecting.choose(call.scope, wish, at=call.core.clock.now(), zone=call.zone)
    if arguments.confirm:
        receipt = call.core.forgetting.forget(scopes, chosen.selection)
        return _with_refused(_done(call, receipt, matched=len(chosen.memories)), chosen.refused)
    shown = _preview(call, chosen, preview_id=previews.keep(scopes, chosen.selection))
    return _with_refused(shown, chosen.refused)


def _with_refused(reply: ToolReply, refused: int) -> ToolReply:
    if not refused:
        return reply
    why = f"{refused} of those named stay: here one may forget only what one said oneself or what is about oneself."
    return replace(reply, text=f"{reply.text}\n{why}", details={**reply.details, "refused": refused})


def _wish(arguments: ForgetArguments) -> Wish:
    return Wish(
        refs=tuple(arguments.refs),
        query=arguments.query or None,
        near=not arguments.confirm,
        person=arguments.person,
        session_key=arguments.session_key,
        start=arguments.from_,
        end=arguments.to,
    )


def _part(call: ToolCall, selection: Selection, *, refs: Sequence[str]) -> Selection:
    """Of what was shown, the memories that are named, by number or by address; all of it when none or all are.

    Raises:
        Invalid: something is named that wasn't shown.
        NotFound: an address leads nowhere.
    """
    shown = selection.memory_ids
    wanted = {_shown_as(call, ref, shown=shown[:_PREVIEW_LIMIT]) for ref in refs}
    if not refs or wanted == set(shown):
        return selection
    return Selection(memory_ids=tuple(one for one in shown if one in wanted))


def _shown_as(call: ToolCall, ref: str, *, shown: Sequence[MemoryId]) -> MemoryId:
    number = ref.strip().removeprefix("#").rstrip(".")
    if number.isascii() and number.isdigit():
        if 1 <= int(number) <= len(shown):
            return shown[int(number) - 1]
        raise Invalid(f"refs: with this previewId, numbers go from 1 to {len(shown)}")
    memory_id = MemoryId(call.core.library.get(ref, scopes=call.scope.reads).memory.id)
    if memory_id not in shown:
        raise Invalid(f"refs: {ref[:120]!r} is not among what this previewId showed")
    return memory_id


def _preview(call: ToolCall, chosen: Chosen, *, preview_id: str) -> ToolReply:
    shown = chosen.memories[:_PREVIEW_LIMIT]
    would = call.core.forgetting.preview(call.scope.reads, chosen.selection)
    preview = [dump(MemoryOut.of(view)) for view in call.core.library.describe(shown)]
    lines = [f"{number}. {_short(memory.text)} ({memory.kref})" for number, memory in enumerate(shown, start=1)]
    more = [f"... and {len(chosen.memories) - len(shown)} more"] if len(chosen.memories) > len(shown) else []
    text = (
        f"{len(chosen.memories)} memories{_beside(would)} would be forgotten. "
        f"Confirm with previewId {preview_id}, or with it and refs of numbers, such as 1, for some of them only."
    )
    nothing_yet = replace(would, memories=0, vectors=0)
    details = {**_numbers(nothing_yet, matched=len(chosen.memories)), "preview": preview, "previewId": preview_id}
    return ToolReply(text="\n".join([text, *lines, *more]), details=details)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN_CHARS else f"{flat[: _SHOWN_CHARS - 1]}…"


def _done(call: ToolCall, receipt: Receipt, *, matched: int) -> ToolReply:
    """The receipt: when, and how many of what; no word of what is gone."""
    later = " The index is away; their vectors go as soon as it is back." if receipt.pending else ""
    something = receipt.memories or receipt.turns or receipt.wordings
    home = call.core.settings.home
    copies = {"backups": backups_of(home), "exports": exports_of(home)} if something else {}
    words = {"backups": _IN_BACKUPS, "exports": _IN_EXPORTS}
    left = "".join(f" {len(paths)} {words[kind]}" for kind, paths in copies.items() if paths)
    text = f"{receipt.memories} memories{_beside(receipt)} are forgotten.{later}{left}"
    details = {**_numbers(receipt, matched=matched), "at": call.core.clock.now().isoformat()}
    for kind, paths in copies.items():
        if paths:
            details[kind] = [str(path) for path in paths] if call.scope.is_owner else len(paths)
    return ToolReply(text=text, details=details)


def _beside(receipt: Receipt) -> str:
    beside = (
        (receipt.derived, "that say the same or were made from them"),
        (receipt.turns, "buffered utterances"),
        (receipt.artifacts, "works"),
        (receipt.wordings, "earlier wordings"),
    )
    told = [f"{number} {what}" for number, what in beside if number]
    return f" and {', '.join(told)}" if told else ""


def _numbers(receipt: Receipt, *, matched: int) -> dict[str, object]:
    return {
        "forgotten": receipt.memories,
        "matched": matched,
        "derived": receipt.derived,
        "vectors": receipt.vectors,
        "artifacts": receipt.artifacts,
        "buffered": receipt.turns,
        "wordings": receipt.wordings,
        "reportEntries": receipt.changes,
    }
