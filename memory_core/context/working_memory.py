"""Pure: of what left the model's context lately, the sentences that a conversation can't go on without.

Decisions, open tasks and named values (ports, versions, paths, ids) are needed word for word, and before consolidation
has made memories of them.
"""

import re
from collections.abc import Iterable

MAX_SENTENCES = 8
_SENTENCE_CHARS = 220
_SENTENCES = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_DECISION = re.compile(
    r"\b(?:we(?:'ll| will| have)? (?:decided|agreed|settled|chose|go with|use)|decision|decided"
    r"|let'?s (?:use|go with|do)|from now on|instead of|wir nehmen|entschieden|beschlossen|decidimos|on a décidé)\b",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"\b(?:todo|to-do|remind me|need(?:s)? to|has to|have to|must|by (?:monday|tuesday|wednesday|thursday|friday"
    r"|saturday|sunday|tomorrow)|deadline|action item|next step|follow up|muss noch|erinnere mich|pendiente)\b",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"\b(?:port|pin|code|key|id|ticket|version|host|address|branch|commit|room|gate|number|path|url)\b[^.\n]{0,24}?\d"
    r"|\b[A-Z][A-Z0-9]+-\d+\b|\bv?\d+\.\d+(?:\.\d+)+\b|(?<![\w/])/(?:[\w.-]+/)+[\w.-]+|\bhttps?://\S+"
    r"|\b[A-Z][A-Z0-9_]{3,}\s*=\s*\S+|\b\d{4,}\b",
)


_ASCII = range(128)
_PLAIN = bytes(
    0x20 if chr(code).isspace() else ord(chr(code).lower()) if code in _ASCII else code for code in range(256)
)
"""What becomes of each ASCII character."""


def telling_sentences(texts: Iterable[str], *, known: str, limit: int = MAX_SENTENCES) -> list[str]:
    """Sentences with a decision, an open task or a named value.

    Args:
        texts: What was said, newest first.
        known: What the model sees anyway, as `flatten` gives it; sentences of it are left out.
        limit: Most sentences.

    Returns:
        Newest first, each once.
    """
    found: dict[str, str] = {}
    for text in texts:
        for sentence in _SENTENCES.split(text):
            flat = flatten(sentence)
            if not flat or flat in found or flat in known or not _tells(sentence):
                continue
            found[flat] = sentence.strip()[:_SENTENCE_CHARS]
            if len(found) == limit:
                return list(found.values())
    return list(found.values())


def is_telling(text: str) -> bool:
    """Whether any sentence of a text is such a one."""
    return any(map(_tells, _SENTENCES.split(text)))


def flatten(text: str) -> str:
    """A text as two of them are compared: one case, single blanks."""
    if not text.isascii():
        return " ".join(text.casefold().split())
    # The same in a fifth of the time, which tells where a whole transcript is compared.
    plain = text.encode().translate(_PLAIN)
    while len(shorter := plain.replace(b"  ", b" ")) < len(plain):
        plain = shorter
    return plain.strip(b" ").decode()


def _tells(sentence: str) -> bool:
    if sentence.rstrip().endswith(("?", "？")):
        return False
    return any(pattern.search(sentence) for pattern in (_VALUE, _DECISION, _TASK))
