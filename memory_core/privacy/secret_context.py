"""Secrets that only the name beside them gives away: assignments, settings, "my password is ...".

What must stay: code (`token = get_token()`, `password: str`), references (`$TOKEN`), numbers (`max_tokens=4096`),
talk about secrets ("the password is too weak", "the token expired").
"""

import re
from collections.abc import Iterator

from memory_core.privacy.near import Source
from memory_core.privacy.secret_values import REFERENCE, UNIT, is_password_name, looks_random, span_of
from memory_core.privacy.spans import Span

# Where a telling name may begin; one cheap pass over the lower-cased text, everything else is tried only there.
_STEM = re.compile(
    r"pass|pwd|kennwort|contrase|senha|token|key|secret|credential|session|signature|pin|sig=|pw|_auth|_dsn|_pat|_cred"
    r"|mot de|wachtwoord|lösenord|adgangskode|hasło|heslo|şifre|parola|пароль|токен|ключ|schlüssel|clave|clé"
    r"|chiave|cookie|密|口令|パスワード|비밀번호"
)
_PASSWORD_NAME = (
    r"pass(?:word|wd|phrase|code|wort)|passord|kennwort|pwd|mot de passe|contrase(?:ñ|n)a|senha"  # noqa: S105 names
    r"|wachtwoord|lösenord|adgangskode|hasło|heslo|şifre|parola|пароль|密码|密碼|口令|パスワード|비밀번호"
)
# "clave", "clé" and "chiave" open doors too; with the words behind them they are ours.
_NAME = (
    rf"(?P<name>{_PASSWORD_NAME}|key|schlüssel|token|токен|ключ|密钥|secret|credentials?|session[ _-]?(?:id|cookie)"
    r"|auth[ _-]?cookie|signature"
    r"|(?:clave|clé|chiave) (?:de (?:la )?|d['’]|dell['’])?(?:api|secreta?|privada?|privée?|segreta|privata|secrète)"
)
# "key" alone opens doors, pianos and tables; these words, or an underscore, make it a key of ours.
_KEY_QUALIFIER = re.compile(
    r"(?:api|access|secret|private|encryption|signing|licen[sc]e|account|service|master|auth|client|subscription"
    r"|storage|webhook|deploy|app|product|activation|wallet|stream|zugangs|zugriffs)[ _-]?$|_$",
    re.IGNORECASE,
)
# NAME=value, "name": "value", name := value.
_ASSIGNMENT = re.compile(
    rf"{_NAME}|pass|pw|_(?:auth|dsn|pat|creds?)|sig)"
    r"(?:_[A-Z0-9]{1,12})?[\"']?\]?\s{0,3}(?P<sign>:=|=>|==?|:|,(?=\s?[\"']))\s{0,3}"
    r"(?P<quote>[\"'`]?)(?P<value>(?:(?<=[\"'`])[^\"'`\n]{1,400}(?=[\"'`])|[^\s\"'`,;&<>|\\]{1,400}))",
    re.IGNORECASE,
)
# "openweathermap key 8f3a...": a value so random needs no word before, unless these say what else it is.
_BARE_KEY = re.compile(
    r"key(?:\s(?:is|ist|es|:))?:?\s{1,2}[\"'`]?(?=[A-Za-z]{0,40}\d)(?=\d{0,40}[A-Za-z])[A-Za-z0-9_-]{24,}"
)
_OTHER_KEY = re.compile(
    r"\b(?:cache|primary|foreign|sort|partition|public|idempotency|object|row|hash|map|dict|index|host|ssh|pub)[ _-]?$",
    re.IGNORECASE,
)
_NAME_PREFIX = re.compile(r"[A-Za-z0-9_.-]{0,80}\Z")

