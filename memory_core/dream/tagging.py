"""Pure: the few words by which a person would file a memory: names first, then what is rare but not unique."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from memory_core.stop_words import STOP_WORDS

MOST_TAGS = 5
"""Tags of one memory, those of its owner counted in."""
_SHORTEST = 3
_LONGEST = 40
_COMMON_SHARE = 0.2
"""A term that stands in more of a scope's memories sorts nothing."""
_FEWEST_TEXTS = 2
"""A term that stands in one memory only leads nowhere."""
_WORD = re.compile(r"[^\W\d_](?:[\w'’-]*[^\W_])?")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")
_NOTE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|<[^<>]*>")
"""Dates in brackets, and the placeholders of redaction."""
_NO_NAMES = frozenset(
    """i i'm i've i'd i'll january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday today tomorrow yesterday ok user assistant""".split()
)
_VAGUE = frozenset(
    """thing things stuff way lot bit kind sort time times day days week weeks month months year years today tomorrow
    yesterday morning evening night people someone something anything everything nothing really actually maybe always
    never often usually again still yet new old good great nice bad big small little long last next first second one
    two three four five six seven eight nine ten many much more most less few want wants wanted like likes liked love
    loves need needs think thinks thought know knows knew say says said tell told ask asked get gets got go goes went
    going come comes came make makes made take takes took use uses used using see saw seen look looks feel feels keep
    keeps put give gave let try tries tried work works start started stop stopped live lives prefer prefers please
    thanks thank yes yeah sure well also with without because since until while around another every other favorite
    favourite user assistant now soon later early late""".split()
)


def terms(text: str) -> list[str]:
    """Words of a text that may sort it, lower case, in order, each once."""
    words = [word.casefold() for word in _words(text)]
    idle = _function_words(words)
    return list(dict.fromkeys(word for word in words if word not in idle and _may_sort(word)))


def names(text: str) -> list[str]:
    """Names in a text, as they are written, in order, each once.

    A word at the start of a sentence is capitalised anyway: it counts with another capitalised one behind it, or when
    it stands capitalised inside of a sentence too.
    """
    found: list[tuple[str, bool]] = []
    for sentence in _SENTENCE.split(_NOTE.sub(" ", text)):
        found += _runs(sentence)
    inside = {name for name, is_first in found if not is_first}
    kept = [name for name, is_first in found if not is_first or " " in name or name in inside]
    return list(dict.fromkeys(kept))


def tags_for(text: str, *, present: Sequence[str], holding: Mapping[str, int], texts: int) -> list[str]:
    """Tags to be added to a memory, best first.

    Args:
        text: What it says.
        present: Tags it has.
        holding: In how many memories of the scope each of `terms` stands.
        texts: Number of memories of the scope.
    """
    known = {tag.casefold() for tag in present}
    room = MOST_TAGS - len(present)
    wanted = [*(name.casefold() for name in names(text)), *_rare(text, holding=holding, texts=texts)]
    fresh: list[str] = []
    for tag in wanted:
        if tag not in known and len(tag) <= _LONGEST and not any(tag in one.split() for one in fresh):
            fresh.append(tag)
            known.add(tag)
    return fresh[: max(room, 0)]


def _rare(text: str, *, holding: Mapping[str, int], texts: int) -> list[str]:
    common = max(texts * _COMMON_SHARE, _FEWEST_TEXTS)
    weights = {
        term: math.log(1 + texts / holding[term])
        for term in terms(text)
        if _FEWEST_TEXTS <= holding.get(term, 0) <= common
    }
    return sorted(weights, key=lambda term: (-weights[term], term))


def _words(text: str) -> Iterator[str]:
    for match in _WORD.finditer(_NOTE.sub(" ", text)):
        yield match.group().replace("’", "'").removesuffix("'s")


def _may_sort(word: str) -> bool:
    if not _SHORTEST <= len(word) <= _LONGEST or "'" in word:
        return False
    return word not in _VAGUE


def _function_words(words: Sequence[str]) -> frozenset[str]:
    """Those of the language that most of the words speak for: `son` is a child in one and nothing in another."""
    best = max(STOP_WORDS, key=lambda language: (sum(w in STOP_WORDS[language] for w in words), language == "english"))
    return STOP_WORDS[best]


def _runs(sentence: str) -> Iterator[tuple[str, bool]]:
    """Runs of capitalised words, with whether the run begins the sentence."""
    run: list[str] = []
    starts_at = 0
    end = 0
    for number, match in enumerate(_WORD.finditer(sentence)):
        word = match.group().replace("’", "'").removesuffix("'s")
        is_name = word[:1].isupper() and word.casefold() not in _NO_NAMES and _is_no_function_word(word)
        touching = run and sentence[end : match.start()] == " "
        if run and not (is_name and touching):
            yield " ".join(run), starts_at == 0
            run = []
        if is_name:
            if not run:
                starts_at = number
            run.append(word)
        end = match.end()
    if run:
        yield " ".join(run), starts_at == 0


def _is_no_function_word(word: str) -> bool:
    return len(word) > 1 and word.casefold() not in STOP_WORDS["english"]
