"""Pure: one sentence said twice with another value in it, the second time with a word that says that it changed.

"The telescope is in the shed" and "the telescope is in the attic now" share a frame and differ in the value. That holds
for any subject, so no list of attributes is needed; but the newer sentence must say that something changed, and only
frames count that have one value at a time: where something is, what it costs, when it begins. What one may like, own or
use several of is not judged here.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from memory_core.claims.mood import Mood, mood_of
from memory_core.claims.words import plain, sentences, words

_OPENING = re.compile(
    r"^(?:(?:correction|actually|sorry|no|oops|wait|update|well|oh)\b[\s,:;.!—–-]*)+(?:i was wrong[\s,:;.!—–-]*)?",
    re.IGNORECASE,
)
_ENDING = re.compile(
    r"[\s,]*\b(?:now|instead|from now on|these days|nowadays|at the moment|currently)\b[\s,]*", re.IGNORECASE
)
_NOT_OLD = re.compile(r",? (?:and )?not (?P<old>[^,.;]+?)\W*$", re.IGNORECASE)
_MOVED = re.compile(
    r"^(?P<subject>(?:the|my|our) [\w' -]+?) (?:was|were|has been|have been|is|got) (?:moved|pushed|changed|postponed"
    r"|rescheduled|shifted|brought forward|put off)(?: back| forward| out)? to (?P<value>.+?)\W*$",
    re.IGNORECASE,
)
_LEFT = re.compile(
    r"^(?P<who>I|we) (?:(?:have|'ve|just|finally|now) )*(?:(?:moved|migrated|switched|changed)(?: (?P<what>[\w' -]+?))?"
    r" from (?P<old>[\w' .-]+?) to|replaced (?P<old2>[\w' .-]+?) (?:with|by)) (?P<new>.+?)\W*$",
    re.IGNORECASE,
)
_GAVE_UP = re.compile(
    r"^(?P<who>I|we) (?:(?:have|'ve|just|finally|now) )*(?:sold|cancell?ed|returned|gave away|got rid of|traded in)"
    r" (?:the|my|our) (?P<what>[\w' -]+?)(?= (?:and|last|this|today|yesterday|because|for|to make|two|in)\b|[,.;!]|$)",
    re.IGNORECASE,
)
_HAS = re.compile(
    r"^(?P<who>i|we) (?:have|own|drive|ride|rent|lease|use|pay for|subscribe to) (?:a|an|the|my|our) (?P<what>.+)$"
)
_ABOUT = re.compile(r"\b(?:as|for|in|of) (?:the|our|my) (?P<what>[\w -]+)", re.IGNORECASE)

_PLACES = frozenset("in on at under behind by near beside inside above below next opposite between".split())
_STATES = frozenset(
    "is are costs cost lives live works work runs run opens open closes close starts start begins ends end leaves leave"
    " arrives goes go listens hangs lies stands sits takes needs belongs stays lasts weighs measures called"
    " named weigh pay".split()
)
_SMALL = frozenset("the a an my our is are was am be to on in at of for with as it now we i and port".split())
_SHORTEST_FRAME = 3
_LONGEST_VALUE = 6
_LONGEST_NAME = 3
_WHEREABOUTS = frozenset("is are lives live hangs lies stands sits stays".split())
"""Verbs after which any word of place may stand; elsewhere "at" and "on" ask different questions."""
_MANY = frozenset(
    "meeting call appointment review class lesson session party dinner lunch train flight bus talk game match".split()
)
"""What there are many of: "the meeting" may be another one each time."""
_NUMBERED_PLACES = frozenset("room floor gate hall building seat platform shelf locker box bay desk".split())
_DETERMINERS = frozenset("the a an my our his her their this that".split())
_NUMBER = re.compile(r"\d")
_DAYS = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december noon midnight""".split()
)


def replaces(older: str, newer: str) -> bool:
    """Whether the newer sentence gives another value to what the older one says, and says that it does.

    Args:
        older: One sentence of a speaker.
        newer: A later one of the same speaker.
    """
    if not (_is_one_assertion(older) and _is_one_assertion(newer)):
        return False
    old, new = plain(older).strip(), plain(newer).strip()
    return any(rule(old, new) for rule in (_moved_to, _left_for, _gave_up, _other_holder, _other_value))


def _other_value(old: str, new: str) -> bool:
    stripped, marked = _without_marks(new, old=old)
    if not marked:
        return False
    first, second = words(old), words(stripped)
    shared = _shared(first, second)
    while shared > 1 and first[shared - 1] in _PLACES | {
        "the",
        "a",
        "an",
    }:  # "in the shed" and "in Porto" are values of one kind
        shared -= 1
    tail = _shared(list(reversed(first[shared:])), list(reversed(second[shared:])))
    frame = first[:shared]
    value, other = first[shared : len(first) - tail], second[shared : len(second) - tail]
    if len(frame) < _SHORTEST_FRAME and not (len(frame) > 1 and frame[-1] in _STATES):
        return False
    if not _has_one_value(frame) or not _are_alike(value, other, frame=frame):
        return False
    if not (_is_settled_place(value, text=old) and _is_settled_place(other, text=new)):
        return False
    return _is_named(value, text=old) == _is_named(other, text=new)


def _has_one_value(frame: Sequence[str]) -> bool:
    """Whether what follows these words is one at a time."""
    if frame[0] not in {"the", "my", "our", "i", "we", "this"} or (frame[0] == "the" and frame[1] in _MANY):
        return False
    if any(word in _STATES for word in frame):
        return True
    return "has" in frame and "of" in frame[frame.index("has") :]  # "has a ratio of 1:40"