# "my password is hunter2", "the api key for the weather service is abc123...", "Passwort lautet ..."
_PROSE = re.compile(
    rf"{_NAME}|pw|pin(?:[ -]?code)?)"
    r"(?:(?:\s(?:for|of|to|on|in|at|für|von|vom|zu[mr]?|im|pour|de|du|para|do|da|del)\s[^\n:=]{1,48}?)?(?:\s{0,2}(?::"
    r"|->|→|：|は|是|[-–—](?=\s))\s{0,2}|(?:\s(?:has been|was|got|is|wurde))?\s(?:changed|set|updated|reset|geändert)\s"
    r"(?:to|auf|in)\s|\s(?:is|was|be|to|ist|lautet|war|est|es|é|è|era|är|er|to|jest|это|becomes)(?:\s(?:now|still|just|jetzt"
    r"|maintenant|ahora))?:?\s{1,2})|\s)(?P<quote>[\"'`“‘«「]?)(?P<value>[^\s\"'`”’»」,;]{3,200})",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"[A-Za-z_][\w.]*[(\[{]|[({\[]|[A-Za-z_]\w*\.[A-Za-z_][\w.]*[)\]},;]*$|(?:self|this|cls|config|settings|args|req)\b"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NO_VALUE = _words(
    "none null nil true false undefined yes no on off str string int bool bytes any object required optional text"
    " hidden number float char varchar uuid missing empty unset set invalid wrong expired ok default value values and"
    " or not"
)  # fmt: skip
_WORD = re.compile(r"[A-Za-z_]+[)\]}.:]*")
_WORDS = re.compile(r"[a-z]{1,24}(?:[-_./ ][a-z]{1,24}){0,8}")
_STATE_WORDS = _words(
    "weak strong secure safe wrong incorrect correct invalid valid good bad old new long short easy hard simple the a"
    " an my your our their his her its this that these those not now too very also still only just same different"
    " unique here there gone fine okay needed case less protected based manager managers policy policies reset field"
    " prompt length hash hashes hygiene rotation count limit limits usage budget auth management storage store stuff"
    " safe for of to on in with and or but because so as at by from if when where who what which how has have had was"
    " were are be been is it we you they i stored kept saved sure nothing something anything none public private"
    " secret visible mandatory schwach falsch richtig sicher nicht zu das die der ein eine faible pas le la une un"
    " débil no el abgelaufen vergessen gespeichert geändert gesperrt unsicher stark leicht einfach schwer anders gleich"
    " lang kurz alt neu gut schlecht weg hier dort leer demasiado incorrecta incorrecto correcta correcto segura"
    " seguro larga largo corta corto fuerte nueva vieja igual expiré périmé oublié incorrect trop fort forte"
    " long longue courte court muito fraca errada troppo debole sbagliata te kort zwak fout för fel"
)
_COMPOUNDED = ("pass", "kennwort", "token", "schlüssel")
_TOKEN_CHARACTERS = re.compile(r"[\w+/=.~-]+")
_STATE_ENDING = re.compile(
    r"(?:ed|ing|able|ible|ful|less|ado|ada|ido|ida)$|(?-i:^(?:ge|ab|ver|be|zer|zu|auf|ein|un)[a-zäöü]+(?:en|t|ig|lich|bar|los)$)",
    re.IGNORECASE,
)
_CHANGED = re.compile(r"\b(?:set|chang|updat|reset)", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[\"'`”’»」]?\s*(?:[.!;)]|$|\n)")
_MINIMUM_PASSWORD_CHARS = 4


def find_named_secrets(source: Source) -> Iterator[Span]:
    """Secrets recognised by the name beside them, in no order; spans may overlap."""
    text, done = source.text, 0
    for stem in _STEM.finditer(source.lowered):
        at = stem.start()
        if at < done or not _is_telling(text, at=at, stem=stem[0]):
            continue
        match = _ASSIGNMENT.match(text, at)
        if match and not _is_talk(text, match):
            yield span_of(match, match["name"])
            done = match.end()
            continue
        if match and REFERENCE.match(match["value"]):  # ${NAME:?message} says the name twice
            done = match.end()
            continue
        match = _PROSE.match(text, at) if _may_begin(text, at=at, stem=stem[0]) else None
        if match and not REFERENCE.match(match["value"]) and _is_secret_word(text, match):
            yield span_of(match, match["name"])
            done = match.end()


def _may_begin(text: str, *, at: int, stem: str) -> bool:
    """Whether a name in a sentence may begin here: at a word's start, or as the last part of a German compound."""
    return not text[at - 1 : at].isalnum() or (stem in _COMPOUNDED and text[at - 1 : at].islower())


def _is_telling(text: str, *, at: int, stem: str) -> bool:
    before = text[max(0, at - 16) : at]
    if stem in {"key", "schlüssel"}:
        if _KEY_QUALIFIER.search(before):
            return True
        return _BARE_KEY.match(text, at) is not None and not _OTHER_KEY.search(before)
    if stem == "pw":
        return not before[-1:].isalnum()
    if stem == "sig=":
        return before.endswith(("?", "&", ";"))
    if stem == "pass" and before[-1:].isalpha():
        return (
            text[at : at + 8].lower() in ("password", "passphra", "passcode", "passwort")
            or before[-1:].islower() != text[at].islower()
        )
    return True


def _is_talk(text: str, match: re.Match[str]) -> bool:
    """Whether what looks like an assignment is code, a reference or a sentence."""
    value, quoted, for_password = match["value"], bool(match["quote"]), is_password_name(match["name"])
    if len(value) < _MINIMUM_PASSWORD_CHARS or _says_nothing(value, name=match["name"]):
        return True
    if match["sign"] == "," and not (quoted and " " not in value and looks_random(value)):
        return True  # ("key", "token"): a list of words, no pair
    begin = _name_start(text, match)
    if not for_password and (_is_plain(value, text[begin : match.end("name")]) or (quoted and " " in value)):
        return True
    if quoted:
        return False
    if _CODE.match(value) or _is_identifier(text, match, begin=begin):
        return True
    return match["sign"] == ":" and not _is_secret_word(text, match)


def _says_nothing(value: str, *, name: str) -> bool:
    word = value.lower().rstrip(".")
    return word in _NO_VALUE or word == name.lower() or REFERENCE.match(value) is not None


def _name_start(text: str, match: re.Match[str]) -> int:
    prefix = _NAME_PREFIX.search(text[max(0, match.start() - 80) : match.start()])
    return match.start() - len(prefix[0] if prefix else "")


def _is_plain(value: str, name: str) -> bool:
    """Whether a value is a number, or words as settings use them (`shared-folder`), which keys and tokens never are."""
    return value.rstrip(")]},;").isdecimal() or (_WORDS.fullmatch(value) is not None and not name.isupper())


def _is_identifier(text: str, match: re.Match[str], *, begin: int) -> bool:
    """Whether an unquoted value is a name of code (`password=user_password`) rather than a value of a settings file."""
    if match["sign"] == ":" or not _WORD.fullmatch(match["value"]):
        return False
    told = match.group()[len(match["name"]) :]
    tight = told.startswith("=") and not told.startswith(("==", "= "))
    settings = text[begin : match.end("name")].isupper() or begin == 0 or text[begin - 1] in "\n;&?"
    return not (tight and settings)


def _is_secret_word(text: str, match: re.Match[str]) -> bool:
    """Whether the word after a telling name is a secret rather than the next word of a sentence."""
    name, value = match["name"], match["value"].rstrip(".:?)]}")
    if value.lower() in _NO_VALUE or value.lower() in _STATE_WORDS or UNIT.fullmatch(value) or "://" in value:
        return False
    if name.lower().startswith("pin"):
        return value.isdecimal() and len(value) in range(4, 9)
    if not is_password_name(name):
        return _TOKEN_CHARACTERS.fullmatch(value) is not None and looks_random(value)
    return (
        len(value) >= _MINIMUM_PASSWORD_CHARS and not _CODE.match(value) and _is_said_password(text, match, value=value)
    )


def _is_said_password(text: str, match: re.Match[str], *, value: str) -> bool:
    """Whether a word is a password by its characters, its quotes, or by ending a sentence that says what it is."""
    if match["quote"] or any(not character.isalpha() and character not in "'’-–/" for character in value):
        return True
    name = match["name"]
    told = match.group()[len(name) : match.start("value") - match.start()].strip()
    if (
        told.endswith(" to")
        and value.isalpha()
        and not _CHANGED.search(text[max(0, match.start() - 24) : match.end("name")])
    ):
        return False  # "a password of 16 characters takes years to crack"
    ends = _SENTENCE_END.match(text, match.start("value") + len(value)) is not None
    return bool(told) and ends and not _STATE_ENDING.search(value)
