"""Pure: text to sentences and to pieces of bounded length, with offsets.

Own rules rather than a library: sentence splitters cost milliseconds a text or know few languages, and what matters
here (brackets stay whole, no split after "Dr." or inside 3.14, Chinese and Japanese marks) is one expression each.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_ABBREVIATIONS = (
    "mr mrs ms dr prof sr jr st vs etc e.g i.e eg ie approx no nr inc ltd co dept fig vol pp ca bzw z.b usw d.h u.a"
    " s.o evtl inkl ggf tel bd hr fr mme mlle p.ex av sra ud uds mon tue wed thu fri sat sun jan feb mar apr jun jul"
    " aug sep sept oct nov dec"
)
_NO_END = re.compile(
    rf"(?:^|[\s(\[\"'“])(?:{'|'.join(re.escape(w) for w in _ABBREVIATIONS.split())}|(?:[A-Za-z]\.)*[A-Za-z])\.$",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"(?:^|\s)\d{1,3}\.$")
_EDGE = re.compile(
    r"[.!?…]+[\"'”’»)\]*_]*(?=\s)"
    r"|[。！？｡]+[」』”’）]*"
    r"|\n+"
    r"|(?<=\S)[ \t]+(?=\[(?:shares|shared|attached|image|photo|video|code|file|tools))"
)
_SOFT_EDGE = re.compile(
    r"[;:—–,、，；](?=\s)|[、，；]|\s[-–—]\s|\s(?=(?:and|but|because|so|und|aber|weil|et|mais|y|pero)\s)"
)
_BRACKET_CHARS = 300
_BULLET = re.compile(r"[ \t]*(?:[-*•·+]|\d{1,3}[.)])[ \t]+")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a text: offsets without surrounding spaces, `end` behind the last character."""

    start: int
    end: int


def sentences(text: str) -> list[Chunk]:
    """Sentences, lines and bracketed notes in order; together they hold every visible character."""
    chunks: list[Chunk] = []
    begin = 0
    for edge in _EDGE.finditer(text):
        if edge.end() < begin or _continues(text, edge, begin=begin):
            continue
        _append(chunks, text, begin=begin, end=edge.end())
        begin = edge.end()
    _append(chunks, text, begin=begin, end=len(text))
    return chunks


def _continues(text: str, edge: re.Match[str], *, begin: int) -> bool:
    """Whether a mark doesn't end the sentence: inside of brackets, after an abbreviation, before a small letter."""
    if not edge[0].isspace():
        opened = text.rfind("[", max(begin, edge.start() - _BRACKET_CHARS), edge.start())
        closed = text.find("]", opened, edge.start() + _BRACKET_CHARS) if opened >= 0 else -1
        if closed >= edge.end():
            return True
    if not edge[0].startswith("."):
        return False
    head = text[max(begin, edge.end() - 12) : edge.end()]
    following = text[edge.end() : edge.end() + 3].lstrip(" \t")[:1]
    if edge[0] == "." and (_NO_END.search(head) or _ORDINAL.search(head)):
        # "... at 5 p.m. We left": some abbreviations before a capital do end a sentence.
        return not (following.isupper() and head.lower().endswith(("p.m.", "a.m.", "etc.", " i.")))
    return following.islower()


def _append(chunks: list[Chunk], text: str, *, begin: int, end: int) -> None:
    while begin < end and text[begin].isspace():
        begin += 1
    while end > begin and text[end - 1].isspace():
        end -= 1
    if begin < end:
        chunks.append(Chunk(begin, end))


def without_bullet(text: str, chunk: Chunk) -> Chunk:
    """The chunk without the sign of a list in front."""
    match = _BULLET.match(text, chunk.start, chunk.end)
    return Chunk(match.end(), chunk.end) if match and match.end() < chunk.end else chunk


def split_long(text: str, chunk: Chunk, *, limit: int) -> list[Chunk]:
    """Cut a sentence that is longer than `limit` characters, at a clause where there is one, else at a word."""
    parts: list[Chunk] = []
    begin = chunk.start
    while chunk.end - begin > limit:
        window_end = begin + limit
        edges = [edge.end() for edge in _SOFT_EDGE.finditer(text, begin + limit // 3, window_end)]
        cut = edges[-1] if edges else text.rfind(" ", begin + limit // 3, window_end)
        cut = cut if cut > begin else window_end
        _append(parts, text, begin=begin, end=cut)
        begin = cut
    _append(parts, text, begin=begin, end=chunk.end)
    return parts


def pack(lengths: Sequence[int], *, limit: int) -> list[range]:
    """Group neighbours so that each group, joined by one character, stays within `limit`, in as few groups as possible.

    Args:
        lengths: Length of each piece; one that is longer than the limit gets a group of its own.
        limit: Longest group.
    """
    groups: list[range] = []
    start, total = 0, 0
    for index, length in enumerate(lengths):
        if index > start and total + 1 + length > limit:
            groups.append(range(start, index))
            start, total = index, 0
        total += length + (1 if index > start else 0)
    if lengths:
        groups.append(range(start, len(lengths)))
    return groups
