"""Whether a word names a town, a region or a country: told by a list, since "moved to Vim" is no change of address."""

import zlib
from functools import cache
from pathlib import Path

import numpy as np

PLACES_FILE = Path(__file__).with_name("places.npy")
"""Made by `gather_places`."""
_NO_PLACES = frozenset(
    "java phoenix elixir mobile orange reading nice sales design support marketing finance legal research operations"
    " engineering product security central general home page school college university monday friday sunday"
    " nest swift ruby dart angular oracle delphi saturn mercury aurora atom spring express".split()
)
"""Towns whose names mean a tool, a department or a thing more often than the town."""


def is_place(name: str) -> bool:
    """Whether a name is that of a place; case doesn't matter."""
    folded = " ".join(name.casefold().split()).removeprefix("the ")
    return folded not in _NO_PLACES and number_of_place(folded) in _numbers()


def number_of_place(folded: str) -> int:
    """The number under which a case-folded name is kept."""
    return zlib.crc32(folded.encode())


@cache
def _numbers() -> frozenset[int]:
    return frozenset(np.load(PLACES_FILE).tolist())
