"""What a newer statement is to an older one. Rather keep what is out of date than retire what is true."""

import re
from datetime import timedelta

from memory_core.claims.claim import Claim, Gone, Policy, Sentence
from memory_core.claims.duplicates import same_words
from memory_core.claims.mood import Mood
from memory_core.claims.reading import Reading, read
from memory_core.claims.statement import UNRELATED, Comparison, Statement, Verdict, same_speaker
from memory_core.claims.subjects import SELF, WE, Match, match
from memory_core.claims.values import Relation, relate
from memory_core.claims.words import NEGATIONS, plain, words
from memory_core.values import Origin

_GROWS = frozenset(
    "in at near with on by for since because from where which who called named to as along after before".split()
)
_LIMITS = frozenset("now if unless but only except or without until not never maybe".split())
_FEWEST_WORDS = 3
_TRUSTED = frozenset({"residence", "employer", "birthday", "diet", "status"})
"""Attributes of which other words for the same value say the same."""
_MORE = re.compile(
    r"\b(?:and|but|while|who|whose|which|because|where|plus|und|aber|weil|y|pero)\b|,\s+(?:my|our|the|i|we)\b"
    r"|\bwith (?:an?\b|my|our|his|her|two|three|four|\d|[A-ZÀ-Þ])"
)
_SMALL = frozenset(
    "i am is are was a an the now so and but oh yes no well btw just in at on for with to of my our we it that this"
    " currently actually also really still here there since years year".split()
)
_OVER_AFTER = timedelta(days=1)


def compare(older: Statement, newer: Statement) -> Comparison:
    """Compare two statements, the older one first; which is older, the caller knows by `said_at`."""
    return compare_read(read(older), read(newer))


def compare_read(older: Reading, newer: Reading) -> Comparison:
    """Compare two statements that were read already."""
    one_speaker = same_speaker(older.statement, newer.statement)
    if one_speaker and same_words(older.statement.text, newer.statement.text):
        return Comparison(verdict=Verdict.SAME, reason="says the same")
    judged = _by_claims(older, newer)
    if judged.verdict is not Verdict.UNRELATED:
        return judged
    if not one_speaker:
        return UNRELATED
    if _claims_the_same(older, newer):
        return Comparison(verdict=Verdict.SAME, reason="says the same in other words")
    if _grows(older, newer):
        return Comparison(verdict=Verdict.REFINES, reason="says the same and more")
    return UNRELATED


def _by_claims(older: Reading, newer: Reading) -> Comparison:
    doubts: list[str] = []
    kept: list[str] = []
    replaced = False
    why = ""
    for sentence in older.sentences:
        verdict, reason, claim = _judge_sentence(sentence, older=older, newer=newer)
        if verdict is Verdict.REPLACES and claim is not None and _says_more(sentence, claim):
            verdict, reason = Verdict.CONTRADICTS, "a part of what it says holds no longer"
        if verdict is Verdict.CONTRADICTS:
            doubts.append(reason)
        if verdict is Verdict.REPLACES:
            replaced, why = True, reason
        else:
            kept.append(sentence.text)
    if replaced and not doubts:
        return Comparison(verdict=Verdict.REPLACES, reason=why, rest=_rest(kept))
    if replaced or doubts:
        return Comparison(verdict=Verdict.CONTRADICTS, reason=doubts[0] if doubts else why)
    return UNRELATED


def _judge_sentence(sentence: Sentence, *, older: Reading, newer: Reading) -> tuple[Verdict, str, Claim | None]:
    """The strongest verdict of the newer statement's sentences on one of the older one."""
    if sentence.mood is not Mood.ASSERTED and not _is_set(sentence):
        return Verdict.UNRELATED, "", None
    found: list[tuple[Verdict, str, Claim | None]] = []
    for claim in sentence.claims:
        for other in newer.sentences:
            verdict, reason = _judge_claim(claim, other, of=(older.statement, newer.statement))
            found.append((verdict, reason, claim))
    contradicted = [entry for entry in found if entry[0] is Verdict.CONTRADICTS]
    replacing = [entry for entry in found if entry[0] is Verdict.REPLACES]
    return next(iter(replacing or contradicted), (Verdict.UNRELATED, "", None))


