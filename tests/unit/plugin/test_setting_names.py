"""Manifest, service and documentation name the same settings with the same ranges."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from memory_core.setting_keys import ALIASES, GATEWAY_KEYS, KEYS
from memory_core.settings_loading import load_settings

REPOSITORY = Path(__file__).resolve().parents[3]
MANIFEST: dict[str, Any] = json.loads(
    (REPOSITORY / "plugin" / "openclaw" / "openclaw.plugin.json").read_text(encoding="utf-8")
)
HINTS: dict[str, dict[str, object]] = MANIFEST["uiHints"]
NOT_IN_THE_GATEWAY = {"port"}
"""The gateway has it in `baseUrl`."""
RANGED = {key: place for key, place in {**KEYS, **GATEWAY_KEYS}.items() if place.low is not None}


def documented() -> dict[str, str]:
    """Row of each key in the tables of docs/settings.md that have a column for the range."""
    text = (REPOSITORY / "docs" / "settings.md").read_text(encoding="utf-8")
    rows: dict[str, str] = {}
    for line in text.split("## Names that are understood too")[0].splitlines():
        if line.startswith("| `"):
            for key in re.findall(r"`([\w.]+)`", line.split("|")[1]):
                assert key not in rows, f"{key} stands twice"
                rows[key] = line
    return rows


def test_no_setting_is_both_the_services_and_the_gateways_alone() -> None:
    assert not set(KEYS) & set(GATEWAY_KEYS)


def test_the_manifest_hints_at_every_setting_and_every_alias_and_at_nothing_else() -> None:
    assert set(HINTS) == (set(KEYS) | set(GATEWAY_KEYS) | set(ALIASES)) - NOT_IN_THE_GATEWAY


def test_the_documentation_has_a_row_for_every_setting_and_for_nothing_else() -> None:
    assert set(documented()) == set(KEYS) | set(GATEWAY_KEYS)


@pytest.mark.parametrize("key", sorted(RANGED))
def test_the_range_is_the_same_everywhere(key: str) -> None:
    low, high = (int(bound or 0) for bound in (RANGED[key].low, RANGED[key].high))
    assert f"{low}-{high}" in documented()[key]
    if key not in NOT_IN_THE_GATEWAY:
        assert f"{low} to {high}." in str(HINTS[key]["help"])


def test_secrets_are_declared_so_that_the_gateway_resolves_them() -> None:
    declared = {item["path"] for item in MANIFEST["configContracts"]["secretInputs"]["paths"]}
    assert declared == {key for key, hint in HINTS.items() if hint.get("sensitive")}
    assert declared <= set(KEYS) | set(GATEWAY_KEYS)


def test_settings_of_the_gateway_in_the_services_file_are_known_and_checked(tmp_path: Path) -> None:
    content = {
        "mode": "cloud",
        "memorySlot": "replace",
        "local": {"command": ["nightshift", "up"], "timeout": 5},
        "circuitBreaker": {"maxFailures": 4},
        "autoRecall": "off",
        "dreaming": {"enabled": False},
    }
    (tmp_path / "preferences.json").write_text(json.dumps(content), encoding="utf-8")
    assert load_settings({"NIGHTSHIFT_HOME": str(tmp_path)}).problems == (
        "local.timeout: 5 is outside 1000 to 600000, 1000 is used",
    )
