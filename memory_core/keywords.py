"""From text to keywords to a sparse vector: what exact search finds, in every language.

Words are folded and stemmed; identifiers, paths, versions and error codes are kept whole and in parts; scripts without
spaces between words become pairs of neighbouring characters. A keyword's number is its CRC-32: stable over processes
and versions, and no vocabulary has to be kept. A change here means to index again: see `index_layout.BUNDLED`.
"""

import re
import threading
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol, cast

import Stemmer

from memory_core.stop_words import STOP_CHARACTERS, STOP_WORDS
from memory_core.values import SparseVector

K1 = 0.9
B = 0.4
"""BM25's saturation and length normalisation; measured better on short texts than the usual 1.2 and .75.

Source: Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009; .9 and .4 are also Anserini's defaults.
"""
AVERAGE_KEYWORDS = 30.0
"""Length of an ordinary memory, in keywords; fixed, so that a stored weight never has to change."""

_MAX_CHARACTERS = 32_000
_MAX_WHOLE = 64
_MAX_PARTS = 24

# Scripts that put no spaces between words: Thai, Lao, Burmese, Khmer, Han, kana, hangul.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3131-\u318e\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
# \w leaves out combining marks and the vowel signs of the Indic scripts, which belong to the word.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff"
_LETTER = rf"(?![{_UNSPACED}])[\w{_MARKS}]"
_JOINT = r"['’./\\:@#+\-]|(?<=\d),(?=\d{3})"
_RUN = re.compile(
    rf"(?P<named>(?<![\w.])\.[A-Za-z]{{2,}}|[A-Za-z]\w{{0,15}}(?:\+\+|\#)(?!\w))"
    rf"|(?P<unspaced>[{_UNSPACED}]+)"
    rf"|(?P<chunk>(?:{_LETTER})(?:(?:{_LETTER}|{_JOINT})*(?:{_LETTER}))?)"
)
_PIECE = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_VERSION = re.compile(r"v?(\d+(?:\.\d+)+[\w.\-+]*)", re.IGNORECASE)
_DOTTED_LETTERS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_PLURAL_ACRONYM = re.compile(r"[A-Z]{2,}s")
_WORD = re.compile(rf"(?:(?![\d_])[\w{_MARKS}])+")
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_HAN = re.compile(r"[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_ELIDED = frozenset(
    ("l", "d", "j", "m", "t", "s", "n", "c", "qu", "jusqu", "lorsqu", "dell", "all", "un", "nell", "dall")
)
_CONTRACTED = frozenset(("s", "m", "re", "ve", "ll", "d"))
_UNDECOMPOSED = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ё": "е", "ـ": None}
)
_SCRIPTS = (("Ͱ", "Ͽ", "greek"), ("Ѐ", "ԯ", "russian"), ("؀", "ۿ", "arabic"), ("ऀ", "ॿ", "hindi"))
_LATIN_END = "ɐ"
_LANGUAGES_OF: dict[str, list[str]] = {}
for _language, _words in STOP_WORDS.items():
    for _word in _words:
        _LANGUAGES_OF.setdefault(_word, []).append(_language)
_WEB_NOISE = frozenset({"http:", "https:", "www"})
_local = threading.local()


class _Stemmer(Protocol):
    """What PyStemmer offers, which comes without types."""

    def stemWord(self, word: str) -> str: ...  # noqa: N802 - the library's name


class _Term(NamedTuple):
    """A keyword to be: a word is still to be stemmed and may be a stop word, an exact term is finished."""

    text: str
    is_word: bool


def keywords(text: str) -> list[str]:
    """Keywords of a text in reading order, with repeats; only the first 32,000 characters count."""
    text = unicodedata.normalize("NFKC", text[:_MAX_CHARACTERS])
    shouting = text.isupper()
    terms: list[_Term] = []
    for match in _RUN.finditer(text):
        run = match.group()
        if match.lastgroup == "unspaced":
            terms += _pairs(run)
        elif match.lastgroup == "named":
            terms += _named(run)
        else:
            terms += _chunk(run, shouting=shouting)
    language = _language_of(terms)
    return [keyword for term in terms for keyword in _finish(term, language)]


