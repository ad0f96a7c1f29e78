"""Every part of a real tree killed at random moments: what was acknowledged becomes memory exactly once.

`NIGHTSHIFT_KILLS=100` strikes that often instead of a dozen times; it takes about four minutes.
"""

import json
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import cast

import httpx
import psutil
import pytest

from tests.acceptance.up_process import MODULES, UpProcess, wait_until

KILLS = int(os.environ.get("NIGHTSHIFT_KILLS", "12"))
LEAST_TURNS = 20
SESSION = {"sessionKey": "agent:main:main", "chatType": "direct", "isOwner": True}
_SEED = 7461
_PATIENCE_S = 120.0


class Client:
    """Speaks to a service that may be away: asks again until it answers."""

    def __init__(self, tree: UpProcess) -> None:
        self._url = tree.url
        self._headers = {"authorization": f"Bearer {(tree.home / 'token').read_text()}"}

    def post(self, path: str, body: Mapping[str, object]) -> dict[str, object]:
        deadline_s = time.monotonic() + _PATIENCE_S
        while True:
            try:
                answer = httpx.post(
                    f"{self._url}{path}", json=body, headers=self._headers, timeout=130, trust_env=False
                )
                if answer.status_code == 200:
                    return answer.json()
                assert answer.json()["error"]["retryable"], answer.text
            except httpx.HTTPError:
                pass
            assert time.monotonic() < deadline_s, f"{path} was not answered"
            time.sleep(0.2)

    def tool(self, name: str, arguments: Mapping[str, object]) -> dict[str, object]:
        answer = self.post(f"/v1/tools/{name}", {"session": SESSION, "arguments": arguments})
        assert not answer["isError"], answer
        return cast("dict[str, object]", answer["details"])

    def export(self) -> list[dict[str, object]]:
        answer = httpx.get(f"{self._url}/v1/export", headers=self._headers, timeout=60, trust_env=False)
        return [json.loads(line) for line in answer.text.splitlines()]


@pytest.fixture
def tree(tmp_path: Path) -> Generator[UpProcess]:
    started = UpProcess(tmp_path / "home", "--no-demo")
    started.wait_for("Ctrl-C ends it.")
    yield started
    started.clean_up()


@pytest.mark.timeout(300 + 20 * KILLS)
def test_every_acknowledged_turn_becomes_memory_exactly_once(tree: UpProcess) -> None:
    client = Client(tree)
    chance = random.Random(_SEED)
    killer = threading.Thread(target=_kill, args=(tree, chance))
    killer.start()
    turns = 0
    while turns < LEAST_TURNS or killer.is_alive():
        _say(client, turns)
        turns += 1
        if turns % 5 == 0:  # something to kill in the middle of
            client.tool("memory_consolidate", {})
        time.sleep(chance.uniform(0.1, 1.2))

    wait_until(tree.is_ready, what=lambda: f"ready again: {tree.said}", within_s=_PATIENCE_S)
    _consolidate(client)
    assert tree.said.count("starting it again") >= KILLS, tree.said
    told = Counter(
        number for memory in client.export() for number in range(turns) if _token(number) in str(memory["text"])
    )
    assert told == Counter(range(turns))
    for number in range(turns):
        found = client.tool("memory_search", {"query": f"Which crate holds {_token(number)}?", "topK": 1})
        assert _token(number) in json.dumps(found), number


def _say(client: Client, number: int) -> None:
    text = f"The crate numbered {number + 100} in the harbour shed holds the {_token(number)} lamp of my uncle."
    turn = {
        "session": SESSION,
        "turnKey": f"turn-{number}",
        "user": {"text": text},
        "assistant": {"text": "Thanks, noted."},
    }
    assert client.post("/v1/turns", turn)["status"] in {"accepted", "duplicate"}


def _token(number: int) -> str:
    return f"quelvar{number:03d}x"


def _kill(tree: UpProcess, chance: random.Random) -> None:
    """Kill parts in turn, and whatever runs a flow with them; a part that is still starting doesn't count as killed."""
    killed = 0
    deadline_s = time.monotonic() + _PATIENCE_S + 10 * KILLS
    while killed < KILLS and time.monotonic() < deadline_s:
        killed += _killed(tree, MODULES[sorted(MODULES)[killed % len(MODULES)]])
        time.sleep(chance.uniform(0.5, 4.0))


def _killed(tree: UpProcess, module: str) -> bool:
    """Kill what runs a module; tells whether anything did."""
    found = False
    for process in tree.processes():
        with suppress(psutil.Error):
            if module in process.cmdline():
                process.kill()
                found = True
    return found


def _consolidate(client: Client) -> None:
    def is_done() -> bool:
        return client.tool("memory_consolidate", {"wait": True})["jobId"] is None

    wait_until(is_done, what=lambda: "everything consolidated", within_s=_PATIENCE_S)
