"""Statements on the one row that says when dream runs happen by themselves."""

from datetime import datetime

from sqlmodel import Session as DbSession
from sqlmodel import col, select

from memory_core.models.dream import DreamSchedule

_ROW = 1


class ScheduleRepository:
    """The schedule within one transaction; never commits."""

    def __init__(self, session: DbSession) -> None:
        """Work in the given database session."""
        self._db = session

    def get(self) -> DreamSchedule | None:
        """The row; None before the first start."""
        return self._db.get(DreamSchedule, _ROW)

    def locked(self, *, now: datetime) -> DreamSchedule:
        """The row, which nobody else can lock until the transaction ends; made now when it is missing.

        Whoever asks for a run locks it first, so that two can't be asked for at the same moment.
        """
        statement = select(DreamSchedule).where(col(DreamSchedule.id) == _ROW).with_for_update()
        if row := self._db.exec(statement).first():
            return row
        row = DreamSchedule(id=_ROW, served_at=now)
        self._db.add(row)
        self._db.flush()
        return row
