"""What left the model's context and is needed again: memories in the words they came from, and words that wait."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import log

from memory_core.context.working_memory import MAX_SENTENCES, flatten, is_telling, telling_sentences
from memory_core.keywords import content_words
from memory_core.models.memory import Memory
from memory_core.recall.finding import Found
from memory_core.recall.packing import Line
from memory_core.recall.place import Place
from memory_core.store.archive import ArchivedTurn, ArchiveRepository
from memory_core.store.database import Database
from memory_core.store.memories import MemoryRepository
from memory_core.values import MemoryId, MemoryStatus, ScopeKey

LOOKED_AT_TURNS = 200
"""Newest turns among which words are looked for that aren't memory yet."""
_VERBATIM_CHARS = 400
_KEPT_HASHES = 20_000
"""Of turns that have nothing for the snapshot; about 2 MB."""
_SHARED_SHARE = 0.34
"""Of a question's words, weighed by rarity, how many a turn must hold to be brought back."""
_IN_FORCE = (MemoryStatus.ACTIVE, MemoryStatus.FLAGGED)
_NOTE = re.compile(r"\s*\[[^\]]*\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is looked for in a conversation's archive.

    Attributes:
        question: The finished query.
        found: Memories that answer, best first.
        turns: The conversation's newest archived turns, newest first.
        tail: What the model sees anyway, flattened.
        limit: Most pieces that aren't memories yet.
    """

    question: str
    found: Sequence[Found]
    turns: Sequence[ArchivedTurn]
    tail: str
    limit: int


class Archive:
    """Reads archived turns of one person's conversation."""

    def __init__(self, database: Database) -> None:
        """Use the given tables."""
        self._database = database
        self._untelling: set[int] = set()

    def sessions(self, place: Place, *, among: Collection[int]) -> frozenset[int]:
        """Which of our sessions this conversation was held in."""
        if not among:
            return frozenset()
        with self._database.reading() as db:
            archive = ArchiveRepository(db)
            return frozenset[int]().union(
                *(
                    archive.sessions(among, scope=scope, agent_id=place.agent_id, session_key=place.session_key)
                    for scope in place.scopes
                )
            )

    def newest(self, place: Place) -> list[ArchivedTurn]:
        """The newest turns of a conversation whose words are still here, newest first."""
        with self._database.reading() as db:
            archive = ArchiveRepository(db)
            return [
                turn
                for scope in place.scopes
                for turn in archive.newest(
                    scope, agent_id=place.agent_id, session_key=place.session_key, limit=LOOKED_AT_TURNS
                )
            ]

    def lines(self, place: Place, wanted: Wanted) -> list[Line]:
        """Lines of the block: memories, then turns that aren't memory yet; what the tail says is left out."""
        with self._database.reading() as db:
            ids = [MemoryId(found.memory.id) for found in wanted.found]
            sources = ArchiveRepository(db).sources(ids, scopes=place.scopes)
        lines = [
            _of_memory(found.memory, sources.get(found.memory.id))
            for found in wanted.found
            if not _is_in(wanted.tail, found.memory.text, source=sources.get(found.memory.id))
        ]
        shown = {turn.id for turn in sources.values()}
        waiting = [
            turn
            for turn in wanted.turns
            if not turn.is_memory and turn.id not in shown and not _says(wanted.tail, turn)
        ]
        return lines + [_of_turn(turn) for turn in _best(waiting, wanted.question)[: wanted.limit]]

    def memories(self, ids: Sequence[MemoryId], *, scopes: Sequence[ScopeKey]) -> list[Line]:
        """Lines of memories by id, those that are in force."""
        with self._database.reading() as db:
            rows = MemoryRepository(db).by_ids(ids, scopes=scopes)
        return [_of_memory(rows[key], None) for key in ids if key in rows and rows[key].status in _IN_FORCE]

    def snapshot(self, turns: Sequence[ArchivedTurn], *, known: str) -> list[Line]:
        """Decisions, open tasks and named values of turns, newest first, that aren't known; `known` is flattened."""
        lines: list[Line] = []
        for turn in turns:
            if len(lines) >= MAX_SENTENCES:
                break
            if not self._is_telling(turn.text):
                continue
            for sentence in telling_sentences([turn.text], known=known):
                lines.append(Line(kref=_address_of(turn), text=sentence, at=turn.said_at, speaker=_speaker(turn)))
                known += f"\n{flatten(sentence)}"
        return lines

    def _is_telling(self, text: str) -> bool:
        """As the function; most turns are not, and the same ones are looked at before each turn."""
        key = hash(text)  # no word is kept
        if key in self._untelling:
            return False
        if is_telling(text):
            return True
        if len(self._untelling) >= _KEPT_HASHES:
            self._untelling.clear()
        self._untelling.add(key)
        return False


def _best(turns: Sequence[ArchivedTurn], question: str) -> list[ArchivedTurn]:
    """Turns that share enough of the question's words, weighed by how rare those are among the turns."""
    asked = content_words(question)
    held = [(turn, content_words(turn.text) & asked) for turn in turns]
    rarity = {word: log(1 + len(held) / (1 + sum(word in words for _, words in held))) for word in asked}
    whole = sum(rarity.values())
    if whole == 0:
        return []
    scored = [(sum(rarity[word] for word in words) / whole, turn) for turn, words in held]
    return [turn for share, turn in sorted(scored, key=lambda pair: -pair[0]) if share >= _SHARED_SHARE]


def _of_memory(memory: Memory, source: ArchivedTurn | None) -> Line:
    verbatim = source.text if source is not None and len(source.text) <= _VERBATIM_CHARS else None
    return Line(
        kref=memory.kref,
        text=verbatim or memory.text,
        at=memory.valid_from or memory.event_at,
        speaker=memory.speaker,
    )


def _of_turn(turn: ArchivedTurn) -> Line:
    return Line(kref=_address_of(turn), text=turn.text[:_VERBATIM_CHARS], at=turn.said_at, speaker=_speaker(turn))


def _address_of(turn: ArchivedTurn) -> str:
    return f"turn {turn.id}"


def _speaker(turn: ArchivedTurn) -> str | None:
    return turn.speaker or turn.role


def _is_in(tail: str, text: str, *, source: ArchivedTurn | None) -> bool:
    """Whether the model sees what a memory says: in the statement's words, or in those it was drawn from."""
    said = flatten(_NOTE.sub("", text))
    return said in tail or (source is not None and _says(tail, source))


def _says(tail: str, turn: ArchivedTurn) -> bool:
    said = flatten(turn.text)
    return bool(said) and said in tail
