"""What each kind of job does. A handler may run twice: what it did the first time must do no harm the second."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from memory_core.consolidation.service import Consolidated, ConsolidationService
from memory_core.creative.capturing import JOB_ID
from memory_core.creative.keeping import ArtifactKeeper
from memory_core.indexing.service import IndexingService
from memory_core.jobs.housekeeping import Housekeeping
from memory_core.values import JobId, JobKind, ScopeKey

Progress = Callable[[float], None]
"""Takes the share that is done, 0 to 1."""
Handler = Callable[[Mapping[str, Any], Progress], dict[str, Any]]
"""Takes a job's payload, returns its result; raises Unavailable when a later try may succeed."""


class ConsolidationHandler:
    """Consolidates the scopes of a payload `{"through": {scope key: turn number}, "turns"?, "report"?}`."""

    def __init__(self, consolidation: ConsolidationService, *, indexing: IndexingService) -> None:
        """Use the given services."""
        self._consolidation = consolidation
        self._indexing = indexing

    def __call__(self, payload: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
        """Consolidate, then wait until all of it can be found; the payload's `report` is part of the result."""
        through: Mapping[str, int] = payload.get("through", {})
        expected = max(int(payload.get("turns", 0)), 1)
        total = Consolidated()
        for scope, newest in through.items():
            done_before = total.turns

            def report(turns: int, *, before: int = done_before) -> None:
                progress(min((before + turns) / expected, 0.99))

            total = total.plus(self._consolidation.run(ScopeKey(scope), through=newest, on_batch=report))
        self._indexing.apply_due()
        return {**asdict(total), **payload.get("report", {})}


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
    consolidation: ConsolidationService,
    *,
    indexing: IndexingService,
    keeper: ArtifactKeeper,
    housekeeping: Housekeeping,
) -> Mapping[JobKind, Handler]:
    """The handler of every kind."""
    consolidate = ConsolidationHandler(consolidation, indexing=indexing)
    return {
        JobKind.CONSOLIDATE: consolidate,
        JobKind.IMPORT: consolidate,
        JobKind.CREATIVE: CreativeHandler(keeper, indexing=indexing),
        JobKind.HOUSEKEEPING: HousekeepingHandler(housekeeping),
    }
