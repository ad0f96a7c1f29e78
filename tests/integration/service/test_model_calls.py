"""Model calls over HTTP: claimed by a gateway, answered once, and nobody's words in a log."""

import threading
import time
from datetime import datetime, timedelta

import httpx
import pytest

from memory_core.errors import Unavailable
from memory_core.values import ChatReply, ChatRequest, ScopeKey
from plugin.service import model_calls
from tests.integration.cores import ANAS, BOS
from tests.integration.service.server import ANA, BO, SECRET_WORDS, Service

HOME = "gateway-home"
SCHEMA_FORM = {"type": "json_schema", "json_schema": {"name": "extract_1", "schema": {"type": "object"}}}


def post(service: Service, *scopes: ScopeKey, model: str | None = None, prompt: str = f"I love {SECRET_WORDS}") -> str:
    request = ChatRequest(
        system="Take notes.", prompt=prompt, max_tokens=99, purpose="extract@1", scopes=scopes, model=model
    )
    return service.world.core.model_calls.post(request, response_format=SCHEMA_FORM, wait=timedelta(seconds=120))


def claim(service: Service, gateway: str = HOME) -> dict[str, object]:
    answer = service.post("/v1/model-calls/claim", gatewayId=gateway)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_call_is_claimed_in_the_shape_of_the_api_and_answered(service: Service) -> None:
    service.world.core.model_calls.see(HOME)
    call_id = post(service, ANAS, model="acme/large/v2")
    call = claim(service)
    assert datetime.fromisoformat(str(call.pop("leaseUntil"))) > service.world.clock.now()
    assert call == {
        "id": call_id,
        "provider": "acme",
        "model": "large/v2",
        "messages": [{"role": "user", "content": f"I love {SECRET_WORDS}"}],
        "systemPrompt": "Take notes.",
        "maxTokens": 99,
        "responseFormat": SCHEMA_FORM,
        "purpose": "extract@1",
    }
    usage = {"inputTokens": 7, "cacheReadTokens": 3, "outputTokens": 2, "costUsd": 0.01, "cacheWriteTokens": None}
    done = service.post(f"/v1/model-calls/{call_id}", text=f"noted {SECRET_WORDS}", usage=usage, model="acme/large")
    assert done.status_code == 200
    assert service.world.core.model_calls.reply(call_id) == ChatReply(
        text=f"noted {SECRET_WORDS}", model="acme/large", input_tokens=10, output_tokens=2
    )


def test_second_answer_is_refused_with_409(service: Service) -> None:
    service.world.core.model_calls.see(HOME)
    call_id = post(service, ANAS)
    assert service.post(f"/v1/model-calls/{call_id}", text="one").status_code == 200
    service.error(service.post(f"/v1/model-calls/{call_id}", text="two"), status=409, code="conflict")
    service.error(service.post(f"/v1/model-calls/{call_id}", error="late"), status=409, code="conflict")


def test_unknown_call_is_not_found(service: Service) -> None:
    service.error(service.post("/v1/model-calls/nobody", text="x"), status=404, code="not_found")


@pytest.mark.parametrize("body", [{}, {"text": "a", "error": "b"}, {"text": 5}, {"text": "a", "usage": 3}])
def test_answer_must_be_text_or_error(service: Service, body: dict[str, object]) -> None:
    service.error(service.post("/v1/model-calls/some", **body), status=422, code="invalid")


def test_error_of_the_gateway_reaches_who_asked(service: Service) -> None:
    service.world.core.model_calls.see(HOME)
    call_id = post(service, ANAS)
    assert service.post(f"/v1/model-calls/{call_id}", error="LlmCompleteError").status_code == 200
    with pytest.raises(Unavailable, match="LlmCompleteError"):
        service.world.core.model_calls.reply(call_id)


def test_claim_waits_until_somebody_asks(service: Service) -> None:
    calls: list[dict[str, object]] = []
    claiming = threading.Thread(target=lambda: calls.append(claim(service)))
    claiming.start()
    until = time.monotonic() + 10
    while not _connected(service) and time.monotonic() < until:
        time.sleep(0.05)
    call_id = post(service, ANAS)
    claiming.join(10)
    assert [call["id"] for call in calls] == [call_id]


def _connected(service: Service) -> bool:
    with service.world.core.database.reading() as db:
        return bool(db.connection().exec_driver_sql("SELECT count(*) FROM gateway").scalar())


def test_claim_without_work_ends_with_nothing_when_the_service_ends(service: Service) -> None:
    began_s = time.monotonic()
    service.ending.set()
    assert claim(service) == {}
    assert time.monotonic() - began_s < model_calls.LONG_POLL_S / 5


def test_gateway_must_name_itself(service: Service) -> None:
    service.error(service.post("/v1/model-calls/claim"), status=422, code="invalid")


def test_only_the_gateway_that_a_turn_came_through_is_asked(service: Service) -> None:
    for gateway, session, key in ((HOME, ANA, "t1"), ("gateway-club", BO, "t2")):
        service.world.core.model_calls.see(gateway)
        service.client.headers[model_calls.GATEWAY_HEADER] = gateway
        service.turn("My boat is red.", key=key, session=session)
    del service.client.headers[model_calls.GATEWAY_HEADER]
    mine, bos = post(service, ANAS), post(service, BOS)
    assert [claim(service)["id"], claim(service, "gateway-club")["id"]] == [mine, bos]
    with pytest.raises(Unavailable, match="several"):
        post(service, ANAS, BOS)


def test_strangers_claim_nothing(service: Service) -> None:
    service.world.core.model_calls.see(HOME)
    post(service, ANAS)
    answer = httpx.post(f"http://127.0.0.1:{service.port}/v1/model-calls/claim", json={"gatewayId": HOME})
    service.error(answer, status=401, code="unauthorized")


def test_turn_that_the_context_engine_commits_tells_its_gateway_too(service: Service) -> None:
    service.world.core.model_calls.see(HOME)
    service.world.core.model_calls.see("gateway-club")
    messages = [{"role": "user", "content": "My boat is red."}, {"role": "assistant", "content": "I see."}]
    headers = {model_calls.GATEWAY_HEADER: HOME}
    body = {"session": dict(ANA), "advancementKey": "k1", "messages": messages}
    assert service.client.post("/v1/context/commit-turn", json=body, headers=headers).status_code == 200
    call_id = post(service, ANAS)
    assert claim(service)["id"] == call_id
