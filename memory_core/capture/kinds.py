"""Pure: what kind of memory a statement makes, by the words that give it away; first rule that fits wins."""

import re
from enum import StrEnum

from memory_core.values import MemoryKind


class Dated(StrEnum):
    """How exactly a statement says when."""

    NO = "no"
    ROUGHLY = "roughly"
    """A year or a vaguer stretch: "in 2019", "a few years ago"."""
    EXACTLY = "exactly"
    """A month or less."""


def _rule(kind: MemoryKind, *expressions: str) -> tuple[MemoryKind, re.Pattern[str]]:
    return kind, re.compile("|".join(expressions), re.IGNORECASE)


# Somebody's doing: "I'll send the minutes", "Ich bringe die Gitarre mit".
_TASKS = (
    "send|bring|print|call|email|mail|write|book|order|buy|prepare|fix|finish|submit|return|pick|drop|clean|pay|renew"
    "|ask|check|organi[sz]e|arrange|sign|collect|cancel|update|set up|take care|get"
)
_RULES = (
    _rule(
        MemoryKind.CORRECTION,
        r"^(?:no|nope|nein|non)[,.!;:]\s+\S|^no wait\b|^(?:actually|correction|sorry,? (?:i|it|that|the)|eigentlich"
        r"|en fait|en realidad|scratch that|update:|不对|不是|いや)\b",
        r"\b(?:i meant|i was wrong|i misspoke|that(?:'s| is| was) (?:wrong|not (?:right|true|correct))|no longer"
        r"|not anymore|(?:isn't|aren't|(?:is|are|'s|'re) not) .{1,60} (?:anymore|any more))\b",
        # "it was 19 km, not 18", "not Genki, but Minna"
        r"\b(?:it|that|he|she|they|we|i|there)(?:'s|’s|'re| is| are| was| were| will be| starts?| begins?)\b.{1,60},"
            r" not"
        r" .{1,40}$|\bnot .{1,40}, (?:but|it's|it is)\b",
        r"\b(?:ich meinte|das (?:ist|war) falsch|stimmt nicht|korrektur|doch (?:erst|schon|nur|in|am|im|um)"
        r"|(?:ist|sind|war|waren|müssen?|soll(?:en)?) .{1,50}, nicht .{1,40}$|nicht .{1,40}, sondern)\b",
        r"\b(?:je voulais dire|c'est faux|ne .{1,30} plus\b(?! que)|quise decir|me equivoqué|ya no|(?:es|son|era|vence"
        r"|empieza) .{1,40}, no (?:el|la|los|las|en|a|un|una) .{1,30}$)",
        r"不再|说错|ではなくて",
    ),
    _rule(
        MemoryKind.DECISION,
        r"\b(?:we|i|they|he|she|team)(?:'ve|'d|'re|'m|'ll| have| had| are| am| is| finally| all| will| now)* (?:decided"
        r"|chose|chosen|agreed|settled (?:on|for)|opted|committed to|dropped|dropping|switched (?:from|to)"
        r"|switching (?:from|to)|picked|go(?:ing)? (?:with|for)|went with|rejected|approved|ruled out|turned down"
        r"|called off|scrapped|sticking (?:with|to)|keeping|not going to (?:use|do|build|take|buy))\b",
        r"\b(?:decision|let's (?:go with|use|do|take|keep|stick)|going with|made up my mind|motion (?:carried|passed)"
        r"|is (?:off the table|ruled out)|it'll be the .{1,40} then|we(?:'ll| will)? take the)\b|^(?-i:[A-Z])\w+ is"
            r" out\b",
        r"\b(?:entschieden|entschluss|beschlossen|wir nehmen|nehmen wir|einigten uns|einigen uns|es bleibt bei"
        r"|wir bleiben bei|lehne .{0,30}ab|(?:sage|sagen) .{0,30} ab|(?:werde|werden|wollen) .{0,40}doch"
        r" (?:nicht|kein\w*))\b",
        r"\b(?:décidé|choisi|on prend|on garde|hemos (?:decidido|elegido|quedado)|decid(?:í|imos|ieron)|elegimos"
        r"|nos quedamos con|al final (?:vamos|usamos|cogemos))\b",
        r"决定|決め|決定",
    ),
    _rule(
        MemoryKind.ACTION_ITEM,
        r"\b(?:remind me|don't forget|remember to|to-?do|deadline|is due|are due|due (?:on|by|date)|action item"
        r"|follow up (?:on|with))\b",
        r"\b(?:i|we|you) (?:still |really |also )?(?:need|needs|have|has|ought|got) to\b(?! (?:say|admit|be|know|meet"
        r"|see|wait))|\b(?:i|we) (?:still )?must\b|^\W*(?:still )?(?:need|have|must) (?:to )?(?!been\b)\w+",
        rf"\b(?:i|we)(?:'ll|’ll| will|'m going to| am going to) (?:\w+ly )?(?:{_TASKS})\b"
        rf"|\bwe should (?:\w+ly )?(?:{_TASKS})\b",
        r"\b(?:erinnere? mich|(?:nicht|bloß nicht) vergessen|vergiss(?:t)? nicht|(?:ich|wir)"
            r" (?:muss|müssen|soll|sollen)"
        r"|^muss (?:noch|ich)|muss noch|bis .{1,20} fällig|ich kümmere mich|kümmere mich um"
        r"|ich (?:bringe|besorge|hole|schicke|bestelle|backe|rufe|frage|kaufe|buche|schreibe) .{1,60}(?:mit|ab|an|ein"
        r"|bis|morgen|nach|noch)?)\b",
        r"\b(?:rappelle-moi|il faut que|(?:je|on) doi[st]|n'oublie pas|recuérdame|tengo que|tenemos que|hay que"
        r"|no (?:te )?olvides|debo|me encargo de)\b",
        r"提醒我|别忘|必须|忘れないで|しなければ",
    ),
)  # fmt: skip
_PREFERENCE = re.compile(
    r"\b(?:prefer|prefers|preferred|favou?rite|i (?:really |absolutely |also |just |don't |do not |can't )*(?:like"
    r"|love|enjoy|hate|dislike|adore|stand|drink|eat)\b(?! to (?:know|see|hear|ask))|fan of|allergic|vegan|vegetarian"
    r"|(?:i'd |i would |i )rather|rather (?:have|not|than)|(?:like|likes|work|works|sleep|sleeps) .{1,40}"
    r" better"
    r"(?: than)?|always (?:use|order|take|drink|eat|want)|never (?:use|order|drink|eat|want|wear|buy)|i"
    r" (?:never|always)"
    r" want|not a big fan|(?:terrified|afraid|scared|sick|tired) of|can't (?:stand|bear)|only,? please|into"
    r" (?:jazz|music)"
    r"|ich (?:\w+ )?(?:mag|liebe|hasse|bevorzuge|trinke|esse|möchte (?:lieber|höchstens|nur|kein\w*|am liebsten))"
    r"|am liebsten|lieblings\w+|lieber|allergisch|vegetarisch|keine? \w+ mehr"
    r"|j'(?:aime|adore|déteste)|je (?:préfère|n'aime)|préférée?|allergique|me (?:gusta|encanta|molesta)n?|prefier[oe]"
    r"|odio|alérgic[oa]|favorit[oa])\b|喜欢|讨厌|更喜欢|好き|嫌い",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"\binstead of\b|\bstatt\b|\ben vez de\b", re.IGNORECASE)
