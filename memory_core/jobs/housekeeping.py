"""What is tidied once a day: contents that nothing needs, the index, and the records of work long done."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from memory_core.indexing.service import IndexingService
from memory_core.ports import ArtifactStore, Clock
from memory_core.store.artifacts import ArtifactRepository
from memory_core.store.database import Database
from memory_core.store.graves import GraveRepository
from memory_core.store.jobs import JobRepository
from memory_core.values import JobId, JobKind

INTERVAL = timedelta(hours=24)
KEEP_JOBS = timedelta(days=90)
FOR_GOOD = (JobKind.CREATIVE,)
"""Kinds whose ids an agent may come back to after any time."""
_SETTLED = timedelta(hours=1)
"""A content younger than this may belong to a request that is being written."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tidied:
    """What one round did.

    Attributes:
        orphan_contents: Contents of artifacts that no revision and no request needed.
        pruned_jobs: Records of jobs that ended long ago.
        missing_points: Memories that the index lacked.
        stray_points: Points of the index without a memory.
        purged: The index begins anew, since something was forgotten: deleted points stay in its files else.
    """

    orphan_contents: int
    pruned_jobs: int
    missing_points: int
    stray_points: int
    purged: bool = False


class Housekeeping:
    """Tidies; owes itself once a day."""

    def __init__(
        self,
        database: Database,
        *,
        indexing: IndexingService,
        artifact_store: ArtifactStore,
        clock: Clock,
        purge_index: Callable[[], None] | None,
    ) -> None:
        """Use the given parts; `purge_index` empties an index that keeps what was deleted, None where none does."""
        self._database = database
        self._indexing = indexing
        self._artifact_store = artifact_store
        self._clock = clock
        self._purge_index = purge_index

    def owe_if_due(self) -> JobId | None:
        """Owe a round when the last one was begun a day ago; a new installation waits a day for its first."""
        now = self._clock.now()
        with self._database.transaction() as db:
            jobs = JobRepository(db)
            last = jobs.newest(JobKind.HOUSEKEEPING) or jobs.first()
            if last is None or now - last < INTERVAL:
                return None
            return jobs.owe(JobKind.HOUSEKEEPING, scope=None, payload={}, at=now)

    def run(self) -> Tidied:
        """Tidy; doing it twice does no harm.

        Raises:
            Unavailable: the tables, the artifact store or the index is away.
        """
        now = self._clock.now()
        orphans = self._collect(before=now - _SETTLED)
        with self._database.transaction() as db:
            pruned = JobRepository(db).prune(before=now - KEEP_JOBS, keep=FOR_GOOD)
        missing, stray = self._indexing.reconcile()
        self._indexing.apply_due()
        self._indexing.flush()
        purged = self._purge()
        log.info("housekeeping.done", orphans=orphans, jobs=pruned, missing=missing, stray=stray, purged=purged)
        return Tidied(
            orphan_contents=orphans,
            pruned_jobs=pruned,
            missing_points=missing,
            stray_points=stray,
            purged=purged,
        )

    def _purge(self) -> bool:
        """Have the index begin anew when something was forgotten since the last round; whoever feeds it fills it."""
        if self._purge_index is None:
            return False
        with self._database.reading() as db:
            forgotten = GraveRepository(db).newest()
            tidied = JobRepository(db).last_ended(JobKind.HOUSEKEEPING)
        if forgotten is None or (tidied is not None and forgotten < tidied):
            return False
        self._purge_index()
        return True

    def _collect(self, *, before: datetime) -> int:
        stored = self._artifact_store.stored_before(before)
        with self._database.reading() as db:
            needed = ArtifactRepository(db).needed(stored)
        return self._artifact_store.delete([one for one in stored if one not in needed], before=before)
