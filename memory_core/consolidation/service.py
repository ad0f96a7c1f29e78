"""One pass over a scope's buffered turns: statements out of words, exactly once however often it is tried."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from uuid import UUID, uuid5

import structlog

from memory_core.capture.extraction import ExtractionRun, Extractor, RuleExtractor
from memory_core.capture.proposals import Outcome, Proposal
from memory_core.capture.relatives import Batch
from memory_core.capture.statements import Candidate, Utterance, extract, place_of
from memory_core.capture.writing import MemoryWriter
from memory_core.consolidation.corrections import LOOKED_BACK, joined
from memory_core.errors import MemoryCoreError
from memory_core.identity import PERSONAL_SPACE
from memory_core.models.turn import Turn
from memory_core.ports import Clock
from memory_core.settings import CaptureSettings
from memory_core.store.database import Database
from memory_core.store.turns import TurnRepository
from memory_core.values import Decision, MemoryId, MemoryKind, Origin, ScopeKey

log = structlog.get_logger(__name__)

BATCH_TURNS = 64
"""Turns of one transaction: bounds what is embedded at once and what a kill makes us do again."""
_PIECES = 64
"""Most statements that one turn can yield; keeps positions within a session in order."""
_NAMESPACE = UUID("5f0c3f9e-6d0e-5a53-9a5e-3f1d8c1b7461")
"""Names the ids of consolidated memories: the same turn and piece always make the same id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidated:
    """What a pass did.

    Attributes:
        turns: Turns that were taken.
        added: New memories, also those that took the place of others.
        updated: Memories that got other words: more detail, or a part that holds no longer taken out.
        superseded: Memories that others took the place of.
        repeated: Statements that were known.
        rejected: Statements that may not be learned again.
        flagged: Memories that a new one is in conflict with.
    """

    turns: int = 0
    added: int = 0
    updated: int = 0
    superseded: int = 0
    repeated: int = 0
    rejected: int = 0
    flagged: int = 0

    def plus(self, other: "Consolidated") -> "Consolidated":
        """Both passes together."""
        return Consolidated(**{name: number + getattr(other, name) for name, number in asdict(self).items()})


class ConsolidationService:
    """Turns buffered turns into memories."""

    def __init__(
        self,
        database: Database,
        *,
        writer: MemoryWriter,
        clock: Clock,
        extractor: Extractor | None = None,
        settings: CaptureSettings | None = None,
    ) -> None:
        """Use the given parts; without an extractor statements are found the model-free way."""
        self._database = database
        self._writer = writer
        self._clock = clock
        self._extractor = extractor or RuleExtractor()
        self._settings = settings or CaptureSettings()

    def run(
        self, scope: ScopeKey, *, through: int, on_batch: Callable[[int], None], job_id: str | None = None
    ) -> Consolidated:
        """Consolidate what waits in a scope up to a turn number, in batches that are each done whole or not at all.

        Args:
            scope: Whose turns.
            through: Number of the newest turn to take.
            on_batch: Called after each commit with the number of turns done so far.
            job_id: The job that this is, to be noted beside what it writes.

        Raises:
            Unavailable: the embedder, the database or a model that is required is away; what was committed stays, a
                repeat goes on from there.
        """
        total = Consolidated()
        extraction = self._extractor.begin(scope)
        while batch := self._batch(scope, through=through, extraction=extraction, job_id=job_id):
            total = total.plus(batch)
            on_batch(total.turns)
        return total

    def _batch(
        self, scope: ScopeKey, *, through: int, extraction: ExtractionRun, job_id: str | None
    ) -> Consolidated | None:
        with self._database.reading() as db:
            turns = TurnRepository(db)
            waiting = turns.range_to_consolidate(scope, through=through, limit=BATCH_TURNS)
            before = turns.turns_before(waiting[0], limit=LOOKED_BACK) if waiting else []
        if not waiting:
            return None
        proposals = _proposals(waiting, before=before, extraction=extraction)
        prepared = self._writer.prepare(
            [
                replace(proposal, job_id=job_id, tags=self._settings.tags, space=self._space_of(proposal))
                for proposal in proposals
            ]
        )
        return self._commit(waiting, batch=prepared)

    def _space_of(self, proposal: Proposal) -> str:
        """The operator's space in place of the usual one; a room's own stays, it tells which room."""
        own = self._settings.space
        return own if own and proposal.space == PERSONAL_SPACE else proposal.space

    def _commit(self, turns: Sequence[Turn], *, batch: Batch) -> Consolidated:
        now = self._clock.now()
        ids = [turn.id or 0 for turn in turns]
        with self._database.transaction() as db:
            if TurnRepository(db).mark_consolidated(ids, at=now) != len(ids):
                db.rollback()  # another run took a part of this range, or words were forgotten meanwhile: read again
                return Consolidated()
            outcomes = self._writer.write(db, batch=batch, now=now)
            return _counted(outcomes, turns=len(ids))


