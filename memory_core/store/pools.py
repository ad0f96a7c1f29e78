"""Statements of the hot path: only the columns that ranking needs, no table objects.

Lists of ids go in as one parameter, and columns come back as the driver gives them: both took longer than the reading.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    FromClause,
    Select,
    String,
    and_,
    bindparam,
    cast,
    func,
    literal_column,
    type_coerce,
)
from sqlalchemy import select as select_columns
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped
from sqlalchemy.types import NullType, TypeEngine
from sqlmodel import Session as DbSession
from sqlmodel import col, select

from memory_core.models.memory import Memory, MemoryVector, ScopeVersion
from memory_core.models.turn import Session
from memory_core.values import MemoryId, ScopeKey


class PoolRow(NamedTuple):
    """What ranking looks at of one memory; vectors in their stored form."""

    memory_id: MemoryId
    kref: str
    text: str
    speaker: str | None
    kind: str
    space: str
    status: str
    session_id: int | None
    position: int
    repeats: int
    pinned: bool
    event_at: datetime
    event_until: datetime | None
    valid_from: datetime | None
    valid_until: datetime | None
    version: int
    tokens: bytes
    token_width: int
    keywords: bytes
    model: str


_COLUMNS = (
    *(col(Memory.id), col(Memory.kref), col(Memory.text), col(Memory.speaker), col(Memory.kind), col(Memory.space)),
    *(col(Memory.status), col(Memory.session_id), col(Memory.position), col(Memory.count), col(Memory.pinned)),
    *(col(Memory.event_at), col(Memory.event_until), col(Memory.valid_from), col(Memory.valid_until)),
    col(Memory.version),
    *(col(MemoryVector.tokens), col(MemoryVector.token_width), col(MemoryVector.keywords)),
    col(MemoryVector.model),
)
"""In the order of `PoolRow`."""
_PINNED = PoolRow._fields.index("pinned")
_INSTANTS = slice(PoolRow._fields.index("event_at"), PoolRow._fields.index("valid_until") + 1)


_Selection = Select[*tuple[Any, ...]]


class _Statements(NamedTuple):
    """The statements of a dialect; each takes `scopes`."""

    by_id: _Selection
    """Takes `ids`."""
    by_place: _Selection
    """Takes `places`."""
    positions: _Selection
    """Takes `sessions`."""


class PoolRepository:
    """Reads pools within one transaction; every read names the scopes that it may see, and each memory once."""

    def __init__(self, session: DbSession) -> None:
        """Work in the given database session."""
        self._db = session

    def version(self, scopes: Sequence[ScopeKey]) -> int:
        """A number that grows with every change of a memory of the scopes, whoever made it."""
        statement = select(func.sum(ScopeVersion.version)).where(col(ScopeVersion.scope_key).in_(scopes))
        return int(self._db.exec(statement).one() or 0)

    def speakers(self, scopes: Sequence[ScopeKey]) -> Mapping[str, int]:
        """Who said the memories of the scopes, with how many each."""
        statement = (
            select(Memory.speaker, func.count())
            .where(col(Memory.scope_key).in_(scopes), col(Memory.speaker).is_not(None))
            .group_by(col(Memory.speaker))
        )
        return {speaker: number for speaker, number in self._db.exec(statement) if speaker is not None}

    def positions(self, sessions: Sequence[int], *, scopes: Sequence[ScopeKey]) -> dict[int, list[int]]:
        """Positions of the memories of each of the scopes' sessions, ascending, each once."""
        return {
            session_id: sorted(set(map(int, places.split(","))))
            for session_id, places in self._read("positions", scopes=scopes, sessions=sessions)
            if places is not None
        }

    def rows(self, ids: Sequence[MemoryId], *, scopes: Sequence[ScopeKey]) -> list[PoolRow]:
        """The memories as far as they lie in the scopes, in no order."""
        return [_pool_row(row) for row in self._read("by_id", scopes=scopes, ids=ids)]

    def rows_at(self, places: Sequence[tuple[int, int]], *, scopes: Sequence[ScopeKey]) -> list[PoolRow]:
        """The memories at places, each a session and a position, as far as they lie in the scopes, in no order."""
        return [
            _pool_row(row) for row in self._read("by_place", scopes=scopes, places=[list(place) for place in places])
        ]

    def _read(
        self, name: str, *, scopes: Sequence[ScopeKey], **lists: Sequence[str] | Sequence[int] | Sequence[Sequence[int]]
    ) -> Sequence[Any]:
        if not scopes or not all(lists.values()):
            return []
        connection = self._db.connection()
        statement: _Selection = getattr(_statements(is_sqlite=connection.dialect.name == "sqlite"), name)
        values = {key: json.dumps(value) for key, value in lists.items()}
        return connection.execute(statement, {"scopes": list(scopes), **values}).all()


