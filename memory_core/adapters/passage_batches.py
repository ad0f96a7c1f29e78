"""Cuts many texts into forward passes of bounded size; pure."""

from collections.abc import Sequence

MAX_BATCH = 16
"""Texts of one forward pass; more of them are no faster and hold more memory."""
MAX_PIECES = 256
"""Texts are cut to so many word pieces, the two marks at the ends included; the model was trained on no more."""
_BATCH_PIECES = 512
_CHARACTERS_PER_PIECE = 4


def batches(texts: Sequence[str]) -> list[list[int]]:
    """Cut texts into forward passes: texts of like length together, about 512 word pieces and at most 16 texts in each.

    Returns:
        Positions in `texts`, each once.
    """
    plan: list[list[int]] = []
    for index in sorted(range(len(texts)), key=lambda index: len(texts[index])):
        # Padding makes every text of a batch as long as its longest, which is the newest here.
        pieces = min(MAX_PIECES, len(texts[index]) // _CHARACTERS_PER_PIECE + 3)
        if plan and len(plan[-1]) < MAX_BATCH and (len(plan[-1]) + 1) * pieces <= _BATCH_PIECES:
            plan[-1].append(index)
        else:
            plan.append([index])
    return plan
