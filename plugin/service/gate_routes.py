"""The streaming gate over HTTP."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends

from memory_core.gate.service import Stream
from plugin.service.context import ServiceContext, service
from plugin.service.schemas import Key, SessionIn, Text, Wire

router = APIRouter(prefix="/v1/gate")
Service = Annotated[ServiceContext, Depends(service)]


class ObserveIn(Wire):
    """The next piece of what an agent thinks or says."""

    session: SessionIn
    run_id: Key
    stream: Stream
    delta: Text


class ObserveOut(Wire):
    """What memory has to say to it."""

    should_interrupt: bool
    at_boundary: bool
    staged: int


class FinalizeIn(Wire):
    """A finished answer that isn't delivered yet."""

    session: SessionIn
    run_id: Key
    answer: Text
    tools_used: bool = False


class FinalizeOut(Wire):
    """Whether it should be revised."""

    action: Literal["revise", "finalize"]
    reason: str | None = None
    instruction: str | None = None


@router.post("/observe")
async def observe(body: ObserveIn, it: Service) -> ObserveOut:
    """Judge what is being said against memory, at the end of each sentence."""
    ref = body.session.to_ref()
    seen = await it.recaller.in_lane(
        lambda: it.core.gate.observe(ref, body.delta, run_id=body.run_id, stream=body.stream)
    )
    return ObserveOut(should_interrupt=seen.should_interrupt, at_boundary=seen.at_boundary, staged=seen.staged)


@router.post("/finalize", response_model_exclude_none=True)
async def finalize(body: FinalizeIn, it: Service) -> FinalizeOut:
    """Judge a finished answer against memory; at most one revision a run."""
    ref = body.session.to_ref()
    verdict = await it.recaller.in_lane(
        lambda: it.core.gate.finalize(ref, body.answer, run_id=body.run_id, tools_used=body.tools_used)
    )
    return FinalizeOut(
        action="revise" if verdict.revise else "finalize", reason=verdict.reason, instruction=verdict.instruction
    )
