"""Statements on what hangs on memories: what says the same, sums them up, or was said in the same exchange."""

from collections.abc import Collection, Iterator, Sequence
from typing import TypeVar

from sqlalchemy import or_
from sqlmodel import Session as DbSession
from sqlmodel import col, select

from memory_core.models.artifact import Artifact, ArtifactCapture, ArtifactRevision
from memory_core.models.dream import DreamChange
from memory_core.models.link import Link
from memory_core.models.memory import Memory, MemoryRevision, MemorySource
from memory_core.models.turn import Turn
from memory_core.values import LinkKind, ScopeKey

_BATCH = 400
_MERGE = "merge"
_Id = TypeVar("_Id", int, str)


class DerivativeRepository:
    """Reads within one transaction; every read names the scopes that it may see."""

    def __init__(self, session: DbSession, *, scopes: Sequence[ScopeKey]) -> None:
        """Read what lies in the scopes."""
        self._db = session
        self._scopes = list(scopes)

    def of_text_keys(self, text_keys: Collection[str]) -> list[Memory]:
        """Memories of any status that say one of the texts."""
        return [
            memory
            for batch in _batches(text_keys)
            for memory in self._db.exec(
                select(Memory).where(col(Memory.scope_key).in_(self._scopes), col(Memory.text_key).in_(batch))
            )
        ]

    def summaries(self, memory_ids: Collection[str]) -> set[str]:
        """Ids at the other end of edges that say "derived from" one of the memories."""
        return {
            source
            for batch in _batches(memory_ids)
            for source in self._db.exec(
                select(Link.source_id).where(
                    col(Link.scope_key).in_(self._scopes),
                    Link.kind == LinkKind.DERIVED_FROM,
                    col(Link.target_id).in_(batch),
                )
            )
        }

    def merged(self, memory_ids: Collection[str]) -> set[tuple[str, str]]:
        """Pairs that a dream run made one, of which any of these is one side."""
        found: set[tuple[str, str]] = set()
        for batch in _batches(memory_ids):
            statement = select(DreamChange.memory_id, DreamChange.other_id).where(
                DreamChange.op == _MERGE,
                DreamChange.state == "applied",
                or_(col(DreamChange.memory_id).in_(batch), col(DreamChange.other_id).in_(batch)),
            )
            found.update((one, other) for one, other in self._db.exec(statement) if other is not None)
        return found

    def exchanges(self, turn_ids: Collection[int]) -> list[Turn]:
        """Both halves of the exchanges that the turns are of."""
        keys = {
            (turn.scope_key, turn.agent_id, turn.session_key, turn.turn_key)
            for batch in _batches(turn_ids)
            for turn in self._db.exec(
                select(Turn).where(col(Turn.id).in_(batch), col(Turn.scope_key).in_(self._scopes))
            )
        }
        turn_keys = {key[3] for key in keys}
        return [
            turn
            for batch in _batches(turn_keys)
            for turn in self._db.exec(
                select(Turn).where(col(Turn.scope_key).in_(self._scopes), col(Turn.turn_key).in_(batch))
            )
            if (turn.scope_key, turn.agent_id, turn.session_key, turn.turn_key) in keys
        ]

    def from_turns(self, turn_ids: Collection[int]) -> list[tuple[str, int]]:
        """Memories that came from any of the turns, each with the turn."""
        return [
            (memory_id, turn_id)
            for batch in _batches(turn_ids)
            for memory_id, turn_id in self._db.exec(
                select(MemorySource.memory_id, MemorySource.turn_id).where(col(MemorySource.turn_id).in_(batch))
            )
            if turn_id is not None
        ]

    def revisions(self, *, of: Collection[str] | None = None) -> Iterator[MemoryRevision]:
        """Earlier wordings of memories of the scopes, of all of them when none are named."""
        statement = select(MemoryRevision).join(Memory, col(Memory.id) == col(MemoryRevision.memory_id))
        statement = statement.where(col(Memory.scope_key).in_(self._scopes))
        if of is None:
            yield from self._db.exec(statement)
            return
        for batch in _batches(of):
            yield from self._db.exec(statement.where(col(MemoryRevision.memory_id).in_(batch)))

    def artifacts(self) -> list[Artifact]:
        """Every made thing."""
        return list(self._db.exec(select(Artifact).where(col(Artifact.scope_key).in_(self._scopes))))

    def artifact_revisions(self) -> list[ArtifactRevision]:
        """Every version of the made things."""
        statement = select(ArtifactRevision).join(Artifact, col(Artifact.id) == col(ArtifactRevision.artifact_id))
        return list(self._db.exec(statement.where(col(Artifact.scope_key).in_(self._scopes))))

    def waiting_captures(self) -> list[ArtifactCapture]:
        """Requests to keep something that aren't done."""
        statement = select(ArtifactCapture).where(
            col(ArtifactCapture.scope_key).in_(self._scopes), col(ArtifactCapture.artifact_id).is_(None)
        )
        return list(self._db.exec(statement))


def _batches(values: Collection[_Id]) -> Iterator[list[_Id]]:
    ordered = sorted(values)
    for start in range(0, len(ordered), _BATCH):
        yield ordered[start : start + _BATCH]
