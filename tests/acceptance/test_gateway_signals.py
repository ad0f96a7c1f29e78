"""Through the real gateway: before a flush the agent is asked to keep what it made; what it didn't becomes a draft."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.live import MEMORY_TIMEOUT_S, OWNER, PLUGIN, Live
from tests.rig.gateway import wait_for
from tests.rig.model_steps import reply, texts

pytestmark = pytest.mark.timeout(600)

NOTE = '<nightshift-memory kind="reminder">'
PLACE = {"space": "drafts", "creativeProject": "CognitiveMemory"}
SESSION = "agent:main:pumps"
HEARD_WITHIN_S = 2
"""The plugin hears of a signal when anybody does: its question waits at the service."""
CODE = "\n".join(f"def pump_{number}(litres: int) -> int:\n    return litres * {number}" for number in range(40))


@pytest.fixture(scope="module")
def live(rig: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A gateway whose memory is flushed every two turns, and never because it is quiet."""
    config = {"consolidationThreshold": 4, "idleConsolidationTimeout": 3600}
    running = Live.start(rig, tmp_path_factory.mktemp("live"), setup={"plugin_config": config})
    yield running
    running.stop()


def test_before_a_flush_the_next_turn_asks_the_agent_once_to_keep_what_it_made(live: Live) -> None:
    assert [_notes(live, text) for text in ("The pump hums in the morning.", "It is quiet at noon.")] == [0, 0]
    answer = live.post("/v1/signals", {"since": 0, "waitMs": 20_000})
    assert [signal["session"]["sessionKey"] for signal in answer["signals"]] == [SESSION]
    time.sleep(HEARD_WITHIN_S)

    elsewhere = _notes(live, "What grows on the north wall?", session="agent:main:garden")
    following = [_notes(live, text) for text in ("And in the evening?", "And at night, when all is still?")]

    assert elsewhere == 0
    assert following == [1, 0]
    assert NOTE not in str(live.history(SESSION))
    assert live.gateway.problems(PLUGIN) == []


def test_a_long_work_that_the_agent_did_not_keep_becomes_a_draft_at_the_end_of_the_session(live: Live) -> None:
    live.model.push(reply(f"Here it is:\n\n```python\n{CODE}\n```"))
    live.operator("Write the control of the pumps, please.", session="agent:main:code")

    request = {"session": OWNER, "arguments": PLACE}

    def drafts() -> list[dict[str, Any]]:
        # Again and again: the gateway answers a moment before the turn is captured.
        live.post("/v1/sessions/end", {"session": {**OWNER, "sessionKey": "agent:main:code"}})
        found: list[dict[str, Any]] = live.post("/v1/tools/creative_recall", request)["details"]["items"]
        return found

    wait_for(lambda: bool(drafts()), timeout_s=MEMORY_TIMEOUT_S, what="the draft")
    (draft,) = drafts()
    assert draft["title"] == "Write the control of the pumps, please."
    opened = live.post("/v1/tools/creative_recall", {**request, "arguments": {**PLACE, "ref": draft["itemKref"]}})
    assert opened["details"]["content"].strip() == CODE


def _notes(live: Live, text: str, *, session: str = SESSION) -> int:
    """How often the note stands in what the model was given of a turn."""
    live.operator(text, session=session)
    body = next(body for body in reversed(live.model.requests) if any(text in said for _, said in texts(body)))
    return sum(said.count(NOTE) for _, said in texts(body))
