"""What of the gold turns of the recall benchmark survives extraction: `python -m tests.quality.measure_survival DATA`.

DATA holds a folder for each conversation, as the recall benchmark reads it. `words` and `answer` are the benchmark's
measures for a context that holds exactly the gold turns: how far statements can get, beside raw turns, before ranking
and the length of the context take their share.
"""

import argparse
import json
import re
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_core.capture.hygiene import clean_assistant_text, clean_user_text
from memory_core.capture.statements import Utterance, extract
from memory_core.privacy.redaction import redact
from memory_core.values import Origin

_WORD = re.compile(r"\w+")
_STOP = frozenset(
    "a an the of to in on at for and or is are was were be been i you he she it we they my your his her its our their"
    " me him them this that these those with from as by so do did does have has had will would can could not no yes"
    " just about what when where who how".split()
)
_QUIET_S = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """A turn as it was said, and what its memories say."""

    raw: str
    kept: str
    memories: int


def measure_survival(data: Path) -> dict[str, object]:
    """Shares over all questions of all conversations."""
    lost, gold = 0, 0
    words, answers, raw_answers = list[float](), list[bool](), list[bool]()
    turns: dict[str, _Kept] = {}
    for folder in sorted(data.iterdir()):
        if not (folder / "questions.jsonl").exists():
            continue
        turns |= dict(_turns(folder))
        for question in _lines(folder / "questions.jsonl"):
            found = [turns[key] for key in question["gold"]]
            gold += len(found)
            lost += sum(not turn.memories for turn in found)
            words += [_share(turn) for turn in found]
            answer = _words(question.get("answer", ""))
            if answer and question["category"] != "adversarial":
                answers.append(answer <= set[str]().union(*(_words(turn.kept) for turn in found)))
                raw_answers.append(answer <= set[str]().union(*(_words(turn.raw) for turn in found)))
    return {
        "turns": len(turns),
        "memories": sum(turn.memories for turn in turns.values()),
        "turnsWithout": sum(not turn.memories for turn in turns.values()),
        "goldTurns": gold,
        "goldTurnsLost": lost,
        "words": round(statistics.mean(words), 4),
        "answer": round(statistics.mean(answers), 4),
        "answerOfRawTurns": round(statistics.mean(raw_answers), 4),
    }


def _turns(folder: Path) -> Iterator[tuple[str, _Kept]]:
    previous: tuple[str, datetime] | None = None
    for line in _lines(folder / "transcript.jsonl"):
        role, at = Origin(line["role"]), datetime.fromisoformat(line["at"])
        clean = clean_assistant_text if role is Origin.ASSISTANT else clean_user_text
        text = redact(clean(line["text"])).text
        heard = previous[0] if previous and (at - previous[1]).total_seconds() < _QUIET_S else None
        utterance = Utterance(
            role=role,
            speaker=line.get("speaker"),
            text=text,
            said_at=at,
            timezone=line.get("timezone", "UTC"),
            previous_text=heard,
            shared=line.get("chatType") != "direct",
        )
        found = extract(utterance)
        kept = " ".join(candidate.text for candidate in found)
        yield line["messageKey"], _Kept(raw=line["text"], kept=kept, memories=len(found))
        previous = (text, at)


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if word not in _STOP}


def _share(turn: _Kept) -> float:
    wanted = _words(turn.raw)
    return len(wanted & _words(turn.kept)) / len(wanted) if wanted else 1.0


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    print(json.dumps(measure_survival(parser.parse_args().data), indent=1))


if __name__ == "__main__":
    main()
