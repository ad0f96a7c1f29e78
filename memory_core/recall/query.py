"""The text that is searched for: bounded, newest intent first; SPEC section 3."""

import re
import unicodedata

MAX_QUERY_CHARS = 200
SHORT_MESSAGE_WORDS = 6
"""A message of so few words leans on what was said before."""
ANSWER_WORDS = 20
"""How much of the last answer is looked at: its opening tells the topic."""
_SPACES = re.compile(r"\s+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_AGREEING = frozenset(
    _WORD.findall(
        "yes yeah yep yup ok okay sure right exactly correct indeed absolutely definitely please thanks thank you "
        "great good fine nice cool perfect do it that this one go on ahead continue then the sounds that's "
        "ja genau klar gerne bitte danke gut mach das weiter oui ouais exactement merci vas y ça sí si claro vale "
        "gracias ese esa eso sim isso obrigado obrigada certo grazie esatto va bene quello да ага хорошо ладно спасибо "
        "好 好的 对 是的 嗯 谢谢 はい うん お願いします そう 네 응 그래 좋아 좋아요"
    )
)
"""Words of which a message may consist that only takes up what was said before."""


def build_query(message: str, *, previous_user: str | None, last_assistant: str | None) -> str:
    """Join the message with what it leans on, drop repeated words, cut to `MAX_QUERY_CHARS` at a word.

    Args:
        message: What the person wrote now.
        previous_user: What the same person wrote before; used when the message is short.
        last_assistant: The last answer; its opening is always added.
    """
    parts = [message]
    if previous_user and leans_on_what_was_said(message):
        parts.append(previous_user)
    if last_assistant:
        parts.append(" ".join(last_assistant.split()[:ANSWER_WORDS]))
    return _cut(" ".join(_distinct(_SPACES.sub(" ", " ".join(parts)).strip().split(" "))))


def leans_on_what_was_said(message: str) -> bool:
    """Whether the message is short enough to be about the exchange before it."""
    return len(message.split()) <= SHORT_MESSAGE_WORDS


def only_agrees(message: str) -> bool:
    """Whether the message only takes up what was said before, such as "yeah, that one": it adds nothing to a query."""
    words = _WORD.findall(message.casefold())
    return bool(words) and leans_on_what_was_said(message) and _AGREEING.issuperset(words)


def measured_chars(text: str) -> int:
    """Length as `minPromptChars` counts it: a wide character (Chinese, Japanese, Korean) says as much as two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text.strip())


def _distinct(words: list[str]) -> list[str]:
    first: dict[str, str] = {}
    for word in words:
        first.setdefault(word.casefold().strip(".,;:!?\"'()") or word, word)
    return list(first.values())


def _cut(text: str) -> str:
    if len(text) <= MAX_QUERY_CHARS:
        return text
    head = text[: MAX_QUERY_CHARS + 1].rsplit(" ", 1)[0]
    return head if len(head) <= MAX_QUERY_CHARS else text[:MAX_QUERY_CHARS]
