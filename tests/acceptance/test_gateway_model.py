"""Extraction with the gateway's own model, through the real gateway; and that nothing is lost when it doesn't serve."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.live import MEMORY_TIMEOUT_S, PLUGIN, Live
from tests.rig.gateway import wait_for
from tests.rig.model_steps import Body, Step, failure, last_user_text, reply, texts
from tests.rig.scripted_model import MODEL_ID

pytestmark = pytest.mark.timeout(600)

NOTES = "You take notes for a long-term memory"
"""Begins the instructions of every extraction."""
CONNECTED_WITHIN_S = 60


@pytest.fixture(scope="module")
def live(rig: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A gateway that lends its model to its memory."""
    config = {"chatModel": {"provider": "gateway"}}
    running = Live.start(rig, tmp_path_factory.mktemp("live"), setup={"plugin_config": config})
    wait_for(
        lambda: bool(_rows(running, "SELECT id FROM gateway")), timeout_s=CONNECTED_WITHIN_S, what="the plugin's claim"
    )
    yield running
    running.stop()


def test_what_the_gateways_model_finds_becomes_memory(live: Live) -> None:
    asked: list[str] = []

    def take_notes(body: Body) -> Step:
        asked.append(last_user_text(body))
        turns = [json.loads(line) for line in last_user_text(body).splitlines() if line.startswith("{")]
        mine = next(turn for turn in turns if turn["role"] == "user" and "Halcyon" in turn["text"])
        text = "My sailing boat Halcyon will be launched next Saturday in Kiel."
        statement = {"turn": mine["turn"], "text": text, "kind": "event", "date": None, "confidence": 0.9}
        return reply(f"```json\n{json.dumps({'statements': [statement]})}\n```")

    live.model.rule(NOTES, take_notes)

    live.operator(
        "hey so the boat, my sailing boat Halcyon, gets launched next Saturday in Kiel, mail kai@example.org about it",
        session="agent:main:launch",
    )

    memory = _memory(live, "Halcyon")
    assert memory["text"].startswith("My sailing boat Halcyon will be launched next Saturday (")
    assert memory["kind"] == "event"
    assert memory["made_by"].startswith("extract@1:")
    assert memory["made_by"].endswith(MODEL_ID)
    assert len(asked) == 1
    assert "kai@example.org" not in asked[0]
    assert "[email 1]" in asked[0]
    live.wait_remembered("launched next Saturday", asked="When is my sailing boat Halcyon launched?")
    wait_for(lambda: not _words_on_the_board(live), timeout_s=MEMORY_TIMEOUT_S, what="the question's words to go")
    assert live.gateway.problems(PLUGIN) == []


@pytest.mark.parametrize(
    ("word", "answer", "times"),
    [
        ("Castelfidardo", failure(500), 1),
        ("Cleggan", reply("I would rather not."), 2),
        ("Murano", reply('{"statements": [{"turn": 1, "text": "My aunt lives on the moon", "kind": "fact"'), 2),
    ],
    ids=["broken", "chatty", "cut off"],
)
def test_model_that_does_not_serve_costs_no_memory(live: Live, *, word: str, answer: Step, times: int) -> None:
    live.model.rule(NOTES, answer)

    live.operator(f"My grandmother bought her first accordion in {word}.", session=f"agent:main:{word.lower()}")

    memory = _memory(live, word)
    assert memory["made_by"] == "rules@1"
    assert len(_extractions(live)) >= times
    assert "moon" not in json.dumps(_rows(live, "SELECT text FROM memory"))


def test_without_a_model_everything_goes_on_as_before(live: Live) -> None:
    live.gateway.reconfigure({"plugins": {"entries": {PLUGIN: {"config": {"chatModel": {"provider": "none"}}}}}})
    live.wait_ready()
    live.model.reset()

    live.operator("My grandfather repaired clocks in Glashütte.", session="agent:main:clocks")

    assert _memory(live, "Glashütte")["made_by"] == "rules@1"
    assert _extractions(live) == []


def _memory(live: Live, word: str) -> Mapping[str, Any]:
    """The user's memory that holds a word, as soon as there is one."""
    query = "SELECT text, kind, made_by FROM memory WHERE origin = 'user' AND text LIKE ?"
    wait_for(lambda: bool(_rows(live, query, f"%{word}%")), timeout_s=MEMORY_TIMEOUT_S, what=f"a memory of {word}")
    (memory,) = _rows(live, query, f"%{word}%")
    return memory


def _extractions(live: Live) -> list[Body]:
    return [body for body in live.model.requests if any(NOTES in said for _, said in texts(body))]


def _words_on_the_board(live: Live) -> bool:
    return bool(_rows(live, "SELECT id FROM modelcall WHERE request IS NOT NULL OR reply IS NOT NULL"))


def _rows(live: Live, query: str, *values: str) -> list[dict[str, Any]]:
    """Rows of the memory's own tables; nothing is written."""
    with closing(sqlite3.connect(f"file:{live.home / 'ns' / 'nightshift.sqlite3'}?mode=ro", uri=True)) as tables:
        tables.row_factory = sqlite3.Row
        return [dict(row) for row in tables.execute(query, values)]
