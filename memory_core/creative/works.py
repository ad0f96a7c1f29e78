"""Pure: whether a long answer is a work that was made, such as code, a text or a plan, and what it is called."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from memory_core.capture.code_blocks import blocks_of
from memory_core.creative.passages import first_line
from memory_core.store.unsaved import LONG_ANSWER_CHARS

SAME_SHARE = 0.8
"""Share of a work's characters that must stand in another one for it to be the same work, a little revised."""
_TITLE_CHARS = 80
_TEXT_LANGUAGES = frozenset({"", "markdown", "md", "text", "txt", "plain", "plaintext"})
_TOOLS_NOTE = re.compile(r" \[tools: [^\]\n]{0,400}\]$")
"""`mention_tools` puts it behind an answer."""
_HEADING = re.compile(r"^[ \t]*#{1,3}[ \t]+(?P<title>[^\n]*\w[^\n]*?)[ \t#]*$", re.MULTILINE)
_MAKE = (
    "write|draft|compose|create|make|build|design|implement|generate|produce|prepare|plan|outline|rewrite|revise|refactor"
    "|expand|translate|sketch|devise|develop|program|code|put together|come up with"
    "|schreibe?|entwirf|verfasse|erstelle|plane|formuliere|baue?|überarbeite|übersetze"
    "|escribe|redacta|crea|prepara|diseña|planifica|traduce|haz(?:me|nos)?"
    "|écris|rédige|crée|prépare|traduis"
)
_ASKING = (
    "please|pls|(?:can|could|would|will) you|(?:want|need|like) you to|help (?:me|us)|let'?s|now|then|and|also|just"
    "|bitte|(?:kannst|könntest) du|por favor|(?:puedes|podrías)|s'il te plaît"
)
_REQUEST = re.compile(rf"(?:^|[.!?:;,\n]|\b(?:{_ASKING})\b)[\s\"'-]*(?:{_MAKE})\b", re.IGNORECASE)
_POLITE = re.compile(rf"^(?:(?:hi|hello|hey|ok(?:ay)?|{_ASKING})\b[\s,!.:-]*)+", re.IGNORECASE)
_PLAN = re.compile(
    r"\b(?:plan|itinerary|schedule|roadmap|checklist|agenda|timetable|zeitplan|ablaufplan|horario|itinerario)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A made thing, taken out of an answer.

    Attributes:
        kind: `code`, `plan` or `document`.
    """

    title: str
    kind: str
    content: str


def work_in(answer: str, *, asked: str) -> Work | None:
    """The work that an answer is, if it is one.

    It is code when its fenced blocks are long enough; any other text counts when it was asked to be made, or bears a
    title of its own. A long explanation is neither.

    Args:
        answer: What the assistant said, as it is buffered.
        asked: What the person had said; empty when unknown.
    """
    text = _TOOLS_NOTE.sub("", answer).strip()
    if len(text) < LONG_ANSWER_CHARS:
        return None
    blocks = [block for block in blocks_of(text) if block.body.strip()]
    if sum(len(block.body) for block in blocks) >= LONG_ANSWER_CHARS:
        # One file is kept as it is; of several only the words between them say which is which.
        content = blocks[0].body.strip("\n") if len(blocks) == 1 else text
        is_text = all(block.language.lower() in _TEXT_LANGUAGES for block in blocks)
        return _work(content, asked=asked, is_code=not is_text)
    if _REQUEST.search(asked) or _own_title(text):
        return _work(text, asked=asked, is_code=False)
    return None


def is_kept(content: str, *, in_other: Collection[str]) -> bool:
    """Whether nearly all lines of a work stand among the lines of another content; see `lines_of`."""
    lines = lines_of(content)
    total = sum(map(len, lines))
    return sum(len(line) for line in lines if line in in_other) >= SAME_SHARE * total


def lines_of(content: str) -> frozenset[str]:
    """The different lines of a content by which it is recognised: without blanks, marks and case."""
    lines = ("".join(filter(str.isalnum, line)).casefold() for line in content.splitlines())
    return frozenset(line for line in lines if line)


def _work(content: str, *, asked: str, is_code: bool) -> Work:
    # In code a line that begins with # is a comment.
    heading = "" if is_code else _first_heading(content)
    wish = _POLITE.sub("", first_line(asked)).strip() if asked.strip() else ""
    kind = "code" if is_code else "plan" if _PLAN.search(f"{heading} {asked}") else "document"
    return Work(title=_short(heading or wish or first_line(content)), kind=kind, content=content)


def _own_title(text: str) -> bool:
    """Whether a text begins with a heading and is divided by others."""
    first = _HEADING.match(text.lstrip())
    return first is not None and len(_HEADING.findall(text)) > 1


def _first_heading(content: str) -> str:
    found = _HEADING.search(content)
    return found["title"].strip("*_ ") if found else ""


def _short(title: str) -> str:
    return title if len(title) <= _TITLE_CHARS else title[:_TITLE_CHARS].rsplit(" ", 1)[0]
