"""A statement, read: its sentences with what they claim. Reading costs about a tenth of a millisecond a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory_core.claims.claim import Policy, Sentence
from memory_core.claims.leanings import given_up, leanings
from memory_core.claims.mood import Mood, is_marked, mood_of, says_further
from memory_core.claims.person_slots import person_claims
from memory_core.claims.statement import Statement
from memory_core.claims.thing_slots import thing_claims
from memory_core.claims.words import clauses, plain, sentences, words
from memory_core.values import Origin

_LONGEST = 400
"""Longer sentences are no plain claims, and patterns take their time over them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A statement and its sentences in order.

    Attributes:
        words: Its words in order, in the form in which they are compared.
        vocabulary: The same, each once.
        topics: What it claims something about, as far as another statement can take it back.
    """

    statement: Statement
    sentences: tuple[Sentence, ...]
    words: tuple[str, ...]
    vocabulary: frozenset[str]
    topics: frozenset[str]

    @property
    def claims_anything(self) -> bool:
        """Whether it could replace or contradict anything."""
        return any(sentence.claims or sentence.gone for sentence in self.sentences)


def read(statement: Statement) -> Reading:
    """Read a statement."""
    text = statement.text
    found: list[Sentence] = []
    for begin, end in sentences(text):
        whole = text[begin:end].strip()
        is_unreal = mood_of(plain(whole)) is Mood.UNREAL
        parts = [whole] if is_unreal else clauses(whole)
        found += [_read(part, statement) for part in parts]
    told = tuple(words(text))
    return Reading(
        statement=statement,
        sentences=tuple(found),
        words=told,
        vocabulary=frozenset(told),
        topics=_topics(found),
    )


def _topics(found: Sequence[Sentence]) -> frozenset[str]:
    topics: set[str] = set()
    for sentence in found:
        topics |= {said for gone in sentence.gone for _, said in gone.value}
        for claim in sentence.claims:
            topics |= {said for _, said in claim.value}
            if claim.policy is not Policy.SEVERAL:
                topics.add(f"{claim.attribute}:")
    return frozenset(topics)


def _read(original: str, statement: Statement) -> Sentence:
    text = plain(original)
    mood = mood_of(text)
    if mood in {Mood.UNREAL, Mood.PAST} or len(text) > _LONGEST:
        return Sentence(text=original, mood=mood if len(text) <= _LONGEST else Mood.UNREAL, marked=False, further=False)
    speaker = statement.speaker if statement.origin is Origin.USER else None
    return Sentence(
        text=original,
        mood=mood,
        marked=statement.corrects or is_marked(text),
        further=says_further(text),
        claims=(*person_claims(text, speaker=speaker), *thing_claims(text), *leanings(text, speaker=speaker)),
        gone=tuple(given_up(text, speaker=speaker)),
    )
