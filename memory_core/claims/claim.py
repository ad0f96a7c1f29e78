"""One claim of a sentence: of whom or what, which attribute, which value."""

from dataclasses import dataclass
from enum import StrEnum

from memory_core.claims.mood import Mood
from memory_core.claims.subjects import Subject
from memory_core.claims.values import Value


class Policy(StrEnum):
    """What another value of the same attribute means."""

    LATER_WINS = "later wins"
    """There is one at a time: residence, employer, port."""
    IF_MARKED = "if marked"
    """There is one, and it hardly changes: a birthday; the newer one wins if it says that it corrects."""
    SEVERAL = "several"
    """There may be many: likes, tools, pets; only the same value can be taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A claim.

    Attributes:
        attribute: What is claimed of the subject, such as `residence` or `use`.
        positive: It is so; else it is not so.
        detail: Words that narrow it: "in the evening", "for uploads"; what is narrower takes back only as much.
        span: Offsets within the sentence.
        doubtful: The words may mean something else.
    """

    subject: Subject
    attribute: str
    value: Value
    policy: Policy
    positive: bool = True
    detail: frozenset[str] = frozenset()
    span: tuple[int, int] = (0, 0)
    doubtful: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """Something that a sentence gives up: "dropped Redis for Postgres" gives up Redis."""

    subject: Subject
    value: Value
    detail: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence, read.

    Attributes:
        text: It.
        marked: It says that something changed or was wrong.
        further: It says that it adds to what was said.
    """

    text: str
    mood: Mood
    marked: bool
    further: bool
    claims: tuple[Claim, ...] = ()
    gone: tuple[Gone, ...] = ()
