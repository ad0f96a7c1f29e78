"""How it is said where people live and work, what they are, when they were born, what they like best."""

import re
from collections.abc import Callable
from typing import NamedTuple

from memory_core.claims.claim import Policy
from memory_core.claims.places import is_place
from memory_core.claims.subjects import NAME, SUBJECT
from memory_core.claims.values import Value, timed, worded

_ADVERBS = (
    r"(?:(?i:now|currently|just|recently|actually|finally|still|already|also|really|have|has|had|am|are|is|officially"
    r"|mostly|only|all|did|do|does|been|'ve|'s|'m|'re) )*"
)
_NOT = (
    r"(?P<not>(?i:no longer|not|never|don't|doesn't|don’t|doesn’t|isn't|aren't|stopped|quit) "
    r"(?:(?i:really|actually|even) )?)?"
)
_HEAD = rf"{SUBJECT}(?i:'m|'s|'ve|'re|’m|’s|’ve|’re)? {_ADVERBS}{_NOT}"
_TITLED = rf"{NAME}(?:[ -](?:(?:de|del|do|da|of|la|el|upon|am|an der|&|and Sons) )?{NAME}){{0,3}}"
_IS = (
    rf"{SUBJECT}(?:['’](?i:m|s|re)| (?i:am|is|are|got|turned|became|went|have become|has become"
    rf"|have turned|has turned))(?: (?i:now|currently|still|already|actually|really|also))*(?: "
    rf"(?P<not>(?i:no longer|not|never)))?(?: (?i:really|actually|even))? "
)
_DWELLING = (
    r"(?:(?i:an?|my|our|the) (?:[\w-]+ ){0,3}(?i:flat|apartment|house|studio|place|room|suburb"
    r"|village|town|city|loft|cottage) (?i:in|near|of|outside) )?"
)
_VALUE = rf"{_DWELLING}(?P<value>(?:[Tt]he )?{_TITLED}|[a-zà-ÿ-]+(?: [a-zà-ÿ-]+)?)(?!['’]s?\b|['’]|\w)"
_NO_MONTHS = re.compile(
    r"(?i:mon|tues|wednes|thurs|fri|satur|sun)day|noon|midnight|home|(?i:january|february"
    r"|march|april|june|july|august)|.*\d"
)
_HOUSING = re.compile(
    r"\b(?:flat|apartment|house|city|town|home|neighbou?rhood|country|rent|landlord|with my family)\b", re.IGNORECASE
)
_OCCUPATIONS = (
    "teacher|nurse|doctor|engineer|developer|programmer|designer|lawyer|architect|chef|cook"
    "|baker|waiter|waitress|barista|driver"
    "|pilot|journalist|editor|writer|translator|accountant|manager|consultant|analyst"
    "|scientist|researcher|professor|lecturer"
    "|dentist|vet|pharmacist|therapist|psychologist|electrician|plumber|carpenter|mechanic|farmer|gardener|photographer"
    "|musician|actor|actress|librarian|firefighter|policeman|soldier|postman|cashier|receptionist|secretary|salesman"
    "|freelancer|student|intern|retired|physicist|chemist|biologist|technician|administrator|surgeon|paramedic|midwife"
)
_DIETS = (
    "vegan|vegetarian|pescatarian|carnivore|omnivore|flexitarian|vegetarisch|vegetariano"
    "|vegetariana|vegana?|Veganer(?:in)?|Vegetarier(?:in)?"
)
_STATUS = "married|single|divorced|engaged|widowed|verheiratet|geschieden|ledig|casad[oa]|solter[oa]|divorciad[oa]"
_FAMILY = (
    "sister|brother|son|daughter|cousin|aunt|uncle|friend|colleague|dog|cat|puppy|kitten"
    "|parrot|hamster|rabbit|horse|baby|child|kid"
)
ONE_ONLY = (
    "wife|husband|mother|father|mom|mum|dad|partner|boss|manager|landlord|dentist|therapist"
    "|girlfriend|boyfriend|company|team"
)


class Pattern(NamedTuple):
    """How an attribute is said.

    Attributes:
        read: Turns the value's words into a value; an empty one is no claim.
        doubtful: Tells of a match whether its words may mean something else.
    """

    attribute: str
    words: re.Pattern[str]
    policy: Policy
    read: Callable[[str], Value] = worded
    doubtful: Callable[[re.Match[str]], bool] = lambda _: False


def _place(text: str) -> Value:
    """A name with a capital, or a place of the list."""
    bare = text.removeprefix("the ").removeprefix("The ")
    if bare[:1].isupper():
        return frozenset() if _NO_MONTHS.fullmatch(text) else worded(text)
    name = next((name for name in (text, text.split(maxsplit=1)[0]) if is_place(name)), "")
    return worded(name)


def _company(text: str) -> Value:
    return frozenset() if _NO_MONTHS.fullmatch(text) or not text.removeprefix("the ")[:1].isupper() else worded(text)


