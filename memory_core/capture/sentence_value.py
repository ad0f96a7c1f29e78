"""Pure: whether a sentence says something worth keeping.

A sentence is noise when nothing is left of it after words of greeting, thanks, praise and grammar: "Hey Mel! So good to
see you", "That's awesome!". Praise words carry no fact even in long sentences of only such words.
"""

import re
from collections.abc import Sequence
from enum import StrEnum

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_GRAMMAR = _words(
    """
a an the of to in on at for and or but if so as by with from into about than then too also just only even still yet
ever never always really very pretty quite much more most many lot lots bit little some any all both each every
other such own same here there now today again back up down out off over away i me my mine myself you your yours
yourself he him his she her hers it its we us our ours they them their theirs this that these those who whom whose
which what when where why how is am are was were be been being do does did done doing have has had having will would
can could shall should may might must not no nor yes yeah yep yup nope i'm i've i'd i'll you're you've you'd you'll
he's she's it's we're we've we'd we'll they're they've they'd they'll that's there's here's what's how's who's
where's let's don't doesn't didn't isn't aren't wasn't weren't can't couldn't won't wouldn't shouldn't haven't
hasn't hadn't ain't gonna wanna gotta kinda sorta y'all u ur im ive dont thats its ich du er sie es wir ihr mich
dich ihn uns euch mein dein sein der die das den dem ein eine einen einem einer und oder aber ist sind war waren hat
habe haben nicht kein auch nur noch schon sehr so wie was wer wo wann warum ja nein doch mal denn zu in an auf mit
von für bei je tu il elle on nous vous ils elles le la les un une des et ou mais est sont c'est ça que qui quoi pas
oui non très bien aussi suis es sommes êtes ai as a avons dans sur pour avec sans plus ne ce cette bin bist seid wird
werden kann können muss müssen soll sollen will wollen mag dir mir ihm ihnen da dort hier dann also jetzt wieder immer
etwas nichts mehr viel nach vor bei aus um soy eres somos está están hay muy más ya aquí allí me te se le lo nos al del
por para con sin yo tú él ella nosotros ellos el los las una unos y o pero es son está qué quien cómo no sí
muy también
"""
)
_PLEASANTRY = _words(
    """
hi hey hello hiya heya howdy yo morning afternoon evening night good bye goodbye cya later see ya seeing take care
cheers thanks thank thankyou thx ty welcome please sorry pardon excuse congrats congratulations bravo kudos ok okay
k kk sure right alright fine cool great nice awesome amazing wonderful fantastic excellent brilliant lovely sweet
perfect super impressive incredible epic rad neat dope wow whoa woah omg oh ooh ah aha aww aw hmm hm mm mhm uh um er
well haha hahaha hehe lol lmao rofl xd yay woohoo hooray yikes oops ugh phew dang damn gosh geez man dude bro buddy
pal mate friend guys folks everyone dear totally absolutely definitely certainly exactly indeed agreed agree true
truly got gotcha understood noted sounds sound looks look seems seem feel hear hearing heard know glad happy pleased
proud excited love loved loving like inspiring inspirational beautiful gorgeous stunning cute fun funny interesting
exciting helpful kind kindness thoughtful appreciate appreciated appreciation means mean lot best luck worries worry
problem prob course way chat chatting talk talking catch catching soon wait keep keeping going go doing stay have
day one ones thing things stuff time guess think thought bet say said tell telling mention share sharing shared
forward looking enjoy rest rock rocking rest let know anytime always whenever around new up going long hallo servus
moin tschüss danke bitte gerne gern guten tag abend morgen nacht super toll klasse prima genau stimmt alles klar
schön freut ok gut echt wirklich bis bald später liebe grüße gruß bonjour salut coucou bonsoir merci svp plaît
génial super d'accord parfait bravo revoir bientôt bonne journée soirée chance hola buenas buenos días tardes noches
gracias favor genial perfecto claro vale adiós hasta luego pronto suerte bueno ciao grazie prego olá obrigado
obrigada merry christmas easter birthday happy weekend holidays weihnachten ostern geburtstag schönes schönen wochenende
abend euch zusammen glückwunsch gratuliere frohe frohes freu freue freuen willkommen problema problem trato hecho
feliz navidad cumpleaños finde joyeux noël anniversaire vacances
"""
)
_CJK_NOISE = re.compile(
    r"(?:你好|您好|大家好|早上好|晚上好|晚安|谢谢(?:你|您)?|多谢|好的?|嗯+|哦+|哈+|是的?|对|没问题|不客气|再见|拜拜|太好了|太棒了"
    r"|こんにちは|こんばんは|おはよう(?:ございます)?|おやすみ(?:なさい)?|ありがとう(?:ございます)?|はい|いいえ|うん|ええ|了解(?:です)?"
    r"|すごい|よかった|なるほど|さようなら|またね|안녕(?:하세요)?|감사합니다|네|아니요|[\s。！？、，,.!?~～ーw笑了啊呀吧呢です!]+)+"
)
_TO_ME = re.compile(r"\b(?:tell|show|give|send|help|find|write|let|remind) (?:me|us)\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|im|my|mine|we|we're|we've|our|ich|mein\w*|wir|unser\w*|je|j'\w+|mon|ma|mes|nous|notre"
    r"|yo|mi|mis|soy|tengo|nosotros|eu|meu|minha)\b|我|私|僕|俺|저|나는",
    re.IGNORECASE,
)
_SECOND_PERSON = re.compile(
    r"\b(?:you|your|yours|you're|you've|du|dein\w*|dich|dir|ihr|tu|ton|ta|vous|votre|tú|tu|usted)\b", re.IGNORECASE
)
# What one feels or looks forward to: kept beside a fact, no fact by itself.
_VERDICT = re.compile(
    r"\W*(?:(?:yeah|yes|no|oh|well|and|but|so|thanks)\W+)?(?:it|they|he|she|everyone|everything)"
    r"(?:['’](?:s|re)| was| were| is| are)\s(?!(?:great|good|nice|lovely|so good) (?:to|that|you)\b)",
    re.IGNORECASE,
)
"""Says how something was; beside what it was, it belongs to the story: "It was amazing"."""
_FEELING = re.compile(r"\b(?:i|i'm|i've|we|we're|my|can't wait|ich|je|yo)\b", re.IGNORECASE)
# Questions that tell: "Did I tell you that I got a dog?", "Could you remind me to call Bo?"
_TELLING_QUESTION = re.compile(
    r"\b(?:remind me|(?<!where )(?<!when )(?<!what )(?<!how )(?<!why )did i (?:tell|mention|say)|have i told|don't"
    r" forget|(?:do you )?remember (?:that )?(?:i|my|we)\b"
    r"|do you know (?:that )?(?:i|my)\b|erinnerst? (?:du )?mich|rappelle[rsz]?(?:-| )moi|me recuerdas|recuérdame)",
    re.IGNORECASE,
)
# What the assistant is told to do at once; without the speaker's own things or a date in it, no memory.
_REQUEST = re.compile(
    r"^\W*(?:please,? |pls |now |then |ok,? |and |hey,? |bitte )*(?:write|find|give|show|tell|explain|summari[sz]e"
    r"|translate|fix|make|create|search|look|check|list|help|draft|generate|calculate|convert|open|run|try|stop"
    r"|continue|compare|describe|suggest|recommend|rewrite|read|send|schreib\w*|zeig\w*|such\w*|erklär\w*|écris"
    r"|montre|cherche|explique|escribe|muestra|busca|explica)\b",
    re.IGNORECASE,
)
# "I can give it to you tomorrow, how does that sound?", "The Hobbit is great, but have you read ...?"
_TOLD_FIRST = re.compile(
    r"(?:(?:well|so|and|but|yeah|yes|oh),? )?(?!(?:what|who|where|when|why|how|which|whose|do|does|did|is|are|was"
    r"|were|am|have|has|had|can|could|will|would|shall|should|may|might|any|got|anything|ever|so|and|or"
    r"|but)\b)\w[^?,;]{8,},\s",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d")
# What people and programs send to see whether anybody is there: "Round 3.", "Test message number 17", "ping 42".
_PROBE = _words(
    """
test tests testing tested ping pong probe round turn message messages msg iteration run number numbers num nr no
received receive ack acknowledged echo echoing check checking count counting step attempt try reply answer
respond exactly word only nachricht runde nummer empfangen testnachricht mensaje ronda prueba recibido número
essai
"""
)
_PLACED = re.compile(r"\b(?:at|on|in|by|before|after|am|um|bis|vor|nach|el|las|a las|à)\b", re.IGNORECASE)
_MASHED = re.compile(r"(?:asdf|qwert|jkl|hjkl|dfgh|foo|bar|baz|bla+h?|x{3,}|lorem|ipsum)\w*")
_NAME = re.compile(r"(?<=[^\s.!?…\"'“(\[])\s+(?!I\b|I['’]|OK\b|LOL\b|OMG\b|TV\b)[A-ZÀ-ÖØ-ÞΑ-ΩА-Я]\w*")
_CALL = re.compile(
    r"^(?:(?:oh|hey|hi|hello|wow|thanks|thank you|thx|yeah|yep|yes|no|sure|bye|ok|okay|cool|nice|great|congrats"
    r"|(?:good )?(?:morning|evening|afternoon|night)|welcome|dear|happy \w+|merry \w+|well done|poor|hallo|moin|servus"
    r"|grüezi|hoi|sali|willkommen|welcome back|gute[nr]? (?:morgen|tag|abend|nacht)|danke|hola|buen[oa]s?"
    r" (?:días?|tardes|noches)|gracias|salut|merci"
    r"|bonjour|bonsoir|ciao)[\s,]+(?:so"
    r" much[\s,]+|again[\s,]+|there[\s,]+)?)+[A-Z]\w*|,\s*[A-Z]\w*(?=\s*[.!?,]*$)|^[A-Z]\w*,",
    re.IGNORECASE,
)
_SOMEBODY = re.compile(
    r"^\W*(?:(?:hey|hi|oh|so|and|ok|btw)[,\s]+)*(?:(?:can|could|would|will) (?:you|u|someone|somebody|anyone|anybody)"
    r"|has any(?:one|body)|does any(?:one|body)|who(?:'s| is| wants)|kann(?:st)? (?:du|jemand|wer)|könnte(?:st)? (?:du"
    r"|jemand)|hat (?:wer|jemand|einer)|wer \w+|alguien|puede[sn]?|quién)\b",
    re.IGNORECASE,
)
"""Asks for help or who joins: it tells nothing of anybody."""
_QUESTION = re.compile(r"[?？]\s*[\"'”’)\]*_]*$")
_ATTACHED = re.compile(r"\[(?:attached|tools): [^\]\n]*\]")


class Value(StrEnum):
    """What a sentence is good for."""

    NOISE = "noise"
    CONTEXT = "context"
    """Kept beside something worth keeping, never alone."""
    QUESTION = "question"
    """As context, and it may explain the answer that follows it."""
    INFORMATION = "information"


def content_words(text: str) -> list[str]:
    """Words that carry meaning, lower case: neither grammar nor pleasantries, nor the name of the one addressed."""
    bare = _CALL.sub(" ", text)
    return [word for word in (found.lower().replace("’", "'") for found in _WORD.findall(bare)) if not _is_empty(word)]


def value(sentence: str, *, shared: bool = False) -> Value:
    """Judge one sentence.

    Args:
        sentence: It.
        shared: It was said among people: then a question tells something about the one who is asked ("Are you going to
            invite your tournament friends?"), while one to an assistant only asks.
    """
    if _ATTACHED.fullmatch(sentence):
        return Value.CONTEXT
    if _CJK.search(sentence):
        return _value_of_cjk(sentence)
    words = content_words(sentence)
    if not words:
        felt = _FEELING.search(sentence) or _VERDICT.match(sentence)
        return Value.CONTEXT if felt and not is_question(sentence) else Value.NOISE
    return Value.NOISE if _is_probe(sentence, words) else _value_of_words(sentence, words=words, shared=shared)


def _value_of_words(sentence: str, *, words: Sequence[str], shared: bool) -> Value:
    named = _NUMBER.search(sentence) or _NAME.search(_CALL.sub(" ", sentence))
    own = _FIRST_PERSON.search(_TO_ME.sub(" ", sentence))
    if _REQUEST.match(sentence) and not shared and not own and not _NUMBER.search(sentence):
        return Value.QUESTION
    if is_question(sentence) and not _TOLD_FIRST.match(sentence) and not _TELLING_QUESTION.search(sentence):
        subject = named or _SECOND_PERSON.search(sentence) or len(words) >= 3  # noqa: PLR2004 who, did, what
        tells = shared and subject and not _SOMEBODY.match(sentence)
        return Value.INFORMATION if tells else Value.QUESTION
    told = named or own
    return Value.INFORMATION if told or len(words) >= 2 else Value.CONTEXT  # noqa: PLR2004 one word names, two say


def _is_probe(sentence: str, words: Sequence[str]) -> bool:
    """Whether a sentence only tries out whether it arrives; "the test is on 3 May" and "my turn is at 5" tell more."""
    if all(_MASHED.fullmatch(word) for word in words):
        return True
    known = [word for word in words if not word.isdecimal()]
    return (
        bool(known) and _PROBE.issuperset(known) and not _PLACED.search(sentence) and not _FIRST_PERSON.search(sentence)
    )


def is_question(sentence: str) -> bool:
    """Whether it ends as a question."""
    return _QUESTION.search(sentence) is not None


def _value_of_cjk(sentence: str) -> Value:
    if _CJK_NOISE.fullmatch(sentence):
        return Value.NOISE
    asks = is_question(sentence) or re.search(r"(?:吗|呢|か|니까|나요)[。\s]*$", sentence)
    return Value.QUESTION if asks else Value.INFORMATION


def _is_empty(word: str) -> bool:
    stem = word.removesuffix("'s")
    return (
        word in _GRAMMAR
        or word in _PLEASANTRY
        or stem in _GRAMMAR
        or stem in _PLEASANTRY
        or (len(word) == 1 and word.isalpha())
    )
