"""Settings in a gateway's configuration: what was mistyped is explained, what only the gateway reads is left alone."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugin.gateway_check import is_remote, setting_problems

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ({"topK": "many"}, "topK: 'many' must be a number"),
        ({"topK": 900}, "topK: 900 is outside 1 to 50, 50 is used"),
        ({"timeoutMs": 1}, "timeoutMs: 1 is outside 250 to 120000, 250 is used"),
        ({"circuitBreaker": {"maxFailures": 0}}, "circuitBreaker.maxFailures: 0 is outside 1 to 100, 1 is used"),
        ({"circuitBreaker": 7}, "circuitBreaker: not a setting of Nightshift"),
        ({"colour": "blue"}, "colour: not a setting of Nightshift"),
        ({"local": {"pot": 1}}, "local.pot: not a setting of Nightshift"),
        ({"memorySlot": "both"}, "memorySlot: 'both' must be one of supplement, replace"),
        ({"autoRecall": "perhaps"}, "autoRecall: 'perhaps' must be true or false"),
        ({"minScore": 0.4}, "minScore: understood as searchThreshold"),
        ({"timeout": 1000}, "timeout: understood as timeoutMs"),
        ({"port": 7462}, "put the port into baseUrl"),
        ({"mode": "remote"}, "baseUrl: mode remote needs the URL"),
        ({"mode": "cloud", "baseUrl": "https://memory.example:x"}, "baseUrl: mode remote needs the URL"),
        ({"mode": "remote", "baseUrl": "http://memory.example"}, "over https:// only"),
        ({"mode": "remote", "baseUrl": "https://memory.example"}, "privacy.ownRemote: must be true"),
        ({"mode": "remote", "baseUrl": "http://127.0.0.1:7462"}, "mode: remote needs the service's token in apiKey"),
    ],
)
def test_what_is_wrong_is_explained(given_: dict[str, Any], words: str) -> None:
    assert any(words in problem for problem in setting_problems(given_)), setting_problems(given_)


@pytest.mark.parametrize(
    "given_",
    [
        {},
        {"topK": 9, "gate": {"focus": 0.2}, "dreamBudget": {"tokens": 1000}, "dreaming": {"enabled": False}},
        {"local": {"command": ["nightshift", "up"], "home": "~/memory"}, "topK": None, "circuitBreaker": None},
        {"apiKey": {"source": "env", "provider": "default", "id": "KEY"}, "topK": "${TOP_K}"},
        {"qdrant": {"url": "${QDRANT}", "apiKey": {"source": "file", "provider": "x", "id": "/q"}}},
        {"mode": "remote", "baseUrl": "${MEMORY}", "apiKey": "${KEY}"},
        {"mode": "remote", "baseUrl": "http://127.0.0.1:7462", "apiKey": "k"},
        {"mode": "remote", "baseUrl": "https://m.example", "apiKey": "${K}", "privacy": {"ownRemote": True}},
        {"mode": "remote", "baseUrl": "https://m.example", "apiKey": "k", "privacy": {"uploadSummariesOnly": "off"}},
        {"identityLinks": {"ada": ["telegram:1"]}, "dreamStateModel": {"provider": "p", "model": "m"}},
    ],
)
def test_what_is_right_or_only_the_gateway_can_read_is_no_problem(given_: dict[str, Any]) -> None:
    assert setting_problems(given_) == []


def test_a_key_that_was_mistyped_stands_in_no_line() -> None:
    secret = "wombat-7"
    content = {"apiKey": [secret], "chatModel": {"apiKey": {secret: 1}}, "database": {"url": 7}}
    assert not any(secret in problem for problem in setting_problems(content))


@pytest.mark.parametrize(
    ("mode", "remote"), [("remote", True), (" Cloud", True), ("local", False), (None, False), (7, False)]
)
def test_cloud_is_remote(mode: object, *, remote: bool) -> None:
    assert is_remote({"mode": mode}) is remote


@given(
    content=st.dictionaries(
        st.text(max_size=12) | st.sampled_from(["mode", "local", "gate", "topK", "tags"]), json_values
    )
)
def test_nothing_a_person_can_type_stops_it(content: dict[str, Any]) -> None:
    assert all(isinstance(problem, str) for problem in setting_problems(content))