def document_vector(text: str) -> SparseVector:
    """Keyword weights of a text to be found: BM25 without the IDF, which the index adds."""
    return weigh_document(keywords(text))


def content_words(text: str) -> frozenset[str]:
    """Distinct keywords of a text: the words that carry meaning, in the form in which they are compared."""
    return frozenset(keywords(text))


def weigh_document(found: Sequence[str]) -> SparseVector:
    """`document_vector` of keywords found already."""
    counts = Counter(map(number_of, found))
    damping = K1 * (1 - B + B * len(found) / AVERAGE_KEYWORDS)
    indices = tuple(sorted(counts))
    return SparseVector(indices=indices, values=tuple(counts[i] * (K1 + 1) / (counts[i] + damping) for i in indices))


def query_vector(text: str) -> SparseVector:
    """Keyword weights of a question: 1 for each distinct keyword."""
    return weigh_query(keywords(text))


def weigh_query(found: Sequence[str]) -> SparseVector:
    """`query_vector` of keywords found already."""
    indices = tuple(sorted(set(map(number_of, found))))
    return SparseVector(indices=indices, values=(1.0,) * len(indices))


def number_of(keyword: str) -> int:
    """The 32-bit number of a keyword in sparse vectors; two keywords of 100,000 share one, which is harmless."""
    return zlib.crc32(keyword.encode())


def is_latin(keyword: str) -> bool:
    """Whether every letter is of the Latin script; digits and signs count as Latin."""
    return all(character < _LATIN_END for character in keyword)


def _pairs(run: str) -> Iterator[_Term]:
    if len(run) == 1:
        yield _Term(run, is_word=False)
        return
    for first, second in pairwise(run):
        yield _Term(first + second, is_word=False)
    # One Chinese character is often a word; kana, hangul and Thai letters never are.
    for character in run:
        if _HAN.match(character) and character not in STOP_CHARACTERS:
            yield _Term(character, is_word=False)


def _named(run: str) -> Iterator[_Term]:
    """C++, C#, .NET: the sign is part of the name."""
    folded = _fold(run)
    yield _Term(folded, is_word=False)
    name = folded.strip(".+#")
    if len(name) > 1:
        yield _Term(name, is_word=True)


def _chunk(run: str, *, shouting: bool) -> Iterator[_Term]:
    if _PLURAL_ACRONYM.fullmatch(run):
        yield _Term(_fold(run[:-1]), is_word=False)
    elif _WORD.fullmatch(run) and not _CAMEL.search(run):
        # "IT" and "US" among small letters are names; folded they would be stop words.
        acronym = len(run) > 1 and run.isupper() and not shouting
        folded = _fold(run)
        yield _Term(folded, is_word=not (acronym and folded in _LANGUAGES_OF))
    elif "'" in run or "’" in run:
        yield from _apostrophe(run.replace("’", "'"))
    elif _DOTTED_LETTERS.fullmatch(run):
        yield _Term(_fold(run.replace(".", "")), is_word=True)
    elif version := _VERSION.fullmatch(run):
        yield from _version(version.group(1))
    elif "/" in run or "\\" in run:
        yield from _path(run)
    else:
        yield from _compound(run)


def _apostrophe(run: str) -> Iterator[_Term]:
    first, _, rest = run.partition("'")
    last = _fold(rest)
    if last == "t":
        return
    if last in _CONTRACTED:
        yield from _chunk(first, shouting=True)
    elif _fold(first) in _ELIDED:
        yield from _chunk(rest, shouting=True)
    else:
        parts = [part for part in re.split(r"[^\w]+", run) if part]
        yield _Term(_fold("".join(parts)), is_word=True)
        for part in parts[:_MAX_PARTS]:
            if len(part) > 1:
                yield _Term(_fold(part), is_word=True)


