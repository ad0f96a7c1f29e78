"""Each rule of `scope` in the gateway: who reads what was said by whom, where; switched while the gateway runs."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.acceptance.live import PLUGIN, START_TIMEOUT_S, Live, direct, room
from tests.rig.gateway import wait_for

pytestmark = pytest.mark.timeout(600)

ROOMS = {"ladder": "crew", "drum": "crew", "globe": "choir"}
SENDERS = {"lamp": "bob", "kettle": "alice", "ladder": "bob", "drum": "alice", "globe": "bob"}
OWNERS = {"anvil": "agent:main:told", "sextant": "agent:second:told"}
"""Whose each thing is: somebody's in a direct chat or a room, or the owner's with one of two agents."""

DIRECT = frozenset({"lamp", "kettle", "anvil", "sextant"})
IN_ROOMS = frozenset(ROOMS)
CREW = frozenset({"ladder", "drum"})
OF_OWNER = frozenset(OWNERS)
NOTHING = frozenset[str]()

READS: Mapping[str, Mapping[str, frozenset[str]]] = {
    "user": {
        "bob": frozenset({"lamp"}),
        "alice": frozenset({"kettle"}),
        "bob in the crew": CREW,
        "alice in the crew": CREW,
        "owner": OF_OWNER,
        "owner, other agent": OF_OWNER,
    },
    "fixed": {
        "bob": DIRECT,
        "alice": DIRECT,
        "bob in the crew": IN_ROOMS,
        "alice in the crew": IN_ROOMS,
        "owner": DIRECT,
        "owner, other agent": DIRECT,
    },
    "agent": {
        "bob": DIRECT - {"sextant"},
        "alice": DIRECT - {"sextant"},
        "bob in the crew": IN_ROOMS,
        "alice in the crew": IN_ROOMS,
        "owner": DIRECT - {"sextant"},
        "owner, other agent": frozenset({"sextant"}),
    },
    "session": {
        "bob": frozenset({"lamp"}),
        "alice": frozenset({"kettle"}),
        "bob in the crew": CREW,
        "alice in the crew": CREW,
        "owner": NOTHING,
        "owner, other agent": NOTHING,
    },
    "sender": {
        "bob": frozenset({"lamp"}),
        "alice": frozenset({"kettle"}),
        "bob in the crew": frozenset({"ladder"}),
        "alice in the crew": frozenset({"drum"}),
        "owner": frozenset({"anvil"}),
        "owner, other agent": frozenset({"sextant"}),
    },
}
"""By rule and reader, whose things may stand in what the model is given. The table of the specification, in full."""

TOWNS = {"user": "Porto", "fixed": "Ghent", "agent": "Turin", "session": "Bergen", "sender": "Malta"}
"""Where the things stand that are told of under a rule."""


@pytest.fixture(scope="module")
def live(rig: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A gateway with two agents whose turns get everything that their scope lets them see."""
    setup = {
        "plugin_config": {"topK": 20, "searchThreshold": 0},
        "extra": {"agents": {"list": [{"id": "main", "default": True}, {"id": "second"}]}},
    }
    running = Live.start(rig, tmp_path_factory.mktemp("live"), setup=setup)
    yield running
    running.stop()


def test_my_birthday_is_that_of_the_one_who_asks(live: Live) -> None:
    live.sender("My birthday is on the 12th of May.", sender="gina", group="band")
    live.sender("My birthday is on the 9th of October.", sender="hugo", group="band")
    for day in ("May", "October"):
        live.wait_remembered(day, asked="When is my birthday?", session=room("band", "gina"))

    _, ginas = live.sender("When is my birthday?", sender="gina", group="band")
    _, hugos = live.sender("When is my birthday, then?", sender="hugo", group="band")
    _, private = live.sender("When is my birthday, I wonder?", sender="gina")

    assert ginas.index("May") < ginas.index("October")
    assert hugos.index("October") < hugos.index("May")
    assert ginas.index("gina") < ginas.index("May")
    assert "May" not in private


@pytest.mark.parametrize("rule", READS)
def test_each_reader_gets_what_the_rule_says_and_nothing_else(live: Live, rule: str) -> None:
    _switch(live, rule)
    things = (*SENDERS, *OWNERS)
    sessions = [_tell(live, thing, town=TOWNS[rule]) for thing in things]
    for thing, session in zip(things, sessions, strict=True):
        live.wait_remembered(f"{thing} stands in {TOWNS[rule]}", asked=f"Where is the {thing}?", session=session)

    seen = {reader: _things(_given(live, reader, ask=f"Where do our things stand, {rule}?")) for reader in READS[rule]}

    assert {reader: things[TOWNS[rule]] for reader, things in seen.items()} == READS[rule]


def test_switching_back_loses_nothing_and_shows_nothing_new(live: Live) -> None:
    _switch(live, "user")

    seen = {reader: _things(_given(live, reader, ask="Where do our things stand now?")) for reader in READS["user"]}

    assert {reader: things.pop("Porto") for reader, things in seen.items()} == READS["user"]
    assert set().union(*(things.values() for things in seen.values())) == {NOTHING}


def _switch(live: Live, rule: str) -> None:
    """Set the rule; the plugin then starts the service anew, which had been told another one."""
    before = {process.pid for process in live.processes("plugin.service")}
    if live.gateway.config["plugins"]["entries"][PLUGIN]["config"].get("scope", "user") == rule:
        return
    live.gateway.reconfigure({"plugins": {"entries": {PLUGIN: {"config": {"scope": rule}}}}})
    wait_for(
        lambda: bool({process.pid for process in live.processes("plugin.service")} - before) and live.is_ready(),
        timeout_s=START_TIMEOUT_S,
        what=f"the service with scope {rule}",
    )


def _tell(live: Live, thing: str, *, town: str) -> Mapping[str, object]:
    """Say where a thing stands; the session that reads it."""
    text = f"My {thing} stands in {town}."
    if thing in OWNERS:
        live.operator(text, session=OWNERS[thing])
        return {"agentId": OWNERS[thing].split(":")[1], "sessionKey": OWNERS[thing], "isOwner": True}
    sender, name = SENDERS[thing], ROOMS.get(thing)
    live.sender(text, sender=sender, group=name)
    return room(name, sender) if name else direct(sender)


def _given(live: Live, reader: str, *, ask: str) -> str:
    if reader.startswith("owner"):
        agent = "main" if reader == "owner" else "second"
        return live.operator(ask, session=f"agent:{agent}:asked")[1]
    name, _, place = reader.partition(" in the ")
    return live.sender(ask, sender=name, group=place or None)[1]


def _things(given: str) -> dict[str, frozenset[str]]:
    """By town, the things that a block tells of."""
    return {
        town: frozenset(thing for thing in (*SENDERS, *OWNERS) if f"{thing} stands in {town}" in given)
        for town in TOWNS.values()
    }
