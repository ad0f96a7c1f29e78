"""Pure: what of an assistant's answer is manners, guesses and echoes, and what of a long one says most."""

import re
from collections.abc import Sequence

from memory_core.capture.sentence_value import content_words

_FILLER = re.compile(
    r"^\W*(?:(?:sure|of course|certainly|absolutely|gladly|okay|ok|alright|got it|noted|understood|great|good)(?:"
    r" question| idea| choice)?[,.!: ]+)?(?:(?:i'd be |i'm |i am )?(?:happy|glad|delighted|here) to help|let me know"
    r"|feel free|don't hesitate|would you like|do you want|want me to|if you(?:'d| would)? (?:like|want|need)|i can"
    r" (?:also |help)|i could (?:also )?|is there anything|(?:i )?hope (?:this|that|it) helps|as an ai|i'm sorry|i"
    r" apologi[sz]e"
    r"|(?:let me|i'll|i will|i'm going to) (?:remind|prepare|do|make sure|check|look|search|see|take a"
    r" look|think|find|remember|keep|make a note"
    r"|note|get back)|i(?:'ve| have) (?:noted|saved|remembered|made a note)|i(?:'ll| will)? remember|one moment"
    r"|working on it|all set|you're (?:very )?welcome|no problem|good luck|enjoy|thanks for|thank you for|that(?:'s|"
    r" is|"
    r" sounds) (?:great|wonderful|awesome|amazing|exciting|good|interesting|fantastic|lovely)|congratulations|it(?:'s"
    r"| is) (?:great|wonderful|good|nice) to|thanks,? i(?:'ve| have)|understood|makes sense|gerne?|mache ich|natürlich"
    r"|lass mich wissen|ich (?:merke|notiere) mir|ich (?:habe|hab) (?:es|das|mir)|ich erinnere dich|ich habe es notiert"
    r"|danke(?:,| für| dir)|verstanden|alles klar|in ordnung|viel (?:erfolg|glück|spaß|vergnügen)|das (?:klingt|kann"
    r" ich"
    r"|freut)|(?:sehr )?gut zu wissen|möchtest du|soll ich|ein(?:e)? (?:schöne[rs]?|gute|hübsche[rs]?) \w+|bien sûr"
    r"|n'hésite|d'accord|compris|de rien|je (?:note|retiens)|por supuesto|claro|avísame|te lo (?:recordaré|recuerdo)"
    r"|de nada|de acuerdo|entendido|perfecto|anotado|corregido|qué (?:buena|bien|bonito)|encantad[oa])\b",
    re.IGNORECASE,
)
_ANNOUNCEMENT = re.compile(
    r"^\W*(?:here(?:'s| is| are)|below|the following|hier (?:ist|sind)|voici|aquí)\b[^\n]{0,80}:\W*$", re.IGNORECASE
)
_GUESS = re.compile(
    r"\b(?:(?:maybe|perhaps|probably|possibly|i (?:guess|assume|suppose|imagine|bet)|it (?:sounds|seems|looks)"
    r" (?:like|as if)|sounds like|i take it)\b.{0,40}\byou(?:r|'re|'ve)?|you (?:might|may|must|probably|seem to|could"
    r" be|sound)|vielleicht .{0,30}(?:du|sie)\b|peut-être .{0,30}(?:tu|vous)\b|quizás? .{0,30}(?:tú|usted)\b)",
    re.IGNORECASE,
)
_ECHO = re.compile(
    r"^\W*(?:so,? |and |ah,? |oh,? |okay,? |ok,? |got it[,.:]? |also,? |entonces,? |así que )*(?:you(?:'re| are|'ve|"
    r" have)?|your"
    r"|as you|du|dein\w{0,2}|vives|tienes|eres|tu|tú|tus)\b",
    re.IGNORECASE,
)
_SAID_BACK = re.compile(
    r"^\W*(?:so,? )?(?:you (?:said|mentioned|told|asked|noted)|as you (?:said|mentioned))\b", re.IGNORECASE
)
_ABOUT_ONESELF = re.compile(
    r"\b(?:did|do|have|am|was) (?:i|we)\b[^.!]*\?|\bmy\b[^.!]*\?|\b(?:habe|bin|hatte|war)"
    r" ich\b[^.!]*\?|\bmein\w{0,2}\b[^.!]*\?"
    r"|\bmi\b[^.!]*\?|\b(?:dije|tengo|soy)\b[^.!]*\?",
    re.IGNORECASE,
)
_ECHO_SHARE, _ECHO_SHARE_OF_YOU = 0.8, 0.5
_TELLING = re.compile(
    r"\d|[A-ZÀ-Þ][a-zß-ÿ]+|\b(?:because|decided|result|total|costs?|use|set|is|are|means|recommend|best|must|never"
    r"|always)\b"
)
_NAMED = re.compile(r"(?<=[\w,;]) (?!I\b|I['’])[A-ZÀ-Þ]\w+|\b[A-Z]{2,}\b|[`\[]")
_GERMAN = re.compile(r"\b(?:der|die|das|ein|eine|einen|ist|ich|du|und|nicht|dir|dich|mit|für|am|im)\b", re.IGNORECASE)
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_REMARK_WORDS, _REMARK_WIDE_CHARS = 3, 8
_LETTER = re.compile(r"[^\W\d_]")
_LONGEST_WORD = re.compile(r"\S{160,}")
_TERMINAL = re.compile(
    r"[dlc-][rwxsStT-]{9}[.+@]?\s|total \d+$|[$#%] (?!\d)[\w./~-]+|[\w.-]+@[\w.-]+:[^\s$#]{0,80}[$#] |Traceback"
    r" \(most recent"
    r"|File \"[^\"\n]{1,300}\", line \d+|at [\w.$<>]{1,120} ?\([^)\n]{1,200}:\d+|\[?\d{4}-\d\d-\d\d["
    r" T]\d\d:\d\d:\d\d\S*"
    r" +\S{0,40} ?\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL)\b"
)
"""What a terminal printed and somebody pasted: listings, prompts, traces, lines of a log."""
_DUMP_CHARS, _DUMP_SHARE = 60, 0.45