def _version(number: str) -> Iterator[_Term]:
    folded = _fold(number)
    yield _Term(folded, is_word=False)
    levels = folded.split(".")
    if len(levels) > 2:  # noqa: PLR2004 - major.minor is how people name a release
        yield _Term(".".join(levels[:2]), is_word=False)


def _path(run: str) -> Iterator[_Term]:
    if len(run) <= _MAX_WHOLE:
        yield _Term(_fold(run), is_word=False)
    segments = [part for part in re.split(r"[/\\]+", run) if part and part not in _WEB_NOISE]
    for segment in segments[:_MAX_PARTS]:
        for match in _RUN.finditer(segment):
            yield from _chunk(match.group(), shouting=True)


def _compound(run: str) -> Iterator[_Term]:
    """snake_case, camelCase, hyphens, mixed letters and digits: the whole and its parts."""
    parts = [part for part in _PIECE.findall(run) if len(part) > 1 or part.isdigit()][:_MAX_PARTS]
    joined = run.replace("-", "")
    if len(run) <= _MAX_WHOLE:
        # "Wi-Fi", "WiFi" and "wifi" are one word.
        yield _Term(_fold(joined if joined.isalpha() else run.replace(",", "")), is_word=joined.isalpha())
    if "," in run or (len(parts) == 1 and parts[0] == run):
        return
    for part in parts:
        yield _Term(part.lstrip("0") or "0", is_word=False) if part.isdigit() else _Term(_fold(part), is_word=True)


def _fold(word: str) -> str:
    folded = word.casefold()
    if folded.isascii():
        return folded
    if folded[0] >= _LATIN_END and not "Ͱ" <= folded[0] <= "Ͽ":
        # The breve of Cyrillic й and the vowel signs of Indic scripts are part of the letter.
        return re.sub(r"[\u064b-\u065f]", "", folded.translate(_UNDECOMPOSED))
    decomposed = unicodedata.normalize("NFKD", folded.translate(_UNDECOMPOSED))
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def _language_of(terms: Sequence[_Term]) -> str:
    """The language with the most function words in the text; English unless another has two and more of them."""
    votes: Counter[str] = Counter()
    for term in terms:
        votes.update(_LANGUAGES_OF.get(term.text, ()))
    best = max(votes, key=lambda language: (votes[language], language == "english"), default="english")
    return best if votes[best] > 1 else "english"


def _finish(term: _Term, language: str) -> Iterator[str]:
    word = term.text
    if not term.is_word:
        yield word
        return
    if not word:
        return
    if word[0] >= _LATIN_END:
        yield from _finish_other_script(word)
    elif word not in STOP_WORDS["english"] and word not in STOP_WORDS[language]:
        # Always the English stem: the same word is then found whatever language was guessed for either side.
        english = _stem("english", word)
        yield english
        other = english if language == "english" else _stem(language, word)
        if other != english:
            yield other


def _finish_other_script(word: str) -> Iterator[str]:
    language = next((name for low, high, name in _SCRIPTS if low <= word[0] <= high), None)
    if word not in STOP_WORDS.get(language or "", ()):
        yield _stem(language, word) if language else word


def _stem(language: str, word: str) -> str:
    # A stemmer must not be shared by threads.
    stemmers: dict[str, _Stemmer] | None = getattr(_local, "stemmers", None)
    if stemmers is None:
        stemmers = _local.stemmers = {}
    stemmer = stemmers.get(language)
    if stemmer is None:
        made = cast("Callable[[str], _Stemmer]", Stemmer.Stemmer)  # pyright: ignore[reportUnknownMemberType] - untyped
        stemmer = stemmers[language] = made(language)
    return stemmer.stemWord(word)
