"""Pure: what the wording of a memory shows at a glance: a question, names, a time, a number."""

import math
import re
from collections.abc import Collection

_ENTITY = re.compile(r"(?<![.!?:—-]\s)(?<!^)(?<!\w)[A-Z][a-zA-Z]+")
"""A capitalised word inside a sentence; in languages that capitalise every noun it counts nouns, which is as good."""
_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|weeks?|weekend|months?|years?|recently|earlier|soon"
    r"|this (?:morning|afternoon|evening|summer|winter|spring|fall|autumn)"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|january|february|march|april|june|july|august|september|october|november|december|(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|once|twice|several"
    r"|few|couple|half)\b",
    re.IGNORECASE,
)
_NOT_NAMES = frozenset(("I",))


def is_question(text: str) -> bool:
    """Whether it ends by asking."""
    return text.rstrip(" \"'”’)]").endswith(("?", "？", "؟"))


def names_told(text: str, *, known: Collection[str]) -> float:
    """ln(1 + number of capitalised words inside its sentences), those of `known` (lower case) left out."""
    found = [word for word in _ENTITY.findall(text) if word not in _NOT_NAMES and word.lower() not in known]
    return math.log1p(len(found))


def tells_time(text: str) -> bool:
    """Whether it says when, in English."""
    return _TIME.search(text) is not None


def tells_number(text: str) -> bool:
    """Whether it holds a number, as digits or an English word."""
    return _NUMBER.search(text) is not None
