"""Secrets in shell lines, options, headers and attributes, where the command tells that the next word is one.

`export NAME=value` is a secret whatever its name, unless name or value is one of those every shell has: paths, places,
numbers, switches.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory_core.privacy.near import Near, Source
from memory_core.privacy.secret_values import RANDOM_RUN, REFERENCE, looks_random, span_of
from memory_core.privacy.spans import Span


@dataclass(frozen=True, slots=True)
class _Rule:
    """A shape; `name` tells the kind where the expression names nothing."""

    near: Near
    name: str = ""
    mixed: bool = False
    """Only values with digits or signs among their letters."""
    of: tuple[str, ...] = ()
    """Literals one of which must stand anywhere in the text: without a login `docker -p` is about ports."""


def _near(signs: tuple[str, ...], pattern: str, *, before: int, after: int, cased: bool = True) -> Near:
    return Near(pattern=re.compile(pattern, 0 if cased else re.IGNORECASE), signs=signs, before=before, after=after)


def _anywhere(pattern: str, *, cased: bool = True) -> Near:
    """An expression that begins with a literal, which `re` looks for fast; what stands before it is checked after."""
    return Near(pattern=re.compile(pattern, 0 if cased else re.IGNORECASE))


_NAMED = r"(?P<name>[A-Za-z_][A-Za-z0-9_]{0,60})"
_VALUE = r"(?P<quote>[\"']?)(?P<value>(?<=[\"'])[^\"'\n]{1,400}(?=[\"'])|[^\s\"'`;&|]{1,400})"
_EXPORTS = (
    _anywhere(rf"export(?<![\w$]export)\s{{1,2}}{_NAMED}={_VALUE}"),
    _anywhere(rf"\$env:(?<![\w$]\$env:){_NAMED}\s?=\s?{_VALUE}", cased=False),
    _near(("setx", "launchctl setenv", "set -"),
        rf"(?<![\w$])(?:setx|launchctl setenv|set -[gUx]{{1,3}})\s{{1,2}}{_NAMED}\s{{1,2}}{_VALUE}",
        before=1, after=480),
    _anywhere(rf"(?:ENV|set|env)(?<![\w$]...)\s{{1,2}}{_NAMED}={_VALUE}"),
    _anywhere(rf"-(?<!\S-)(?:e|-env|-build-arg|-from-literal)[ =]{_NAMED}={_VALUE}"),
    _near(("secret set", "secrets set", "config:set"),
        rf"(?<!\S)(?:secrets? set|config:set)[ =]{_NAMED}={_VALUE}", before=1, after=480),
)  # fmt: skip
_STRONG_EXPORT = re.compile(r"export|setx|set -|\$env|secrets? set|config:set|--from-literal", re.IGNORECASE)
_HARMLESS_VARIABLE = re.compile(
    r"^(?:LANG|LANGUAGE|LC_\w+|TZ|TERM|PS1|DISPLAY|PAGER|BROWSER|VISUAL|USER|SHELL|DEBUG|VERBOSE|CI|CC|CXX|GOOS|GOARCH"
    r"|CFLAGS|COLORTERM|HISTSIZE|HISTFILESIZE|DOCKER_BUILDKIT)$"
    r"|(?:^|_)(?:VERSION|REGION|ZONE|HOME|PATH|PYTHONPATH|CLASSPATH|DIR|ROOT|FILE|CONFIG|KUBECONFIG|ENV|MODE|HOST|PORT"
    r"|URL|URI|ENDPOINT|IMAGE|TAG|NAME|MODEL|LEVEL|FLAGS|OPTS|OPTIONS|ARGS|BRANCH|PROFILE|EDITOR|PAGER|THEME|COLOR|LOCALE"
    r"|DOMAIN|BUCKET|DEVICE|DEVICES|TIMEOUT|THREADS|WORKERS|COUNT|SIZE|LIMIT|FORMAT|TYPE|TARGET|ARCH|PLATFORM"
    r"|BACKEND|PROJECT|CLUSTER|NAMESPACE|CONTEXT)$",
    re.IGNORECASE,
)
_HARMLESS_VALUE = re.compile(
    r"[01]|\d{1,3}(?:[.,:]\d{1,3})*|true|false|yes|no|on|off|none|null|auto|utf-?8|localhost|[.~]?/\S*|[\w.-]+:\d{2,5}"
    r"|v?\d+(?:\.\d+){1,3}|-{1,2}[a-z][\w-]*(?:[= ]\S*)*",
    re.IGNORECASE,
)

_TOOL = r"(?P<value>[^\s\"']{3,80})[\"']?"
_SAID = ("passw", "passp", "passc", "kennwort", "contraseña", "api key", "token", "secret")
_RULES = (
    _Rule(_anywhere(
        r"-(?<!\S-)-?(?P<name>[a-z-]{0,16}(?:pass(?:word|wd|phrase)?|token|api-?key|secret|auth-?key))[ =]"
        r"(?P<quote>[\"']?)(?P<value>(?!-)[^\s\"']{3,400})")),
    _Rule(_anywhere(r"-(?<!\S-)(?:u|-user)[ =][\"']?[^\s:\"']{1,64}:(?P<value>[^\s\"']{3,200})"), "password"),
    _Rule(_anywhere(rf"mysql(?<=\bmysql)(?:dump|admin)?\b[^\n]{{0,80}}?\s-p{_TOOL}"), "password"),
    _Rule(_near(("sshpass", "ldap", "zip", "rar ", "7z"),
        rf"\b(?:sshpass [^\n]{{0,20}}?-p ?|ldap(?:search|modify|add|delete|whoami)\b[^\n]{{0,120}}?\s-w |(?:un)?zip\b"
        rf"[^\n]{{0,40}}?\s-P ?|(?:7z\w?|rar) [^\n]{{0,40}}?-h?p)[\"']?{_TOOL}", before=3, after=260), "password"),
    _Rule(_near(("redis-cli", "docker", "podman", "helm", "twine", "mongo", "az ", "oc ", "smbclient", "net use"),
        r"(?:\bredis-cli\b[^\n]{0,80}?\s-a |\b(?:docker|podman|helm|twine|mongo\w*|az|oc)\b[^\n]{0,80}?\s-p "
        r"|\bsmbclient\b[^\n]{0,60}?-U [^\s%]{1,40}%|\bnet use\b[^\n]{0,80}?/user:\S{1,60} )[\"']?"
        rf"{_TOOL}", before=1, after=400), "password",
        of=("redis-cli", "login ", "mongo", "twine", "smbclient", "/user:")),
    _Rule(_near(("htpasswd", "chpasswd", "sudo -s"),
        rf"(?:\bhtpasswd -\w*b\w* \S{{1,80}} \S{{1,60}} |\becho [\"']?\w{{1,40}}:"
        rf"(?=[^\n|]{{1,80}}\|[^\n]{{0,20}}chpasswd)|\becho [\"']?(?=[^\n|]{{1,80}}\|\s?sudo -S)){_TOOL}",
        before=200, after=400), "password"),
    _Rule(_anywhere(rf"-pass(?<!\S-pass)(?:in|out)? [\"']?pass:{_TOOL}"), "password"),
    _Rule(_near(("requirepass", "masterauth", "bindpw", "rootpw"),
        r"\b(?:requirepass|masterauth|bindpw|rootpw)\s{1,4}[\"']?(?P<value>[^\s\"']{3,200})", before=1, after=240),
        "password"),
    _Rule(_near(("psk",),
        r"\b(?:wpa_)?psk[\"']?\s?[=:]\s?[\"']?(?P<value>[^\s\"']{8,64})", before=5, after=80), "password"),
    _Rule(_near(("cookie:",), r"\b(?:Set-)?[Cc]ookie:\s{0,2}[^=\s]{1,64}=(?P<value>[^\s;\"']{12,1000})",
        before=5, after=1_100), "cookie"),
    _Rule(_near(("phrase", "words", "mnemonic"),
        r"(?:(?:seed|recovery|mnemonic|backup|secret|wallet)[ -](?:phrase|words|mnemonic)|\b(?:12|24|twelve"
        r"|twenty-four) (?:seed |recovery |secret )?words)[^\n:]{0,24}?(?::|\bis|\bare)\s{0,2}"
        r"(?P<value>[\"'“]?[a-z]{3,8}(?:,?\s[a-z]{3,8}){11,23})", before=24, after=300, cased=False), "secret"),
    _Rule(_near(("value:",),
        r"\bname:\s{0,2}[\"']?\w{0,40}(?P<name>PASSWORD|SECRET|TOKEN|KEY)[\"']?\s{1,12}value:\s{0,2}[\"']?"
        r"(?P<value>[^\s\"']{3,200})", before=80, after=240, cased=False)),
    _Rule(_near(("value=",),
        r"\b(?:key|name)=[\"'][\w.:-]{0,40}?(?P<name>password|passwd|pwd|secret|token|api-?key)[\"']\s{1,4}value="
        r"[\"'](?P<value>[^\"'\n]{3,400})", before=80, after=420, cased=False)),
    _Rule(_anywhere(
        r"<(?P<name>[\w.-]{0,20}(?:password|secret|token|api-?key))>(?P<value>[^<\s]{3,200})</", cased=False)),
    _Rule(_near(("auth",),
        r"[\"']auth[\"']\s?:\s?[\"'](?P<value>[A-Za-z0-9+/]{12,400}={0,2})[\"']", before=1, after=420),
        "secret", mixed=True),
    _Rule(_near(("recovery ", "backup ", "scratch ", "rescue ", "activation ", "unlock "),
        r"\b(?:recovery|backup|scratch|rescue|activation|unlock) (?P<name>codes?|key)\b[^\n:]{0,20}?(?::|\s(?:is|are"
        r"|was)|(?<=[cs]ode|odes|.key))\s{1,2}(?P<value>[A-Za-z0-9]{3,12}(?:-[A-Za-z0-9]{3,12}){0,8})",
        before=1, after=200, cased=False), "code", mixed=True),
    # "user / password" in one breath.
    _Rule(_near(("login", "account", "zugang"),
        r"\b(?:login|account|zugang(?:sdaten)?)(?: (?:is|ist|for|für)\b[^\n/:]{0,40}?)?:?\s{1,2}[^\s/]{2,64}\s?/\s?"
        r"(?P<value>[^\s\"'/]{5,64})", before=1, after=240, cased=False), "password", mixed=True),
    _Rule(_near(_SAID,
        r"(?<!\S)[\"'`]?(?P<value>[^\s\"'`]{6,64})[\"'`]? as (?:my|the|a|an|our|your) (?:\w{1,20} )?"
        r"(?P<name>password|passphrase|passcode|api key|token|secret)\b",
        before=110, after=12, cased=False), mixed=True),
    _Rule(_near(_SAID,
        r"(?<!\S)[\"'`]?(?P<value>[^\s\"'`]{5,64})[\"'`]? (?:is|ist|es) (?:my|our|the|his|her|mein|unser|das|mi|la)"
        r" (?:\w{1,16} )?(?P<name>password|passphrase|passcode|passwort|kennwort|contraseña|api key|token)\b",
        before=110, after=12, cased=False), mixed=True),
)  # fmt: skip


def find_command_secrets(source: Source) -> Iterator[Span]:
    """Secrets that the command, option, header or attribute before them gives away, in no order; spans may overlap."""
    yield from _exports(source)
    for rule in _RULES:
        if rule.of and not any(literal in source.text for literal in rule.of):
            continue
        for match in rule.near.finditer(source):
            if span := _span(match, rule):
                yield span


def _span(match: re.Match[str], rule: _Rule) -> Span | None:
    value = match["value"]
    if REFERENCE.match(value) or (rule.mixed and not _is_mixed(value)):
        return None
    return span_of(match, rule.name or match["name"])


def _is_mixed(value: str) -> bool:
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _exports(source: Source) -> Iterator[Span]:
    for near in _EXPORTS:
        for match in near.finditer(source):
            if not REFERENCE.match(match["value"]) and _is_secret_export(match):
                yield span_of(match, f"{match['name']} export")


def _is_secret_export(match: re.Match[str]) -> bool:
    """Whether an exported value is more than a path, a place, a switch or a version."""
    value, name = match["value"], match["name"]
    if RANDOM_RUN.search(value):
        return True
    if _HARMLESS_VARIABLE.search(name) or _HARMLESS_VALUE.fullmatch(value):
        return False
    return bool(_STRONG_EXPORT.match(match[0])) or looks_random(value)
