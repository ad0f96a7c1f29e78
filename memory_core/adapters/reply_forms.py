"""Pure: how a request says which form its reply must have, for models that know a schema and for those that don't."""

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from memory_core.values import ChatRequest

_MAX_NAME_CHARS = 60


def schema_name(purpose: str) -> str:
    """A name as the protocols allow it: letters, digits, dash and underscore."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", purpose)[:_MAX_NAME_CHARS] or "reply"


def in_words(request: ChatRequest) -> str:
    """The system text, with the schema written out for a model that gets it no other way."""
    if request.schema is None:
        return request.system
    schema = json.dumps(request.schema, ensure_ascii=False, separators=(",", ":"))
    return f"{request.system}\n\nAnswer with one JSON object and nothing else. It must fit this JSON schema:\n{schema}"


def response_format(request: ChatRequest) -> dict[str, Any] | None:
    """The schema as the OpenAI protocol takes it; None when any words will do."""
    if request.schema is None:
        return None
    schema = {"name": schema_name(request.purpose), "schema": request.schema, "strict": is_strict(request.schema)}
    return {"type": "json_schema", "json_schema": schema}


def is_strict(schema: object) -> bool:
    """Whether a server may enforce the schema: every object is closed and asks for all its properties."""
    if isinstance(schema, list):
        return all(is_strict(part) for part in cast("list[object]", schema))
    if not isinstance(schema, Mapping):
        return True
    parts = cast("Mapping[str, Any]", schema)
    if parts.get("type") == "object":
        closed = parts.get("additionalProperties") is False
        if not closed or set(parts.get("required", ())) != set(parts.get("properties", {})):
            return False
    return all(is_strict(part) for part in parts.values())


def model_name(wanted: str | None, *, configured: str | None, provider: str) -> str | None:
    """The model to ask for: `provider/model` without the provider where it is the server's own."""
    name = wanted or configured
    return name.removeprefix(f"{provider}/") if name else None
