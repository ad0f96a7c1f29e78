"""Single memories: the agent sees versions and edges of its own scope, the operator corrects by hand."""

from typing import Any

import pytest

from tests.integration.service.server import ANA, BO, SECRET_WORDS, Service

PORTO, LISBON = "I live in Porto", "I moved to Lisbon"


def get(service: Service, ref: str, **session: Any) -> dict[str, Any]:
    reply = service.tool("memory_get", {**ANA, **session}, ref=ref)
    assert not reply["isError"], reply
    return reply["details"]


def moved(service: Service) -> tuple[dict[str, Any], dict[str, Any]]:
    old = service.remember(PORTO)
    service.world.clock.advance(seconds=3600)
    reply = service.tool("memory_store", text=LISBON)
    assert reply["details"]["decision"] == "SUPERSEDE"
    return old, reply["details"]["memory"]


class TestGet:
    def test_both_sides_show_what_replaced_what(self, service: Service) -> None:
        old, new = moved(service)
        edge = {"kind": "SUPERSEDES", "from": new["kref"], "to": old["kref"]}
        for ref in (old["kref"], new["id"]):
            (shown,) = get(service, ref)["edges"]
            assert {name: shown[name] for name in edge} == edge
            assert shown["reason"]
        assert get(service, old["kref"])["memory"]["supersededBy"] == new["kref"]

    def test_each_revision_can_be_read(self, service: Service) -> None:
        memory = service.remember("I work at Acme")
        service.tool("memory_store", text="I work at Acme in Lisbon as a designer")
        details = get(service, memory["kref"])
        assert [(one["revision"], one["text"]) for one in details["revisions"]] == [
            (1, "I work at Acme"),
            (2, "I work at Acme in Lisbon as a designer"),
        ]
        assert details["revisions"][1]["reason"] == "said again with more detail"
        assert get(service, f"{memory['kref']}?r=1")["memory"]["text"] == "I work at Acme"
        assert get(service, f"{memory['kref']}?r=2")["memory"]["revision"] == 2
        assert service.tool("memory_get", ref=f"{memory['kref']}?r=3")["isError"]

    def test_lines_are_those_of_the_revision_asked_for(self, service: Service) -> None:
        memory = service.remember("one\ntwo\nthree")
        service.client.patch(f"/v1/memories/{memory['id']}", json={"text": "four\nfive"})
        text = service.tool("memory_get", ref=f"{memory['kref']}?r=1", fromLine=2, lineCount=1)["text"]
        assert "two" in text
        assert "three" not in text

    def test_it_says_who_made_the_memory(self, service: Service) -> None:
        assert get(service, service.remember(PORTO)["kref"])["memory"]["madeBy"] == "tool"

    def test_nothing_of_another_scope_is_shown(self, service: Service) -> None:
        old, _ = moved(service)
        assert service.tool("memory_get", BO, ref=old["kref"])["isError"]


class TestCorrectingByHand:
    def test_a_new_text_is_a_revision_and_is_found(self, service: Service) -> None:
        memory = service.remember("My sister Marta lives in Porto")
        answer = service.client.patch(
            f"/v1/memories/{memory['id']}", json={"text": "My sister Marta lives in Aveiro", "tags": ["family"]}
        )
        assert answer.status_code == 200
        body = answer.json()
        assert (body["text"], body["tags"], body["revision"]) == ("My sister Marta lives in Aveiro", ["family"], 2)
        assert body["revisions"][0]["text"] == "My sister Marta lives in Porto"
        found = service.tool("memory_search", query="Aveiro")["details"]["memories"]
        assert [one["id"] for one in found] == [memory["id"]]

    def test_it_can_be_pinned_and_its_status_set(self, service: Service) -> None:
        memory = service.remember(PORTO)
        body = service.client.patch(
            f"/v1/memories/{memory['id']}", json={"pinned": True, "status": "deprecated"}
        ).json()
        assert (body["pinned"], body["status"], body["revision"]) == (True, "deprecated", 2)
        assert service.tool("memory_search", query="Porto")["details"]["memories"] == []

    def test_what_was_superseded_can_be_put_in_force_again(self, service: Service) -> None:
        old, _ = moved(service)
        body = service.client.patch(f"/v1/memories/{old['id']}", json={"status": "active"}).json()
        assert body["status"] == "active"
        assert not {"supersededBy", "validUntil"} & set(body)

    def test_an_edit_that_changes_nothing_makes_no_revision(self, service: Service) -> None:
        memory = service.remember(PORTO)
        body = service.client.patch(f"/v1/memories/{memory['id']}", json={"text": PORTO, "pinned": False}).json()
        assert body["revision"] == 1

    def test_secrets_are_masked(self, service: Service) -> None:
        memory = service.remember(PORTO)
        text = f"The key is sk-proj-{'a1B2' * 12}, the mail is {SECRET_WORDS}@example.com"
        body = service.client.patch(f"/v1/memories/{memory['id']}", json={"text": text}).json()
        assert "a1B2a1B2" not in body["text"]
        assert SECRET_WORDS not in body["text"]

    @pytest.mark.parametrize(
        ("body", "field"),
        [({"text": " "}, "text"), ({"status": "gone"}, "status"), ({"tags": "red"}, "tags"), ({"pinned": 7}, "pinned")],
    )
    def test_a_wrong_field_is_named(self, service: Service, *, body: dict[str, Any], field: str) -> None:
        memory = service.remember(PORTO)
        answer = service.client.patch(f"/v1/memories/{memory['id']}", json=body)
        assert field in service.error(answer, status=422, code="invalid")

    def test_an_unknown_memory_is_not_found(self, service: Service) -> None:
        for answer in (service.client.patch("/v1/memories/none", json={}), service.client.get("/v1/memories/none")):
            service.error(answer, status=404, code="not_found")

    def test_the_operator_reads_any_scope(self, service: Service) -> None:
        memory = service.remember(PORTO, session=BO)
        assert service.client.get(f"/v1/memories/{memory['id']}").json()["text"] == PORTO

    def test_without_the_token_nothing_is_read(self, service: Service) -> None:
        memory = service.remember(PORTO)
        answer = service.client.get(f"/v1/memories/{memory['id']}", headers={"Authorization": "Bearer wrong"})
        assert answer.status_code == 401
