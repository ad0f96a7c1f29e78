"""The streaming gate on the wire: memory listens, stages, and asks for one revision where that was chosen."""

from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.integration.cores import opened
from tests.integration.service.server import ANA, BO, NOBODY, Service, served

FACT = "My dentist appointment is on Thursday at noon."
STALE = "Your dentist appointment is on Tuesday at noon. "
NEAR: Mapping[str, Any] = {"gate.focus": 0.0, "gate.sensitivity": 1.0}
HARMLESS = "Oranges keep for two weeks in a cool place. "


def observe(
    service: Service, delta: str, *, session: Mapping[str, Any] = ANA, run: str = "r1", stream: str = "assistant"
) -> dict[str, Any]:
    answer = service.post("/v1/gate/observe", session=dict(session), runId=run, stream=stream, delta=delta)
    assert answer.status_code == 200, answer.text
    return answer.json()


def finalize(
    service: Service, text: str, *, session: Mapping[str, Any] = ANA, run: str = "r1", **fields: Any
) -> dict[str, Any]:
    answer = service.post("/v1/gate/finalize", session=dict(session), runId=run, answer=text, **fields)
    assert answer.status_code == 200, answer.text
    return answer.json()


def addition(service: Service, session: Mapping[str, Any] = ANA) -> str:
    body: dict[str, Any] = {
        "session": dict(session),
        "messages": [],
        "prompt": "Tell me something about oranges",
        "tokenBudget": 9000,
    }
    answer = service.client.post("/v1/context/assemble", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json().get("contextAddition", "")


@pytest.fixture
def service(tmp_path: Path) -> Generator[Service]:
    """The fake embedder's scores are lower than a model's."""
    with opened(tmp_path, overrides=NEAR) as world, served(world) as found:
        yield found


@pytest.fixture
def forced(tmp_path: Path) -> Generator[Service]:
    with opened(tmp_path, overrides={**NEAR, "gate.forceRepass": True}) as world, served(world) as found:
        yield found


def test_a_piece_inside_a_sentence_is_only_noted(service: Service) -> None:
    service.remember(FACT)
    before = list(service.world.embedder.embedded)
    assert observe(service, "Your dentist appoint") == {"shouldInterrupt": False, "atBoundary": False, "staged": 0}
    assert service.world.embedder.embedded == before


def test_what_bears_on_a_sentence_waits_for_the_next_context_once(service: Service) -> None:
    service.remember(FACT)
    seen = observe(service, STALE)
    assert (seen["atBoundary"], seen["staged"]) == (True, 1)
    assert observe(service, STALE)["staged"] == 1
    assert "Thursday" in addition(service)
    assert "Thursday" not in addition(service)


def test_a_contradiction_is_worth_an_interruption_and_the_next_one_is_not(service: Service) -> None:
    service.remember(FACT)
    service.remember("My barber appointment is on Friday at noon.")
    assert observe(service, STALE)["shouldInterrupt"] is True
    assert observe(service, "Your barber appointment is on Monday at noon. ")["shouldInterrupt"] is False


def test_a_harmless_sentence_stages_nothing(service: Service) -> None:
    service.remember(FACT)
    assert observe(service, HARMLESS) == {"shouldInterrupt": False, "atBoundary": True, "staged": 0}


@pytest.mark.parametrize("other", [BO, NOBODY, {**ANA, "sessionKey": "agent:main:other"}])
def test_what_is_staged_stays_with_its_person_and_session(service: Service, other: Mapping[str, Any]) -> None:
    service.remember(FACT)
    observe(service, STALE)
    assert "Thursday" not in addition(service, other)
    assert observe(service, STALE, session=BO)["staged"] == 0


def test_reasoning_counts_as_what_is_said(service: Service) -> None:
    service.remember(FACT)
    assert observe(service, STALE, stream="thinking")["staged"] == 1


def test_switched_off_it_stages_nothing(tmp_path: Path) -> None:
    with opened(tmp_path, overrides={**NEAR, "gate.interruptGate": False}) as world, served(world) as service:
        service.remember(FACT)
        assert observe(service, STALE) == {"shouldInterrupt": False, "atBoundary": False, "staged": 0}


class TestFinalize:
    def test_a_stale_answer_is_revised_once(self, forced: Service) -> None:
        forced.remember(FACT)
        verdict = finalize(forced, STALE)
        assert verdict["action"] == "revise"
        assert "Thursday" in verdict["instruction"]
        assert finalize(forced, STALE) == {"action": "finalize"}

    def test_an_answer_that_does_not_know_is_completed(self, forced: Service) -> None:
        forced.remember(FACT)
        verdict = finalize(forced, "I don't know your dentist appointment at noon.")
        assert (verdict["action"], "Thursday" in verdict["instruction"]) == ("revise", True)

    def test_a_harmless_answer_is_not_touched(self, forced: Service) -> None:
        forced.remember(FACT)
        assert finalize(forced, HARMLESS + "Your dentist appointment is on Thursday at noon.") == {"action": "finalize"}

    def test_after_a_tool_call_memory_is_staged_instead(self, forced: Service) -> None:
        forced.remember(FACT)
        assert finalize(forced, STALE, toolsUsed=True) == {"action": "finalize"}
        assert "Thursday" in addition(forced)

    def test_without_force_memory_is_staged_instead(self, service: Service) -> None:
        service.remember(FACT)
        assert finalize(service, STALE) == {"action": "finalize"}
        assert "Thursday" in addition(service)

    def test_another_person_s_memory_revises_nothing(self, forced: Service) -> None:
        forced.remember(FACT)
        assert finalize(forced, STALE, session=BO) == {"action": "finalize"}

    def test_memory_that_is_away_lets_the_answer_pass(self, forced: Service) -> None:
        forced.remember(FACT)
        forced.world.embedder.away = "the embedder is away"
        assert finalize(forced, STALE) == {"action": "finalize"}


@pytest.mark.parametrize(("field", "value"), [("stream", "tool"), ("delta", None), ("runId", "")])
def test_a_wrong_field_is_named(service: Service, *, field: str, value: object) -> None:
    body: dict[str, Any] = {"session": ANA, "runId": "r", "stream": "assistant", "delta": "x", field: value}
    assert field in service.error(service.client.post("/v1/gate/observe", json=body), status=422, code="invalid")
