"""Whether another gateway than the one that started this tree uses it."""

import asyncio

from memory_core.errors import MemoryCoreError
from memory_core.settings import Settings
from plugin.client import as_objects, open_client

_ANSWER_S = 3.0


async def other_gateways(settings: Settings, *, starter: str | None) -> int:
    """How many gateways besides the starter were heard of within the last minute; none when the service can't say.

    Args:
        settings: Where the service is.
        starter: What the gateway that started the tree calls itself.
    """
    try:
        async with asyncio.timeout(_ANSWER_S), open_client(settings) as client:
            answer = await client.get("/v1/gateways")
    except (MemoryCoreError, TimeoutError):
        return 0
    return sum(gateway.get("gatewayId") != starter for gateway in as_objects(answer.get("gateways")))
