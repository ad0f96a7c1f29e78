"""Pure: sentences out of a stream of pieces."""

import re
from dataclasses import dataclass, field

LONGEST_SENTENCE_CHARS = 600
"""A sentence that doesn't end is judged as it is by then."""
_KEPT_CHARS = 4000
"""How much of what was said is remembered: what a memory adds must be new to it."""
_END = re.compile(r"(?<=[.!?…])[\"')\]]*(?:\s+|$)|(?<=[。！？])|\n+")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|Dr|Mr|Mrs|Ms|St|No|bzw|z\.B)|\b\w|\d)\.$")


@dataclass(slots=True)
class SentenceStream:
    """Collects pieces of one stream; hands each sentence out once, when it is complete."""

    said: str = ""
    _open: str = field(default="", repr=False)

    def add(self, piece: str) -> list[str]:
        """Take the next piece in; returns the sentences that are complete now."""
        self.said = (self.said + piece)[-_KEPT_CHARS:]
        self._open += piece
        complete: list[str] = []
        begin = 0
        for end in _END.finditer(self._open):
            sentence = self._open[begin : end.start()].strip()
            if _ABBREVIATION.search(sentence):
                continue
            if sentence:
                complete.append(sentence)
            begin = end.end()
        self._open = self._open[begin:]
        if len(self._open) > LONGEST_SENTENCE_CHARS:
            complete.append(self._open.strip())
            self._open = ""
        return complete

    def rest(self) -> str:
        """What was said since the last complete sentence."""
        return self._open.strip()


def split_sentences(text: str) -> list[str]:
    """The sentences of a finished text."""
    stream = SentenceStream()
    complete = stream.add(text)
    return [*complete, stream.rest()] if stream.rest() else complete
