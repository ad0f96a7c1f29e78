"""Who or what a claim is about. Two people with one first name are two, as far as the words tell them apart."""

import re
from dataclasses import dataclass
from enum import StrEnum

from memory_core.claims.statement import Statement, same_speaker
from memory_core.claims.words import key_of

NAME = r"[A-ZÀ-ÖØ-Þ][\w'’-]*(?<!['’]s)"
"""A word with a capital."""
SUBJECT = (
    rf"(?P<subject>\b(?i:i|we|the user|user|the team)\b|\b(?i:my|our) (?:[a-zà-ÿ-]+ )??[a-zà-ÿ-]+(?: {NAME}){{0,2}}"
    rf"|\b{NAME}(?: {NAME})?)"
)
"""A person as the subject of a sentence."""
_OWN = re.compile(rf"(?i:my|our) (?P<relation>(?:[a-zà-ÿ-]+ )?[a-zà-ÿ-]+)(?P<name>(?: {NAME}){{0,2}})")
_NO_NAMES = frozenset(
    "i we you he she it they this that the there then now so and but yes no ok okay also"
    " actually today tomorrow yesterday"
    " yesterday's my our here what where when who how if as in on at for from sorry"
    " correction update well hey hi thanks"
    " last next recently currently lately finally meanwhile his her their its your everyone"
    " nobody somebody people".split()
)
_ONLY_ONE = frozenset(
    "mother father wife husband partner boss manager fiancée fiancé spouse girlfriend boyfriend landlord".split()
)
_SYNONYMS = {"mom": "mother", "mum": "mother", "dad": "father"}


class Match(StrEnum):
    """Whether two subjects are one."""

    YES = "yes"
    MAYBE = "maybe"
    NO = "no"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Who or what.

    Attributes:
        kind: `self`, `we`, `person` or `thing`.
        relation: What a person is to the speaker, such as `sister`.
        name: Name of the person or of the thing, in comparable form.
    """

    kind: str
    relation: str = ""
    name: str = ""


SELF, WE = Subject(kind="self"), Subject(kind="we")


def person(text: str, *, speaker: str | None) -> Subject | None:
    """The subject that a phrase names; None when it names nobody."""
    folded = text.casefold().strip()
    if folded in {"i", "the user", "user", "ich", "yo"} or (speaker and folded in _own_names(speaker)):
        return SELF
    if folded in {"we", "wir", "nosotros", "the team", "our team"}:
        return WE
    if own := _OWN.fullmatch(text.strip()):
        relation = _SYNONYMS.get(own["relation"].split()[-1], own["relation"])
        return Subject(kind="person", relation=relation, name=own["name"].strip().casefold())
    if folded in _NO_NAMES or folded.split()[0] in _NO_NAMES:
        return None
    return Subject(kind="person", name=folded)


def thing(phrase: str) -> Subject:
    """The subject that a phrase such as "the staging port" names."""
    return Subject(kind="thing", name=key_of(phrase))


def match(older: Subject, newer: Subject, *, of: tuple[Statement, Statement]) -> Match:
    """Whether two subjects of an older and a newer statement are one."""
    if older.kind != newer.kind:
        return Match.NO
    one_speaker = same_speaker(*of)
    if older.kind == "thing":
        return _match_things(older.name, newer.name)
    if older.kind == "self":
        return Match.YES if one_speaker else Match.NO
    if older.kind == "we":
        return Match.YES if one_speaker else Match.MAYBE
    return _match_people(older, newer, one_speaker=one_speaker)


def _match_things(older: str, newer: str) -> Match:
    if older == newer:
        return Match.YES
    shorter, longer = sorted((older.split(), newer.split()), key=len)
    return Match.MAYBE if shorter and longer[-len(shorter) :] == shorter and newer.split() == shorter else Match.NO


def _match_people(older: Subject, newer: Subject, *, one_speaker: bool) -> Match:
    if older.relation and newer.relation and older.relation != newer.relation:
        return Match.NO
    if older.name and newer.name:
        if not _one_name(older.name, newer.name):
            return Match.NO
        return Match.YES if one_speaker else Match.MAYBE
    if not one_speaker or not (older.relation and newer.relation):
        return Match.NO
    if older.name == newer.name:
        return Match.YES
    return Match.YES if older.relation in _ONLY_ONE else Match.MAYBE


def _one_name(one: str, other: str) -> bool:
    """Whether two names may be of one person: "Marta" may be "Marta Silva", "Marta Costa" isn't."""
    first, second = one.split(), other.split()
    return all(a == b for a, b in zip(first, second, strict=False))


def _own_names(speaker: str) -> set[str]:
    return {speaker.casefold(), speaker.casefold().split()[0]} if speaker.strip() else set()
