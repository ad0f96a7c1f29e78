"""The `nightshift` command."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from memory_core.errors import MemoryCoreError
from memory_core.settings import Settings
from memory_core.settings_loading import HOME_VARIABLE, load_settings
from plugin import commands, dreaming, keeping_commands
from plugin.client import READY, Json, ServiceClient, as_object, as_strings, service_url
from plugin.connect import connect_gateway
from plugin.connected import chat_model_line, gateway_lines
from plugin.doctor import Finding, examine
from plugin.gateway_config import find_config
from plugin.report import Report
from plugin.terminal import printable
from plugin.up.home import AlreadyRunning, read_claim
from plugin.up.run import UpOptions, run_up

app = typer.Typer(
    help="Long-term memory for OpenClaw.", no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False
)
app.add_typer(commands.app)
app.add_typer(keeping_commands.app)
app.add_typer(dreaming.app, name="dream")
app.add_typer(dreaming.more)

Home = Annotated[Path | None, typer.Option(help="Folder of the installation.", envvar=HOME_VARIABLE)]
Port = Annotated[int | None, typer.Option(help="Port of the service on this machine.", min=0, max=65535)]


def main() -> None:
    """Entry point of the console script; what goes wrong is one line and an exit code."""
    try:
        app()
    except AlreadyRunning as error:
        typer.echo(f"nightshift: {error}")
    except MemoryCoreError as error:
        typer.echo(f"nightshift: {printable(str(error))}", err=True)
        sys.exit(1)


@app.callback()
def options(context: typer.Context, *, home: Home = None, port: Port = None) -> None:
    """Long-term memory for OpenClaw."""
    context.obj = _settings(home, port)


@app.command()
def up(
    context: typer.Context,
    *,
    sidecar: Annotated[bool, typer.Option("--sidecar", help="End when standard input ends.")] = False,
    home: Home = None,
    port: Port = None,
    demo: Annotated[bool, typer.Option(help="Show that it works, once it is ready.", envvar="NIGHTSHIFT_DEMO")] = True,
    gateway: Annotated[str | None, typer.Option(hidden=True, envvar="NIGHTSHIFT_GATEWAY_ID")] = None,
) -> None:
    """Start everything in the foreground; Ctrl-C ends it."""
    settings = context.obj if home is None and port is None else _settings(home, port)
    told = UpOptions(sidecar=sidecar, demo=demo and not sidecar, gateway=gateway)
    raise typer.Exit(run_up(settings, os.environ, options=told, report=Report(sys.stdout)))


@app.command()
def status(context: typer.Context) -> None:
    """Say what runs, and what is in it."""
    settings: Settings = context.obj

    async def ask(client: ServiceClient) -> tuple[bool, dict[str, str], Json]:
        ready, parts = await client.parts()
        return ready, dict(parts), await client.get("/v1/stats")

    ready, parts, stats = commands.call_service(settings, ask)
    claim = read_claim(settings.home) or {}
    typer.echo(f"service     {service_url(settings)}, home {settings.home}, pid {claim.get('pid', 'unknown')}")
    if claim.get("prefectPage"):
        typer.echo(f"Prefect     {claim['prefectPage']}")
    for name, state in parts.items():
        typer.echo(f"{name:<11} {state}")
    for line in _stat_lines(stats):
        typer.echo(line)
    raise typer.Exit(0 if ready and all(state == READY for state in parts.values()) else 1)


@app.command()
def doctor(
    context: typer.Context,
    *,
    config: Annotated[Path | None, typer.Option(help="The gateway's configuration file.")] = None,
) -> None:
    """Check the installation and say how to mend what is wrong."""
    findings = examine(context.obj, config=config or find_config(os.environ))
    for finding in findings:
        _show_finding(finding)
    if any(finding.mend for finding in findings):
        raise typer.Exit(1)


@app.command()
def connect(
    context: typer.Context,
    *,
    config: Annotated[Path | None, typer.Option(help="The gateway's configuration file.")] = None,
    print_only: Annotated[bool, typer.Option("--print", help="Only show what would be written.")] = False,
    engine: Annotated[
        bool | None,
        typer.Option("--context-engine/--no-context-engine", help="Be the gateway's context engine too, or no longer."),
    ] = None,
) -> None:
    """Plug Nightshift into an OpenClaw gateway on this machine."""
    path = config or find_config(os.environ)
    for line in connect_gateway(context.obj, path, print_only=print_only, engine=engine):
        typer.echo(line)


def _settings(home: Path | None, port: int | None) -> Settings:
    environ = dict(os.environ)
    if home is not None:
        environ[HOME_VARIABLE] = str(home)
    return load_settings(environ, overrides={} if port is None else {"port": port})


def _show_finding(finding: Finding) -> None:
    typer.echo(f"{'PROBLEM' if finding.mend else 'ok':<8} {printable(finding.what)}")
    if finding.mend:
        typer.echo(f"         mend: {printable(finding.mend)}")


def _stat_lines(stats: Json) -> Iterator[str]:
    memories, recall = as_object(stats.get("memories")), as_object(stats.get("recall"))
    kinds = ", ".join(f"{count} {kind}" for kind, count in as_object(memories.get("byKind")).items())
    yield f"memories    {memories.get('total', 0)}{f': {kinds}' if kinds else ''}"
    yield f"buffered    {stats.get('buffered', 0)} utterances wait for consolidation"
    yield f"index lag   {'unknown' if stats.get('indexLag') is None else stats['indexLag']}"
    yield f"captured    last {stats.get('lastCaptureAt') or 'never'}"
    yield f"flows       last consolidation {stats.get('lastConsolidationAt') or 'never'}"
    yield f"dreams      last {stats.get('lastDreamRunAt') or 'never'}, next {stats.get('nextDreamRunAt') or 'paused'}"
    if recall.get("p50Ms") is not None:
        yield f"recall      p50 {recall['p50Ms']} ms, p95 {recall.get('p95Ms')} ms, {recall.get('misses')} misses"
    yield f"chat model  {chat_model_line(stats)}"
    for line in gateway_lines(stats):
        yield f"gateway     {line}"
    for problem in as_strings(stats.get("settingsProblems")):
        yield f"setting     {printable(problem)}"


if __name__ == "__main__":
    main()
