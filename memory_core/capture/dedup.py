"""Exact repeats: texts that differ in nothing a reader would notice share one keyed hash."""

import hmac
import json
import re
import unicodedata

from memory_core.identity import is_one_persons
from memory_core.values import Origin, ScopeKey

_EDGE = re.compile(r"^[\s.,;:!…\"'“”„‘’«»]+|[\s.,;:!…\"'“”„‘’«»]+$")
"""What ends or quotes a sentence. A question mark and signs stay: C is not C++, and not every smiley is a smile."""
_SPACES = re.compile(r"\s+")


def normalise(text: str) -> str:
    """A text without case, width, runs of spaces, and the punctuation around a statement."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _EDGE.sub("", _SPACES.sub(" ", folded))


class TextKeys:
    """Names texts without telling them: whoever lacks the key can't test a guess against a stored hash."""

    def __init__(self, key: bytes) -> None:
        """Use the installation's own key."""
        self._key = key

    def of(self, text: str, *, speaker: str | None) -> str:
        """Keyed hash of who said what, 32 hexadecimal digits: the same words of another person are another fact."""
        return self._named([normalise(speaker or ""), normalise(text)])

    def within(self, scope: ScopeKey, text: str, *, speaker: str | None, origin: Origin) -> tuple[str, ...]:
        """The keys under which a text may stand in a scope; the first is the one that new rows get.

        In a memory of one person the name doesn't count, only whether the person or the assistant said it: whoever
        changes the name that a channel shows doesn't make new facts of the old ones. Rows and tombstones of before that
        rule have the other key.
        """
        by_name = self.of(text, speaker=speaker)
        if not is_one_persons(scope):
            return (by_name,)
        return (self._named({"origin": origin, "text": normalise(text)}), by_name)

    def _named(self, said: object) -> str:
        return hmac.new(self._key, json.dumps(said).encode(), "sha256").hexdigest()[:32]
