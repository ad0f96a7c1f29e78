"""Commands that keep things: backups, published works, and another try of what failed."""

import pkgutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from plugin.commands import call_service
from plugin.terminal import printable

if TYPE_CHECKING:
    from plugin.backup import BackedUp, Restored

# By name: it opens the tables, and loading what that takes costs every other command more than a second.
_BACK_UP, _RESTORE = "plugin.backup:back_up", "plugin.backup:restore"

app = typer.Typer()
jobs = typer.Typer(help="Work of the flows.", no_args_is_help=True)
app.add_typer(jobs, name="jobs")


@app.command()
def backup(
    context: typer.Context, file: Annotated[Path, typer.Argument(help="File to write.", dir_okay=False)]
) -> None:
    """Write everything that can't be made again into one file, while Nightshift runs or not."""
    done: BackedUp = pkgutil.resolve_name(_BACK_UP)(context.obj, file)
    typer.echo(
        f"{done.memories} memories and {done.artifacts} contents of works in {file}, {done.size_bytes / 1e6:.1f} MB"
    )
    typer.echo("It holds no token; whoever has it can read all of it.")


@app.command("restore")
def restore_file(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A file that `backup` wrote.", exists=True, dir_okay=False)],
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
) -> None:
    """Put a backup in the place of what is there; Nightshift must not be running."""
    if not yes and not typer.confirm(f"Replace what is in {context.obj.home} by {file}?"):
        raise typer.Exit(1)
    done: Restored = pkgutil.resolve_name(_RESTORE)(context.obj, file)
    typer.echo(f"{done.memories} memories are back, as of {printable(done.taken_at)}")
    again = done.reapplied
    if again.memories or again.turns or again.revisions or again.artifacts:
        typer.echo(
            f"forgotten since, so forgotten again: {again.memories} memories, {again.turns} utterances, "
            f"{again.revisions} earlier wordings, {again.artifacts} works"
        )
    if done.unknown_tombstones:
        typer.echo(
            "The backup is of another installation: what was forgotten here could not be looked for in it.", err=True
        )
    if done.replaced:
        typer.echo(f"what was there before is in {done.replaced}; delete it when all is well")
    typer.echo("the index is filled anew at the next start")


@app.command()
def publish(
    context: typer.Context,
    kref: Annotated[str, typer.Argument(help="Address of a work; `?r=2` at its end names a revision.")],
    *,
    undo: Annotated[bool, typer.Option("--undo", help="Take the pin off.")] = False,
) -> None:
    """Pin a revision of a work: no dream run retires what mentions it."""
    body: dict[str, object] = {"ref": kref, "published": not undo}
    answer = call_service(context.obj, lambda client: client.post("/v1/artifacts/publish", body=body))
    number = answer.get("published")
    state = f"revision {number} is published" if number else "no revision is published"
    typer.echo(f"{printable(str(answer.get('title')))}: {state} ({answer.get('itemKref')})")


@jobs.command()
def retry(context: typer.Context, job_id: Annotated[str, typer.Argument(help="A job that failed.")]) -> None:
    """Have a job that failed done again."""
    answer = call_service(context.obj, lambda client: client.post(f"/v1/jobs/{job_id}/retry", body={}))
    typer.echo(f"{answer.get('kind')} job {answer.get('id')} is {answer.get('state')}")


@jobs.command()
def show(context: typer.Context, job_id: Annotated[str, typer.Argument(help="Id of a job.")]) -> None:
    """Say how a job stands."""
    answer = call_service(context.obj, lambda client: client.get(f"/v1/jobs/{job_id}"))
    for name in ("kind", "state", "attempts", "createdAt", "endedAt", "error", "result"):
        if answer.get(name) is not None:
            typer.echo(f"{name:<10} {printable(str(answer[name]))}")
