"""What is claimed of people: where they live and work, what they are, when they were born, what they like best."""

import re
from collections.abc import Iterator

from memory_core.claims.claim import Claim, Policy
from memory_core.claims.person_patterns import FAVOURITE, NAMED, ONE_ONLY, PATTERNS
from memory_core.claims.subjects import NAME, SELF, WE, Subject, person
from memory_core.claims.values import measured, worded


def person_claims(sentence: str, *, speaker: str | None) -> Iterator[Claim]:
    """What a sentence claims of people."""
    for pattern in PATTERNS:
        for found in pattern.words.finditer(sentence):
            subject, value = _subject(found, speaker=speaker), pattern.read(found["value"])
            if subject and value and not (pattern.attribute == "role" and _is_thing(found)):
                yield Claim(
                    subject=subject,
                    attribute=pattern.attribute,
                    value=value,
                    policy=pattern.policy,
                    positive=not found.groupdict().get("not") and "ya no" not in found[0].casefold(),
                    span=found.span(),
                    doubtful=pattern.doubtful(found),
                )
    yield from _favourites(sentence, speaker=speaker)
    for found in NAMED.finditer(sentence):
        only = re.fullmatch(ONE_ONLY, found["what"]) is not None
        yield Claim(
            subject=SELF,
            attribute=f"name of {found['what']}",
            value=worded(found["value"]),
            policy=Policy.IF_MARKED if only else Policy.SEVERAL,
            span=found.span(),
        )


def _favourites(sentence: str, *, speaker: str | None) -> Iterator[Claim]:
    for found in FAVOURITE.finditer(sentence):
        owner = re.sub(r"['’]s$", "", found["subject"])
        subject = {"my": SELF, "our": WE, "the user": SELF}.get(owner.casefold()) or person(owner, speaker=speaker)
        value = worded(found["value"])
        if subject and value:
            yield Claim(
                subject=subject,
                attribute=f"favourite {found['what'].casefold()}",
                value=value,
                policy=Policy.LATER_WINS,
                positive=not found["not"],
                span=found.span(),
            )


def _subject(found: re.Match[str], *, speaker: str | None) -> Subject | None:
    groups = found.groupdict()
    if "subject" not in groups:
        return WE if groups.get("we") else SELF
    text = groups["subject"] or ""
    if text.casefold() == "my":  # "my birthday", "my sister Marta's birthday"
        whose = re.match(rf"(?i:my) (?P<who>[a-z-]+(?: {NAME})?)['’]s", found[0])
        return person(f"my {whose['who']}", speaker=speaker) if whose else SELF
    return person(text, speaker=speaker)


def _is_thing(found: re.Match[str]) -> bool:
    return measured(found["value"]) != frozenset()
