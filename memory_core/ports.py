"""What the core needs from outside, as protocols that speak our values; each has a real adapter and a fake."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from memory_core.values import (
    ChatReply,
    ChatRequest,
    Embedding,
    FlowRun,
    Hit,
    JobId,
    JobKind,
    MemoryId,
    Point,
    PointFilter,
)


class Clock(Protocol):
    """The present time."""

    def now(self) -> datetime:
        """The present instant, in UTC, aware."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors. Thread-safe; a call may take 0.5 ms of CPU a token."""

    @property
    def model(self) -> str:
        """Name of the model and of the vector layout; vectors of different names never mix."""
        ...

    @property
    def problem(self) -> str | None:
        """Why another model than the wanted one is used; None when that is not so.

        Raises:
            Unavailable: the embedder is away.
        """
        ...

    def embed_query(self, text: str, *, quiet: Collection[str] = (), reading: str | None = None) -> Embedding:
        """Vectors of a question, cut to about 64 word pieces.

        Args:
            text: The question; its keywords are taken from this.
            quiet: Lower-case words that weigh nothing in the token rows, such as names that stand in every memory.
            reading: The question in the words that the model is to read; None for `text`.

        Raises:
            Unavailable: the embedder is away.
        """
        ...

    def embed_passages(self, texts: Sequence[str]) -> list[Embedding]:
        """Vectors of texts to be found, in the order given, each cut to 256 word pieces.

        Raises:
            Unavailable: the embedder is away.
        """
        ...


class VectorIndex(Protocol):
    """Finds memories by vectors. Thread-safe. The tables are the truth: all of it can be rebuilt from them."""

    def epoch(self) -> str:
        """A name that changes whenever acknowledged changes since the last `flush` may have been lost.

        Raises:
            Unavailable: the index is away.
        """
        ...

    def upsert(self, points: Sequence[Point]) -> None:
        """Add points or replace them whole.

        Raises:
            Invalid: a vector has the wrong size or a value that is not finite; then nothing was written.
            Unavailable: the index is away; the batch may be applied in part, a repeat is safe.
        """
        ...

    def delete(self, memory_ids: Sequence[MemoryId]) -> None:
        """Remove points; unknown ids are ignored.

        Raises:
            Unavailable: the index is away.
        """
        ...

    def search(self, query: Embedding, *, where: PointFilter, limit: int) -> list[Hit]:
        """The union of the best `limit` of dense and the best `limit` of keyword search, each with its late score.

        Returns:
            Hits sorted by late score, best first, at most 2 * limit.

        Raises:
            Unavailable: the index is away.
        """
        ...

    def score(self, query: Embedding, *, memory_ids: Sequence[MemoryId], where: PointFilter) -> list[Hit]:
        """Dense, keyword and late scores of the given memories as far as the filter lets them through, in no order.

        Raises:
            Unavailable: the index is away.
        """
        ...

    def flush(self) -> None:
        """Make all acknowledged changes survive a power cut.

        Raises:
            Unavailable: the index is away.
        """
        ...

    def ids(self, *, after: MemoryId | None, limit: int) -> list[MemoryId]:
        """Ids of stored points in ascending order, those behind `after`, for comparing with the tables.

        Raises:
            Unavailable: the index is away.
        """
        ...

    def count(self) -> int:
        """Number of stored points.

        Raises:
            Unavailable: the index is away.
        """
        ...


class ChatModel(Protocol):
    """Answers a question in words. Thread-safe; may take a minute, so never on the path of a turn."""

    def complete(self, request: ChatRequest) -> ChatReply:
        """One reply.

        Raises:
            Unavailable: no model answers now: none is configured, it is busy, too slow or out of reach.
            Invalid: the model refuses this request; a repeat doesn't help.
        """
        ...


class ArtifactStore(Protocol):
    """Keeps the content of made things by checksum. Thread-safe; equal contents are kept once."""

    def put(self, content: bytes) -> str:
        """Keep a content; on disk when this returns.

        Returns:
            Its SHA-256, in hexadecimal digits.

        Raises:
            Unavailable: there is no room, or the store is away.
        """
        ...

    def get(self, checksum: str) -> bytes:
        """A content, checked.

        Raises:
            NotFound: there is none of this checksum.
            Corrupt: it isn't what was kept.
            Unavailable: the store is away.
        """
        ...

    def delete(self, checksums: Sequence[str], *, before: datetime | None = None) -> int:
        """Remove contents, those kept or kept again after `before` excepted; returns how many went.

        Raises:
            Unavailable: the store is away.
        """
        ...

    def stored_before(self, moment: datetime) -> list[str]:
        """Checksums of what was last kept before a moment, in no order.

        Raises:
            Unavailable: the store is away.
        """
        ...


class FlowEngine(Protocol):
    """Runs flows elsewhere. Thread-safe; every call is one or two HTTP requests of about 20-50 ms."""

    def submit(self, job_id: JobId, *, kind: JobKind, parameters: Mapping[str, str]) -> FlowRun:
        """Create the flow run of a job, or return the one that exists: the job id is the idempotency key.

        Raises:
            Unavailable: the engine is away, or the deployment of this kind isn't registered yet.
        """
        ...

    def resubmit(self, job_id: JobId, *, kind: JobKind, parameters: Mapping[str, str], attempt: int) -> FlowRun:
        """Create another flow run of a job whose earlier one ended without finishing it; idempotent by attempt.

        Raises:
            Unavailable: the engine is away, or the deployment of this kind isn't registered yet.
        """
        ...

    def read(self, run_id: str) -> FlowRun:
        """The present state of a flow run.

        Raises:
            NotFound: the engine doesn't know the run.
            Unavailable: the engine is away.
        """
        ...

    def cancel(self, run_id: str) -> None:
        """Ask that a flow run ends; it may end as done all the same.

        Raises:
            NotFound: the engine doesn't know the run.
            Unavailable: the engine is away.
        """
        ...

    def ready(self) -> None:
        """Return when flows can be run now.

        Raises:
            Unavailable: with what is missing.
        """
        ...
