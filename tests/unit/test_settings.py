"""What a person typed becomes settings that are in range, and a line for each thing that was wrong."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.settings import Reinject, ScopeRule, Settings
from memory_core.settings_loading import KEYS, VARIABLES, load_settings, variable

RANGED = {key: place for key, place in KEYS.items() if place.low is not None}
typed = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.lists(st.text(max_size=3), max_size=2),
    st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=2),
)


def load(
    home: Path,
    overrides: Mapping[str, object] | None = None,
    *,
    content: object = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    if content is not None:
        text = content if isinstance(content, str) else json.dumps(content)
        (home / "preferences.json").write_text(text, encoding="utf-8")
    return load_settings({"NIGHTSHIFT_HOME": str(home), **(environ or {})}, overrides=overrides)


def value_of(settings: Settings, key: str) -> object:
    place = KEYS[key]
    return getattr(getattr(settings, place.group) if place.group else settings, place.name)


def test_nothing_given_means_the_documented_defaults(tmp_path: Path) -> None:
    settings = load(tmp_path)
    assert settings.problems == ()
    assert (settings.port, settings.listen) == (7461, "127.0.0.1")
    assert (settings.recall.top_k, settings.recall.search_threshold, settings.recall.min_prompt_chars) == (5, 0.3, 8)
    assert (settings.recall.recall_budget_ms, settings.recall.inject_chars) == (1500, 4000)
    assert settings.recall.inject_chars_per_memory == 400
    assert (settings.capture.consolidation_threshold, settings.capture.idle_consolidation_timeout_s) == (20, 300)
    assert (settings.capture.session_ttl_s, settings.capture.pii_redaction) == (3600, True)
    assert (settings.identity.project, settings.identity.user_id) == ("CognitiveMemory", "default")
    assert settings.identity.scope is ScopeRule.USER
    assert settings.database_url == f"sqlite:///{tmp_path / 'nightshift.sqlite3'}"


def test_the_home_is_under_the_users_own_when_none_is_named() -> None:
    assert load_settings({}).home == Path.home() / ".nightshift"


def test_the_gateway_goes_before_the_environment_and_that_before_the_file(tmp_path: Path) -> None:
    content = {"topK": 1, "minPromptChars": 1, "injectChars": 1000}
    environ = {"NIGHTSHIFT_TOP_K": "2", "NIGHTSHIFT_MIN_PROMPT_CHARS": "2"}
    recall = load(tmp_path, content=content, environ=environ, overrides={"topK": 3}).recall
    assert (recall.top_k, recall.min_prompt_chars, recall.inject_chars) == (3, 2, 1000)


def test_a_value_that_cannot_be_used_hides_none_of_a_weaker_source(tmp_path: Path) -> None:
    settings = load(tmp_path, content={"topK": 9}, environ={"NIGHTSHIFT_TOP_K": "many"})
    assert settings.recall.top_k == 9
    assert settings.problems == ("topK: 'many' must be a number, so it is ignored",)


def test_an_empty_variable_is_no_value(tmp_path: Path) -> None:
    settings = load(tmp_path, content={"topK": 9}, environ={"NIGHTSHIFT_TOP_K": ""})
    assert (settings.recall.top_k, settings.problems) == (9, ())


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("topK", "NIGHTSHIFT_TOP_K"),
        ("qdrant.url", "NIGHTSHIFT_QDRANT_URL"),
        ("qdrant.apiKey", "NIGHTSHIFT_QDRANT_API_KEY"),
        ("prefect.apiUrl", "NIGHTSHIFT_PREFECT_API_URL"),
        ("injectCharsPerMemory", "NIGHTSHIFT_INJECT_CHARS_PER_MEMORY"),
        ("port", "NIGHTSHIFT_PORT"),
    ],
)
def test_each_setting_has_its_variable(key: str, name: str) -> None:
    assert variable(key) == name


def test_every_setting_has_a_variable_of_its_own() -> None:
    assert sorted(key for key in VARIABLES.values() if key in KEYS) == sorted(KEYS)


@pytest.mark.parametrize("key", RANGED)
def test_a_number_out_of_range_is_clamped_and_reported_with_its_range(tmp_path: Path, key: str) -> None:
    low, high = RANGED[key].low, RANGED[key].high
    assert low is not None
    assert high is not None
    for given_value, used in ((low - 1, low), (high + 1, high)):
        settings = load(tmp_path, {key: given_value})
        assert value_of(settings, key) == used
        assert len(settings.problems) == 1
        for part in (key, str(given_value), str(low), str(high)):
            assert part in settings.problems[0]


@pytest.mark.parametrize("key", RANGED)
def test_the_ends_of_a_range_are_within_it(tmp_path: Path, key: str) -> None:
    for end in (RANGED[key].low, RANGED[key].high):
        settings = load(tmp_path, {key: end})
        assert value_of(settings, key) == end
        assert settings.problems == ()


@pytest.mark.parametrize("word", ["nan", "NaN", "many", "", " ", "1,5", "0x10", None, True, [1], {"a": 1}])
@pytest.mark.parametrize("key", ["topK", "searchThreshold"])
def test_what_is_no_number_leaves_the_default(tmp_path: Path, key: str, *, word: object) -> None:
    settings = load(tmp_path, {key: word})
    assert value_of(settings, key) == value_of(load(tmp_path), key)
    assert settings.problems
    assert settings.problems[0].startswith(f"{key}: ")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("on", True),
        ("OFF", False),
        ("1", True),
        ("0", False),
        ("yes", True),
        ("no", False),
        (True, True),
        (False, False),
    ],
)
def test_switches_are_read_as_people_write_them(tmp_path: Path, word: object, *, meant: bool) -> None:
    settings = load(tmp_path, {"piiRedaction": word})
    assert settings.capture.pii_redaction is meant
    assert settings.problems == ()


def test_an_unclear_switch_leaves_the_default(tmp_path: Path) -> None:
    settings = load(tmp_path, {"piiRedaction": "maybe"})
    assert settings.capture.pii_redaction
    assert "piiRedaction: 'maybe' must be true or false" in settings.problems[0]


@pytest.mark.parametrize("word", ["once", "ONCE", " once "])
def test_reinject_is_read_whatever_its_case(tmp_path: Path, word: str) -> None:
    settings = load(tmp_path, {"reinject": word})
    assert (settings.recall.reinject, settings.problems) == (Reinject.ONCE, ())


@pytest.mark.parametrize("word", ["twice", "", None, True, ["once"]])
def test_an_unknown_reinject_leaves_the_default_and_names_the_words(tmp_path: Path, word: object) -> None:
    settings = load(tmp_path, {"reinject": word})
    assert settings.recall.reinject is Reinject.RELEVANT
    assert settings.problems[0].startswith("reinject: ")
    assert "must be one of relevant, once" in settings.problems[0]


@pytest.mark.parametrize("word", ["agent", "AGENT", " agent "])
def test_scope_is_read_whatever_its_case(tmp_path: Path, word: str) -> None:
    assert load(tmp_path, {"scope": word}).identity.scope is ScopeRule.AGENT


def test_an_unknown_scope_names_the_choices(tmp_path: Path) -> None:
    settings = load(tmp_path, {"scope": "everyone"})
    assert settings.identity.scope is ScopeRule.USER
    assert "user, fixed, agent, session, sender" in settings.problems[0]


@pytest.mark.parametrize(
    ("alias", "word", "key", "used"),
    [
        ("recallScope", "sender", "scope", ScopeRule.SENDER),
        ("memoryScope", "global", "scope", ScopeRule.FIXED),
        ("minScore", 0.5, "searchThreshold", 0.5),
    ],
)
def test_names_of_other_plugins_are_understood_and_reported(
    tmp_path: Path, alias: str, *, word: object, key: str, used: object
) -> None:
    settings = load(tmp_path, {alias: word})
    assert value_of(settings, key) == used
    assert settings.problems == (f"{alias}: understood as {key}",)


def test_our_own_name_goes_before_an_alias_beside_it_but_not_before_a_stronger_source(tmp_path: Path) -> None:
    assert load(tmp_path, {"minScore": 0.9, "searchThreshold": 0.2}).recall.search_threshold == 0.2
    assert load(tmp_path, overrides={"minScore": 0.9}, content={"searchThreshold": 0.2}).recall.search_threshold == 0.9


@pytest.mark.parametrize("zone", ["Europe/Nowhere", "", "../../etc/passwd", "Europe", "\0", 5, None])
def test_a_wrong_time_zone_leaves_the_systems(tmp_path: Path, zone: object) -> None:
    settings = load(tmp_path, {"timezone": zone})
    assert settings.identity.timezone == load(tmp_path).identity.timezone
    assert "timezone: " in settings.problems[0]


@pytest.mark.parametrize("zone", ["Nowhere/Really", "CET-1CEST", "/etc/passwd", ":"])
def test_a_system_zone_that_cannot_be_used_does_not_stop_the_service(tmp_path: Path, zone: str) -> None:
    script = "from memory_core.settings_loading import load_settings; print(load_settings().identity.timezone)"
    environ = {**os.environ, "TZ": zone, "NIGHTSHIFT_HOME": str(tmp_path)}
    command = [sys.executable, "-W", "error", "-c", script]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True, timeout=60)
    assert ZoneInfo(done.stdout.strip()).key


def test_identity_links_come_as_an_object_or_as_its_json(tmp_path: Path) -> None:
    wanted = {"ana": ("telegram:7", "slack:U7")}
    links = {"ana": ["telegram:7", "slack:U7"]}
    assert load(tmp_path, {"identityLinks": links}).identity.identity_links == wanted
    assert load(tmp_path, content={"identityLinks": links}).identity.identity_links == wanted
    environ = {"NIGHTSHIFT_IDENTITY_LINKS": json.dumps(links)}
    assert load(tmp_path, environ=environ).identity.identity_links == wanted


@pytest.mark.parametrize("links", ["{", "[]", "5", [], {"ana": "telegram:7"}, "[" * 100_000])
def test_wrong_identity_links_link_nobody(tmp_path: Path, links: object) -> None:
    settings = load(tmp_path, {"identityLinks": links})
    assert settings.identity.identity_links == {}
    assert "identityLinks: " in settings.problems[0]
    assert len(settings.problems[0]) < 300


def test_levels_in_the_file_are_dots_in_the_name(tmp_path: Path) -> None:
    content = {"database": {"url": "postgresql://h/d"}, "qdrant": {"url": "http://q", "apiKey": "k"}}
    settings = load(tmp_path, content=content)
    assert settings.database_url == "postgresql://h/d"
    assert (settings.backends.qdrant_url, settings.backends.qdrant_api_key) == ("http://q", "k")


def test_an_unknown_name_is_reported(tmp_path: Path) -> None:
    settings = load(tmp_path, content={"topk": 3, "qdrant": {"uri": "x"}})
    assert settings.problems == ("topk: not a setting of Nightshift", "qdrant.uri: not a setting of Nightshift")


@pytest.mark.parametrize("content", ["", "{", "[1]", "null", "\ufeff{}", "[" * 200_000, '{"topK": NaN}'])
def test_a_file_that_cannot_be_read_leaves_the_defaults(tmp_path: Path, content: str) -> None:
    settings = load(tmp_path, content=content)
    assert settings.recall.top_k == 5
    assert len(settings.problems) == 1


def test_a_file_of_other_bytes_leaves_the_defaults(tmp_path: Path) -> None:
    (tmp_path / "preferences.json").write_bytes(b'{"project": "\xff\xfe"}')
    settings = load(tmp_path)
    assert settings.identity.project == "CognitiveMemory"
    assert "preferences.json: can't be read" in settings.problems[0]


@pytest.mark.parametrize("key", ["database.url", "qdrant.apiKey", "prefect.apiKey", "prefect.apiUrl"])
def test_no_report_shows_a_value_that_may_hold_a_secret(tmp_path: Path, key: str) -> None:
    settings = load(tmp_path, {key: {"password": "hunter2"}})
    assert settings.problems
    assert "hunter2" not in str(settings.problems)


@given(st.dictionaries(st.sampled_from(sorted(KEYS)) | st.text(max_size=8), typed, max_size=6))
def test_whatever_is_typed_the_settings_are_in_range(overrides: dict[str, object]) -> None:
    settings = load_settings({"NIGHTSHIFT_HOME": "/nowhere/at/all"}, overrides=overrides)
    for key, place in RANGED.items():
        value = value_of(settings, key)
        assert isinstance(value, int | float)
        assert place.low is not None
        assert place.high is not None
        assert place.low <= value <= place.high
    assert isinstance(settings.identity.project, str)
    assert settings.identity.project
