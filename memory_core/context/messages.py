"""Pure: what the context engine sees of a message that it passes on untouched."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Any, NamedTuple, cast

from memory_core.context.tokens import MEDIA_TOKENS, MESSAGE_TOKENS, estimate_tokens

USER, ASSISTANT = "user", "assistant"
_TEXTS = frozenset({"text", "input_text", "output_text"})
_HIDDEN = frozenset({"thinking", "reasoning", "redacted_thinking"})
_CALLS = frozenset({"toolCall", "tool_use", "tool_call"})
_SPEAKERS = frozenset({USER, ASSISTANT})
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")
_DIGEST_BYTES = 12
_OMITTED_CHARS = 3
"""Characters a token of what isn't seen: it may be program text."""


class Message(NamedTuple):
    """One message of a transcript, read; a tuple, since each assembly reads thousands.

    Attributes:
        role: `user`, `assistant`, or another for what tools answered.
        text: Its words; hidden reasoning and media are no words.
        calls: Names of the tools it calls.
        wordless_tokens: About what all but the words takes in the model's context.
        key: The caller's name of the exchange that this message begins; None where it has none.
        at: When it was said.
        sender_id: Who said it, where the transcript tells.
    """

    role: str
    text: str
    calls: tuple[str, ...]
    wordless_tokens: int
    key: str | None
    at: datetime | None
    sender_id: str | None

    @property
    def begins_exchange(self) -> bool:
        """Whether somebody speaks here; all that follows up to the next one answers it."""
        return self.role == USER

    @property
    def tokens(self) -> int:
        """About what it takes in the model's context; counted when asked, since most messages lie before the window."""
        return self.wordless_tokens + estimate_tokens(self.text)

    def digest(self) -> bytes:
        """A short hash of role, words and calls.

        What tools answered and hidden reasoning stay out: hosts shorten those in messages that are old.
        """
        said = self.text if self.role in _SPEAKERS else ""
        joined = "\0".join((self.role, said, *self.calls)).encode(errors="surrogatepass")
        return blake2b(joined, digest_size=_DIGEST_BYTES).digest()


def read_message(
    role: str,
    content: object,
    *,
    at: datetime | None,
    key: str | None = None,
    sender_id: str | None = None,
    omitted_chars: int = 0,
) -> Message:
    """Read a message; whatever isn't understood, or was left out by the caller, counts by its size only.

    Args:
        role: Who speaks; empty for the user.
        content: Words, or a list of parts as they came over the wire.
        at: When it was said.
        key: The caller's name of the exchange that it begins.
        sender_id: Who said it, where the transcript tells.
        omitted_chars: How many characters the caller left out.
    """
    text, calls, hidden = (content, (), 0) if isinstance(content, str) else _read_parts(_listed(content))
    return Message(
        role or USER,
        text if text.isascii() and "\0" not in text else _storable(text),
        calls,
        MESSAGE_TOKENS + hidden + omitted_chars // _OMITTED_CHARS,
        key,
        at,
        sender_id,
    )


def total_tokens(messages: Sequence[Message]) -> int:
    """About what messages take together."""
    return sum(message.tokens for message in messages)


def _storable(text: str) -> str:
    """Without what UTF-8 or a database can't hold: NUL, and halves of surrogate pairs, as hosts cut emoji."""
    return _HALF_A_PAIR.sub("\ufffd", text.replace("\0", ""))


def _listed(content: object) -> Iterable[object]:
    return cast("list[object]", content) if isinstance(content, list) else ()


def _read_parts(parts: Iterable[object]) -> tuple[str, tuple[str, ...], int]:
    """Words, names of called tools, and tokens of what is neither."""
    texts: list[str] = []
    calls: list[str] = []
    hidden = 0
    for part in parts:
        if not isinstance(part, dict):
            continue
        seen = cast("Mapping[str, Any]", part)
        kind = seen.get("type")
        if kind in _TEXTS:
            texts.append(str(seen.get("text", "")))
            continue
        hidden += _hidden_tokens(seen)
        if kind in _CALLS:
            calls.append(str(seen.get("name", "")))
    return "\n".join(filter(None, texts)), tuple(calls), hidden


def _hidden_tokens(part: Mapping[str, Any]) -> int:
    kind = part.get("type")
    if kind in _HIDDEN:
        return estimate_tokens(str(part.get("thinking") or part.get("text") or ""))
    if kind in _CALLS:
        return estimate_tokens(json.dumps(part.get("arguments") or part.get("input") or {}, default=str))
    if kind in {"image", "image_url", "audio", "video", "file"}:
        return MEDIA_TOKENS
    return estimate_tokens(json.dumps(part, default=str))
