"""The context engine in the real gateway: chosen by its slot, it keeps turns, shortens the context and brings back."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.acceptance.live import OWNER, PLUGIN, Live
from tests.rig.gateway import wait_for
from tests.rig.model_steps import Body, catalogued_call, context_overflow, reply, texts, tool_call, tool_results

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


def test_compact_moves_the_window_and_asks_no_model(live: Live) -> None:
    session = "agent:main:compacted"
    _talk(live, session, exchanges=8)
    asked = len(live.model.requests)

    live.gateway.operator_turn("/compact", session=session)
    _, given = live.operator("Which number did the first thought have?", session=session)

    request = live.model.requests[-1]
    assert len(live.model.requests) == asked + 1
    assert "Thought 0 about clouds" not in _before(request, "Which number did the first thought have?")
    assert "Thought 7 about" in _before(request, "Which number did the first thought have?")
    assert "Thought 7 about" not in given, "what the model sees anyway isn't said twice"
    assert not _complaints(live)


def test_an_overflow_is_answered_by_a_shorter_request(live: Live) -> None:
    session = "agent:main:overflow"
    _talk(live, session, exchanges=8)
    live.model.push(context_overflow(), reply("It fits now."))

    turn = live.gateway.operator_turn("Does this still fit, I wonder?", session=session)

    long, short = (_before(body, "Does this still fit") for body in live.model.requests[-2:])
    assert turn.text == "It fits now."
    assert len(short) < len(long)
    assert live.history(session)[-1]["role"] == "assistant"


def test_a_tool_call_and_its_result_stay_together(live: Live) -> None:
    session = "agent:main:tool-loop"
    _talk(live, session, exchanges=4)
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
    assert [_counts(live, word) for word in ("Rota", "Testore", "Louis Lot")] == [[1], [1], [1]]


@pytest.mark.parametrize("command", ["/new", "/reset"])
def test_a_new_beginning_has_no_window_and_memory_stays(live: Live, command: str) -> None:
    session, maker = f"agent:main:anew{command.replace('/', '-')}", {"/new": "Plath", "/reset": "Freiberger"}[command]
    live.gateway.operator_turn(f"My {command[1:]} sextant was made by {maker}.", session=session)
    _talk(live, session, exchanges=8)
    live.gateway.operator_turn("/compact", session=session)
    live.wait_remembered(maker, asked=f"Who made my {command[1:]} sextant?")

    live.gateway.operator_turn(command, session=session)
    live.gateway.operator_turn("Good morning, this is another day.", session=session)
    question = f"Who made my {command[1:]} sextant?"
    _, given = live.operator(question, session=session)

    history = _before(live.model.requests[-1], question)
    assert "another day" in history
    assert "Thought 7 about" not in history
    assert maker in given
    assert not _complaints(live)


@pytest.mark.parametrize("way", ["fork", "rewind"])
def test_a_shortened_transcript_gives_the_window_up_and_doubles_nothing(live: Live, way: str) -> None:
    session, maker = f"agent:main:{way}", {"fork": "Cassens", "rewind": "Heath"}[way]
    live.gateway.operator_turn(f"My {way} barometer was made by {maker}.", session=session)
    _talk(live, session, exchanges=8)
    live.gateway.operator_turn("/compact", session=session)
    live.wait_remembered(maker, asked=f"Who made my {way} barometer?")
    said = [message for message in live.history(session) if message["role"] == "user"]
    cut = next(message for message in said if "thought number 2" in str(message["content"]))

    cut_off = live.gateway.rpc(f"sessions.{way}", {"sessionKey": session, "entryId": cut["__openclaw"]["id"]})
    going_on = cut_off.get("sessionKey", session)
    live.operator("What did we speak about until now?", session=going_on)
    live.wait_consolidated()

    history = _before(live.model.requests[-1], "What did we speak about")
    assert "Thought 0 about" in history, "what was never archived here must not be hidden"
    assert "Thought 1 about" in history
    assert "Thought 2 about" not in history
    assert _counts(live, maker) == [1]
    assert not _complaints(live)


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
    assert _counts(live, "Keuffel") == []
    assert _counts(live, "Look up who made") == []
    assert not _complaints(live)


def test_full_mode_brings_back_what_the_whole_conversation_said(live: Live) -> None:
    session = "agent:main:full"
    live.gateway.reconfigure(_engine({"compactionMode": "full"}))
    live.wait_ready()
    try:
        live.gateway.operator_turn("The code of the north gate is 77-Sierra.", session=session)
        _talk(live, session, exchanges=3)
        live.gateway.operator_turn("/compact", session=session)
        question = "Which code does the north gate have?"
        _, given = live.operator(question, session=session)
    finally:
        live.gateway.reconfigure(_engine({"compactionMode": "hybrid"}))
        live.wait_ready()

    assert "Thought" not in _before(live.model.requests[-1], question)
    assert "77-Sierra" in given


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


def _talk(live: Live, session: str, *, exchanges: int) -> None:
    """Say so much that there is something to compact."""
    for number in range(exchanges):
        topic = _TOPICS[number % len(_TOPICS)]
        words = f"people have always liked {topic}, one way or another. " * 12
        live.model.push(reply(f"Thought {number} about {topic}: {words}"))
        live.gateway.operator_turn(f"Tell me thought number {number} about {topic}.", session=session)


def _engine(changes: Mapping[str, object]) -> dict[str, object]:
    return {"plugins": {"entries": {PLUGIN: {"config": {"contextEngine": dict(changes)}}}}}


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


def _asking(live: Live, task: str) -> list[Body]:
    """Requests of the run that was given a task."""
    return [body for body in live.model.requests if any(task in text for role, text in texts(body) if role == "user")]


def _counts(live: Live, word: str) -> list[int]:
    """How often each memory of the owner that holds a word was told."""
    listed = live.post("/v1/tools/memory_list", {"session": OWNER, "arguments": {"limit": 200}})["details"]["memories"]
    return [memory["count"] for memory in listed if word in memory["text"]]


def _before(body: Body, question: str) -> str:
    """What a request shows of the conversation before the turn; its first message is the system prompt."""
    said = texts(body)
    place = max(number for number, (role, text) in enumerate(said) if role == "user" and question in text)
    return "\n".join(text for _, text in said[1:place])


def _complaints(live: Live) -> list[str]:
    words = ("degraded", "quarantin", "context assemble failed", "context commit failed", "context compact failed")
    return [line for line in live.gateway.output().splitlines() if any(word in line for word in words)]
