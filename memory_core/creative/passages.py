"""Pure: from the content of an artifact to what is remembered of it: a mention, and passages to find it by."""

from dataclasses import dataclass

from memory_core.capture.chunking import Chunk, pack, sentences, split_long
from memory_core.keywords import content_words

PASSAGE_CHARS = 1000
"""About 250 word pieces of English, which is what the embedder reads of a text."""
MAX_PASSAGES = 120
"""A passage costs about 0.1 s of CPU to embed; of a content with more, as many are taken at even distances."""
EXCERPT_CHARS = 300
_NAME_CHARS = 120
_TITLE_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What an artifact is called, and where it belongs."""

    title: str
    project: str
    space: str
    kind: str


def first_line(content: str) -> str:
    """What a content without a title is called: its first line that says something."""
    lines = (line.strip("#*=-_> \t\r") for line in content.lstrip().splitlines()[:20])
    return next((line[:_TITLE_CHARS] for line in lines if line), "Untitled")


def excerpt_of(content: str) -> str:
    """How a content begins, on one line."""
    words = " ".join(content[: 4 * EXCERPT_CHARS].split())
    return words if len(words) <= EXCERPT_CHARS else words[:EXCERPT_CHARS].rsplit(" ", 1)[0] + " …"


def excerpt_around(passage: str, query: str) -> str:
    """The stretch of a passage that begins with the sentence that holds most words of a query, on one line."""
    wanted = content_words(query)
    parts = sentences(passage)
    if not parts or not wanted:
        return excerpt_of(passage)
    best = max(parts, key=lambda part: len(wanted & content_words(passage[part.start : part.end])))
    return excerpt_of(passage[best.start :])


def mention(named: Named, *, excerpt: str) -> str:
    """The statement that says that there is such an artifact."""
    kind = named.kind.replace("_", " ")
    said = f'"{_short(named.title)}" is a {kind} kept in project {named.project}, space {named.space}.'
    return f"{said} It begins: {excerpt}" if excerpt else said


def searched_as(named: Named, passage: str) -> str:
    """What is embedded of a passage: it rarely says itself what it is part of."""
    return f"{_short(named.title)}: {passage}"


def passages(content: str) -> list[str]:
    """Stretches of a content, in order: all of it, or as many as are allowed from its whole length."""
    if len(content) > MAX_PASSAGES * PASSAGE_CHARS:
        step = len(content) / MAX_PASSAGES
        taken = (content[int(step * number) :][:PASSAGE_CHARS] for number in range(MAX_PASSAGES))
        return [text for text in map(_whole_words, taken) if text]
    parts = [part for chunk in sentences(content) for part in split_long(content, chunk, limit=PASSAGE_CHARS)]
    groups = pack([part.end - part.start for part in parts], limit=PASSAGE_CHARS)
    return [_stretch(content, parts[group.start : group.stop]) for group in groups][:MAX_PASSAGES]


def _stretch(content: str, parts: list[Chunk]) -> str:
    return content[parts[0].start : parts[-1].end]


def _whole_words(text: str) -> str:
    """Without the pieces of words at both ends; a text without blanks stays whole."""
    words = text.split(maxsplit=1)
    inner = words[1] if len(words) > 1 else text
    return inner.rsplit(maxsplit=1)[0] if len(inner.split(maxsplit=1)) > 1 else inner


def _short(name: str) -> str:
    return name if len(name) <= _NAME_CHARS else f"{name[:_NAME_CHARS]} …"
