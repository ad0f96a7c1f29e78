"""Memories and questions of people who don't exist, for measuring speed: their size and words are what counts.

Sentences come from a small grammar: 6 to about 45 words, a few hundred words that are frequent or rare as in speech.
"""

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

BEGAN = datetime(2026, 1, 5, 9, tzinfo=UTC)
"""When the first of them was said."""
SAID_WITHIN = timedelta(days=320)

_PEOPLE = ("Ines", "Bruno", "Chidi", "Dora", "Emre", "Freya", "Goran", "Hana", "Tomas", "Yuki", "Lena", "my sister")
_THINGS = tuple(
    (
        "blue kayak|spare key|telescope lens|recipe book|old camera|garden hose|violin case|tax folder|winter tent|"
        "bicycle pump|passport|chess clock|soldering iron|tea set|rain barrel|sewing machine|drill|label printer|"
        "router|backup disk|hiking boots|pressure cooker|sourdough starter|piano stool|projector|ladder|microscope|"
        "moving boxes|library card|car charger|tomato seedlings|bee suit|sleeping bag|coffee grinder|desk lamp|"
        "first-aid kit|insurance letter|train tickets|wedding photos|pasta machine|weather station|snow chains"
    ).split("|")
)
_PLACES = tuple(
    (
        "the boat house|the attic|the office in Lisbon|the cellar|her flat in Porto|the third drawer|the workshop|"
        "the locker at the station|the car|the summer cabin|the school|the museum depot|the allotment|the clinic|"
        "the harbour|the new apartment|the library|my parents' place|the studio on Mill Street|the garage"
    ).split("|")
)
_ACTIVITIES = tuple(
    (
        "repaint the kitchen|learn Portuguese|train for the half marathon|apply for the grant|sell the van|"
        "plan the reunion|migrate the database|write the quarterly report|book the ferry|fix the leaking roof|"
        "start the pottery class|adopt a second cat|renew the lease|cut down on coffee|digitise the old tapes|"
        "build a greenhouse|change the dentist|switch to the four-day week|restore the motorbike|test the new release"
    ).split("|")
)
_REASONS = tuple(
    (
        "because the old one broke last winter|since nobody else had time|after a long talk on the phone|"
        "even though it costs more|because the deadline moved to Friday|as the doctor recommended|"
        "which surprised everybody at the table|so that we can leave early|because the landlord insisted|"
        "and we are quite happy about it|although the weather looked bad|as soon as the parts arrive"
    ).split("|")
)
_TIMES = ("yesterday", "last week", "in May", "on Monday", "two days ago", "last summer", "this morning", "in October")
_STATEMENTS = (
    "I put the {thing} into {place} {time}",
    "{who} wants the {thing} back from {place} before the weekend",
    "We decided to {do} {time}",
    "The {thing} that {who} gave me is still in {place}",
    "I prefer the {thing} over the {other}, {why}",
    "{who} and I met at {place} {time} and talked about how to {do}",
    "Can you remind me to {do} before I see {who} at {place}?",
    "Did I ever tell you that {who} used to keep {number} jars of honey in {place}?",
    "My plan is to {do} and then to {also} with {who}",
    "The {thing} cost {number} euros, {why}",
    "{who} is allergic to wool and never takes the {thing} along",
    "It took {number} hours to {do}",
)
_SECONDS = (
    "{who} said that was fine.",
    "By the way, the {other} is in {place} now.",
    "Maybe we should {also} first, {why}.",
    "It reminded me of the time when {who} wanted to {also} at {place}.",
    "Next time I will ask {who} for the {other}.",
)
_QUESTIONS = (
    "Where did I leave the {thing} that {who} gave me?",
    "What did {who} say about the {thing} last week?",
    "When did we decide to {do}?",
    "How much did the {thing} cost?",
    "Who wanted to {do} with me in October?",
    "Is the {thing} still in {place} or did {who} take it?",
    "What do I prefer, the {thing} or the {other}?",
    "Which plans do {who} and I have for the summer, was it to {do}?",
    "remind me what we said about {place}",
    "What did I use before the {thing}?",
)
_REASON_SHARE, _SECOND_SHARE, _THIRD_SHARE = 0.35, 0.25, 0.1


def statements(chance: random.Random, count: int) -> list[str]:
    """Distinct texts of memories."""
    made: dict[str, None] = {}
    while len(made) < count:
        made[_statement(chance)] = None
    return list(made)


def questions(chance: random.Random, count: int) -> list[str]:
    """Distinct questions about such memories, 6 to 16 words."""
    made: dict[str, None] = {}
    while len(made) < count:
        made[_filled(chance.choice(_QUESTIONS), chance)] = None
    return list(made)


def reworded(text: str, chance: random.Random) -> str:
    """The same memory with a tail of its own: other words to be found by, and no two texts alike."""
    return f"{text} {_filled(chance.choice(_SECONDS), chance)} (no. {chance.randrange(10**6)})"


def moments(count: int) -> Iterator[datetime]:
    """When each was said, in order."""
    return (BEGAN + SAID_WITHIN * number / count for number in range(count))


def _statement(chance: random.Random) -> str:
    text = _filled(chance.choice(_STATEMENTS), chance)
    if not text.endswith("?"):
        text = f"{text}{_filled(', {why}', chance) if chance.random() < _REASON_SHARE else ''}."
    for share in (_SECOND_SHARE, _THIRD_SHARE):
        if chance.random() < share:
            text = f"{text} {_filled(chance.choice(_SECONDS), chance)}"
    return text


def _filled(shape: str, chance: random.Random) -> str:
    return shape.format(
        who=_frequent(_PEOPLE, chance),
        thing=_frequent(_THINGS, chance),
        other=_frequent(_THINGS, chance),
        place=_frequent(_PLACES, chance),
        do=_frequent(_ACTIVITIES, chance),
        also=_frequent(_ACTIVITIES, chance),
        why=chance.choice(_REASONS),
        time=chance.choice(_TIMES),
        number=chance.randrange(2, 400),
    )


def _frequent(choices: Sequence[str], chance: random.Random) -> str:
    """The first more often than the last, as words of a language are."""
    return choices[int(len(choices) * chance.random() ** 1.7)]
