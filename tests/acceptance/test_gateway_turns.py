"""One turn, end to end, through the real gateway; only the chat model is scripted."""

import json
import re
import signal

import psutil
import pytest

from tests.acceptance.live import MEMORY_TIMEOUT_S, PLUGIN, Live, direct, room
from tests.rig.gateway import wait_for
from tests.rig.model_steps import Step, catalogued_call, failure, reply, tool_call, tool_names, tool_results, user_text

pytestmark = pytest.mark.timeout(600)

ADDRESS = "kref://"
"""Stands in everything that is recalled, and in nothing that a person says here."""
LIGHTHOUSE = "Ailsa is the lighthouse keeper of the island."
DIRECT = {"nightshift_search", "memory_store"}
"""Tools whose schema the model always has; the others it finds in the gateway's catalogue."""


def test_plugin_loads_without_a_complaint(live: Live) -> None:
    live.gateway.operator_turn("Good morning to you", session="agent:main:loading")

    assert live.gateway.problems(PLUGIN) == []
    assert {"nightshift_search", "memory_store"} <= tool_names(live.model.requests[-1])
    assert not {"memory_search", "memory_get"} & tool_names(live.model.requests[-1])


def test_fact_told_in_one_conversation_is_given_to_the_model_in_another(live: Live) -> None:
    live.operator("My sailing boat is called Halcyon and lies in Kiel.", session="agent:main:boat-told")
    live.wait_remembered("Halcyon", asked="What is the name of my sailing boat?")

    turn, given = live.operator("What is the name of my sailing boat?", session="agent:main:boat-asked")

    assert "Halcyon" in given
    assert ADDRESS in given
    assert turn.text == "ok"


def test_recalled_block_shows_neither_in_the_chat_nor_in_the_transcript(live: Live) -> None:
    session = "agent:main:hidden-asked"
    live.operator("My favourite mountain is the Säntis in Appenzell.", session="agent:main:hidden-told")
    live.wait_remembered("Säntis", asked="Which mountain is my favourite?")

    turn, given = live.operator("Which mountain is my favourite?", session=session)
    later, _ = live.operator("Thank you for telling me that.", session=session)

    assert "Säntis" in given
    seen = json.dumps([live.history(session), turn.events, later.events], ensure_ascii=False)
    assert "Which mountain is my favourite?" in seen
    assert "Säntis" not in seen
    assert ADDRESS not in seen


def test_injected_memory_is_not_captured_again(live: Live) -> None:
    live.operator("My bicycle is a green Peugeot from 1978.", session="agent:main:bike-told")
    live.wait_remembered("Peugeot", asked="What colour is my Peugeot bicycle?")
    for number in range(4):
        _, given = live.operator(
            f"What colour is my Peugeot bicycle? Round {number}.", session=f"agent:main:bike-{number}"
        )
        assert "green Peugeot from 1978" in given
    live.wait_consolidated()

    found = live.post(
        "/v1/tools/memory_search",
        {
            "session": {"sessionKey": "agent:main:bike", "isOwner": True},
            "arguments": {"query": "green Peugeot bicycle"},
        },
    )

    # The questions name the bicycle too: the year stands only in what was told, and in the injected block.
    assert len([memory for memory in found["details"]["memories"] if "1978" in memory["text"]]) == 1


def test_fact_is_still_there_after_a_reset(live: Live) -> None:
    session = "agent:main:reset"
    live.operator("I am allergic to walnuts and to hazelnuts.", session=session)
    live.wait_remembered("walnuts", asked="What am I allergic to?")

    assert "reset" in live.gateway.operator_turn("/reset", session=session).text.lower()
    _, given = live.operator("What am I allergic to?", session=session)

    assert "walnuts" in given


