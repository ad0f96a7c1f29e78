"""Messages of a transcript as they come over the wire."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter, ValidationError

from memory_core.context.messages import Message
from plugin.service.transcripts import MessageIn, Messages


class Body(BaseModel):
    messages: Messages


MODELS = TypeAdapter(list[MessageIn])
WORDS = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        ["", "which port?", "昨日の会議は三時です。", "for i in range(3): print(i)", "half \ud83d a pair", "a\0b"]
    ),
)
PARTS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries({"type": st.sampled_from(["text", "output_text"]), "text": WORDS}),
    st.fixed_dictionaries({"type": st.just("toolCall"), "name": WORDS, "arguments": st.just({"path": "a/b.py"})}),
    st.fixed_dictionaries({"type": st.just("thinking"), "thinking": WORDS}),
    st.sampled_from([{"type": "image", "data": "AAAA"}, {}, {"type": "text"}, {"type": 7, "text": 8}]),
)
ANYTHING: st.SearchStrategy[object] = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 5000), st.floats(allow_nan=False), WORDS, st.just([1])
)
TIMES = st.sampled_from(
    [
        "2026-05-01T12:00:00.250Z",
        "2026-05-01T12:00:00+02:00",
        "2026-05-01 12:00",
        "20260501",
        "1777636800",
        "1700-01-01T00:00:00Z",
    ]
)
KEYS = st.one_of(WORDS, st.sampled_from(["k1", "  k2 ", "k" * 600]))
GOOD_KEYS = st.sampled_from(["k1", " 鍵 ", "k\0 2", None])
USUAL: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant", "toolResult", ""]),
        "content": st.one_of(WORDS, st.lists(PARTS, max_size=4)),
    },
    optional={
        "at": st.sampled_from(["2026-05-01T12:00:00.250Z", "2026-05-01T12:00:00+02:00", None]),
        "turnKey": GOOD_KEYS,
        "senderId": GOOD_KEYS,
        "omittedChars": st.integers(0, 9000),
        "more": st.just({"a": 1}),
    },
)
ODD: st.SearchStrategy[object] = st.one_of(
    st.fixed_dictionaries(
        {"role": st.one_of(st.just("user"), ANYTHING), "content": st.one_of(WORDS, ANYTHING)},
        optional={
            "at": st.one_of(TIMES, ANYTHING),
            "turnKey": st.one_of(KEYS, ANYTHING),
            "senderId": st.one_of(KEYS, ANYTHING),
            "omittedChars": ANYTHING,
        },
    ),
    st.fixed_dictionaries({"content": WORDS}),
    ANYTHING,
)


Read = tuple[list[Message], list[object]]
"""Messages, and what is wrong where."""


def by_models(sent: object) -> Read:
    try:
        return [one.to_message() for one in MODELS.validate_python(sent)], []
    except ValidationError as error:
        return [], [(problem["loc"], problem["msg"]) for problem in error.errors()]


def read(sent: object) -> Read:
    try:
        return Body.model_validate({"messages": sent}).messages, []
    except ValidationError as error:
        return [], [(problem["loc"][1:], problem["msg"]) for problem in error.errors()]


def over_the_wire(messages: object) -> object:
    return json.loads(json.dumps(messages))


@given(st.lists(USUAL, max_size=12))
def test_usual_messages_are_read_as_by_their_models(messages: list[dict[str, Any]]) -> None:
    sent = over_the_wire(messages)
    assert read(sent)[1] == []
    assert read(sent) == by_models(sent)


@given(st.lists(st.one_of(USUAL, ODD), max_size=6))
def test_odd_ones_are_read_or_refused_as_by_their_models(messages: list[object]) -> None:
    sent = over_the_wire(messages)
    assert read(sent) == by_models(sent)


@pytest.mark.parametrize("sent", [None, "none", {}, 3])
def test_what_is_no_list_is_refused(sent: object) -> None:
    assert read(sent) == by_models(sent)
    assert read(sent)[1] != []


def test_what_is_wrong_is_named_by_its_place() -> None:
    wrong = [{"role": "user", "content": "a"}, {"role": "user", "content": "b", "at": "yesterday"}]
    with pytest.raises(ValidationError) as refused:
        Body.model_validate({"messages": wrong})
    assert [problem["loc"] for problem in refused.value.errors()] == [("messages", 1, "at")]


def test_a_transcript_has_an_end() -> None:
    with pytest.raises(ValidationError, match="at most 20000"):
        Body.model_validate({"messages": [{"role": "user"}] * 20_001})


def test_halves_of_pairs_and_nul_are_left_out() -> None:
    sent = [
        {"role": "user", "content": "a\ud83d b\0"},
        {"role": "user", "content": [{"type": "text", "text": "\udc4d"}]},
    ]
    assert [message.text for message in Body.model_validate({"messages": sent}).messages] == ["a\ufffd b", "\ufffd"]


def test_the_published_shape_is_that_of_the_messages() -> None:
    shape = Body.model_json_schema()["properties"]["messages"]
    assert shape["items"]["$ref"].endswith("/MessageIn")
    assert shape["maxItems"] == 20_000
