"""Finds stored memories that a proposal may repeat, refine or replace; outside of any transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import structlog

from memory_core.capture.decisions import IN_FORCE, Finding, Stored, findings, may_be_compared, statement_of
from memory_core.capture.proposals import Proposal, statement_in
from memory_core.claims.probes import probes
from memory_core.claims.reading import Reading, read
from memory_core.claims.statement import Verdict
from memory_core.errors import Unavailable
from memory_core.models.memory import Memory, MemoryVector
from memory_core.ports import Embedder, VectorIndex
from memory_core.store.database import Database
from memory_core.store.memories import MemoryRepository
from memory_core.values import Embedding, MemoryId, PointFilter, ScopeKey
from memory_core.vectors import StoredVectors, from_stored

NEAREST = 16
"""Best of dense and best of keyword search that are compared with a proposal, for each of its questions."""
NEWEST = 60
"""Memories written last, compared with every proposal: the index may not have learned them yet."""

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Readings:
    """Statements that were read, so that none is read twice in a batch; never outlives it."""

    _read: dict[tuple[str, str], Reading] = field(default_factory=dict[tuple[str, str], Reading])

    def of(self, memory: Memory) -> Reading:
        """A stored memory, read as it now stands."""
        key = (memory.id, memory.text)
        if key not in self._read:
            self._read[key] = read(statement_of(memory))
        return self._read[key]


@dataclass(slots=True, kw_only=True)
class Batch:
    """Proposals that are written in one transaction, with all that had to be found out before it.

    Attributes:
        proposals, vectors: In the order of writing.
        candidates: Proposals, read.
        related: Memories to compare each with.
        rests: New texts of memories of which a part is to go.
        written: Memories that this batch added, by scope.
    """

    proposals: Sequence[Proposal]
    vectors: Sequence[MemoryVector]
    candidates: list[Reading] = field(default_factory=list[Reading])
    related: list[list[MemoryId]] = field(default_factory=list[list[MemoryId]])
    rests: dict[tuple[str, str], MemoryVector] = field(default_factory=dict[tuple[str, str], MemoryVector])
    written: dict[ScopeKey, list[Memory]] = field(default_factory=dict[ScopeKey, list[Memory]])
    readings: Readings = field(default_factory=Readings)


class Relatives:
    """Searches the index and the newest rows."""

    def __init__(self, database: Database, *, index: VectorIndex, embedder: Embedder) -> None:
        """Use the given parts."""
        self._database = database
        self._index = index
        self._embedder = embedder

    def prepare(self, batch: Batch) -> list[tuple[Memory, str]]:
        """Read the proposals and note what each is to be compared with.

        An index that is away is no error: what it would have found is left to the dream run.

        Returns:
            Memories of which only a part is out of date, as far as can be seen now, each with the text that still
            holds; their vectors are needed if it is so when the batch is written.
        """
        batch.candidates = [read(statement_in(proposal)) for proposal in batch.proposals]
        batch.related = self._related(batch)
        return self._rests(batch)

    def _related(self, batch: Batch) -> list[list[MemoryId]]:
        newest = self._newest({proposal.scope for proposal in batch.proposals})
        near = self._near(batch)
        return [
            list(dict.fromkeys([*found, *newest[proposal.scope]]))
            for proposal, found in zip(batch.proposals, near, strict=True)
        ]

    def _newest(self, scopes: set[ScopeKey]) -> dict[ScopeKey, list[MemoryId]]:
        with self._database.reading() as db:
            memories = MemoryRepository(db)
            return {scope: memories.newest_ids(scope, limit=NEWEST) for scope in scopes}

    def _near(self, batch: Batch) -> list[list[MemoryId]]:
        found: list[list[MemoryId]] = [[] for _ in batch.proposals]
        try:
            for place, (proposal, vector) in enumerate(zip(batch.proposals, batch.vectors, strict=True)):
                found[place] = self._search(proposal.scope, self._questions(vector, batch.candidates[place]))
        except Unavailable as error:
            log.info("capture.relatives_unsearched", reason=error.code)
        return found

    def _questions(self, vector: MemoryVector, candidate: Reading) -> list[Embedding]:
        own = from_stored(
            StoredVectors(
                dense=vector.dense, tokens=vector.tokens, token_width=vector.token_width, keywords=vector.keywords
            )
        )
        return [own, *(self._embedder.embed_query(question) for question in probes(candidate))]

    def _search(self, scope: ScopeKey, questions: Sequence[Embedding]) -> list[MemoryId]:
        where = PointFilter(scopes=(scope,), statuses=IN_FORCE)
        hits = [hit for question in questions for hit in self._index.search(question, where=where, limit=NEAREST)]
        return list(dict.fromkeys(hit.memory_id for hit in hits))

    def _rests(self, batch: Batch) -> list[tuple[Memory, str]]:
        wanted: dict[tuple[str, str], tuple[Memory, str]] = {}
        with self._database.reading() as db:
            for place, proposal in enumerate(batch.proposals):
                rows = MemoryRepository(db).by_ids(batch.related[place], scopes=[proposal.scope])
                for finding in compared(batch, place, rows=list(rows.values())):
                    rest = finding.comparison.rest
                    if finding.comparison.verdict is Verdict.REPLACES and finding.is_newer and rest:
                        wanted[finding.memory.id, rest] = (finding.memory, rest)
        return list(wanted.values())


def compared(batch: Batch, place: int, *, rows: Sequence[Memory]) -> list[Finding]:
    """What a proposal of a batch is to memories, as far as it is anything."""
    stored = [Stored(memory=row, reading=batch.readings.of(row)) for row in rows if may_be_compared(row)]
    return findings(batch.candidates[place], stored)