def _judge_claim(claim: Claim, sentence: Sentence, *, of: tuple[Statement, Statement]) -> tuple[Verdict, str]:
    if sentence.mood not in {Mood.ASSERTED, Mood.HEDGED} and not _is_set(sentence):
        return Verdict.UNRELATED, ""
    verdicts = [_gives_up(claim, gone, of=of) for gone in sentence.gone]
    verdicts += [_against(claim, other, sentence=sentence, of=of) for other in sentence.claims]
    if any(_confirms(claim, other, of=of) for other in sentence.claims) and Verdict.REPLACES not in verdicts:
        return Verdict.UNRELATED, ""  # what the same sentence confirms it doesn't take back
    strongest = next((v for v in (Verdict.REPLACES, Verdict.CONTRADICTS) if v in verdicts), Verdict.UNRELATED)
    if strongest is Verdict.REPLACES and sentence.mood is Mood.HEDGED:
        return Verdict.CONTRADICTS, "the newer one isn't certain"
    if strongest is Verdict.REPLACES and _lacks_authority(*of):
        return Verdict.CONTRADICTS, "somebody else says otherwise"
    return (
        strongest,
        f"another value of the same attribute: {claim.attribute}" if strongest is not Verdict.UNRELATED else "",
    )


def _is_set(sentence: Sentence) -> bool:
    """A day that is set for a thing holds already: "the meeting will be on Friday"."""
    return sentence.mood is Mood.PLANNED and any(claim.attribute == "value" for claim in sentence.claims)


def _lacks_authority(older: Statement, newer: Statement) -> bool:
    """The assistant doesn't take back what a person said, nor one person what another said; a person corrects it."""
    if same_speaker(older, newer):
        return False
    return not (older.origin is not Origin.USER and newer.origin is Origin.USER)


def _gives_up(claim: Claim, gone: Gone, *, of: tuple[Statement, Statement]) -> Verdict:
    if not claim.positive or gone.detail - claim.detail or relate(claim.value, gone.value) is not Relation.EQUAL:
        return Verdict.UNRELATED
    if claim.subject.kind == "thing":
        return Verdict.REPLACES if gone.subject == WE else Verdict.CONTRADICTS
    who = match(claim.subject, gone.subject, of=of)
    if who is Match.NO:
        return Verdict.UNRELATED
    return Verdict.REPLACES if who is Match.YES else Verdict.CONTRADICTS


def _against(older: Claim, newer: Claim, *, sentence: Sentence, of: tuple[Statement, Statement]) -> Verdict:
    if older.attribute != newer.attribute:
        return Verdict.UNRELATED
    who = match(older.subject, newer.subject, of=of)
    if older.attribute == "residence" and older.subject == SELF and newer.subject == WE and same_speaker(*of):
        who = Match.MAYBE  # "we" may be a family, or a team
    relation = relate(older.value, newer.value)
    if who is Match.NO or relation is Relation.UNKNOWN:
        return Verdict.UNRELATED
    narrower = bool(newer.detail - older.detail)
    if relation is Relation.EQUAL and narrower:
        verdict = Verdict.UNRELATED
    elif relation is Relation.EQUAL:
        verdict = _flipped(older, newer, marked=sentence.marked)
    elif not older.positive or not newer.positive or sentence.further or _is_over(older, of=of):
        verdict = Verdict.UNRELATED
    else:
        verdict = _replaced(older, newer, marked=sentence.marked)
    is_thing = older.subject.kind == "thing"
    unclear = newer.doubtful and not (is_thing and sentence.marked)
    doubtful = who is Match.MAYBE or unclear or (is_thing and narrower)
    return Verdict.CONTRADICTS if verdict is Verdict.REPLACES and doubtful else verdict