def _counted(outcomes: Sequence[Outcome], *, turns: int) -> Consolidated:
    decisions = [outcome.decision for outcome in outcomes]
    return Consolidated(
        turns=turns,
        added=sum(outcome.is_new for outcome in outcomes),
        updated=sum(len(outcome.revised) for outcome in outcomes),
        superseded=sum(len(outcome.superseded) for outcome in outcomes),
        repeated=decisions.count(Decision.SKIP_DUPLICATE),
        rejected=decisions.count(Decision.REJECT),
        flagged=sum(len(outcome.flagged) for outcome in outcomes),
    )


def _proposals(turns: Sequence[Turn], *, before: Sequence[Turn], extraction: ExtractionRun) -> list[Proposal]:
    right = _corrections([*before, *turns])
    found = _candidates(_utterances(turns, before=before[-1] if before else None, right=right), extraction)
    return [
        _proposal(turn, replace(candidate, kind=MemoryKind.CORRECTION) if turn.id in right else candidate)
        for turn, candidates in zip(turns, found, strict=True)
        for candidate in candidates[:_PIECES]
    ]


def _candidates(utterances: Sequence[Utterance], extraction: ExtractionRun) -> Sequence[Sequence[Candidate]]:
    """What the extraction finds; where it breaks down, the rules read each utterance by itself and never raise."""
    try:
        return extraction.candidates(utterances)
    except MemoryCoreError:
        raise
    except Exception as error:  # noqa: BLE001 whatever it is, no turn may hold up its scope
        log.error("consolidation.extraction_broke", error=type(error).__name__, at=place_of(error))  # noqa: TRY400
        return [extract(utterance) for utterance in utterances]


def _corrections(turns: Sequence[Turn]) -> dict[int | None, str]:
    """What turns say that are only corrections, by number."""
    sessions: dict[int, list[Turn]] = {}
    right: dict[int | None, str] = {}
    for turn in turns:
        earlier = sessions.setdefault(turn.session_id, [])
        if text := joined(turn, earlier=earlier):
            right[turn.id] = text
        earlier.append(turn)
    return right


def _utterances(turns: Sequence[Turn], *, before: Turn | None, right: Mapping[int | None, str]) -> list[Utterance]:
    utterances: list[Utterance] = []
    previous = before
    for turn in turns:
        same_session = previous is not None and previous.session_id == turn.session_id
        utterance = Utterance(
            role=Origin(turn.role),
            speaker=turn.speaker,
            text=right.get(turn.id, turn.text or ""),
            said_at=turn.said_at,
            timezone=turn.timezone,
            previous_text=previous.text if previous is not None and same_session and turn.id not in right else None,
            shared=turn.space != PERSONAL_SPACE,
        )
        utterances.append(utterance)
        previous = turn
    return utterances


def _proposal(turn: Turn, candidate: Candidate) -> Proposal:
    return Proposal(
        memory_id=MemoryId(str(uuid5(_NAMESPACE, f"{turn.id}:{candidate.position}"))),
        scope=ScopeKey(turn.scope_key),
        space=turn.space,
        text=candidate.text,
        kind=candidate.kind,
        origin=candidate.origin,
        speaker=candidate.speaker,
        said_at=turn.said_at,
        event_at=candidate.event_at,
        event_until=candidate.event_until,
        imported=turn.imported,
        turn=(turn.id or 0, turn.turn_key),
        session_id=turn.session_id,
        position=(turn.id or 0) * _PIECES + candidate.position,
        made_by=candidate.made_by,
    )
