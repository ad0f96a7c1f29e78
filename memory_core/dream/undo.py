"""The state before a run, restored: row by row, the last change first.

Each column goes back to what it was. Where a later run built on a change, that run's own note of "before" is set back
instead, so that runs can be undone in any order and the last one leaves the tables as they were before all of them.
Only what somebody else changed since stands in the way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlmodel import Session as DbSession

from memory_core.dream.applying import UNSEEN, set_columns, set_vector, to_json, vector_columns
from memory_core.dream.changes import Entity, Standing
from memory_core.errors import Conflict, NotFound
from memory_core.models.dream import DreamChange, DreamReview
from memory_core.models.link import Link
from memory_core.models.memory import Memory, MemoryRevision, MemorySource, MemoryVector
from memory_core.ports import Clock
from memory_core.store.changes import ChangeRepository
from memory_core.store.database import Database
from memory_core.store.dreams import DreamRepository
from memory_core.store.jobs import JobRepository
from memory_core.values import JobId, JobState

_SHOWN_REASONS = 20
_OPEN = (JobState.QUEUED, JobState.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What undoing did.

    Attributes:
        reverted: Number of changes that are taken back.
        kept: Why each of the others stands: what was forgotten, and what couldn't be where a part was asked for.
    """

    reverted: int
    kept: tuple[str, ...] = ()


@dataclass(slots=True)
class _Reverter:
    db: DbSession
    later: Mapping[tuple[str, str], Sequence[DreamChange]]
    reverted: list[DreamChange] = field(default_factory=list[DreamChange])
    learned: set[str] = field(default_factory=set[str])
    touched: set[str] = field(default_factory=set[str])

    def revert(self, change: DreamChange) -> str | None:
        """Take one change back; why that is impossible, else None."""
        match Entity(change.entity):
            case Entity.MEMORY:
                reason = self._memory(change)
            case Entity.LINK:
                reason = self._link(change)
            case Entity.SOURCE:
                reason = self._columns(self.db.get(MemorySource, int(change.entity_id)), change)
            case Entity.HISTORY:
                reason = self._history(change)
            case Entity.VECTOR:
                reason = self._vector(change)
        if reason is None:
            change.state = Standing.REVERTED
            self.reverted.append(change)
        return reason

    def _memory(self, change: DreamChange) -> str | None:
        memory = self.db.get(Memory, change.entity_id)
        reason = self._columns(memory, change)
        if memory is not None and reason is None:
            self.touched.add(memory.id)
            if not set(change.after or ()) <= UNSEEN:
                self.learned.add(memory.id)
        return reason

    def _columns(self, row: Memory | Link | MemorySource | None, change: DreamChange) -> str | None:
        if row is None:  # it was forgotten, or an undone run had made it
            return None
        before, after = change.before or {}, change.after or {}
        restored: dict[str, Any] = {}
        for name, value in after.items():
            present = to_json(getattr(row, name))
            if name == "count":
                restored[name] = max(present - (value - before[name]), 1)
            elif name == "tags":
                added = set(value) - set(before[name])
                restored[name] = [tag for tag in present if tag not in added]
            elif built := self._built_on(change, name):
                if name in _STACKED:
                    return "a later run changed its text again: undo that run first"
                built.before = {**(built.before or {}), name: before[name]}
            elif present not in (value, before[name]):
                return f"its {name.replace('_', ' ')} was changed since"
            else:
                restored[name] = before[name]
        set_columns(row, restored)
        self.db.flush()
        return None

    def _link(self, change: DreamChange) -> str | None:
        link = self.db.get(Link, change.entity_id)
        if change.before is not None:
            return self._columns(link, change)
        if link is not None:
            self.db.delete(link)
            self.db.flush()
        return None

    def _history(self, change: DreamChange) -> str | None:
        memory_id, revision = change.entity_id.split(":")
        if earlier := self.db.get(MemoryRevision, (memory_id, int(revision))):
            self.db.delete(earlier)
            self.db.flush()
        return None

    def _vector(self, change: DreamChange) -> str | None:
        vector = self.db.get(MemoryVector, change.entity_id)
        before, after = change.before or {}, change.after or {}
        if vector is None:
            return None
        if vector.model == after["model"] and vector_columns(vector) != after:
            return "its text was changed since"
        set_vector(vector, before)
        self.db.flush()
        return None

    def _built_on(self, change: DreamChange, name: str) -> DreamChange | None:
        """The next change of the same column that another run made, and that began where this one ended."""
        for other in self.later.get((change.entity, change.entity_id), ()):
            if name in (other.after or {}) and other.state == Standing.APPLIED:
                return other if (other.before or {}).get(name) == (change.after or {}).get(name) else None
        return None


