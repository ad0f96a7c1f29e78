"""ChatModel that redacts, then forwards to another ChatModel; and the budget that bounds what a run may ask."""

import threading
from dataclasses import dataclass, replace
from datetime import datetime

from memory_core.errors import Invalid, Unavailable
from memory_core.ports import ChatModel, Clock
from memory_core.privacy.redaction import redact
from memory_core.values import ChatReply, ChatRequest

CHARS_PER_TOKEN = 3
"""Few characters a token, so that an estimate is rather too high; English has about 4, German 3, Chinese 1 to 2."""
LEAST_REPLY_TOKENS = 256
"""A shorter reply than this is cut off before it says anything: then the budget counts as used up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a run asked of its model."""

    calls: int = 0
    tokens: int = 0


class Budget:
    """What one run may ask of its model: calls, tokens in and out together, and until when. Thread-safe."""

    def __init__(self, *, calls: int, tokens: int, clock: Clock, until: datetime | None = None) -> None:
        """Start with nothing spent; without `until` time doesn't count."""
        self._calls, self._tokens, self._clock, self._until = calls, tokens, clock, until
        self._lock = threading.Lock()
        self._spent = Spent()
        self._reserved_tokens = 0

    @property
    def spent(self) -> Spent:
        """What was spent until now, calls in progress without their tokens."""
        with self._lock:
            return self._spent

    def reserve(self, request: ChatRequest) -> ChatRequest:
        """Take a call out of the budget; the request comes back with no longer a reply than is left for it.

        Raises:
            Unavailable: the budget is used up; nothing was taken.
        """
        if self._until is not None and self._clock.now() >= self._until:
            raise Unavailable("budget: the time for this run is over")
        prompt_tokens = estimated_tokens(request.system) + estimated_tokens(request.prompt)
        with self._lock:
            left = self._tokens - self._spent.tokens - self._reserved_tokens - prompt_tokens
            if self._spent.calls >= self._calls:
                raise Unavailable(f"budget: all {self._calls} calls of this run are used up")
            if left < min(LEAST_REPLY_TOKENS, request.max_tokens):
                raise Unavailable(f"budget: the {self._tokens} tokens of this run are used up")
            granted = replace(request, max_tokens=min(request.max_tokens, left))
            self._spent = replace(self._spent, calls=self._spent.calls + 1)
            self._reserved_tokens += prompt_tokens + granted.max_tokens
        return granted

    def settle(self, request: ChatRequest, *, used_tokens: int) -> None:
        """Give back what a reserved request didn't use."""
        reserved = estimated_tokens(request.system) + estimated_tokens(request.prompt) + request.max_tokens
        with self._lock:
            self._reserved_tokens -= reserved
            self._spent = replace(self._spent, tokens=self._spent.tokens + used_tokens)


class GuardedChat:
    """Redacts what is asked, then asks. Thread-safe if the model behind it is."""

    def __init__(self, model: ChatModel, *, pii: bool, budget: Budget | None = None) -> None:
        """Stand before a model.

        Args:
            model: Who answers.
            pii: Redact personal data too; secrets are redacted always.
            budget: What may be asked; None means as much as one likes.
        """
        self._model = model
        self._pii = pii
        self._budget = budget

    def within(self, budget: Budget) -> "GuardedChat":
        """The same model for one run, which ends with Unavailable("budget: ...") once the budget is used up."""
        return GuardedChat(self._model, pii=self._pii, budget=budget)

    def complete(self, request: ChatRequest) -> ChatReply:
        """See `ChatModel.complete`.

        Raises:
            Unavailable: no model answers now, or the budget is used up.
            Invalid: the model refuses this request.
        """
        safe = replace(
            request,
            system=redact(request.system, pii=self._pii).text,
            prompt=redact(request.prompt, pii=self._pii).text,
        )
        return self._model.complete(safe) if self._budget is None else self._ask_within(safe, self._budget)

    def _ask_within(self, request: ChatRequest, budget: Budget) -> ChatReply:
        granted = budget.reserve(request)
        used_tokens = 0
        try:
            reply = self._model.complete(granted)
            used_tokens = tokens_of(granted, reply)
        except Invalid:  # it read the question before it refused
            used_tokens = estimated_tokens(granted.system) + estimated_tokens(granted.prompt)
            raise
        finally:
            budget.settle(granted, used_tokens=used_tokens)
        return reply


def tokens_of(request: ChatRequest, reply: ChatReply) -> int:
    """Tokens of a question and its answer, estimated as far as the model doesn't tell."""
    asked = reply.input_tokens or estimated_tokens(request.system) + estimated_tokens(request.prompt)
    return asked + (reply.output_tokens or estimated_tokens(reply.text))


def estimated_tokens(text: str) -> int:
    """How many tokens a text may have; every character of a script without spaces counts as one."""
    wide = sum(character >= "\u2e80" for character in text)
    return wide + -(-(len(text) - wide) // CHARS_PER_TOKEN)
