"""How a sentence is meant: as it stands, as a wish, a question, a memory of how it was, somebody's else words.

Only what is asserted of the present can be out of date, and only such a sentence can make another one so.
"""

import re
from enum import StrEnum


class Mood(StrEnum):
    """How a sentence is meant."""

    ASSERTED = "asserted"
    HEDGED = "hedged"
    PLANNED = "planned"
    PAST = "past"
    UNREAL = "unreal"
    """A question, a condition, a wish, a story, or what somebody else says."""


_ASKS = re.compile(r"[?？]\s*[\"'”’)\]*_]*(?:\s*[—–-])?\s*$")
_UNREAL = re.compile(
    r"\b(?:if|unless|would|wouldn't|could|might|wish(?:es|ed)?|imagin\w+|suppos(?:e|ing|edly)|pretend\w*|what if"
    r"|hypothetical\w*|in case|whether|dream(?:t|ed|ing)?|should|ought to|considering|wonder\w*|thinking (?:about|of)"
    r"|think(?:ing)? about|tempted|used to joke|novel|movie|film|in (?:the|my|a) (?:story|game|book)|character|lyrics"
    r"|poem|for example|e\.g|for instance|let's say|according to|(?:i|we) (?:just )?(?:read"
    r"|heard|saw|learned)(?: somewhere| online)? (?:that|about|how)|not sure|no idea|wenn"
    r"|falls|würde\w*|könnte\w*|vielleicht|ob"
    r"|sagt\w*|meint\w*|si\b(?!,)|quizás?|tal vez|podría|ojalá|dice que)\b",
    re.IGNORECASE,
)
_TOLD_BY_OTHERS = re.compile(
    r"\b(?:[Hh]e|[Ss]he|[Tt]hey|[Ss]omeone|[Ss]omebody|[Pp]eople|[Ee]veryone|[Ee]verybody|[A-ZÀ-Þ]\w+)"
    r" (?:said|says|thinks?|thought|told|claims?|claimed|heard|asked|asks|believes?|suggest\w*"
    r"|recommend\w*|wants?|wanted)\b"
)
_QUOTE = re.compile(r"^\s*(?:>|[\"“„«].*[\"”“»]\s*[.!]?\s*$)")
_HEDGED = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|i (?:think|guess|believe|assume|suspect)|as far as i know|afaik|apparently"
    r"|seems?|seemingly|roughly|about to|almost|nearly|glaube ich|ich glaube|wahrscheinlich|creo que)\b",
    re.IGNORECASE,
)
_PLANNED = re.compile(
    r"\b(?:will|won't|going to|gonna|(?:am|is|are|i|we|they|he|she|'m|'re) plan(?:s|ning)?"
    r"|plan(?:s|ning|ned)? (?:to|on)|(?:is|are) planned|intend\w*|hop(?:e|es|ing)|want(?:s"
    r"|ed)? to|would like|aim\w*"
    r"|next (?:week|month|year|spring|summer|autumn|fall|winter|january|february|march|april|june|july|august"
    r"|september|october|november|december)|someday|one day|soon|looking (?:for|at|to|into)"
    r"|trying to|apply(?:ing)? (?:to|for)"
    r"|am moving|'m moving|is moving|are moving|'re moving|werde[n]?|möchte\w*|will|vamos? a"
    r"|voy a|va a|quiero|temporarily"
    r"|for (?:a|one|two|three|the) (?:few )?(?:days?|weeks?|weekends?|nights?|months?)|for now|trial|try(?:ing)? out)\b"
    r"|\w'll\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:used to|formerly|previously|back then|back in|years? ago|when i was|when we were|as a (?:kid|child|student"
    r"|teenager)|grew up|until|in my (?:old|previous|last|first)|at the time|once (?:lived|worked|had)|in (?:19|20)\d\d"
    r"|früher|damals|antes)\b",
    re.IGNORECASE,
)
_MARKED = re.compile(
    r"^\W*(?:no|nope|nein|sorry|oops|wait|correction|scratch that|update|not quite)\b[\s,:;.!—–-]"
    r"|\b(?:now(?!here)|nowadays|these days|no longer|any ?more|instead|actually|correction"
    r"|turns out|in fact|meant|mixed up"
    r"|(?:was|were|am|is) wrong|my mistake|from now on|stopped|gave up|cancell?ed|current"
    r"|latest|as of (?:today|now|this)|currently|meanwhile|lately"
    r"|(?:just |recently |finally )?(?:moved|switched|changed|dropped|replaced|relocated|rescheduled|postponed|pushed"
    r"|shifted|renamed|migrated|quit|joined|upgraded|bumped|brought forward|turned|became)|got"
    r" (?:a new|married|divorced|promoted)"
    r"|(?:is|are) back|again|not .{1,30}, but|not .{1,30} but|rather than|(?:our|my|the|'s) new|jetzt|inzwischen"
    r"|mittlerweile|nicht mehr|stattdessen|statt|eigentlich|nun|umgezogen|ahora|ya no|en vez|en lugar|en realidad"
    r"|me mudé|nos mudamos|cambié)\b",
    re.IGNORECASE,
)
_NOT_A_MARK = re.compile(
    r"^\W*(?:now,|now then|right now i)|\b(?:until now|by now|every now and then)\b", re.IGNORECASE
)
_FURTHER = re.compile(
    r"\b(?:also|as well|additionally|another|second|besides|part[- ]time|on (?:the )?weekends?|on the side|sometimes"
    r"|both|either|occasionally|freelanc\w+|volunteer\w*|auch|außerdem|también|too(?=\W*$))\b",
    re.IGNORECASE,
)


def mood_of(sentence: str) -> Mood:
    """How a sentence is meant."""
    if _ASKS.search(sentence) or _QUOTE.match(sentence) or _UNREAL.search(sentence) or _TOLD_BY_OTHERS.search(sentence):
        return Mood.UNREAL
    if _PAST.search(sentence):
        return Mood.PAST
    if _PLANNED.search(sentence):
        return Mood.PLANNED
    return Mood.HEDGED if _HEDGED.search(sentence) else Mood.ASSERTED


def is_marked(sentence: str) -> bool:
    """Whether it says itself that something changed or was wrong: "now", "no longer", "moved", "actually"."""
    return _MARKED.search(_NOT_A_MARK.sub(" ", sentence)) is not None


def says_further(sentence: str) -> bool:
    """Whether it adds to what was said: "also", "a second", "on weekends"."""
    return _FURTHER.search(sentence) is not None
