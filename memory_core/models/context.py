"""What the context engine keeps of a conversation."""

from datetime import datetime

from sqlmodel import Field

from memory_core.models.base import Instant, Table


class ContextWindow(Table, table=True):
    """Which end of a conversation's transcript one person's model still sees; holds no text.

    Attributes:
        scope_key: Whose memory; empty when nobody's.
        person: Hash of the one who speaks; many may share a session key.
        edge_index: Number of messages before the window.
        edge_before: Hash of those.
        edge_first: Hash of the window's first message; None when it was empty then.
    """

    scope_key: str = Field(primary_key=True)
    agent_id: str = Field(primary_key=True)
    session_key: str = Field(primary_key=True)
    person: str = Field(primary_key=True)
    edge_index: int
    edge_before: str
    edge_first: str | None = None
    updated_at: datetime = Field(sa_type=Instant)
