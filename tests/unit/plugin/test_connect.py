import json
import stat
from pathlib import Path
from typing import Any

import pytest

from memory_core.errors import Conflict, Invalid, NotFound
from memory_core.settings import Settings
from memory_core.settings_loading import load_settings
from plugin.connect import connect_gateway
from plugin.gateway_config import find_config, read_config
from plugin.plug_in import PLUGIN_FOLDER, plug_in

OURS = str(PLUGIN_FOLDER)
USUAL = load_settings({})
PLUGGED_IN = {
    "load": {"paths": [OURS]},
    "entries": {"nightshift": {"enabled": True, "hooks": {"allowConversationAccess": True}}},
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "openclaw.json"


def connect(path: Path, settings: Settings = USUAL, *, print_only: bool = False) -> list[str]:
    return list(connect_gateway(settings, path, print_only=print_only))


def plugged(content: dict[str, Any], path: Path, *, settings: Settings = USUAL) -> dict[str, Any]:
    path.write_text(json.dumps(content))
    changed, _ = plug_in(read_config(path), settings)
    return json.loads(json.dumps(changed))


@pytest.mark.parametrize(
    ("environ", "found"),
    [
        ({}, "/h/.openclaw/openclaw.json"),
        ({"OPENCLAW_HOME": "/o"}, "/o/.openclaw/openclaw.json"),
        ({"OPENCLAW_HOME": "~/svc"}, "/h/svc/.openclaw/openclaw.json"),
        ({"OPENCLAW_HOME": "/o", "OPENCLAW_STATE_DIR": "~/state"}, "/o/state/openclaw.json"),
        ({"OPENCLAW_STATE_DIR": "/s", "OPENCLAW_CONFIG_PATH": "/c/my.json"}, "/c/my.json"),
        ({"OPENCLAW_HOME": " undefined ", "OPENCLAW_STATE_DIR": ""}, "/h/.openclaw/openclaw.json"),
    ],
)
def test_the_file_is_found_as_the_gateway_finds_it(environ: dict[str, str], found: str) -> None:
    assert find_config({"HOME": "/h", **environ}) == Path(found)


def test_a_gateway_without_plugins_gets_all_it_needs_and_keeps_the_rest(path: Path) -> None:
    path.write_text('{\n    "gateway": {"port": 18789},\n    "agents": {"name": "Ünal"}\n}\n')
    path.chmod(0o640)
    connect(path)
    assert json.loads(path.read_text()) == {
        "gateway": {"port": 18789},
        "agents": {"name": "Ünal"},
        "plugins": PLUGGED_IN,
    }
    assert "Ünal" in path.read_text()
    assert path.read_text().startswith('{\n    "gateway"')
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_the_file_as_it_was_is_kept_each_time(path: Path) -> None:
    for number, text in enumerate(['{"a": 1}', '{"a": 2}'], start=1):
        path.write_text(text)
        connect(path)
        backup = path.with_name(f"openclaw.json.before-nightshift-{number}")
        assert backup.read_text() == text
        assert stat.S_IMODE(backup.stat().st_mode) == 0o600


def test_the_second_time_nothing_is_written(path: Path) -> None:
    path.write_text("{}")
    connect(path)
    before = path.stat().st_mtime_ns, sorted(entry.name for entry in path.parent.iterdir())
    assert connect(path) == [f"{path} has all that Nightshift needs"]
    assert (path.stat().st_mtime_ns, sorted(entry.name for entry in path.parent.iterdir())) == before


def test_print_says_every_change_and_writes_nothing(path: Path) -> None:
    path.write_text('{"plugins": {"entries": {"nightshift": {"enabled": false}}}}')
    lines = connect(path, print_only=True)
    assert "  plugins.entries.nightshift.enabled: false -> true" in lines
    assert f"  plugins.load.paths: {json.dumps([OURS])}" in lines
    assert [entry.name for entry in path.parent.iterdir()] == ["openclaw.json"]
    assert path.read_text() == '{"plugins": {"entries": {"nightshift": {"enabled": false}}}}'


def test_secrets_beside_the_changes_are_not_shown(path: Path) -> None:
    path.write_text('{"gateway": {"auth": {"token": "s3cret"}}, "plugins": {"entries": {"x": {"config": "s3cret"}}}}')
    assert "s3cret" not in "\n".join(connect(path))


@pytest.mark.parametrize(
    "text",
    [
        "// mine\n{}",
        "{gateway: {port: 1}}",
        '{"plugins": {"$include": "./plugins.json"}}',
    ],
)
def test_what_writing_would_lose_is_left_alone_and_said(path: Path, text: str) -> None:
    path.write_text(text)
    with pytest.raises(Conflict, match="left alone"):
        connect(path)
    assert path.read_text() == text
    lines = list(connect_gateway(USUAL, path, print_only=True))
    assert f"  plugins.load.paths: {json.dumps([OURS])}" in lines


def test_the_part_to_add_by_hand_is_json(path: Path) -> None:
    path.write_text("// mine\n{}")
    shown: list[str] = []
    with pytest.raises(Conflict):
        shown.extend(connect_gateway(USUAL, path, print_only=False))
    assert json.loads(shown[-1]) == {"plugins": PLUGGED_IN}


def test_a_commented_file_that_has_it_all_is_fine(path: Path) -> None:
    path.write_text("// mine\n" + json.dumps({"plugins": PLUGGED_IN}))
    assert connect(path) == [f"{path} has all that Nightshift needs"]


def test_a_symbolic_link_stays_one(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "real.json"
    target.write_text("{}")
    path.symlink_to(target)
    connect(path)
    assert path.is_symlink()
    assert json.loads(target.read_text()) == {"plugins": PLUGGED_IN}


def test_a_gateway_that_was_never_configured_gets_a_private_file(path: Path) -> None:
    connect(path)
    assert json.loads(path.read_text()) == {"plugins": PLUGGED_IN}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_no_gateway_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="install OpenClaw first"):
        connect(tmp_path / ".openclaw" / "openclaw.json")


@pytest.mark.parametrize("text", ["", "{", "[]", "\x00"])
def test_a_broken_file_is_named(path: Path, text: str) -> None:
    path.write_text(text)
    with pytest.raises(Invalid, match=r"openclaw\.json"):
        connect(path)


def test_an_allow_list_is_extended_and_a_deny_list_shortened(path: Path) -> None:
    lists = {"allow": ["memory-core"], "deny": ["nightshift", "other"]}
    plugins = plugged({"plugins": lists}, path)["plugins"]
    assert plugins["allow"] == ["memory-core", "nightshift"]
    assert plugins["deny"] == ["other"]


def test_an_empty_allow_list_allows_all_and_stays_empty(path: Path) -> None:
    assert plugged({"plugins": {"allow": []}}, path)["plugins"]["allow"] == []


def test_plugins_that_were_switched_off_are_switched_on(path: Path) -> None:
    off = {"enabled": False, "entries": {"nightshift": {"hooks": {"allowPromptInjection": False}}}}
    plugins = plugged({"plugins": off}, path)["plugins"]
    assert plugins["enabled"] is True
    assert plugins["entries"]["nightshift"]["hooks"] == {"allowConversationAccess": True, "allowPromptInjection": True}


def test_other_copies_of_the_plugin_give_way_to_this_one(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "openclaw.plugin.json").write_text('{id: "nightshift"}')
    other = tmp_path / "other"
    other.mkdir()
    gone = "/nowhere/nightshift/plugin/openclaw"
    paths = [str(copy), str(other), gone]
    plugins = plugged({"plugins": {"load": {"paths": paths}}}, path)["plugins"]
    assert plugins["load"]["paths"] == [str(other), OURS]


def test_an_unusual_home_and_port_are_told_to_the_gateway(path: Path, tmp_path: Path) -> None:
    settings = load_settings({"NIGHTSHIFT_HOME": str(tmp_path / "h"), "NIGHTSHIFT_PORT": "7999"})
    content = plugged({}, path, settings=settings)
    config = content["plugins"]["entries"]["nightshift"]["config"]
    assert config == {"local": {"home": str(tmp_path / "h")}, "baseUrl": "http://127.0.0.1:7999"}
    path.write_text(json.dumps(content))
    assert plug_in(read_config(path), settings)[1] == []
    assert [change.key for change in plug_in(read_config(path), USUAL)[1]] == [
        "plugins.entries.nightshift.config.local.home",
        "plugins.entries.nightshift.config.baseUrl",
    ]


def test_a_remote_service_is_not_touched(path: Path, tmp_path: Path) -> None:
    settings = load_settings({"NIGHTSHIFT_HOME": str(tmp_path / "h"), "NIGHTSHIFT_PORT": "7999"})
    remote = {"mode": "remote", "baseUrl": "https://memory.example"}
    content = plugged({"plugins": {"entries": {"nightshift": {"config": remote}}}}, path, settings=settings)
    assert content["plugins"]["entries"]["nightshift"]["config"] == remote


@pytest.mark.parametrize(
    ("mode", "slot", "after"),
    [
        ("replace", None, "nightshift"),
        ("replace", "memory-core", "nightshift"),
        ("supplement", "nightshift", "memory-core"),
        ("supplement", "memory-lancedb", "memory-lancedb"),
        (None, "none", "none"),
        (None, None, None),
    ],
)
def test_the_memory_slot_follows_the_setting(
    path: Path, *, mode: str | None, slot: str | None, after: str | None
) -> None:
    config = {"memorySlot": mode} if mode else {}
    plugins: dict[str, Any] = {"entries": {"nightshift": {"config": config}}, "slots": {"memory": slot} if slot else {}}
    assert plugged({"plugins": plugins}, path)["plugins"]["slots"].get("memory") == after


@pytest.mark.parametrize("before", [None, {"enabled": True}])
def test_as_the_gateways_memory_its_own_nightly_work_is_switched_off_unless_somebody_chose(
    path: Path, *, before: dict[str, bool] | None
) -> None:
    config = {"memorySlot": "Replace ", **({"dreaming": before} if before else {})}
    content = plugged({"plugins": {"entries": {"nightshift": {"config": config}}}}, path)
    assert content["plugins"]["slots"] == {"memory": "nightshift"}
    assert content["plugins"]["entries"]["nightshift"]["config"]["dreaming"] == (before or {"enabled": False})


@pytest.mark.parametrize(
    ("engine", "slot", "after"),
    [
        (None, None, None),
        (None, "nightshift", "nightshift"),
        (True, None, "nightshift"),
        (True, "legacy", "nightshift"),
        (False, "nightshift", "legacy"),
        (False, "another", "another"),
    ],
)
def test_the_context_engine_is_chosen_only_when_asked_for(
    path: Path, *, engine: bool | None, slot: str | None, after: str | None
) -> None:
    path.write_text(json.dumps({"plugins": {"slots": {"contextEngine": slot} if slot else {}}}))
    changed, _ = plug_in(read_config(path), USUAL, engine=engine)
    plugins: dict[str, Any] = json.loads(json.dumps(changed))["plugins"]
    assert plugins.get("slots", {}).get("contextEngine") == after


@pytest.mark.parametrize("wanted", ["scripted/dreamer", {"provider": "scripted", "model": "dreamer"}])
def test_a_model_of_its_own_for_the_dream_run_is_allowed_that_one_only(path: Path, wanted: object) -> None:
    llm = {"allowedModels": ["p/other"], "allowedCompletionModels": ["p/agent"]}
    entry = {"config": {"dreamStateModel": wanted}, "llm": llm}
    content = plugged({"plugins": {"entries": {"nightshift": entry}}}, path)
    assert content["plugins"]["entries"]["nightshift"]["llm"] == {
        "allowModelOverride": True,
        "allowedModels": ["p/other", "scripted/dreamer"],
        "allowedCompletionModels": ["p/agent", "scripted/dreamer"],
    }
    again = plugged(content, path)
    assert again == content


def test_the_services_own_dream_model_is_allowed_too_and_a_list_of_all_stays(path: Path, tmp_path: Path) -> None:
    home = tmp_path / "h"
    home.mkdir()
    (home / "preferences.json").write_text(json.dumps({"dreamState": {"model": "scripted/dreamer"}}))
    settings = load_settings({"NIGHTSHIFT_HOME": str(home)})
    content = plugged({}, path, settings=settings)
    assert content["plugins"]["entries"]["nightshift"]["llm"] == {
        "allowModelOverride": True,
        "allowedModels": ["scripted/dreamer"],
    }
    everything = {"plugins": {"entries": {"nightshift": {"llm": {"allowedModels": ["*"]}}}}}
    kept = plugged(everything, path, settings=settings)["plugins"]["entries"]["nightshift"]["llm"]
    assert kept["allowedModels"] == ["*"]
