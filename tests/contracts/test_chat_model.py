"""What every ChatModel keeps to: the fake, the ones over HTTP, and the one that asks a gateway."""

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Generator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memory_core.adapters.anthropic_chat import AnthropicChat
from memory_core.adapters.chat_http import Patience
from memory_core.adapters.gateway_chat import GatewayChat
from memory_core.adapters.openai_chat import OpenAIChat
from memory_core.adapters.system_clock import SystemClock
from memory_core.errors import Invalid, Unavailable
from memory_core.jobs.model_calls import ModelCallService
from memory_core.ports import ChatModel
from memory_core.settings import ChatSettings
from memory_core.store.database import Database
from memory_core.values import ChatReply, ChatRequest, ScopeKey
from tests.chat_server import MODEL, Act, ChatModelServer, anthropic_says, openai_says, refuses
from tests.fakes.chat_model import FakeChatModel

SLOWEST_S = 2.0
"""After this a model of these tests is too slow."""
ASK = ChatRequest(
    system="You know birds.",
    prompt="Which bird is blue?\nOnly one: “jay”, or 翡翠?",
    max_tokens=60,
    purpose="extract@1",
    scopes=(ScopeKey("user.default"),),
)
_QUICK = Patience(attempts=3, total_s=SLOWEST_S, connect_s=1, silence_s=SLOWEST_S, first_pause_s=0.01)


class Subject(ABC):
    """A model under test, and what makes it behave."""

    model: ChatModel

    @abstractmethod
    def says(self, text: str) -> None:
        """From now on the model says this."""

    @abstractmethod
    def fails(self) -> None:
        """From now on the model is busy or broken."""

    @abstractmethod
    def is_silent(self) -> None:
        """From now on nobody answers."""

    @abstractmethod
    def asked(self) -> list[str]:
        """Prompts as the model got them."""

    @abstractmethod
    def close(self) -> None:
        """End it."""


class Fake(Subject):
    def __init__(self) -> None:
        self.model = self.fake = FakeChatModel(model=MODEL)

    def says(self, text: str) -> None:
        self.fake.default = ChatReply(text=text, model=MODEL, input_tokens=21, output_tokens=5)

    def fails(self) -> None:
        self.fake.default = Unavailable("the model is broken")

    def is_silent(self) -> None:
        self.fake.default = None

    def asked(self) -> list[str]:
        return [request.prompt for request in self.fake.requests]

    def close(self) -> None:
        pass


class OverHttp(Subject):
    def __init__(self, protocol: str) -> None:
        self._says = openai_says if protocol == "openai" else anthropic_says
        self.server = ChatModelServer(self._says("nothing yet"))
        settings = ChatSettings(base_url=self.server.url, api_key="k", model="m")
        make = OpenAIChat if protocol == "openai" else AnthropicChat
        self.model = self._chat = make(settings, patience=_QUICK)

    def says(self, text: str) -> None:
        self.server.script(self._says(text))

    def fails(self) -> None:
        self.server.script(Act(status=503))

    def is_silent(self) -> None:
        self.server.script(Act(silence_s=60))

    def asked(self) -> list[str]:
        return [seen.body["messages"][-1]["content"] for seen in self.server.seen]

    def close(self) -> None:
        self._chat.close()
        self.server.stop()


class OverGateway(Subject):
    """The board of a real database, and a thread that plays the plugin."""

    def __init__(self, folder: Path) -> None:
        self._database = Database(f"sqlite:///{folder / 'calls.sqlite3'}")
        self._database.migrate()
        self.board = ModelCallService(self._database, clock=SystemClock())
        self.board.see("gateway-1")
        self.model = GatewayChat(self.board, wait=timedelta(seconds=SLOWEST_S), poll_s=0.02)
        self._text: str | None = None
        self._works = True
        self._asked: list[str] = []
        self._ended = threading.Event()
        self._plugin = threading.Thread(target=self._serve)
        self._plugin.start()

    def _serve(self) -> None:
        while not self._ended.wait(0.02):
            claim = self.board.claim("gateway-1") if self._works else None
            if claim is None:
                continue
            self._asked.append(claim.request["prompt"])
            reply = self._text and ChatReply(text=self._text, model=MODEL, input_tokens=21, output_tokens=5)
            self.board.answer(claim.call_id, reply=reply or None, error=None if reply else "the provider is broken")

    def says(self, text: str) -> None:
        self._text = text

    def fails(self) -> None:
        self._text = None

    def is_silent(self) -> None:
        self._works = False

    def asked(self) -> list[str]:
        return self._asked

    def close(self) -> None:
        self._ended.set()
        self._plugin.join(10)
        self._database.close()


@pytest.fixture(params=["fake", "openai", "anthropic", "gateway"])
def subject(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Subject]:
    """Each ChatModel."""
    match request.param:
        case "fake":
            made: Subject = Fake()
        case "gateway":
            made = OverGateway(tmp_path)
        case protocol:
            made = OverHttp(protocol)
    yield made
    made.close()


@pytest.mark.parametrize("text", ["Jay.", '{"bird": "翡翠"}', "two\nlines \U0001f426"])
def test_answer_comes_back_with_model_and_tokens(subject: Subject, text: str) -> None:
    subject.says(text)
    assert subject.model.complete(ASK) == ChatReply(text=text, model=MODEL, input_tokens=21, output_tokens=5)
    assert subject.asked() == [ASK.prompt]


def test_answers_follow_what_the_model_says_now(subject: Subject) -> None:
    texts: list[str] = []
    for text in ("Jay.", "Bluebird."):
        subject.says(text)
        texts.append(subject.model.complete(ASK).text)
    assert texts == ["Jay.", "Bluebird."]


def test_model_that_fails_is_unavailable_and_may_work_later(subject: Subject) -> None:
    subject.fails()
    with pytest.raises(Unavailable):
        subject.model.complete(ASK)
    subject.says("Jay.")
    assert subject.model.complete(ASK).text == "Jay."


def test_model_that_never_answers_is_unavailable_in_time(subject: Subject) -> None:
    subject.is_silent()
    began_s = time.monotonic()
    with pytest.raises(Unavailable):
        subject.model.complete(ASK)
    assert time.monotonic() - began_s < SLOWEST_S + 3


def test_threads_each_get_an_answer(subject: Subject) -> None:
    subject.says("Jay.")
    texts: list[str] = []
    threads = [threading.Thread(target=lambda: texts.append(subject.model.complete(ASK).text)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert texts == ["Jay."] * 6


def test_request_for_nobody_in_particular_is_answered(subject: Subject) -> None:
    subject.says("Jay.")
    assert subject.model.complete(replace(ASK, scopes=())).text == "Jay."


@pytest.mark.parametrize("protocol", ["openai", "anthropic", "fake"])
def test_refused_request_is_invalid(protocol: str) -> None:
    subject = Fake() if protocol == "fake" else OverHttp(protocol)
    if isinstance(subject, OverHttp):
        subject.server.script(refuses("too long"))
    else:
        subject.fake.default = Invalid("the request is too long")
    with pytest.raises(Invalid):
        subject.model.complete(ASK)
    subject.close()
