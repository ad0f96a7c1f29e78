"""What to search for to find older statements that a new one may replace: they share an attribute, rarely words."""

from memory_core.claims.claim import Claim, Policy
from memory_core.claims.reading import Reading
from memory_core.claims.subjects import Subject

MOST_PROBES = 3
_WORDS = {
    "residence": "live in, moved to, based in",
    "employer": "work at, work for, job",
    "role": "work as, job",
    "birthday": "birthday, born on",
    "age": "years old",
    "status": "married, single, divorced, engaged",
    "diet": "vegan, vegetarian, eat",
}


def probes(reading: Reading) -> list[str]:
    """Questions that find what a statement may replace, at most three; none where its own words find it."""
    found: list[str] = []
    for sentence in reading.sentences:
        found += [f"use {text}" for gone in sentence.gone for _, text in gone.value]
        found += [_probe(claim) for claim in sentence.claims if claim.policy is not Policy.SEVERAL]
    return list(dict.fromkeys(found))[:MOST_PROBES]


def _probe(claim: Claim) -> str:
    what = "" if claim.attribute == "value" else _WORDS.get(claim.attribute, claim.attribute)
    return f"{_name(claim.subject)} {what}".strip()


def _name(subject: Subject) -> str:
    return f"{subject.relation} {subject.name}".strip()
