"""What each kind of job does. A handler may run twice: what it did the first time must do no harm the second."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import structlog

from memory_core.consolidation.service import Consolidated, ConsolidationService
from memory_core.creative.capturing import JOB_ID
from memory_core.creative.drafting import DraftingService
from memory_core.creative.keeping import ArtifactKeeper
from memory_core.dream.asking import AfterSessions
from memory_core.dream.progress import RunRequest
from memory_core.dream.service import DreamService
from memory_core.errors import MemoryCoreError
from memory_core.indexing.service import IndexingService
from memory_core.jobs.housekeeping import Housekeeping
from memory_core.values import JobId, JobKind, ScopeKey

Progress = Callable[[float], None]
"""Takes the share that is done, 0 to 1."""
Handler = Callable[[Mapping[str, Any], Progress], dict[str, Any]]
"""Takes a job's payload, returns its result; raises Unavailable when a later try may succeed."""

log = structlog.get_logger(__name__)


class ConsolidationHandler:
    """Consolidates the scopes of a payload `{"through": {scope key: turn number}, "turns"?, "report"?, "jobId"?}`."""

    def __init__(
        self,
        consolidation: ConsolidationService,
        *,
        drafting: DraftingService,
        indexing: IndexingService,
        after_sessions: AfterSessions,
    ) -> None:
        """Use the given services."""
        self._consolidation = consolidation
        self._drafting = drafting
        self._indexing = indexing
        self._after_sessions = after_sessions

    def __call__(self, payload: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
        """Consolidate, then wait until all of it can be found; the payload's `report` is part of the result.

        Works that nobody kept become drafts; a heavy session has a dream run over what it wrote.
        """
        through: Mapping[str, int] = payload.get("through", {})
        expected = max(int(payload.get("turns", 0)), 1)
        total = Consolidated()
        drafts = sum(self._drafts(ScopeKey(scope)) for scope in through)
        for scope, newest in through.items():
            done_before = total.turns

            def report(turns: int, *, before: int = done_before) -> None:
                progress(min((before + turns) / expected, 0.99))

            done = self._consolidation.run(ScopeKey(scope), through=newest, on_batch=report, job_id=payload.get(JOB_ID))
            total = total.plus(done)
        self._indexing.apply_due()
        for scope in through:
            self._after_sessions.ask_if_heavy(ScopeKey(scope))
        return {**asdict(total), **({"drafts": drafts} if drafts else {}), **payload.get("report", {})}

    def _drafts(self, scope: ScopeKey) -> int:
        """Drafts first: words that were consolidated may be gone at any time. They never hold up a consolidation."""
        try:
            return self._drafting.keep(scope)
        except MemoryCoreError as error:
            log.warning("drafts.failed", error=type(error).__name__)
            return 0


class DreamHandler:
    """Does a run; the payload is `{"run", "scope", "dryRun", "cause"}`."""

    def __init__(self, dreams: DreamService, *, kind: JobKind, indexing: IndexingService) -> None:
        """Do runs of one kind with the given services."""
        self._dreams = dreams
        self._kind = kind
        self._indexing = indexing

    def __call__(self, payload: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
        """Do the run, then wait until the index shows it."""
        scope = payload.get("scope")
        request = RunRequest(
            run_id=payload["run"],
            kind=self._kind,
            scope=ScopeKey(scope) if scope else None,
            dry_run=bool(payload.get("dryRun")),
            cause=str(payload.get("cause", "request")),
        )
        run = self._dreams.run(request, on_progress=progress)
        self._indexing.apply_due()
        return {
            "runId": run.id,
            "reviewed": run.reviewed,
            "counts": run.counts,
            "tokens": run.tokens,
            "calls": run.calls,
        }


class CreativeHandler:
    """Keeps a made thing; the payload `{"jobId"}` names its own job, under which the request is noted."""

    def __init__(self, keeper: ArtifactKeeper, *, indexing: IndexingService) -> None:
        """Use the given services."""
        self._keeper = keeper
        self._indexing = indexing

    def __call__(self, payload: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
        """Keep it, then wait until it can be found."""
        kept = self._keeper.keep(JobId(payload[JOB_ID]), progress)
        self._indexing.apply_due()
        return {"revision": kept.revision, "isNewRevision": kept.is_new_revision}


class HousekeepingHandler:
    """Tidies; the payload is empty."""

    def __init__(self, housekeeping: Housekeeping) -> None:
        """Use the given service."""
        self._housekeeping = housekeeping

    def __call__(self, payload: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
        """Tidy once."""
        del payload, progress
        return asdict(self._housekeeping.run())


def handlers(
    consolidate: ConsolidationHandler,
    *,
    indexing: IndexingService,
    keeper: ArtifactKeeper,
    housekeeping: Housekeeping,
    dreams: DreamService,
) -> Mapping[JobKind, Handler]:
    """The handler of every kind."""
    return {
        JobKind.CONSOLIDATE: consolidate,
        JobKind.IMPORT: consolidate,
        JobKind.DREAM: DreamHandler(dreams, kind=JobKind.DREAM, indexing=indexing),
        JobKind.DEDUPLICATE: DreamHandler(dreams, kind=JobKind.DEDUPLICATE, indexing=indexing),
        JobKind.CREATIVE: CreativeHandler(keeper, indexing=indexing),
        JobKind.HOUSEKEEPING: HousekeepingHandler(housekeeping),
    }
