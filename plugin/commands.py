"""Commands about what is remembered: the operator's own memory, asked and changed through the running service."""

import asyncio
import json
import sys
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Mapping
from pathlib import Path
from typing import Annotated, BinaryIO, TypeVar

import typer

from memory_core.errors import Invalid, Unavailable
from memory_core.settings import Settings
from plugin.client import OPERATOR, Json, ServiceClient, as_count, as_object, as_objects, open_client
from plugin.copies import backups_of, exports_of, note_export
from plugin.explaining import explained
from plugin.report import Report
from plugin.terminal import printable

app = typer.Typer()

_T = TypeVar("_T")
_IMPORT_LIMIT_BYTES = 256 * 1024 * 1024
_CHUNK_BYTES = 64 * 1024
_POLL_S = 0.5
_ENDED = frozenset({"done", "failed", "cancelled"})
_SHOWN_REJECTS = 20


def call_service(settings: Settings, work: Callable[[ServiceClient], Coroutine[None, None, _T]]) -> _T:
    """Do some work with a connection to the running service.

    Raises:
        MemoryCoreError: the service is away, refuses us, or the work failed.
    """

    async def connected() -> _T:
        async with open_client(settings) as client:
            return await work(client)

    return asyncio.run(connected())


@app.command()
def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="A question or keywords.")],
    *,
    limit: Annotated[int | None, typer.Option(help="How many memories at most.", min=1, max=50)] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Why each memory was chosen or left out.")] = False,
) -> None:
    """Search your memory."""

    async def ask(client: ServiceClient) -> Json:
        if not explain:
            return (await client.tool("memory_search", {"query": query, "topK": limit})).details
        body: dict[str, object] = {"session": OPERATOR, "message": {"text": query}, "explain": True, "dedupe": False}
        return await client.post("/v1/recall", body=body | ({"topK": limit} if limit else {}))

    answer = call_service(context.obj, ask)
    memories = as_objects(answer.get("memories"))
    for memory in memories:
        typer.echo(memory_line(memory))
    if not memories:
        typer.echo("nothing found")
    if answer.get("degraded"):
        typer.echo(f"not everything was searched: {printable(str(answer.get('reason')))}", err=True)
    if explain:
        for line in ("", *explained(as_objects(answer.get("trace")))):
            typer.echo(line)


@app.command()
def remember(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="What to keep, as a sentence that stands by itself.")],
) -> None:
    """Store one memory."""
    answer = call_service(context.obj, lambda client: client.tool("memory_store", {"text": text}))
    memory = as_object(answer.details.get("memory"))
    typer.echo(f"{answer.details.get('decision')}: {printable(str(answer.details.get('reason') or ''))}")
    if memory:
        typer.echo(memory_line(memory))
    elif answer.details.get("decision") == "REJECT":
        raise typer.Exit(1)


@app.command()
def show(context: typer.Context, kref: Annotated[str, typer.Argument(help="Address or id of a memory.")]) -> None:
    """Show one memory with its revisions and links."""
    answer = call_service(context.obj, lambda client: client.tool("memory_get", {"ref": kref}))
    memory = as_object(answer.details.get("memory"))
    for name, value in memory.items():
        if value not in (None, [], ""):
            typer.echo(f"{name:<13} {printable(value if isinstance(value, str) else json.dumps(value))}")
    for name in ("revisions", "edges"):
        for item in as_objects(answer.details.get(name)):
            typer.echo(f"{name:<13} {printable(json.dumps(item, ensure_ascii=False))}")


