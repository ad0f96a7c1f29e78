"""Long works that the agent made and didn't keep become drafts once their session is over."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import takewhile
from uuid import UUID, uuid5

import structlog
from sqlmodel import Session as DbSession

from memory_core.creative.capturing import CaptureRequest, CapturingService
from memory_core.creative.works import Work, is_kept, lines_of, work_in
from memory_core.errors import Conflict, Corrupt, NotFound
from memory_core.models.turn import Turn
from memory_core.ports import ArtifactStore, Clock
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.store.jobs import JobRepository
from memory_core.store.unsaved import UnsavedRepository
from memory_core.values import JobId, Scope, ScopeKey

MOST_DRAFTS = 5
"""Of one pass; the newest ones count."""
DRAFT_TAG = "draft"
DRAFTS_SPACE = "drafts"
"""Where drafts lie unless the setting `space` says otherwise."""
_IDS = UUID("a1d6b7f0-5a0e-4c1b-9a55-2f0c9d1e7a30")
"""Names the jobs of drafts: the same answer always has the same."""
_LOOKED_AT = 40
"""Most long answers of one pass."""
_COMPARED = 60
"""Kept contents that a work is compared with."""
_COMPARED_BYTES = 256 * 1024
_REACH = timedelta(days=7)
"""Sessions that were over earlier are left alone: their words are gone, unless the context engine keeps them."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A work, the answer it stands in, and who asked for it."""

    work: Work
    answer: Turn
    speaker: str | None


class DraftingService:
    """Keeps as drafts what would be lost with the words of a session."""

    def __init__(
        self,
        database: Database,
        *,
        capturing: CapturingService,
        store: ArtifactStore,
        clock: Clock,
        settings: Settings,
    ) -> None:
        """Use the given parts."""
        self._database = database
        self._capturing = capturing
        self._store = store
        self._clock = clock
        self._settings = settings

    def keep(self, scope: ScopeKey) -> int:
        """Owe the keeping of works that stand in sessions that are over and that nobody kept; returns how many.

        A draft is made once for each answer: whoever forgets it doesn't get it back.

        Raises:
            Unavailable: the tables or the artifact store are away; a repeat goes on from there.
        """
        with self._database.reading() as db:
            works = self._works(db, scope)
        if not works:
            return 0
        unsaved = _unsaved(works, kept=self._kept(scope))
        # The oldest first: of two with one title the later is the newer revision.
        made = sum(self._draft(found) for found in reversed(unsaved))
        if made:
            log.info("drafts.kept", count=made)
        return made

    def _works(self, db: DbSession, scope: ScopeKey) -> list[_Found]:
        """Works of answers behind the last one that became a draft, newest first."""
        now = self._clock.now()
        idle = timedelta(seconds=self._settings.capture.idle_consolidation_timeout_s)
        unsaved, jobs = UnsavedRepository(db), JobRepository(db)
        answers = unsaved.long_answers(scope, since=now - _REACH, quiet_since=now - idle, limit=_LOOKED_AT)
        works: list[_Found] = []
        for answer in takewhile(lambda one: jobs.get(_job_of(one)) is None, answers):
            question = unsaved.question(answer)
            if work := work_in(answer.text or "", asked=(question.text or "") if question else ""):
                works.append(_Found(work=work, answer=answer, speaker=question.speaker if question else None))
        return works

    def _kept(self, scope: ScopeKey) -> list[frozenset[str]]:
        with self._database.reading() as db:
            checksums = UnsavedRepository(db).kept(scope, most_bytes=_COMPARED_BYTES, limit=_COMPARED)
        contents: list[frozenset[str]] = []
        for checksum in checksums:
            try:
                contents.append(lines_of(self._store.get(checksum).decode()))
            except (NotFound, Corrupt):  # of an earlier revision, or damaged: it can't stand in for the work
                continue
        return contents

    def _draft(self, found: _Found) -> bool:
        answer, work = found.answer, found.work
        key = ScopeKey(answer.scope_key)
        scope = Scope(reads=(key,), writes=key, space=answer.space, speaker=found.speaker)
        request = CaptureRequest(
            title=work.title,
            content=work.content,
            creative_project=self._settings.identity.project,
            project=self._settings.capture.space or DRAFTS_SPACE,
            kind=work.kind,
            tags=(DRAFT_TAG,),
        )
        try:
            return self._capturing.capture(scope, request, job_id=_job_of(answer)).job_id is not None
        except Conflict:  # another pass was faster
            return False


def _unsaved(works: Sequence[_Found], *, kept: Sequence[frozenset[str]]) -> list[_Found]:
    """The newest works that stand in no kept one and in no later one."""
    chosen: list[_Found] = []
    known = list(kept)
    for found in works:
        if len(chosen) == MOST_DRAFTS:
            break
        if not any(is_kept(found.work.content, in_other=lines) for lines in known):
            chosen.append(found)
            known.append(lines_of(found.work.content))
    return chosen


def _job_of(answer: Turn) -> JobId:
    return JobId(str(uuid5(_IDS, str(answer.id))))
