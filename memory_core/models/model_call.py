"""Questions of flows to a chat model that a gateway answers, and which gateway serves whom."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index
from sqlmodel import Field

from memory_core.models.base import Instant, Json, Table


class ModelCall(Table, table=True):
    """One question to a gateway's model.

    The words in it go as soon as they are answered, withdrawn or forgotten; the row stays for a while without them, so
    that a second answer is known as such.

    Attributes:
        id: UUID.
        gateway_id: The gateway that may answer it.
        scopes: Keys of those whose words are in it.
        state: One of `store.model_calls.CallState`.
        request: The question as the gateway gets it, redacted; None once it needn't be asked any more.
        reply: The answer; None before there is one and after it was fetched.
        error: Why there is no answer; no words of people.
        expires_at: When nobody waits for the answer any longer.
        lease_until: Until when a gateway that took it is believed to be working on it.
    """

    __table_args__ = (Index("ix_modelcall_gateway_id_state", "gateway_id", "state"),)

    id: str = Field(primary_key=True, max_length=36)
    gateway_id: str
    scopes: list[str] = Field(default_factory=list, sa_type=Json)
    state: str
    request: dict[str, Any] | None = Field(default=None, sa_type=Json)
    reply: dict[str, Any] | None = Field(default=None, sa_type=Json)
    error: str | None = None
    created_at: datetime = Field(sa_type=Instant)
    expires_at: datetime = Field(sa_type=Instant, index=True)
    lease_until: datetime | None = Field(default=None, sa_type=Instant)


class Gateway(Table, table=True):
    """A gateway that offered to answer model calls, by the id its plugin gave itself."""

    id: str = Field(primary_key=True)
    seen_at: datetime = Field(sa_type=Instant)


class GatewayScope(Table, table=True):
    """The gateway that a scope's newest turn came through."""

    scope_key: str = Field(primary_key=True)
    gateway_id: str
