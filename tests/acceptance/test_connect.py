"""What `nightshift connect` writes is accepted by the real gateway, which loads the plugin with all it needs."""

import json
from pathlib import Path
from typing import Any

from tests.acceptance.up_process import free_port, nightshift
from tests.rig.commands import run_cli
from tests.rig.configuration import config_path


def test_the_gateway_accepts_the_configuration_and_loads_the_plugin(rig: Path, tmp_path: Path) -> None:
    config = config_path(tmp_path)
    config.parent.mkdir(parents=True)
    config.write_text(json.dumps({"gateway": {"mode": "local"}, "plugins": {"allow": ["memory-core"]}}))
    memory, port = tmp_path / "memory", free_port()
    connected = nightshift(memory, port, "connect", "--config", str(config))
    assert connected.returncode == 0, connected.stderr

    done = run_cli(rig, tmp_path, arguments=["plugins", "inspect", "nightshift", "--runtime", "--json"])
    assert done.returncode == 0, done.stderr
    inspected: dict[str, Any] = json.loads(done.stdout)
    assert inspected["plugin"]["status"] == "loaded"
    assert {"before_prompt_build", "agent_end"} <= {hook["name"] for hook in inspected["typedHooks"]}
    blocked = [entry["message"] for entry in inspected["diagnostics"] if "verify where" not in entry["message"]]
    assert blocked == []

    doctor = nightshift(memory, port, "doctor", "--config", str(config))
    assert f"ok       gateway {config}" in doctor.stdout.splitlines()
