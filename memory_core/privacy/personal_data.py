"""E-mail addresses, phone numbers, US social security numbers and card numbers.

A shape alone is not enough where ids, dates, versions and amounts look alike: checksums (python-stdnum), numbering
plans (phonenumbers) or a telling word nearby decide. Every expression is bounded: time is linear in the text's length.
"""

import re
from collections.abc import Iterator

from stdnum import luhn
from stdnum.us import ssn as us_ssn

from memory_core.privacy.near import Spot, matches_near, stretches
from memory_core.privacy.numbering_plans import is_possible, is_valid
from memory_core.privacy.spans import SensitiveKind, Span, blank, join

_EMAIL = re.compile(
    r"(?<![\w.+%@-])(?<!//)[\w.+%'-]{1,64}(?:@|\s?[\[(]at[\])]\s?)"
    r"(?:[\w-]{1,63}(?:\.|\s?[\[(]dot[\])]\s?)){1,6}(?P<top>[^\W\d_]{2,24})(?![\w@])",
    re.IGNORECASE,
)
_AT = re.compile(r"@|[\[(][Aa][Tt][\])]")
_EMAIL_CHARS_BEFORE, _EMAIL_CHARS_AFTER = 70, 500
"""How far an address may go on both sides of its @, with what is looked at around it."""
_NOT_A_TOP_DOMAIN = frozenset(("png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "css", "js", "local", "internal"))
_SSH_REMOTE = re.compile(r":[\w~/.-]")

_SSN = re.compile(r"\d(?<![\w.-]\d)(?:\d\d-\d\d-\d{4}|\d\d \d\d \d{4}|\d{8})(?![\w-]|\.\d)")
_SSN_WORDS = re.compile(r"\bssn\b|social[ -]security|\bitin\b|taxpayer", re.IGNORECASE)
_SSN_REACH_CHARS = 48

_CARD = re.compile(r"\d(?<![\w.,/#-]\d)(?:[ -]?\d){11,18}(?![\w-]|[.,]\d)")
_CARD_WORDS = re.compile(
    r"\b(?:card|cards|cc|visa|master ?card|maestro|amex|american express|discover|credit|debit"
    r"|karte|kartennummer|kreditkarte|carte|tarjeta|carta|cartão)\b|卡号|信用卡|カード",
    re.IGNORECASE,
)
_CARD_REACH_CHARS = 60
# Issuer ranges with the lengths they use; ISO/IEC 7812 registries as published by the networks.
_CARD_ISSUERS = re.compile(
    r"4(?:\d{12}|\d{15})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}"
    r"|3(?:0[0-5]|[689]\d)\d{11}|6(?:011|5\d\d|4[4-9]\d)\d{12}|(?:2131|1800)\d{11}|35\d{14}|62\d{14}"
    r"|(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{12}"
)
_CARD_LONG_OR_SHORT = re.compile(r"4\d{18}|(?:5[06-8]|6\d)\d{10,17}|3[05689]\d{12,17}")

_PHONE = re.compile(
    r"(?<![\w./@#$€£¥-])(?<!\d[:,])(?:\+|\()?\d(?:[\d .()/-]|\u00a0|\u2011){5,22}\d"
    r"(?:\s?(?:x|ext\.?|#)\s?\d{1,6})?(?![\w%€$£]|-\w(?!ffice|obile|ax|ell|ome|ork|esk)|[.,:]\d)",
    re.IGNORECASE,
)
# What every phone number holds, as long as it goes on: looked for first, since it is rare and quickly told.
_DIGITS = re.compile(r"\d(?:[\d .()/-]|\u00a0|\u2011){6,}")
_PHONE_CHARS_BEFORE, _PHONE_CHARS_AFTER = 2, 24
_PHONE_WORDS_BEFORE = re.compile(
    r"\b(?:phone|phones|telephone|tel|mobile|cell|cellphone|fax|landline|hotline|whatsapp|viber|direct line|handy"
    r"|telefon"
    r"|festnetz|rufnummer|nummer|téléphone|portable|teléfono|móvil|telefone|celular|cellulare|telefono)\b"
    r"|电话|手机|電話|携帯",
    re.IGNORECASE,
)
# Words that also go with other numbers ("reach 10000000 users"): they need a number as long as phone numbers are.
_WEAK_WORDS_BEFORE = re.compile(
    r"\b(?:desk|office|call|calls|called|calling|ring|dial|text|texted|sms|reach|contact|answering|messages?|registered"
    r"|anrufen|erreichbar|appelle[rz]?|joindre|llámame)\b",
    re.IGNORECASE,
)
_PHONE_WORDS_AFTER = re.compile(r"[\s,(-]{0,3}(?:office|mobile|cell|fax|desk|home|work|phone|tel)\b", re.IGNORECASE)
_PHONE_REACH_CHARS = 42
_LABEL_LINE = re.compile(r"\w:[ \t]?\n$")
_DATE = re.compile(r"(?:19|20)\d\d[-./ ]\d{1,2}[-./ ]\d{1,2}(?!\d)|\d{1,2}([-./])\d{1,2}\1(?:\d{4}|\d{2})(?!\S)")
_YEARS = re.compile(r"(?:19|20)\d{2}[ /-]{1,3}(?:19|20)\d{2}")
_NOT_PHONE_WORDS = re.compile(
    r"\b(?:isbn|issn|iban|order|invoice|ticket|case|version|build|commit|account|konto|ip|port|pid|id|sku|serial"
    r"|tracking|vin|ean|asin|doi|code|coordinates?|lat|lon)(?:\s+(?:number|no\.?|nr\.?|#|id))?\W{0,3}$",
    re.IGNORECASE,
)
_NORTH_AMERICAN = re.compile(r"(?:1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[ .-])\d{3}[ .-]\d{4}")
# Regions whose national form, with its trunk zero, is tried when no word says that this is a phone number.
_TRUNK_REGIONS = ("GB", "DE", "FR", "IT", "AU", "CH", "AT", "NL", "BE", "SE", "FI", "JP", "KR", "CN", "IN", "BR", "ZA")
_GROUPED = re.compile(r"\d[ .()/-]+\d")
_EXTENSION = re.compile(r"[xe#]", re.IGNORECASE)
_TRUNK = re.compile(r"\(?0\d")
_LETTER = re.compile(r"[^\W\d_]")
_NOT_A_DIGIT = re.compile(r"\D+")
_MINIMUM_DIGITS, _MAXIMUM_DIGITS = 7, 15


def find_personal_data(text: str) -> list[Span]:
    """E-mail addresses, SSNs, cards and phone numbers in the text, ascending, without overlap."""
    found = join([*_emails(text), *_cards(text), *_ssns(text)])
    return join([*found, *_phones(blank(text, found))])


def _emails(text: str) -> Iterator[Span]:
    signs = (Spot(*match.span()) for match in _AT.finditer(text))
    places = stretches(signs, _EMAIL_CHARS_BEFORE, after=_EMAIL_CHARS_AFTER)
    for match in matches_near(_EMAIL, text, stretches=places):
        if match["top"].lower() in _NOT_A_TOP_DOMAIN:
            continue
        if match[0].endswith("@g.us"):  # a WhatsApp room, not a mailbox
            continue
        if _SSH_REMOTE.match(text, match.end()) and match[0].lower().startswith("git@"):
            continue
        lead = len(match[0]) - len(match[0].lstrip("'."))
        yield Span(start=match.start() + lead, end=match.end(), kind=SensitiveKind.EMAIL)


def _ssns(text: str) -> Iterator[Span]:
    for match in _SSN.finditer(text):
        told = _SSN_WORDS.search(text, max(0, match.start() - _SSN_REACH_CHARS), match.start())
        if told or ("-" in match[0] and us_ssn.is_valid(match[0])):
            yield Span(start=match.start(), end=match.end(), kind=SensitiveKind.SSN)


def _cards(text: str) -> Iterator[Span]:
    for match in _CARD.finditer(text):
        digits = match[0].replace(" ", "").replace("-", "")
        if not luhn.is_valid(digits) or len(set(digits)) == 1:
            continue
        # Message ids of chat systems have 17 to 19 digits, and one in ten passes the checksum.
        told = _CARD_WORDS.search(text, max(0, match.start() - _CARD_REACH_CHARS), match.end() + _CARD_REACH_CHARS // 2)
        if _CARD_ISSUERS.fullmatch(digits) or (told and _CARD_LONG_OR_SHORT.fullmatch(digits)):
            yield Span(start=match.start(), end=match.end(), kind=SensitiveKind.CARD)


def _phones(text: str) -> Iterator[Span]:
    runs = (Spot(*match.span()) for match in _DIGITS.finditer(text))
    places = stretches(runs, _PHONE_CHARS_BEFORE, after=_PHONE_CHARS_AFTER)
    for match in matches_near(_PHONE, text, stretches=places):
        value = match[0].rstrip(" .(/-")
        if value.count("(") != value.count(")"):
            value = value.lstrip("(") if value.startswith("(") else value.split("(")[0].rstrip(" .-/")
        start = match.start() + match[0].index(value)
        if _is_phone(text, value, start=start):
            yield Span(start=start, end=start + len(value), kind=SensitiveKind.PHONE)


def _is_phone(text: str, value: str, *, start: int) -> bool:
    number = _EXTENSION.split(value, maxsplit=1)[0]
    digits = _digits_of(number)
    if not _MINIMUM_DIGITS <= len(digits) <= _MAXIMUM_DIGITS or _DATE.match(number) or _YEARS.fullmatch(number.strip()):
        return False
    before = _words_before(text, start)
    if _NOT_PHONE_WORDS.search(before):
        return False
    if number.startswith("+"):
        return is_possible(digits)
    if _PHONE_WORDS_BEFORE.search(before) or _PHONE_WORDS_AFTER.match(text, start + len(value)):
        return True
    if _WEAK_WORDS_BEFORE.search(before) and len(digits) >= _MINIMUM_DIGITS + (1 if _GROUPED.search(number) else 2):
        return not number.endswith("000")
    return _has_phone_shape(number.strip(), digits)


def _words_before(text: str, start: int) -> str:
    """What stands before a number, on its line or on one that is a label; nothing when it holds no letter."""
    before = text[max(0, start - _PHONE_REACH_CHARS) : start]
    if not _LETTER.search(before):
        return ""
    line = before.rfind("\n")
    return before if line < 0 or _LABEL_LINE.search(before[: line + 1]) else before[line + 1 :]


def _has_phone_shape(number: str, digits: str) -> bool:
    """Whether the number is written as only phone numbers are, so that no word needs to say so."""
    if _NORTH_AMERICAN.fullmatch(number):  # always as long as numbers are there
        return True
    if number.startswith("00"):
        return is_possible(digits[2:])
    if _TRUNK.match(number) and _GROUPED.search(number):
        return any(is_valid(digits, region) for region in _TRUNK_REGIONS)
    return False


def _digits_of(number: str) -> str:
    digits = _NOT_A_DIGIT.sub("", number)
    return digits if digits.isascii() else "".join(str(int(digit)) for digit in digits)
