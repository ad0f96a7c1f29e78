"""How a request says which form its reply must have."""

from typing import Any

import pytest

from memory_core.adapters.reply_forms import in_words, is_strict, model_name, response_format, schema_name
from memory_core.capture.prompts import EXTRACT_SCHEMA
from memory_core.values import ChatRequest

ASK = ChatRequest(system="Be brief.", prompt="?", max_tokens=9, purpose="extract@1")
CLOSED: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
}
OPTIONAL: dict[str, Any] = {**CLOSED, "required": []}
OPEN: dict[str, Any] = {**CLOSED, "additionalProperties": True}


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (CLOSED, True),
        (OPTIONAL, False),
        (OPEN, False),
        ({**CLOSED, "properties": {"a": {"type": "array", "items": OPEN}}}, False),
        ({**CLOSED, "properties": {"a": {"anyOf": [CLOSED, {"type": "null"}]}}}, True),
        ({**CLOSED, "$defs": {"b": OPTIONAL}}, False),
        ({**CLOSED, "properties": {"type": {"type": "string"}}, "required": ["type"]}, True),
    ],
)
def test_only_closed_schemas_without_optional_parts_may_be_enforced(schema: dict[str, Any], *, strict: bool) -> None:
    assert is_strict(schema) is strict


def test_our_own_schema_may_be_enforced() -> None:
    assert is_strict(EXTRACT_SCHEMA)


def test_words_hold_the_schema_only_when_there_is_one() -> None:
    assert in_words(ASK) == "Be brief."
    assert response_format(ASK) is None
    asked = ChatRequest(system="Be brief.", prompt="?", max_tokens=9, purpose="extract@1", schema=CLOSED)
    assert in_words(asked).startswith("Be brief.\n")
    assert '"additionalProperties":false' in in_words(asked)


@pytest.mark.parametrize(
    ("purpose", "name"), [("extract@1", "extract_1"), ("träum/2", "tr_um_2"), ("", "reply"), ("x" * 99, "x" * 60)]
)
def test_name_of_a_schema_is_one_that_protocols_allow(purpose: str, name: str) -> None:
    assert schema_name(purpose) == name


@pytest.mark.parametrize(
    ("wanted", "configured", "name"),
    [
        (None, "small", "small"),
        (None, None, None),
        ("openai/large", "small", "large"),
        ("acme/large", "small", "acme/large"),
        (None, "openai/small", "small"),
    ],
)
def test_model_loses_the_name_of_the_server_it_is_asked_from(
    wanted: str | None, configured: str | None, *, name: str | None
) -> None:
    assert model_name(wanted, configured=configured, provider="openai") == name
