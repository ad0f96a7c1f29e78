"""Whether recall keeps still when nothing fits, and speaks up when something does, through a running service.

Single facts of a few invented people are imported; then they ask for them, ask for what they never told, and send
everyday messages. The default threshold decides.
"""

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from tests.quality.everyday_questions import EVERYDAY
from tests.quality.single_facts import STORES, FactStore

TOLD_AT, ASKED_AT = "2026-03-03T09:{minute:02d}:00Z", "2026-03-05T18:00:00Z"
_IMPORTED_WITHIN_S = 300.0
_POLL_S = 0.5


def measure(*, url: str, token: str) -> dict[str, dict[str, float]]:
    """Import the facts into a service, ask, and count.

    Args:
        url: Of a running service whose memory may be filled.
        token: Its token.

    Returns:
        For each person and for all: shares of questions whose fact is injected, first, and of those without an answer
        and everyday messages for which nothing is injected.

    Raises:
        TimeoutError: the import did not end.
        httpx.HTTPError: the service is away or refuses.
    """
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
        for store in STORES:
            _import(client, store)
        tables = {store.name: _count(client, store) for store in STORES}
    names = next(iter(tables.values()))
    everyone = {name: round(sum(table[name] for table in tables.values()) / len(tables), 3) for name in names}
    return {"all": everyone, **tables}


def _import(client: httpx.Client, store: FactStore) -> None:
    lines = [
        {
            **_sender(store),
            "messageKey": f"{store.name}-{number}",
            "at": TOLD_AT.format(minute=number),
            "role": "user",
            "speaker": store.name,
            "text": fact,
        }
        for number, fact in enumerate(store.facts)
    ]
    body = "\n".join(map(json.dumps, lines))
    headers = {"Content-Type": "application/x-ndjson"}
    job = client.post("/v1/import", content=body, headers=headers).raise_for_status().json()["jobId"]
    deadline_s = time.monotonic() + _IMPORTED_WITHIN_S
    while (state := client.get(f"/v1/jobs/{job}").raise_for_status().json()["state"]) != "done":
        if state in {"failed", "cancelled"} or time.monotonic() > deadline_s:
            raise TimeoutError(f"the import of {store.name} is {state}")
        time.sleep(_POLL_S)


def _count(client: httpx.Client, store: FactStore) -> dict[str, float]:
    asked = [_recalled(client, store, text=text) for text in store.asked]
    keys = [f"{store.name}-{number}" for number in range(len(store.facts))]
    sources = [[key for memory in memories for key in memory["sources"]] for memories in asked]
    return {
        "answered: the fact is injected": _share([key in found for key, found in zip(keys, sources, strict=True)]),
        "answered: it is the first": _share([found[:1] == [key] for key, found in zip(keys, sources, strict=True)]),
        "never told: nothing is injected": _share([not _recalled(client, store, text=text) for text in store.absent]),
        "everyday: nothing is injected": _share([not _recalled(client, store, text=text) for text in EVERYDAY]),
    }


def _recalled(client: httpx.Client, store: FactStore, *, text: str) -> Sequence[Mapping[str, Any]]:
    body = {"session": _sender(store), "message": {"text": text, "at": ASKED_AT}, "dedupe": False, "budgetMs": 15_000}
    return client.post("/v1/recall", json=body).raise_for_status().json()["memories"]


def _sender(store: FactStore) -> dict[str, str]:
    return {"sessionKey": f"agent:main:{store.name}", "channel": "signal", "senderId": store.name.lower()}


def _share(outcomes: Sequence[bool]) -> float:
    return round(sum(outcomes) / len(outcomes), 3)