def test_turn_of_a_failing_provider_leaves_no_memory(live: Live) -> None:
    live.model.rule("Zanzibar", failure(400, "no such model"))
    live.gateway.operator_turn("I will move to Zanzibar in the spring.", session="agent:main:provider")
    live.operator("I collect stamps of the Faroe Islands.", session="agent:main:provider-after")
    live.wait_remembered("Faroe", asked="Which stamps do I collect?")

    found = live.post(
        "/v1/recall",
        {
            "session": {"sessionKey": "agent:main:x", "isOwner": True},
            "message": {"text": "Where will I move to in the spring?"},
        },
    )

    assert "Zanzibar" not in found["context"]


def test_commands_and_machine_turns_are_not_captured(live: Live) -> None:
    live.gateway.operator_turn("/status my locker code is 4711-Albatross", session="agent:main:commands")
    live.gateway.rpc("wake", {"mode": "now", "text": "The Albatross report is due"})
    wait_for(
        lambda: any("heartbeat" in user_text(body) for body in live.model.requests), timeout_s=30, what="the heartbeat"
    )
    live.operator("My locker is on the second floor.", session="agent:main:commands")
    live.wait_remembered("locker", asked="Where is my locker?")

    found = live.post(
        "/v1/recall",
        {"session": {"sessionKey": "agent:main:x", "isOwner": True}, "message": {"text": "What about the Albatross?"}},
    )

    assert "Albatross" not in found["context"]


@pytest.mark.parametrize(
    ("name", "arguments", "wanted"),
    [
        ("nightshift_search", {"query": "lighthouse keeper"}, "Ailsa"),
        ("memory_list", {"limit": 50}, "Ailsa"),
        ("memory_consolidate", {"wait": True}, "done"),
        ("memory_forget", {"query": "lighthouse keeper Ailsa"}, "previewId"),
        ("nightshift_search", {}, "query"),
        ("memory_store", {"text": ""}, "text"),
        ("memory_store", {"text": "The tide turns at noon.", "kind": "rumour"}, "kind"),
        ("nightshift_get", {"ref": "kref://nowhere/at/all.fact"}, "not"),
        ("memory_list", {"limit": "many"}, "limit"),
        ("memory_list", {"status": "lost"}, "status"),
        ("memory_forget", {}, "refs"),
        ("memory_consolidate", {"wait": "perhaps"}, "wait"),
    ],
)
def test_tool_answers_good_and_wrong_arguments(
    live: Live, *, name: str, arguments: dict[str, object], wanted: str
) -> None:
    live.model.push(tool_call("memory_store", {"text": LIGHTHOUSE}), reply("noted"))
    live.gateway.operator_turn("Good evening to you", session="agent:main:tools-store")
    live.wait_remembered("Ailsa", asked="Who is the lighthouse keeper?")
    live.model.reset()
    live.model.push(_call(name, arguments), reply("done"))

    turn = live.gateway.operator_turn("Use your memory for me, please", session=f"agent:main:tools-{name}")

    assert turn.text == "done"
    (said,) = tool_results(live.model.requests[-1])[-1:]
    assert wanted in said


def test_tools_store_read_and_forget_for_real(live: Live) -> None:
    def call(name: str, arguments: dict[str, object]) -> str:
        live.model.reset()
        live.model.push(_call(name, arguments), reply("done"))
        live.gateway.operator_turn(f"Please call {name}", session="agent:main:tools-whole")
        return tool_results(live.model.requests[-1])[-1]

    boathouse = "The keys of the boathouse hang behind the portrait of Quetzalcoatl."
    stored = call("memory_store", {"text": boathouse})
    address = re.search(r"kref://[^\s)\"]+", stored)
    assert "ADD" in stored
    assert address
    assert "Quetzalcoatl" in call("nightshift_get", {"ref": address.group()})
    assert "SKIP_DUPLICATE" in call("memory_store", {"text": boathouse})
    call("memory_forget", {"refs": [address.group()], "confirm": True})
    assert "Quetzalcoatl" not in call("nightshift_search", {"query": "keys of the boathouse"})


