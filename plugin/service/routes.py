"""One short function for each endpoint."""

import asyncio
import hmac
import json
import time
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from memory_core.capture.service import CaptureStatus, LiveTurn
from memory_core.errors import NotFound
from memory_core.identity import resolve_scope
from memory_core.recall.service import Recalled, RecallRequest
from memory_core.values import JobId
from plugin.service.context import ServiceContext, service
from plugin.service.importing import Importer
from plugin.service.model_calls import GatewayId
from plugin.service.prefetcher import Exchange
from plugin.service.readiness import OK
from plugin.service.schemas import (
    ImportOut,
    JobOut,
    MemoryOut,
    RecallIn,
    RecallOut,
    SessionEventIn,
    SessionOut,
    ToolIn,
    ToolOut,
    TurnIn,
    TurnOut,
)
from plugin.service.stats import statistics
from plugin.service.tools.base import ToolCall

router = APIRouter()
Service = Annotated[ServiceContext, Depends(service)]
_MAX_NONCE_CHARS = 256


@router.get("/healthz")
async def healthz(it: Service, nonce: str | None = None) -> dict[str, str]:
    """Tell that the service lives; with a nonce, prove that it knows the token."""
    if nonce is None:
        return {"status": OK}
    proof = hmac.new(it.token.encode(), nonce[:_MAX_NONCE_CHARS].encode(), "sha256").hexdigest()
    return {"status": OK, "proof": proof}


@router.get("/readyz")
async def readyz(it: Service) -> JSONResponse:
    """Tell whether recall, capture and flows all work, with one line for each part."""
    parts = await asyncio.to_thread(it.readiness.parts)
    ready = all(state == OK for state in parts.values())
    content: dict[str, Any] = {"ready": ready, "parts": dict(parts)}
    if ready and (notes := await asyncio.to_thread(it.readiness.notes)):
        content["notes"] = dict(notes)
    return JSONResponse(content, status_code=200 if ready else 503)


@router.get("/metrics")
async def metrics(it: Service) -> Response:
    """Numbers for Prometheus."""
    await asyncio.to_thread(statistics, it)
    return Response(it.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


@router.get("/v1/stats")
async def stats(it: Service) -> dict[str, Any]:
    """Counts and times; scopes by hash."""
    return await asyncio.to_thread(statistics, it)


@router.post("/v1/recall", response_model_exclude_none=True)
async def recall(body: RecallIn, it: Service) -> RecallOut:
    """What the agent should know before a turn, within a deadline."""
    began = time.perf_counter()
    request = RecallRequest(
        message=body.message.text,
        at=body.message.at or it.core.clock.now(),
        previous_user=body.previous_user,
        last_assistant=body.last_assistant,
        top_k=body.top_k,
        threshold=body.threshold,
        budget_chars=body.budget_chars,
        as_of=body.as_of,
        include_superseded=body.include_superseded,
        explain=body.explain,
        dedupe=body.dedupe,
        reinject=body.reinject,
        dedupe_window=body.dedupe_window,
    )
    budget_s = (body.budget_ms or it.core.settings.recall.recall_budget_ms) / 1000
    in_time = await it.recaller.answer(body.session.to_ref(), request, budget_s=budget_s)
    recalled = in_time.recalled
    took_ms = (time.perf_counter() - began) * 1000
    it.metrics.recalled(_outcome(recalled), source=recalled.source, took_ms=took_ms)
    scores = [found.score for found in recalled.found]
    return RecallOut(
        memories=[MemoryOut.of(view, score=score) for view, score in zip(in_time.views, scores, strict=True)],
        context=recalled.context,
        degraded=recalled.degraded,
        reason=recalled.reason,
        source=recalled.source,
        query=recalled.query,
        took_ms=round(took_ms, 2),
        trace=recalled.trace,
    )


@router.post("/v1/turns", response_model_exclude_none=True)
async def turns(body: TurnIn, it: Service, *, gateway: GatewayId = None) -> TurnOut:
    """Keep a turn that ended; on disk when this answers."""
    turn = LiveTurn(
        turn_key=body.turn_key,
        at=body.at or it.core.clock.now(),
        user_text=body.user.text,
        assistant_text=body.assistant.text,
        media=tuple(body.user.media),
        tools=tuple(tool.name for tool in body.tools),
        gateway_id=gateway,
    )
    ref = body.session.to_ref()
    captured = await asyncio.to_thread(it.core.capture.accept, ref, turn)
    it.metrics.turns.labels(status=captured.status).inc()
    if captured.status is CaptureStatus.ACCEPTED:
        it.metrics.last_capture.set(it.core.clock.now().timestamp())
        it.prefetcher.offer(Exchange(ref=ref, user_text=turn.user_text, assistant_text=turn.assistant_text))
    if captured.scheduled:
        it.signals.before_compaction(ref, at=it.core.clock.now(), reason="threshold")
    return TurnOut(
        status=captured.status.value,
        reason=captured.reason,
        buffered=captured.waiting,
        consolidation="scheduled" if captured.scheduled else "none",
    )


@router.post("/v1/sessions/{event}")
async def sessions(event: Literal["start", "reset", "end"], *, body: SessionEventIn, it: Service) -> SessionOut:
    """Note that a session started, was reset or ended; the latter two consolidate what waits."""
    ref = body.session.to_ref()
    it.prefetcher.drop(ref)
    it.core.recall.begin_session(ref)
    if event == "start":
        return SessionOut(session_id=await asyncio.to_thread(it.core.capture.start_session, ref))
    await asyncio.to_thread(it.core.context.end, ref)
    return SessionOut(session_id=await asyncio.to_thread(it.core.capture.end_session, ref))


@router.post("/v1/tools/{name}")
async def tools(name: str, *, body: ToolIn, it: Service) -> ToolOut:
    """Run a tool of the agent; what goes wrong is part of the answer."""
    tool = it.tools.get(name)
    if tool is None:
        raise NotFound(f"tool: there is no tool {name[:60]!r}")
    ref = body.session.to_ref()
    call = ToolCall(core=it.core, ref=ref, scope=resolve_scope(ref, it.core.settings.identity))
    reply = await tool.call(call, body.arguments)
    it.metrics.tools.labels(tool=name, error=str(reply.is_error).lower()).inc()
    return ToolOut(text=reply.text, details=dict(reply.details), is_error=reply.is_error)


@router.get("/v1/jobs/{job_id}", response_model_exclude_none=True)
async def jobs(job_id: str, it: Service) -> JobOut:
    """How a job stands."""
    job = await asyncio.to_thread(it.core.jobs.get, JobId(job_id))
    return JobOut.model_validate(job.model_dump())


@router.post("/v1/import")
async def import_lines(request: Request, it: Service) -> ImportOut:
    """Replay JSON lines; the job is done when all of them are captured, consolidated and searchable."""
    job_id = await Importer(it.core).take(request.stream())
    it.background.wake()
    return ImportOut(job_id=job_id)


@router.get("/v1/export")
async def export(it: Service) -> StreamingResponse:
    """Every memory as a JSON line, importable again."""

    def lines() -> Iterator[str]:
        for view in it.core.library.everything(None):
            wire = MemoryOut.of(view).model_dump(mode="json", by_alias=True, exclude_none=True)
            yield json.dumps({"type": "memory", **wire, "scope": view.memory.scope_key}, ensure_ascii=False) + "\n"

    return StreamingResponse(lines(), media_type="application/x-ndjson")


def _outcome(recalled: Recalled) -> str:
    if recalled.degraded:
        return "missed"
    return "hit" if recalled.found else "empty"
