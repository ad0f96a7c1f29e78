"""What somebody uses, likes, eats, and what is given up for something else."""

import re
from collections.abc import Iterator

from memory_core.claims.claim import Claim, Gone, Policy
from memory_core.claims.places import is_place
from memory_core.claims.subjects import SELF, SUBJECT, WE, person
from memory_core.claims.values import Value
from memory_core.claims.words import detail_after, key_of

_GROUPS = {
    "use": "use|uses|used|using|run|runs|running|rely on|relies on|chose|chosen|picked|decided on"
    "|adopted|went with|settled on|deploy|deploys|benutze|verwende|verwenden|nutze|nutzen"
    "|benutzen|uso|usamos",
    "like": "like|likes|love|loves|enjoy|enjoys|adore|adores|prefer|prefers|mag|liebe|mögen",
    "hate": "hate|hates|dislike|dislikes|detest|detests|can't stand|cannot stand|can't bear|loathe|loathes|hasse",
    "drink": "drink|drinks|drinking|trinke|bebo",
    "eat": "eat|eats|eating|esse|como",
    "drive": "drive|drives|driving|ride|rides|riding|fahre",
    "have": "have|has|own|owns|keep|keeps|rent|rents|renting",
    "play": "play|plays|playing|spiele",
    "take": "take|takes|taking",
    "smoke": "smoke|smokes|smoking|rauche",
    "pay": "pay for|pays for|subscribe to|subscribes to|am subscribed to",
    "allergy": "am allergic to|is allergic to|are allergic to|'m allergic to|’m allergic to|allergic to"
    "|bin allergisch gegen|soy alérgic[oa] a",
    "study": "study|studies|studying|learn|learns|learning",
    "wear": "wear|wears|wearing",
    "attend": "go to|goes to|going to|attend|attends|attending",
}
_VERB_GROUP = {verb: group for group, verbs in _GROUPS.items() for verb in verbs.split("|")}
_VERB = "|".join(sorted((verb for verbs in _GROUPS.values() for verb in verbs.split("|")), key=len, reverse=True))
_ADVERBS = (
    r"(?:(?i:now|currently|just|recently|finally|still|already|also|really|absolutely|mostly"
    r"|usually|always|often|only|all|did|do|does|'ve|actually|even|have|has|am|is|are|been"
    r"|can) )*"
)
_NOT = (
    r"(?P<not>(?i:no longer|not|never|don't|doesn't|don’t|doesn’t|do not|does not|isn't|am not"
    r"|is not|stopped|quit|gave up|have stopped|has stopped|can't|cannot) (?:(?i:really"
    r"|actually|even|like to|anymore) )?)?"
)
_OBJECT_END = (
    r"(?=[.,;!?:()](?:\s|$)|$|\s(?i:and|but|or|because|for|with|in|when|while|at|on|since|now"
    r"|any ?more|again|these days|so|who|which|that|instead|rather|as|every|after|before|if"
    r"|than|to|from|from now|lately|too|also|a lot|very much|nicht|mehr|anymore|during|by"
    r"|until|over|more|most|best)\b)"
)
_OBJECT = rf"(?P<object>(?!(?:to|with|on|in)\b)[\w'’+#./-]+(?: [\w'’+#./-]+){{0,4}}?){_OBJECT_END}"
_LEANING = re.compile(
    rf"{SUBJECT}(?:'m|'s|'ve|’m|’ve)? {_ADVERBS}{_NOT}{_ADVERBS}(?P<verb>(?i:{_VERB}))"
    rf" {_OBJECT}(?P<tail>[^.;!?]{{0,40}})"
)
_SPANISH = re.compile(r"\b(?:(?P<we>(?i:usamos|utilizamos))|(?i:uso|utilizo)) (?P<object>[A-ZÀ-Þ][\w+#.-]+)")
_WITH_TOOL = re.compile(
    rf"{SUBJECT} {_ADVERBS}{_NOT}(?i:deploy|run|build|edit|write|draw|plan|host|test|monitor|log)s? "
    r"(?i:(?P<with>with)|on) (?P<object>[A-ZÀ-Þ][\w+#.-]+(?: [A-ZÀ-Þ][\w+#.-]+)?)"
    r"(?=[.,;!?]|$| (?i:now|these days|because|since|and|at)\b)"
)
"""What somebody works with: "we deploy with Jenkins" says that we use Jenkins. What is done with it isn't named: if it
was, the tool might be given up for something else only."""
_GERMAN_NOT = re.compile(r"\b(?:nicht mehr|kein\w* .{0,30}mehr|nicht|kein\w*)\b", re.IGNORECASE)
_NO_OBJECTS = frozenset(
    "it that this them him her you me us so lot things stuff something anything everything nothing not one".split()
)
_WHO = r"(?P<subject>\b(?i:i|we|the user|the team)\b)(?:'ve|’ve| have| has| just| finally| recently| also)*"
_NP = r"(?:(?i:the|our|my|a|an) )?[\w'’+#.-]+(?: [\w'’+#.-]+){0,2}?"
_DISPLACED = (
    re.compile(
        rf"{_WHO} (?i:dropped|ditched|abandoned|scrapped|retired|traded|left) (?P<old>{_NP})"
        rf" (?i:for|in favou?r of) (?P<new>{_NP})(?=[\s.,;!?]|$)"
    ),
    re.compile(rf"{_WHO} (?i:replaced|swapped) (?P<old>{_NP}) (?i:with|by|for) (?P<new>{_NP})(?=[\s.,;!?]|$)"),
    re.compile(
        rf"{_WHO} (?i:switched|moved|migrated|changed|went|converted|transitioned|gone)(?:"
        rf" (?!from\b)[\w'’]+){{0,3}} (?i:away )?(?i:from) (?P<old>{_NP}) (?i:over )?(?i:to) "
        rf"(?P<new>{_NP})(?=[\s.,;!?]|$)"
    ),
    re.compile(
        rf"{_WHO} (?i:got rid of|gave away|sold|cancelled|canceled|gave up|ditched|stopped using|no"
        rf" longer use|no longer have|uninstalled|removed|dropped|decommissioned|shut down|stopped"
        rf" paying for) (?P<old>{_NP})(?=[.,;!?]|$| (?i:last|this|today|yesterday|in|because|since"
        rf"|and|now|for good|completely|entirely)\b)"
    ),
    re.compile(
        rf"{_WHO} (?i:left|quit|resigned from) (?P<old>[A-ZÀ-Þ][\w'’&-]*)(?=[.,;!?]|$| (?i:last"
        rf"|this|today|in|because|and|for good)\b)"
    ),
    re.compile(
        rf"{_WHO}(?:['’](?:m|re)| am| are)? (?i:now )?(?i:use|drink|eat|run|take|drive|ride|wear|play|prefer|using"
        rf"|drinking|eating|running|taking|driving|riding|wearing|playing) (?P<new>{_NP})"
        rf" (?i:now )?(?i:instead of|rather than|in place of) (?P<old>{_NP})(?=[.,;!?]|$| (?i:now"
        rf"|these days|from now|because|since|at|in|for|on)\b)"
    ),
    re.compile(
        r"(?P<subject>\b(?i:wir|ich)\b) (?i:haben|habe) (?P<old>[\w+#.-]+) (?i:durch) "
        r"(?P<new>[\w+#.-]+) (?i:ersetzt)"
    ),
    re.compile(
        r"(?P<subject>\b(?i:wir|ich)\b) (?i:sind|bin) (?i:jetzt )?(?i:von) (?P<old>[\w+#.-]+)"
        r" (?i:auf|zu|nach) (?P<new>[\w+#.-]+) (?i:umgestiegen|gewechselt|gezogen|umgezogen)"
    ),
    re.compile(
        r"(?:\b(?i:hemos )?(?P<we>(?i:cambiamos|cambiado|reemplazamos|sustituimos))|(?i:cambié))"
        r" (?i:de )?(?P<old>[\w+#.-]+) (?i:por|a) (?P<new>[\w+#.-]+)"
    ),
)


