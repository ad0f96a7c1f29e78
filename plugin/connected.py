"""For people: the gateways that use the service, what waits in them, and which chat model flows may ask."""

from collections.abc import Iterator

from memory_core.settings import ChatProvider
from plugin.client import Json, as_count, as_object, as_objects

_MB = 1024 * 1024


def gateway_lines(stats: Json) -> Iterator[str]:
    """One line for each gateway heard of within the last minute."""
    for gateway in as_objects(stats.get("gateways")):
        waiting, lost = as_count(gateway.get("waitingTurns")), lost_turns(gateway)
        yield f"connected, {waiting} turns wait in its memory{_bound(gateway)}" + (
            f", {lost} were lost" if lost else ""
        )


def chat_model_line(stats: Json) -> str:
    """Which chat model the flows ask, and whether it can be reached at all."""
    chat = as_object(stats.get("chatModel"))
    if chat.get("provider") == ChatProvider.NONE:
        return "none: statements are found by rules"
    if chat.get("provider") == ChatProvider.GATEWAY:
        is_there = bool(as_objects(stats.get("gateways")))
        return "the gateway's own" + ("" if is_there else "; none is connected now, so rules find the statements")
    return f"{chat.get('model')} of a server that speaks the protocol of {chat.get('provider')}"


def lost_turns(gateway: Json) -> int:
    """How many turns a gateway couldn't deliver and had no more room for, since it started."""
    return as_count(gateway.get("lostTurns"))


def _bound(gateway: Json) -> str:
    turns, size = as_count(gateway.get("mostTurns")), as_count(gateway.get("mostBytes"))
    return f" (room for {turns} or {size / _MB:.0f} MiB; lost when it ends)" if turns and size else ""
