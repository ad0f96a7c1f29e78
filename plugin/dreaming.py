"""Commands about what happens at night: run, undo, report, schedule, deduplicate."""

import asyncio
import sys
import time
from typing import Annotated
from urllib.parse import quote

import typer

from memory_core.errors import Invalid, Unavailable
from plugin.client import Json, ServiceClient, as_count, as_object, as_objects, as_strings
from plugin.commands import call_service
from plugin.report import Report
from plugin.terminal import printable

app = typer.Typer(help="What happens to the memory at night.", no_args_is_help=False)
more = typer.Typer()
"""Commands that stand beside `dream`."""

_POLL_S = 0.5
_ENDED = frozenset({"done", "failed", "cancelled"})

DryRun = Annotated[bool, typer.Option("--dry-run", help="Only tell what would be done.")]
Wait = Annotated[bool, typer.Option("--wait", help="Wait for the end and show the report.")]
RunId = Annotated[str, typer.Argument(help="Id of a run.")]
Partial = Annotated[bool, typer.Option("--partial", help="Undo what can be, and tell what can't.")]


@app.callback(invoke_without_command=True)
def dream(context: typer.Context, *, dry_run: DryRun = False, wait: Wait = False) -> None:
    """Work on the whole memory now: conflicts, staleness, tags, edges, repeats."""
    if context.invoked_subcommand is None:
        _run(context, kind="dream", dry_run=dry_run, wait=wait)


@more.command()
def deduplicate(context: typer.Context, *, dry_run: DryRun = False, wait: Wait = False) -> None:
    """Merge memories that say the same."""
    _run(context, kind="deduplicate", dry_run=dry_run, wait=wait)


@more.command("undo")
def undo_run(context: typer.Context, run: RunId, *, partial: Partial = False) -> None:
    """Take back everything that a run changed."""
    undo(context, run, partial=partial)


@app.command()
def undo(context: typer.Context, run: RunId, *, partial: Partial = False) -> None:
    """Take back everything that a run changed."""
    answer = call_service(
        context.obj,
        lambda client: client.post(
            f"/v1/dream-runs/{quote(run, safe='')}/undo", body={"partial": partial}, timeout_s=120
        ),
    )
    typer.echo(f"{as_count(answer.get('reverted'))} changes were taken back")
    for reason in as_strings(answer.get("kept")):
        typer.echo(f"kept: {printable(reason)}", err=True)


@app.command()
def report(context: typer.Context, run: RunId) -> None:
    """Show every change of a run with its reason, before and after."""

    async def ask(client: ServiceClient) -> None:
        async with client.read_lines(f"/v1/dream-runs/{quote(run, safe='')}?format=markdown") as lines:
            async for line in lines:
                typer.echo(printable(line))

    call_service(context.obj, ask)


@app.command()
def runs(context: typer.Context) -> None:
    """List the latest runs."""
    answer = call_service(context.obj, lambda client: client.get("/v1/dream-runs?limit=10"))
    for run in as_objects(answer.get("runs")):
        typer.echo(_run_line(run))


@app.command()
def schedule(
    context: typer.Context,
    cron: Annotated[str | None, typer.Argument(help='Five fields, such as "0 4 * * *"; shown when absent.')] = None,
) -> None:
    """Show or change when runs happen by themselves, with the next three times."""
    _show_schedule(context, change={"cron": cron} if cron is not None else None)


@app.command()
def pause(context: typer.Context) -> None:
    """Let nothing happen by itself until `resume`."""
    _show_schedule(context, change={"paused": True})


@app.command()
def resume(context: typer.Context) -> None:
    """Go on with the schedule."""
    _show_schedule(context, change={"paused": False})


def _show_schedule(context: typer.Context, *, change: Json | None) -> None:
    async def ask(client: ServiceClient) -> Json:
        if change is None:
            return await client.get("/v1/dream-schedule")
        return await client.put("/v1/dream-schedule", body=change)

    answer = call_service(context.obj, ask)
    typer.echo(f"{answer.get('cron')} in {answer.get('timezone')}{' (paused)' if answer.get('paused') else ''}")
    for moment in as_strings(answer.get("next")):
        typer.echo(f"next {moment}")


def _run(context: typer.Context, *, kind: str, dry_run: bool, wait: bool) -> None:
    report = Report(sys.stderr)

    async def work(client: ServiceClient) -> tuple[Json, Json]:
        asked = await client.post("/v1/dream-runs", body={"kind": kind, "dryRun": dry_run})
        if not asked.get("fresh"):
            report.line(f"a run is at work already: {asked.get('kind')} {asked.get('runId')}")
        if not wait:
            return asked, asked
        return asked, await _follow(client, str(asked["jobId"]), report=report)

    asked, job = call_service(context.obj, work)
    run_id = str(asked.get("runId"))
    if not wait:
        typer.echo(f"{asked.get('state')}: run {run_id}")
        typer.echo(f"its report: nightshift dream report {run_id}")
        return
    if job.get("state") != "done":
        raise Unavailable(f"the run {job.get('state')}: {printable(str(job.get('error') or 'no reason given'))}")
    answer = call_service(context.obj, lambda client: client.get(f"/v1/dream-runs/{run_id}"))
    typer.echo(_run_line(answer))


async def _follow(client: ServiceClient, job_id: str, *, report: Report) -> Json:
    began_s = time.monotonic()
    while True:
        job = await client.get(f"/v1/jobs/{job_id}")
        if job.get("state") in _ENDED:
            report.line(f"{job['state']} after {time.monotonic() - began_s:.1f} s")
            return job
        share = job.get("progress")
        done = f"{share:.0%}" if isinstance(share, int | float) else "0%"
        report.waiting(f"{job.get('state')}: {done}, {time.monotonic() - began_s:.0f} s")
        await asyncio.sleep(_POLL_S)


def _run_line(run: Json) -> str:
    if not run.get("id"):
        raise Invalid("the service answered without a run")
    counts = ", ".join(f"{count} {name}" for name, count in as_object(run.get("counts")).items()) or "nothing to do"
    dry = ", dry run" if run.get("dryRun") else ""
    began = str(run.get("startedAt") or "waiting")[:19]
    return f"{run['id']}  {began}  {run.get('kind')} {run.get('state')}{dry}: {run.get('reviewed')} reviewed, {counts}"
