"""What is compared, and what may come of it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memory_core.values import Origin


class Verdict(StrEnum):
    """What a newer statement is to an older one."""

    SAME = "same"
    """A reader would notice no difference in what they say."""
    REFINES = "refines"
    """The newer one says all of the older and more."""
    REPLACES = "replaces"
    """The older one, or a part of it, holds no longer."""
    CONTRADICTS = "contradicts"
    """Both can't hold, or hardly; which one does is for a person to say."""
    UNRELATED = "unrelated"
    """Both may hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement and who made it.

    Attributes:
        text: One or a few sentences.
        origin: Who said it.
        said_at: When it was said, aware.
        speaker: Name of the one who said it; None when unknown.
        event_at: The day it names, where it names one.
        one_person: It comes from a memory of one person only: a speaker of another name is the same, renamed.
        corrects: It is known to correct what was said, whatever its words.
        imported: It comes from a file, whose speakers may be several people in a memory of one.
    """

    text: str
    origin: Origin
    said_at: datetime
    speaker: str | None = None
    event_at: datetime | None = None
    one_person: bool = False
    imported: bool = False
    corrects: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A verdict with its reason.

    Attributes:
        reason: For people; no words of the statements.
        rest: With REPLACES: the sentences of the older statement that still hold; empty when none does.
    """

    verdict: Verdict
    reason: str = ""
    rest: str = ""


UNRELATED = Comparison(verdict=Verdict.UNRELATED)


def same_speaker(one: Statement, other: Statement) -> bool:
    """Whether "I" means the same person in both."""
    if one.origin is not other.origin:
        return False
    if one.speaker is None or other.speaker is None:
        return one.one_person or one.speaker is other.speaker
    if one.speaker.casefold() == other.speaker.casefold():
        return True
    return one.one_person and not (one.imported or other.imported)
