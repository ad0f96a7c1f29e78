"""The two ways to live in the gateway, beside its own memory and as its memory, switched while it runs."""

import json
import signal
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.acceptance.live import PLUGIN, Live
from tests.acceptance.up_process import free_port, nightshift
from tests.rig.commands import run_cli
from tests.rig.configuration import config_path
from tests.rig.gateway import wait_for
from tests.rig.model_steps import Body, Step, catalogued_call, reply, texts, tool_call, tool_names, tool_results

pytestmark = pytest.mark.timeout(600)

SECTION = "## Long-term memory (Nightshift)"
OWN_MEMORY = "memory-core"
CONFLICT = "tool name conflict"


@pytest.fixture(scope="module")
def live(rig: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A gateway with its own memory, and ours beside it, in which only the tests put something."""
    quiet = {"consolidationThreshold": 1000, "idleConsolidationTimeout": 3600}
    setup = {"allow": (OWN_MEMORY,), "slots": {"memory": OWN_MEMORY}, "plugin_config": quiet}
    running = Live.start(rig, tmp_path_factory.mktemp("live"), setup=setup)
    yield running
    running.stop()


def test_beside_the_gateways_memory_no_name_collides(live: Live) -> None:
    live.gateway.operator_turn("Good morning to you", session="agent:main:names")

    request = live.model.requests[-1]
    assert {"nightshift_search", "memory_store"} <= tool_names(request)
    assert "- memory_search (memory-core)" in _system(request)
    assert "- nightshift_get (nightshift)" in _system(request)
    assert live.gateway.problems(PLUGIN) == []
    assert CONFLICT not in live.gateway.output()


@pytest.mark.parametrize("corpus", ["all", "wiki"])
def test_the_gateways_search_finds_ours_and_its_get_reads_it(live: Live, corpus: str) -> None:
    _tell(live, "The tulip bulbs are in the shed behind the ladder.")

    (hit,) = _found(live, {"query": "tulip bulbs", "corpus": corpus}, word="tulip")
    read = _details(live, catalogued_call("memory_get", {"path": hit["path"], "corpus": "wiki"}))

    assert hit["corpus"] == "nightshift"
    assert hit["path"].startswith("kref://")
    assert (hit["kind"], hit["source"], hit["provenanceLabel"]) == ("fact", "user", "Nightshift")
    assert 0 < hit["score"] <= 1
    assert read["status"] == "ok"
    assert "behind the ladder" in read["text"]


def test_an_address_that_is_nowhere_is_not_found_and_a_file_is_left_to_the_gateway(live: Live) -> None:
    nowhere = _details(live, catalogued_call("memory_get", {"path": "kref://no/where/at-all.fact", "corpus": "wiki"}))
    (live.home / "workspace" / "MEMORY.md").write_text("The kettle is in the attic.\n", encoding="utf-8")
    file = _details(live, catalogued_call("memory_get", {"path": "MEMORY.md", "corpus": "all"}))

    assert nowhere["status"] == "not_found"
    assert "attic" in file["text"]


def test_hits_are_private_to_the_one_whose_run_it_is(live: Live) -> None:
    arguments = {"query": "anniversary", "corpus": "wiki"}
    live.model.push(tool_call("memory_store", {"text": "My anniversary is on the 9th of June."}), reply("noted"))
    live.gateway.channel_turn("Remember my anniversary", sender="bob")

    bobs = _found(live, arguments, word="anniversary", sender="bob")
    alices = _found(live, arguments, word="anniversary", sender="alice")
    owners = _found(live, arguments, word="anniversary")

    assert len(bobs) == 1
    assert alices == owners == []


def test_in_a_room_hits_are_the_rooms_and_say_that_others_read_them(live: Live) -> None:
    arguments = {"query": "rehearsal", "corpus": "all"}
    live.model.push(tool_call("memory_store", {"text": "My own rehearsal is at dawn."}), reply("noted"))
    live.gateway.channel_turn("Remember my rehearsal", sender="carl")
    live.model.push(tool_call("memory_store", {"text": "The choir's rehearsal is on Tuesdays."}), reply("noted"))
    live.gateway.channel_turn("Remember the rehearsal", sender="dora", group="choir")

    (shared,) = _found(live, arguments, word="rehearsal", sender="carl", group="choir")
    elsewhere = _found(live, arguments, word="rehearsal", sender="carl", group="others")

    assert "Tuesdays" in shared["snippet"]
    assert shared["speaker"] == "dora"
    assert shared["provenanceLabel"] == "Nightshift (shared)"
    assert elsewhere == []


def test_the_prompt_section_is_the_same_from_turn_to_turn_and_names_only_tools_that_are_there(live: Live) -> None:
    for text in ("Good morning to you", "And good evening", "My hat is made of felt."):
        live.gateway.operator_turn(text, session="agent:main:section")
    sections = {_section(body) for body in live.model.requests}

    (section,) = sections
    assert "run nightshift_search" in section
    assert 'memory_search looks through the same memory too when called with corpus "all" or "wiki"' in section
    with _configured(live, {}, tools={"deny": ["nightshift_get", "memory_forget", "memory_search"]}):
        live.gateway.operator_turn("Good night to you", session="agent:main:section-denied")
    denied = _section(live.model.requests[-1])
    assert "run nightshift_search" in denied
    assert not [name for name in ("nightshift_get", "memory_forget", " memory_search") if name in denied]


def test_each_way_of_reaching_the_memory_can_be_switched_off_while_the_gateway_runs(live: Live) -> None:
    _tell(live, "The fuse box is under the stairs.")
    off = {"corpusSupplement": "off", "promptSupplement": False, "autoRecall": "no", "autoCapture": False}

    with _configured(live, off):
        searched = _details(live, catalogued_call("memory_search", {"query": "fuse box", "corpus": "wiki"}))
        _, given = live.operator("Where is the fuse box, please?", session="agent:main:off")
        live.operator("My parrot is called Archimedes.", session="agent:main:off")
        section = _section(live.model.requests[-1])
    live.wait_consolidated()
    _, again = live.operator("Where is the fuse box, then?", session="agent:main:on")
    parrot = live.post("/v1/recall", {"session": _OWNER, "message": {"text": "What is my parrot called?"}})

    assert searched["results"] == []
    assert searched["corpora"] == [{"corpus": "wiki", "outcome": "not-registered"}]
    assert "stairs" not in given
    assert section == ""
    assert "stairs" in again
    assert "Archimedes" not in parrot["context"]


def test_as_the_gateways_memory_its_names_are_ours_and_back_again_by_hot_reload(live: Live) -> None:
    _tell(live, "The sundial was made in Delft.")
    before = {process.pid for process in live.processes()}

    with _configured(live, {"memorySlot": "replace", "dreaming": {"enabled": False}}, slot=PLUGIN):
        owned = _called(live, tool_call("memory_search", {"query": "sundial"}))
        names, section = tool_names(live.model.requests[-1]), _section(live.model.requests[-1])
        address = owned.split("(kref://")[1].split(")")[0]
        read = _called(live, catalogued_call("memory_get", {"ref": f"kref://{address}"}))
        _, given = live.operator("Where was the sundial made?", session="agent:main:sundial")
    beside = _found(live, {"query": "sundial", "corpus": "wiki"}, word="Delft")

    assert "Delft" in owned
    assert "memory_search" in names
    assert not {"nightshift_search", "nightshift_get"} & names
    assert "run memory_search; memory_get reads one hit whole" in section
    assert "corpus" not in section
    assert "Delft" in read
    assert "Delft" in given
    assert len(beside) == 1
    assert CONFLICT not in live.gateway.output()
    assert {process.pid for process in live.processes()} == before


@pytest.mark.parametrize(
    ("mode", "slot", "told"),
    [
        (
            "replace",
            OWN_MEMORY,
            'memorySlot: replace needs plugins.slots.memory to be nightshift, which is "memory-core"',
        ),
        ("supplement", PLUGIN, "plugins.slots.memory: is nightshift, but memorySlot is supplement"),
    ],
)
def test_a_slot_that_does_not_fit_the_setting_is_told_and_harms_nothing(
    live: Live, *, mode: str, slot: str, told: str
) -> None:
    _tell(live, "The anvil weighs ninety kilos.")

    with _configured(live, {"memorySlot": mode, "dreaming": {"enabled": False}}, slot=slot):
        found = _called(live, tool_call("nightshift_search", {"query": "anvil"}))

    assert "ninety" in found
    assert told in live.gateway.output()


def test_a_memory_that_is_away_is_told_by_the_gateways_search_and_fails_no_turn(live: Live) -> None:
    for process in live.processes():
        with suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGKILL)
    found = _details(live, catalogued_call("memory_search", {"query": "kettle", "corpus": "wiki"}))
    live.wait_ready()

    assert found["results"] == []
    assert "long-term memory can't be used right now" in found["error"]
    wait_for(
        lambda: bool(_found(live, {"query": "tulip bulbs", "corpus": "wiki"}, word="tulip")),
        timeout_s=60,
        what="the corpus after its return",
    )


def test_what_connect_writes_for_a_replaced_memory_is_what_the_gateway_needs(rig: Path, tmp_path: Path) -> None:
    config = config_path(tmp_path)
    config.parent.mkdir(parents=True)
    entries = {PLUGIN: {"config": {"memorySlot": "replace"}}}
    config.write_text(json.dumps({"gateway": {"mode": "local"}, "plugins": {"entries": entries}}))
    memory, port = tmp_path / "memory", free_port()
    before = nightshift(memory, port, "doctor", "--config", str(config))
    connected = nightshift(memory, port, "connect", "--config", str(config))

    done = run_cli(rig, tmp_path, arguments=["plugins", "inspect", PLUGIN, "--runtime", "--json"])
    inspected: dict[str, Any] = json.loads(done.stdout)

    assert 'wants plugins.slots.memory: "nightshift"' in before.stdout
    assert connected.returncode == 0, connected.stderr
    assert inspected["plugin"]["status"] == "loaded"
    assert "memory_search" in json.dumps(inspected["tools"])
    doctor = nightshift(memory, port, "doctor", "--config", str(config))
    assert f"ok       gateway {config}" in doctor.stdout.splitlines()


_OWNER = {"agentId": "main", "sessionKey": "agent:main:looking-on", "isOwner": True}


def _tell(live: Live, text: str) -> None:
    live.model.push(tool_call("memory_store", {"text": text}), reply("noted"))
    live.gateway.operator_turn("Remember this for me", session="agent:main:telling")
    live.model.reset()


def _called(live: Live, step: Step, *, sender: str | None = None, group: str | None = None) -> str:
    """What a tool answered that the model called in a turn of the operator, or of somebody on the test channel."""
    live.model.reset()
    live.model.push(step, reply("done"))
    if sender:
        turn = live.gateway.channel_turn("Please look it up", sender=sender, group=group)
    else:
        turn = live.gateway.operator_turn("Please look it up", session="agent:main:looking")
    assert turn.text == "done"
    return tool_results(live.model.requests[-1])[-1]


def _details(live: Live, step: Step, *, sender: str | None = None, group: str | None = None) -> dict[str, Any]:
    """The same as an object: what a catalogued tool of the gateway tells programs."""
    details: dict[str, Any] = json.loads(_called(live, step, sender=sender, group=group))["result"]["details"]
    return details


def _found(
    live: Live, arguments: Mapping[str, object], *, word: str, sender: str | None = None, group: str | None = None
) -> list[dict[str, Any]]:
    """Hits of ours that hold a word."""
    answer = _details(live, catalogued_call("memory_search", arguments), sender=sender, group=group)
    assert "results" in answer, answer
    hits: list[dict[str, Any]] = answer["results"]
    return [hit for hit in hits if hit["corpus"] == "nightshift" and word in hit["snippet"]]


def _system(body: Body) -> str:
    return "\n".join(text for role, text in texts(body) if role in {"system", "developer"})


def _section(body: Body) -> str:
    """Our part of the system prompt; empty when it is missing."""
    _, heading, rest = _system(body).partition(SECTION)
    return heading + rest.split("\n## ")[0] if heading else ""


@contextmanager
def _configured(
    live: Live, config: Mapping[str, object], *, slot: str = OWN_MEMORY, tools: Mapping[str, object] | None = None
) -> Generator[None]:
    """The gateway with these settings while the block runs, changed by hot reload."""

    def change(values: Mapping[str, object], *, memory: str, policy: Mapping[str, object] | None) -> None:
        plugins = {"slots": {"memory": memory}, "entries": {PLUGIN: {"config": values}}}
        live.gateway.reconfigure({"plugins": plugins, **({"tools": policy} if policy else {})})

    change(config, memory=slot, policy=tools)
    try:
        yield
    finally:
        usual = dict.fromkeys(config)
        change({**usual, "memorySlot": "supplement"}, memory=OWN_MEMORY, policy={"deny": []} if tools else None)
