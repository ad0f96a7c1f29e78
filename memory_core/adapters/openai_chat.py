"""ChatModel over the OpenAI-compatible HTTP protocol, which most servers of models speak."""

from typing import Any

from pydantic import BaseModel, Field, ValidationError

from memory_core.adapters.chat_http import ChatServer, Declined, Patience
from memory_core.adapters.reply_forms import in_words, model_name, response_format
from memory_core.errors import Invalid, Unavailable
from memory_core.settings import ChatSettings
from memory_core.values import ChatReply, ChatRequest

STANDARD_URL = "https://api.openai.com/v1"
_PROVIDER = "openai"
_NEW_LIMIT = "max_completion_tokens"


class _Part(BaseModel):
    text: str = ""


class _Message(BaseModel):
    content: str | list[_Part] | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Completion(BaseModel):
    choices: list[_Choice] = Field(min_length=1)
    model: str | None = None
    usage: _Usage | None = None


class OpenAIChat:
    """Asks one server. Thread-safe.

    What a server turned out not to know (a schema, the newer name of the token limit) is remembered, so that it costs
    one refused request a process.
    """

    def __init__(self, settings: ChatSettings, *, patience: Patience | None = None) -> None:
        """Use the server, key and model of the settings; nothing is sent before the first question."""
        headers = {"Authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}
        self._server = ChatServer(settings.base_url or STANDARD_URL, headers=headers, patience=patience or Patience())
        self._model = settings.model
        self._knows_schemas = True
        self._limit_name = "max_tokens"

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
        with_schema = request.schema is not None and self._knows_schemas
        try:
            return self._post(request, model=model, with_schema=with_schema)
        except Declined:
            if not with_schema:
                raise
        # Nobody words the refusal of a schema in the same way: what works without one was refused because of it.
        answer = self._post(request, model=model, with_schema=False)
        self._knows_schemas = False
        return answer

    def _post(self, request: ChatRequest, *, model: str, with_schema: bool) -> dict[str, Any]:
        try:
            return self._server.post("/chat/completions", self._body(request, model=model, with_schema=with_schema))
        except Declined as declined:
            if _NEW_LIMIT not in declined.words or self._limit_name == _NEW_LIMIT:
                raise
        self._limit_name = _NEW_LIMIT
        return self._server.post("/chat/completions", self._body(request, model=model, with_schema=with_schema))

    def _body(self, request: ChatRequest, *, model: str, with_schema: bool) -> dict[str, Any]:
        return {
            "model": model,
            "messages": [
                {"role": "system", "content": request.system if with_schema else in_words(request)},
                {"role": "user", "content": request.prompt},
            ],
            self._limit_name: request.max_tokens,
            **({"response_format": response_format(request)} if with_schema else {}),
        }


def _to_reply(answer: dict[str, Any], *, model: str) -> ChatReply:
    try:
        completion = _Completion.model_validate(answer)
    except ValidationError:
        raise Unavailable("what answers at chatModel.baseUrl is no chat model's server") from None
    choice = completion.choices[0]
    text = _text(choice.message)
    if choice.message.refusal or choice.finish_reason == "content_filter" or not text.strip():
        raise Invalid("the chat model declined to answer")
    usage = completion.usage or _Usage()
    return ChatReply(
        text=text,
        model=completion.model or model,
        input_tokens=usage.prompt_tokens,
        output_tokens=usage.completion_tokens,
    )


def _text(message: _Message) -> str:
    if isinstance(message.content, list):
        return "".join(part.text for part in message.content)
    return message.content or ""