_STACKED = frozenset({"text", "text_key", "revision"})


class UndoService:
    """Undoes runs."""

    def __init__(self, database: Database, *, clock: Clock) -> None:
        """Use the given parts."""
        self._database = database
        self._clock = clock

    def undo(self, run_id: str, *, partial: bool = False) -> Undone:
        """Take back everything that a run did, in one transaction.

        Args:
            run_id: The run.
            partial: Take back what can be, where something can't; else nothing is done then.

        Raises:
            NotFound: there is no such run.
            Conflict: it isn't over, changed nothing, was undone already, or what it did was changed since, with how.
        """
        now = self._clock.now()
        with self._database.transaction() as db:
            dreams = DreamRepository(db)
            run = dreams.get(run_id)
            if run is None:
                raise NotFound(f"dream run: there is no run {run_id[:40]!r}")
            job = JobRepository(db).get(JobId(run.id))
            _check_may_undo(run.state, dry_run=run.dry_run, is_open=job is not None and job.state in _OPEN)
            written = dreams.changes(run_id)
            changes = [change for change in written if change.state == Standing.APPLIED]
            reverter = _Reverter(db, _later_of(dreams, changes, run_id=run_id, started_at=run.started_at))
            reasons = _revert_all(reverter, changes)
            if reasons and not partial:
                raise Conflict("; ".join(reasons[:_SHOWN_REASONS]))
            _note_reviewed(db, reverter)
            run.state, run.undone_at = "undone", now
        kept = (*reasons, *_forgotten(written))
        return Undone(reverted=sum(not change.detail for change in reverter.reverted), kept=kept)


def _forgotten(changes: Sequence[DreamChange]) -> list[str]:
    """Why changes of forgotten memories stand: they say nothing any more that could be put back."""
    whole = (change for change in changes if change.state == Standing.FORGOTTEN and not change.detail)
    return list(dict.fromkeys(f"{change.memory_id}: it was forgotten" for change in whole))


def _check_may_undo(state: str, *, dry_run: bool, is_open: bool) -> None:
    if state == "undone":
        raise Conflict("the run was undone already")
    if dry_run:
        raise Conflict("the run was a dry run and changed nothing")
    if is_open:
        raise Conflict("the run isn't over yet")


def _revert_all(reverter: _Reverter, changes: Sequence[DreamChange]) -> list[str]:
    """Take changes back, the last first; the parts of one that can't be stay with it."""
    groups: list[list[DreamChange]] = []
    for change in changes:
        if change.detail and groups:
            groups[-1].append(change)
        else:
            groups.append([change])
    reasons: list[str] = []
    for whole, *parts in reversed(groups):
        reason = reverter.revert(whole)
        found = [reason] if reason else [why for part in reversed(parts) if (why := reverter.revert(part))]
        reasons += [f"{_address(reverter.db, whole)}: {why}" for why in found]
    return list(dict.fromkeys(reasons))


def _address(db: DbSession, change: DreamChange) -> str:
    memory = db.get(Memory, change.memory_id)
    return memory.kref if memory else change.memory_id


def _later_of(
    dreams: DreamRepository, changes: Sequence[DreamChange], *, run_id: str, started_at: datetime
) -> dict[tuple[str, str], list[DreamChange]]:
    """Changes of later runs in the same rows, in order."""
    begun: dict[str, datetime] = {}
    found: list[tuple[datetime, str, int, DreamChange]] = []
    for change in dreams.later_changes(sorted({change.entity_id for change in changes})):
        if change.run_id not in begun:
            run = dreams.get(change.run_id)
            begun[change.run_id] = run.started_at if run else started_at
        if change.run_id != run_id and begun[change.run_id] >= started_at:
            found.append((begun[change.run_id], change.run_id, change.seq, change))
    ordered: dict[tuple[str, str], list[DreamChange]] = {}
    for *_, change in sorted(found, key=lambda entry: entry[:3]):
        ordered.setdefault((change.entity, change.entity_id), []).append(change)
    return ordered


def _note_reviewed(db: DbSession, reverter: _Reverter) -> None:
    """What was undone is not done again by the next run: it counts as looked at until somebody changes it."""
    ChangeRepository(db).add(sorted(reverter.learned))
    reviews = [
        DreamReview(memory_id=memory_id, version=db.get_one(Memory, memory_id).version)
        for memory_id in sorted(reverter.touched)
    ]
    DreamRepository(db).review(reviews)
