"""Pure: the report of a run as Markdown, for people."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from memory_core.dream.changes import Op, Standing
from memory_core.dream.reporting import ReportedChange, RunReport
from memory_core.values import JobKind

_TEXT_CHARS = 300
_TITLES = {
    Op.SUPERSEDE: "Replaced by something newer",
    Op.REVISE: "Lost a part that holds no longer",
    Op.DEPRECATE: "Set aside",
    Op.FLAG: "Put in doubt",
    Op.MERGE: "Merged with another that says the same",
    Op.TAG: "Tagged",
    Op.LINK: "Connected",
}
_SHOWN_IN_MARKDOWN = 200
"""Changes of one kind that the report for people lists."""


def as_markdown(report: RunReport, *, zone: str) -> str:
    """The report of a run for people."""
    return "\n".join(_lines(report, zone=zone)) + "\n"


def _lines(report: RunReport, *, zone: str) -> Iterator[str]:
    what = "Dream run" if report.kind is JobKind.DREAM else "Deduplication"
    yield f"# {what} {report.run_id}"
    yield ""
    yield f"- state: {report.state}{' (dry run: nothing was changed)' if report.dry_run else ''}"
    yield f"- asked for by: {report.cause}"
    if report.started_at:
        until = f" to {_time(report.ended_at, zone)}" if report.ended_at else ""
        yield f"- time: {_time(report.started_at, zone)}{until}"
    yield f"- reviewed: {report.reviewed} memories"
    yield f"- model: {report.model or 'none'}, {report.calls} calls, {report.tokens} tokens"
    yield from (f"- {_inline(note)}" for note in report.notes)
    refused = [change for change in report.changes if change.state == Standing.REFUSED]
    done = [change for change in report.changes if change.state != Standing.REFUSED]
    for op, title in _TITLES.items():
        yield from _section(title, [change for change in done if change.op == op])
    yield from _section("Refused by a guard", refused)
    if not report.changes:
        yield ""
        yield "Nothing had to be done."


def _section(title: str, changes: Sequence[ReportedChange]) -> Iterator[str]:
    if not changes:
        return
    yield ""
    yield f"## {title} ({len(changes)})"
    yield ""
    for change in changes[:_SHOWN_IN_MARKDOWN]:
        yield f"- {_what(change)} — {_inline(change.reason)} (`{change.kref}`)"
    if len(changes) > _SHOWN_IN_MARKDOWN:
        yield f"- ... and {len(changes) - _SHOWN_IN_MARKDOWN} more"


def _what(change: ReportedChange) -> str:
    before, after = change.before or {}, change.after or {}
    if change.op == Op.LINK:
        return f"{after.get('kind')} `{change.other_kref}`"
    said = f"“{_inline(str(before.get('text', '')))}”"
    if change.op == Op.TAG:
        fresh = [tag for tag in after.get("tags", ()) if tag not in before.get("tags", ())]
        return f"{said}: {', '.join(map(_inline, fresh))}"
    if change.op == Op.REVISE:
        return f"{said} → “{_inline(str(after.get('text', '')))}”"
    status = f"{before.get('status')} → {after.get('status')}"
    return f"{said}: {status}" + (f", see `{change.other_kref}`" if change.other_kref else "")


def _inline(text: str) -> str:
    """A text as part of one line of Markdown, without power over the page."""
    flat = " ".join(text.split())[:_TEXT_CHARS]
    return "".join(f"\\{char}" if char in "\\`*_[]<>#|!" else char for char in flat)


def _time(moment: datetime, zone: str) -> str:
    return moment.astimezone(ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M")


def as_summary(report: RunReport) -> str:
    """The numbers of a run, without a word or an address of a memory."""
    rows = "\n".join(f"| {name} | {number} |" for name, number in report.counts.items())
    return (
        f"State {report.state}{', dry run' if report.dry_run else ''}; {report.reviewed} memories reviewed; "
        f"{report.calls} model calls, {report.tokens} tokens.\n\n"
        f"| change | number |\n|---|---|\n{rows}\n\n"
        f"The report with every change: `nightshift dream report {report.run_id}`\n"
    )
