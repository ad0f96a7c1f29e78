"""Secrets that their own form gives away: provider keys, signed tokens, key files, passwords in addresses.

Each format has literals one of which must stand in the text before its expression is tried. All but the last few
stand in one long word, and of those ordinary text has few: only they are looked at first. Formats are those the
providers publish for secret scanning.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memory_core.privacy.near import Near, Source
from memory_core.privacy.spans import SensitiveKind, Span

_API_KEY, _TOKEN, _SECRET = SensitiveKind.API_KEY, SensitiveKind.TOKEN, SensitiveKind.SECRET
_PASSWORD, _PRIVATE_KEY = SensitiveKind.PASSWORD, SensitiveKind.PRIVATE_KEY


@dataclass(frozen=True, slots=True)
class _Format:
    kind: SensitiveKind
    literals: tuple[str, ...]
    pattern: re.Pattern[str]


def _format(kind: SensitiveKind, literals: str, *, body: str, start: str = r"(?<![A-Za-z0-9])") -> _Format:
    """A format; a group named `value` in the body narrows what is replaced."""
    return _Format(kind, tuple(literals.split()), re.compile(start + body))


# A slug such as `sk-learn-and-other-words` is no key: a digit is required.
_DIGIT_WITHIN_40 = r"(?=[A-Za-z_-]{0,40}\d)"

_IN_WORDS = (
    # OpenAI, Anthropic, OpenRouter, DeepSeek and others share the prefix.
    _format(_API_KEY, "sk-", body=rf"sk-{_DIGIT_WITHIN_40}[A-Za-z0-9_-]{{20,400}}"),
    _format(_API_KEY, "gsk_ xai- pplx- r8_ csk-", body=r"(?:gsk_|xai-|pplx-|r8_|csk-)[A-Za-z0-9]{24,120}"),
    _format(_TOKEN, "hf_ api_org_", body=r"(?:hf_|api_org_)[A-Za-z0-9]{30,60}"),
    _format(_API_KEY, "AKIA ASIA ABIA ACCA", body=r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _format(_TOKEN, "ghp_ gho_ ghu_ ghs_ ghr_", body=r"gh[pousr]_[A-Za-z0-9]{30,255}"),
    _format(_TOKEN, "github_pat_", body=r"github_pat_[A-Za-z0-9_]{22,255}"),
    _format(
        _TOKEN,
        "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- gloas- GR1348941",
        body=r"(?:gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas)-|GR1348941)[A-Za-z0-9_.-]{18,300}",
    ),
    _format(_TOKEN, "xox xapp-", body=r"(?:xox[abceoprs]|xapp)-[A-Za-z0-9.-]{10,400}"),
    _format(
        _SECRET,
        "hooks.slack.com/",
        body=r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<value>[A-Za-z0-9/_-]{20,200})",
    ),
    _format(
        _SECRET,
        "/api/webhooks/",
        body=r"discord(?:app)?\.com/api/webhooks/\d{15,22}/(?P<value>[A-Za-z0-9_-]{40,120})",
    ),
    # A Discord bot token: the id in base64, a time stamp, a signature.
    _format(
        _TOKEN,
        ".",
        body=r"(?=[MNO][A-Za-z0-9_-]{0,28}\d)[MNO][A-Za-z0-9_-]{22,28}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,45}",
    ),
    _format(_TOKEN, ":AA", start=r"(?<!\d)", body=r"\d{8,10}:AA[A-Za-z0-9_-]{33}"),
    _format(_API_KEY, "appid=", body=r"appid=(?P<value>[0-9a-f]{32})(?![A-Za-z0-9])"),
    _format(_API_KEY, "k_live_ k_test_", body=r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}"),
    _format(_SECRET, "whsec_", body=r"whsec_[A-Za-z0-9+/=]{24,100}"),
    _format(_API_KEY, "AIza", body=r"AIza[A-Za-z0-9_-]{35}"),
    _format(_SECRET, "GOCSPX-", body=r"GOCSPX-[A-Za-z0-9_-]{24,40}"),
    _format(_TOKEN, "ya29.", body=r"ya29\.[A-Za-z0-9._-]{20,1000}"),
    _format(_TOKEN, "1//0", body=r"1//0[A-Za-z0-9_-]{30,200}"),
    _format(_TOKEN, "npm_", body=r"npm_[A-Za-z0-9]{36,60}"),
    _format(_TOKEN, "pypi-", body=r"pypi-[A-Za-z0-9_-]{50,400}"),
    _format(_API_KEY, "SG.", body=r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,96}"),
    _format(_API_KEY, "SK", body=r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    _format(_API_KEY, "key-", body=r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    _format(_API_KEY, "-us", body=r"[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])"),
    _format(_API_KEY, "xkeysib-", body=r"xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{10,30}"),
    _format(_TOKEN, "dop_v1_ doo_v1_ dor_v1_", body=r"do[por]_v1_[0-9a-f]{64}"),
    _format(_TOKEN, "shpat_ shpca_ shppa_ shpss_", body=r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
    _format(_TOKEN, "sq0atp- sq0csp-", body=r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,60}"),
    _format(_TOKEN, "dapi", body=r"dapi[0-9a-f]{32}(?:-\d)?(?![A-Za-z0-9])"),
    _format(_API_KEY, "lin_api_ lin_oauth_", body=r"lin_(?:api|oauth)_[A-Za-z0-9]{32,80}"),
    _format(_TOKEN, "ntn_ secret_", body=r"(?:ntn_|secret_)(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{40,60}"),
    _format(_TOKEN, "pat", body=r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _format(_TOKEN, "ATATT3 ATCTT3 ATBB", body=r"(?:ATATT3|ATCTT3|ATBB)[A-Za-z0-9_=-]{24,400}"),
    _format(_TOKEN, "dp.", body=r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    _format(_TOKEN, "sl.", body=r"sl\.(?:u\.)?(?=[A-Za-z_-]{0,40}\d)[A-Za-z0-9_-]{60,1500}"),
    _format(_TOKEN, "figd_ figo_", body=r"fig[do]_[A-Za-z0-9_-]{30,80}"),
    _format(_TOKEN, "glc_ glsa_", body=r"(?:glc_[A-Za-z0-9+/=]{32,400}|glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8})"),
    _format(
        _TOKEN, "sbp_ sb_secret_ pscale_ nfp_", body=r"(?:sbp_|sb_secret_|pscale_(?:tkn|pw|oauth)_|nfp_)[\w.-]{30,80}"
    ),
    _format(_API_KEY, "PMAK- NRAK- NRII- HRKU-", body=r"(?:PMAK|NRAK|NRII|HRKU)-[A-Za-z0-9_-]{24,80}"),
    _format(_TOKEN, "sntrys_ sntryu_", body=r"sntry[su]_[A-Za-z0-9+/=_-]{40,400}"),
    _format(_TOKEN, "hvs. hvb. hvr.", body=r"hv[sbr]\.[A-Za-z0-9_-]{24,300}"),
    _format(_TOKEN, ".atlasv1.", body=r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,80}"),
    _format(_API_KEY, "rubygems_", body=r"rubygems_[0-9a-f]{48}"),
    _format(_TOKEN, "dckr_pat_ dckr_oat_", body=r"dckr_[op]at_[A-Za-z0-9_-]{20,60}"),
    _format(_API_KEY, "tskey-", body=r"tskey-[a-z]{2,12}-[A-Za-z0-9]{6,24}-[A-Za-z0-9]{16,64}"),
    _format(
        _API_KEY,
        "LTAI AKID",
        body=r"(?:LTAI(?=[A-Za-z]{0,20}\d)[A-Za-z0-9]{12,24}|AKID(?=[A-Za-z]{0,32}\d)[A-Za-z0-9]{32})",
    ),
    _format(_API_KEY, "pcsk_ lsv2_", body=r"(?:pcsk_[A-Za-z0-9_]{40,90}|lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{8,12})"),
    _format(_API_KEY, "sk_", body=r"sk_[0-9a-f]{40,64}(?![A-Za-z0-9])"),
    _format(_API_KEY, "re_", body=r"re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,30}"),
    _format(_SECRET, "8Q~ 7Q~", body=r"[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}"),
    _format(_PRIVATE_KEY, "AGE-SECRET-KEY-", body=r"AGE-SECRET-KEY-1[A-Z0-9]{50,70}"),
    # JSON web tokens, signed (three parts) or encrypted (five).
    _format(_TOKEN, "eyJ", body=r"eyJ[A-Za-z0-9_-]{8,4000}+\.(?:[A-Za-z0-9_-]{0,8000}+\.){1,3}[A-Za-z0-9_-]{0,2000}"),
)
# These may hold spaces, or be short.
_IN_SENTENCES = (
    (
        _TOKEN,
        Near(
            pattern=re.compile(
                r"[Bb]earer(?<![A-Za-z0-9].{6})[ :]{1,3}"
                r"(?P<value>(?=[A-Za-z_.~+/-]{0,60}\d)[A-Za-z0-9._~+/-]{16,4000}=*)"
            ),
        ),
    ),
    (
        _SECRET,
        Near(
            pattern=re.compile(
                r"(?<![A-Za-z0-9])[Aa]uthorization['\"]?\s?[:=]\s?['\"]?[Bb]asic\s{1,3}"
                r"(?P<value>[A-Za-z0-9+/]{8,400}=*)"
            ),
            signs=("authorization",),
            before=1,
            after=1_000,
        ),
    ),
    # Only the password of an address: host and database stay readable.
    (
        _PASSWORD,
        Near(
            pattern=re.compile(
                r"[a-zA-Z][a-zA-Z0-9+.-]{1,30}://[^\s/:@\"'<>`\[\]]{0,128}:(?P<value>[^\s/\"'<>`]{1,256})@(?=[\w\[.%$-])"
            ),
            signs=("://",),
            before=31,
            after=400,
        ),
    ),
)
_VARIABLE = re.compile(r"\ufffc+|\$\{?\w+\}?|\{\w*\}|<[\w -]*>|\*+|x{3,}|pass(?:word)?|pwd|secret", re.IGNORECASE)

_KEY_NAME = r"(?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
_KEY_BEGIN = re.compile(rf"-----BEGIN {_KEY_NAME}")
_KEY_END = re.compile(rf"-----END {_KEY_NAME}")
# Where the end mark was cut off: as far as lines look like the body of a key.
_KEY_LINES = re.compile(r"(?:\s|\\n|[A-Za-z0-9+/=:,-]{16,200}(?=\s|\\n|$)|[A-Za-z-]{4,20}: [^\n]{1,80}\n){0,600}")
_LONGEST_KEY_CHARS = 20_000
_END_MARK_CHARS = 80

_SHORTEST_CHARS = 15
"""The shortest match of a format in one word: a Slack token."""
_SIGN = re.compile("|".join(sorted({re.escape(one) for form in _IN_WORDS for one in form.literals})))


def find_formatted_secrets(source: Source) -> Iterator[Span]:
    """Secrets recognised by their form, except private keys, the surest kinds first; spans may overlap."""
    words = "\n".join(word for word in set(source.text.split()) if len(word) >= _SHORTEST_CHARS)
    for form in _IN_WORDS if _SIGN.search(words) else ():
        if any(literal in words for literal in form.literals) and form.pattern.search(words):
            yield from _spans(form.pattern.finditer(source.text), form.kind)
    for kind, near in _IN_SENTENCES:
        yield from _spans(near.finditer(source), kind)


def find_private_keys(text: str) -> Iterator[Span]:
    """Private keys in blocks of many lines, in ascending order, without overlap."""
    done = 0
    for begin in _KEY_BEGIN.finditer(text):
        if begin.start() < done:
            continue
        body = begin.end()
        end = _KEY_END.search(text, body + 1, body + _LONGEST_KEY_CHARS + _END_MARK_CHARS)
        lines = None if end else _KEY_LINES.match(text, body)
        done = end.end() if end else lines.end() if lines else body
        yield Span(start=begin.start(), end=done, kind=_PRIVATE_KEY)


def _spans(matches: Iterable[re.Match[str]], kind: SensitiveKind) -> Iterator[Span]:
    for match in matches:
        group = "value" if match.re.groupindex else 0
        if not group or not _VARIABLE.fullmatch(match[group]):
            yield Span(start=match.start(group), end=match.end(group), kind=kind)
