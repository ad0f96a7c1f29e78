"""Labelled pairs of statements, an older and a newer one: what the newer one is to the older one.

`label | older | newer`. Labels: replaces (the older one is out of date), part (some of its sentences are), contradicts
(doubtful: only to be flagged), same, refines, unrelated. `@Name:` in front says who speaks, in a group; `assistant:`
that the assistant does; otherwise one person speaks in a direct chat. All of it is made up. The rules were tuned on
`data/statement_pairs.txt`; `data/unseen_statement_pairs.txt` was written without a look at them, and read once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memory_core.claims.statement import Statement
from memory_core.values import Origin

_DATA = Path(__file__).parent / "data"
TUNED, UNSEEN = "statement_pairs.txt", "unseen_statement_pairs.txt"
EVERYDAY = "everyday_statement_pairs.txt"
"""Corrections as they are said in passing, many of them in words that no rule knows; rules are tuned on them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two statements and what the newer one should be found to be."""

    label: str
    older: Statement
    newer: Statement


def pairs(name: str = TUNED, *, apart: timedelta = timedelta(days=3)) -> Iterator[Pair]:
    """Every pair of a file, said so far apart."""
    said_at = datetime(2026, 5, 4, 12, tzinfo=UTC)
    for line in (_DATA / name).read_text(encoding="utf-8").splitlines():
        label, older, newer = (part.strip() for part in line.split(" | "))
        yield Pair(label=label, older=_statement(older, said_at), newer=_statement(newer, said_at + apart))


def _statement(said: str, at: datetime) -> Statement:
    if said.startswith("assistant: "):
        return Statement(text=said.removeprefix("assistant: "), origin=Origin.ASSISTANT, said_at=at, one_person=True)
    if said.startswith("@"):
        name, text = said[1:].split(": ", 1)
        return Statement(text=text, origin=Origin.USER, said_at=at, speaker=name)
    return Statement(text=said, origin=Origin.USER, said_at=at, speaker="Ana", one_person=True)