def _head_word(text: str) -> Value:
    """The occupation: "a better teacher" and "a teacher" are one role."""
    return worded(text.rsplit(maxsplit=1)[-1])


def _is_somebody(match: re.Match[str]) -> bool:
    """Whether a person was named: "I work for Anna, my manager" tells no company."""
    return re.match(r",? (?:my|our|his|her)\b", match.string[match.end() :]) is not None


def _no_known_place(match: re.Match[str]) -> bool:
    value = match["value"]
    known = is_place(value) or (value.islower() and is_place(value.split()[0]))
    return not known and not _HOUSING.search(match.string)


def _is_bare_joining(match: re.Match[str]) -> bool:
    rest = match.string[match.end() : match.end() + 30]
    return re.match(r"\s+as (?:a|an|the|their)\b", rest) is None


def _age(text: str) -> Value:
    return frozenset({("number", re.sub(r"\D", "", text))})


PATTERNS: tuple[Pattern, ...] = (
    Pattern(
        "residence",
        re.compile(
            rf"{_HEAD}(?i:lives?|living|resides?|based|settled|live) (?:(?i:right|down|up|over|alone"
            rf"|here) )?(?i:in|at) {_VALUE}"
        ),
        Policy.LATER_WINS,
        _place,
    ),
    Pattern(
        "residence",
        re.compile(
            rf"{_HEAD}(?i:moved|relocated) (?:(?i:back|over|house|out|with \w+ \w+|permanently|here) )*"
            rf"(?:(?i:from) (?:the )?[\w'’-]+(?: {NAME})? )?"
            rf"(?:(?i:back|over) )?(?i:to) {_VALUE}"
        ),
        Policy.LATER_WINS,
        _place,
        _no_known_place,
    ),
    Pattern(
        "residence",
        re.compile(
            rf"{SUBJECT}(?:['’]ve|['’]s| have| has)(?: \w+)? (?i:lived) (?i:in) {_VALUE}(?=.*\b(?:since"
            rf"|for)\b)"
        ),
        Policy.LATER_WINS,
        _place,
    ),
    Pattern(
        "employer",
        re.compile(
            rf"{SUBJECT}(?:['’]ve|['’]s| have| has)(?: \w+)? (?i:worked) (?i:at|for) {_VALUE}(?=.*\b"
            rf"(?:since|for)\b)"
        ),
        Policy.LATER_WINS,
        _company,
    ),
    Pattern(
        "residence",
        re.compile(
            rf"\b(?P<subject>(?i:ich|wir)) (?:(?i:wohne|wohnen|lebe|leben)) (?:(?i:jetzt|nun|inzwischen"
            rf"|mittlerweile) )?(?P<not>(?i:nicht mehr) )?(?i:in) {_VALUE}"
        ),
        Policy.LATER_WINS,
        _place,
    ),
    Pattern(
        "residence",
        re.compile(
            rf"\b(?P<subject>(?i:ich|wir)) (?:(?i:bin|sind)) (?:[a-zà-ÿ]+ ){{0,3}}(?i:nach) {_VALUE}"
            rf" (?i:um)?(?i:gezogen)"
        ),
        Policy.LATER_WINS,
        _place,
    ),
    Pattern(
        "residence",
        re.compile(rf"\b(?:(?P<we>(?i:vivimos))|(?i:vivo)) (?:(?i:ahora) )?(?i:en) {_VALUE}"),
        Policy.LATER_WINS,
        _place,
    ),
    Pattern(
        "residence",
        re.compile(rf"\b(?:(?i:me mudé)|(?P<we>(?i:nos mudamos))) (?:(?i:ahora) )?(?i:a) {_VALUE}"),
        Policy.LATER_WINS,
        _place,
        _no_known_place,
    ),
    Pattern(
        "employer",
        re.compile(
            rf"{_HEAD}(?i:works?|working|employed|work) (?:(?i:full[- ]time|remotely|mostly) )?(?i:at"
            rf"|for) {_VALUE}"
        ),
        Policy.LATER_WINS,
        _company,
        _is_somebody,
    ),
    Pattern(
        "employer",
        re.compile(
            rf"{_HEAD}(?i:started (?:working |a new job |my new job |a job )?at|(?:got|took|accepted) "
            rf"(?:a|the|my) (?:new )?job (?:at|with)|switched jobs to|changed jobs to) {_VALUE}"
        ),
        Policy.LATER_WINS,
        _company,
    ),
    Pattern("employer", re.compile(rf"{_HEAD}(?i:joined) {_VALUE}"), Policy.LATER_WINS, _company, _is_bare_joining),
    Pattern(
        "employer",
        re.compile(
            rf"\b(?P<subject>(?i:my))(?: (?i:new|current))? (?i:employer|company) is (?:(?i:now)"
            rf" )?{_VALUE}"
        ),
        Policy.LATER_WINS,
        _company,
    ),
    Pattern(
        "employer",
        re.compile(
            rf"\b(?P<subject>(?i:ich)) (?i:arbeite) (?:(?i:jetzt|nun|inzwischen) )?(?P<not>(?i:nicht"
            rf" mehr) )?(?i:bei|für) {_VALUE}"
        ),
        Policy.LATER_WINS,
        _company,
    ),
    Pattern(
        "employer",
        re.compile(rf"\b(?:(?i:trabajo)) (?:(?i:ahora) )?(?i:en|para) {_VALUE}"),
        Policy.LATER_WINS,
        _company,
    ),
    Pattern(
        "role",
        re.compile(
            rf"{_HEAD}(?i:works?|working|work|retrained) (?i:as) (?i:an?|the) (?P<value>(?:[\w-]+ ){{0,2}}"
            rf"(?:{_OCCUPATIONS}))\b"
        ),
        Policy.LATER_WINS,
        _head_word,
    ),
    Pattern(
        "role",
        re.compile(
            rf"{_IS}(?i:an?) (?P<value>(?:[\w-]+ ){{0,2}}(?:{_OCCUPATIONS}))\b(?! (?:'s|at heart|for"
            rf" halloween))"
        ),
        Policy.IF_MARKED,
        _head_word,
    ),
    Pattern(
        "birthday",
        re.compile(
            rf"\b(?P<subject>(?i:my))(?: [a-z-]+(?: {NAME})?['’]s)? (?i:birthday) (?i:is|falls) "
            rf"(?:(?i:actually|really|now) )?(?:(?i:on) )?(?P<value>[^.,;!?]+)"
        ),
        Policy.IF_MARKED,
        timed,
    ),
    Pattern(
        "birthday",
        re.compile(
            rf"(?P<subject>\b{NAME}(?: {NAME})?|\b(?i:my|our) [a-z-]+(?: {NAME})?)['’]s (?i:birthday)"
            rf" (?i:is|falls) (?:(?i:actually|really|now) )?(?:(?i:on) )?(?P<value>[^.,;!?]+)"
        ),
        Policy.IF_MARKED,
        timed,
    ),
    Pattern(
        "birthday",
        re.compile(rf"{SUBJECT} (?i:was|were) (?i:born) (?:(?i:actually) )?(?i:on) (?P<value>[^.,;!?]+)"),
        Policy.IF_MARKED,
        timed,
    ),
    Pattern(
        "age",
        re.compile(
            rf"{_IS}(?P<value>\d{{1,3}})(?: (?i:years? old)|(?=\W*$)|(?= (?i:now|today|yesterday|last"
            rf"|this|in)\b))"
        ),
        Policy.LATER_WINS,
        _age,
    ),
    Pattern(
        "status",
        re.compile(
            rf"{_IS}(?:(?i:happily|newly|getting) )*(?P<value>(?i:{_STATUS}))\b(?! (?i:to (?:the|a)|in"
            rf"|on|page|file|table))"
        ),
        Policy.LATER_WINS,
    ),
    Pattern(
        "diet",
        re.compile(
            rf"{_IS}(?:(?i:an?|strict|gone) )*(?P<value>(?i:{_DIETS}))\b(?! (?i:restaurant|place|food"
            rf"|recipe|dish|cook))"
        ),
        Policy.LATER_WINS,
    ),
    Pattern(
        "diet",
        re.compile(
            r"\b(?P<subject>(?i:ich)) (?i:bin) (?:(?i:jetzt|inzwischen|nun) )?(?P<not>(?i:nicht mehr"
            r"|kein|keine) )?(?P<value>(?i:" + _DIETS + r"))\b"
        ),
        Policy.LATER_WINS,
    ),
    Pattern(
        "diet", re.compile(r"\b(?:(?i:ahora |ya no )?)(?i:soy) (?P<value>(?i:" + _DIETS + r"))\b"), Policy.LATER_WINS
    ),
)
FAVOURITE = re.compile(
    rf"(?<!one of )(?P<subject>\b(?i:my|our|the user['’]s)|\b(?i:my) [a-z-]+(?: {NAME})?['’]s"
    rf"|\b{NAME}['’]s)(?: (?i:new|all-time|absolute|current))? (?i:favou?rite)"
    r" (?P<what>[a-zà-ÿ-]+(?: [a-zà-ÿ-]+)?) (?i:is|has become|became) (?:(?i:now|still"
    r"|actually|probably) )*(?P<not>(?i:no longer|not) )?(?P<value>[^.,;!?]+?)"
    r"(?=[.,;!?]|$| (?i:now|because|since|and|but|these days)\b)"
)
NAMED = re.compile(
    rf"\b(?i:my|our)(?: (?i:new|older|younger|little|big|eldest))? (?P<what>{_FAMILY}"
    rf"|{ONE_ONLY})(?: (?i:is|was)(?: (?i:actually|really|now))? (?i:called|named)|['’]s name"
    rf" is(?: (?i:actually|really|now))?) (?P<value>{NAME})"
)