@lru_cache
def _statements(*, is_sqlite: bool) -> _Statements:
    ids = _listed("ids", of=String(), is_sqlite=is_sqlite).subquery()
    places = _places(is_sqlite=is_sqlite).subquery()
    stands_there = and_(col(Memory.session_id) == places.c.session_id, col(Memory.position) == places.c.position)
    return _Statements(
        by_id=_rows_of(ids, is_wanted=col(Memory.id) == ids.c.value),
        by_place=_rows_of(places, is_wanted=stands_there),
        positions=_positions_of(_listed("sessions", of=BigInteger(), is_sqlite=is_sqlite).subquery()),
    )


def _positions_of(wanted: FromClause) -> _Selection:
    """One row a session, its positions in one text: a row for each took three times longer."""
    positions = select_columns(func.aggregate_strings(cast(col(Memory.position), String()), ","))
    # The scope of the session rather than the memories': then an index alone answers it.
    return (
        select_columns(col(Session.id), positions.where(col(Memory.session_id) == Session.id).scalar_subquery())
        .select_from(wanted)
        .join(Session, col(Session.id) == wanted.c.value)
        .where(_is_in(col(Session.scope_key)))
    )


def _rows_of(wanted: FromClause, *, is_wanted: ColumnElement[bool]) -> _Selection:
    # Joined rather than asked for with IN: SQLite would sort the list first, a fifth of the reading.
    return (
        select_columns(*(type_coerce(column, NullType()) for column in _COLUMNS))
        .select_from(wanted)
        .join(Memory, is_wanted)
        .join(MemoryVector, col(MemoryVector.memory_id) == col(Memory.id))
        .where(_is_in(col(Memory.scope_key)))
    )


def _listed(name: str, *, of: TypeEngine[Any], is_sqlite: bool) -> _Selection:
    """The values of a JSON list that is one parameter; column `value`."""
    given = bindparam(name, type_=String())
    if is_sqlite:
        return select_columns(func.json_each(given).table_valued("value").c.value)
    value = func.jsonb_array_elements_text(cast(given, JSONB)).table_valued("value").c.value
    return select_columns(cast(value, of).label("value"))


def _places(*, is_sqlite: bool) -> _Selection:
    """Sessions with positions, from a JSON list of pairs that is one parameter; columns `session_id` and `position`."""
    given = bindparam("places", type_=String())
    if is_sqlite:
        pair = func.json_each(given).table_valued("value").c.value
        session_id, position = (func.json_extract(pair, f"$[{part}]") for part in (0, 1))
    else:
        pair = func.jsonb_array_elements(cast(given, JSONB)).table_valued("value").c.value
        session_id, position = (cast(func.jsonb_extract_path_text(pair, part), BigInteger()) for part in ("0", "1"))
    return select_columns(session_id.label("session_id"), position.label("position"))


def _is_in(scope_key: Mapped[str]) -> ColumnElement[bool]:
    # An expression, which no index fits: SQLite would rather read the whole scope than a few hundred ids.
    return (scope_key + literal_column("''")).in_(bindparam("scopes", expanding=True))


def _pool_row(row: Sequence[Any]) -> PoolRow:
    values = list(row)
    values[_PINNED] = bool(values[_PINNED])
    values[_INSTANTS] = map(_utc, values[_INSTANTS])
    return PoolRow._make(values)


def _utc(stored: str | datetime | None) -> datetime | None:
    if isinstance(stored, str):
        return datetime.fromisoformat(stored + "+00:00")  # SQLite keeps it as a text without a zone, in UTC
    return None if stored is None else stored.astimezone(UTC)
