"""What is claimed of things that have one value at a time: a port, a deadline, a meeting's day, our database."""

import re
from collections.abc import Iterator

from memory_core.claims.claim import Claim, Policy
from memory_core.claims.places import is_place
from memory_core.claims.subjects import thing
from memory_core.claims.values import Value, measured, named, timed, worded
from memory_core.claims.words import detail_after

_TIMED = (
    "meeting|evening|deadline|appointment|due date|launch|release|release date|flight|train|interview"
    "|party|exam|standup|stand-up|sync|call"
    "|demo|review|delivery|visit|dinner|lunch|wedding|concert|class|lesson|session|retro"
    "|kickoff|kick-off|event|date|start date"
    "|start time|check-in|departure|reservation|booking|workshop|rehearsal|presentation|game"
    "|match|surgery|checkup|check-up|go-live"
    "|offsite|off-site|conference|retreat|reunion|meetup|practice|training|ferry|bus|Termin|Treffen|Besprechung|Frist|Kurs|Probe|Training|Unterricht|reunión|cita|vuelo|fecha"
)
_VALUED = (
    "port|version|budget|price|rent|address|location|venue|room|limit|timeout|threshold"
    "|branch|host|hostname|url|domain|database"
    "|cache|queue|editor|ide|language|framework|owner|lead|manager|boss|plan|size|weight"
    "|height|salary|gate|seat|number|capacity"
    "|rate|quota|target|goal|region|provider|codename|interval|schedule|channel|theme|font"
    "|maintainer|contact|dentist|landlord"
    "|therapist|coach|registry|endpoint|replica count|retention|fee|score|level|ip|folder"
    "|directory|repository|repo|license|table"
    "|shell|car|laptop|computer|browser|phone|bank|doctor|gym|tool|stack|backend|bundler|test runner|linter"
    "|package manager|orchestrator|message broker"
    "|office|headquarters|hq|warehouse|studio|shop|Preis|Budget|Adresse|Datenbank|puerto|versión|presupuesto"
)
_WORDS = r"(?:[\w'’.-]+ ){0,3}?"
_OF = (
    r"(?: (?i:of|for|in|on|with|at|to|von|für|del?|para) (?:(?i:the|our|my|this|la|el|den|das)"
    r" )?[\w'’.-]+(?: (?!(?i:is|was|are|now)\b)[\w'’.-]+)?)?"
)
_DETERMINER = (
    r"(?:(?i:the|our|my|his|her|their|der|die|das|el|la|mi|unser|unsere|mein|meine|nuestr[oa])|[A-ZÀ-Þ][\w-]*['’]s)"
)
_HOW = (
    r"(?:(?i:planned for|now|still|actually|currently|really|set|set to|on|at|due|due on"
    r"|scheduled for|moved to|moved up to|now at|been moved to|been pushed to|been pushed back"
    r" to|been changed to|been set to|been postponed to|running on|changed to|will be|ab jetzt|ab sofort|jetzt"
    r"|ahora|am|um|el|in) )*"
)
_IS = (
    r"(?:'s|’s| (?i:now )?(?i:is|are|will be|has|has been|starts|begins|takes place|happens|leaves"
    r"|departs|ist|es|findet|runs|costs|became|changed to|moved to|went up to|rose to|dropped"
    r" to|fell to|increased to|(?:was|got|has been|were|have been) (?:moved|pushed|changed|postponed|rescheduled"
    r"|shifted|delayed|brought forward|put back|bumped) to))"
)
_END = (
    r"(?=[.,;!?](?:\s|$)|$|\s(?i:because|since|but|so|which|where|who|instead|not|rather|and (?:the|we|i|it|my|our))\b)"
)
_STATE = re.compile(
    rf"\b(?P<np>{_DETERMINER} {_WORDS}(?P<head>(?i:{_TIMED}|{_VALUED})){_OF}){_IS} {_HOW}"
    rf"(?P<not>(?i:no longer|not) )?(?P<value>[^.;!?]*?(?:\.\d[^.;!?]*?)*?){_END}"
)
_CHANGE = re.compile(
    rf"\b(?i:we|i|they|he|she|bo|[A-Z]\w+)(?:'ve| have| has|'ve just| just| had to)? (?i:moved"
    rf"|pushed|postponed|rescheduled|changed|switched|bumped|raised|lowered|renamed|set"
    rf"|upgraded|increased|reduced|shifted|brought|cut|updated|move|push|reschedule)"
    rf" (?P<np>{_DETERMINER} {_WORDS}(?P<head>(?i:{_TIMED}|{_VALUED})){_OF}?)(?: (?i:back|up"
    rf"|forward|out))?(?: (?i:from) (?P<old>[^.,;!?]+?))? (?i:to|until) (?P<value>[^.;!?]*?"
    rf"(?:\.\d[^.;!?]*?)*?){_END}"
)
_ON_PORT = re.compile(
    rf"\b(?P<np>{_DETERMINER} (?:[\w'’.-]+ ){{0,3}}?[\w'’.-]+|[A-Z][\w.-]+) (?i:now |still"
    rf" )?(?i:runs|listens|is running|is listening|is|answers|is served)(?: (?i:now|actually))?"
    rf" (?i:on|at) (?i:port) (?P<value>\d{{2,5}})"
)
_HELD_BY = re.compile(
    r"(?<![\w'])(?P<value>[A-ZÀ-Þ][\w-]+(?: [A-ZÀ-Þ][\w-]+)?) is (?:(?i:now|still|actually) )?"
    r"(?P<np>(?i:my|our|the) (?:[a-z-]+ ){0,2}?(?P<head>manager|lead|leader|boss|owner"
    r"|landlord|dentist|doctor|coach"
    r"|therapist|maintainer|contact|ceo|cto|president|chair|head|director))\b(?! (?:of|for|at)\b)"
)
_SOMEBODY = r"[A-ZÀ-Þ][\w-]+(?: [A-ZÀ-Þ][\w-]+)?"
_TAKEN_OVER = re.compile(
    rf"(?:\b{_SOMEBODY} (?i:was|has been|got) replaced by (?P<value>{_SOMEBODY})"
    rf"|(?<![\w'])(?P<other>{_SOMEBODY}) (?:has taken|took) over(?: from {_SOMEBODY})?)"
    r" as (?P<np>(?i:my|our|the) (?:[a-z-]+ ){0,2}?(?P<head>manager|lead|leader|boss|owner|landlord|dentist|doctor"
    r"|coach|therapist|maintainer|contact|ceo|cto|president|chair|head|director|treasurer))\b(?! (?:of|for|at)\b)"
)
_CODED = frozenset(
    "branch host hostname region channel theme url domain folder directory table registry endpoint ide editor".split()
)
"""Things whose names are often one word in small letters."""
_NO_THING = re.compile(
    r"\b(?:one of|another|a|an|each|every|some|first|last|next|previous|old|other|second|third)\b", re.IGNORECASE
)
_LAST_WORD = re.compile(r"[\w'’.-]+$")