def is_filler(sentence: str, *, heard: str) -> bool:
    """Whether a sentence of the assistant tells nothing new: manners, an offer, a guess about the user, an echo.

    Args:
        sentence: One sentence.
        heard: What the user said before.
    """
    figures = any(character.isdigit() for character in sentence)  # a time, a gate, a price: looked up, not remembered
    if _ECHO.match(sentence) and _ABOUT_ONESELF.search(heard) and not figures:
        return True  # what we told it about the user, told back
    if (
        _FILLER.match(sentence)
        or _ANNOUNCEMENT.match(sentence)
        or _GUESS.search(sentence)
        or _SAID_BACK.match(sentence)
    ):
        return True
    words = set(content_words(sentence))
    if not words:
        return True
    share = len(words & set(content_words(heard))) / len(words)
    return share >= (_ECHO_SHARE_OF_YOU if _ECHO.match(sentence) else _ECHO_SHARE)


def is_small_talk(texts: Sequence[str]) -> bool:
    """Whether what is left of an answer is a remark in passing: short, without a figure or a name."""
    text = " ".join(texts)
    if _WIDE.search(text):
        return len(text) < _REMARK_WIDE_CHARS and not any(c.isdigit() for c in text)
    if any(c.isdigit() for c in text) or len(content_words(text)) > _REMARK_WORDS:
        return False
    # German writes every noun like a name.
    return _GERMAN.search(text) is not None or _NAMED.search(text) is None


def is_low_value(sentence: str) -> bool:
    """Whether a line is a dump (base64, a stack of symbols, a table rule) rather than words."""
    if _TERMINAL.match(sentence):
        return True
    if _LONGEST_WORD.search(sentence) and len(sentence.split()) < 4:  # noqa: PLR2004 a long link in a sentence is fine
        return True
    letters = len(_LETTER.findall(sentence))
    if letters == 0:
        return not any(c.isdigit() for c in sentence)
    return len(sentence) > _DUMP_CHARS and letters < _DUMP_SHARE * len(sentence)


def most_telling(texts: Sequence[str], *, limit: int) -> list[int]:
    """Numbers of the `limit` texts with the most names, figures and verdicts, in order; always with the first."""
    ranked = sorted(range(1, len(texts)), key=lambda index: (-len(_TELLING.findall(texts[index])), index))
    return sorted([0, *ranked[: limit - 1]])
