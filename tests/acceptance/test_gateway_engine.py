"""The context engine in the real gateway: chosen by its slot, it keeps turns, shortens the context and brings back."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.engine_talk import MORE_NEEDLES, NEEDLES, Needles, before, complaints, counts, plugin_config, talk
from tests.acceptance.live import OWNER, PLUGIN, Live
from tests.rig.gateway import wait_for
from tests.rig.model_steps import Body, catalogued_call, context_overflow, reply, texts, tool_call, tool_results
from tests.rig.session_store import begin_earlier, resets

pytestmark = pytest.mark.timeout(900)

CONTEXT_TOKENS = 40_000
LONG = "agent:main:observatory"
EXCHANGES = 150
DAY_S = 24 * 3600


@pytest.fixture(scope="module")
def live(rig: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A gateway whose contexts our engine owns, with a small context window and a daily reset, half a day from now."""
    reset = {"mode": "daily", "atHour": (time.localtime().tm_hour + 12) % 24}
    setup = {
        "slots": {"contextEngine": PLUGIN},
        "context_window_tokens": CONTEXT_TOKENS,
        "extra": {"session": {"reset": reset}},
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
    assert not complaints(live)


def test_compact_moves_the_window_and_asks_no_model(live: Live) -> None:
    session = "agent:main:compacted"
    talk(live, session, exchanges=8)
    asked = len(live.model.requests)

    live.gateway.operator_turn("/compact", session=session)
    _, given = live.operator("Which number did the first thought have?", session=session)

    request = live.model.requests[-1]
    assert len(live.model.requests) == asked + 1
    assert "Thought 0 about clouds" not in before(request, "Which number did the first thought have?")
    assert "Thought 7 about" in before(request, "Which number did the first thought have?")
    assert "Thought 7 about" not in given, "what the model sees anyway isn't said twice"
    assert not complaints(live)


def test_an_overflow_is_answered_by_a_shorter_request(live: Live) -> None:
    session = "agent:main:overflow"
    talk(live, session, exchanges=8)
    live.model.push(context_overflow(), reply("It fits now."))

    turn = live.gateway.operator_turn("Does this still fit, I wonder?", session=session)

    long, short = (before(body, "Does this still fit") for body in live.model.requests[-2:])
    assert turn.text == "It fits now."
    assert len(short) < len(long)
    assert live.history(session)[-1]["role"] == "assistant"


def test_a_tool_call_and_its_result_stay_together(live: Live) -> None:
    session = "agent:main:tool-loop"
    talk(live, session, exchanges=4)
    search = tool_call("nightshift_search", {"query": "thoughts about coffee"})
    live.model.push(search, search, reply("Found."))

    live.gateway.operator_turn("Search for my thoughts about coffee, twice.", session=session)
    live.gateway.operator_turn("/compact", session=session)
    live.gateway.operator_turn("Thanks, that was all for today.", session=session)

    roles = [str(message["role"]) for message in live.model.requests[-1]["messages"]]
    calls = sum(len(message.get("tool_calls") or []) for message in live.model.requests[-1]["messages"])
    assert calls == roles.count("tool") == 2


def test_earlier_messages_stay_byte_equal_from_turn_to_turn(live: Live) -> None:
    session = "agent:main:cache"
    live.post("/v1/tools/memory_store", {"session": OWNER, "arguments": {"text": "My boat is called Halcyon."}})
    live.gateway.operator_turn("What is my boat called?", session=session)
    first = live.model.requests[-1]["messages"]
    live.gateway.operator_turn("Is Halcyon the name of my boat?", session=session)
    second = live.model.requests[-1]["messages"]

    assert json.dumps(first[0]) == json.dumps(second[0]), "the system prompt"
    assert "kref://" in json.dumps(second[-2:])
    assert "kref://" not in json.dumps(second[1:-2]), "memory stands in its own turn only"


def test_the_slot_is_switched_while_the_gateway_runs(live: Live) -> None:
    session = "agent:main:switched"
    live.gateway.operator_turn("My violin was built by Amati's pupil Rota.", session=session)
    live.gateway.reconfigure({"plugins": {"slots": {"contextEngine": "legacy"}}})
    live.wait_ready()
    live.gateway.operator_turn("My cello was built by Testore of Milan.", session=session)
    live.gateway.reconfigure({"plugins": {"slots": {"contextEngine": PLUGIN}}})
    live.wait_ready()
    live.gateway.operator_turn("My flute was built by Louis Lot of Paris.", session=session)

    for word, asked in (("Rota", "violin"), ("Testore", "cello"), ("Louis Lot", "flute")):
        live.wait_remembered(word, asked=f"Who built my {asked}?")
    assert [counts(live, word) for word in ("Rota", "Testore", "Louis Lot")] == [[1], [1], [1]]


@pytest.mark.parametrize("command", ["/new", "/reset"])
def test_a_new_beginning_has_no_window_and_memory_stays(live: Live, command: str) -> None:
    session, maker = f"agent:main:anew{command.replace('/', '-')}", {"/new": "Plath", "/reset": "Freiberger"}[command]
    live.gateway.operator_turn(f"My {command[1:]} sextant was made by {maker}.", session=session)
    talk(live, session, exchanges=8)
    live.gateway.operator_turn("/compact", session=session)
    live.wait_remembered(maker, asked=f"Who made my {command[1:]} sextant?")

    live.gateway.operator_turn(command, session=session)
    live.gateway.operator_turn("Good morning, this is another day.", session=session)
    question = f"Who made my {command[1:]} sextant?"
    _, given = live.operator(question, session=session)

    history = before(live.model.requests[-1], question)
    assert "another day" in history
    assert "Thought 7 about" not in history
    assert maker in given
    assert not complaints(live)


def test_a_daily_reset_has_no_window_and_memory_stays(live: Live) -> None:
    session, question = "agent:main:daily", "Who made my daily hygrometer?"
    live.gateway.operator_turn("My daily hygrometer was made by Lambrecht.", session=session)
    talk(live, session, exchanges=8)
    live.gateway.operator_turn("/compact", session=session)
    live.gateway.operator_turn("My daily barograph was made by Naudet.", session=session)
    begin_earlier(live.home, session, by_s=DAY_S)

    live.gateway.operator_turn("Good morning, this is another day.", session=session)
    morning = before(live.model.requests[-1], "another day")
    for maker, device in (("Lambrecht", "hygrometer"), ("Naudet", "barograph")):
        live.wait_remembered(maker, asked=f"Who made my daily {device}?")
    _, given = live.operator(question, session=session)
    history = before(live.model.requests[-1], question)

    assert resets(live.home, session) == ["daily"]
    assert "Naudet" in morning, "the gateway itself keeps the last six messages"
    assert "Thought 2 about" not in morning
    assert "another day" in history
    assert "Lambrecht" not in history
    assert "Lambrecht" in given
    assert [counts(live, maker) for maker in ("Lambrecht", "Naudet")] == [[1], [1]]
    assert not complaints(live)


@pytest.mark.parametrize("way", ["command", "overflow"])
def test_a_window_moves_after_a_reset_too(live: Live, way: str) -> None:
    session, words = f"agent:main:reset-then-{way}", "What else is there to say?"
    talk(live, session, exchanges=4)
    live.gateway.operator_turn("/reset", session=session)
    talk(live, session, exchanges=8)

    if way == "command":
        live.gateway.operator_turn("/compact", session=session)
    else:
        live.model.push(context_overflow())
    live.model.push(reply("Nothing."))
    turn = live.gateway.operator_turn(words, session=session)

    history = before(live.model.requests[-1], words)
    assert turn.text == "Nothing."
    assert "Thought 0 about" not in history
    assert "Thought 7 about" in history
    assert not complaints(live)


@pytest.mark.parametrize("way", ["fork", "rewind"])
def test_a_shortened_transcript_gives_the_window_up_and_doubles_nothing(live: Live, way: str) -> None:
    session, maker = f"agent:main:{way}", {"fork": "Cassens", "rewind": "Heath"}[way]
    live.gateway.operator_turn(f"My {way} barometer was made by {maker}.", session=session)
    talk(live, session, exchanges=8)
    live.gateway.operator_turn("/compact", session=session)
    live.wait_remembered(maker, asked=f"Who made my {way} barometer?")
    said = [message for message in live.history(session) if message["role"] == "user"]
    cut = next(message for message in said if "thought number 2" in str(message["content"]))

    cut_off = live.gateway.rpc(f"sessions.{way}", {"sessionKey": session, "entryId": cut["__openclaw"]["id"]})
    going_on = cut_off.get("sessionKey", session)
    live.operator("What did we speak about until now?", session=going_on)
    live.wait_consolidated()

    history = before(live.model.requests[-1], "What did we speak about")
    assert "Thought 0 about" in history, "what was never archived here must not be hidden"
    assert "Thought 1 about" in history
    assert "Thought 2 about" not in history
    assert counts(live, maker) == [1]
    assert not complaints(live)


def test_a_subagent_reads_its_parents_memory_and_writes_none(live: Live) -> None:
    session, task = "agent:main:parent", "Look up who made the theodolite of the survey, and report."
    live.gateway.operator_turn("The theodolite of our survey was made by Troughton.", session=session)
    live.wait_remembered("Troughton", asked="Who made the theodolite of our survey?")
    store = tool_call("memory_store", {"text": "The alidade of our survey was made by Keuffel."})
    live.model.rule(re.escape(task), lambda body: reply("Looked up.") if tool_results(body) else store)
    live.model.push(catalogued_call("sessions_spawn", {"task": task}), reply("Somebody is on it."))

    live.gateway.operator_turn("Have somebody look up the theodolite.", session=session)
    wait_for(lambda: len(_asking(live, task)) > 1, timeout_s=60, what="the subagent's second request")
    live.wait_consolidated()

    first, second = _asking(live, task)[:2]
    assert "Troughton" in str(first["messages"]), "it reads what its parent may read"
    assert tool_results(second)[-1].startswith("Not stored: a subagent")
    assert counts(live, "Keuffel") == []
    assert counts(live, "Look up who made") == []
    assert not complaints(live)


@pytest.fixture(scope="module")
def long_session(live: Live) -> str:
    """A conversation of 300 messages, in `hybrid` mode, for which the model was asked once a turn."""
    # As often as with the defaults, not after every exchange.
    live.gateway.reconfigure(plugin_config({"consolidationThreshold": 20}))
    live.wait_ready()
    asked = len(live.model.requests)
    talk(live, LONG, exchanges=EXCHANGES, needles=dict(zip(range(4, 88, 12), NEEDLES, strict=True)), sentences=24)
    assert len(live.model.requests) == asked + EXCHANGES, "compaction asked no model"
    return LONG


def test_needles_of_a_long_session_come_back_after_compaction_without_a_model_call(
    live: Live, long_session: str
) -> None:
    found = _found(live, long_session, needles=NEEDLES)

    assert len(live.history(long_session)) >= 2 * EXCHANGES, "the transcript is whole"
    assert len(live.model.requests) == len(NEEDLES), "compaction asked no model"
    assert found >= 6, found
    assert not complaints(live)


def test_needles_come_back_in_full_mode_too(live: Live, long_session: str) -> None:
    # So much text that the budget is exceeded again within 15 exchanges, wherever the window begins now.
    exchanges, sentences = 23, 120
    live.gateway.reconfigure(plugin_config({"contextEngine": {"compactionMode": "full"}}))
    live.wait_ready()
    try:
        talk(live, long_session, exchanges=exchanges, needles=dict(enumerate(MORE_NEEDLES)), sentences=sentences)
        found = _found(live, long_session, needles=MORE_NEEDLES)
        asked = len(live.model.requests)
        live.gateway.operator_turn("/compact", session=long_session)
        live.gateway.operator_turn("What else is there to say?", session=long_session)
    finally:
        live.gateway.reconfigure(plugin_config({"contextEngine": {"compactionMode": "hybrid"}}))
        live.wait_ready()

    assert asked == exchanges + len(MORE_NEEDLES), "compaction asked no model"
    assert "Thought" not in before(live.model.requests[-1], "What else is there to say?"), "not even a protected end"
    assert found >= 6, found
    assert not complaints(live)


def _found(live: Live, session: str, *, needles: Needles) -> int:
    """For how many questions memory gives the model the value that it doesn't see in the conversation any more."""
    transcript = str(live.history(session))
    found = 0
    for needle, (question, value) in needles.items():
        _, given = live.operator(question, session=session)
        assert needle in transcript, "the transcript keeps it"
        assert value not in before(live.model.requests[-1], question), "it must have left the window"
        found += value in given
    return found


def _asking(live: Live, task: str) -> list[Body]:
    """Requests of the run that was given a task."""
    return [body for body in live.model.requests if any(task in text for role, text in texts(body) if role == "user")]
