"""The service is killed while turns are committed and a window moves: every turn once, the window where it was said."""

import os
import random
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from memory_core.store.database import Database
from memory_core.store.turns import TurnRepository
from memory_core.values import ScopeKey
from tests.quality.measured_processes import service_process

SESSION = {"sessionKey": "agent:main:main", "channel": "signal", "senderId": "ana", "timezone": "UTC"}
ROUNDS = int(os.environ.get("NIGHTSHIFT_CONTEXT_KILLS", "6"))
_TURNS = 6


def exchange(number: int) -> list[dict[str, Any]]:
    return [
        {
            "role": "user",
            "content": f"Note number {number}: shelf {number} holds jar {number}.",
            "turnKey": f"k{number}",
        },
        {"role": "assistant", "content": f"Noted, jar {number}."},
    ]


def commit(client: httpx.Client, number: int) -> bool:
    body = {"session": SESSION, "advancementKey": f"k{number}", "messages": exchange(number)}
    try:
        return client.post("/v1/context/commit-turn", json=body).is_success
    except httpx.TransportError:
        return False


def commit_all(client: httpx.Client, numbers: Iterable[int]) -> list[tuple[int, bool]]:
    return [(number, commit(client, number)) for number in numbers]


def compact(client: httpx.Client, messages: list[dict[str, Any]]) -> bool:
    body = {"session": SESSION, "messages": messages, "force": True, "tokenBudget": 4000}
    try:
        return client.post("/v1/context/compact", json=body).json().get("compacted") is True
    except httpx.TransportError:
        return False


@pytest.mark.timeout(60 + 30 * ROUNDS)
def test_every_turn_is_kept_once_and_the_window_holds(tmp_path: Path) -> None:
    acknowledged: set[int] = set()
    compacted_at = 0
    chance = random.Random(7)
    for round_ in range(ROUNDS):
        numbers = range(round_ * _TURNS, (round_ + 1) * _TURNS)
        transcript = [message for number in range((round_ + 1) * _TURNS) for message in exchange(number)]
        with service_process(tmp_path) as (service, client), ThreadPoolExecutor(max_workers=2) as pool:
            pending = [number for number in range(numbers.stop) if number not in acknowledged]
            working = pool.submit(commit_all, client, pending)
            moving = pool.submit(compact, client, transcript)
            time.sleep(chance.uniform(0.0, 0.25))
            service.process.kill()
            acknowledged |= {number for number, is_done in working.result() if is_done}
            if moving.result():
                compacted_at = len(transcript) - 6
    last = [message for number in range(ROUNDS * _TURNS) for message in exchange(number)]
    with service_process(tmp_path) as (_, client):
        assert all(is_done for _, is_done in commit_all(client, range(ROUNDS * _TURNS)))
        answer = client.post("/v1/context/assemble", json={"session": SESSION, "messages": last, "tokenBudget": 90_000})
        kept_from = answer.json()["keepFrom"]
    database = Database(f"sqlite:///{tmp_path / 'nightshift.sqlite3'}")
    with database.reading() as db:
        turns = TurnRepository(db).with_text([ScopeKey("user.signal.ana")])
    database.close()
    said = [turn.turn_key for turn in turns if turn.role == "user"]
    assert sorted(said) == sorted(f"k{number}" for number in range(ROUNDS * _TURNS))
    # An acknowledged window holds; one whose answer was lost on the way may hold as well.
    assert kept_from >= compacted_at
    assert kept_from % 2 == 0
