"""Secrets that only the words beside them give away: assignments, headers, options, "my password is ...".

What must stay: code (`token = get_token()`, `password: str`), references (`$TOKEN`), numbers (`max_tokens=4096`),
talk about secrets ("the password is too weak", "the token expired").
"""

import re
from collections.abc import Iterator

from memory_core.privacy.spans import SensitiveKind, Span

# Where a telling name may begin; one cheap pass over the lower-cased text, everything else is tried only there.
_STEM = re.compile(
    r"pass|pwd|kennwort|contrase|senha|token|key|secret|credential|session|signature|pin|sig=|pw|_auth|_dsn|_pat|_cred"
    r"|mot de|密|口令|パスワード|비밀번호"
)
_PASSWORD_NAME = (
    r"pass(?:word|wd|phrase|code|wort)|kennwort|pwd|mot de passe|contrase(?:ñ|n)a|senha"  # noqa: S105 names
    r"|密码|密碼|口令|パスワード|비밀번호"
)
_NAME = rf"(?P<name>{_PASSWORD_NAME}|key|token|secret|credentials?|session[_-]?id|signature"
# "key" alone opens doors, pianos and tables; these words, or an underscore, make it a key of ours.
_KEY_QUALIFIER = re.compile(
    r"(?:api|access|secret|private|encryption|signing|licen[sc]e|account|service|master|auth|client|subscription"
    r"|storage|webhook|deploy|app)[ _-]?$|_$",
    re.IGNORECASE,
)
_KINDS = (
    (
        re.compile(r"pass|pwd|\bpin\b|pw|kennwort|contrase|senha|密|口令|パスワード|비밀번호", re.IGNORECASE),
        SensitiveKind.PASSWORD,
    ),
    (re.compile(r"token", re.IGNORECASE), SensitiveKind.TOKEN),
    (re.compile(r"secret|credential|session|signature|cookie|cred", re.IGNORECASE), SensitiveKind.SECRET),
)

# NAME=value, "name": "value", name := value.
_ASSIGNMENT = re.compile(
    rf"{_NAME}|pass|pw|_(?:auth|dsn|pat|creds?)|sig)"
    r"(?:_[A-Z0-9]{1,12})?[\"']?\s{0,3}(?P<sign>:=|=>|==?|:)\s{0,3}"
    r"(?P<quote>[\"'`]?)(?P<value>(?:(?<=[\"'`])[^\"'`\n]{1,400}(?=[\"'`])|[^\s\"'`,;&<>|\\]{1,400}))",
    re.IGNORECASE,
)
_NAME_PREFIX = re.compile(r"[A-Za-z0-9_.-]{0,80}\Z")
_EXPORT = re.compile(
    r"(?<![\w$])(?:export|set|setx|env|ENV|\$env:)\s{0,2}(?P<name>[A-Za-z_][A-Za-z0-9_]{0,60})\s?=\s?"
    r"(?P<quote>[\"']?)(?P<value>[^\s\"'`;&|]{1,400})"
)
_OPTION = re.compile(
    r"(?<!\S)--?(?P<name>pass(?:word|wd|phrase)?|token|api-?key|secret|auth-?token|access-?token|client-?secret)"
    r"[ =](?P<quote>[\"']?)(?P<value>(?!-)[^\s\"']{3,400})"
)
_CURL_USER = re.compile(r"(?<!\S)(?:-u|--user)[ =][\"']?[^\s:\"']{1,64}:(?P<value>[^\s\"']{3,200})")
_COOKIE = re.compile(r"\b(?:Set-)?Cookie:\s{0,2}[^=\s]{1,64}=(?P<value>[^\s;]{12,1000})", re.IGNORECASE)

