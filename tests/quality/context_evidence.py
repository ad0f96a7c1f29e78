"""What of a long conversation the model still gets after a compaction: `python -m tests.quality.context_evidence DATA`.

Each conversation of DATA, as the recall benchmark keeps them, becomes one session: one of the two people is the user,
the other one the assistant. It is committed through the context engine, consolidated and compacted at each budget; then
questions are asked, and the turns that answer them are looked for in what the model would get: the kept end and the
memory block. Against it stand the newest messages that fit the same budget, which is what a plain window keeps.
"""

import argparse
import json
import statistics
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from itertools import groupby
from pathlib import Path

from memory_core.context.messages import ASSISTANT, USER, Message, read_message, total_tokens
from memory_core.context.working_memory import flatten
from memory_core.identity import resolve_scope
from memory_core.keywords import content_words
from memory_core.values import SessionRef
from tests.quality.ranking_bench import Conversation, Line, Question, read_conversations
from tests.quality.real_core import RealCore, real_core

BUDGETS = (1_000, 2_000, 4_000, 8_000, 16_000)
QUESTIONS = 30
_SAID_SHARE = 0.8
"""Of a turn's content words, how many one line of the context must hold: a block cuts what is long."""
_GREETING, _NOD = "Hello.", "I see."
"""What is put in where a day of the conversation begins with the assistant, or ends with the user."""
_BEFORE_ALL = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Session:
    """A conversation as the gateway would hold it.

    Attributes:
        ref: Whose it is.
        messages: User and assistant in turn.
        lines: The utterances by key.
        of_user: Keys of the utterances that the user said.
    """

    ref: SessionRef
    messages: Sequence[Message]
    lines: Mapping[str, Line]
    of_user: Collection[str]


@dataclass(slots=True, kw_only=True)
class _Tally:
    """What was counted at one budget; a list has a number for each gold turn, or each question."""

    engine: list[bool] = field(default_factory=list[bool])
    tail: list[bool] = field(default_factory=list[bool])
    user: list[bool] = field(default_factory=list[bool])
    assistant: list[bool] = field(default_factory=list[bool])
    whole: list[bool] = field(default_factory=list[bool])
    engine_tokens: list[int] = field(default_factory=list[int])
    tail_tokens: list[int] = field(default_factory=list[int])

    def row(self) -> dict[str, object]:
        """The line of the table."""
        return {
            "engine": _mean(self.engine),
            "tail alone": _mean(self.tail),
            "user's turns": _mean(self.user),
            "assistant's turns": _mean(self.assistant),
            "questions whole": _mean(self.whole),
            "engine tokens": round(statistics.mean(self.engine_tokens)),
            "tail tokens": round(statistics.mean(self.tail_tokens)),
        }


def measure_context(
    folder: Path,
    *,
    budgets: Sequence[int] = BUDGETS,
    questions: int = QUESTIONS,
    names: Collection[str] = (),
) -> dict[str, object]:
    """Share of gold turns in the assembled context, by token budget.

    Args:
        folder: The benchmark's conversations.
        budgets: Tokens at which each is compacted.
        questions: How many are asked of each, evenly spread.
        names: Conversations to use; all when empty.
    """
    tallies = {budget: _Tally() for budget in budgets}
    whole: list[int] = []
    with real_core(_BEFORE_ALL) as world:
        for conversation in read_conversations(folder):
            if names and conversation.name not in names:
                continue
            session = _session(conversation)
            whole.append(total_tokens(session.messages))
            _hold(world, session)
            world.clock.set(max(question.asked_at for question in conversation.questions))
            asked = _sample(conversation.questions, questions)
            for budget, tally in tallies.items():
                _ask(world, session, questions=asked, budget=budget, tally=tally)
    return {
        "conversations": len(whole),
        "goldTurns": len(tallies[budgets[0]].engine),
        "everything": {"share": 1.0, "tokens": round(statistics.mean(whole))},
        "byBudget": {f"{budget:,}": tally.row() for budget, tally in tallies.items()},
    }


def _session(conversation: Conversation) -> _Session:
    user = conversation.lines[0].speaker
    ref = SessionRef(
        session_key=f"agent:main:{conversation.name}", user_id=conversation.name, sender_name=user, timezone="UTC"
    )
    return _Session(
        ref=ref,
        messages=list(_messages(conversation.lines, user=user)),
        lines={line.key: line for line in conversation.lines},
        of_user={line.key for line in conversation.lines if line.speaker == user},
    )


