"""What goes with chosen memories: copies, summaries, answers that took them up, and the words they came from."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlmodel import Session as DbSession

from memory_core.forgetting.matching import Statements, is_copy, is_echo, without
from memory_core.models.memory import Memory
from memory_core.models.turn import Turn
from memory_core.store.artifacts import ArtifactRepository
from memory_core.store.derivatives import DerivativeRepository
from memory_core.store.memories import MemoryRepository
from memory_core.store.turns import TurnRepository
from memory_core.values import MemoryId, MemoryKind, Origin, ScopeKey

_ROUNDS = 5
"""How far a chain is followed: a copy of a summary of a copy ends well before."""


@dataclass(slots=True, kw_only=True)
class Reach:
    """Everything that one act of forgetting takes.

    Attributes:
        chosen: Memories that were asked for, with the passages of their artifacts.
        derived: Memories that go because of those.
        artifact_ids: Made things that go whole.
        turns: Turns whose words go.
        cuts: Of turns that wait for consolidation, the sentences that stay.
        wordings: Earlier wordings of memories that stay.
    """

    chosen: dict[MemoryId, Memory]
    derived: dict[MemoryId, Memory] = field(default_factory=dict[MemoryId, Memory])
    artifact_ids: list[str] = field(default_factory=list[str])
    turns: dict[int, Turn] = field(default_factory=dict[int, Turn])
    cuts: dict[int, str] = field(default_factory=dict[int, str])
    wordings: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    @property
    def rows(self) -> dict[MemoryId, Memory]:
        """All memories that go."""
        return self.chosen | self.derived


class ReachFinder:
    """Finds what goes together, within one transaction."""

    def __init__(self, db: DbSession, *, scopes: Sequence[ScopeKey]) -> None:
        """Look in these scopes only."""
        self._scopes = scopes
        self._memories = MemoryRepository(db)
        self._turns = TurnRepository(db)
        self._artifacts = ArtifactRepository(db)
        self._derivatives = DerivativeRepository(db, scopes=scopes)

    def find(self, memory_ids: Sequence[MemoryId], *, turn_ids: Collection[int]) -> Reach:
        """Everything that goes with the memories, and with turns that were chosen by themselves."""
        reach = Reach(chosen=self._memories.by_ids(memory_ids, scopes=self._scopes))
        reach.artifact_ids = sorted({row.artifact_id for row in reach.chosen.values() if row.artifact_id})
        parts = [MemoryId(one) for one in self._artifacts.memory_ids(reach.artifact_ids)]
        reach.chosen |= self._memories.by_ids(parts, scopes=self._scopes)
        for _ in range(_ROUNDS):
            if not (found := self._derived(reach)):
                break
            reach.derived |= found
        self._find_words(reach, turn_ids=turn_ids)
        self._find_wordings(reach)
        return reach

    def _derived(self, reach: Reach) -> dict[MemoryId, Memory]:
        # What was made has words of its own: a statement isn't a copy of the work that quotes it.
        said = {key: row for key, row in reach.rows.items() if row.part is None and row.artifact_id is None}
        found = {MemoryId(row.id): row for row in self._derivatives.of_text_keys(self._text_keys(said))}
        found |= self._summaries(said)
        found |= self._merged(said)
        found |= self._of_the_same_exchange(said)
        return {key: row for key, row in found.items() if key not in reach.rows and row.artifact_id is None}

    def _text_keys(self, said: Mapping[MemoryId, Memory]) -> set[str]:
        earlier = self._derivatives.revisions(of=said)
        return {row.text_key for row in said.values()} | {str(one.state.get("text_key")) for one in earlier}

    def _summaries(self, said: Mapping[MemoryId, Memory]) -> dict[MemoryId, Memory]:
        return {
            key: row
            for key, row in self._by_ids(self._derivatives.summaries(said)).items()
            if row.kind == MemoryKind.SUMMARY
        }

    def _merged(self, said: Mapping[MemoryId, Memory]) -> dict[MemoryId, Memory]:
        """What a dream run made one with a memory, as far as both say the same still."""
        pairs = self._derivatives.merged(said)
        rows = dict(said) | self._by_ids({one for pair in pairs for one in pair})
        found: dict[MemoryId, Memory] = {}
        for pair in pairs:
            one, other = (rows.get(MemoryId(end)) for end in pair)
            if one and other and is_copy(one.text, other.text):
                found |= {MemoryId(one.id): one, MemoryId(other.id): other}
        return found

    def _of_the_same_exchange(self, said: Mapping[MemoryId, Memory]) -> dict[MemoryId, Memory]:
        exchanges = self._derivatives.exchanges(self._memories.source_turn_ids(list(said)))
        exchange_of = {turn.id: (turn.scope_key, turn.agent_id, turn.session_key, turn.turn_key) for turn in exchanges}
        told: dict[tuple[str, ...], set[MemoryId]] = {}
        for memory_id, turn_id in self._derivatives.from_turns([turn.id or 0 for turn in exchanges]):
            told.setdefault(exchange_of[turn_id], set()).add(MemoryId(memory_id))
        rows = dict(said) | self._by_ids({one for together in told.values() for one in together - said.keys()})
        return {
            key: rows[key]
            for together in told.values()
            for key in together - said.keys()
            if key in rows and self._goes_with(rows[key], [said[one] for one in together & said.keys()])
        }

    @staticmethod
    def _goes_with(row: Memory, said: Sequence[Memory]) -> bool:
        return row.kind == MemoryKind.SUMMARY or any(_repeats(row, one) for one in said)

    def _find_words(self, reach: Reach, *, turn_ids: Collection[int]) -> None:
        statements = [row.text for row in reach.rows.values() if row.part is None and row.artifact_id is None]
        sources = self._memories.source_turn_ids(list(reach.rows))
        named = self._turns.by_ids([*turn_ids, *sources], scopes=self._scopes)
        reach.turns |= {turn.id or 0: turn for turn in named}
        answers = {turn.id or 0 for turn in self._derivatives.exchanges(sources)}
        wanted = Statements(statements)
        for turn in self._turns.with_text(self._scopes) if statements else ():
            number, text = turn.id or 0, turn.text or ""
            if number in reach.turns:
                continue
            is_meant = wanted.touch if number in answers else wanted.are_in
            if not is_meant(text):
                continue
            rest = "" if turn.consolidated_at else without(text, is_meant)
            if rest:
                reach.cuts[number] = rest
            else:
                reach.turns[number] = turn

    def _find_wordings(self, reach: Reach) -> None:
        said = {key: row for key, row in reach.rows.items() if row.part is None}
        keys = self._text_keys(said) if said else set[str]()
        if keys:
            reach.wordings |= {
                (one.memory_id, one.revision)
                for one in self._derivatives.revisions()
                if one.memory_id not in reach.rows and one.state.get("text_key") in keys
            }

    def _by_ids(self, memory_ids: Iterable[str]) -> dict[MemoryId, Memory]:
        return self._memories.by_ids([MemoryId(one) for one in sorted(memory_ids)], scopes=self._scopes)


def _repeats(row: Memory, other: Memory) -> bool:
    """Whether a memory of the same exchange says what another one says: the answer to it, or the same person again."""
    if row.origin != Origin.USER:
        return is_echo(row.text, other.text)
    return row.speaker == other.speaker and is_copy(row.text, other.text)
