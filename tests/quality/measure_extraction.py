"""What model-free extraction keeps of labelled conversations: `python -m tests.quality.measure_extraction [--show]`.

A statement is kept when a memory holds its words, and right when that memory also has its kind. A memory is junk when
nothing was expected of its turn. Precision of a kind: memories given that kind that hold a statement of it; recall:
statements of it that lie in a memory of it. `heldOut` are the conversations that were written after the rules had been
tuned on the others (`tuned`); docs/capture.md tells what they showed at first.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from memory_core.capture.hygiene import clean_assistant_text, clean_user_text
from memory_core.capture.statements import Candidate, Utterance, extract
from memory_core.privacy.redaction import redact
from memory_core.values import MemoryKind, Origin
from tests.quality.labelled_turns import Conversation, LabelledTurn, conversations

_NOTE = re.compile(r" \([^()]*\d{4}[^()]*\)")
"""A date written out; labels are the speaker's own words."""


@dataclass(slots=True, kw_only=True)
class Tally:
    """Counts by kind."""

    expected: Counter[MemoryKind] = field(default_factory=Counter[MemoryKind])
    kept: Counter[MemoryKind] = field(default_factory=Counter[MemoryKind])
    right: Counter[MemoryKind] = field(default_factory=Counter[MemoryKind])
    given: Counter[MemoryKind] = field(default_factory=Counter[MemoryKind])
    given_rightly: Counter[MemoryKind] = field(default_factory=Counter[MemoryKind])
    turns: int = 0
    memories: int = 0
    junk: int = 0
    notes: list[str] = field(default_factory=list[str])

    def add(self, turn: LabelledTurn, memories: Sequence[Candidate]) -> None:
        """Count one turn and what became of it."""
        self.turns += 1
        self.memories += len(memories)
        for kind, words in turn.expected:
            self._statement(kind, words=words, memories=memories)
        for memory in memories:
            kinds = {kind for kind, words in turn.expected if words in _plain(memory)}
            self.given[memory.kind] += 1
            self.given_rightly[memory.kind] += memory.kind in kinds
            self.junk += not turn.expected
            if not turn.expected:
                self.notes.append(f"junk {memory.kind}: {memory.text}")

    def _statement(self, kind: MemoryKind, *, words: str, memories: Sequence[Candidate]) -> None:
        holding = [memory for memory in memories if words in _plain(memory)]
        self.expected[kind] += 1
        self.kept[kind] += bool(holding)
        self.right[kind] += any(memory.kind is kind for memory in holding)
        if not holding:
            self.notes.append(f"lost {kind}: {words}")
        elif all(memory.kind is not kind for memory in holding):
            self.notes.append(f"{kind} became {holding[0].kind}: {holding[0].text}")

    def figures(self) -> dict[str, object]:
        """Shares, and a line of precision and recall for each kind."""
        kinds = {
            kind.value: {
                "statements": self.expected[kind],
                "kept": _share(self.kept[kind], self.expected[kind]),
                "recall": _share(self.right[kind], self.expected[kind]),
                "precision": _share(self.given_rightly[kind], self.given[kind]),
            }
            for kind in sorted(self.expected)
        }
        return {
            "turns": self.turns,
            "statements": self.expected.total(),
            "kept": _share(self.kept.total(), self.expected.total()),
            "kindRight": _share(self.right.total(), self.expected.total()),
            "memories": self.memories,
            "junk": self.junk,
            "kinds": kinds,
        }


def measure_extraction() -> dict[str, object]:
    """The table of the conversations that rules were tuned on, and of those held out."""
    return {name: tally.figures() for name, tally in _tallies().items()}


def _tallies() -> dict[str, Tally]:
    tallies = {"tuned": Tally(), "heldOut": Tally()}
    for conversation in conversations():
        tally = tallies["heldOut" if conversation.held_out else "tuned"]
        for turn, memories in _memories(conversation):
            tally.add(turn, memories)
    return tallies


def _memories(conversation: Conversation) -> Iterable[tuple[LabelledTurn, list[Candidate]]]:
    previous = None
    for turn in conversation.turns:
        clean = clean_user_text if turn.speaker else clean_assistant_text
        text = redact(clean(turn.text)).text
        utterance = Utterance(
            role=Origin.USER if turn.speaker else Origin.ASSISTANT,
            speaker=turn.speaker,
            text=text,
            said_at=turn.said_at,
            timezone=conversation.timezone,
            previous_text=previous,
            shared=conversation.shared,
        )
        yield turn, extract(utterance)
        previous = text


def _plain(memory: Candidate) -> str:
    return _NOTE.sub("", memory.text)


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--show", action="store_true", help="print what was lost, mistaken or junk among the tuned ones"
    )
    if parser.parse_args().show:
        print("\n".join(_tallies()["tuned"].notes))
    print(json.dumps(measure_extraction(), indent=1))


if __name__ == "__main__":
    main()
