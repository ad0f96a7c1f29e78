"""One dream run: plan what changed, look at it in batches, do what follows, end with a report.

Each batch is one transaction with the note of what it did, so that a kill at any moment costs the batch in progress and
nothing else; the run that takes over finds the same memories in the same order and decides the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta

import structlog

from memory_core.capture.dedup import TextKeys
from memory_core.dream import progress
from memory_core.dream.aging import next_look
from memory_core.dream.applying import Applier, row_of
from memory_core.dream.changes import Change, Entity, Op, Standing
from memory_core.dream.deciding import Decider, RunFacts
from memory_core.dream.guards import HALF_IS_RETIRED, Guard
from memory_core.dream.known import Known
from memory_core.dream.model_review import ModelReviewer, follow
from memory_core.dream.progress import Batch, RunRequest
from memory_core.dream.snapshot import read_snapshot
from memory_core.errors import Conflict, Corrupt, Unavailable
from memory_core.models.dream import DreamChange, DreamReview, DreamRun
from memory_core.models.memory import Memory, MemoryVector
from memory_core.ports import Clock, Embedder
from memory_core.privacy.guarded_chat import Budget, GuardedChat
from memory_core.settings import DreamSettings
from memory_core.store.database import Database
from memory_core.store.dream_views import DreamViewRepository
from memory_core.store.dreams import DreamRepository
from memory_core.store.memories import MemoryRepository
from memory_core.values import JobKind, MemoryId, MemoryKind, ScopeKey
from memory_core.vectors import passage_text, to_stored

NEAR_FLOOR = 0.35
"""Cosine below which two memories aren't compared."""
MOST_NEAR = 16
"""Neighbours that a memory is compared with."""
SHOWN_TO_MODEL = 20
"""Memories that a chat model is shown at once."""
_DERIVED = 8
_MOVED_TRIES = 5

log = structlog.get_logger(__name__)

