"""What all tables share: names of constraints, instants in UTC, JSON columns."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, DateTime, Integer, MetaData
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator
from sqlmodel import SQLModel

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
"""Constraint names that are the same on every database, so that a migration can name them."""

RowNumber = BigInteger().with_variant(Integer, "sqlite")
"""A number that the database counts up; SQLite counts only in columns of plain INTEGER."""

Json = JSON(none_as_null=True)


class Instant(TypeDecorator[datetime]):
    """An aware instant; stored in UTC, without a zone where the database knows none."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse naive instants: nobody could tell which zone was meant."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("an instant needs its zone")
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:  # noqa: ANN401, ARG002 signature of the base class
        """Give every instant back in UTC."""
        if value is None:
            return None
        moment: datetime = value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


class Table(SQLModel):
    """Base of all tables; build instances from checked values, a table class validates nothing."""

    metadata = MetaData(naming_convention=NAMING)
