"""The working buffer: sessions and the redacted turns that wait for consolidation."""

from datetime import date, datetime

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from memory_core.models.base import Instant, RowNumber, Table


class Session(Table, table=True):
    """An unbroken exchange of one person, or in one room, whatever the channel.

    Attributes:
        label: `<user>-<context>:<opaque user id>:<YYYYMMDD>:<NNN>`, counted per scope and day of the user's zone.
        day: Day of the user's zone on which it began.
        number: Counts the sessions of that day, from 1.
        last_at: When the newest turn was said.
        last_received_at: When the newest turn arrived here; differs from `last_at` for imports.
        ended_at: When it was closed by a reset or an end; None while it may go on.
        imported: Its turns come from a file.
        archived_until: The context engine may ask for its words until then; None when it never had the session.
    """

    __table_args__ = (
        UniqueConstraint("scope_key", "day", "number"),
        Index("ix_session_scope_key_last_at", "scope_key", "last_at"),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=RowNumber)
    scope_key: str
    label: str
    day: date
    number: int
    started_at: datetime = Field(sa_type=Instant)
    last_at: datetime = Field(sa_type=Instant)
    last_received_at: datetime = Field(sa_type=Instant)
    ended_at: datetime | None = Field(default=None, sa_type=Instant)
    imported: bool = False
    archived_until: datetime | None = Field(default=None, sa_type=Instant)


class Turn(Table, table=True):
    """One utterance; a live exchange is two rows with the same key, one for each role.

    The row stays for ever so that a repeat is known as such; its text goes once it was consolidated and the session
    went quiet.

    Attributes:
        turn_key: The caller's name of the exchange; unique per scope, agent, session key and role.
        text: Redacted words; None after they were dropped.
        consolidated_at: When its statements became memories; None while it waits.
    """

    __table_args__ = (
        UniqueConstraint("scope_key", "agent_id", "session_key", "turn_key", "role"),
        Index("ix_turn_scope_key_consolidated_at", "scope_key", "consolidated_at", "id"),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=RowNumber)
    session_id: int = Field(foreign_key="session.id", sa_type=RowNumber, index=True)
    scope_key: str
    space: str
    agent_id: str
    session_key: str
    turn_key: str
    role: str
    speaker: str | None = None
    said_at: datetime = Field(sa_type=Instant)
    timezone: str
    text: str | None = None
    imported: bool = False
    created_at: datetime = Field(sa_type=Instant)
    consolidated_at: datetime | None = Field(default=None, sa_type=Instant)
