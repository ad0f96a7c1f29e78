"""Tools for what the agent made: keep it, find it, ask whether it is kept."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field, StringConstraints

from memory_core.creative.capturing import MAX_CONTENT_BYTES, CaptureRequest
from memory_core.creative.kinship import Kin
from memory_core.creative.service import ArtifactView, Opened
from memory_core.kref import Place, place_of
from memory_core.models.artifact import ArtifactRevision
from memory_core.recall.finding import Question
from memory_core.values import JobId, JobState
from plugin.service.schemas import STORABLE, Key, Line, TopK, Wire
from plugin.service.tools.base import Tool, ToolCall, ToolReply

MAX_CONTENT_CHARS = 100_000
"""How much of a content one answer holds; the rest is asked for by line."""
_FOUND = 10
_LISTED = 500
_ANY_KIND = "any"

Title = Annotated[str, STORABLE, StringConstraints(max_length=10_000, strip_whitespace=True)]
Name = Annotated[str, STORABLE, StringConstraints(max_length=200, strip_whitespace=True, pattern=r"\S")]
Content = Annotated[str, STORABLE, StringConstraints(max_length=MAX_CONTENT_BYTES)]
Tag = Annotated[str, STORABLE, StringConstraints(min_length=1, max_length=60, strip_whitespace=True)]
Ref = Annotated[str, STORABLE, StringConstraints(min_length=1, max_length=1000, strip_whitespace=True)]
Query = Annotated[str, STORABLE, StringConstraints(max_length=4000, strip_whitespace=True)]


class CaptureArguments(Wire):
    """Arguments of `creative_capture`."""

    title: Title
    content: Content
    creative_project: Name
    project: Name
    kind: Name
    source_memory_kref: Ref | None = None
    tags: list[Tag] = Field(default_factory=list, max_length=20)


class RecallArguments(Wire):
    """Arguments of `creative_recall`; `from_line` and `line_count` page through the content of `ref`."""

    space: Name
    creative_project: Name
    query: Query | None = None
    top_k: TopK | None = None
    ref: Ref | None = None
    tag: Tag | None = None
    from_line: Line | None = None
    line_count: Line | None = None


class StatusArguments(Wire):
    """Arguments of `creative_job_status`."""

    job_id: Key


async def _capture(call: ToolCall, arguments: CaptureArguments) -> ToolReply:
    request = CaptureRequest(
        title=arguments.title,
        content=arguments.content,
        creative_project=arguments.creative_project,
        project=arguments.project,
        kind=arguments.kind,
        source_kref=arguments.source_memory_kref,
        tags=tuple(arguments.tags),
    )
    accepted = await asyncio.to_thread(call.core.capturing.capture, call.scope, request)
    details: dict[str, object] = {"jobId": accepted.job_id, "title": accepted.title, "space": accepted.space}
    if accepted.job_id is None:
        refused = {"decision": "REJECT", "reason": accepted.reason}
        return ToolReply(text=f"Not kept: {accepted.reason}.", details=details | refused)
    masked = f" {accepted.masked} secrets or personal data were replaced by placeholders." if accepted.masked else ""
    text = f"{accepted.title!r} is being kept as job {accepted.job_id}.{masked}"
    return ToolReply(text=text, details=details | {"masked": accepted.masked})


async def _status(call: ToolCall, arguments: StatusArguments) -> ToolReply:
    found = await asyncio.to_thread(call.core.capturing.state, call.scope, JobId(arguments.job_id))
    fields = {
        "state": found.state,
        "itemKref": found.item_kref,
        "revisionKref": found.revision_kref,
        "memoryKref": found.memory_kref,
        "newRevision": found.is_new_revision,
        "error": found.error,
        "attempts": found.attempts,
    }
    return ToolReply(text=_told(found.state, fields), details={k: v for k, v in fields.items() if v is not None})


def _told(state: JobState, fields: Mapping[str, object]) -> str:
    if state is JobState.FAILED:
        return f"It failed: {fields['error']}."
    if state is not JobState.DONE:
        return f"It is {state}; it will be kept without being asked for again."
    if fields["revisionKref"] is None:
        return f"It was kept, and {fields['error']}."
    same = "" if fields["newRevision"] else " The content was there already, so no revision was added."
    return f"Kept as {fields['revisionKref']}; the memory of it is {fields['memoryKref']}.{same}"


async def _recall(call: ToolCall, arguments: RecallArguments) -> ToolReply:
    if arguments.ref:
        opened = await asyncio.to_thread(call.core.creative.opened, call.scope.reads, arguments.ref)
        return _whole(opened, arguments)
    views = await asyncio.to_thread(_views, call, arguments) if call.scope.reads else []
    if not views:
        none = call.scope.reason or f"Nothing of that is kept in space {arguments.space!r}."
        return ToolReply(text=none, details={"items": []})
    lines = [f"- {view.artifact.title} ({_kref(view)}): {view.excerpt}" for view in views]
    return ToolReply(text="\n".join(lines), details={"items": [_item(view) for view in views]})


def _views(call: ToolCall, arguments: RecallArguments) -> list[ArtifactView]:
    place = _place(arguments)
    if not arguments.query:
        limit = arguments.top_k or _LISTED
        return call.core.creative.listed(call.scope.reads, place=place, tag=arguments.tag, limit=limit)
    question = Question(text=arguments.query, at=call.core.clock.now(), zone=call.zone, asker=call.scope.speaker)
    return call.core.creative.found(
        call.scope.reads, question, place=place, tag=arguments.tag, limit=arguments.top_k or _FOUND
    )


def _place(arguments: RecallArguments) -> Place:
    return place_of(project=arguments.creative_project, space=arguments.space, kind=_ANY_KIND)


def _whole(opened: Opened, arguments: RecallArguments) -> ToolReply:
    lines = (opened.content if opened.difference is None else opened.difference).split("\n")
    first = min((arguments.from_line or 1) - 1, len(lines))
    wanted = lines[first : first + arguments.line_count] if arguments.line_count else lines[first:]
    shown = _bounded(wanted)
    text = "\n".join(shown)[:MAX_CONTENT_CHARS]
    details: dict[str, object] = {
        "items": [_item(opened.view)],
        "content": text,
        "lines": len(lines),
        "fromLine": first + 1,
        "revisions": [_revision(opened.view, revision) for revision in opened.revisions],
        "sources": _kin(opened.sources),
        "derived": _kin(opened.derived),
    }
    rest = first + len(shown)
    if rest < len(lines):
        details["nextLine"] = rest + 1
    more = f"\n[{len(lines) - rest} more lines: ask again with fromLine {rest + 1}]" if rest < len(lines) else ""
    return ToolReply(text=f"{opened.view.artifact.title} ({_kref(opened.view)})\n\n{text}{more}", details=details)


def _bounded(lines: Sequence[str]) -> Sequence[str]:
    """As many whole lines as one answer holds, at least one."""
    total = 0
    for number, line in enumerate(lines):
        total += len(line) + 1
        if total > MAX_CONTENT_CHARS:
            return lines[: max(number, 1)]
    return lines


def _kref(view: ArtifactView) -> str:
    return f"{view.artifact.kref}?r={view.revision.revision}"


def _item(view: ArtifactView) -> dict[str, object]:
    artifact = view.artifact
    item: dict[str, object] = {
        "itemKref": artifact.kref,
        "revisionKref": _kref(view),
        "title": artifact.title,
        "kind": artifact.kind,
        "revision": view.revision.revision,
        "createdAt": view.revision.created_at.isoformat(),
        "tags": artifact.tags,
        "excerpt": view.excerpt,
        "sizeBytes": view.revision.size_bytes,
    }
    if view.score is not None:
        item["score"] = round(view.score, 4)
    if artifact.published is not None:
        item["published"] = artifact.published
    return item


def _revision(view: ArtifactView, revision: ArtifactRevision) -> dict[str, object]:
    return {
        "kref": f"{view.artifact.kref}?r={revision.revision}",
        "revision": revision.revision,
        "createdAt": revision.created_at.isoformat(),
        "sizeBytes": revision.size_bytes,
        "checksum": revision.checksum,
    }


def _kin(kin: Sequence[Kin]) -> list[dict[str, object]]:
    return [{"kref": one.kref, "steps": one.steps} for one in kin]


CAPTURE = Tool(name="creative_capture", arguments=CaptureArguments, run=_capture)
RECALL = Tool(name="creative_recall", arguments=RecallArguments, run=_recall)
STATUS = Tool(name="creative_job_status", arguments=StatusArguments, run=_status)
