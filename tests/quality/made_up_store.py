"""Fills tables and index with many made-up memories, quickly: few texts are embedded, many vectors are made of theirs.

To embed 100,000 texts would take three quarters of an hour. So the real model embeds `EMBEDDED` distinct texts; each
memory gets one of them with a tail of its own, its keywords are the real ones of that whole text, and its vectors are
those of the text mixed with another one's and with noise. Index, tables and ranking are the real ones.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt
from sqlalchemy import insert

from memory_core.bootstrap import MemoryCore
from memory_core.identity import resolve_scope
from memory_core.keywords import keywords, weigh_document
from memory_core.models.memory import IndexChange, Memory, MemoryVector
from memory_core.models.turn import Session
from memory_core.settings import IdentitySettings
from memory_core.values import Embedding, FloatArray, ScopeKey, SessionRef
from memory_core.vectors import passage_text, to_stored
from tests.quality.made_up_lives import moments, reworded, statements

SCOPES = 50
EMBEDDED = 3000
SEED = 7461
_SPEAKERS = ("Ana", "Mika")
_SESSION_MEMORIES = 20
_CHUNK = 1000
_SHARE_OF_OTHER = 0.35
_ROWS_OF_OTHER = 3
_NOISE = 0.05


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Material:
    """Texts and their vectors, to be varied."""

    texts: Sequence[str]
    embeddings: Sequence[Embedding]
    model: str


def embed_material(core: MemoryCore) -> Material:
    """Embed the distinct texts with the model of this core; about a minute of CPU."""
    texts = statements(random.Random(SEED), EMBEDDED)
    passages = [passage_text(text, speaker=_SPEAKERS[0]) for text in texts]
    return Material(texts=texts, embeddings=core.embedder.embed_passages(passages), model=core.embedder.model)


def person(number: int) -> SessionRef:
    """One of the people whose memories these are."""
    return SessionRef(session_key=f"agent:main:speed-{number}", user_id=f"person-{number % SCOPES}")


def scope_of(number: int) -> ScopeKey:
    """Where the memories of that person are."""
    return resolve_scope(person(number), IdentitySettings()).reads[0]


def fill(core: MemoryCore, material: Material, *, size: int) -> None:
    """Write so many memories into the tables, in sessions of 20; each is due for the index."""
    scopes = [scope_of(number) for number in range(SCOPES)]
    maker = _Maker(material, scopes=scopes)
    rows = maker.rows(size)
    for start in range(0, size, _CHUNK):
        chunk = [next(rows) for _ in range(min(_CHUNK, size - start))]
        begun = [memory for memory, _ in chunk if memory["position"] % _SESSION_MEMORIES == 0]
        with core.database.transaction() as db:
            connection = db.connection()
            if begun:
                connection.execute(insert(Session), [_session(memory) for memory in begun])
            connection.execute(insert(Memory), [memory for memory, _ in chunk])
            connection.execute(insert(MemoryVector), [vector for _, vector in chunk])
            connection.execute(insert(IndexChange), [{"memory_id": memory["id"]} for memory, _ in chunk])


class _Maker:
    """Makes one memory after another."""

    def __init__(self, material: Material, *, scopes: Sequence[ScopeKey]) -> None:
        self._material = material
        self._scopes = scopes
        self._chance = random.Random(SEED)
        self._noise = np.random.default_rng(SEED)

    def rows(self, size: int) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Rows of the tables of memories and of vectors."""
        for number, at in enumerate(moments(size)):
            choice = self._chance.randrange(len(self._material.texts))
            text = reworded(self._material.texts[choice], self._chance)
            memory = self._memory(number, text=text, at=at)
            vectors = to_stored(self._embedding(choice, text=text, speaker=memory["speaker"]))
            yield memory, {"memory_id": memory["id"], "model": self._material.model, **asdict(vectors)}

    def _memory(self, number: int, *, text: str, at: datetime) -> dict[str, Any]:
        position = number // SCOPES
        return Memory(
            id=str(UUID(int=self._chance.getrandbits(128))),
            scope_key=self._scopes[number % SCOPES],
            kref=f"kref://CognitiveMemory/personal/m-{number}.fact",
            space="personal",
            kind="fact",
            text=text,
            text_key=f"{number:032x}",
            speaker=_SPEAKERS[position % len(_SPEAKERS)],
            origin="user",
            event_at=at,
            valid_from=at,
            created_at=at,
            updated_at=at,
            status="active",
            session_id=1 + number % SCOPES + SCOPES * (position // _SESSION_MEMORIES),
            position=position,
        ).model_dump()

    def _embedding(self, choice: int, *, text: str, speaker: str) -> Embedding:
        own = self._material.embeddings[choice]
        other = self._chance.choice(self._material.embeddings)
        rows = np.concatenate([own.tokens, other.tokens[:_ROWS_OF_OTHER]])
        return Embedding(
            dense=self._vary((own.dense + np.float32(_SHARE_OF_OTHER) * other.dense)[np.newaxis])[0],
            tokens=self._vary(rows),
            sparse=weigh_document(keywords(passage_text(text, speaker=speaker))),
        )

    def _vary(self, rows: npt.NDArray[np.floating[Any]]) -> FloatArray:
        varied = rows + self._noise.normal(0, _NOISE / np.sqrt(rows.shape[1]), rows.shape)
        return (varied / np.linalg.norm(varied, axis=1, keepdims=True)).astype(np.float32)


def _session(first: dict[str, Any]) -> dict[str, Any]:
    at = first["created_at"]
    return Session(
        id=first["session_id"],
        scope_key=first["scope_key"],
        label=f"speed-{first['session_id']}",
        day=at.date(),
        number=1 + first["position"] // _SESSION_MEMORIES,
        started_at=at,
        last_at=at,
        last_received_at=at,
    ).model_dump()
