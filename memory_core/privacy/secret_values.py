"""What makes a value a secret rather than a reference, a path, a number or a word; and the span it becomes."""

import re

from memory_core.privacy.spans import SensitiveKind, Span

_KINDS = (
    (
        re.compile(
            r"pass|pwd|\bpin\b|pw|psk|bind|kennwort|wachtwoord|contrase|senha|lösenord|passord|adgangskode|hasło|heslo"
            r"|şifre|parola|пароль|密|口令|パスワード|비밀번호",
            re.IGNORECASE,
        ),
        SensitiveKind.PASSWORD,
    ),
    (re.compile(r"token|токен", re.IGNORECASE), SensitiveKind.TOKEN),
    (re.compile(r"secret|credential|session|signature|cookie|cred|code|export", re.IGNORECASE), SensitiveKind.SECRET),
)

REFERENCE = re.compile(
    r"\ufffc|\$|%\w+%|\{\{|<|\*{2,}|\.{3}|…|\[(?:[a-z ]+ \d+|redacted|hidden|secret|masked)|(?:process|os|import)\."
    r"|env[.(\[]|secrets?\.|(?:your|my|the|insert|enter|example|dummy|placeholder|todo|changeme_|replace)[-_ ]"
    r"|[\w-]{0,16}?(?:x{6,}|\*{3,})|x{4,}"
    r"|!\w{2,12}$|\[[A-Z]{2,8}\]$|kref://|//|https?://[^\s@]*$|/(?:[\w.-]+/)|~/|\./|op://|vault:|arn:|[^\s]{0,24}\.\.\.$"
    r"|(?-i:[A-Z]{2,40}(?:_[A-Z0-9]{1,40}){1,8}\W?$)",
    re.IGNORECASE,
)
"""Values that only point at a secret: variables, placeholders, paths, addresses."""
RANDOM_RUN = re.compile(r"(?=[A-Za-z]{0,40}\d)(?=\d{0,40}[A-Za-z])[A-Za-z0-9]{14,}")
UNIT = re.compile(r"\d+[-–]?[A-Za-z]+|v?\d+(?:\.\d+)+\S*|\d{4}-\d{2}-\d{2}\S*|\d+(?:st|nd|rd|th)", re.IGNORECASE)
"""Figures with a unit, versions, dates, ordinals."""
_MINIMUM_SECRET_CHARS = 8


def looks_random(value: str) -> bool:
    """Whether a value mixes what words don't mix: long, digits with letters, no path, version or number."""
    if len(value) < _MINIMUM_SECRET_CHARS or UNIT.fullmatch(value) or value[0] in "/~.":
        return False
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value) and not value.endswith((".py", ".json"))


def is_password_name(name: str) -> bool:
    """Whether a name tells of a password, which may be a plain word."""
    return _KINDS[0][0].search(name) is not None


def span_of(match: re.Match[str], name: str) -> Span:
    """The span of a match's `value` without the marks of the sentence; its kind follows from the telling name."""
    kind = next((kind for pattern, kind in _KINDS if pattern.search(name)), SensitiveKind.API_KEY)
    value = match["value"]
    cut = len(value) - len(value.rstrip(".:?)]}")) if "quote" not in match.re.groupindex or not match["quote"] else 0
    return Span(start=match.start("value"), end=match.end("value") - cut, kind=kind)