def thing_claims(sentence: str) -> Iterator[Claim]:
    """What a sentence claims of things."""
    yield from _states(sentence)
    for found in (*_HELD_BY.finditer(sentence), *_TAKEN_OVER.finditer(sentence)):
        if value := named(_holder(found)):
            yield _claim(found, name=found["np"], head=found["head"], value=value)
    for found in _ON_PORT.finditer(sentence):
        yield _claim(found, name=f"{found['np']} port", head="port", value=measured(found["value"]))


def _states(sentence: str) -> Iterator[Claim]:
    for pattern in (_STATE, _CHANGE):
        for found in pattern.finditer(sentence):
            if _NO_THING.search(found["np"]):
                continue
            is_timed = re.fullmatch(rf"(?i:{_TIMED})", found["head"]) is not None
            value = _timed_value(found["value"]) if is_timed else _value(found["value"], head=found["head"].casefold())
            if value:
                yield _claim(found, name=found["np"], head=found["head"], value=value)


def _holder(found: re.Match[str]) -> str:
    """Who has a post now; a sentence may name the one before as well."""
    return found["value"] or found["other"]


def _claim(found: re.Match[str], *, name: str, head: str, value: Value) -> Claim:
    subject, said = thing(_turned(name, head=head)), found["value"] or ""
    return Claim(
        subject=subject,
        attribute="value",
        value=value,
        policy=Policy.LATER_WINS,
        positive=not found.groupdict().get("not"),
        detail=detail_after(said[_first_of_detail(said) :], opened_by="for|with|of|per"),
        span=found.span(),
        doubtful=len(subject.name.split()) == len(head.split()),  # "the port": of what is not said
    )


def _first_of_detail(value: str) -> int:
    found = re.search(r"\s(?:for|with|of|per)\b", value)
    return found.start() if found else len(value)


def _turned(name: str, *, head: str) -> str:
    """The name with its head last: "the port of the staging server" is "the staging server port"."""
    before, _, after = re.sub(r"['’]s\b", "", name).partition(f"{head} ")
    owner = re.sub(r"^(?i:of|for|in|on|with|at|to|von|für|del?|para) ", "", after)
    return f"{owner} {before}{head}" if after else before + (head if not before.rstrip().endswith(head) else "")


def _timed_value(text: str) -> Value:
    when = timed(f"at {text}" if re.match(r"\d{1,2}\b(?![.:/-]\d| ?%)", text) else text)
    where = re.split(r"\s(?:now|with|on|at|and|instead|again)\b", text.strip(), maxsplit=1)[0]
    return when or (frozenset({("place", where.casefold())}) if is_place(where) else frozenset())


def _value(text: str, *, head: str) -> Value:
    """A number where there is one, else a name."""
    short = re.split(
        r"\s(?:for|with|in|on|at|per|now|until|from|after|by|again|today|as of)\b", text.strip(), maxsplit=1
    )[0]
    if room := re.match(r"(?i:room|platform|track|pier|hall|floor|building|gate|seat) ([\w-]+)", text.strip()):
        return frozenset({("place", room[1].casefold())})
    numbers = measured(short)
    if numbers and len(short.split()) <= 3:  # noqa: PLR2004 a number, its unit, and a small word
        return numbers
    if len(short.split()) > 4:  # noqa: PLR2004 a name isn't longer
        return frozenset()
    if head in _CODED and len(short.split()) == 1:
        return worded(short)
    return named(short) or (worded(short) if short.startswith(("'", '"', "`", "“")) else frozenset())
