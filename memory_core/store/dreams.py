"""Statements on dream runs, what they have to look at, and what they changed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, Select, and_, delete, func, insert, or_, update
from sqlalchemy import select as select_columns
from sqlmodel import Session as DbSession
from sqlmodel import col, select

from memory_core.models.dream import DreamChange, DreamItem, DreamReview, DreamRun
from memory_core.models.memory import Memory
from memory_core.values import MemoryStatus, ScopeKey

IN_FORCE = (MemoryStatus.ACTIVE, MemoryStatus.FLAGGED)
FORGOTTEN = "forgotten"
"""State of a change whose memory was forgotten; it holds no word any more and is never taken back."""
FORGOTTEN_REASON = "forgotten on request"
_SAYS_BOTH = (col(DreamChange.entity).in_(["link", "source"]), col(DreamChange.op) == "merge")
"""Changes that are as much about the other memory."""
_BATCH = 400


class Due(NamedTuple):
    """A memory to look at, and whether it changed or only its time has come."""

    scope_key: str
    memory_id: str
    changed: bool


class DreamRepository:
    """Dream runs within one transaction; never commits."""

    def __init__(self, session: DbSession) -> None:
        """Work in the given database session."""
        self._db = session

    def get(self, run_id: str) -> DreamRun | None:
        """One run."""
        return self._db.get(DreamRun, run_id)

    def add(self, run: DreamRun, *, items: Sequence[DreamItem]) -> None:
        """Write a run with all that it has to look at."""
        self._db.add(run)
        self._db.flush()
        rows = [item.model_dump() for item in items]
        for start in range(0, len(rows), _BATCH):
            self._db.connection().execute(insert(DreamItem), rows[start : start + _BATCH])

    def page(self, *, limit: int, after: tuple[datetime, str] | None = None) -> list[DreamRun]:
        """Runs, newest first; `after` is the (started_at, id) of the last one seen."""
        statement = select(DreamRun)
        if after is not None:
            started_at, run_id = after
            statement = statement.where(
                or_(
                    col(DreamRun.started_at) < started_at,
                    and_(col(DreamRun.started_at) == started_at, col(DreamRun.id) < run_id),
                )
            )
        statement = statement.order_by(col(DreamRun.started_at).desc(), col(DreamRun.id).desc()).limit(limit)
        return list(self._db.exec(statement))

    def last_started(self, kind: str, *, scope: ScopeKey | None) -> datetime | None:
        """When a run that changed things last began, over all or over this scope."""
        statement = select(func.max(DreamRun.started_at)).where(
            DreamRun.kind == kind,
            col(DreamRun.dry_run).is_(False),
            or_(col(DreamRun.scope_key).is_(None), col(DreamRun.scope_key) == scope),
        )
        return self._db.exec(statement).one()

    def last_begun(self, kind: str) -> datetime | None:
        """When a run of this kind last began, dry ones left out."""
        statement = select(func.max(DreamRun.started_at)).where(DreamRun.kind == kind, col(DreamRun.dry_run).is_(False))
        return self._db.exec(statement).one()

    def due(self, scope: ScopeKey | None, *, at: datetime) -> list[Due]:
        """Memories in force that changed since they were last looked at, or whose time has come, oldest first."""
        reviewed = col(DreamReview.memory_id).is_not(None)
        same = and_(reviewed, col(DreamReview.version) == col(Memory.version))
        statement = (
            select_columns(col(Memory.scope_key), col(Memory.id), same.is_(False))
            .join(DreamReview, col(DreamReview.memory_id) == col(Memory.id), isouter=True)
            .where(
                col(Memory.status).in_(IN_FORCE),
                col(Memory.created_at) <= at,
                col(Memory.part).is_(None),
                or_(
                    ~reviewed,
                    col(DreamReview.version) != col(Memory.version),
                    and_(col(DreamReview.due_at) <= at, col(DreamReview.parked).is_(False)),
                ),
            )
        )
        return self._ordered(statement, scope)

    def in_force(self, scope: ScopeKey | None, *, at: datetime) -> list[Due]:
        """All memories in force, oldest first."""
        statement = select_columns(col(Memory.scope_key), col(Memory.id), col(Memory.id).is_not(None)).where(
            col(Memory.status).in_(IN_FORCE), col(Memory.created_at) <= at, col(Memory.part).is_(None)
        )
        return self._ordered(statement, scope)

    def open_items(self, run_id: str, *, limit: int) -> list[DreamItem]:
        """What a run still has to look at, in order."""
        statement = (
            select(DreamItem)
            .where(DreamItem.run_id == run_id, col(DreamItem.done).is_(False))
            .order_by(col(DreamItem.seq))
            .limit(limit)
        )
        return list(self._db.exec(statement))

    def plan(self, run_id: str) -> dict[str, bool]:
        """Every memory of a run's plan, with whether it was looked at."""
        statement = select(DreamItem.memory_id, DreamItem.done).where(DreamItem.run_id == run_id)
        return dict(self._db.exec(statement).all())

    def finish_items(self, run_id: str, *, seqs: Sequence[int]) -> bool:
        """Mark items as looked at; False when another attempt of the run did already."""
        statement = (
            update(DreamItem)
            .where(col(DreamItem.run_id) == run_id, col(DreamItem.seq).in_(seqs), col(DreamItem.done).is_(False))
            .values(done=True)
        )
        return self._db.exec(statement).rowcount == len(seqs)

    def drop_items(self, run_id: str) -> None:
        """Remove the plan of a run that ended."""
        self._db.exec(delete(DreamItem).where(col(DreamItem.run_id) == run_id))

    def locked(self, run_id: str) -> DreamRun | None:
        """One run, which nobody else can change until the transaction ends."""
        return self._db.exec(select(DreamRun).where(DreamRun.id == run_id).with_for_update()).first()

    def next_seq(self, run_id: str) -> int:
        """Number of the next change of a run."""
        return int(self._db.exec(select(func.max(DreamChange.seq)).where(DreamChange.run_id == run_id)).one() or 0) + 1

    def add_changes(self, changes: Sequence[DreamChange]) -> None:
        """Write changes."""
        rows = [change.model_dump() for change in changes]
        for start in range(0, len(rows), _BATCH):
            self._db.connection().execute(insert(DreamChange), rows[start : start + _BATCH])

    def changes(self, run_id: str, *, limit: int | None = None) -> list[DreamChange]:
        """What a run did, in order."""
        statement = select(DreamChange).where(DreamChange.run_id == run_id).order_by(col(DreamChange.seq))
        return list(self._db.exec(statement if limit is None else statement.limit(limit)))

    def told(self, run_id: str, *, limit: int) -> list[DreamChange]:
        """What a run did as far as it is told to people, in order."""
        statement = (
            select(DreamChange)
            .where(DreamChange.run_id == run_id, col(DreamChange.detail).is_(False))
            .order_by(col(DreamChange.seq))
            .limit(limit)
        )
        return list(self._db.exec(statement))

    def counts(self, run_id: str) -> Mapping[str, int]:
        """Number of changes that were applied or proposed, by what they do; refused ones under `refused`."""
        statement = (
            select(DreamChange.op, DreamChange.state, func.count())
            .where(DreamChange.run_id == run_id, col(DreamChange.detail).is_(False))
            .group_by(DreamChange.op, DreamChange.state)
        )
        totals: Counter[str] = Counter()
        for op, state, number in self._db.exec(statement):
            totals["refused" if state == "refused" else op] += number
        return dict(sorted(totals.items()))

    def addresses(self, memory_ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Address and text by memory, in whichever scope; for reports, which are the operator's."""
        found: dict[str, tuple[str, str]] = {}
        for start in range(0, len(memory_ids), _BATCH):
            statement = select(Memory.id, Memory.kref, Memory.text).where(
                col(Memory.id).in_(memory_ids[start : start + _BATCH])
            )
            found |= {memory_id: (kref, text) for memory_id, kref, text in self._db.exec(statement)}
        return found

    def later_changes(self, entity_ids: Sequence[str]) -> list[DreamChange]:
        """Changes of any run that touched these and still stand."""
        found: list[DreamChange] = []
        for start in range(0, len(entity_ids), _BATCH):
            statement = select(DreamChange).where(
                col(DreamChange.entity_id).in_(entity_ids[start : start + _BATCH]), DreamChange.state == "applied"
            )
            found += self._db.exec(statement)
        return found

    def review(self, reviews: Sequence[DreamReview]) -> None:
        """Note which versions were looked at."""
        for review in reviews:
            self._db.merge(review)
        self._db.flush()

    def forget(self, memory_ids: Sequence[str]) -> int:
        """Overwrite what runs noted of memories that are about to go; returns how many changes that concerns.

        The changes stay, without a word: the counts of a report still hold, and undoing can say why it passes them by.
        """
        overwritten = 0
        for start in range(0, len(memory_ids), _BATCH):
            batch = memory_ids[start : start + _BATCH]
            with_other = and_(col(DreamChange.other_id).in_(batch), or_(*_SAYS_BOTH))
            overwritten += self._overwrite(or_(col(DreamChange.memory_id).in_(batch), with_other))
            # The other memory stays, and so does what happened to it; a model's reason may quote what goes.
            quoting = (col(DreamChange.other_id).in_(batch), col(DreamChange.reason).like("model:%"))
            self._db.exec(update(DreamChange).where(*quoting).values(reason=FORGOTTEN_REASON))
            self._db.exec(delete(DreamReview).where(col(DreamReview.memory_id).in_(batch)))
            self._db.exec(delete(DreamItem).where(col(DreamItem.memory_id).in_(batch)))
        return overwritten

    def forget_wordings(self, memory_ids: Sequence[str]) -> int:
        """Overwrite how runs changed the words of memories that stay, but lose an earlier wording."""
        return sum(
            self._overwrite(
                and_(
                    col(DreamChange.memory_id).in_(memory_ids[start : start + _BATCH]), col(DreamChange.op) == "revise"
                )
            )
            for start in range(0, len(memory_ids), _BATCH)
        )

    def _overwrite(self, which: ColumnElement[bool]) -> int:
        emptied = {"before": None, "after": None, "reason": FORGOTTEN_REASON, "state": FORGOTTEN}
        return self._db.exec(update(DreamChange).where(which).values(**emptied)).rowcount

    def _ordered(self, statement: Select[str, str, bool], scope: ScopeKey | None) -> list[Due]:
        if scope is not None:
            statement = statement.where(col(Memory.scope_key) == scope)
        statement = statement.order_by(col(Memory.scope_key), col(Memory.created_at), col(Memory.id))
        rows = self._db.connection().execute(statement)
        return [Due(scope_key, memory_id, bool(changed)) for scope_key, memory_id, changed in rows]
