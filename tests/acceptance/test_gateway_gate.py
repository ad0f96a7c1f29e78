"""The streaming gate in the real gateway: a stale answer is revised, a harmless one isn't touched, none is lost."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.live import OWNER, PLUGIN, Live
from tests.rig.gateway import wait_for
from tests.rig.model_steps import Body, reply, texts, tool_call

pytestmark = pytest.mark.timeout(600)

FACT = "My dentist appointment is on Thursday at noon."
STALE = "Your dentist appointment is on Tuesday at noon."
RIGHT = "Your dentist appointment is on Thursday at noon."
HARMLESS = "Oranges keep for about two weeks in a cool and airy place."


@pytest.fixture(scope="module")
def live(rig: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A gateway whose answers are held until memory has seen them."""
    setup = {
        "slots": {"contextEngine": PLUGIN},
        "plugin_config": {
            "consolidationThreshold": 1000,
            "idleConsolidationTimeout": 3600,
            # Nothing is recalled by itself: what the model knows of the appointment comes from the gate.
            "searchThreshold": 1,
            "gate": {"forceRepass": True},
        },
    }
    running = Live.start(rig, tmp_path_factory.mktemp("live"), setup=setup)
    stored = running.post("/v1/tools/memory_store", {"session": OWNER, "arguments": {"text": FACT}})
    assert stored["details"]["decision"] == "ADD", stored
    yield running
    running.stop()


def test_a_stale_answer_is_revised_to_the_stored_one(live: Live) -> None:
    live.model.push(reply(STALE), reply(RIGHT))

    turn = live.gateway.operator_turn("Remind me of my week, please.", session="agent:main:stale")

    assert turn.text == RIGHT
    assert len(live.model.requests) == 2
    assert "Thursday at noon" in _all(live.model.requests[-1])
    assert _answers(live, "agent:main:stale") == [RIGHT]


def test_a_harmless_answer_is_not_touched(live: Live) -> None:
    live.model.push(reply(HARMLESS))

    turn = live.gateway.operator_turn("How long do oranges keep?", session="agent:main:oranges")

    assert turn.text == HARMLESS
    assert len(live.model.requests) == 1
    assert _answers(live, "agent:main:oranges") == [HARMLESS]


def test_after_a_tool_call_memory_is_staged_for_the_next_turn(live: Live) -> None:
    search = tool_call("nightshift_search", {"query": "oranges in a cool place"})
    live.model.push(search, reply(STALE), reply("Noted."))
    session = "agent:main:tools"

    turn = live.gateway.operator_turn("Look my week up, please.", session=session)
    _, given = live.operator("Thank you very much indeed.", session=session)

    assert turn.text == STALE
    assert _answers(live, session) == [STALE, "Noted."]
    assert "Thursday at noon" in given


def test_the_answer_arrives_once_when_the_service_dies_in_the_middle(live: Live) -> None:
    live.model.push(reply(f"{HARMLESS} " * 20, delay_s=0.05))
    (service,) = live.processes("plugin.service")
    session = "agent:main:dying"

    with live.background(lambda: service.send_signal(signal.SIGKILL)):
        turn = live.gateway.operator_turn("How long do oranges keep, in many words?", session=session)

    assert turn.text.strip() == (f"{HARMLESS} " * 20).strip()
    assert len(_answers(live, session)) == 1
    wait_for(live.is_ready, timeout_s=90, what="the service")


def test_two_conversations_do_not_touch(live: Live) -> None:
    search = tool_call("nightshift_search", {"query": "oranges in a cool place"})
    live.model.push(search, reply(STALE))
    live.gateway.operator_turn("Look my week up once more.", session="agent:main:one")

    live.model.push(reply("Fine."), reply("Fine."))
    _, other = live.operator("Good evening to everybody here.", session="agent:main:other")
    _, same = live.operator("Good evening to everybody here.", session="agent:main:one")

    assert "Thursday at noon" not in other
    assert "Thursday at noon" in same


def _answers(live: Live, session: str) -> list[str]:
    messages = live.history(session)
    return [text for message in messages if message["role"] == "assistant" and (text := _text(message).strip())]


def _text(message: Body) -> str:
    content = message.get("content", "")
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in content if part.get("type") == "text")


def _all(body: Body) -> str:
    return "\n".join(said for _, said in texts(body))
