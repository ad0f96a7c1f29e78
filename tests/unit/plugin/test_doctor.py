import json
import os
from pathlib import Path

import pytest

from memory_core.settings_loading import load_settings
from plugin.doctor import Finding, examine, node_fits
from plugin.plug_in import PLUGIN_FOLDER


@pytest.mark.parametrize(
    ("version", "fits"),
    [
        ("v20.20.2", False),
        ("v24.15.9", False),
        ("v24.16.0", True),
        ("v24.99.0", True),
        ("v25.4.0", False),
        ("v26.0.5", False),
        ("v26.1.0", True),
        ("v30.0.0", True),
        ("", False),
        ("nonsense", False),
    ],
)
def test_node_fits_as_the_gateway_declares(version: str, *, fits: bool) -> None:
    assert node_fits(version) is fits


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "token").write_text("0" * 64)
    (home / "token").chmod(0o600)
    return home


def problems(home: Path, **environ: str) -> list[Finding]:
    # Port 1 is nobody's: the service is away.
    settings = load_settings({"NIGHTSHIFT_HOME": str(home), "NIGHTSHIFT_PORT": "1", **environ})
    findings = examine(settings, config=home.parent / "gateway" / "openclaw.json")
    return [finding for finding in findings if finding.mend]


def test_every_problem_comes_with_what_to_do(home: Path) -> None:
    found = {finding.what: finding.mend for finding in problems(home)}
    service = next(what for what in found if what.startswith("service"))
    assert "no service answers at http://127.0.0.1:1" in service
    gateway = next(what for what in found if what.startswith("gateway"))
    assert "no gateway configuration" in gateway
    assert "nightshift connect" in str(found[gateway])


def test_an_open_home_or_token_is_a_problem(home: Path) -> None:
    (home / "token").chmod(0o644)
    assert any("open to others (mode 0644)" in finding.what for finding in problems(home))
    home.chmod(0o755)
    assert any(finding.mend == f"chmod 700 {home}" for finding in problems(home))


def test_settings_out_of_range_are_named(home: Path) -> None:
    (home / "preferences.json").write_text(json.dumps({"topK": 900, "tpoK": 1}))
    whats = [finding.what for finding in problems(home)]
    assert "setting topK: 900 is outside 1 to 50, 50 is used" in whats
    assert "setting tpoK: not a setting of Nightshift" in whats


def test_what_the_gateway_lacks_is_listed(home: Path) -> None:
    folder = home.parent / "gateway"
    folder.mkdir()
    (folder / "openclaw.json").write_text('{"plugins": {"allow": ["memory-core"]}}')
    found = [finding for finding in problems(home) if "gateway" in finding.what]
    keys = [finding.what.split("wants ")[1].split(":")[0] for finding in found]
    assert "plugins.allow" in keys
    assert "plugins.entries.nightshift.hooks.allowConversationAccess" in keys
    assert {finding.mend for finding in found} == {"nightshift connect"}


def test_the_token_is_never_shown(home: Path) -> None:
    token = "f" * 64
    (home / "token").write_text(token)
    assert not any(token in f"{finding.what} {finding.mend}" for finding in problems(home))


def test_no_node_is_a_problem_but_stops_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    assert any("Node.js is not on the PATH" in finding.what for finding in problems(home))


def gateway_with(home: Path, config: dict[str, object]) -> None:
    folder = home.parent / "gateway"
    folder.mkdir()
    plugins = {"load": {"paths": [str(PLUGIN_FOLDER)]}, "entries": {"nightshift": {"config": config}}}
    (folder / "openclaw.json").write_text(json.dumps({"plugins": plugins}))


def test_settings_mistyped_in_the_gateway_are_explained(home: Path) -> None:
    gateway_with(home, {"timeoutMs": 1, "colour": "blue"})
    found = [finding for finding in problems(home) if "setting " in finding.what]
    told = [finding.what.split(": setting ")[1] for finding in found]
    assert told == [
        "timeoutMs: 1 is outside 250 to 120000, 250 is used",
        "colour: not a setting of Nightshift",
    ]
    assert all("plugins.entries.nightshift.config" in str(finding.mend) for finding in found)


def test_a_slot_that_does_not_fit_the_setting_is_a_mismatch(home: Path) -> None:
    gateway_with(home, {"memorySlot": "replace"})
    assert any('plugins.slots.memory: "nightshift"' in finding.what for finding in problems(home))


def test_of_a_gateway_with_a_remote_service_that_one_is_looked_at(home: Path) -> None:
    gateway_with(home, {"mode": "remote", "baseUrl": "http://127.0.0.1:1", "apiKey": "k"})
    whats = [finding.what for finding in problems(home)]
    assert any(what.startswith("remote service: no service answers at http://127.0.0.1:1") for what in whats)
    assert not any(what.startswith("service") for what in whats)


def test_a_remote_service_whose_key_only_the_gateway_can_read_is_not_asked(home: Path) -> None:
    gateway_with(home, {"mode": "remote", "baseUrl": "http://127.0.0.1:1", "apiKey": "${KEY}"})
    assert not any("remote service" in finding.what for finding in problems(home))
