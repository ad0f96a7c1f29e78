"""The context engine in the real gateway: chosen by its slot, it keeps turns, shortens the context and brings back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.live import PLUGIN, Live
from tests.rig.model_steps import Body, reply, texts

pytestmark = pytest.mark.timeout(900)

CONTEXT_TOKENS = 40_000
SESSION = "agent:main:observatory"


@pytest.fixture(scope="module")
def live(rig: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A gateway whose contexts our engine owns, with a small context window."""
    setup = {
        "slots": {"contextEngine": PLUGIN},
        "context_window_tokens": CONTEXT_TOKENS,
    }
    running = Live.start(rig, tmp_path_factory.mktemp("live"), setup=setup)
    yield running
    running.stop()


def test_a_turn_is_kept_once_and_recalled_in_another_conversation(live: Live) -> None:
    live.gateway.operator_turn("My telescope mount is a Losmandy G11.", session="agent:main:first")
    live.wait_remembered("Losmandy", asked="Which telescope mount do I have?")

    _, given = live.operator("Which telescope mount do I have?", session="agent:main:second")

    assert given.count("Losmandy") == 1
    assert "Losmandy" not in str(live.history("agent:main:second"))
    assert not _complaints(live)


NEEDLES = {
    "The spare key of the dome hangs behind the barometer in hut 7.": (
        "Where does the spare key of the dome hang?",
        "hut 7",
    ),
    "The staging database listens on port 48213.": ("On which port does the staging database listen?", "48213"),
    "The serial number of the new camera is QX-90417.": ("What is the serial number of the new camera?", "QX-90417"),
    "Our guide on the volcano was called Ingibjörg.": ("What was our guide on the volcano called?", "Ingibjörg"),
    "The invoice for the mirror is due on the 19th of March.": (
        "When is the invoice for the mirror due?",
        "19th of March",
    ),
    "The config of the shutter lies in /etc/dome/shutter-v2.toml.": (
        "Where does the config of the shutter lie?",
        "shutter-v2",
    ),
    "My locker at the climbing hall has the code 5518.": (
        "Which code does my locker at the climbing hall have?",
        "5518",
    ),
}
EXCHANGES = 150
_TOPICS = ("clouds", "coffee", "trams", "cheese", "maps", "winter", "violins", "paper", "tides", "gardens", "bridges")


def test_needles_of_a_long_session_come_back_after_compaction_without_a_model_call(live: Live) -> None:
    needles = dict(zip(range(4, 88, 12), NEEDLES, strict=True))
    for number in range(EXCHANGES):
        topic = _TOPICS[number % len(_TOPICS)]
        live.model.push(
            reply(f"Thought {number} about {topic}: " + f"people have always liked {topic}, one way or another. " * 30)
        )
        live.gateway.operator_turn(
            needles.get(number, f"Tell me thought number {number} about {topic}."), session=SESSION
        )
    asked = len(live.model.requests)

    found = 0
    for needle, (question, value) in NEEDLES.items():
        _, given = live.operator(question, session=SESSION)
        history = _before(live.model.requests[-1], question)
        assert needle not in history, "the needle must have left the window"
        found += value in given

    assert len(live.model.requests) == asked + len(NEEDLES), "compaction asked no model"
    assert len(live.history(SESSION)) >= 200, "the transcript is whole"
    assert found >= 6, found
    assert not _complaints(live)


def _before(body: Body, question: str) -> str:
    """What a request shows of the conversation before the turn; its first message is the system prompt."""
    said = texts(body)
    place = max(number for number, (role, text) in enumerate(said) if role == "user" and question in text)
    return "\n".join(text for _, text in said[1:place])


def _complaints(live: Live) -> list[str]:
    words = ("degraded", "quarantin", "context assemble failed", "context commit failed", "context compact failed")
    return [line for line in live.gateway.output().splitlines() if any(word in line for word in words)]
