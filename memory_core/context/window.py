"""Pure: which end of a transcript stays in the model's context, and whether that end is still there later."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from memory_core.context.beginnings import Beginnings
from memory_core.context.messages import ASSISTANT, Message
from memory_core.settings import CompactionMode


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


def edge_at(
    messages: Sequence[Message], index: int, *, base: Edge = NO_EDGE, beginnings: Beginnings | None = None
) -> Edge:
    """The edge before the message of that number, counted from `base` on."""
    before = (beginnings or Beginnings()).hash_of(messages[:index], after=base.before)
    first = messages[index].digest().hex() if index < len(messages) else None
    return Edge(index=base.index + index, before=before, first=first)


def find_window(messages: Sequence[Message], edge: Edge | None, *, beginnings: Beginnings | None = None) -> Window:
    """The window in a transcript, which may be whole or cut at the edge already.

    A host may rewrite, fork or shorten a transcript. Whatever doesn't say the same before the edge has no window: a
    guess could hide what was never archived.

    Args:
        messages: The transcript.
        edge: What was remembered; None when nothing was.
        beginnings: Spares hashing a beginning that was met before.
    """
    if edge is None or not messages:
        return Window()
    if edge.index <= len(messages) and _is_at(messages, edge, beginnings=beginnings or Beginnings()):
        return Window(begin=edge.index)
    if edge.first is not None and messages[0].digest().hex() == edge.first:
        return Window(base=edge)
    return Window()


def _is_at(messages: Sequence[Message], edge: Edge, *, beginnings: Beginnings) -> bool:
    if edge.first is not None:
        is_same = edge.index < len(messages) and messages[edge.index].digest().hex() == edge.first
        if not is_same:
            return False
    return beginnings.hash_of(messages[: edge.index]) == edge.before


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
    tokens = _tokens_from(messages, start=start)
    if rule.mode is CompactionMode.FULL:
        chosen = len(messages)
    else:
        tail = max(len(messages) - rule.protect_tail, start)
        chosen = max((index for index in begins if index <= tail), default=start)
    later = [index for index in begins if index > chosen]
    chosen = next((index for index in (chosen, *later) if tokens[index - start] <= budget), len(messages))
    return min(chosen, _begin_of_open_exchange(messages, start=start))


def _tokens_from(messages: Sequence[Message], *, start: int) -> list[int]:
    """Of each number from `start` to that of the end: what the messages from there on take."""
    backwards = (message.tokens for message in reversed(messages[start:]))
    return list(accumulate(backwards, initial=0))[::-1]


def _begin_of_open_exchange(messages: Sequence[Message], *, start: int) -> int:
    """Where the exchange in progress begins; the end of the transcript when the last one was answered."""
    is_answered = not messages or (messages[-1].role == ASSISTANT and not messages[-1].calls)
    if is_answered:
        return len(messages)
    return next((index for index in range(len(messages) - 1, start - 1, -1) if messages[index].begins_exchange), start)
