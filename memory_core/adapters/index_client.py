"""Embedder and VectorIndex over the socket of the index process; loads neither a model nor an engine."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import cast

from memory_core.adapters.index_caller import Caller
from memory_core.adapters.index_wire import (
    IndexHealth,
    Wire,
    from_embedding,
    from_filter,
    from_point,
    to_embedding,
    to_hit,
)
from memory_core.errors import Conflict, Unavailable
from memory_core.values import Embedding, Hit, MemoryId, Point, PointFilter

QUESTION_S = 5.0
"""How long a call waits whose answer somebody waits for."""
WORK_S = 60.0
"""How long a call waits that keeps something; 64 long passages take 7 s of CPU."""

_TEXTS_PER_CALL = 64


class RemoteEmbedder:
    """The embedder of the index process."""

    def __init__(self, path: Path, *, question_s: float = QUESTION_S, work_s: float = WORK_S) -> None:
        """Take the socket's path; connects at the first call.

        Args:
            path: The socket.
            question_s: How long `embed_query` waits.
            work_s: How long `embed_passages` waits for each 64 texts.
        """
        self._caller = Caller(path)
        self._question_s = question_s
        self._work_s = work_s
        self._model: str | None = None

    @property
    def model(self) -> str:
        """Name of the model and of the vector layout, asked for once and after it changed.

        Raises:
            Unavailable: the process is away and was never there.
        """
        model = self._model
        if model is None:
            model = self._model = _health(self._caller, within_s=self._question_s).model
        return model

    @property
    def problem(self) -> str | None:
        """Why another model than the wanted one is used; None when that is not so.

        Raises:
            Unavailable: the process is away or too slow.
        """
        return _health(self._caller, within_s=self._question_s).problem

    def embed_query(self, text: str, *, quiet: Collection[str] = (), reading: str | None = None) -> Embedding:
        """Vectors of a question.

        Raises:
            Unavailable: the process is away or too slow.
        """
        args = {"text": text, "quiet": list(quiet), "reading": reading}
        return to_embedding(_map(self._call("embed_query", args, within_s=self._question_s)))

    def embed_passages(self, texts: Sequence[str]) -> list[Embedding]:
        """Vectors of texts to be found, in the order given.

        Raises:
            Unavailable: the process is away or too slow.
        """
        embeddings: list[Embedding] = []
        for start in range(0, len(texts), _TEXTS_PER_CALL):
            args = {"texts": list(texts[start : start + _TEXTS_PER_CALL])}
            answer = self._call("embed_passages", args, within_s=self._work_s)
            embeddings += [to_embedding(_map(wire)) for wire in _list(answer)]
        return embeddings

    def _call(self, op: str, args: Wire, *, within_s: float) -> object:
        """Make a call to the model whose name `model` tells; vectors of another one would be stored as its."""
        try:
            return self._caller.call(op, {**args, "model": self.model}, within_s=within_s)
        except Conflict as error:
            self._model = None
            raise Unavailable("the embedding model was changed during the call") from error

    def close(self) -> None:
        """Close idle connections."""
        self._caller.close()


class RemoteIndex:
    """The index of the index process."""

    def __init__(self, path: Path, *, question_s: float = QUESTION_S, work_s: float = WORK_S) -> None:
        """Take the socket's path; connects at the first call.

        Args:
            path: The socket.
            question_s: How long searches and other reads wait.
            work_s: How long `upsert`, `delete`, `flush` and `ids` wait.
        """
        self._caller = Caller(path)
        self._question_s = question_s
        self._work_s = work_s

    def health(self) -> IndexHealth:
        """How the process is.

        Raises:
            Unavailable: it is away or too slow.
        """
        return _health(self._caller, within_s=self._question_s)

    def epoch(self) -> str:
        """A name that changes whenever acknowledged changes since the last `flush` may have been lost.

        Raises:
            Unavailable: the process is away or too slow.
        """
        return str(self._caller.call("epoch", {}, within_s=self._question_s))

    def upsert(self, points: Sequence[Point]) -> None:
        """Add points or replace them whole.

        Raises:
            Invalid: a vector has the wrong size or a value that is not finite; then nothing was written.
            Unavailable: the process is away, too slow, or can't write; a repeat is safe.
        """
        if points:
            self._caller.call("upsert", {"points": [from_point(point) for point in points]}, within_s=self._work_s)

    def delete(self, memory_ids: Sequence[MemoryId]) -> None:
        """Remove points; unknown ids are ignored.

        Raises:
            Invalid: an id is no UUID.
            Unavailable: the process is away, too slow, or can't write.
        """
        if memory_ids:
            self._caller.call("delete", {"ids": list(memory_ids)}, within_s=self._work_s)

    def search(self, query: Embedding, *, where: PointFilter, limit: int) -> list[Hit]:
        """The union of the best `limit` of dense and the best `limit` of keyword search, each with its late score.

        Raises:
            Invalid: a vector of the question has the wrong size.
            Unavailable: the process is away or too slow.
        """
        args = {"query": from_embedding(query), "where": from_filter(where), "limit": limit}
        return _hits(self._caller.call("search", args, within_s=self._question_s))

    def score(self, query: Embedding, *, memory_ids: Sequence[MemoryId], where: PointFilter) -> list[Hit]:
        """Dense, keyword and late scores of the given memories as far as the filter lets them through, in no order.

        Raises:
            Invalid: an id is no UUID, or a vector of the question has the wrong size.
            Unavailable: the process is away or too slow.
        """
        args = {"query": from_embedding(query), "where": from_filter(where), "ids": list(memory_ids)}
        return _hits(self._caller.call("score", args, within_s=self._question_s))

    def flush(self) -> None:
        """Make all acknowledged changes survive a power cut.

        Raises:
            Unavailable: the process is away, too slow, or can't write.
        """
        self._caller.call("flush", {}, within_s=self._work_s)

    def purge(self) -> None:
        """Begin anew, empty and under another epoch, so that no trace of deleted points is left on disk.

        Everything is due again then; for some seconds the process is away, and for as long as filling takes, recall
        finds less.

        Raises:
            Unavailable: the process is away or too slow.
        """
        self._caller.call("purge", {}, within_s=self._work_s)

    def ids(self, *, after: MemoryId | None, limit: int) -> list[MemoryId]:
        """Ids of stored points in ascending order, those behind `after`.

        Raises:
            Invalid: `after` is no UUID.
            Unavailable: the process is away or too slow.
        """
        answer = self._caller.call("ids", {"after": after, "limit": limit}, within_s=self._work_s)
        return [MemoryId(str(memory_id)) for memory_id in _list(answer)]

    def count(self) -> int:
        """Number of stored points.

        Raises:
            Unavailable: the process is away or too slow.
        """
        return int(str(self._caller.call("count", {}, within_s=self._question_s)))

    def close(self) -> None:
        """Close idle connections."""
        self._caller.close()


def _health(caller: Caller, *, within_s: float) -> IndexHealth:
    return IndexHealth(**_map(caller.call("health", {}, within_s=within_s)))


def _map(value: object) -> Wire:
    if not isinstance(value, dict):
        raise Unavailable("the index process gave an answer that can't be read")
    return cast("Wire", value)


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise Unavailable("the index process gave an answer that can't be read")
    return cast("list[object]", value)


def _hits(answer: object) -> list[Hit]:
    return [to_hit(_map(wire)) for wire in _list(answer)]
