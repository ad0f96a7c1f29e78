import pytest

from plugin.client import Json
from plugin.connected import chat_model_line, gateway_lines


def test_each_gateway_is_a_line_with_what_waits_and_how_much_may() -> None:
    one = {"gatewayId": "a", "waitingTurns": 3, "lostTurns": 0, "mostTurns": 200, "mostBytes": 8 * 1024 * 1024}
    two = {"gatewayId": "b", "waitingTurns": 200, "lostTurns": 7}
    assert list(gateway_lines({"gateways": [one, two, "nonsense"]})) == [
        "connected, 3 turns wait in its memory (room for 200 or 8 MiB; lost when it ends)",
        "connected, 200 turns wait in its memory, 7 were lost",
    ]
    assert list(gateway_lines({})) == []


@pytest.mark.parametrize(
    ("stats", "line"),
    [
        ({"chatModel": {"provider": "none"}}, "none: statements are found by rules"),
        (
            {"chatModel": {"provider": "gateway"}, "gateways": []},
            "the gateway's own; none is connected now, so rules find the statements",
        ),
        ({"chatModel": {"provider": "gateway"}, "gateways": [{"waitingTurns": 0}]}, "the gateway's own"),
        (
            {"chatModel": {"provider": "openai", "model": "small-7b"}},
            "small-7b of a server that speaks the protocol of openai",
        ),
    ],
)
def test_the_chat_model_is_told(stats: Json, line: str) -> None:
    assert chat_model_line(stats) == line