@app.command()
def forget(
    context: typer.Context,
    krefs: Annotated[list[str] | None, typer.Argument(help="Addresses or ids of memories.")] = None,
    *,
    query: Annotated[str | None, typer.Option(help="Instead: memories that this search finds.")] = None,
    session: Annotated[str | None, typer.Option(help="Instead: everything said in the session of this key.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
) -> None:
    """Forget for good: memories, what was derived from them, and where they came from."""
    if sum(bool(way) for way in (krefs, query, session)) != 1:
        raise Invalid("forget: name memories, or give --query, or --session")
    wanted: dict[str, object] = {"refs": krefs or None, "query": query, "sessionKey": session}

    async def erase(client: ServiceClient) -> Json | None:
        preview = (await client.tool("memory_forget", wanted)).details
        for memory in as_objects(preview.get("preview")):
            typer.echo(memory_line(memory))
        if not preview.get("matched") and not session:
            return preview
        what = f"{preview.get('matched') or 0} memories" + (" and the session's latest turns" if session else "")
        if not yes and not typer.confirm(f"Forget {what} for good?"):
            return None
        confirmed = {**wanted, "confirm": True, "previewId": preview.get("previewId")}
        return (await client.tool("memory_forget", confirmed)).details

    result = call_service(context.obj, erase)
    if result is None:
        typer.echo("nothing was forgotten")
        raise typer.Exit(1)
    counts = ", ".join(f"{result[name]} {name}" for name in ("derived", "vectors", "artifacts") if result.get(name))
    typer.echo(f"forgot {result.get('forgotten') or 0} memories" + (f" ({counts})" if counts else ""))
    for line in _copies_left(context.obj.home):
        typer.echo(line)


def _copies_left(home: Path) -> Iterator[str]:
    for path in backups_of(home):
        yield f"a backup may hold it still (restoring it forgets it again): {path}"
    for path in exports_of(home):
        yield f"an export may hold it still: {path}"


@app.command("import")
def import_file(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="JSON lines: utterances or exported memories.", exists=True)],
) -> None:
    """Replay a transcript or an export; a line that can't be read is reported and skipped."""
    if file.stat().st_size > _IMPORT_LIMIT_BYTES:
        raise Invalid(f"{file}: larger than {_IMPORT_LIMIT_BYTES // 2**20} MB; split it into several files")
    with file.open("rb") as content:
        job = call_service(context.obj, lambda client: _import(client, content, report=Report(sys.stderr)))
    result = as_object(job.get("result"))
    rejected = as_objects(result.get("rejected"))
    counts = ", ".join(f"{result.get(name) or 0} {name}" for name in ("read", "captured", "skipped"))
    rejected_count = as_count(result.get("rejectedCount"), otherwise=len(rejected))
    typer.echo(f"{counts}, {rejected_count} rejected")
    for line in rejected[:_SHOWN_REJECTS]:
        typer.echo(f"line {line.get('line')}: {printable(str(line.get('reason')))}", err=True)
    if rejected_count > _SHOWN_REJECTS:
        typer.echo(f"... and {rejected_count - _SHOWN_REJECTS} more", err=True)
    if job.get("state") != "done":
        raise Unavailable(f"the import {job.get('state')}: {printable(str(job.get('error')))}")
    if rejected_count:
        raise typer.Exit(1)


@app.command()
def export(
    context: typer.Context,
    output: Annotated[Path | None, typer.Option(help="File to write; standard output when absent.")] = None,
) -> None:
    """Write everything as JSON lines that `import` reads again."""
    if output is None:
        call_service(context.obj, lambda client: _export(client, sys.stdout.buffer))
        return
    unfinished = output.with_name(f"{output.name}.part")
    with unfinished.open("wb") as target:
        unfinished.chmod(0o600)
        count = call_service(context.obj, lambda client: _export(client, target))
    unfinished.replace(output)
    note_export(context.obj.home, output)
    typer.echo(f"{count} lines in {output}")


def memory_line(memory: Json) -> str:
    """One memory on one line: score if there is one, address, kind, text, day and speaker."""
    score = memory.get("score")
    parts = [f"{score:.2f}"] if isinstance(score, int | float) else []
    parts += [str(memory.get("kref")), f"[{memory.get('kind')}]", printable(str(memory.get("text")))]
    day = str(memory.get("eventAt") or memory.get("createdAt") or "")[:10]
    about = ", ".join(printable(str(part)) for part in (day, memory.get("speaker")) if part)
    return "  ".join([*parts, f"({about})"] if about else parts)


async def _import(client: ServiceClient, content: BinaryIO, *, report: Report) -> Mapping[str, object]:
    report.line("sending ...")
    answer = await client.post_lines("/v1/import", lines=_chunks(content))
    started_s = time.monotonic()
    while True:
        job = await client.get(f"/v1/jobs/{answer['jobId']}")
        if job.get("state") in _ENDED:
            report.line(f"{job['state']} after {time.monotonic() - started_s:.1f} s")
            return job
        progress = job.get("progress")
        share = f"{progress:.0%}" if isinstance(progress, int | float) else "0%"
        report.waiting(f"{job.get('state')}: {share}, {time.monotonic() - started_s:.0f} s")
        await asyncio.sleep(_POLL_S)


async def _chunks(content: BinaryIO) -> AsyncGenerator[bytes]:
    while chunk := content.read(_CHUNK_BYTES):
        yield chunk


async def _export(client: ServiceClient, target: BinaryIO) -> int:
    count = 0
    async with client.read_lines("/v1/export") as lines:
        async for line in lines:
            target.write(line.encode() + b"\n")
            count += 1
    target.flush()
    return count