def leanings(sentence: str, *, speaker: str | None) -> Iterator[Claim]:
    """What a sentence says that people use, like, eat, have."""
    for found in _LEANING.finditer(sentence):
        subject = person(found["subject"], speaker=speaker)
        value = _thing_value(found["object"])
        if subject is None or not value:
            continue
        group = _VERB_GROUP.get(found["verb"].casefold().replace("’", "'"), "allergy")
        positive = not found["not"] and not _GERMAN_NOT.match(found["tail"].strip()) and "kein" not in found["object"]
        if group == "hate":
            group, positive = "like", not positive
        yield Claim(
            subject=subject,
            attribute=group,
            value=value,
            policy=Policy.SEVERAL,
            positive=positive,
            detail=detail_after(sentence[found.end("object") :]),
            span=(found.start(), found.end("object")),
        )

    for found in _WITH_TOOL.finditer(sentence):
        subject = person(found["subject"], speaker=speaker)
        value = _thing_value(found["object"])
        if subject and value and (found["with"] or not is_place(found["object"])):
            yield Claim(
                subject=subject,
                attribute="use",
                value=value,
                policy=Policy.SEVERAL,
                positive=not found["not"],
                detail=detail_after(sentence[found.end("object") :]),
                span=found.span(),
            )
    for found in _SPANISH.finditer(sentence):
        value = _thing_value(found["object"])
        if value:
            yield Claim(
                subject=WE if found["we"] else SELF,
                attribute="use",
                value=value,
                policy=Policy.SEVERAL,
                positive="ya no" not in sentence.casefold(),
                span=found.span(),
            )


def given_up(sentence: str, *, speaker: str | None) -> Iterator[Gone]:
    """What a sentence says that was given up, mostly for something else."""
    for pattern in _DISPLACED:
        for found in pattern.finditer(sentence):
            groups = found.groupdict()
            text = groups.get("subject")
            subject = (WE if groups.get("we") else SELF) if text is None else person(text, speaker=speaker)
            value = _thing_value(found["old"])
            if subject and value:
                yield Gone(subject=subject, value=value, detail=detail_after(sentence[found.end() :]))


def _thing_value(text: str) -> Value:
    key = key_of(text)
    return frozenset() if not key or key in _NO_OBJECTS or key.split()[0] in _NO_OBJECTS else frozenset({("name", key)})
