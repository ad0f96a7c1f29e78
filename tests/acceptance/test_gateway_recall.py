"""Recall from turn to turn, through the real gateway: repeats, corrections, deadlines, and the provider's cache."""

import json
import signal
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from memory_core.fence import FENCE_OPEN
from tests.acceptance.live import OWNER, PLUGIN, Live
from tests.rig.gateway import wait_for
from tests.rig.model_steps import Body, reply, texts, tool_call

pytestmark = pytest.mark.timeout(600)

ADDRESS = "kref://"
"""Stands in everything that is recalled, and in nothing that a person says here."""
KEPT, MISSED = 'nightshift_prefetches_total{outcome="kept"}', 'nightshift_recalls_total{outcome="missed"}'
FROM_PREFETCH = 'nightshift_recall_sources_total{source="prefetch"}'
PREFETCH_WITHIN_S = 20


@pytest.fixture(scope="module")
def live(rig: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A gateway whose memories are stored by the tests: no consolidation changes them in between."""
    quiet = {"consolidationThreshold": 1000, "idleConsolidationTimeout": 3600}
    running = Live.start(rig, tmp_path_factory.mktemp("live"), setup={"plugin_config": quiet})
    yield running
    running.stop()


def test_corrected_fact_is_new_in_the_very_next_turn_although_a_prefetch_was_waiting(live: Live) -> None:
    old = _store(live, "My sailing boat Halcyon is moored in Kiel.")
    with _prefetched(live):
        _, first = live.operator("Where is my sailing boat Halcyon moored?", session="agent:main:boat")
    correction = {"text": "My sailing boat Halcyon is moored in Flensburg.", "replaces": old}
    live.model.push(tool_call("memory_store", correction), reply("noted"))
    live.gateway.operator_turn("Good morning to you", session="agent:main:boat-corrected")

    _, second = live.operator("yeah, that one", session="agent:main:boat")

    assert "Kiel" in first
    assert "Flensburg" in second
    assert "Kiel" not in second


def test_message_that_only_agrees_recalls_the_topic_from_what_was_computed_ahead(live: Live) -> None:
    _store(live, "The spare key of the observatory hangs behind the barometer.")
    with _prefetched(live):
        live.operator("Where does the spare key of the observatory hang?", session="agent:main:key")
    before = _number(live, FROM_PREFETCH)

    _, given = live.operator("yeah, that one", session="agent:main:key")

    assert "barometer" in given
    assert _number(live, FROM_PREFETCH) == before + 1


def test_memory_that_the_next_turn_needs_too_is_there_again(live: Live) -> None:
    _store(live, "My grandfather's accordion was made in Castelfidardo.")

    blocks = [
        live.operator(f"Where was my grandfather's accordion made? {again}", session="agent:main:accordion")[1]
        for again in ("Tell me.", "Tell me again.")
    ]

    assert ["Castelfidardo" in block for block in blocks] == [True, True]


def test_with_reinject_once_it_is_there_once_a_session(live: Live) -> None:
    _store(live, "The lighthouse of Punta Almina was painted in vermilion.")
    session = "agent:main:lighthouse"

    def ask(again: str) -> bool:
        return "vermilion" in live.operator(f"In which colour is Punta Almina painted? {again}", session=session)[1]

    before = {process.pid for process in live.processes()}
    with _configured(live, {"reinject": "once"}):
        within = [ask("Tell me."), ask("Tell me again.")]
        live.gateway.operator_turn("/reset", session=session)
        after = ask("Tell me once more.")

    assert within == [True, False]
    assert after
    assert {process.pid for process in live.processes()} == before


def test_recalled_block_stands_once_in_every_request_of_a_tool_loop(live: Live) -> None:
    _store(live, "The ferry to Inishbofin leaves from Cleggan pier.")
    search = tool_call("nightshift_search", {"query": "ferry to Inishbofin"})
    live.model.push(search, search, reply("from Cleggan"))

    turn = live.gateway.operator_turn("From where leaves the ferry to Inishbofin?", session="agent:main:ferry")

    assert turn.text == "from Cleggan"
    assert [_blocks(body) for body in live.model.requests] == [1, 1, 1]


def test_recall_slower_than_its_budget_lets_the_turn_go_on(live: Live) -> None:
    _store(live, "My telescope has a mirror of eleven inches.")
    before = _number(live, MISSED)

    with _stopped_index(live):
        turn, given = live.operator("How many inches has the mirror of my telescope?", session="agent:main:mirror")
        missed = _number(live, MISSED) - before
    _, later = live.operator("How many inches has the mirror of my telescope?", session="agent:main:mirror-later")

    assert turn.text == "ok"
    assert turn.took_s < 6
    assert ADDRESS not in given
    assert missed == 1
    assert "eleven" in later
    assert live.warnings() == []


def test_short_message_gets_what_was_computed_ahead_when_the_search_is_too_slow(live: Live) -> None:
    _store(live, "The tuning fork of the choir lies in the green drawer.")
    with _prefetched(live):
        live.operator("Where does the tuning fork of the choir lie?", session="agent:main:fork")

    with _stopped_index(live):
        turn, given = live.operator("And why is it there?", session="agent:main:fork")

    assert turn.text == "ok"
    assert "green drawer" in given


def test_everything_before_the_last_user_message_stays_byte_equal(live: Live) -> None:
    _store(live, "My bicycle is a green Peugeot from 1978.")
    session = "agent:main:cache"
    said = ("From which year is my green Peugeot bicycle?", "yeah, that one", "Is my green Peugeot bicycle that old?")

    given = [live.operator(text, session=session)[1] for text in said]

    assert ["1978" in block for block in given] == [True, True, True]
    requests = [_split(body, text) for body, text in zip(live.model.requests, said, strict=True)]
    for text, ((before, _), (later, _)) in zip(said, pairwise(requests), strict=False):
        assert _bytes(later[: len(before)]) == _bytes(before)
        # What was injected is gone from the history; the words are still there.
        assert text in _bytes(later[len(before)]).decode()
    assert len({_bytes(body["tools"]) for body in live.model.requests}) == 1
    for before, own in requests:
        assert ADDRESS not in _bytes(before).decode()
        assert ADDRESS in _bytes(own).decode()


def _store(live: Live, text: str) -> str:
    """Store a memory of the operator's; returns its address."""
    stored = live.post("/v1/tools/memory_store", {"session": OWNER, "arguments": {"text": text}})
    assert stored["details"]["decision"] == "ADD", stored
    return str(stored["details"]["memory"]["kref"])


@contextmanager
def _prefetched(live: Live) -> Generator[None]:
    """Wait at the end until the next recall was computed ahead."""
    before = _number(live, KEPT)
    yield
    wait_for(lambda: _number(live, KEPT) > before, timeout_s=PREFETCH_WITHIN_S, what="the prefetch")


@contextmanager
def _stopped_index(live: Live) -> Generator[None]:
    """No search is answered meanwhile."""
    (index,) = live.processes("index_process")
    index.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        index.send_signal(signal.SIGCONT)
        wait_for(live.is_ready, timeout_s=PREFETCH_WITHIN_S, what="the index")


@contextmanager
def _configured(live: Live, config: Mapping[str, object]) -> Generator[None]:
    """Change the plugin's settings in the running gateway, and back."""

    def configure(changes: Mapping[str, object]) -> None:
        live.gateway.reconfigure({"plugins": {"entries": {PLUGIN: {"config": dict(changes)}}}})
        live.wait_ready()

    configure(config)
    try:
        yield
    finally:
        configure(dict.fromkeys(config))


def _number(live: Live, line: str) -> float:
    """A number of `/metrics`; 0 before it was counted."""
    headers = {"authorization": f"Bearer {live.token}"}
    lines = httpx.get(f"{live.url}/metrics", headers=headers, timeout=10, trust_env=False).text.splitlines()
    return next((float(found.rsplit(" ", 1)[1]) for found in lines if found.startswith(f"{line} ")), 0.0)


def _blocks(body: Body) -> int:
    return sum(said.count(FENCE_OPEN) for role, said in texts(body) if role != "tool")


def _split(body: Body, text: str) -> tuple[list[Body], Body]:
    """The messages before the one that holds these words, and that one; the gateway puts notes of its own behind it."""
    messages: list[Body] = body["messages"]
    place = max(place for place, (role, said) in enumerate(texts(body)) if role == "user" and text in said)
    return messages[:place], messages[place]


def _bytes(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