def test_what_was_just_stored_is_there_in_the_very_next_turn(live: Live) -> None:
    text = "The ferry to Skye leaves from pier number nineteen."
    live.model.push(tool_call("memory_store", {"text": text}), reply("noted"))
    live.gateway.operator_turn("Good morning to you again", session="agent:main:ferry-told")

    _, given = live.operator("From which pier leaves the ferry to Skye?", session="agent:main:ferry-asked")

    assert "nineteen" in given


def test_two_senders_of_a_shared_session_do_not_see_each_others_facts(live: Live) -> None:
    live.sender("My dog is called Wolfram and he is a beagle.", sender="bob")
    live.wait_remembered("Wolfram", asked="What is my dog called?", session=direct("bob"))

    _, alices = live.sender("What is my dog called, do you know?", sender="alice")
    _, bobs = live.sender("What is my dog called, by the way?", sender="bob")
    _, owners = live.operator("What is my dog called, please?", session="agent:main:dog")
    live.gateway.completion("What is my dog called, dear machine?", user="carol")

    assert "Wolfram" in bobs
    assert "Wolfram" not in alices
    assert "Wolfram" not in owners
    assert "Wolfram" not in live.given_with("What is my dog called, dear machine?")


def test_search_tool_of_one_sender_finds_nothing_of_another(live: Live) -> None:
    live.sender("My sister Cordula lives in Tromsø.", sender="dave")
    live.wait_remembered("Cordula", asked="Where does my sister live?", session=direct("dave"))
    live.model.push(tool_call("nightshift_search", {"query": "sister lives"}), reply("done"))
    live.gateway.channel_turn("Search for my sister", sender="erin")
    erins = tool_results(live.model.requests[-1])[-1]
    live.model.push(tool_call("nightshift_search", {"query": "sister lives"}), reply("done"))
    live.gateway.channel_turn("Search for my sister", sender="dave")

    assert "Cordula" not in erins
    assert "Cordula" in tool_results(live.model.requests[-1])[-1]


def test_group_sees_its_own_facts_and_no_private_ones(live: Live) -> None:
    live.sender("My salary is 4321 euros a month.", sender="frank")
    live.wait_remembered("4321", asked="How much is my salary?", session=direct("frank"))
    live.sender("Our picnic is at the Wannsee lake on Saturdays.", sender="gina", group="crew")
    live.wait_remembered("Wannsee", asked="Where is our picnic?", session=room("crew", "frank"))

    _, private = live.sender("How much is my salary again?", sender="frank", group="crew")
    _, shared = live.sender("Where is our picnic again?", sender="frank", group="crew")
    _, elsewhere = live.sender("Where is our picnic again, folks?", sender="frank", group="others")

    assert "4321" not in private
    assert "Wannsee" in shared
    assert "Wannsee" not in elsewhere


def test_words_that_join_a_running_turn_belong_to_the_one_who_said_them(live: Live) -> None:
    live.model.push(reply("a slow answer, word by word by word", delay_s=0.6), reply("noted"))
    with live.background(lambda: live.gateway.channel_turn("Tell us something slowly.", sender="hal", group="steer")):
        wait_for(lambda: len(live.model.requests) == 1, timeout_s=30, what="the first request")
        live.gateway.channel_turn("My name day is the 4th of July.", sender="iris", group="steer")
    live.wait_remembered("July", asked="When is the name day?", session=room("steer", "iris"))

    found = live.post("/v1/recall", {"session": room("steer", "iris"), "message": {"text": "When is the name day?"}})

    speakers = {memory.get("speaker") for memory in found["memories"] if "July" in memory["text"]}
    assert speakers == {"iris"}


def test_mistyped_settings_do_not_stop_the_gateway_and_an_unusable_url_is_told(live: Live) -> None:
    live.operator("My kayak has the colour of turmeric.", session="agent:main:kayak")
    live.wait_remembered("turmeric", asked="Which colour has my kayak?")

    _configure(live, {"topK": "many", "colour": "blue", "circuitBreaker": 7})
    _, given = live.operator("Which colour has my kayak?", session="agent:main:kayak-mistyped")
    _configure(live, {"baseUrl": "nowhere"})
    live.model.push(tool_call("nightshift_search", {"query": "kayak"}), reply("done"))
    turn = live.gateway.operator_turn("Search for my kayak, please", session="agent:main:kayak-off")
    told = tool_results(live.model.requests[-1])[-1]
    _configure(live, {"topK": None, "colour": None, "circuitBreaker": None, "baseUrl": None})
    live.wait_ready()

    assert "turmeric" in given
    assert 'topK: "many" must be a number' in live.gateway.output()
    assert turn.text == "done"
    assert "baseUrl" in told


