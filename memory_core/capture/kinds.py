"""Pure: what kind of memory a statement makes, by the words that give it away; first rule that fits wins."""

import re

from memory_core.values import MemoryKind


def _rule(kind: MemoryKind, expression: str) -> tuple[MemoryKind, re.Pattern[str]]:
    return kind, re.compile(expression, re.IGNORECASE)


_RULES = (
    _rule(
        MemoryKind.CORRECTION,
        r"^(?:no|nope|nein|non)[,.!;:]\s+\S|^(?:actually|correction|sorry, |eigentlich|en fait|en realidad|不对|不是"
        r"|いや)\b|\b(?:i meant|i was wrong|i misspoke|that(?:'s| is| was) (?:wrong|not (?:right|true|correct))|not"
        r" .{1,40}, (?:but|it's|it is)|no longer|not anymore|isn't .{1,30} (?:anymore|any more)|ich meinte|das (?:ist"
        r"|war) falsch|nicht mehr|stimmt nicht|je voulais dire|c'est faux|ne .{1,30} plus|quise decir|ya no)\b"
        r"|不再|说错",
    ),
    _rule(
        MemoryKind.DECISION,
        r"\b(?:we|i|they|he|she|team)(?:'ve|'d| have| had| finally| all|'ll| will)* (?:decided|chose|chosen|agreed"
        r"|settled|opted|committed to|dropped|switched|picked|go(?:ing)? with|went with|rejected|approved)\b"
        r"|\b(?:decision|let's (?:go with|use|do)|going with|made up my mind|entschieden|beschlossen|wir nehmen"
        r"|einigten uns|décidé|choisi|on prend|hemos decidido|decid(?:í|imos)|elegimos)\b|决定|決め|決定",
    ),
    _rule(
        MemoryKind.ACTION_ITEM,
        r"\b(?:remind me|don't forget|remember to|to-?do|(?:i|we) (?:still )?(?:need|have|has|must|ought|got) to\b(?!"
        r" (?:say|admit|be|know|meet|see))|(?:i|we) must|deadline|is due|are due|due (?:on|by|date)|action item"
        r"|follow up (?:on|with)|erinnere? mich|nicht vergessen|(?:ich|wir) (?:muss|müssen)|bis .{1,20} fällig"
        r"|rappelle-moi|il faut que|(?:je|on) doi[st]|n'oublie pas|recuérdame|tengo que|tenemos que|no olvides)\b"
        r"|提醒我|别忘|必须|忘れないで|しなければ",
    ),
)  # fmt: skip
_PREFERENCE = re.compile(
    r"\b(?:prefer|prefers|preferred|favou?rite|i (?:really |absolutely |also |just |don't |do not |can't )*(?:like"
    r"|love|enjoy|hate|dislike|adore|stand|drink|eat)\b(?! to (?:know|see|hear|ask))|fan of|allergic|vegan|vegetarian"
    r"|rather (?:have|not|than)|instead of|always (?:use|order|take|drink|eat)|never (?:use|order|drink|eat)|not a"
    r" big fan|into (?:jazz|music)|ich (?:mag|liebe|hasse|bevorzuge|trinke|esse)|am liebsten|lieblings\w+|lieber"
    r"|j'(?:aime|adore|déteste)|je (?:préfère|n'aime)|préférée?|me (?:gusta|encanta)n?|prefiero|odio|favorit[oa])\b"
    r"|喜欢|讨厌|更喜欢|好き|嫌い",
    re.IGNORECASE,
)
_ENTITY = re.compile(
    r"\b(?:named|called|whose name|name is|names are|is my|are my|is our|are our|heißt|heissen|s'appelle|se llama|is"
    r" the (?:ceo|cto|owner|head|lead|founder|author|name) of|(?:my|our) (?:\w+ ){0,2}(?:brother|sister|mother|father"
    r"|mom|dad|wife|husband|partner|son|daughter|boss|dog|cat|colleague|friend|company|team|girlfriend|boyfriend"
    r"|neighbou?r) [A-Z]\w+)\b|叫做?|名前は",
)
_HAPPENING = re.compile(
    r"\b(?:\w{3,}ed|\w{3,}ing|was|were|had|did|went|got|saw|came|took|made|met|found|bought|ate|won|lost|gave|left"
    r"|began|ran|drove|wrote|spent|sent|built|caught|taught|brought|held|flew|rode|sang|swam|fell|broke|will|won't"
    r"|have|has|visit|meet|go|start|fly|move|arrive|leave|travel|play|attend|plan|launch|see you|gonna|is on|are on"
    r"|\w+'ll|ge\w{3,}(?:t|en)|war|hatte|ging|kam|fahre?n?|fliege?n?|treffen?|werde[n]?|wird|suis|sommes|ai|avons"
    r"|vais|allons|était|fui|fue|fuimos|hice|voy|vamos|\w{2,}(?:é|ó|aron|ieron))\b|了|た|ました|ます|去|会",
    re.IGNORECASE,
)


def kind_of(statement: str, *, dated: bool) -> MemoryKind:
    """The kind of a statement.

    Args:
        statement: Its text.
        dated: It names a date that could be resolved.
    """
    for kind, pattern in _RULES:
        if pattern.search(statement):
            return kind
    if dated and _HAPPENING.search(statement):
        return MemoryKind.EVENT
    if _PREFERENCE.search(statement):
        return MemoryKind.PREFERENCE
    if _ENTITY.search(statement):
        return MemoryKind.ENTITY
    return MemoryKind.FACT
