"""Gateway and service killed around commits and compactions of the context engine: every turn once, the window holds.

`NIGHTSHIFT_GATEWAY_KILLS=50` kills that often instead of three times; a round takes about twenty seconds.
"""

import json
import os
import random
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.acceptance.live import PLUGIN, START_TIMEOUT_S, Live
from tests.rig.gateway import wait_for
from tests.rig.model_steps import reply, texts

ROUNDS = int(os.environ.get("NIGHTSHIFT_GATEWAY_KILLS", "3"))
SESSION = "agent:main:jars"
_LONG_S = 1.5
"""A turn takes about so long: kills fall before, into and after its commit."""
_JAR = re.compile(r"jar jv(\d{4})q")

pytestmark = pytest.mark.timeout(300 + 60 * ROUNDS)


@pytest.fixture(scope="module")
def live(rig: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A gateway whose contexts our engine owns, with a small context window."""
    setup = {"slots": {"contextEngine": PLUGIN}, "context_window_tokens": 40_000}
    running = Live.start(rig, tmp_path_factory.mktemp("live"), setup=setup)
    yield running
    running.stop()


def test_every_turn_is_kept_once_and_the_window_holds(live: Live) -> None:
    chance = random.Random(7461)
    number = 0
    for round_ in range(ROUNDS):
        for _ in range(4):
            _say(live, number)
            number += 1
        with ThreadPoolExecutor(max_workers=1) as pool:
            busy = pool.submit(_perhaps, live, "/compact" if round_ % 3 == 2 else _note(number))
            time.sleep(chance.uniform(0.0, _LONG_S))
            _kill_service(live) if round_ % 2 else live.restart()
            busy.result()
        number += 1
        live.wait_ready()
    _say(live, number)
    live.gateway.operator_turn("/compact", session=SESSION)
    _say(live, number + 1)

    answered = _answered(live)
    with suppress(TimeoutError):  # what the plugin couldn't deliver waits in it
        wait_for(lambda: answered <= set(_kept(live)), timeout_s=60, what="every turn")
    kept = _kept(live)
    assert answered - set(kept) == set()
    assert {jar for jar, count in kept.items() if count > 1} == set()
    shown = _shown(live, before=number + 1)
    assert max(Counter(shown).values()) == 1
    assert set(shown) <= answered
    assert f"{number:04d}" in shown, "the newest exchange stays"
    assert "0000" not in shown, "the first one left the window"


def _say(live: Live, number: int) -> None:
    live.model.push(reply(f"Noted, that is number {number}. " + "Jars are kept where they are found. " * 60))
    turn = live.gateway.operator_turn(_note(number), session=SESSION)
    assert turn.state == "final", turn.text


def _perhaps(live: Live, text: str) -> None:
    """Say it to a gateway that may die meanwhile."""
    with suppress(Exception):
        live.model.push(reply("Noted, perhaps."))
        live.gateway.operator_turn(text, session=SESSION)


def _note(number: int) -> str:
    return f"Please note: the jar jv{number:04d}q stands on shelf {number}."


def _kill_service(live: Live) -> None:
    before = live.processes("plugin.service")
    for process in before:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    gone = {process.pid for process in before}
    wait_for(
        lambda: bool({process.pid for process in live.processes("plugin.service")} - gone),
        timeout_s=START_TIMEOUT_S,
        what="another service",
    )


def _answered(live: Live) -> set[str]:
    """Jars whose exchange stands in the transcript, answer and all."""
    found: set[str] = set()
    asked: list[str] = []
    for message in live.history(SESSION):
        said = json.dumps(message.get("content"))
        if message["role"] == "user":
            asked = _JAR.findall(said)
        elif message["role"] == "assistant" and "Noted" in said:
            found.update(asked)
    return found


def _kept(live: Live) -> Counter[str]:
    """How often each jar's exchange is in our tables."""
    database = sqlite3.connect(f"file:{live.home / 'ns' / 'nightshift.sqlite3'}?mode=ro", uri=True)
    try:
        rows = database.execute("SELECT text FROM turn WHERE role = 'user' AND text IS NOT NULL").fetchall()
    finally:
        database.close()
    return Counter(jar for (text,) in rows for jar in _JAR.findall(text))


def _shown(live: Live, *, before: int) -> list[str]:
    """Jars of the messages that the newest request shows before a note, the memory block of its turn left out."""
    said = [text for role, text in texts(live.model.requests[-1]) if role == "user"]
    place = max(index for index, text in enumerate(said) if _note(before) in text)
    return _JAR.findall("\n".join(said[:place]))
