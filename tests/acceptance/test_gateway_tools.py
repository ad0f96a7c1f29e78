"""Each of the ten tools, called by the scripted model in the real gateway, with good, odd and wrong arguments."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.live import Live
from tests.rig.gateway import wait_for
from tests.rig.model_steps import Body, Step, catalogued_call, reply, texts, tool_call, tool_names, tool_results

pytestmark = pytest.mark.timeout(600)

DIRECT = {"nightshift_search", "memory_store"}
"""Tools whose schema the model always has; the others it finds in the gateway's catalogue."""
CATALOGUED = {
    "nightshift_get",
    "memory_list",
    "memory_forget",
    "memory_consolidate",
    "memory_dream",
    "creative_capture",
    "creative_recall",
    "creative_job_status",
}
LIGHTHOUSE = "Ailsa is the lighthouse keeper of the island."
PROTOCOL = "Close the shutter at 25 knots.\nOpen it again below 15 knots.\nNever open it in rain."
WORK = {"title": "Shutter protocol", "creativeProject": "observatory", "project": "dome-control", "kind": "design"}
LONG_AGO, LATER = "2001-01-01T00:00:00Z", "2001-01-02T00:00:00+02:00"
ROOM = {"space": "dome-control", "creativeProject": "observatory"}


@pytest.fixture(scope="module")
def live(rig: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A gateway whose memories are stored by the tests: nothing is consolidated in between."""
    quiet = {"consolidationThreshold": 1000, "idleConsolidationTimeout": 3600}
    running = Live.start(rig, tmp_path_factory.mktemp("live"), setup={"plugin_config": quiet})
    yield running
    running.stop()


@pytest.fixture(scope="module")
def addresses(live: Live) -> dict[str, str]:
    """What stands for `{kref}`, `{job}`, `{item}` in arguments: a memory, a job that is done, a work."""
    stored = _answer(live, _call("memory_store", {"text": LIGHTHOUSE}))
    captured = _answer(live, _call("creative_capture", {**WORK, "content": PROTOCOL}))
    job = _only(r"job ([\w-]{8,})", captured)
    wait_for(
        lambda: "Kept as" in _answer(live, _call("creative_job_status", {"jobId": job})),
        timeout_s=60,
        what="the kept work",
    )
    kept = _answer(live, _call("creative_job_status", {"jobId": job}))
    return {
        "kref": _only(r"(kref://[^\s)\"\\]+)", stored),
        "job": job,
        "item": _only(r"Kept as (kref://[^\s?]+)\?r=1", kept),
    }


GOOD: list[tuple[str, dict[str, Any], str]] = [
    ("nightshift_search", {"query": "lighthouse keeper"}, "Ailsa"),
    (
        "nightshift_search",
        {"query": "lighthouse keeper", "topK": 3, "kind": "fact", "includeSuperseded": True},
        "Ailsa",
    ),
    ("memory_store", {"text": "The lantern room has nine steps.", "tags": ["tower"], "pinned": True}, "ADD"),
    ("nightshift_get", {"ref": "{kref}"}, "Ailsa"),
    ("memory_list", {"limit": 50}, "Ailsa"),
    ("memory_forget", {"refs": ["{kref}"]}, "previewId"),
    ("memory_consolidate", {"wait": True}, "done"),
    ("memory_dream", {"dryRun": True, "wait": True}, "done"),
    ("creative_capture", {**WORK, "title": "Fog horn plan", "content": "Sound it twice.", "tags": ["noise"]}, "job"),
    ("creative_recall", ROOM, "Shutter protocol"),
    ("creative_recall", {**ROOM, "query": "when does the shutter close in wind?", "topK": 1}, "Shutter protocol"),
    ("creative_recall", {**ROOM, "ref": "{item}?r=1"}, "Never open it in rain."),
    ("creative_job_status", {"jobId": "{job}"}, "Kept as kref://observatory/dome-control/"),
]
ODD: list[tuple[str, dict[str, Any], str]] = [
    ("nightshift_search", {"query": "lighthouse keeper", "topK": 5000, "colour": "blue"}, "Ailsa"),
    ("nightshift_search", {"query": "lighthouse keeper", "from": LONG_AGO, "to": LATER}, "Nothing"),
    ("nightshift_search", {"query": "\u706f\u53f0 \U0001f6a2"}, ""),
    ("memory_store", {"text": LIGHTHOUSE}, "SKIP_DUPLICATE"),
    ("nightshift_get", {"ref": "{kref}", "fromLine": 900, "lineCount": 1}, "kref://"),
    ("memory_list", {"limit": 100_000}, "Ailsa"),
    ("memory_list", {"tag": "nobody-has-this"}, "Nothing"),
    ("memory_forget", {"query": "zebra quagga okapi", "confirm": True}, "0"),
    ("memory_consolidate", {}, "onsolidat"),
    ("memory_dream", {"dryRun": True, "depth": 7}, "job"),
    ("creative_capture", {**WORK, "content": PROTOCOL}, "job"),
    ("creative_recall", {**ROOM, "space": "no-such-room"}, "Nothing"),
    ("creative_recall", {**ROOM, "ref": "{item}", "fromLine": 2, "lineCount": 1}, "Open it again below 15 knots."),
]
WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("nightshift_search", {}, "query"),
    ("nightshift_search", {"query": ""}, "query"),
    ("nightshift_search", {"query": "keeper", "kind": "rumour"}, "kind"),
    ("nightshift_search", {"query": "keeper", "from": "some day"}, "from"),
    ("nightshift_search", {"query": "keeper", "to": "2001-02-30"}, "to"),
    ("memory_store", {"text": ""}, "text"),
    ("memory_store", {"text": "The tide turns at noon.", "kind": "rumour"}, "kind"),
    ("memory_store", {"text": "The tide turns at one.", "replaces": "kref://no/where/at-all.fact"}, "no"),
    ("nightshift_get", {}, "ref"),
    ("nightshift_get", {"ref": "kref://nowhere/at/all.fact"}, "no"),
    ("memory_list", {"limit": "many"}, "limit"),
    ("memory_list", {"status": "lost"}, "status"),
    ("memory_forget", {}, "refs"),
    ("memory_forget", {"refs": "kref://one/at/a-time.fact"}, "refs"),
    ("memory_forget", {"previewId": "made-up", "confirm": True}, "previewId"),
    ("memory_consolidate", {"wait": "perhaps"}, "wait"),
    ("memory_dream", {"dryRun": "perhaps"}, "dryRun"),
    ("creative_capture", {"title": "Only a title"}, "content"),
    ("creative_capture", {**WORK, "content": PROTOCOL, "sourceMemoryKref": "kref://no/where/at-all.fact"}, "ource"),
    ("creative_recall", {"space": "dome-control"}, "creativeProject"),
    ("creative_recall", {**ROOM, "ref": "{item}?r=99"}, "no"),
    ("creative_job_status", {}, "jobId"),
    ("creative_job_status", {"jobId": "00000000-0000-4000-8000-000000000000"}, "no"),
]


def test_the_model_is_offered_all_ten_tools_in_the_same_order_every_turn(live: Live) -> None:
    for text in ("Good morning to you", "And good evening"):
        live.gateway.operator_turn(text, session="agent:main:offered")
    first, second = live.model.requests[-2:]

    assert tool_names(first) >= DIRECT
    assert not tool_names(first) & CATALOGUED
    assert {name for name in CATALOGUED if f"- {name} (nightshift):" in _system(first)} == CATALOGUED
    assert [tool["function"] for tool in first["tools"]] == [tool["function"] for tool in second["tools"]]
    assert _system(first) == _system(second)


def test_what_the_catalogue_tells_of_a_tool_is_its_whole_schema(live: Live) -> None:
    said = _answer(live, tool_call("tool_describe", {"id": "creative_capture"}))

    assert all(name in said for name in ("title", "content", "creativeProject", "project", "kind", "sourceMemoryKref"))


@pytest.mark.parametrize(("name", "arguments", "wanted"), [*GOOD, *ODD, *WRONG])
def test_a_tool_answers_and_the_turn_goes_on(
    live: Live, addresses: Mapping[str, str], *, name: str, arguments: dict[str, Any], wanted: str
) -> None:
    said = _answer(live, _call(name, _filled(arguments, addresses)))

    assert wanted in said
    assert "can't be used right now" not in said
    assert "internal error" not in said


def test_a_work_gets_its_next_revision_and_a_diff_of_two(live: Live, addresses: Mapping[str, str]) -> None:
    later = PROTOCOL.replace("25 knots", "22 knots")
    job = _only(r"job ([\w-]{8,})", _answer(live, _call("creative_capture", {**WORK, "content": later})))
    wait_for(
        lambda: "?r=2" in _answer(live, _call("creative_job_status", {"jobId": job})),
        timeout_s=60,
        what="the second revision",
    )

    current = _answer(live, _call("creative_recall", {**ROOM, "ref": addresses["item"]}))
    difference = _answer(live, _call("creative_recall", {**ROOM, "ref": f"{addresses['item']}?r=1..2"}))

    assert "22 knots" in current
    assert "25 knots" not in current
    assert "-Close the shutter at 25 knots." in difference
    assert "+Close the shutter at 22 knots." in difference


def test_works_of_one_person_are_nobody_elses(live: Live, addresses: Mapping[str, str]) -> None:
    reading = catalogued_call("creative_recall", {**ROOM, "ref": addresses["item"]})
    asking = catalogued_call("creative_job_status", {"jobId": addresses["job"]})
    listed = _answer(live, catalogued_call("creative_recall", ROOM), sender="mallory")
    read = _answer(live, reading, sender="mallory")
    asked = _answer(live, asking, sender="mallory")

    assert "Shutter protocol" not in listed + read
    assert "knots" not in read
    assert "kref://observatory" not in asked
    assert "knots" in _answer(live, reading)
    assert "kref://observatory" in _answer(live, asking)


def test_forgetting_shows_first_and_erases_what_was_shown(live: Live) -> None:
    searching = _call("nightshift_search", {"query": "quarry of Penhallow"})
    stored = _answer(live, _call("memory_store", {"text": "The pass to the cove is by the quarry of Penhallow."}))
    address = _only(r"(kref://[^\s)\"\\]+)", stored)
    shown = _answer(live, _call("memory_forget", {"refs": [address]}))
    before = _answer(live, searching)
    preview = _only(r"previewId[\\\" :]+([\w-]{10,})", shown)
    gone = _answer(live, _call("memory_forget", {"previewId": preview, "confirm": True}))
    after = _answer(live, searching)

    assert "Penhallow" in shown
    assert "Penhallow" in before
    assert re.search(r'"forgotten\W+1\b', gone)
    assert "Penhallow" not in gone
    assert "Penhallow" not in after


def _call(name: str, arguments: Mapping[str, object]) -> Step:
    return (tool_call if name in DIRECT else catalogued_call)(name, arguments)


def _answer(live: Live, step: Step, *, sender: str | None = None) -> str:
    """What a tool answered that the model called, in a turn that ended well."""
    live.model.reset()
    live.model.push(step, reply("done"))
    text = "Use your tools for me, please"
    turn = (
        live.gateway.channel_turn(text, sender=sender)
        if sender
        else live.gateway.operator_turn(text, session="agent:main:tools")
    )
    assert turn.text == "done"
    return tool_results(live.model.requests[-1])[-1]


def _filled(value: Any, addresses: Mapping[str, str]) -> Any:
    """Arguments with `{kref}`, `{job}` and `{item}` replaced, at any depth."""
    if isinstance(value, str):
        return re.sub(r"\{(kref|job|item)\}", lambda found: addresses[found[1]], value)
    if isinstance(value, list):
        return [_filled(item, addresses) for item in value]  # pyright: ignore[reportUnknownVariableType]  JSON
    if isinstance(value, dict):
        return {key: _filled(item, addresses) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType]  JSON
    return value


def _only(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found, text
    return found[1]


def _system(body: Body) -> str:
    return "\n".join(text for role, text in texts(body) if role in {"system", "developer"})
