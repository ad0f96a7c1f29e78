"""Sentences and words of a statement in the form in which they are compared."""

import re
import unicodedata
from collections.abc import Iterator

_END = re.compile(r"(?:[.!?…](?=\s+[^\s\d])|[.!?…]$|[;\n]|[。！？]|\?\s[—–-]\s)+\s*")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|sr|st|vs|no|nr|e\.g|i\.e|approx|a\.m|p\.m)|\b[A-Za-z])\.\s*$", re.IGNORECASE
)
_CLAUSE = re.compile(
    r",?\s+(?:and|but|while|und|aber|y|pero)\s+(?=(?:I|I'm|I've|i|we|We|my|our|the|he|she|they"
    r"|it|ich|wir|mein\w*|yo|mi)\b)"
)
_NOTE = re.compile(r"\s*\((?:[^()]*\b(?:19|20)\d\d[^()]*)\)")
"""A date that capture wrote out in brackets."""
_TITLE = re.compile(r"\b(Dr|Mr|Mrs|Ms|Prof|St)\.(?=\s[A-ZÀ-Þ])")
_WORD = re.compile(r"\d+(?:[.,:/-]\d+)*%?|[^\W\d_]+(?:['’-][^\W\d_]+)*|[+#€$£°]+")
_EXPANDED = {
    "i'm": "i am",
    "i've": "i have",
    "i'd": "i would",
    "i'll": "i will",
    "we're": "we are",
    "we've": "we have",
    "we'll": "we will",
    "it's": "it is",
    "that's": "that is",
    "he's": "he is",
    "she's": "she is",
    "there's": "there is",
    "they're": "they are",
    "they've": "they have",
    "you're": "you are",
    "let's": "let us",
    "can't": "can not",
    "cannot": "can not",
    "won't": "will not",
    "im": "i am",
    "ive": "i have",
    "dont": "do not",
    "doesnt": "does not",
    "isnt": "is not",
    "favourite": "favorite",
    "colour": "color",
    "mum": "mother",
    "mom": "mother",
    "dad": "father",
}
NEGATIONS = frozenset("not no never without neither nor none nicht kein keine keinen nie nunca jamás".split())


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Offsets of the sentences of a text."""
    begin = 0
    for mark in _END.finditer(text):
        if mark.start() < begin or _ABBREVIATION.search(text[begin : mark.start() + 1]):
            continue
        if text[begin : mark.end()].strip():
            yield begin, mark.end()
        begin = mark.end()
    if text[begin:].strip():
        yield begin, len(text)


def clauses(sentence: str) -> list[str]:
    """Parts of a sentence that could stand alone: "I live in Porto" and "my sister lives in Braga"."""
    return [part for part in (found.strip() for found in _CLAUSE.split(sentence)) if part]


def plain(text: str) -> str:
    """A text without the dates that capture wrote out, with straight quotes."""
    straight = unicodedata.normalize("NFKC", _NOTE.sub("", text)).replace("’", "'")
    return _TITLE.sub(r"\1", straight)


def words(text: str) -> list[str]:
    """Words in order, lower case, contractions written out, as they are otherwise."""
    found: list[str] = []
    for word in _WORD.findall(plain(text).casefold()):
        if word in _EXPANDED:
            found += _EXPANDED[word].split()
        elif word.endswith("n't"):
            found += [word[:-3], "not"]
        else:
            found.append(word)
    return found


def is_negated(text: str) -> bool:
    """Whether a word of it denies."""
    return (
        any(word in NEGATIONS for word in words(text))
        or re.search(r"\b(?:no longer|any ?more|stopped|quit|hardly)\b", text, re.IGNORECASE) is not None
    )


def detail_after(
    text: str, *, opened_by: str = "in|on|at|for|with|during|to|from|by|and|or|when|while|as|as a|except|before|after"
) -> frozenset[str]:
    """Words that narrow what was said before them, up to the end of the clause; when it was said to be so isn't one."""
    found = re.match(
        rf"\s*(?:(?:now|any ?more|again|already|completely|either)\s+)*(?P<rest>(?:{opened_by})\b[^.,;!?()]*)",
        text,
        re.IGNORECASE,
    )
    if found is None:
        return frozenset()
    rest = re.split(
        r"\b(?:because|since|so|but|and (?:i|we|my|our|the))\b", found["rest"], maxsplit=1, flags=re.IGNORECASE
    )[0]
    return frozenset(word for word in words(_WHILE_AGO.sub(" ", rest)) if word not in _WHEN)


_WHILE_AGO = re.compile(
    r"\b(?:(?:last|this|next) (?:week|month|year|sprint|spring|summer|autumn|fall|winter|night)"
    r"|in (?:the )?(?:spring|summer|autumn|fall|winter))\b",
    re.IGNORECASE,
)
_WHEN = frozenset(
    "in on at for with during to from by a an the now any more anymore again these those days last this today"
    " yesterday january february march april may june july august september october november december good"
    " all moment time long my our least ever already completely either or".split()
)


def key_of(phrase: str) -> str:
    """A phrase without articles, case and signs, to compare names of things by."""
    return " ".join(word for word in words(phrase) if word not in _ARTICLES)


_ARTICLES = frozenset(
    "a an the my our your his her their its this that some new old current der die das den"
    " dem ein eine einen el la los las un una mi nuestro nuestra mein meine unser unsere".split()
)
