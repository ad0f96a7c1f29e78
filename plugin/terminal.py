"""What may reach a terminal: text of others, without the power to command it."""

import unicodedata

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories that show nothing of themselves and may move, hide or reverse what stands around them."""


def printable(text: str) -> str:
    """The text on one line, with everything that could steer the terminal or reorder the line made visible as `�`."""
    flat = " ".join(text.split())
    return "".join("�" if unicodedata.category(character) in _HIDDEN else character for character in flat)
