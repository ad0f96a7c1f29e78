"""Statements of the hot path: only the columns that ranking needs, no table objects.

Lists of ids go in as one parameter, and columns come back as the driver gives them: both took longer than the reading.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Select,
    String,
    bindparam,
    cast,
    func,
    literal_column,
    tuple_,
    type_coerce,
)
from sqlalchemy import select as select_columns
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


_COLUMNS = (
    *(col(Memory.id), col(Memory.kref), col(Memory.text), col(Memory.speaker), col(Memory.kind), col(Memory.space)),
    *(col(Memory.status), col(Memory.session_id), col(Memory.position), col(Memory.count), col(Memory.pinned)),
    *(col(Memory.event_at), col(Memory.event_until), col(Memory.valid_from), col(Memory.valid_until)),
    col(Memory.version),
    *(col(MemoryVector.tokens), col(MemoryVector.token_width), col(MemoryVector.keywords)),
)
"""In the order of `PoolRow`."""
_PINNED = PoolRow._fields.index("pinned")
_INSTANTS = slice(PoolRow._fields.index("event_at"), PoolRow._fields.index("valid_until") + 1)


class _Statements(NamedTuple):
    """The statements of a dialect; each takes `scopes`."""

    by_id: Select[Any]
    """Takes `ids`."""
    by_place: Select[Any]
    """Takes `places`."""
    positions: Select[Any]
    """Takes `sessions`."""


class PoolRepository:
    """Reads pools within one transaction; every read names the scopes that it may see."""

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
        found: dict[int, dict[int, None]] = {}
        for session_id, position in self._read("positions", scopes=scopes, sessions=sessions):
            found.setdefault(session_id, {})[position] = None
        return {session_id: list(positions) for session_id, positions in found.items()}

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
        is_sqlite = connection.dialect.name == "sqlite"
        statement: Select[Any] = getattr(_statements(is_sqlite=is_sqlite), name)
        values = {key: json.dumps(value) if is_sqlite else list(value) for key, value in lists.items()}
        return connection.execute(statement, {"scopes": list(scopes), **values}).all()


@lru_cache
def _statements(*, is_sqlite: bool) -> _Statements:
    rows = select_columns(*(type_coerce(column, NullType()) for column in _COLUMNS)).join(
        MemoryVector, col(MemoryVector.memory_id) == col(Memory.id)
    )
    place = tuple_(col(Memory.session_id), col(Memory.position))
    sessions = _listed("sessions", of=BigInteger(), is_sqlite=is_sqlite)
    return _Statements(
        by_id=rows.where(
            col(Memory.id).in_(_listed("ids", of=String(), is_sqlite=is_sqlite)), _is_in(col(Memory.scope_key))
        ),
        by_place=rows.where(place.in_(_places(is_sqlite=is_sqlite)), _is_in(col(Memory.scope_key))),
        # The scope of the session rather than the memories': then an index alone answers it.
        positions=select_columns(col(Memory.session_id), col(Memory.position))
        .join(Session, col(Session.id) == col(Memory.session_id))
        .where(col(Memory.session_id).in_(sessions), _is_in(col(Session.scope_key)))
        .order_by(col(Memory.session_id), col(Memory.position)),
    )


def _listed(name: str, *, of: TypeEngine[Any], is_sqlite: bool) -> Select[Any]:
    """The values of a list that is one parameter: JSON on SQLite, an array on PostgreSQL."""
    if is_sqlite:
        return select_columns(func.json_each(bindparam(name, type_=String())).table_valued("value").c.value)
    return select_columns(func.unnest(cast(bindparam(name), ARRAY(of))))


def _places(*, is_sqlite: bool) -> Select[Any]:
    """Sessions with positions, from a list of pairs that is one parameter."""
    if is_sqlite:
        pair = func.json_each(bindparam("places", type_=String())).table_valued("value").c.value
        return select_columns(func.json_extract(pair, "$[0]"), func.json_extract(pair, "$[1]"))
    # An array of pairs has two dimensions: its first column holds the sessions, its second one the positions.
    pairs = cast(bindparam("places"), ARRAY(BigInteger(), dimensions=2))
    row = func.generate_subscripts(pairs, 1).table_valued("row").c.row
    return select_columns(pairs[row][1], pairs[row][2])


def _is_in(scope_key: ColumnElement[str]) -> ColumnElement[bool]:
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
