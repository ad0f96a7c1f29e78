"""The adapters of chat models against servers that answer well, badly, late, or not at all."""

import threading
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from memory_core.adapters.anthropic_chat import AnthropicChat
from memory_core.adapters.chat_http import Patience
from memory_core.adapters.openai_chat import OpenAIChat
from memory_core.errors import Invalid, Unavailable
from memory_core.settings import ChatSettings
from memory_core.values import ChatRequest
from tests.chat_server import (
    MODEL,
    Act,
    Body,
    ChatModelServer,
    anthropic_says,
    anthropic_uses_tool,
    openai_says,
    refuses,
)

KEY = "key-of-the-tests-4711"
QUICK = Patience(attempts=3, total_s=3.0, connect_s=1.0, silence_s=1.0, first_pause_s=0.01, longest_pause_s=0.5)
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
}
ASK = ChatRequest(system="You know the sea.", prompt="Which word means tide?", max_tokens=50, purpose="extract@1")
ASK_JSON = replace(ASK, schema=SCHEMA)


@dataclass(frozen=True, slots=True)
class Protocol:
    make: Callable[..., OpenAIChat | AnthropicChat]
    says: Callable[[str | None], Act]
    path: str
    base: str


PROTOCOLS = {
    "openai": Protocol(OpenAIChat, openai_says, "/v1/chat/completions", "/v1"),
    "anthropic": Protocol(AnthropicChat, anthropic_says, "/v1/messages", ""),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    protocol: Protocol
    server: ChatModelServer
    chat: OpenAIChat | AnthropicChat


@pytest.fixture(params=PROTOCOLS)
def asked(request: pytest.FixtureRequest) -> Generator[Asked]:
    """A server of each protocol, and the adapter that asks it."""
    protocol = PROTOCOLS[request.param]
    with ChatModelServer(protocol.says("ebb")) as server:
        settings = ChatSettings(base_url=server.url + protocol.base, api_key=KEY, model="a-model")
        chat = protocol.make(settings, patience=QUICK)
        yield Asked(protocol=protocol, server=server, chat=chat)
        chat.close()


@pytest.fixture(autouse=True)
def _silent(capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> Generator[None]:  # pyright: ignore[reportUnusedFunction] - used by pytest
    """Whatever a test does, no log shows what was asked, what was answered, or the key."""
    yield
    written = "".join(capfd.readouterr()) + caplog.text
    assert not [word for word in (KEY, ASK.prompt, ASK.system, "ebb") if word in written]


def test_question_key_and_model_arrive_and_the_answer_comes_back(asked: Asked) -> None:
    reply = asked.chat.complete(ASK)
    assert (reply.text, reply.model, reply.input_tokens, reply.output_tokens) == ("ebb", MODEL, 21, 5)
    (seen,) = asked.server.seen
    assert seen.path == asked.protocol.path
    assert (seen.body["model"], seen.body["max_tokens"]) == ("a-model", 50)
    assert KEY in (seen.headers.get("x-api-key"), seen.headers.get("authorization", "").removeprefix("Bearer "))
    assert seen.body["messages"][-1] == {"role": "user", "content": ASK.prompt}
    assert ASK.system in (seen.body.get("system"), seen.body["messages"][0]["content"])


@pytest.mark.parametrize(
    "passing",
    [Act(status=429), Act(status=503, body=b"<html>"), Act(status=529), Act(hangs_up=True), Act(silence_s=1.5)],
    ids=["429", "503", "529", "hang up", "silence"],
)
def test_what_passes_is_asked_again(asked: Asked, passing: Act) -> None:
    asked.server.script(passing, asked.protocol.says("ebb"))
    assert asked.chat.complete(ASK).text == "ebb"
    assert len(asked.server.seen) == 2


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_does_not_pass_is_given_up_after_some_attempts(asked: Asked, status: int) -> None:
    asked.server.script(Act(status=status))
    with pytest.raises(Unavailable, match=str(status)):
        asked.chat.complete(ASK)
    assert len(asked.server.seen) == QUICK.attempts


def test_pause_that_the_server_asks_for_is_kept(asked: Asked) -> None:
    asked.server.script(Act(status=429, headers={"retry-after": "0.4"}), asked.protocol.says("ebb"))
    began_s = time.monotonic()
    assert asked.chat.complete(ASK).text == "ebb"
    assert time.monotonic() - began_s >= 0.4


@pytest.mark.parametrize(
    "headers",
    [
        {"retry-after": "3600"},
        {"retry-after": "Wed, 21 Oct 2026 08:00:00 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"},
    ],
    ids=["seconds", "date"],
)
def test_server_that_asks_for_a_long_pause_is_not_asked_again(asked: Asked, headers: Mapping[str, str]) -> None:
    asked.server.script(Act(status=429, headers=headers))
    with pytest.raises(Unavailable):
        asked.chat.complete(ASK)
    assert len(asked.server.seen) == 1


@pytest.mark.parametrize("said", ["soon", "nan", "-5", "Wed, 99 Foo"])
def test_pause_that_can_not_be_read_is_chosen_here(asked: Asked, said: str) -> None:
    asked.server.script(Act(status=429, headers={"retry-after": said}), asked.protocol.says("ebb"))
    assert asked.chat.complete(ASK).text == "ebb"


@pytest.mark.parametrize(("status", "named"), [(401, "apiKey"), (403, "apiKey"), (404, "baseUrl"), (302, "baseUrl")])
def test_wrong_settings_are_named_and_asked_once(asked: Asked, *, status: int, named: str) -> None:
    asked.server.script(Act(status=status, headers={"location": "/elsewhere"}))
    with pytest.raises(Unavailable, match=named):
        asked.chat.complete(ASK)
    assert len(asked.server.seen) == 1


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>hello</html>", b'{"choices": [', b"[]", b"{}", b'{"choices": [], "content": 3}', b"\xff\xfe"],
)
def test_answer_of_something_else_is_no_answer(asked: Asked, body: bytes) -> None:
    asked.server.script(Act(body=body))
    with pytest.raises(Unavailable, match="no chat model's server"):
        asked.chat.complete(ASK)


def test_request_that_is_refused_is_not_repeated(asked: Asked) -> None:
    asked.server.script(refuses("prompt is too long"))
    with pytest.raises(Invalid, match="400"):
        asked.chat.complete(ASK)
    assert len(asked.server.seen) == 1


@pytest.mark.parametrize("text", ["", "  \n", None])
def test_empty_answer_is_a_refusal(asked: Asked, text: str | None) -> None:
    asked.server.script(asked.protocol.says(text))
    with pytest.raises(Invalid):
        asked.chat.complete(ASK)


def test_answer_that_drips_ends_with_the_deadline(asked: Asked) -> None:
    asked.server.script(replace(asked.protocol.says("ebb"), drip_s=0.2))
    began_s = time.monotonic()
    with pytest.raises(Unavailable, match="too slow"):
        asked.chat.complete(ASK)
    assert time.monotonic() - began_s < QUICK.total_s + 2


def test_server_that_is_away_is_unavailable(asked: Asked) -> None:
    asked.server.stop()
    with pytest.raises(Unavailable, match="doesn't answer"):
        asked.chat.complete(ASK)
    asked.server.ended.set()


def test_answer_without_end_is_cut_off(asked: Asked) -> None:
    asked.server.script(Act(body=b'{"x": "' + b"y" * 8_500_000 + b'"}'))
    with pytest.raises(Unavailable, match="too large"):
        asked.chat.complete(ASK)


@pytest.mark.parametrize("url", ["", "no url", "http://[::1", "http://127.0.0.1:port", "ftp://127.0.0.1/x"])
@pytest.mark.parametrize("make", [OpenAIChat, AnthropicChat])
def test_address_that_is_none_is_unavailable_and_no_crash(url: str, make: type[OpenAIChat | AnthropicChat]) -> None:
    chat = make(ChatSettings(base_url=url or "x", model="m"), patience=QUICK)
    with pytest.raises(Unavailable):
        chat.complete(ASK)
    chat.close()


def test_key_that_no_header_can_hold_is_unavailable_and_no_crash() -> None:
    chat = OpenAIChat(ChatSettings(base_url="http://127.0.0.1:9", api_key="schlüssel\n", model="m"), patience=QUICK)
    with pytest.raises(Unavailable):
        chat.complete(ASK)


def test_without_a_model_nothing_is_asked(asked: Asked) -> None:
    chat = asked.protocol.make(ChatSettings(base_url=asked.server.url), patience=QUICK)
    with pytest.raises(Unavailable, match=r"chatModel\.model"):
        chat.complete(ASK)
    assert asked.server.seen == []


def test_another_model_may_be_asked_for(asked: Asked) -> None:
    own = "openai" if isinstance(asked.chat, OpenAIChat) else "anthropic"
    asked.chat.complete(replace(ASK, model=f"{own}/large"))
    asked.chat.complete(replace(ASK, model="elsewhere/large"))
    assert [seen.body["model"] for seen in asked.server.seen] == ["large", "elsewhere/large"]


def test_many_threads_ask_at_once(asked: Asked) -> None:
    replies: list[str] = []
    threads = [threading.Thread(target=lambda: replies.append(asked.chat.complete(ASK).text)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert replies == ["ebb"] * 8


# -- forms of the reply


def test_openai_server_that_knows_schemas_is_given_one() -> None:
    with _openai(openai_says('{"word": "ebb"}')) as (server, chat):
        assert chat.complete(ASK_JSON).text == '{"word": "ebb"}'
    form = server.seen[0].body["response_format"]
    assert form == {
        "type": "json_schema",
        "json_schema": {"name": "extract_1", "schema": dict(SCHEMA), "strict": True},
    }


def test_openai_server_that_refuses_schemas_is_asked_in_words_from_then_on() -> None:
    def picky(body: Body) -> Act:
        refused = "response_format" in body
        return refuses("unknown parameter") if refused else openai_says('{"word": "ebb"}')

    with _openai(picky) as (server, chat):
        assert [chat.complete(ASK_JSON).text for _ in range(2)] == ['{"word": "ebb"}'] * 2
    assert ["response_format" in seen.body for seen in server.seen] == [True, False, False]
    assert '"word"' in server.seen[1].body["messages"][0]["content"]


def test_openai_server_that_refuses_everything_is_still_given_schemas_later() -> None:
    with _openai(refuses("too long")) as (server, chat):
        for _ in range(2):
            with pytest.raises(Invalid):
                chat.complete(ASK_JSON)
    assert ["response_format" in seen.body for seen in server.seen] == [True, False, True, False]


def test_openai_server_that_wants_the_newer_name_of_the_limit_gets_it() -> None:
    def newer(body: Body) -> Act:
        wrong = "max_tokens" in body
        return refuses("use 'max_completion_tokens' instead") if wrong else openai_says("ebb")

    with _openai(newer) as (server, chat):
        assert [chat.complete(ASK).text for _ in range(2)] == ["ebb"] * 2
    assert [seen.body.get("max_completion_tokens") for seen in server.seen] == [None, 50, 50]


def test_openai_model_that_declines_is_a_refusal() -> None:
    with _openai(openai_says(None, refusal="I can't help with that")) as (_, chat), pytest.raises(Invalid):
        chat.complete(ASK)


def test_openai_answer_in_parts_is_joined() -> None:
    parts: Any = [{"type": "text", "text": "eb"}, {"type": "text", "text": "b"}]
    with _openai(openai_says(parts)) as (_, chat):
        assert chat.complete(ASK).text == "ebb"


def test_anthropic_server_must_use_the_tool_of_the_schema() -> None:
    with _anthropic(anthropic_uses_tool({"word": "ebb"})) as (server, chat):
        assert chat.complete(ASK_JSON).text == '{"word": "ebb"}'
    body = server.seen[0].body
    assert body["tools"][0]["input_schema"] == dict(SCHEMA)
    assert body["tool_choice"] == {"type": "tool", "name": body["tools"][0]["name"]}


def test_anthropic_server_that_refuses_tools_is_asked_in_words_from_then_on() -> None:
    def picky(body: Body) -> Act:
        return refuses("tools: not supported") if "tools" in body else anthropic_says('{"word": "ebb"}')

    with _anthropic(picky) as (server, chat):
        assert [chat.complete(ASK_JSON).text for _ in range(2)] == ['{"word": "ebb"}'] * 2
    assert ["tools" in seen.body for seen in server.seen] == [True, False, False]
    assert '"word"' in server.seen[1].body["system"]


def test_anthropic_model_that_declines_is_a_refusal() -> None:
    with _anthropic(anthropic_says("No.", stop_reason="refusal")) as (_, chat), pytest.raises(Invalid):
        chat.complete(ASK)


class _Pair:
    """A server and the adapter that asks it, closed together."""

    def __init__(self, make: Callable[..., Any], *, path: str, act: Any) -> None:
        self.server = ChatModelServer(act)
        self.chat = make(ChatSettings(base_url=self.server.url + path, model="m"), patience=QUICK)

    def __enter__(self) -> tuple[ChatModelServer, Any]:
        return self.server, self.chat

    def __exit__(self, *_: object) -> None:
        self.chat.close()
        self.server.stop()


def _openai(act: Any) -> _Pair:
    return _Pair(OpenAIChat, path="/v1", act=act)


def _anthropic(act: Any) -> _Pair:
    return _Pair(AnthropicChat, path="/v1/", act=act)