_RELATION = (
    "brother|sister|mother|father|mom|mum|dad|wife|husband|partner|son|daughter|boss|dog|cat|horse|rabbit|colleague"
    "|friend|girlfriend|boyfriend|neighbou?r|cousin|uncle|aunt|nephew|niece|grandma|grandpa|grandmother|grandfather"
    "|roommate|flatmate|coach|teacher|doctor|dentist|student|manager|landlord|landlady|company|team|band"
    "|bruder|schwester|mutter|vater|frau|mann|sohn|tochter|chefin?|hund|hündin|katze|kollegin?|freundin?|nachbarin?"
    "|cousine?|onkel|tante|oma|opa|trainerin?|lehrerin?"
    "|hermano|hermana|madre|padre|esposa|marido|hijo|hija|jefe|jefa|perro|perra|gato|gata|amigo|amiga|vecino|vecina"
    "|primo|prima|abuelo|abuela|socio|socia|frère|sœur|mère|père|femme|mari|fils|fille|chien|chat|ami|amie"
)
_OWN = r"(?:my|our|his|her|their|mein\w{0,2}|unser\w{0,2}|mi|nuestr[oa]|mon|ma|notre)"
_ENTITY = re.compile(
    r"\b(?:named|called|whose name|name is|names are|is my|are my|is our|are our|(?:soll|sollen) .{1,40} heißen|heißt"
    r"|heißen|heissen|genannt|s'appelle|se llaman?|is the (?:ceo|cto|owner|head|lead|founder|author|name) of)\b"
    rf"|\b{_OWN} (?:\w+ ){{0,2}}(?:{_RELATION}),? (?-i:[A-ZÄÖÜÁÉÍÓÚ]\w+)"
    rf"|\b{_OWN} (?:\w+ ){{1,3}}(?:is|ist|es|est) (?:der |die |el |la |now |a (?:man|woman) called )?"
    r"(?-i:(?:Herr|Frau|Doktor|Dr\.?|Mr\.?|Mrs\.?|Ms\.?|Don|Doña) )?(?-i:[A-ZÁÉÍÓÚ]\w+)(?=[ ,.!;]|$)(?! (?:than|and a))"
    r"|叫做?|名前は",
    re.IGNORECASE,
)
_GERMAN_NOUN = re.compile(r"\b(?:mein|unser)\w{0,2} (?:\w+ ){1,3}ist (?!der |die |(?-i:Herr|Frau))", re.IGNORECASE)
"""In German every noun is written like a name: "Mein Hobby ist Schach" names nobody."""
_HAPPENING = re.compile(
    r"\b(?:\w{3,}ed|\w{3,}ing|was|were|had|did|went|got|saw|came|took|made|met|found|bought|ate|won|lost|gave|left"
    r"|began|ran|drove|wrote|spent|sent|built|caught|taught|brought|held|flew|rode|sang|swam|fell|broke|will|won't"
    r"|have|has|visit|meet|go|start|fly|move|arrive|leave|travel|play|attend|plan|launch|see you|gonna|is on|are on"
    r"|\w+'ll|ge\w{3,}(?:t|en)|war|hatte|ging|kam|fahre?n?|fliege?n?|treffen?|werde[n]?|wird|suis|sommes|ai|avons"
    r"|vais|allons|était|fui|fue|fuimos|hice|voy|vamos|\w{2,}(?:é|ó|aron|ieron))\b|了|た|ました|ます|去|会",
    re.IGNORECASE,
)


def kind_of(statement: str, *, dated: Dated) -> MemoryKind:
    """The kind of a statement.

    Args:
        statement: Its text.
        dated: How exactly it says when.
    """
    for kind, pattern in _RULES:
        if pattern.search(statement):
            return kind
    if _PREFERENCE.search(statement):
        return MemoryKind.PREFERENCE
    if dated is Dated.EXACTLY or (dated is Dated.ROUGHLY and _HAPPENING.search(statement)):
        return MemoryKind.EVENT
    if dated is Dated.NO and _INSTEAD.search(statement):
        return MemoryKind.PREFERENCE
    if _ENTITY.search(statement) and not _GERMAN_NOUN.search(statement):
        return MemoryKind.ENTITY
    return MemoryKind.FACT
