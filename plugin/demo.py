"""Shows on the running service, used as a gateway would: what is said is kept, recalled elsewhere, then forgotten."""

import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from memory_core.errors import MemoryCoreError
from memory_core.settings import ScopeRule, Settings
from plugin.client import WAIT_S, Json, ServiceClient, as_count, as_objects, open_client

_PERSON: Final[Json] = {
    "agentId": "nightshift-demo",
    "chatType": "direct",
    "channel": "nightshift-demo",
    "senderId": "visitor",
    "userId": "nightshift-demo-visitor",
    "isOwner": False,
}
"""A person and an agent of their own: the memory of a real one is neither read nor written."""
_FIRST: Final[Json] = {**_PERSON, "sessionKey": "agent:nightshift-demo:first-visit"}
_SECOND: Final[Json] = {**_PERSON, "sessionKey": "agent:nightshift-demo:second-visit"}

_CONVERSATION: Final = (
    (
        "The spare key of the boat house hangs behind the third lantern on the jetty.",
        "All right.",
    ),
    (
        "Marta and I decided to paint the hull dark green before the regatta.",
        "A good choice!",
    ),
    ("Thanks, see you later!", "See you!"),
)
_QUESTION: Final = "Where is the spare key of the boat house?"
_ANSWER: Final = "lantern"

Say = Callable[[str], None]


class DemoFailed(MemoryCoreError):
    """A step did not do what it is there for."""

    code = "demo_failed"


async def run_demo(settings: Settings, say: Say) -> None:
    """Run the sample conversation and say what happens; nothing of it stays.

    Raises:
        DemoFailed: a step did not do what it should.
        MemoryCoreError: the service refused a call or went away.
    """
    # With one memory per conversation there is no other conversation that may recall.
    second = _FIRST if settings.identity.scope is ScopeRule.SESSION else _SECOND
    async with open_client(settings) as client:
        await _forget(client)  # what a demonstration that was cut short may have left
        say("Demonstration, with a visitor who is forgotten afterwards:")
        try:
            await _capture(client, say)
            await _consolidate(client, say)
            await _recall(client, say, session=second)
        except BaseException:
            # The failure is what is to be told; the next demonstration forgets what this can't.
            with suppress(MemoryCoreError):
                await _forget(client)
            raise
        forgotten, took_ms = await _forget(client)
        await _check_forgotten(client, session=second)
        say(f"  forgotten   {forgotten} memories, nothing is recalled any more{_took(took_ms)}")


async def _capture(client: ServiceClient, say: Say) -> None:
    for user, assistant in _CONVERSATION:
        turn: Json = {
            "session": _FIRST,
            "turnKey": f"demo-{uuid.uuid4()}",
            "user": {"text": user},
            "assistant": {"text": assistant},
        }
        started_s = time.perf_counter()
        answer = await client.post("/v1/turns", body=turn)
        took_ms = _since_ms(started_s)
        if answer.get("status") != "accepted":
            raise DemoFailed(f"a turn was not taken: {answer.get('status')}, {answer.get('reason')}")
        say(f'  said        "{user}"{_took(took_ms)}')


async def _consolidate(client: ServiceClient, say: Say) -> None:
    started_s = time.perf_counter()
    answer = await client.tool("memory_consolidate", {"wait": True}, session=_FIRST, timeout_s=WAIT_S)
    took_ms = _since_ms(started_s)
    state = answer.details.get("state")
    if state != "done":
        raise DemoFailed(f"the consolidation flow is {state} after {took_ms / 1000:.0f} s")
    kept = await _listed(client)
    if not any(_ANSWER in text for text in kept):
        raise DemoFailed("the consolidation flow ended, but kept nothing of where the key is")
    for number, text in enumerate(kept):
        say(f"  kept        {text}{_took(took_ms, 'by a flow in ') if number == 0 else ''}")


async def _recall(client: ServiceClient, say: Say, *, session: Json) -> None:
    started_s = time.perf_counter()
    answer = await client.post("/v1/recall", body={"session": session, "message": {"text": _QUESTION}})
    took_ms = _since_ms(started_s)
    recalled = [str(memory.get("text")) for memory in as_objects(answer.get("memories"))]
    if not recalled or _ANSWER not in str(answer.get("context")):
        raise DemoFailed(f"the question found {len(recalled)} memories, none says where the key is")
    say(f'  asked       in another conversation: "{_QUESTION}"')
    say(f"  recalled    {recalled[0]}{_took(took_ms)}")


async def _forget(client: ServiceClient) -> tuple[int, float]:
    started_s = time.perf_counter()
    forgotten = 0
    for session in (_FIRST, _SECOND):
        arguments: Json = {"sessionKey": session["sessionKey"], "confirm": True}
        answer = await client.tool("memory_forget", arguments, session=session, timeout_s=WAIT_S)
        forgotten += as_count(answer.details.get("forgotten"))
    return forgotten, _since_ms(started_s)


async def _check_forgotten(client: ServiceClient, *, session: Json) -> None:
    answer = await client.post("/v1/recall", body={"session": session, "message": {"text": _QUESTION}})
    if _ANSWER in str(answer.get("context")) or any(_ANSWER in text for text in await _listed(client)):
        raise DemoFailed("the conversation was to be forgotten, but is still recalled")


async def _listed(client: ServiceClient) -> list[str]:
    answer = await client.tool("memory_list", {"limit": 20}, session=_FIRST)
    return [str(memory.get("text")) for memory in as_objects(answer.details.get("memories"))]


def _since_ms(started_s: float) -> float:
    return (time.perf_counter() - started_s) * 1000


def _took(took_ms: float, before: str = "") -> str:
    return f"   ({before}{took_ms / 1000:.1f} s)" if took_ms >= 1000 else f"   ({before}{took_ms:.0f} ms)"  # noqa: PLR2004