OnProgress = Callable[[float], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class DreamParts:
    """What runs are made of.

    Attributes:
        chat: The guarded chat model; None for none.
    """

    database: Database
    clock: Clock
    embedder: Embedder
    keys: TextKeys
    settings: DreamSettings
    chat: GuardedChat | None = None


class DreamService:
    """Does runs, of dreaming and of deduplication; every one may be killed at any moment and taken up again."""

    def __init__(self, parts: DreamParts) -> None:
        """Use the given parts."""
        self._parts = parts

    def run(self, request: RunRequest, *, on_progress: OnProgress) -> DreamRun:
        """Do a run, or what is left of it.

        Args:
            request: What to do; the same one each time the run is taken up again.
            on_progress: Called after each batch with the share that is done; what it raises ends this attempt.

        Raises:
            Unavailable: the tables or the embedder are away; what was committed stays, a repeat goes on from there.
            Conflict: the run was ended from outside.
        """
        run = progress.begin(self._parts.database, request, now=self._parts.clock.now())
        if run.state != progress.RUNNING:
            return run
        database, clock = self._parts.database, self._parts.clock
        attempt = _Attempt(self._parts, run)
        try:
            attempt.work(on_progress)
            return progress.end(database, run.id, now=clock.now(), notes=attempt.notes)
        except Unavailable:
            raise
        except Conflict:
            if ended := progress.ended(database, run.id):  # by another attempt that was at work
                return ended
            progress.fail(database, run.id, now=clock.now(), state=progress.CANCELLED)
            raise
        except Exception:
            progress.fail(database, run.id, now=clock.now())
            raise


class _Attempt:
    """One attempt at a run, from where the last one stopped."""

    def __init__(self, parts: DreamParts, run: DreamRun) -> None:
        self._parts = parts
        self._run = run
        self._ends_at = parts.clock.now() + timedelta(minutes=parts.settings.minutes)
        self._decider: Decider | None = None
        self._open: set[str] = set()
        self._moved = 0
        self._budget = Budget(
            calls=max(parts.settings.calls - run.calls, 0),
            tokens=max(parts.settings.tokens - run.tokens, 0),
            clock=parts.clock,
            until=self._ends_at,
        )
        dreams = run.kind == JobKind.DREAM and parts.chat is not None and parts.settings.calls > 0
        self._reviewer = (
            ModelReviewer(parts.chat.within(self._budget), model=parts.settings.model)
            if dreams and parts.chat
            else None
        )
        self.notes: list[str] = []

    def work(self, on_progress: OnProgress) -> None:
        """Look at batch after batch until nothing is left or the time is over."""
        while not self._is_over():
            scope = progress.next_scope(self._parts.database, self._run.id)
            if scope is None:
                break
            self._decider_of(scope)  # reading a scope takes long: a kill meanwhile is no batch's fault
            batch = progress.next_batch(self._parts.database, self._run.id)
            if batch is None:
                break
            if batch.parked:
                self._open.discard(batch.items[0].memory_id)
                continue
            self._try(batch)
            on_progress(min(1 - len(self._open) / max(self._run.planned, 1), 0.99))
        if self._reviewer is not None and self._reviewer.stopped:
            self.notes.append(f"went on without a chat model: {self._reviewer.stopped}")

    def _is_over(self) -> bool:
        """Time is up, and what was retired is no more than half of what was looked at until now."""
        if self._parts.clock.now() < self._ends_at or self._decider is None:
            return False
        if 2 * self._decider.guard.retired > self._decider.guard.reviewed - len(self._open):
            return False
        if self._open:
            self.notes.append(f"the time was over: {len(self._open)} memories are left for the next run")
        return True

    def _try(self, batch: Batch) -> None:
        try:
            if self._look_at(batch):
                self._moved = 0
                return
            self._decider = None
            progress.call_off(self._parts.database, self._run.id)
            self._note_moved()
        except Unavailable:
            self._decider = None
            progress.call_off(self._parts.database, self._run.id)
            raise
        except Conflict:
            raise
        except Exception as error:  # noqa: BLE001 a memory that breaks the look is parked, the others go on
            log.error("dream.batch_broke", run_id=self._run.id, error=type(error).__name__, size=len(batch.items))  # noqa: TRY400 the message may hold words of people
            self._decider = None

    def _note_moved(self) -> None:
        self._moved += 1
        if self._moved == _MOVED_TRIES:
            raise Unavailable("memories change faster than they can be looked at")

    def _look_at(self, batch: Batch) -> bool:
        """Decide and commit a batch; False when somebody changed what it is about meanwhile."""
        decider = self._decider_of(batch.scope)
        unfinished, changes = self._decide(batch, decider)
        vectors = self._vectors(changes, decider)
        try:
            return self._commit(batch, decider, changes=changes, vectors=vectors, unfinished=unfinished)
        except Conflict:  # somebody drew the same edge, or another attempt of this run is at work
            return False

    def _decider_of(self, scope: ScopeKey) -> Decider:
        known = self._decider
        if known is not None and known.snapshot.scope == scope:
            return known
        database = self._parts.database
        snapshot = read_snapshot(database, scope, at=self._run.started_at)
        with database.reading() as db:
            dreams = DreamRepository(db)
            plan = dreams.plan(self._run.id)
            changes = dreams.changes(self._run.id)
        self._open = {memory_id for memory_id, done in plan.items() if not done}
        guard = Guard(plan=frozenset(plan))
        guard.replay((Op(one.op), one.memory_id, one.state == Standing.REFUSED) for one in changes if not one.detail)
        facts = RunFacts(
            run_id=self._run.id, at=self._run.started_at, only_duplicates=self._run.kind == JobKind.DEDUPLICATE
        )
        self._decider = Decider(facts=facts, snapshot=snapshot, guard=guard)
        self._decider.replay(changes)
        return self._decider

    def _decide(self, batch: Batch, decider: Decider) -> tuple[set[str], list[Change]]:
        """What is to be done about a batch, and the memories that have to be looked at once more next time."""
        snapshot = decider.snapshot
        if any(item.memory_id in snapshot.broken for item in batch.items):
            raise Corrupt("a memory can't be read")
        found = [(item, memory) for item in batch.items if (memory := snapshot.find(item.memory_id))]
        if not found:
            return set(), []
        cosines = snapshot.cosines([memory.memory_id for _, memory in found])
        sources = self._sources([memory for _, memory in found], batch.scope)
        changes: list[Change] = []
        unfinished: set[str] = set()
        for (item, memory), row in zip(found, cosines, strict=True):
            near = snapshot.nearest(memory, row, floor=NEAR_FLOOR, limit=MOST_NEAR) if item.changed else []
            made = (
                decider.look_at(memory, near, sources=sources.get(memory.memory_id, ()))
                if item.changed
                else list(decider.age(memory))
            )
            if any(change.refused == HALF_IS_RETIRED for change in made):
                unfinished.add(memory.memory_id)
            changes += made
        if not batch.careful:
            changes += self._second_opinion([memory for item, memory in found if item.changed], decider)
        return unfinished, changes

    def _second_opinion(self, memories: Sequence[Known], decider: Decider) -> list[Change]:
        changes: list[Change] = []
        if self._reviewer is None:
            return changes
        in_force = [memory for memory in memories if memory.in_force]
        for start in range(0, len(in_force), SHOWN_TO_MODEL):
            opinion = self._reviewer.ask(in_force[start : start + SHOWN_TO_MODEL], scope=decider.snapshot.scope)
            if self._reviewer.calls:
                progress.spend(
                    self._parts.database,
                    self._run.id,
                    calls=self._run.calls + self._reviewer.calls,
                    tokens=self._run.tokens + self._budget.spent.tokens,
                    model=opinion.model,
                )
            changes += follow(opinion, decider)
        return changes

    def _sources(self, memories: Sequence[Known], scope: ScopeKey) -> dict[str, list[str]]:
        summing = [memory.memory_id for memory in memories if memory.kind in _SUMMING_UP]
        if not summing:
            return {}
        with self._parts.database.reading() as db:
            reading = DreamViewRepository(db, scope=scope, at=self._run.started_at)
            return {memory_id: reading.same_turns(memory_id, limit=_DERIVED) for memory_id in summing}

    def _vectors(self, changes: Sequence[Change], decider: Decider) -> dict[str, MemoryVector]:
        """Vectors of texts that lost a part; not needed for a dry run."""
        if self._run.dry_run:
            return {}
        texts = {
            change.memory_id: str((change.after or {})["text"])
            for change in changes
            if change.op is Op.REVISE and change.refused is None
        }
        if not texts:
            return {}
        snapshot = decider.snapshot
        speakers = {memory_id: snapshot.rows[snapshot.places[memory_id]].speaker for memory_id in texts}
        passages = [passage_text(text, speaker=speakers[memory_id]) for memory_id, text in texts.items()]
        embedder = self._parts.embedder
        return {
            memory_id: MemoryVector(memory_id=memory_id, model=embedder.model, **asdict(to_stored(embedding)))
            for memory_id, embedding in zip(texts, embedder.embed_passages(passages), strict=True)
        }

    def _commit(
        self,
        batch: Batch,
        decider: Decider,
        *,
        changes: Sequence[Change],
        vectors: dict[str, MemoryVector],
        unfinished: set[str],
    ) -> bool:
        looked_at = {item.memory_id for item in batch.items}
        with self._parts.database.transaction() as db:
            dreams = DreamRepository(db)
            run = progress.running(dreams, self._run.id)
            if not progress.close_batch(dreams, run, items=batch.items):
                db.rollback()
                return False
            if run.dry_run:
                rows = [
                    row_of(one, run_id=run.id, state=Standing.REFUSED if one.refused else Standing.PROPOSED)
                    for one in changes
                ]
            else:
                touched = looked_at | {one.memory_id for one in changes if one.entity is Entity.MEMORY}
                ids = [MemoryId(memory_id) for memory_id in sorted(touched)]
                memories = list(MemoryRepository(db).by_ids(ids, scopes=[batch.scope]).values())
                if not _unchanged(memories, decider, expected=touched):
                    db.rollback()
                    return False
                applier = Applier(db, scope=batch.scope, run_id=run.id, at=run.started_at, keys=self._parts.keys)
                rows = applier.apply(changes, vectors=vectors)
                for memory in memories:
                    decider.snapshot.note_version(memory.id, version=memory.version)
                left = (self._open - looked_at) | unfinished
                dreams.review(self._reviews(memories, decider, left=left))
            _number(rows, first=dreams.next_seq(run.id))
            dreams.add_changes(rows)
            self._open -= looked_at
            run.reviewed = decider.guard.reviewed - len(self._open)
        return True

    def _reviews(self, memories: Sequence[Memory], decider: Decider, *, left: set[str]) -> list[DreamReview]:
        """What this run has looked at; its own changes don't call for another look."""
        if self._run.kind != JobKind.DREAM:
            return []
        reviews: list[DreamReview] = []
        for memory in memories:
            known = decider.snapshot.find(memory.id)
            if known is not None and memory.id not in left:
                due_at = None if known.keeps else next_look(known, at=self._run.started_at)
                reviews.append(DreamReview(memory_id=memory.id, version=memory.version, due_at=due_at))
        return reviews


_SUMMING_UP = frozenset({MemoryKind.SUMMARY, MemoryKind.ARTIFACT})


def _unchanged(memories: Sequence[Memory], decider: Decider, *, expected: set[str]) -> bool:
    """Whether memories are as the decisions took them to be."""
    known = {memory_id: row.version for memory_id in expected if (row := decider.snapshot.row(memory_id))}
    return known == {memory.id: memory.version for memory in memories if memory.id in known}


def _number(rows: Sequence[DreamChange], *, first: int) -> None:
    for seq, row in enumerate(rows, start=first):
        row.seq = seq
