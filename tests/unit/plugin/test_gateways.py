from datetime import UTC, datetime, timedelta
from typing import Any

from plugin.service.gateways import PRESENT_FOR, GatewayIn, Gateways

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


def said(name: str, **more: Any) -> GatewayIn:
    return GatewayIn.model_validate({"gatewayId": name, **more})


def test_a_gateway_is_told_how_many_others_are_present() -> None:
    gateways = Gateways()
    assert gateways.note(said("a"), at=NOW) == 0
    assert gateways.note(said("b"), at=NOW) == 1
    assert gateways.note(said("a"), at=NOW) == 1
    assert gateways.note(said("a", leaving=True), at=NOW) == 1
    assert gateways.note(said("b"), at=NOW) == 0


def test_a_gateway_that_was_not_heard_of_for_a_minute_is_gone() -> None:
    gateways = Gateways()
    gateways.note(said("a"), at=NOW)
    gateways.note(said("b"), at=NOW + timedelta(seconds=30))
    late = NOW + PRESENT_FOR + timedelta(seconds=1)
    assert [gateway["gatewayId"] for gateway in gateways.present(late)] == ["b"]
    assert gateways.note(said("c"), at=late) == 1


def test_what_waits_in_a_gateway_is_shown_as_it_said_last() -> None:
    gateways = Gateways()
    gateways.note(said("a", waitingTurns=7, mostTurns=200), at=NOW)
    gateways.note(said("a", waitingTurns=3, lostTurns=1, mostTurns=200), at=NOW)
    assert gateways.present(NOW) == [
        {
            "gatewayId": "a",
            "waitingTurns": 3,
            "waitingBytes": 0,
            "lostTurns": 1,
            "mostTurns": 200,
            "seenAt": NOW.isoformat(),
        }
    ]


def test_no_more_than_a_hundred_gateways_are_remembered_the_latest_ones() -> None:
    gateways = Gateways()
    for number in range(1000):
        gateways.note(said(f"g{number}"), at=NOW)
    present = [gateway["gatewayId"] for gateway in gateways.present(NOW)]
    assert present == [f"g{number}" for number in range(900, 1000)]
