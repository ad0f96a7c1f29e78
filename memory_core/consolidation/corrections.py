"""Pure: joins a correction that can't be understood alone with what it corrects."""

import re
from collections.abc import Sequence

from memory_core.claims.corrections import Correction, bare_correction, corrected
from memory_core.claims.words import sentences
from memory_core.models.turn import Turn
from memory_core.values import Origin

LOOKED_BACK = 4
"""Utterances before a correction in which to look for what it corrects: people correct what was just said."""
_TO_THE_USER = (
    (re.compile(r"\b(?:you're|you are)\b", re.IGNORECASE), "I am"),
    (re.compile(r"\b(?:you've|you have)\b", re.IGNORECASE), "I have"),
    (re.compile(r"\byours\b", re.IGNORECASE), "mine"),
    (re.compile(r"\byour\b", re.IGNORECASE), "my"),
    (re.compile(r"\byou\b", re.IGNORECASE), "I"),
)


def joined(turn: Turn, *, earlier: Sequence[Turn]) -> str | None:
    """What a turn says when it is only a correction: the corrected sentence; None for every other turn.

    Args:
        turn: The turn.
        earlier: Turns of the same session before it, oldest first.
    """
    if turn.role != Origin.USER or not turn.text or (correction := bare_correction(turn.text)) is None:
        return None
    for said in reversed(earlier[-LOOKED_BACK:]):
        by_same = said.role == Origin.USER and said.speaker == turn.speaker
        if said.text and (by_same or said.role == Origin.ASSISTANT):
            for sentence in reversed(_told(said.text)):
                if right := _apply(sentence, correction, by_assistant=said.role == Origin.ASSISTANT):
                    return right
    return None


def _told(text: str) -> list[str]:
    """Sentences that tell something; what is asked needs no correction."""
    found = [text[begin:end].strip() for begin, end in sentences(text)]
    return [sentence for sentence in found if not sentence.endswith("?")]


def _apply(sentence: str, correction: Correction, *, by_assistant: bool) -> str | None:
    right = corrected(sentence, correction)
    if right is None or not by_assistant:
        return right
    for pattern, mine in _TO_THE_USER:
        right = pattern.sub(mine, right)
    return f"{right[:1].upper()}{right[1:]}"
