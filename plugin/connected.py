"""For people: the gateways that use the service, and what waits in them."""

from collections.abc import Iterator

from plugin.client import Json, as_count, as_objects

_MB = 1024 * 1024


def gateway_lines(stats: Json) -> Iterator[str]:
    """One line for each gateway heard of within the last minute."""
    for gateway in as_objects(stats.get("gateways")):
        waiting, lost = as_count(gateway.get("waitingTurns")), lost_turns(gateway)
        yield f"connected, {waiting} turns wait in its memory{_bound(gateway)}" + (
            f", {lost} were lost" if lost else ""
        )


def lost_turns(gateway: Json) -> int:
    """How many turns a gateway couldn't deliver and had no more room for, since it started."""
    return as_count(gateway.get("lostTurns"))


def _bound(gateway: Json) -> str:
    turns, size = as_count(gateway.get("mostTurns")), as_count(gateway.get("mostBytes"))
    return f" (room for {turns} or {size / _MB:.0f} MiB; lost when it ends)" if turns and size else ""
