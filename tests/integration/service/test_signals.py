"""Before a flush the plugin is told, so that the agent can save what it made; nobody waits longer than asked for."""

import threading
import time
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.integration.service.server import ANA, BO, Service

OTHER = {**ANA, "sessionKey": "agent:main:other"}


def poll(service: Service, **body: Any) -> list[dict[str, Any]]:
    answer = service.post("/v1/signals", **{"waitMs": 0, **body})
    assert answer.status_code == 200, answer.text
    return answer.json()["signals"]


def fill(service: Service, *, turns: int = 2, first: int = 0, session: Any = ANA) -> None:
    for number in range(first, first + turns):
        service.turn(f"Box {number} in the attic holds {number + 3} lamps", key=f"t{number}", session=session)


def test_a_flush_by_count_is_signalled_with_a_deadline(small_service: Service) -> None:
    assert poll(small_service) == []
    fill(small_service)
    (signal,) = poll(small_service)
    assert (signal["type"], signal["reason"]) == ("before_compaction", "threshold")
    assert signal["session"]["sessionKey"] == ANA["sessionKey"]
    grace = small_service.world.core.settings.capture.compaction_grace_s
    assert datetime.fromisoformat(signal["deadline"]) == small_service.world.clock.now() + timedelta(seconds=grace)
    small_service.world.clock.advance(seconds=grace + 1)
    assert poll(small_service) == []


def test_what_is_known_is_not_told_again(small_service: Service) -> None:
    fill(small_service)
    (signal,) = poll(small_service)
    assert poll(small_service, since=signal["id"]) == []


def test_nobody_is_asked_twice_within_the_grace(small_service: Service) -> None:
    fill(small_service)
    fill(small_service, first=10, turns=4)
    assert len(poll(small_service)) == 1


def test_a_session_hears_its_own_signals_only(small_service: Service) -> None:
    fill(small_service)
    assert poll(small_service, session=dict(OTHER)) == []
    assert len(poll(small_service, session=dict(ANA))) == 1


def test_a_waiting_poll_is_answered_when_something_happens(small_service: Service) -> None:
    answers: list[list[dict[str, Any]]] = []
    waiting = threading.Thread(target=lambda: answers.append(poll(small_service, waitMs=15_000)))
    waiting.start()
    fill(small_service, session=BO)
    began = time.monotonic()
    waiting.join(15)
    assert [len(found) for found in answers] == [1]
    assert time.monotonic() - began < 10


def test_a_service_that_ends_answers_its_polls(small_service: Service) -> None:
    small_service.ending.set()
    began = time.monotonic()
    assert poll(small_service, waitMs=15_000) == []
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("body", [{"since": "soon"}, {"waitMs": "long"}, {"session": {}}])
def test_a_wrong_field_is_named(service: Service, body: dict[str, Any]) -> None:
    message = service.error(service.post("/v1/signals", **body), status=422, code="invalid")
    assert next(iter(body)) in message
