"""Pure: a question as it would be put to the person it asks about, which is how memories answer it.

People speak of themselves as "I" and to each other as "you"; a question about them names them. The small model takes
"What did you research?" to be nearer to "I've been looking into adoption agencies" than "What did Ana research?". What
a date says is counted by itself, so the model needn't see it. Keywords are taken from the question as it was asked.
"""

import re
from functools import lru_cache

from memory_core.recall.periods import without_dates

_ENGLISH = frozenset(
    "what what's which who who's whose when where why how did does is were have had would could should the".split()
)
"""Words that hardly another language has; one of them makes a question English."""
_WORD = re.compile(r"[^\W\d_]+(?:['’]s)?")


def put_to(question: str, *, speaker: str | None) -> str:
    """The question as the model best reads it.

    Without calendar dates ("on 3 May", "in 2023"), as far as words are left; and in English with the person it asks
    about addressed: "What is Ana's job?" becomes "What is your job?".

    Args:
        question: Its text.
        speaker: The one person it asks about, as memories show the name; None when there is no such person.
    """
    asked = without_dates(question)
    if speaker is None or _ENGLISH.isdisjoint(word.lower().replace("’", "'") for word in _WORD.findall(asked)):
        return asked
    return _names(speaker).sub(lambda name: "your" if name["possessive"] else "you", asked)


@lru_cache
def _names(speaker: str) -> re.Pattern[str]:
    """The name, or a part of it, as it is spelled."""
    alternatives = dict.fromkeys([speaker, *re.findall(r"[^\W_]+", speaker)])
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, alternatives))})(?!\w)(?P<possessive>['’]s\b)?")