# "my password is hunter2", "the api key for the weather service is abc123...", "Passwort lautet ..."
_PROSE = re.compile(
    rf"{_NAME}|pin(?:[ -]?code)?)"
    r"(?:(?:\s(?:for|of|to|on|in|at|für|von|vom|zu[mr]?|im|pour|de|du|para|do|da|del)\s[^\n:=]{1,48}?)?(?:\s{0,2}(?::"
    r"|->|→|：|は|是)\s{0,2}|(?:\s(?:has been|was|got|is|wurde))?\s(?:changed|set|updated|reset|geändert)\s(?:to|auf"
    r"|in)\s|\s(?:is|was|be|to|ist|lautet|war|est|es|é|era|becomes)(?:\s(?:now|still|just|jetzt"
    r"|maintenant|ahora))?:?\s{1,2})|\s)(?P<quote>[\"'`“‘«「]?)(?P<value>[^\s\"'`”’»」,;]{3,200})",
    re.IGNORECASE,
)
_SEED = re.compile(
    r"(?:seed|recovery|mnemonic|backup|secret)[ -](?:phrase|words|mnemonic)[^\n:]{0,24}(?::|is)\s{0,2}"
    r"(?P<value>[\"'“]?[a-z]{3,8}(?:,?\s[a-z]{3,8}){11,23})",
    re.IGNORECASE,
)
_MYSQL = re.compile(r"\bmysql(?:dump|admin)?\b[^\n]{0,80}?\s-p(?P<value>[^\s\"']{3,80})")
_NAMED_VALUE = re.compile(
    r"\bname:\s{0,2}[\"']?\w{0,40}(?P<name>PASSWORD|SECRET|TOKEN"
    r"|KEY)[\"']?\s{1,12}value:\s{0,2}[\"']?(?P<value>[^\s\"']{3,200})",
    re.IGNORECASE,
)
_ELEMENT = re.compile(
    r"<(?P<name>[\w.-]{0,20}(?:password|secret|token|api-?key))>(?P<value>[^<\s]{3,200})</", re.IGNORECASE
)
_USED_AS = re.compile(
    r"(?<!\S)[\"'`]?(?P<value>(?=[^\s\d]{0,40}\d)(?=[^\sA-Za-z]{0,40}[A-Za-z])[^\s\"'`]{6,64})[\"'`]? as (?:my|the|a"
    r"|an|our|your) (?:\w{1,20} )?"
    r"(?P<name>password|passphrase|passcode|api key|token|secret)\b",
    re.IGNORECASE,
)
# Each with the name that tells the kind; empty: the expression's own.
_SHELL_AND_HEADERS = (
    (_EXPORT, ""),
    (_OPTION, ""),
    (_CURL_USER, "password"),
    (_COOKIE, "cookie"),
    (_SEED, "secret"),
    (_MYSQL, "password"),
    (_NAMED_VALUE, ""),
    (_ELEMENT, ""),
    (_USED_AS, ""),
)

