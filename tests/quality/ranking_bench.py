"""The recall bench's conversations as the product keeps them: captured, embedded, searched exactly, pooled.

A bench folder holds one folder a conversation: `transcript.jsonl` (import lines) and `questions.jsonl` (question, gold
message keys, time). Nothing of it may stand in this project; what is derived from it stays in memory.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memory_core.capture.statements import Candidate, Utterance, extract
from memory_core.ports import Embedder
from memory_core.recall.features import WINDOW, Contender, measure
from memory_core.recall.finding import CANDIDATES
from memory_core.recall.plan import plan
from memory_core.recall.pool import KEYWORD_SHARE, NEIGHBOURED, POOLED
from memory_core.recall.scoring import Setting, setting_of
from memory_core.values import Embedding, MemoryId, Origin
from memory_core.vectors import passage_text
from tests.quality.single_facts import FactStore

Table = npt.NDArray[np.float64]

_ZONE = "UTC"
_TOLD_AT, _ASKED_AT = datetime(2026, 3, 3, 9, tzinfo=UTC), datetime(2026, 3, 5, 18, tzinfo=UTC)
_QUIET = timedelta(hours=1)
"""A longer pause begins a session, as the service's default has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One utterance of a transcript."""

    key: str
    session: int
    speaker: str
    role: Origin
    at: datetime
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with the keys of the utterances that answer it."""

    text: str
    category: str
    gold: frozenset[str]
    asked_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A transcript and what is asked of it; `asker` is who says "I" in the questions."""

    name: str
    lines: tuple[Line, ...]
    questions: tuple[Question, ...]
    asker: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked:
    """A question measured against a store.

    Attributes:
        table: Its feature table.
        keys: The source of each row.
        gold: The keys that answer it.
        cosines, found, pieces: See `setting_of`.
    """

    table: Table
    keys: tuple[str, ...]
    gold: frozenset[str]
    category: str
    cosines: tuple[float | None, ...]
    found: tuple[float, ...]
    pieces: int

    def setting(self, weights: Table) -> Setting:
        """The question as a whole, its best memory being the one that these weights rank first."""
        best = int((self.table @ weights).argmax())
        return setting_of(self.cosines, best=best, found=self.found, pieces=self.pieces)

    def gold_rows(self) -> npt.NDArray[np.int64]:
        """Rows of the table that answer."""
        return np.array([row for row, key in enumerate(self.keys) if key in self.gold], dtype=np.int64)


def read_conversations(folder: Path) -> list[Conversation]:
    """All conversations of a bench folder, by name."""
    return [_conversation(path) for path in sorted(folder.iterdir()) if (path / "questions.jsonl").exists()]


def _conversation(path: Path) -> Conversation:
    lines: list[Line] = []
    for entry in _entries(path / "transcript.jsonl"):
        at = datetime.fromisoformat(entry["at"])
        is_new = not lines or at - lines[-1].at > _QUIET
        session = (lines[-1].session if lines else 0) + is_new
        role = Origin(entry["role"])
        lines.append(
            Line(
                key=entry["messageKey"],
                session=session,
                speaker=entry["speaker"],
                role=role,
                at=at,
                text=entry["text"],
            )
        )
    questions = tuple(
        Question(
            text=entry["question"],
            category=entry["category"],
            gold=frozenset(entry["gold"]),
            asked_at=datetime.fromisoformat(entry["askedAt"]),
        )
        for entry in _entries(path / "questions.jsonl")
    )
    return Conversation(name=path.name, lines=tuple(lines), questions=questions)


def of_facts(store: FactStore) -> Conversation:
    """A store of single facts as a conversation of one session; questions that nothing answers have no gold."""
    lines = tuple(
        Line(key=str(number), session=1, speaker=store.name, role=Origin.USER, at=_TOLD_AT, text=fact)
        for number, fact in enumerate(store.facts)
    )
    asked = [(text, frozenset({str(number)})) for number, text in enumerate(store.asked)]
    asked += [(text, frozenset[str]()) for text in store.absent]
    questions = tuple(
        Question(text=text, category="answered" if gold else "absent", gold=gold, asked_at=_ASKED_AT)
        for text, gold in asked
    )
    return Conversation(name=store.name, lines=lines, questions=questions, asker=store.name)


def _entries(path: Path) -> Iterator[dict[str, str]]:
    for line in path.read_text().splitlines():
        yield json.loads(line)


