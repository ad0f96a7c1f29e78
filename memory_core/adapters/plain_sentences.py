"""Sentences of no meaning about everything, to learn from how a model sees texts at large; pure.

Written by this module, so that what is learned can be learned again anywhere.
"""

import random
from collections.abc import Sequence

FRAMES = (
    "I moved to the {} last year because of my {} and a new {}.",
    "My sister keeps a {} next to the {} in her kitchen.",
    "We decided to use {} for the {} instead of {}.",
    "He said that {} is better than {} when you care about {}.",
    "What did she say about the {} and the {}?",
    "Please remember that I never eat {} with {}.",
    "The {} meeting with {} is on Thursday at nine.",
    "When is the {} of our {} due?",
    "I have been learning {} since {} and I love it.",
    "Her favourite {} is {}, and she dislikes {}.",
    "They went to a {} near {} and took photos of the {}.",
    "The build fails with a {} error in the {} module after the {} update.",
    "Thanks, that {} really helped me with my {}!",
    "Our {} costs about {} a month, which is too much for a {}.",
    "Yesterday the {} broke, so we had to call a {}.",
    "How do you feel about {} after the {}?",
    "I am planning a {} for my {} with {} and {}.",
    "The doctor told him to avoid {} and to try {}.",
    "You should read the {} about {}, it changed how I see {}.",
    "Since the {} closed, {} works from {}.",
    "Can you send the {} to {} before the {} starts?",
    "It was {} and {}, but the {} made us laugh.",
    "She wants to become a {} and open a {} for {}.",
    "Deploy the {} to {} only after the {} tests pass.",
)


def sentences(words: Sequence[str], *, count: int, seed: int) -> list[str]:
    """The frames in turn, their gaps filled by Zipf's law.

    Args:
        words: The most frequent first.
        count: How many sentences.
        seed: Equal seeds give equal sentences.
    """
    chance = random.Random(seed)  # noqa: S311 - a text that can be made again, no secret
    made: list[str] = []
    for number in range(count):
        frame = FRAMES[number % len(FRAMES)]
        gaps = [words[int(len(words) ** chance.random()) - 1] for _ in range(frame.count("{}"))]
        made.append(frame.format(*gaps))
    return made