def _are_alike(value: Sequence[str], other: Sequence[str], *, frame: Sequence[str]) -> bool:
    """Whether two values answer the same question: where, when, how much, what name."""
    if not value or not other or value == other or max(len(value), len(other)) > _LONGEST_VALUE:
        return False
    if _is_numbered(value) != _is_numbered(other):
        return False
    if value[0] in _PLACES or other[0] in _PLACES:
        if value[0] != other[0] and not (frame[-1] in _WHEREABOUTS and {value[0], other[0]} <= _PLACES):
            return False
        return _is_measured(value) == _is_measured(other)
    if frame[-1] in {"called", "named", "to", "at", "of", "in", "on", "the"}:
        return _is_measured(value) == _is_measured(other)
    return _is_measured(value) and _is_measured(other)


def _is_settled_place(value: Sequence[str], *, text: str) -> bool:
    """Whether a value that begins like a place is one: "in Porto", "in the attic", but not "in trouble"."""
    if value[0] not in _PLACES or len(value) == 1 or _is_measured(value) or value[1] in _DETERMINERS:
        return True
    return value[1].capitalize() in text or len(value) > 2  # noqa: PLR2004 "at town hall"


def _is_named(value: Sequence[str], *, text: str) -> bool:
    """Whether a value is a name: "at Nokia" and "at my desk" answer different questions."""
    first = value[1] if len(value) > 1 and value[0] in _PLACES else value[0]
    return first not in _DETERMINERS and not _is_measured(value) and first.capitalize() in text


def _moved_to(old: str, new: str) -> bool:
    """As in "the meeting is on Tuesday", "the meeting was moved to Thursday"."""
    moved = _MOVED.match(new)
    if not moved:
        return False
    subject, first = words(moved["subject"]), words(old)
    rest = first[len(subject) :]
    if first[: len(subject)] != subject or not rest or rest[0] not in _STATES | {"was", "takes"}:
        return False
    value = words(moved["value"])
    return _is_measured(rest) and _is_measured(value) and len(rest) <= _LONGEST_VALUE + 1 and rest[1:] != value


def _left_for(old: str, new: str) -> bool:
    """As in "we host the site on Netlify", "we moved the site from Netlify to our own server"."""
    left = _LEFT.match(new)
    if not left:
        return False
    first = words(old)
    given_up = [word for word in words(left["old"] or left["old2"]) if word not in _SMALL]
    about = " ".join(filter(None, (left["what"], *_ABOUT.findall(left["new"]))))
    named = {word for word in words(about) if word not in _SMALL}
    content = [word for word in first if word not in _SMALL]
    if not given_up or not set(given_up) <= set(content):
        return False
    left_over = [word for word in content if word not in given_up and word not in named]
    if first[0] == left["who"].casefold():
        return len(left_over) <= 1  # its verb
    return first[0] in {"the", "our", "my"} and bool(named & set(content)) and not left_over


def _gave_up(old: str, new: str) -> bool:
    """As in "I drive a green Corolla", "I sold the Corolla"."""
    gave_up, has = _GAVE_UP.match(new), _HAS.match(" ".join(words(old)))
    if not gave_up or not has or gave_up["who"].casefold() != has["who"]:
        return False
    thing, owned = words(gave_up["what"]), has["what"].split()
    return bool(thing) and owned[-len(thing) :] == thing and len(owned) - len(thing) <= 1


def _other_holder(old: str, new: str) -> bool:
    """As in "the caretaker is Mr Lind", "the caretaker is Mrs Falk now"."""
    stripped, marked = _without_marks(new, old=old)
    first, second = words(old), words(stripped)
    if not marked or "is" not in first[1:] or first[0] not in {"the", "our"} or first[1] in _MANY:
        return False
    begin = first.index("is") + 1
    if first[:begin] != second[:begin] or first == second:
        return False
    value, other = first[begin:], second[begin:]
    if not value or not other or max(len(value), len(other)) > _LONGEST_NAME:
        return False
    return _is_named(value, text=old) and _is_named(other, text=new)


def _without_marks(new: str, *, old: str) -> tuple[str, bool]:
    """The newer sentence without the words that say that something changed, and whether there were any."""
    stripped = _OPENING.sub("", new)
    denied = _NOT_OLD.search(stripped)
    if denied and set(words(denied["old"])) <= set(words(old)):
        stripped = stripped[: denied.start()]
    stripped = _ENDING.sub(" ", stripped).strip(" .!,")
    return stripped, len(stripped) < len(new.strip(" .!,"))


@lru_cache(maxsize=20_000)  # a memory is compared with many others
def _is_one_assertion(text: str) -> bool:
    spans = list(sentences(text))
    if len(spans) > 2:  # noqa: PLR2004 a correction may open with a sentence of its own
        return False
    return mood_of(plain(text)) is Mood.ASSERTED


def _shared(first: Sequence[str], second: Sequence[str]) -> int:
    pairs = zip(first, second, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(first), len(second)))


def _is_numbered(value: Sequence[str]) -> bool:
    return bool(_NUMBERED_PLACES & set(value)) and _is_measured(value)


def _is_measured(value: Sequence[str]) -> bool:
    return any(_NUMBER.search(word) or word in _DAYS for word in value)