class Store:
    """The memories of one conversation.

    Attributes:
        speakers: Who said them, with how many turns each.
    """

    def __init__(self, conversation: Conversation, embedder: Embedder) -> None:
        self.speakers = Counter(line.speaker for line in conversation.lines)
        self._embedder = embedder
        self._asker = conversation.asker
        captured = list(_capture(conversation.lines))
        texts = [passage_text(candidate.text, speaker=candidate.speaker) for _, candidate in captured]
        embeddings = embedder.embed_passages(texts)
        self._keys = [line.key for line, _ in captured]
        self._contenders = _contenders(captured, embeddings)
        self._alone = [one._replace(session=None) for one in self._contenders]
        self._by_place = {(one.session, one.place): row for row, one in enumerate(self._contenders)}
        self._dense = np.stack([embedding.dense for embedding in embeddings])
        self._postings: dict[int, list[tuple[int, float]]] = defaultdict(list)
        for row, embedding in enumerate(embeddings):
            for number, weight in zip(embedding.sparse.indices, embedding.sparse.values, strict=True):
                self._postings[number].append((row, weight))

    def __len__(self) -> int:
        return len(self._contenders)

    def ask(self, question: Question, *, alone: bool = False) -> Asked:
        """Measure the pool of a question.

        Args:
            question: May be one that another conversation answers.
            alone: As if every memory had been stored by a tool, without a session.
        """
        read = plan(question.text, asked_at=question.asked_at, zone=_ZONE, speakers=self.speakers, asker=self._asker)
        query = self._embedder.embed_query(question.text, quiet=read.quiet, reading=read.reading)
        rows, cosines = self._pool(query, reach=() if alone else tuple(WINDOW))
        contenders = self._alone if alone else self._contenders
        return Asked(
            table=measure(query, [contenders[row] for row in rows], plan=read),
            keys=tuple(self._keys[row] for row in rows),
            gold=question.gold,
            category=question.category,
            cosines=tuple(map(cosines.get, rows)),
            found=tuple(cosines.values()),
            pieces=len(query.tokens),
        )

    def _pool(self, query: Embedding, *, reach: Sequence[int]) -> tuple[list[int], dict[int, float]]:
        """What `recall.pool` would gather, with exact search in place of the index; and what dense search found."""
        keywords = self._keyword_scores(query)
        dense = self._dense @ query.dense
        cosines = {int(row): float(dense[row]) for row in np.argsort(-dense, kind="stable")[:CANDIDATES]}
        hits = set(cosines)
        hits |= {int(row) for row in np.argsort(-keywords, kind="stable")[:CANDIDATES] if keywords[row] > 0}
        first = {row: self._late(query, row) + KEYWORD_SHARE * float(keywords[row]) for row in sorted(hits)}
        best = sorted(first, key=lambda row: first[row], reverse=True)[:POOLED]
        beside = {
            self._by_place.get((self._contenders[row].session, self._contenders[row].place + step))
            for row in best[:NEIGHBOURED]
            for step in reach
        }
        return sorted({*best, *(row for row in beside if row is not None)}), cosines

    def _late(self, query: Embedding, row: int) -> float:
        tokens = self._contenders[row].tokens
        return float((query.tokens @ tokens.T).max(axis=1).sum()) if len(tokens) and len(query.tokens) else 0.0

    def _keyword_scores(self, query: Embedding) -> Table:
        scores = np.zeros(len(self))
        for number in query.sparse.indices:
            postings = self._postings.get(number, [])
            rarity = np.log1p((len(self) - len(postings) + 0.5) / (len(postings) + 0.5))
            for row, weight in postings:
                scores[row] += rarity * weight
        return scores


def _capture(lines: Sequence[Line]) -> Iterator[tuple[Line, Candidate]]:
    previous: Line | None = None
    for line in lines:
        heard = previous.text if previous is not None and previous.session == line.session else None
        utterance = Utterance(
            role=line.role,
            speaker=line.speaker,
            text=line.text,
            said_at=line.at,
            timezone=_ZONE,
            previous_text=heard,
            shared=True,
        )
        for candidate in extract(utterance):
            yield line, candidate
        previous = line


def _contenders(captured: Sequence[tuple[Line, Candidate]], embeddings: Sequence[Embedding]) -> list[Contender]:
    places: Counter[int] = Counter()
    contenders: list[Contender] = []
    for number, ((line, candidate), embedding) in enumerate(zip(captured, embeddings, strict=True)):
        contenders.append(
            Contender(
                memory_id=MemoryId(str(number)),
                text=candidate.text,
                speaker=candidate.speaker,
                session=line.session,
                place=places[line.session],
                said_at=line.at,
                event_at=candidate.event_at or line.at,
                event_until=candidate.event_until,
                tokens=embedding.tokens,
                keywords=embedding.sparse,
            )
        )
        places[line.session] += 1
    return contenders
