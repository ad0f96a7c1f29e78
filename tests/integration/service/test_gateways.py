"""Gateways that use one service: each says so, and what waits in it."""

from tests.integration.service.server import ANA, Service


def test_each_gateway_learns_how_many_others_there_are(service: Service) -> None:
    def say(name: str, **more: object) -> int:
        answer = service.client.post("/v1/gateways", json={"gatewayId": name, **more})
        assert answer.status_code == 200
        return answer.json()["others"]

    assert [say("a"), say("b"), say("a"), say("b", leaving=True), say("a")] == [0, 1, 1, 1, 0]


def test_statistics_show_what_waits_in_a_gateway_and_how_much_may(service: Service) -> None:
    said = {"gatewayId": "a", "waitingTurns": 3, "waitingBytes": 900, "lostTurns": 1, "mostTurns": 200, "mostBytes": 8}
    service.client.post("/v1/gateways", json=said)
    (gateway,) = service.client.get("/v1/stats").json()["gateways"]
    assert gateway.pop("seenAt")
    assert gateway == said
    assert service.client.get("/v1/gateways").json()["gateways"][0]["gatewayId"] == "a"


def test_a_gateway_without_a_name_or_with_a_wrong_count_is_refused_by_field(service: Service) -> None:
    for body, field in (({}, "gatewayId"), ({"gatewayId": "a", "waitingTurns": -1}, "waitingTurns")):
        answer = service.client.post("/v1/gateways", json=body)
        assert answer.status_code == 422
        assert field in answer.json()["error"]["message"]


def test_search_and_get_say_where_more_than_one_person_reads(service: Service) -> None:
    room = {**ANA, "sessionKey": "agent:main:telegram:group:7", "chatType": "group", "chatId": "7"}
    for session, shared in ((ANA, None), (room, True)):
        stored = service.tool("memory_store", session, text="The choir meets in the old mill.")
        found = service.tool("memory_search", session, query="choir")
        read = service.tool("memory_get", session, ref=stored["details"]["memory"]["kref"])
        assert found["details"]["memories"]
        assert found["details"].get("shared") is shared
        assert read["details"].get("shared") is shared
