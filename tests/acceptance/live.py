"""One gateway with the plugin and the memory service that the plugin itself started, for the tests of a module."""

import time
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import httpx
import psutil

from tests.rig.configuration import GatewaySetup, free_port, write_config
from tests.rig.gateway import Gateway, Turn, wait_for
from tests.rig.model_steps import Body, texts
from tests.rig.scripted_model import ScriptedModel

PLUGIN = "nightshift"
PLUGIN_FOLDER = Path(__file__).resolve().parents[2] / "plugin" / "openclaw"
OWNER: Mapping[str, object] = {"agentId": "main", "sessionKey": "agent:main:looking-on", "isOwner": True}
START_TIMEOUT_S = 120
MEMORY_TIMEOUT_S = 60
_POLL_S = 0.5


@dataclass(kw_only=True)
class Live:
    """What a test talks to; `gateway` changes when it is restarted."""

    cache: Path
    home: Path
    model: ScriptedModel
    gateway: Gateway
    environment: dict[str, str]

    @classmethod
    def start(cls, cache: Path, home: Path, *, setup: Mapping[str, Any] | None = None) -> Self:
        """Start a gateway in an empty folder and wait until its memory is ready.

        Args:
            cache: Where the rig is installed.
            home: The gateway's home; the memory's is a folder in it.
            setup: More arguments for `GatewaySetup`; `plugin_config` is joined with what fast tests need.
        """
        given = dict(setup or {})
        config = {
            # Every exchange is consolidated at once: no test waits for the threshold or for quiet.
            "consolidationThreshold": 2,
            "idleConsolidationTimeout": 1,
            # What background work asks would take the steps that a test scripted for its turns.
            "chatModel": {"provider": "none"},
            **given.pop("plugin_config", {}),
        }
        model = ScriptedModel()
        environment = {"NIGHTSHIFT_HOME": str(home / "ns"), "NIGHTSHIFT_PORT": str(free_port())}
        try:
            plan = GatewaySetup(plugin_folder=PLUGIN_FOLDER, model_url=model.url, plugin_config=config, **given)
            write_config(home, plan)
            gateway = Gateway(cache, home, extra=environment)
        except BaseException:
            model.stop()
            raise
        live = cls(cache=cache, home=home, model=model, gateway=gateway, environment=environment)
        try:
            live.wait_ready()
        except BaseException:
            live.stop()
            raise
        return live

    def stop(self) -> int:
        """End everything; the gateway's exit code."""
        code = self.gateway.stop()
        self.model.stop()
        return code

    def restart(self) -> None:
        """Kill the gateway as a crash would, and start it again on the same home."""
        self.gateway.kill()
        self.gateway.stop()
        self.gateway = Gateway(self.cache, self.home, extra=self.environment)
        self.wait_ready()

    # -- the service, seen from outside

    @property
    def url(self) -> str:
        """Where the service is."""
        return f"http://127.0.0.1:{self.environment['NIGHTSHIFT_PORT']}"

    @property
    def token(self) -> str:
        """The operator's token."""
        return (self.home / "ns" / "token").read_text(encoding="utf-8").strip()

    def wait_ready(self) -> None:
        """Wait until recall, capture and flows work."""
        try:
            wait_for(self.is_ready, timeout_s=START_TIMEOUT_S, what="the memory service")
        except TimeoutError as error:
            log = self.home / "ns" / "logs" / "sidecar.log"
            shown = log.read_text(encoding="utf-8")[-3000:] if log.exists() else "no sidecar.log"
            raise TimeoutError(f"{error}\n{shown}\n{self.gateway.output()[-2000:]}") from error

    def is_ready(self) -> bool:
        """Whether the service says it is."""
        try:
            return httpx.get(f"{self.url}/readyz", timeout=5, trust_env=False).is_success
        except httpx.TransportError:
            return False

    def post(self, path: str, body: Mapping[str, object]) -> dict[str, Any]:
        """Ask the service directly."""
        answer = httpx.post(
            f"{self.url}{path}",
            json=body,
            headers={"authorization": f"Bearer {self.token}"},
            timeout=30,
            trust_env=False,
        )
        answer.raise_for_status()
        content: dict[str, Any] = answer.json()
        return content

    def wait_remembered(self, word: str, *, asked: str, session: Mapping[str, object] = OWNER) -> None:
        """Wait until a recall for this person finds the word, so that what follows doesn't depend on timing.

        Args:
            word: Stands in what is remembered.
            asked: A question that it answers.
            session: Whose memory.
        """
        end = time.monotonic() + MEMORY_TIMEOUT_S
        request = {"session": session, "message": {"text": asked}, "dedupe": False}
        while True:
            found = self.post("/v1/recall", request)
            if word in found["context"]:
                return
            if time.monotonic() > end:
                raise TimeoutError(f"{word!r} was never remembered; the last recall was {found}")
            time.sleep(_POLL_S)

    def wait_consolidated(self) -> None:
        """Wait until nothing that was captured is still waiting to become memory."""
        request = {"session": OWNER, "arguments": {"wait": True}}
        wait_for(
            lambda: self.post("/v1/tools/memory_consolidate", request)["details"]["state"] == "done",
            timeout_s=MEMORY_TIMEOUT_S,
            what="consolidation",
        )

    def processes(self, words: str = "") -> list[psutil.Process]:
        """The memory's processes below the gateway whose command line holds these words."""
        return [
            process
            for process in psutil.Process(self.gateway.process.pid).children(recursive=True)
            if _is_ours(process, words)
        ]

    # -- turns

    def operator(self, text: str, *, session: str) -> tuple[Turn, str]:
        """A turn of the operator, and what the model was given before the words."""
        turn = self.gateway.operator_turn(text, session=session)
        return turn, self.given_with(text)

    def sender(self, text: str, *, sender: str, group: str | None = None) -> tuple[Turn, str]:
        """A turn of somebody on the test channel, and what the model was given before the words."""
        turn = self.gateway.channel_turn(text, sender=sender, group=group)
        return turn, self.given_with(text)

    @contextmanager
    def background(self, work: Callable[[], object]) -> Generator[None]:
        """Do something at the same time; its failure is the test's."""
        with ThreadPoolExecutor(max_workers=1) as pool:
            done = pool.submit(work)
            yield
            done.result()

    def given_with(self, text: str) -> str:
        """What stands before these words in the newest user message that holds them."""
        for body in reversed(self.model.requests):
            for role, said in reversed(texts(body)):
                if role == "user" and text in said:
                    return said[: said.rindex(text)]
        raise AssertionError(f"the model was never asked: {text}")

    def history(self, session: str) -> list[Body]:
        """The conversation as a chat client sees it."""
        messages: list[Body] = self.gateway.rpc("chat.history", {"sessionKey": session, "limit": 1000})["messages"]
        return messages

    def warnings(self) -> list[str]:
        """What the plugin complained of that the service doesn't answer."""
        return [line for line in self.gateway.output().splitlines() if "doesn't answer" in line]


def direct(sender: str) -> Mapping[str, object]:
    """The session of somebody's direct chat on the test channel, as the service is told of it."""
    return {
        "agentId": "main",
        "sessionKey": "agent:main:main",
        "channel": "rigchat",
        "chatType": "direct",
        "senderId": sender,
        "isOwner": False,
    }


def room(name: str, sender: str) -> Mapping[str, object]:
    """The session of somebody who speaks in a room of the test channel."""
    key = f"agent:main:rigchat:group:{name}"
    return {**direct(sender), "sessionKey": key, "chatType": "group", "chatId": name}


def _is_ours(process: psutil.Process, words: str) -> bool:
    try:
        line = " ".join(process.cmdline())
    except psutil.Error:
        return False
    return ("plugin." in line or "flows." in line or "memory_core." in line) and words in line
