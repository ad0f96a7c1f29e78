"""Secrets that stand near a telling word, whatever the sentence between: the net below the exact rules.

A value has to be random enough to be nothing else, and no word right before it may say what else it is (a commit, a
checksum, an id). Passwords, which are less random, need a word such as "is" or "to" directly before them.
"""

import re
from collections.abc import Iterator

from memory_core.privacy.near import Near, Source, Spot, matches_near, stretches
from memory_core.privacy.secret_values import REFERENCE, UNIT, span_of
from memory_core.privacy.spans import Span

_REACH_CHARS = 72
_TELLING = re.compile(
    r"(?P<name>token|secret|api[ _-]?key|\b\w{0,12}[ _-]?key\b|credentials?|bearer|cookie|session|signature|licen[sc]e"
    r"|passw\w{2,4}|passphrase|passcode|kennwort|contraseña|mot de passe|senha|wachtwoord|пароль|schlüssel|\bclave\b"
    r"|\bclé\b|\bchiave\b|\bjeton\b|токен|ключ|пароль|キー|トークン|密钥|密鑰|令牌|키|토큰)",
    re.IGNORECASE,
)
_OTHER_KEY = re.compile(
    r"(?:cache|primary|foreign|sort|partition|public|idempotency|object|row|hash|map|dict|index|host|ssh|pub)[ _-]?key",
    re.IGNORECASE,
)
_VALUE = re.compile(r"(?<![\w/.%+@#-])(?P<value>[A-Za-z0-9][A-Za-z0-9_+=~-]{15,199})(?![\w/@%])")
_SHORTEST_CHARS = 16
_DIGIT = re.compile(r"[0-9]")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_HEX = re.compile(r"(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{48}|[0-9a-f]{64})", re.IGNORECASE)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_PLACE = re.compile(r"\b(?:in|at|since|by|from|see|before|after|seit|ab|desde)\s$")
_GROUPS = re.compile(r"(?=[\w-]*\d)(?=[\w-]*[A-Z])[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){2,7}")
_WHAT_ELSE = re.compile(
    r"\b(?:commit|head|revision|sha-?\d*|md5\w*|checksum|digest|etag|hash|fingerprint|uuid|guid|trace\w*|span|request\w*"
    r"|blob|integrity|version|build|image|tag|branch|\w{0,12}_?id|user|order|invoice|ticket|message|channel|thread|chat"
    r"|file|folder|container|pod|host|public|model|run|job)\b[^\s]{0,2}\s?[:=]?\s?[\"'(]?$",
    re.IGNORECASE,
)
_PASSWORD = re.compile(
    r"\b\w{0,24}(?P<name>passw(?:ord|ort)|passphrase|passcode|kennwort|contraseña|mot de passe|senha|wachtwoord|пароль"
    r"|lösenord|passord|clave(?= (?:del?|de la) )|\bpass\b|\bpwd?\b)\b(?P<between>[^\n.!?;]{0,48}?)"
    r"(?:(?<=\s)(?:is|was|be|to|are|ist|war|lautet|auf|es|era|est|è|é|with|mit|using|pass|now|jetzt)\s{1,2}"
    r"(?:[a-zäöüéñ]{2,10}\s)?|[?.!]\s(?:It|it|Es|es|Er)(?:['’]s| is| ist| lautet)?\s|(?<=pass)\s|[:=]\s?)"
    r"[\"'`“]?(?P<value>[^\s\"'`”,;]{6,40})",
    re.IGNORECASE,
)
_PIN = re.compile(
    r"\b(?P<name>pin)\b[^\n.!?;:\d]{0,32}?(?:\s(?:is|was|ist|war|lautet|es|est)|:|\s=)\s{0,2}(?P<value>\d{4,8})\b"
    r"(?!\s?(?:mm|cm|kg|euro?s?|%|times|mal)\b)",
    re.IGNORECASE,
)
_PASSWORD_NEAR = Near(
    pattern=_PASSWORD,
    signs=("pass", "pwd", "pw", "kennwort", "contraseña", "senha", "wachtwoord", "пароль", "lösenord", "clave"),
    before=25,
    after=240,
)
_PIN_NEAR = Near(pattern=_PIN, signs=("pin",), before=1, after=80)
_NOT_A_PASSWORD = re.compile(r"https?:|[\w.+-]+@[\w.-]+|\d|\w+\.(?:py|js|ts|md|txt|json|ya?ml|env|html?)\b|\w*[(\[{<]")
_TELLING_CHARS = 40
"""Longer than a telling word with what it looks at before itself."""


def find_neighbours(source: Source) -> Iterator[Span]:
    """Secrets within reach of a telling word, in no order; spans may overlap."""
    yield from _random_values(source)
    for match in _PASSWORD_NEAR.finditer(source):
        if _is_password(match["value"].rstrip(".:?)]}")):
            yield span_of(match, match["name"])
    for match in _PIN_NEAR.finditer(source):
        yield span_of(match, match["name"])


def _random_values(source: Source) -> Iterator[Span]:
    text, done = source.text, 0
    for word in matches_near(_TELLING, text, stretches=_before_values(source)):
        if _OTHER_KEY.search(word[0]):
            continue
        for match in _VALUE.finditer(text, max(word.end(), done), _reach(text, word.end())):
            if match.start() > word.end() + _REACH_CHARS:
                break
            done = match.end()
            if _is_random(match["value"]) and not _is_something_else(text, match):
                yield span_of(match, word["name"])


def _before_values(source: Source) -> Iterator[Spot]:
    """Where a telling word would have a value with a digit within reach; ordinary text has no such value."""
    if any(len(word) >= _SHORTEST_CHARS and _DIGIT.search(word) for word in source.text.split()):
        values = (Spot(*match.span()) for match in _VALUE.finditer(source.text) if _DIGIT.search(match[0]))
        yield from stretches(values, _REACH_CHARS + _TELLING_CHARS, after=0)


def _is_random(value: str) -> bool:
    if _UUID.search(value) or REFERENCE.match(value) or UNIT.fullmatch(value):
        return False
    if _HEX.fullmatch(value) or _GROUPS.fullmatch(value):
        return any(c.isdigit() for c in value)
    longest = max(len(part) for part in re.split(r"[_=+~-]", value))
    mixes = sum((any(c.isdigit() for c in value), any(c.islower() for c in value), any(c.isupper() for c in value)))
    return longest >= 14 and mixes == 3 and sum(c.isdigit() for c in value) >= 2  # noqa: PLR2004 all three; not a name


def _is_something_else(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start("value") - 28) : match.start("value")]
    if _WHAT_ELSE.search(before):
        return True
    # "the token parser broke in 9a8b7c...": a commit has 40 digits.
    return _COMMIT.fullmatch(match["value"]) is not None and _PLACE.search(before) is not None


def _is_password(value: str) -> bool:
    """Whether a word has digits among its letters and is no address, file, version, figure or code."""
    if REFERENCE.match(value) or UNIT.fullmatch(value) or _NOT_A_PASSWORD.match(value):
        return False
    return sum(c.isdigit() for c in value) >= 2 and any(c.isalpha() for c in value)  # noqa: PLR2004 one may be a name


def _reach(text: str, start: int) -> int:
    """Where to look for the end of a value that begins within reach, on the same line."""
    line = text.find("\n", start)
    return min(len(text) if line < 0 else line, start + _REACH_CHARS + 200)
