"""The tool that asks for a dream run."""

import asyncio

from memory_core.dream.asking import RunWish
from plugin.service.schemas import Wire
from plugin.service.tools.base import Tool, ToolCall, ToolReply
from plugin.service.tools.writing import MAX_WAIT_S, wait_for_job


class DreamArguments(Wire):
    """Arguments of `memory_dream`."""

    dry_run: bool = False
    wait: bool = False


async def _dream(call: ToolCall, arguments: DreamArguments) -> ToolReply:
    if refused := _refusal(call):
        return ToolReply(text=f"No dream run: {refused}.", details={"jobId": None, "state": "done", "reason": refused})
    # The owner's run is over everything, whoever it belongs to; anybody else's over the own memory only.
    scope = None if call.scope.is_owner else call.scope.writes
    wish = RunWish(scope=scope, dry_run=arguments.dry_run)
    asked = await asyncio.to_thread(call.core.dreams.requests.ask, wish)
    job = await wait_for_job(call, asked.job_id, wait_s=MAX_WAIT_S if arguments.wait else 0)
    what = "The run" if asked.fresh else f"One is at work already ({asked.kind}); it"
    return ToolReply(
        text=f"{what} is {job.state}" + (f": {job.error}." if job.error else "."),
        details={"jobId": job.id, "state": job.state, "runId": job.id}
        | ({"result": job.result} if job.result and call.scope.is_owner else {}),
    )


def _refusal(call: ToolCall) -> str | None:
    """Why this caller may not ask for a run."""
    if call.scope.writes is None:
        return call.scope.reason or "nothing is remembered here"
    if call.scope.shared and not call.scope.is_owner:
        return "in a group only the owner may ask for one"
    return None


DREAM = Tool(name="memory_dream", arguments=DreamArguments, run=_dream)
