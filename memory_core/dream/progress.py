"""How far a run is: its plan, the batch in progress, and what broke; each step is one short transaction.

A batch is noted before it is begun. If that note is still there when the run is taken up again, the batch ended its
process or broke: its items are then looked at one by one, and one that breaks the look twice is parked. A kill from
outside costs the same detour and nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_core.errors import Conflict
from memory_core.models.dream import DreamItem, DreamReview, DreamRun
from memory_core.models.memory import Memory
from memory_core.store.database import Database
from memory_core.store.dreams import DreamRepository
from memory_core.values import JobKind, ScopeKey

BATCH = 64
"""Memories of one transaction."""
STRIKES = 2
"""How often a memory may break the look at it."""
RUNNING, DONE, FAILED, CANCELLED = "running", "done", "failed", "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What a run is to do.

    Attributes:
        run_id: Its name; that of its job.
        kind: `JobKind.DREAM` or `JobKind.DEDUPLICATE`.
        scope: Whose memory; None for all.
        cause: Why it was asked for: schedule, request or session.
    """

    run_id: str
    kind: JobKind
    scope: ScopeKey | None = None
    dry_run: bool = False
    cause: str = "request"


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Items of one scope to be looked at next.

    Attributes:
        parked: The only item is left out instead.
        careful: An earlier try ended its process or broke.
    """

    items: tuple[DreamItem, ...]
    parked: bool = False
    careful: bool = False

    @property
    def scope(self) -> ScopeKey:
        """The one scope of them all."""
        return ScopeKey(self.items[0].scope_key)


def begin(database: Database, request: RunRequest, *, now: datetime) -> DreamRun:
    """The run of a request: a new one with its plan, or the one that was begun before."""
    with database.transaction() as db:
        dreams = DreamRepository(db)
        if run := dreams.get(request.run_id):
            return run
        due = (
            dreams.due(request.scope, at=now)
            if request.kind is JobKind.DREAM
            else dreams.in_force(request.scope, at=now)
        )
        run = DreamRun(
            id=request.run_id,
            kind=request.kind,
            scope_key=request.scope,
            state=RUNNING,
            dry_run=request.dry_run,
            cause=request.cause,
            planned=len(due),
            started_at=now,
        )
        items = [
            DreamItem(
                run_id=run.id,
                seq=seq,
                scope_key=one.scope_key,
                memory_id=one.memory_id,
                changed=one.changed,
                done=False,
            )
            for seq, one in enumerate(due, start=1)
        ]
        dreams.add(run, items=items)
        return run


def next_scope(database: Database, run_id: str) -> ScopeKey | None:
    """Whose memories are to be looked at next; None when nothing is left."""
    with database.reading() as db:
        items = DreamRepository(db).open_items(run_id, limit=1)
    return ScopeKey(items[0].scope_key) if items else None


def next_batch(database: Database, run_id: str) -> Batch | None:
    """Note the next batch as begun; None when nothing is left.

    Raises:
        Conflict: the run was ended by another attempt.
    """
    with database.transaction() as db:
        dreams = DreamRepository(db)
        run = running(dreams, run_id)
        items = dreams.open_items(run_id, limit=BATCH)
        if not items:
            return None
        first = items[0]
        if run.trying_seq is not None:
            if run.trying_size > 1:
                run.careful_through, run.tries = run.trying_seq + run.trying_size - 1, 0
            else:
                run.tries += 1
            if run.tries >= STRIKES:
                _park(dreams, run, item=first, memory=db.get(Memory, first.memory_id))
                return Batch(items=(first,), parked=True)
        items = [item for item in items if item.scope_key == first.scope_key]
        careful = first.seq <= run.careful_through
        if careful:
            items = items[:1]
        # Items are taken without a gap, so that first and size name them.
        run.trying_seq, run.trying_size = first.seq, items[-1].seq - first.seq + 1
        return Batch(items=tuple(items), careful=careful)


def close_batch(dreams: DreamRepository, run: DreamRun, *, items: Sequence[DreamItem]) -> bool:
    """Note in the transaction that does its work that a batch is done; False when another attempt did it."""
    run.trying_seq, run.trying_size, run.tries = None, 0, 0
    return dreams.finish_items(run.id, seqs=[item.seq for item in items])


def call_off(database: Database, run_id: str) -> None:
    """Take back the note of a batch that ended because a part is away: that is nobody's fault."""
    with database.transaction() as db:
        if run := DreamRepository(db).locked(run_id):
            run.trying_seq, run.trying_size = None, 0


def end(database: Database, run_id: str, *, now: datetime, notes: Sequence[str]) -> DreamRun:
    """Close a run."""
    with database.transaction() as db:
        dreams = DreamRepository(db)
        run = running(dreams, run_id)
        run.state, run.ended_at = DONE, now
        run.notes = [*run.notes, *notes]
        run.counts = dict(dreams.counts(run_id))
        dreams.drop_items(run_id)
        return run


def ended(database: Database, run_id: str) -> DreamRun | None:
    """The run if it came to its end; else None."""
    with database.reading() as db:
        run = DreamRepository(db).get(run_id)
    return run if run is not None and run.state == DONE else None


def fail(database: Database, run_id: str, *, now: datetime, state: str = FAILED) -> None:
    """Note that a run broke for good or was cancelled; what it did until then stands and can be undone."""
    with database.transaction() as db:
        dreams = DreamRepository(db)
        run = dreams.locked(run_id)
        if run is not None and run.state == RUNNING:
            run.state, run.ended_at = state, now
            run.counts = dict(dreams.counts(run_id))
            dreams.drop_items(run_id)


def spend(database: Database, run_id: str, *, calls: int, tokens: int, model: str | None) -> None:
    """Note at once what a call of the chat model cost: a run that is taken up again has spent it."""
    with database.transaction() as db:
        if run := DreamRepository(db).locked(run_id):
            run.calls, run.tokens, run.model = calls, tokens, model or run.model


def running(dreams: DreamRepository, run_id: str) -> DreamRun:
    """The run, which nobody else can change until the transaction ends.

    Raises:
        Conflict: it is over.
    """
    run = dreams.locked(run_id)
    if run is None or run.state != RUNNING:
        raise Conflict("the run is over")
    return run


def _park(dreams: DreamRepository, run: DreamRun, *, item: DreamItem, memory: Memory | None) -> None:
    close_batch(dreams, run, items=[item])
    if memory is None:
        return
    run.notes = [*run.notes, f"{memory.kref} was left out: looking at it broke the run {STRIKES} times"]
    if not run.dry_run:
        dreams.review([DreamReview(memory_id=memory.id, version=memory.version, parked=True)])