def _messages(lines: Sequence[Line], *, user: str) -> Iterator[Message]:
    """What one person says in a row is one message; each day begins with the user and ends with the assistant."""
    for _, day in groupby(lines, key=lambda line: line.session):
        due = USER
        latest = lines[0]
        for is_user, run in groupby(day, key=lambda line: line.speaker == user):
            said = list(run)
            role = USER if is_user else ASSISTANT
            if role != due:
                yield _message(_GREETING, role=due, like=said[0])
            yield _message("\n".join(line.text for line in said), role=role, like=said[0])
            due, latest = (ASSISTANT if is_user else USER), said[-1]
        if due == ASSISTANT:
            yield _message(_NOD, role=due, like=latest)


def _message(text: str, *, role: str, like: Line) -> Message:
    return read_message(role, text, at=like.at, key=like.key)


def _hold(world: RealCore, session: _Session) -> None:
    """Commit the conversation turn by turn, and make memories of it."""
    for number in range(0, len(session.messages), 2):
        exchange = session.messages[number : number + 2]
        if not world.core.context.commit(session.ref, exchange, key=exchange[0].key or str(number)):
            raise RuntimeError("a turn was taken for a repeat, so something else would be measured")
    scope = resolve_scope(session.ref, world.core.settings.identity).writes
    if scope is None:
        raise RuntimeError("the conversation has no scope to write to")
    world.consolidate(scope)


def _ask(world: RealCore, session: _Session, *, questions: Sequence[Question], budget: int, tally: _Tally) -> None:
    context = world.core.context
    context.end(session.ref)  # each budget finds the conversation whole
    context.compact(session.ref, session.messages, budget=budget, force=True)
    tail = _newest(session.messages, budget=budget)
    plain = [flatten(message.text) for message in tail]
    for question in questions:
        assembled = context.assemble(session.ref, session.messages, prompt=question.text, budget=budget)
        if assembled.recalled is None or assembled.recalled.degraded:
            raise RuntimeError("memory was left out, so something else would be measured")
        if assembled.tokens > budget:
            raise RuntimeError(f"{assembled.tokens} tokens were assembled for a budget of {budget}")
        kept = [flatten(message.text) for message in session.messages[assembled.keep_from :]]
        kept += [flatten(line) for line in assembled.addition.splitlines()]
        held = {key: _stands(session.lines[key].text, kept) for key in sorted(question.gold)}
        tally.engine += held.values()
        tally.tail += [_stands(session.lines[key].text, plain) for key in held]
        tally.user += [is_held for key, is_held in held.items() if key in session.of_user]
        tally.assistant += [is_held for key, is_held in held.items() if key not in session.of_user]
        tally.whole.append(all(held.values()))
        tally.engine_tokens.append(assembled.tokens)
        tally.tail_tokens.append(total_tokens(tail))


def _newest(messages: Sequence[Message], *, budget: int) -> Sequence[Message]:
    begin, room = len(messages), budget
    while begin and messages[begin - 1].tokens <= room:
        begin -= 1
        room -= messages[begin].tokens
    return messages[begin:]


def _stands(text: str, lines: Sequence[str]) -> bool:
    """Whether a line says what a turn said: in its words, or in nearly all of those that carry meaning."""
    said, words = flatten(text), content_words(text)
    if any(said in line for line in lines):
        return True
    return bool(words) and any(len(words & _words(line)) >= _SAID_SHARE * len(words) for line in lines)


@lru_cache(maxsize=10_000)
def _words(line: str) -> frozenset[str]:
    return content_words(line)


def _sample(questions: Sequence[Question], count: int) -> list[Question]:
    """So many that have an answer, evenly spread: the same ones each time."""
    answered = [question for question in questions if question.gold]
    step = max(len(answered) / count, 1.0)
    return [answered[int(number * step)] for number in range(min(count, len(answered)))]


def _mean(held: Sequence[bool]) -> float:
    return round(statistics.mean(held), 3) if held else 0.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("names", nargs="*", help="conversations to use; all when none is named")
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    asked = parser.parse_args()
    print(json.dumps(measure_context(asked.data, questions=asked.questions, names=asked.names), indent=1))


if __name__ == "__main__":
    main()
