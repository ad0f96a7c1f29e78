"""Answers calls to the embedder and the index over a socket, many clients at once, questions before everything else.

Three threads do the work: one embeds questions, one embeds passages, one speaks to the index, whose every call holds
the interpreter lock. Long work is cut into pieces, so that a question waits for one piece at most.
"""

import asyncio
import contextlib
import socket
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict

import structlog

from memory_core.adapters.index_layout import IndexLayout
from memory_core.adapters.index_wire import (
    HEAD,
    IndexHealth,
    Wire,
    body_length,
    from_embedding,
    from_hit,
    pack,
    to_embedding,
    to_filter,
    to_point,
    unpack,
)
from memory_core.adapters.passage_batches import MAX_BATCH, batches
from memory_core.adapters.work_lane import Steps, Urgency, WorkLane, at_once
from memory_core.errors import Conflict, Corrupt, Invalid, MemoryCoreError, Unavailable
from memory_core.ports import Embedder, VectorIndex
from memory_core.values import Embedding, MemoryId, Point

POINTS_PER_PIECE = 32
"""Points written in one go: about 8 ms during which nothing else runs."""
_END_S = 2.0

log = structlog.get_logger(__name__)

_Start = tuple[WorkLane, Steps, Urgency]


class IndexServer:
    """Serves one embedder and one index until it is stopped."""

    def __init__(
        self,
        *,
        embedder: Embedder,
        index: VectorIndex,
        layout: IndexLayout,
        on_damage: Callable[[], None],
        on_purge: Callable[[], None],
    ) -> None:
        """Use the given parts.

        Args:
            embedder: Called by two threads.
            index: Called by one thread.
            layout: What vectors must look like.
            on_damage: Called once when the index turns out to be damaged; serving ends then.
            on_purge: Called when a client wants no trace of deleted points to stay; has serving begin again, empty.
        """
        self._embedder = embedder
        self._index = index
        self._layout = layout
        self._on_damage = on_damage
        self._on_purge = on_purge
        self._questions = WorkLane("embed questions")
        self._passages = WorkLane("embed passages")
        self._points = WorkLane("index")
        self._lanes = (self._questions, self._passages, self._points)
        self._stopped = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._operations: dict[str, Callable[[Wire], _Start]] = {
            "health": lambda _: self._read(self._health),
            "epoch": lambda _: self._read(self._index.epoch),
            "count": lambda _: self._read(self._index.count),
            "ids": self._ids,
            "search": self._search,
            "score": self._score,
            "upsert": self._upsert,
            "delete": self._delete,
            "flush": lambda _: (self._points, at_once(self._index.flush), Urgency.SMALL),
            "purge": lambda _: (self._points, at_once(self._on_purge), Urgency.SMALL),
            "embed_query": self._embed_query,
            "embed_passages": self._embed_passages,
        }

    async def serve(self, listening: socket.socket) -> None:
        """Answer until `stop` is called, then let calls in progress end.

        Args:
            listening: A bound stream socket; closed at the end.
        """
        self._loop = asyncio.get_running_loop()
        clients: set[asyncio.Task[None]] = set()

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            if task is not None:
                clients.add(task)
                task.add_done_callback(clients.discard)
            await self._converse(reader, writer)

        server = await asyncio.start_unix_server(accept, sock=listening)
        await self._stopped.wait()
        server.close()
        for lane in self._lanes:
            await asyncio.to_thread(lane.close)
        if clients:
            await asyncio.wait(clients, timeout=_END_S)
        for task in clients:
            task.cancel()

    def stop(self) -> None:
        """End serving; from any thread, more than once, before `serve` too."""
        if self._loop is None:
            self._stopped.set()
        else:
            with contextlib.suppress(RuntimeError):  # the loop ended already
                self._loop.call_soon_threadsafe(self._stopped.set)

    def waiting(self) -> int:
        """Pieces of work that wait or are being done."""
        return sum(lane.waiting() for lane in self._lanes)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while not self._stopped.is_set():
                request = await self._next_request(reader)
                if request is None:
                    break
                writer.write(pack(await self._answer(request)))
                await writer.drain()
        except (ConnectionError, Invalid):
            pass  # gone, or not one of ours: nobody to tell
        finally:
            writer.close()

    async def _next_request(self, reader: asyncio.StreamReader) -> Wire | None:
        """The next request; None when the client or the server ends."""
        reading = asyncio.ensure_future(reader.readexactly(HEAD.size))
        ending = asyncio.ensure_future(self._stopped.wait())
        await asyncio.wait((reading, ending), return_when=asyncio.FIRST_COMPLETED)
        ending.cancel()
        if not reading.done():
            reading.cancel()
            return None
        try:
            return unpack(await reader.readexactly(body_length(reading.result())))
        except asyncio.IncompleteReadError:
            return None

    async def _answer(self, request: Wire) -> Wire:
        try:
            try:
                start = self._operations[request["op"]]
                lane, steps, urgency = start(request["args"])
                within_s = float(request["within_s"])
            except (KeyError, TypeError, ValueError) as error:
                raise Invalid(f"not a call the index knows: {error!r}") from error
            return {"ok": await asyncio.wrap_future(lane.submit(steps, urgency=urgency, within_s=within_s))}
        except Corrupt as error:
            log.warning("index.damaged", reason=str(error))
            self._on_damage()
            self.stop()
            return _refusal(Unavailable("the index is damaged and will be made anew"))
        except MemoryCoreError as error:
            return _refusal(error)
        except Exception as error:  # noqa: BLE001 - one call's failure must not end the others'
            # Where it happened, not what it was about: a traceback could show memory text.
            place = traceback.extract_tb(error.__traceback__)[-1]
            log.warning("index.call_failed", error=type(error).__name__, file=place.filename, line=place.lineno)
            return _refusal(Unavailable("the index process failed; see its log"))

    def _read(self, call: Callable[[], object]) -> _Start:
        return self._points, at_once(call), Urgency.QUESTION

    def _health(self) -> Wire:
        return asdict(
            IndexHealth(
                model=self._embedder.model,
                epoch=self._index.epoch(),
                count=self._index.count(),
                # This very question is being answered.
                waiting=self.waiting() - 1,
                problem=self._embedder.problem,
            )
        )

    def _ids(self, args: Wire) -> _Start:
        after, limit = args["after"], int(args["limit"])
        return self._points, at_once(lambda: self._index.ids(after=after, limit=limit)), Urgency.SMALL

    def _search(self, args: Wire) -> _Start:
        query, where, limit = to_embedding(args["query"]), to_filter(args["where"]), int(args["limit"])
        return self._read(lambda: [from_hit(hit) for hit in self._index.search(query, where=where, limit=limit)])

    def _score(self, args: Wire) -> _Start:
        query, where = to_embedding(args["query"]), to_filter(args["where"])
        ids = [MemoryId(memory_id) for memory_id in args["ids"]]
        return self._read(lambda: [from_hit(hit) for hit in self._index.score(query, memory_ids=ids, where=where)])

    def _upsert(self, args: Wire) -> _Start:
        points = [to_point(point) for point in args["points"]]
        # All of them first: nothing may be written when one is refused.
        self._layout.check_points(points)
        return self._points, self._write(points), _urgency(len(points), small=POINTS_PER_PIECE)

    def _delete(self, args: Wire) -> _Start:
        ids = [MemoryId(memory_id) for memory_id in args["ids"]]
        return self._points, at_once(lambda: self._index.delete(ids)), Urgency.SMALL

    def _embed_query(self, args: Wire) -> _Start:
        self._check_model(args)
        text, quiet = str(args["text"]), [str(word) for word in args["quiet"]]
        reading = None if args["reading"] is None else str(args["reading"])
        steps = at_once(lambda: from_embedding(self._embedder.embed_query(text, quiet=quiet, reading=reading)))
        return self._questions, steps, Urgency.QUESTION

    def _embed_passages(self, args: Wire) -> _Start:
        self._check_model(args)
        texts = [str(text) for text in args["texts"]]
        return self._passages, self._embed(texts), _urgency(len(texts), small=MAX_BATCH)

    def _check_model(self, args: Wire) -> None:
        """Vectors of another model than the caller thinks would be stored under a wrong name."""
        model = args.get("model")
        if model is not None and model != self._embedder.model:
            raise Conflict("the embedding model is another one now")

    def _write(self, points: Sequence[Point]) -> Steps:
        for start in range(0, len(points), POINTS_PER_PIECE):
            if start:
                yield
            self._index.upsert(points[start : start + POINTS_PER_PIECE])

    def _embed(self, texts: Sequence[str]) -> Steps:
        done: dict[int, Embedding] = {}
        for batch in batches(texts):
            if done:
                yield
            embeddings = self._embedder.embed_passages([texts[index] for index in batch])
            done.update(zip(batch, embeddings, strict=True))
        return [from_embedding(done[index]) for index in range(len(texts))]


def _urgency(count: int, *, small: int) -> Urgency:
    return Urgency.SMALL if count <= small else Urgency.BULK


def _refusal(error: MemoryCoreError) -> Wire:
    return {"error": error.code, "message": str(error)}
