"""The context engine over HTTP: one short function for each call of the gateway's contract."""

import asyncio
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from pydantic import Field

from memory_core.context.messages import Message
from memory_core.context.service import Assembled
from memory_core.identity import resolve_scope
from memory_core.values import SessionRef
from plugin.service.context import ServiceContext, service
from plugin.service.model_calls import GatewayId, note_gateway
from plugin.service.schemas import Count, Instant, Key, SessionIn, Text, Wire
from plugin.service.transcripts import Messages, Tokens

_ANSWER_SHARE = 0.8
"""Of a recall's budget; the rest is for assembling without memory when it is over."""

router = APIRouter(prefix="/v1/context")
Service = Annotated[ServiceContext, Depends(service)]


class BootstrapIn(Wire):
    """A conversation that this engine takes over."""

    session: SessionIn
    messages: Messages


class BootstrapOut(Wire):
    """How many exchanges were new."""

    bootstrapped: bool
    imported: int


class AssembleIn(Wire):
    """A transcript that is about to reach the model."""

    session: SessionIn
    messages: Messages
    prompt: Text | None = None
    token_budget: Count | None = None
    budget_ms: Annotated[int, Field(ge=1)] | None = None


class AssembleOut(Wire):
    """What of it stays, and what memory adds to the turn's own message."""

    keep_from: int
    context_addition: str | None = None
    system_prompt_addition: str | None = None
    estimated_tokens: int
    degraded: bool = False


class CommitIn(Wire):
    """An accepted turn, from the user's message to the final answer."""

    session: SessionIn
    advancement_key: Key
    at: Instant | None = None
    messages: Messages


class CommitOut(Wire):
    """Whether it was new."""

    status: Literal["committed", "duplicate"]


class CompactIn(Wire):
    """A transcript that is to become shorter."""

    session: SessionIn
    messages: Messages
    token_budget: Count | None = None
    force: bool = False
    current_token_count: Tokens | None = None


class CompactOut(Wire):
    """What the compaction did."""

    ok: bool = True
    compacted: bool
    reason: str | None = None
    tokens_before: int
    tokens_after: int
    archived: int


@router.post("/bootstrap")
async def bootstrap(body: BootstrapIn, it: Service) -> BootstrapOut:
    """Take in what was said before this engine had the conversation."""
    imported = await asyncio.to_thread(it.core.context.bootstrap, body.session.to_ref(), body.messages)
    return BootstrapOut(bootstrapped=True, imported=imported)


@router.post("/assemble", response_model_exclude_none=True)
async def assemble(body: AssembleIn, it: Service) -> AssembleOut:
    """Which messages stay, and what memory adds; past its deadline without memory."""
    ref = body.session.to_ref()
    budget_s = (body.budget_ms or it.core.settings.recall.recall_budget_ms) / 1000 * _ANSWER_SHARE

    def work(prompt: str | None) -> Assembled:
        return it.core.context.assemble(ref, body.messages, prompt=prompt, budget=body.token_budget)

    late = False
    try:
        async with asyncio.timeout(budget_s):
            assembled = await it.recaller.in_lane(lambda: work(body.prompt))
    except TimeoutError:
        late = True
        assembled = await asyncio.to_thread(work, None)
    return AssembleOut(
        keep_from=assembled.keep_from,
        context_addition=assembled.addition or None,
        estimated_tokens=assembled.tokens,
        degraded=late or (assembled.recalled is not None and assembled.recalled.degraded),
    )


@router.post("/commit-turn")
async def commit_turn(body: CommitIn, it: Service, *, gateway: GatewayId = None) -> CommitOut:
    """Keep an accepted turn, once however often it is offered; on disk when this answers."""
    ref = body.session.to_ref()
    messages = [_dated(message, at=body.at) for message in body.messages]
    await asyncio.to_thread(note_gateway, it.core, resolve_scope(ref, it.core.settings.identity), gateway_id=gateway)
    is_new = await asyncio.to_thread(it.core.context.commit, ref, messages, key=body.advancement_key)
    _note(it, ref, is_new=is_new)
    return CommitOut(status="committed" if is_new else "duplicate")


@router.post("/compact", response_model_exclude_none=True)
async def compact(body: CompactIn, it: Service) -> CompactOut:
    """Move the window's edge: no model is asked, the transcript stays."""
    done = await asyncio.to_thread(
        it.core.context.compact,
        body.session.to_ref(),
        body.messages,
        budget=body.token_budget,
        force=body.force,
        host_tokens=body.current_token_count,
    )
    if done.compacted:
        it.signals.before_compaction(body.session.to_ref(), at=it.core.clock.now(), reason="compaction")
    return CompactOut(
        compacted=done.compacted,
        reason=done.reason,
        tokens_before=body.current_token_count or done.tokens_before,
        tokens_after=done.tokens_after,
        archived=done.archived,
    )


def _dated(message: Message, *, at: datetime | None) -> Message:
    return message if message.at or at is None else message._replace(at=at)


def _note(it: ServiceContext, ref: SessionRef, *, is_new: bool) -> None:
    it.metrics.turns.labels(status="accepted" if is_new else "duplicate").inc()
    if is_new and ref.trigger == "user":
        it.metrics.last_capture.set(it.core.clock.now().timestamp())
