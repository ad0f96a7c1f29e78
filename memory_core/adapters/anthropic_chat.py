"""ChatModel over the Anthropic HTTP protocol; a reply in a schema is the input of a tool that the model must use."""

import json
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from memory_core.adapters.chat_http import ChatServer, Declined, Patience
from memory_core.adapters.reply_forms import in_words, model_name, schema_name
from memory_core.errors import Invalid, Unavailable
from memory_core.settings import ChatSettings
from memory_core.values import ChatReply, ChatRequest

STANDARD_URL = "https://api.anthropic.com"
_VERSION = "2023-06-01"
_PROVIDER = "anthropic"


class _Block(BaseModel):
    type: str
    text: str = ""
    input: dict[str, Any] | None = None


class _Usage(BaseModel):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _Answer(BaseModel):
    content: list[_Block]
    model: str | None = None
    stop_reason: str | None = None
    usage: _Usage = Field(default_factory=_Usage)


class AnthropicChat:
    """Asks one server. Thread-safe. A server that refuses tools is asked in words from then on."""

    def __init__(self, settings: ChatSettings, *, patience: Patience | None = None) -> None:
        """Use the server, key and model of the settings; nothing is sent before the first question."""
        key = {"x-api-key": settings.api_key} if settings.api_key else {}
        base_url = (settings.base_url or STANDARD_URL).rstrip("/").removesuffix("/v1")
        self._server = ChatServer(
            base_url, headers={"anthropic-version": _VERSION, **key}, patience=patience or Patience()
        )
        self._model = settings.model
        self._knows_tools = True

    def close(self) -> None:
        """Give the connections back."""
        self._server.close()

    def complete(self, request: ChatRequest) -> ChatReply:
        """See `ChatModel.complete`."""
        model = model_name(request.model, configured=self._model, provider=_PROVIDER)
        if model is None:
            raise Unavailable("chatModel.model: no model is named")
        return _to_reply(self._ask(request, model=model), model=model)

    def _ask(self, request: ChatRequest, *, model: str) -> dict[str, Any]:
        with_tool = request.schema is not None and self._knows_tools
        try:
            return self._server.post("/v1/messages", _body(request, model=model, with_tool=with_tool))
        except Declined:
            if not with_tool:
                raise
        answer = self._server.post("/v1/messages", _body(request, model=model, with_tool=False))
        self._knows_tools = False
        return answer


def _body(request: ChatRequest, *, model: str, with_tool: bool) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": request.max_tokens,
        "system": request.system if with_tool else in_words(request),
        "messages": [{"role": "user", "content": request.prompt}],
    }
    if with_tool:
        name = schema_name(request.purpose)
        body["tools"] = [{"name": name, "description": "Takes your answer.", "input_schema": request.schema}]
        body["tool_choice"] = {"type": "tool", "name": name}
    return body


def _to_reply(answer: dict[str, Any], *, model: str) -> ChatReply:
    try:
        parsed = _Answer.model_validate(answer)
    except ValidationError:
        raise Unavailable("what answers at chatModel.baseUrl is no chat model's server") from None
    used = next((block.input for block in parsed.content if block.type == "tool_use" and block.input is not None), None)
    text = (
        json.dumps(used, ensure_ascii=False)
        if used is not None
        else "".join(block.text for block in parsed.content if block.type == "text")
    )
    if parsed.stop_reason == "refusal" or not text.strip():
        raise Invalid("the chat model declined to answer")
    usage = parsed.usage
    cached = (usage.cache_creation_input_tokens or 0) + (usage.cache_read_input_tokens or 0)
    return ChatReply(
        text=text,
        model=parsed.model or model,
        input_tokens=usage.input_tokens + cached,
        output_tokens=usage.output_tokens,
    )
