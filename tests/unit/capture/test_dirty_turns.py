"""The dirty corpus through hygiene, redaction and extraction: no junk, no secrets, the facts kept."""

from collections import Counter
from datetime import UTC, datetime

import pytest

from memory_core.capture.hygiene import clean_assistant_text, clean_user_text, mention_tools, skip_reason
from memory_core.capture.statements import Candidate, Utterance, extract
from memory_core.privacy.redaction import redact
from memory_core.values import Origin
from tests.unit.capture.dirty_turns import DirtyTurn, dirty_turns

SAID_AT = datetime(2026, 9, 4, 12, 30, tzinfo=UTC)
TURNS = dirty_turns()
CORPUS_FLOOR = 150
KEPT_FLOOR = 0.95


def remembered(turn: DirtyTurn) -> list[Candidate]:
    """What the path of a live turn makes of it, without tables."""
    if skip_reason(turn.trigger, turn.user):
        return []
    user = redact(clean_user_text(turn.user)).text
    answer = redact(clean_assistant_text(turn.assistant)).text
    if not user.strip() or not answer.strip():
        return []
    answer += mention_tools([name for name, _ in turn.tools])
    heard = Utterance(role=Origin.USER, speaker="Ana", text=user, said_at=SAID_AT, timezone="Europe/Lisbon")
    said = Utterance(
        role=Origin.ASSISTANT, speaker=None, text=answer, said_at=SAID_AT, timezone="Europe/Lisbon", previous_text=user
    )
    return [*extract(heard), *extract(said)]


def junk_of(turn: DirtyTurn) -> list[str]:
    texts = [candidate.text for candidate in remembered(turn)]
    return [word for word in turn.junk for text in texts if word in text]


def lost_of(turn: DirtyTurn) -> list[str]:
    found = remembered(turn)
    return [
        words for origin, words in turn.facts if not any(words in one.text and one.origin is origin for one in found)
    ]


def test_the_corpus_covers_every_item() -> None:
    items = Counter(turn.item for turn in TURNS)
    assert len(TURNS) >= CORPUS_FLOOR
    assert set(items) >= {
        *("our block", "other memory", "envelope", "metadata", "reply", "history", "forged", "media", "command"),
        *("heartbeat", "cron", "boot", "subagent", "tool", "compaction", "failed", "half", "secret", "personal data"),
        *("guess", "echo", "noise", "language", "date"),
    }


@pytest.mark.parametrize("turn", TURNS, ids=[f"{number}-{turn.item}" for number, turn in enumerate(TURNS)])
def test_no_junk_and_no_secret_becomes_memory(turn: DirtyTurn) -> None:
    assert junk_of(turn) == []


def test_the_facts_are_kept() -> None:
    wanted = sum(len(turn.facts) for turn in TURNS)
    lost = [(turn.item, words) for turn in TURNS for words in lost_of(turn)]
    assert wanted >= CORPUS_FLOOR
    assert 1 - len(lost) / wanted >= KEPT_FLOOR, lost


def test_a_turn_without_facts_leaves_no_memory_of_the_user() -> None:
    kept = [(turn.item, one.text) for turn in TURNS if not turn.facts for one in remembered(turn)]
    assert kept == []
