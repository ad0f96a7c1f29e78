"""Who may come in, and what a body must be."""

import hmac
import json
import socket
from collections.abc import Iterator

import httpx
import pytest

from memory_core.models.memory import Memory
from tests.integration.service.server import ANA, SECRET_WORDS, TOKEN, Service

PROTECTED = [
    ("POST", "/v1/recall"),
    ("POST", "/v1/turns"),
    ("POST", "/v1/sessions/start"),
    ("POST", "/v1/tools/memory_search"),
    ("POST", "/v1/import"),
    ("GET", "/v1/export"),
    ("GET", "/v1/stats"),
    ("GET", "/v1/jobs/1"),
    ("GET", "/metrics"),
    ("GET", "/openapi.json"),
    ("GET", "/"),
    ("GET", "/nothing/here"),
    ("GET", "/healthz/"),
    ("GET", "/healthz/../v1/export"),
    ("GET", "//healthz"),
]
RECALL = {"session": ANA, "message": {"text": "where does my sister live?"}}


def raw(service: Service, request: str) -> str:
    """Send bytes as they are; returns the status line."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
        connection.sendall(request.replace("\n", "\r\n").encode())
        return connection.recv(4096).decode(errors="replace").split("\r\n", 1)[0]


@pytest.mark.parametrize(("method", "path"), PROTECTED)
def test_without_the_token_nothing_is_told(service: Service, *, method: str, path: str) -> None:
    for header in (None, "Bearer wrong", "Bearer", f"Basic {TOKEN}", f"Bearer {TOKEN}x"):
        headers = {"Authorization": header} if header else {}
        answer = httpx.request(method, f"http://127.0.0.1:{service.port}{path}", headers=headers)
        service.error(answer, status=401, code="unauthorized")


@pytest.mark.parametrize("header", [f"bearer {TOKEN}", f"Bearer  {TOKEN}", f"BEARER {TOKEN}"])
def test_the_scheme_is_read_whatever_its_case(service: Service, header: str) -> None:
    assert service.client.get("/v1/stats", headers={"Authorization": header}).status_code == 200


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_needs_no_token(service: Service, path: str) -> None:
    assert httpx.get(f"http://127.0.0.1:{service.port}{path}").status_code == 200


def test_the_service_proves_that_it_knows_the_token(service: Service) -> None:
    body = httpx.get(f"http://127.0.0.1:{service.port}/healthz", params={"nonce": "n-1"}).json()
    proof = hmac.new(TOKEN.encode(), b"n-1", "sha256").hexdigest()
    assert body["status"] == "ok"
    assert body["proof"] == proof
    assert TOKEN not in str(body)
    assert "proof" not in service.client.get("/healthz").json()


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:7461", "", "192.0.2.1"]
)
def test_another_host_is_refused(service: Service, host: str) -> None:
    answer = service.client.get("/v1/stats", headers={"Host": host})
    service.error(answer, status=403, code="forbidden")
    assert service.client.get("/healthz", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "localhost:1", "[::1]", "[::1]:7461"])
def test_our_own_names_are_answered(service: Service, host: str) -> None:
    assert service.client.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["127.0.0.1:1/healthz?", "127.0.0.1:1/healthz#", "localhost:/readyz?x=", "127.0.0.1:x@evil/healthz?"]
)
def test_a_host_that_pretends_another_path_opens_nothing(service: Service, host: str) -> None:
    service.remember(f"My sister {SECRET_WORDS} lives in Porto")
    for path in ("/v1/export", "/v1/stats"):
        status = raw(service, f"GET {path} HTTP/1.1\nHost: {host}\nConnection: close\n\n")
        assert status.split()[1] in {"400", "401", "403"}


def test_a_request_without_a_host_is_refused(service: Service) -> None:
    request = f"GET /v1/stats HTTP/1.0\nAuthorization: Bearer {TOKEN}\n\n"
    assert raw(service, request).split()[1] in {"400", "403"}


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1", "http://127.0.0.1"])
def test_other_pages_are_refused(service: Service, origin: str) -> None:
    answer = service.client.get("/v1/stats", headers={"Origin": origin})
    service.error(answer, status=403, code="forbidden")
    assert "access-control-allow-origin" not in answer.headers


def test_our_own_page_is_answered(service: Service) -> None:
    origin = f"http://127.0.0.1:{service.port}"
    answer = service.client.get("/v1/stats", headers={"Origin": origin})
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers


def test_a_preflight_is_not_answered(service: Service) -> None:
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    assert service.client.options("/v1/recall", headers=headers).status_code == 403


class TestBodies:
    def test_a_body_over_its_limit_is_refused(self, service: Service) -> None:
        answer = service.post("/v1/recall", **{**RECALL, "message": {"text": "x" * 1_000_001}})
        assert "1000000" in service.error(answer, status=413, code="too_large")

    def test_also_when_it_comes_in_pieces_without_a_length(self, service: Service) -> None:
        def pieces() -> Iterator[bytes]:
            for _ in range(40):
                yield b"x" * 50_000

        answer = service.client.post("/v1/turns", content=pieces())
        service.error(answer, status=413, code="too_large")

    def test_a_body_just_below_it_is_read(self, service: Service) -> None:
        answer = service.post("/v1/recall", **{**RECALL, "message": {"text": "tea " * 249_000}})
        assert answer.status_code == 200

    def test_an_artifact_may_be_larger(self, service: Service) -> None:
        answer = service.post("/v1/tools/creative_capture", session=ANA, arguments={"content": "x" * 2_000_000})
        assert (answer.status_code, answer.json()["isError"]) == (200, True), "read, and its missing arguments named"
        answer = service.post("/v1/tools/creative_capture", session=ANA, arguments={"content": "x" * 8_000_001})
        service.error(answer, status=413, code="too_large")

    @pytest.mark.parametrize(
        "content",
        [
            b"\xff\xfe\xfa",
            b'{"session": {"sessionKey": "\xff"}}',
            b"{",
            b"",
            b"not json " + SECRET_WORDS.encode(),
            b'{"session": ' + b"[" * 100_000,
            b"[" * 400_000 + b"]" * 400_000,
            b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
            b"null",
            b"[]",
            b'"text"',
            b"\x00",
            b'{"session": {"sessionKey": "' + b"9" * 5000 + b'"}, "topK": ' + b"9" * 5000 + b"}",
        ],
        ids=range(13),
    )
    def test_what_is_no_request_is_an_error_of_the_caller(self, service: Service, content: bytes) -> None:
        for path in ("/v1/recall", "/v1/turns", "/v1/sessions/end", "/v1/tools/memory_store"):
            answer = service.client.post(path, content=content, headers={"Content-Type": "application/json"})
            assert answer.status_code in {400, 422}
            service.error(answer, status=answer.status_code, code=answer.json()["error"]["code"])
            assert SECRET_WORDS not in answer.text

    def test_half_an_emoji_is_replaced_not_refused(self, service: Service) -> None:
        """JavaScript cuts texts between the two halves of a pair."""
        headers = {"Content-Type": "application/json"}
        body = json.dumps({"session": ANA, "arguments": {"text": "My cat is called \ud83d Rufus \0"}})
        answer = service.client.post("/v1/tools/memory_store", content=body, headers=headers)
        assert answer.json()["details"]["memory"]["text"] == "My cat is called \ufffd Rufus"

    @pytest.mark.parametrize(
        ("change", "field"),
        [
            ({"session": None}, "session"),
            ({"session": {}}, "session.sessionKey"),
            ({"session": {**ANA, "chatType": "crowd"}}, "session.chatType"),
            ({"session": {**ANA, "timezone": "Europe/Nowhere"}}, "session.timezone"),
            ({"session": {**ANA, "trigger": SECRET_WORDS}}, "session.trigger"),
            ({"session": {**ANA, "sessionKey": "x" * 513}}, "session.sessionKey"),
            ({"session": {**ANA, "senderId": 7}}, "session.senderId"),
            ({"message": None}, "message"),
            ({"message": {}}, "message.text"),
            ({"message": {"text": 5}}, "message.text"),
            ({"message": {"text": "hi", "at": "yesterday"}}, "message.at"),
            ({"message": {"text": "hi", "at": "2026-05-06T12:00:00"}}, "message.at"),
            ({"message": {"text": "hi", "at": 1_700_000_000}}, "message.at"),
            ({"message": {"text": "hi", "at": "1200-05-06T12:00:00Z"}}, "message.at"),
            ({"topK": "many"}, "topK"),
            ({"topK": []}, "topK"),
            ({"threshold": {}}, "threshold"),
            ({"explain": "perhaps"}, "explain"),
            ({"previousUser": ["a"]}, "previousUser"),
        ],
    )
    def test_a_wrong_field_is_named_with_its_rule(
        self, service: Service, *, change: dict[str, object], field: str
    ) -> None:
        answer = service.post("/v1/recall", **{**RECALL, **change})
        message = service.error(answer, status=422, code="invalid")
        assert f"{field}: " in message
        assert len(message) > len(field) + 10
        assert SECRET_WORDS not in message

    @pytest.mark.parametrize(
        "change",
        [
            {"topK": 0},
            {"topK": -5},
            {"topK": 10**30},
            {"topK": 1e300},
            {"threshold": -1},
            {"threshold": 7},
            {"budgetMs": 0},
            {"budgetMs": 10**12},
            {"budgetChars": -1},
            {"budgetChars": 10**9},
        ],
    )
    def test_numbers_out_of_range_are_clamped(self, service: Service, change: dict[str, object]) -> None:
        assert service.post("/v1/recall", **{**RECALL, **change}).status_code == 200

    @pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
    @pytest.mark.parametrize("field", ["topK", "threshold", "budgetMs", "budgetChars"])
    def test_so_are_numbers_that_are_none(self, service: Service, *, number: str, field: str) -> None:
        body = json.dumps(RECALL)[:-1] + f', "{field}": {number}}}'
        headers = {"Content-Type": "application/json"}
        assert service.client.post("/v1/recall", content=body, headers=headers).status_code == 200

    def test_unknown_fields_are_ignored(self, service: Service) -> None:
        body = {**RECALL, "session": {**ANA, "shoeSize": 44}, "surprise": {"a": [1]}}
        assert service.post("/v1/recall", **body).status_code == 200


class TestUnknown:
    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("POST", "/v1/tools/memory_explode"),
            ("GET", "/v1/jobs/nothing"),
            ("GET", "/v1/jobs/%00"),
            ("GET", "/v1/nothing"),
            ("GET", "/docs"),
        ],
    )
    def test_what_is_not_there_is_not_found(self, service: Service, *, method: str, path: str) -> None:
        body = {"session": dict(ANA), "arguments": {}} if method == "POST" else None
        service.error(service.client.request(method, path, json=body), status=404, code="not_found")

    def test_another_method_is_not_allowed(self, service: Service) -> None:
        service.error(service.client.get("/v1/recall"), status=405, code="method_not_allowed")

    def test_an_unknown_event_of_a_session_is_named(self, service: Service) -> None:
        answer = service.post("/v1/sessions/explode", session=ANA)
        assert "event" in service.error(answer, status=422, code="invalid")


def test_an_internal_error_says_so_and_shows_no_words(service: Service) -> None:
    memory = service.remember(f"My sister {SECRET_WORDS} lives in Porto")
    with service.world.core.database.transaction() as db:
        db.get_one(Memory, memory["id"]).kind = SECRET_WORDS
    with pytest.raises(httpx.RemoteProtocolError):
        service.client.get("/v1/export")
    reply = service.tool("memory_list")
    assert reply["isError"]
    assert SECRET_WORDS not in str(reply)
    answer = service.post("/v1/recall", **RECALL)
    assert SECRET_WORDS not in answer.text
