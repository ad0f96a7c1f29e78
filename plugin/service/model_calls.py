"""Model calls for a gateway: its plugin claims what flows ask, and brings what its model answers."""

import asyncio
import time
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Request
from pydantic import BeforeValidator, Field, model_validator

from memory_core.bootstrap import MemoryCore
from memory_core.jobs.model_calls import Claim
from memory_core.values import ChatReply, Scope
from plugin.service.context import ServiceContext, service
from plugin.service.schemas import MAX_KEY_CHARS, Key, Text, Wire

LONG_POLL_S = 25.0
"""How long a claim is held open when there is nothing to do; API.md."""
LOOK_EVERY_S = 0.5
"""Questions come from other processes, so the table is looked at; none of them is in a hurry."""
GATEWAY_HEADER = "x-nightshift-gateway"
"""The id of the gateway that a request comes from, on every request of its plugin."""
_MAX_ERROR_CHARS = 200
_MOST_TOKENS = 1_000_000_000

router = APIRouter()
GatewayId = Annotated[str | None, Header(alias=GATEWAY_HEADER, max_length=MAX_KEY_CHARS)]


def _tokens(value: object) -> int:
    if isinstance(value, int | float) and 0 <= value <= _MOST_TOKENS:
        return int(value)
    return 0


Tokens = Annotated[int, BeforeValidator(_tokens)]


class ClaimIn(Wire):
    """A gateway asks for a call."""

    gateway_id: Key


class ModelMessage(Wire):
    """One message to the model."""

    role: Literal["user"] = "user"
    content: str


class ClaimOut(Wire):
    """A call for the gateway's model; without an id there is none."""

    id: str | None = None
    lease_until: datetime | None = None
    provider: str | None = None
    model: str | None = None
    messages: list[ModelMessage] | None = None
    system_prompt: str | None = None
    max_tokens: int | None = None
    response_format: dict[str, Any] | None = None
    purpose: str | None = None

    @classmethod
    def of(cls, claim: Claim) -> "ClaimOut":
        """The wire form of a claim."""
        asked = claim.request
        provider, _, model = str(asked["model"] or "").partition("/")
        return cls(
            id=claim.call_id,
            lease_until=claim.lease_until,
            provider=provider if model else None,
            model=(model or provider) or None,
            messages=[ModelMessage(content=asked["prompt"])],
            system_prompt=asked["system"],
            max_tokens=asked["max_tokens"],
            response_format=asked["response_format"],
            purpose=asked["purpose"],
        )


class Usage(Wire):
    """Tokens as the gateway counts them; what isn't a number counts as none."""

    input_tokens: Tokens = 0
    output_tokens: Tokens = 0
    cache_read_tokens: Tokens = 0
    cache_write_tokens: Tokens = 0


class AnswerIn(Wire):
    """What the gateway's model said, or why it said nothing."""

    text: Text | None = None
    model: Key = "gateway"
    usage: Usage = Field(default_factory=Usage)
    error: Text | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> "AnswerIn":
        if (self.text is None) == (self.error is None):
            raise ValueError("must hold either text or error")
        return self

    def to_reply(self) -> ChatReply | None:
        """The reply; None for an error."""
        if self.text is None:
            return None
        usage = self.usage
        return ChatReply(
            text=self.text,
            model=self.model,
            input_tokens=usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
            output_tokens=usage.output_tokens,
        )


@router.post("/v1/model-calls/claim", response_model_exclude_none=True)
async def claim_model_call(
    body: ClaimIn, request: Request, *, it: Annotated[ServiceContext, Depends(service)]
) -> ClaimOut:
    """A call for the model of a gateway, as soon as there is one; nothing after 25 s."""
    calls = it.core.model_calls
    await asyncio.to_thread(calls.see, body.gateway_id)
    end_s = time.monotonic() + LONG_POLL_S
    while not await request.is_disconnected():
        if claim := await asyncio.to_thread(calls.claim, body.gateway_id):
            return ClaimOut.of(claim)
        if time.monotonic() + LOOK_EVERY_S > end_s or it.ending.is_set():
            break
        await asyncio.sleep(LOOK_EVERY_S)
    return ClaimOut()


@router.post("/v1/model-calls/{call_id}")
async def answer_model_call(
    call_id: str, body: AnswerIn, *, it: Annotated[ServiceContext, Depends(service)]
) -> dict[str, str]:
    """Take the answer to a call, once."""
    error = body.error[:_MAX_ERROR_CHARS] if body.error is not None else None
    await asyncio.to_thread(it.core.model_calls.answer, call_id, reply=body.to_reply(), error=error)
    return {"status": "accepted"}


def note_gateway(core: MemoryCore, scope: Scope, *, gateway_id: str | None) -> None:
    """Note which gateway a turn came through, so that only that one's model is asked about its words."""
    if gateway_id and scope.writes:
        core.model_calls.serve(scope.writes, gateway_id)
