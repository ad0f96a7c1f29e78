"""ChatModel that asks the connected gateway's plugin: the question lies on a board until the plugin answers it.

It needs no key of ours. The flow that asks and the service that the plugin talks to are two processes, which share the
tables; so whoever asks looks at the board again and again until the answer is there.
"""

import contextlib
import time
from dataclasses import replace
from datetime import timedelta
from typing import Any, Protocol

from memory_core.adapters.reply_forms import in_words, response_format
from memory_core.errors import Unavailable
from memory_core.values import ChatReply, ChatRequest

WAIT = timedelta(seconds=120)
"""How long a question may take from when it was left until its answer is fetched."""
POLL_S = 0.25


class CallBoard(Protocol):
    """Where questions lie; `jobs.model_calls.ModelCallService` is one."""

    def post(self, request: ChatRequest, *, response_format: dict[str, Any] | None, wait: timedelta) -> str:
        """Leave a question; raises Unavailable when no gateway is there to answer it."""
        ...

    def reply(self, call_id: str) -> ChatReply | None:
        """The answer, None while there is none; raises Unavailable when there won't be one."""
        ...

    def withdraw(self, call_id: str) -> None:
        """Take the question away."""
        ...


class GatewayChat:
    """Asks through the board. Thread-safe if the board is."""

    def __init__(self, board: CallBoard, *, wait: timedelta = WAIT, poll_s: float = POLL_S) -> None:
        """Use a board.

        Args:
            board: Where questions lie.
            wait: Deadline of a question.
            poll_s: Pause between two looks for its answer.
        """
        self._board = board
        self._wait = wait
        self._poll_s = poll_s

    def complete(self, request: ChatRequest) -> ChatReply:
        """See `ChatModel.complete`."""
        # Providers that know schemas are told by the gateway; the others read it in words.
        worded = replace(request, system=in_words(request))
        call_id = self._board.post(worded, response_format=response_format(request), wait=self._wait)
        try:
            return self._await(call_id)
        finally:
            with contextlib.suppress(Unavailable):  # what can't be taken away now expires
                self._board.withdraw(call_id)

    def _await(self, call_id: str) -> ChatReply:
        end_s = time.monotonic() + self._wait.total_seconds()
        while time.monotonic() < end_s:
            if reply := self._board.reply(call_id):
                return reply
            time.sleep(self._poll_s)
        raise Unavailable("the gateway's model is too slow")
