"""Pure: a block of code becomes a short mention: its language, its length, the names it defines."""

import re
from dataclasses import dataclass

_BLOCK = re.compile(
    r"^[ \t]*```[ \t]*(?P<language>[\w+#.-]{0,20})[^\n]*\n(?P<body>[\s\S]*?)(?:^[ \t]*```[ \t]*$|\Z)", re.MULTILINE
)
_DEFINED = re.compile(
    r"^\s*(?:export\s+|public\s+|private\s+|static\s+|async\s+|pub\s+)*"
    r"(?:def|class|function|func|fn|interface|struct|enum|trait|module|CREATE TABLE(?: IF NOT"
    r" EXISTS)?)\s+(?P<name>[A-Za-z_]\w{1,40})",
    re.MULTILINE | re.IGNORECASE,
)
_NAMES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeBlock:
    """A fenced block: the word behind the fence, empty without one, and what stands between the fences."""

    language: str
    body: str


def blocks_of(text: str) -> list[CodeBlock]:
    """The fenced blocks of a text, in order."""
    return [CodeBlock(language=found["language"], body=found["body"]) for found in _BLOCK.finditer(text)]


def mention_code(text: str) -> str:
    """The text with every fenced block of code replaced by a bracketed mention."""
    return _BLOCK.sub(_mention, text) if "```" in text else text


def _mention(match: re.Match[str]) -> str:
    body = match["body"]
    lines = sum(1 for line in body.splitlines() if line.strip())
    if not lines:
        return ""
    names = list(dict.fromkeys(found["name"] for found in _DEFINED.finditer(body)))[:_NAMES]
    about = f": {', '.join(names)}" if names else ""
    language = f"{match['language']}, " if match["language"] else ""
    return f"[code, {language}{lines} lines{about}]\n"
