"""The context engine in the real gateway: chosen by its slot, it keeps turns, shortens the context and brings back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.live import PLUGIN, Live
from tests.rig.model_steps import Body, context_overflow, reply, texts, tool_call

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


def _complaints(live: Live) -> list[str]:
    words = ("degraded", "quarantin", "context assemble failed", "context commit failed", "context compact failed")
    return [line for line in live.gateway.output().splitlines() if any(word in line for word in words)]
