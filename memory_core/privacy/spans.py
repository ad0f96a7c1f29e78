"""Stretches of a text that must not be kept, and how they join."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple


class SensitiveKind(StrEnum):
    """What a sensitive stretch is; the value stands in its placeholder."""

    EMAIL = "email"
    PHONE = "phone"
    SSN = "ssn"
    CARD = "card"
    API_KEY = "api key"
    TOKEN = "token"  # noqa: S105 a kind, no secret
    PASSWORD = "password"  # noqa: S105 a kind, no secret
    PRIVATE_KEY = "private key"
    SECRET = "secret"  # noqa: S105 a kind, no secret


class Span(NamedTuple):
    """A sensitive stretch: character offsets, `end` behind the last one.

    A tuple because a text of 100 KB may hold thousands, each of them made several times.
    """

    start: int
    end: int
    kind: SensitiveKind


def join(spans: Iterable[Span]) -> list[Span]:
    """Make overlapping spans one, so that no character of any of them is left over.

    Returns:
        Spans in ascending order without overlap; a joined span has the kind of the part that starts first, and of the
        longest among those.
    """
    joined: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if joined and span.start < joined[-1].end:
            last = joined[-1]
            joined[-1] = Span(start=last.start, end=max(last.end, span.end), kind=last.kind)
        else:
            joined.append(span)
    return joined


def blank(text: str, spans: Iterable[Span]) -> str:
    """The text of the same length with the spans overwritten by a character that no detector reads."""
    parts: list[str] = []
    position = 0
    for span in spans:
        parts += (text[position : span.start], "\ufffc" * (span.end - span.start))
        position = span.end
    return "".join(parts) + text[position:]
