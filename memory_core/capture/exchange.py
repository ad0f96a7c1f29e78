"""Pure: what a short answer owes to the question before it."""

import re

from memory_core.capture.chunking import sentences
from memory_core.capture.sentence_value import content_words, is_question

_LIMIT_CHARS = 160
_BARE_ANSWER = re.compile(
    r"\W*(?:(?:yes|yeah|yep|yup|no|nope|sure|exactly|right|correct|true|indeed|definitely|absolutely|not (?:really"
    r"|yet|any ?more)|never|always|ja|nein|genau|doch|oui|non|si|sí|exacto|claro|sim|não"
    r"|是的?|对|不是|没有|はい|いいえ|네|아니요)\b\W*){1,3}"
    r"(?:(?:i|we|it|they|he|she) (?:do|did|does|am|are|is|was|were|have|has|had|will|would|can)(?:n't| not)?\W*)?",
    re.IGNORECASE,
)
# Offers and requests: a "yes" to them is a wish of the moment, no fact.
_OFFER = re.compile(
    r"^\W*(?:so|ok|and|well)?,?\s*(?:should|shall|may|can|could|would you|do you (?:want|need)(?: me)?|want me|will"
    r" you|soll|darf|möchtest|puis-je|veux-tu|voulez|quieres|puedo|need (?:help|anything)|anything else|ready)\b",
    re.IGNORECASE,
)


# Questions that open a talk: whatever follows is no answer to them.
_OPENING = re.compile(
    r"\b(?:can i (?:help|do)|may i help|help you|what's up|what(?:'s| is) new|how (?:are|is)"
    r" (?:you|it|things|everything)"
    r"|how(?:'s| have) (?:you|it|life)|anything (?:else|new)|kann ich .{0,24}(?:helfen|tun)|wie (?:geht|läuft)|alles"
    r" klar"
    r"|was (?:gibt's|steht an|liegt an)|was macht|en qué puedo|puedo ayudar|qué tal|cómo (?:estás|está|va)|comment"
    r" (?:vas"
    r"|allez|ça va)|ça va|puis-je vous aider)\b",
    re.IGNORECASE,
)
# What the other one supposes; "no" to it leaves nothing, and "yes" makes no fact of a guess.
_SUPPOSITION = re.compile(
    r"^\W*(?:maybe|perhaps|or maybe|vielleicht|möchtest|magst|hättest|quizás?|tal vez|peut-être|would you"
    r" (?:like|prefer))\b",
    re.IGNORECASE,
)


def begins_as_answer(sentence: str) -> bool:
    """Whether a sentence begins with yes or no, in whatever words."""
    return _BARE_ANSWER.match(sentence) is not None


def answer_prefix(previous_text: str, *, bare: bool) -> str:
    """The last question of the utterance before, ready to stand in front of its answer.

    Args:
        previous_text: The utterance before.
        bare: The answer says only yes or no, so the question has to carry a fact by itself.

    Returns:
        The question and a dash, or nothing when the utterance didn't end with a question that says anything.
    """
    chunks = sentences(previous_text)
    asked = [previous_text[chunk.start : chunk.end] for chunk in chunks]
    while asked and asked[-1].startswith("["):
        asked.pop()
    if not asked or not is_question(asked[-1]):
        return ""
    question = " ".join(asked[-1].split())
    words = content_words(question)
    if not words or _OPENING.search(question):
        return ""
    if bare and (_OFFER.match(question) or _SUPPOSITION.match(question)):
        return ""
    return f"{question[-_LIMIT_CHARS:]} — "