def _flipped(older: Claim, newer: Claim, *, marked: bool) -> Verdict:
    if older.positive == newer.positive:
        return Verdict.UNRELATED
    return Verdict.REPLACES if marked else Verdict.CONTRADICTS


def _replaced(older: Claim, newer: Claim, *, marked: bool) -> Verdict:
    if older.policy is Policy.SEVERAL:
        return Verdict.UNRELATED
    if marked or (older.policy is Policy.LATER_WINS and newer.policy is Policy.LATER_WINS):
        return Verdict.REPLACES
    return Verdict.CONTRADICTS


def _is_over(older: Claim, *, of: tuple[Statement, Statement]) -> bool:
    """What was to happen on a day that is past isn't out of date: it happened."""
    before, after = of
    is_day = any(kind in {"weekday", "date", "relative", "time"} for kind, _ in older.value)
    if older.attribute != "value" or not is_day:
        return False
    day = before.event_at or before.said_at + timedelta(days=7)
    return day + _OVER_AFTER < after.said_at


def _confirms(older: Claim, newer: Claim, *, of: tuple[Statement, Statement]) -> bool:
    same = older.attribute == newer.attribute and older.positive == newer.positive
    return (
        same
        and match(older.subject, newer.subject, of=of) is Match.YES
        and relate(older.value, newer.value) is Relation.EQUAL
    )


def _says_more(sentence: Sentence, claim: Claim) -> bool:
    """Whether a sentence holds something beside the claim and its details."""
    text = plain(sentence.text)
    begin, end = claim.span
    before = [word for word in words(text[:begin]) if word not in _SMALL]
    after = text[end:]
    further = _MORE.search(after)
    return len(before) > 1 or (
        further is not None and any(word not in _SMALL for word in words(after[further.start() :]))
    )


def _rest(kept: list[str]) -> str:
    """What still holds, as sentences; nothing when only greetings and fillers are left."""
    told = [text for text in kept if len([word for word in words(text) if word not in _SMALL]) > 1]
    if not told:
        return ""
    return " ".join(f"{text[:1].upper()}{text[1:]}{'' if text[-1] in '.!?…)' else '.'}" for text in kept)


def _claims_the_same(older: Reading, newer: Reading) -> bool:
    """One claim each, no more than that, of the same value."""
    if len(older.sentences) != 1 or len(newer.sentences) != 1:
        return False
    (one,), (other,) = older.sentences, newer.sentences
    if one.mood is not other.mood or len(one.claims) != 1 or len(other.claims) != 1:
        return False
    a, b = one.claims[0], other.claims[0]
    bare = not _residue(one, a) and not _residue(other, b)
    return bare and a.attribute in _TRUSTED and _confirms(a, b, of=(older.statement, newer.statement))


def _residue(sentence: Sentence, claim: Claim) -> list[str]:
    text = plain(sentence.text)
    begin, end = claim.span
    return [word for word in words(f"{text[:begin]} {text[end:]}") if word not in _SMALL]


def _grows(older: Reading, newer: Reading) -> bool:
    """The newer one has every word of the older one in front, and then more about it."""
    if len(older.sentences) != 1 or len(newer.sentences) != 1 or older.sentences[0].mood is not newer.sentences[0].mood:
        return False
    first, second = _without_fillers(older.words), _without_fillers(newer.words)
    if len(first) < _FEWEST_WORDS or len(second) <= len(first) or second[: len(first)] != first:
        return False
    added = second[len(first) :]
    return added[0] in _GROWS and not _LIMITS & set(added) and not NEGATIONS & set(added)


def _without_fillers(found: tuple[str, ...]) -> list[str]:
    return [word for word in found if word not in {"a", "an", "the", "btw", "just", "actually"}]