def test_memory_slot_becomes_ours_and_back_without_a_restart(live: Live) -> None:
    live.operator("My telescope stands in Effelsberg.", session="agent:main:telescope")
    live.wait_remembered("Effelsberg", asked="Where does my telescope stand?")
    before = {process.pid for process in live.processes()}

    _configure(live, {"memorySlot": "replace"}, slot=PLUGIN)
    live.model.push(tool_call("memory_search", {"query": "telescope"}), reply("done"))
    _, owned = live.operator("Where does my telescope stand?", session="agent:main:telescope-owned")
    found = tool_results(live.model.requests[-1])[-1]
    _configure(live, {"memorySlot": "supplement"}, slot="none")
    _, beside = live.operator("Where does my telescope stand now?", session="agent:main:telescope-beside")

    assert "Effelsberg" in owned
    assert "Effelsberg" in found
    assert "Effelsberg" in beside
    assert "nightshift_search" in tool_names(live.model.requests[-1])
    assert {process.pid for process in live.processes()} == before


def test_memory_away_costs_a_turn_nothing_and_comes_back_by_itself(live: Live) -> None:
    live.operator("My violin was built in Mittenwald.", session="agent:main:violin")
    live.wait_remembered("Mittenwald", asked="Where was my violin built?")
    before = len(live.warnings())

    for process in live.processes():
        _kill(process)
    turn, given = live.operator("Where was my violin built?", session="agent:main:violin-away")
    told, _ = live.operator("My cello was built in Cremona.", session="agent:main:violin-away")

    assert (turn.text, told.text) == ("ok", "ok")
    assert "Mittenwald" not in given
    assert len(live.warnings()) == before + 1
    live.wait_ready()
    # What was said meanwhile waited in the plugin.
    live.wait_remembered("Cremona", asked="Where was my cello built?")
    wait_for(
        lambda: "Mittenwald" in live.operator("Where was my violin built, again?", session="agent:main:violin-2")[1],
        timeout_s=MEMORY_TIMEOUT_S,
        what="recall in the gateway",
    )
    assert len(live.warnings()) == before + 1


def test_killed_service_process_loses_nothing_that_was_acknowledged(live: Live) -> None:
    live.operator("My library card has the colour of malachite.", session="agent:main:card")
    (service,) = live.processes("plugin.service")
    _kill(service)
    live.wait_ready()

    live.wait_remembered("malachite", asked="Which colour has my library card?")


def test_gateway_killed_and_restarted_still_has_its_memory(live: Live) -> None:
    live.operator("My grandmother came from Ljubljana.", session="agent:main:grandmother")
    live.wait_remembered("Ljubljana", asked="Where did my grandmother come from?")
    old = {process.pid for process in live.processes()}

    live.restart()
    _, given = live.operator("Where did my grandmother come from?", session="agent:main:grandmother-2")

    assert "Ljubljana" in given
    assert not [pid for pid in old if psutil.pid_exists(pid)]


def _configure(live: Live, config: dict[str, object], *, slot: str = "none") -> None:
    live.gateway.reconfigure({"plugins": {"slots": {"memory": slot}, "entries": {PLUGIN: {"config": config}}}})


def _call(name: str, arguments: dict[str, object]) -> Step:
    return (tool_call if name in DIRECT else catalogued_call)(name, arguments)


def _kill(process: psutil.Process) -> None:
    try:
        process.send_signal(signal.SIGKILL)
    except psutil.NoSuchProcess:
        return
