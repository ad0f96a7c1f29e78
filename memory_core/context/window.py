"""Pure: which end of a transcript stays in the model's context, and whether that end is still there later."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from memory_core.context.messages import ASSISTANT, Message, total_tokens
from memory_core.settings import CompactionMode

_DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """Where a window begins, remembered by what was said before and at it.

    Attributes:
        index: Number of messages before the window.
        before: Hash of all those, each joined to the hash of what came before it.
        first: Hash of the window's first message; None when it was empty then.
    """

    index: int = 0
    before: str = ""
    first: str | None = None


NO_EDGE = Edge()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How much a compaction leaves."""

    mode: CompactionMode
    protect_tail: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What of the given messages lies in the window.

    Attributes:
        begin: Number of the first message that does.
        base: What was cut off before the first given message; hosts show a windowed transcript again within a turn.
    """

    begin: int = 0
    base: Edge = NO_EDGE

    @property
    def is_windowed(self) -> bool:
        """Whether the transcript is longer than the window."""
        return self.begin > 0 or self.base.index > 0


def edge_at(messages: Sequence[Message], index: int, *, base: Edge = NO_EDGE) -> Edge:
    """The edge before the message of that number, counted from `base` on."""
    first = messages[index].digest().hex() if index < len(messages) else None
    return Edge(index=base.index + index, before=_hash_of(messages[:index], after=base.before), first=first)


def find_window(messages: Sequence[Message], edge: Edge | None) -> Window:
    """The window in a transcript, which may be whole or cut at the edge already.

    A host may rewrite, fork or shorten a transcript. Whatever doesn't say the same before the edge has no window: a
    guess could hide what was never archived.
    """
    if edge is None or not messages:
        return Window()
    if edge.index <= len(messages) and _is_at(messages, edge):
        return Window(begin=edge.index)
    if edge.first is not None and messages[0].digest().hex() == edge.first:
        return Window(base=edge)
    return Window()


def _is_at(messages: Sequence[Message], edge: Edge) -> bool:
    if edge.first is not None:
        is_same = edge.index < len(messages) and messages[edge.index].digest().hex() == edge.first
        if not is_same:
            return False
    return _hash_of(messages[: edge.index]) == edge.before


def compacted(messages: Sequence[Message], *, start: int, rule: Rule, budget: int) -> int:
    """Where the window begins after a compaction.

    Exchanges stay whole, so a tool's call and its result stay together. The newest exchange stays while somebody still
    waits for its answer, whatever it takes.

    Args:
        messages: The transcript.
        start: Where the window begins now.
        rule: How much is left.
        budget: Most tokens that the window may take.

    Returns:
        A number from `start` to the number of messages.
    """
    begins = [index for index in range(start, len(messages)) if messages[index].begins_exchange]
    if rule.mode is CompactionMode.FULL:
        chosen = len(messages)
    else:
        tail = max(len(messages) - rule.protect_tail, start)
        chosen = max((index for index in begins if index <= tail), default=start)
    later = [index for index in begins if index > chosen]
    while later and total_tokens(messages[chosen:]) > budget:
        chosen = later.pop(0)
    if total_tokens(messages[chosen:]) > budget:
        chosen = len(messages)
    return min(chosen, _begin_of_open_exchange(messages, start=start))


def _begin_of_open_exchange(messages: Sequence[Message], *, start: int) -> int:
    """Where the exchange in progress begins; the end of the transcript when the last one was answered."""
    is_answered = not messages or (messages[-1].role == ASSISTANT and not messages[-1].calls)
    if is_answered:
        return len(messages)
    return next((index for index in range(len(messages) - 1, start - 1, -1) if messages[index].begins_exchange), start)


def _hash_of(messages: Sequence[Message], *, after: str = "") -> str:
    joined = bytes.fromhex(after)
    for message in messages:
        joined = blake2b(joined + message.digest(), digest_size=_DIGEST_BYTES).digest()
    return joined.hex()
