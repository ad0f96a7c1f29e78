"""A ChatModel that says what a test scripted."""

import threading
from collections import deque
from collections.abc import Callable

from memory_core.errors import Unavailable
from memory_core.values import ChatReply, ChatRequest

Answer = str | ChatReply | Exception | Callable[[ChatRequest], str]


class FakeChatModel:
    """Answers with what was pushed, in order, then always with `default`; an exception is raised.

    Attributes:
        requests: Every request, in order.
        default: The answer when nothing is pushed; None means that no model answers.
    """

    def __init__(self, *answers: Answer, default: Answer | None = None, model: str = "fake/model") -> None:
        self.requests: list[ChatRequest] = []
        self.default = default
        self.model = model
        self._answers = deque(answers)
        self._lock = threading.Lock()

    def push(self, *answers: Answer) -> None:
        """Queue answers, one a request."""
        with self._lock:
            self._answers.extend(answers)

    def complete(self, request: ChatRequest) -> ChatReply:
        """See `ChatModel.complete`."""
        with self._lock:
            self.requests.append(request)
            answer = self._answers.popleft() if self._answers else self.default
        if answer is None:
            raise Unavailable("nobody scripted an answer")
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, ChatReply):
            return answer
        text = answer if isinstance(answer, str) else answer(request)
        return ChatReply(
            text=text, model=self.model, input_tokens=len(request.prompt) // 4, output_tokens=len(text) // 4
        )
