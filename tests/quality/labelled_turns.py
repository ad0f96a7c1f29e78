"""Conversations with what should become memory, turn by turn; read from `data/labelled_turns.txt`.

A conversation begins with `## number direct|group zone day title`, a turn with `name> words` (`bot` is the assistant),
and each statement expected of it follows as `= kind: some of its words`. Turns without one should leave nothing.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memory_core.values import MemoryKind

_FILE = Path(__file__).parent / "data" / "labelled_turns.txt"
_HEAD = re.compile(r"## (\d+) (direct|group) (\S+) (\d{4}-\d\d-\d\d) .+")
_TURN = re.compile(r"(\w+)> (.+)")
_LABEL = re.compile(r"= (\w+): (.+)")
_HELD_OUT_FROM = 19
"""Conversations from this number on were written after the rules had been tuned on those before."""


@dataclass(slots=True, kw_only=True)
class LabelledTurn:
    """A turn; `speaker` is None for the assistant."""

    speaker: str | None
    text: str
    said_at: datetime
    expected: list[tuple[MemoryKind, str]] = field(default_factory=list[tuple[MemoryKind, str]])


@dataclass(slots=True, kw_only=True)
class Conversation:
    """Turns in order."""

    number: int
    shared: bool
    timezone: str
    turns: list[LabelledTurn] = field(default_factory=list[LabelledTurn])

    @property
    def held_out(self) -> bool:
        """No rule was tuned on it."""
        return self.number >= _HELD_OUT_FROM


def conversations() -> list[Conversation]:
    """All of them."""
    found: list[Conversation] = []
    at = datetime.min.replace(tzinfo=UTC)
    for line in _lines():
        if head := _HEAD.fullmatch(line):
            at = datetime.fromisoformat(f"{head[4]}T12:00:00+00:00")
            found.append(Conversation(number=int(head[1]), shared=head[2] == "group", timezone=head[3]))
        elif turn := _TURN.fullmatch(line):
            at += timedelta(minutes=1)
            speaker = None if turn[1] == "bot" else turn[1]
            found[-1].turns.append(LabelledTurn(speaker=speaker, text=turn[2].replace(r"\n", "\n"), said_at=at))
        elif label := _LABEL.fullmatch(line):
            found[-1].turns[-1].expected.append((MemoryKind(label[1]), label[2]))
        else:
            raise ValueError(f"{_FILE.name}: {line!r} is neither a conversation, a turn nor a label")
    return found


def _lines() -> Iterable[str]:
    return _FILE.read_text(encoding="utf-8").splitlines()
