"""What the scripted model says for one request, and how to read the requests it was sent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

Body = dict[str, Any]
"""A request of the gateway to its model, as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What the model does for one request.

    Attributes:
        text: The answer, or the message of an error.
        reasoning: What it thinks before that.
        delay_s: Pause after each streamed piece.
        chunk_chars: Length of a streamed piece.
        tool: Name of a tool to call after the text.
        arguments: Of that tool.
        status: HTTP status of an error instead of an answer; 0 means none.
        code: Code of that error in OpenAI's shape.
    """

    text: str = ""
    reasoning: str = ""
    delay_s: float = 0.0
    chunk_chars: int = 12
    tool: str | None = None
    arguments: Mapping[str, object] | None = None
    status: int = 0
    code: str | None = None


Answer = Step | Callable[[Body], Step]


def reply(text: str, *, reasoning: str = "", delay_s: float = 0.0) -> Step:
    """Answer with text."""
    return Step(text=text, reasoning=reasoning, delay_s=delay_s)


def tool_call(name: str, arguments: Mapping[str, object], *, text: str = "") -> Step:
    """Answer with one call of a tool that stands in the request."""
    return Step(tool=name, arguments=arguments, text=text)


def catalogued_call(name: str, arguments: Mapping[str, object]) -> Step:
    """Answer with one call of a tool that the gateway keeps behind its tool search."""
    return tool_call("tool_call", {"id": name, "args": dict(arguments)})


def failure(status: int, message: str = "scripted failure", *, code: str | None = None) -> Step:
    """Answer with an HTTP error in OpenAI's shape."""
    return Step(status=status, text=message, code=code)


def context_overflow(*, limit_tokens: int = 40_000, used_tokens: int = 52_000) -> Step:
    """Answer as a provider does whose context is too small for the request."""
    return failure(
        400,
        f"This model's maximum context length is {limit_tokens} tokens. However, your messages resulted in "
        f"{used_tokens} tokens. Please reduce the length of the messages.",
        code="context_length_exceeded",
    )


def texts(body: Body) -> list[tuple[str, str]]:
    """Role and text of each message of a request, in order."""
    return [(str(message["role"]), _text(message.get("content"))) for message in body.get("messages", [])]


def user_text(body: Body) -> str:
    """All that a request shows as said by the user, injected context included."""
    return "\n".join(text for role, text in texts(body) if role == "user")


def last_user_text(body: Body) -> str:
    """The newest user message of a request, injected context included."""
    return next((text for role, text in reversed(texts(body)) if role == "user"), "")


def tool_results(body: Body) -> list[str]:
    """What the tools had answered when a request was made, in order."""
    return [text for role, text in texts(body) if role == "tool"]


def tool_names(body: Body) -> set[str]:
    """Names of the tools whose schema stands in a request."""
    return {str(tool["function"]["name"]) for tool in body.get("tools", [])}


def _text(content: Any) -> str:
    if isinstance(content, list):
        parts = cast("list[dict[str, Any]]", content)
        return "\n".join(str(part.get("text", "")) for part in parts)
    return str(content or "")
