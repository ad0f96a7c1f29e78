"""From a text with personal data and secrets to one that may be kept: typed placeholders, the sentence stays readable.

A placeholder is the kind and a number in square brackets, `[email 1]`. Within one text the same value has the same
number. Placeholders that stand in the text already keep their numbers, so redacting twice changes nothing.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from memory_core.privacy.detectors import find_sensitive
from memory_core.privacy.spans import SensitiveKind, Span, blank

_NOT_A_DIGIT = re.compile(r"\D+")
_PLACEHOLDER = re.compile(rf"\[({'|'.join(SensitiveKind)}) (\d{{1,6}})\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Redacted:
    """A text that may be kept.

    Attributes:
        text: The text with placeholders.
        counts: How many stretches of each kind were replaced; kinds that weren't found are absent.
    """

    text: str
    counts: Mapping[SensitiveKind, int]


def redact(text: str, *, pii: bool = True) -> Redacted:
    """Replace secrets, and personal data too if `pii`, by placeholders.

    Args:
        text: Any text; linear in its length.
        pii: Also e-mail addresses, phone numbers, US social security numbers and card numbers.
    """
    highest: dict[SensitiveKind, int] = {}
    present: list[Span] = []
    for match in _PLACEHOLDER.finditer(text):
        kind = SensitiveKind(match[1])
        present.append(Span(start=match.start(), end=match.end(), kind=kind))
        highest[kind] = max(highest.get(kind, 0), int(match[2]))
    numbers: dict[tuple[SensitiveKind, str], int] = {}
    counts: Counter[SensitiveKind] = Counter()
    parts: list[str] = []
    position = 0
    for span in find_sensitive(blank(text, present), pii=pii):
        start, end, kind = span
        identity = (kind, _reduced(text[start:end], kind))
        if identity not in numbers:
            highest[kind] = numbers[identity] = highest.get(kind, 0) + 1
        parts += (text[position:start], f"[{kind} {numbers[identity]}]")
        counts[kind] += 1
        position = end
    parts.append(text[position:])
    return Redacted(text="".join(parts), counts=MappingProxyType(dict(counts)))


def _reduced(value: str, kind: SensitiveKind) -> str:
    """What two spellings of one value have in common."""
    match kind:
        case SensitiveKind.EMAIL:
            return value.casefold()
        case SensitiveKind.PHONE | SensitiveKind.SSN | SensitiveKind.CARD:
            return _NOT_A_DIGIT.sub("", value)
        case _:
            return value