_REFERENCE = re.compile(
    r"\ufffc|\$|%\w+%|\{\{|<|\*{2,}|\.{3}|…|\[(?:[a-z ]+ \d+|redacted|hidden|secret|masked)|(?:process|os|import)\."
    r"|env[.(\[]|secrets?\.|(?:your|my|the|insert|enter|example|dummy|placeholder|todo|changeme_|replace)[-_ ]|x{4,}"
    r"|kref://|//|https?://[^\s@]*$|/(?:[\w.-]+/)|~/|\./|op://|vault:|arn:|[^\s]{0,24}\.\.\.$"
    r"|(?-i:[A-Z]{2,40}(?:_[A-Z0-9]{1,40}){1,8}\W?$)",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"[A-Za-z_][\w.]*[(\[{]|[({\[]|[A-Za-z_]\w*\.[A-Za-z_][\w.]*$|(?:self|this|cls|config|settings|args|req)\b"
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
_UNIT = re.compile(r"\d+[-–]?[A-Za-z]+|v?\d+(?:\.\d+)+\S*|\d{4}-\d{2}-\d{2}\S*|\d+(?:st|nd|rd|th)", re.IGNORECASE)
_STATE_WORDS = _words(
    "weak strong secure safe wrong incorrect correct invalid valid good bad old new long short easy hard simple the a"
    " an my your our their his her its this that these those not now too very also still only just same different"
    " unique here there gone fine okay needed case less protected based manager managers policy policies reset field"
    " prompt length hash hashes hygiene rotation count limit limits usage budget auth management storage store stuff"
    " safe for of to on in with and or but because so as at by from if when where who what which how has have had was"
    " were are be been is it we you they i stored kept saved sure nothing something anything none public private"
    " secret visible mandatory schwach falsch richtig sicher nicht zu das die der ein eine faible pas le la une un"
    " débil no el"
)
_TOKEN_CHARACTERS = re.compile(r"[\w+/=.~-]+")
_RANDOM_RUN = re.compile(r"(?=[A-Za-z]{0,40}\d)(?=\d{0,40}[A-Za-z])[A-Za-z0-9]{14,}")
_HARMLESS_VARIABLE = re.compile(
    r"^(?:LANG|LC_\w+|TZ|TERM|PS1|PATH|DISPLAY|EDITOR|SHELL|USER|HOME)$"
    r"|(?:VERSION|REGION|ZONE|HOME|PATH|DIR|FILE|ENV|MODE|HOST|PORT|URL|URI|IMAGE|TAG|NAME|MODEL|LEVEL|FLAGS|OPTS"
    r"|ARGS|BRANCH)$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[\"'`”’»」]?\s*(?:[.!;)]|$|\n)")
_MINIMUM_SECRET_CHARS = 8
_MINIMUM_PASSWORD_CHARS = 4


def find_named_secrets(text: str) -> Iterator[Span]:
    """Secrets recognised by the name beside them, in no order; spans may overlap."""
    for pattern, name in _SHELL_AND_HEADERS:
        for match in pattern.finditer(text):
            if not _REFERENCE.match(match["value"]) and (pattern is not _EXPORT or _is_secret_export(match)):
                yield _span(match, name or match["name"])
    yield from _beside_names(text)


def _is_secret_export(match: re.Match[str]) -> bool:
    """Whether an exported value is more than a path, a place or a version; telling names are looked at elsewhere."""
    if _RANDOM_RUN.search(match["value"]):
        return True
    return not _HARMLESS_VARIABLE.search(match["name"]) and _looks_random(match["value"])


def _beside_names(text: str) -> Iterator[Span]:
    lowered = text.replace("\u0130", "I").lower()  # the one letter whose lower case is longer
    done = 0
    for stem in _STEM.finditer(lowered):
        at = stem.start()
        if at < done or not _is_telling(text, at=at, stem=stem[0]):
            continue
        match = _ASSIGNMENT.match(text, at)
        if match and not _is_talk(text, match):
            yield _span(match, match["name"])
            done = match.end()
            continue
        match = None if text[at - 1 : at].isalnum() else _PROSE.match(text, at)
        if match and not _REFERENCE.match(match["value"]) and _is_secret_word(text, match):
            yield _span(match, match["name"])
            done = match.end()


def _is_telling(text: str, *, at: int, stem: str) -> bool:
    before = text[max(0, at - 16) : at]
    if stem == "key":
        return _KEY_QUALIFIER.search(before) is not None
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
    value, quoted, for_password = match["value"], bool(match["quote"]), _is_password_name(match["name"])
    if len(value) < _MINIMUM_PASSWORD_CHARS or value.lower().rstrip(".") in _NO_VALUE or _REFERENCE.match(value):
        return True
    begin = _name_start(text, match)
    if not for_password and (_is_plain(value, text[begin : match.end("name")]) or (quoted and " " in value)):
        return True
    if quoted:
        return False
    if _CODE.match(value) or _is_identifier(text, match, begin=begin):
        return True
    return match["sign"] == ":" and not _is_secret_word(text, match)


def _name_start(text: str, match: re.Match[str]) -> int:
    prefix = _NAME_PREFIX.search(text[max(0, match.start() - 80) : match.start()])
    return match.start() - len(prefix[0] if prefix else "")


def _is_plain(value: str, name: str) -> bool:
    """Whether a value is a number, or words as settings use them (`shared-folder`), which keys and tokens never are."""
    return value.isdecimal() or (_WORDS.fullmatch(value) is not None and not name.isupper())


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
    if value.lower() in _NO_VALUE or value.lower() in _STATE_WORDS or _UNIT.fullmatch(value) or "://" in value:
        return False
    if name.lower().startswith("pin"):
        return value.isdecimal() and len(value) in range(4, 9)
    if not _is_password_name(name):
        return _TOKEN_CHARACTERS.fullmatch(value) is not None and _looks_random(value)
    return (
        len(value) >= _MINIMUM_PASSWORD_CHARS and not _CODE.match(value) and _is_said_password(text, match, value=value)
    )


def _is_said_password(text: str, match: re.Match[str], *, value: str) -> bool:
    """Whether a word is a password by its characters, its quotes, or by ending a sentence that says what it is."""
    if match["quote"] or any(not character.isalpha() and character not in "'’-–/" for character in value):
        return True
    name = match["name"]
    told = match.group()[len(name) : match.start("value") - match.start()].strip()
    ends = _SENTENCE_END.match(text, match.start("value") + len(value)) is not None
    return bool(told) and ends and not value.lower().endswith(("ed", "ing", "able", "ible", "ful", "less"))


def _looks_random(value: str) -> bool:
    """Whether a value mixes what words don't mix: long, digits with letters, no path, version or number."""
    if len(value) < _MINIMUM_SECRET_CHARS or _UNIT.fullmatch(value) or value[0] in "/~.":
        return False
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value) and not value.endswith((".py", ".json"))


def _is_password_name(name: str) -> bool:
    return _KINDS[0][0].search(name) is not None


def _span(match: re.Match[str], name: str) -> Span:
    kind = next((kind for pattern, kind in _KINDS if pattern.search(name)), SensitiveKind.API_KEY)
    value = match["value"]
    cut = len(value) - len(value.rstrip(".:?)]}")) if "quote" not in match.re.groupindex or not match["quote"] else 0
    return Span(start=match.start("value"), end=match.end("value") - cut, kind=kind)
