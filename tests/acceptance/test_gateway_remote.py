"""A gateway whose service somebody else runs, and two gateways that share one service."""

import signal
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tests.acceptance.live import OWNER, PLUGIN, PLUGIN_FOLDER, Live
from tests.acceptance.up_process import UpProcess
from tests.rig.configuration import GatewaySetup, write_config
from tests.rig.gateway import Gateway, wait_for
from tests.rig.model_steps import reply, tool_call, tool_results

pytestmark = pytest.mark.timeout(900)

NOTHING_DONE = "Nothing was read or changed"
REFUSED: list[tuple[dict[str, object], str]] = [
    ({}, "baseUrl: mode remote needs the URL of your own service"),
    (
        {"baseUrl": "http://memory.example:7461", "apiKey": "k"},
        "baseUrl: turns go to another machine over https:// only",
    ),
    ({"baseUrl": "https://memory.example", "apiKey": "k"}, "privacy.ownRemote: a remote service gets every turn whole"),
    (
        {"baseUrl": "https://memory.example", "privacy": {"ownRemote": True}},
        "mode: remote needs the service's token in apiKey",
    ),
]
"""Settings of a remote service, and why none of it is asked."""
LEFT_ALONE_S = 15
"""Longer than the supervisor takes to notice that its gateway is gone and to look for others once more."""


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[UpProcess]:
    """A service that no gateway started."""
    running = UpProcess(tmp_path_factory.mktemp("remote") / "ns", "--no-demo")
    try:
        wait_for(running.is_ready, timeout_s=180, what="the remote service")
        yield running
    finally:
        running.clean_up()


def test_a_remote_service_gets_recall_capture_and_tools_and_the_own_one_nothing(live: Live, remote: UpProcess) -> None:
    token = _token(remote)
    before = {process.pid for process in live.processes()}
    _configure(live, {"mode": "remote", "baseUrl": remote.url, "apiKey": token, "sessionTtl": 100})
    try:
        live.model.push(tool_call("memory_store", {"text": "The gondola is painted vermilion."}), reply("noted"))
        live.gateway.operator_turn("Remember the gondola", session="agent:main:gondola")
        _wait_remembered(remote, "vermilion", asked="Which colour has the gondola?")
        _, given = live.operator("Which colour has the gondola?", session="agent:main:gondola-asked")
        live.operator("My harmonica is in the key of C sharp.", session="agent:main:harmonica")
        _ask(remote, "/v1/tools/memory_consolidate", body={"session": OWNER, "arguments": {"wait": True}})
        _wait_remembered(remote, "harmonica", asked="In which key is my harmonica?")
        # The own service waited a moment for the plugin's successor, and ended when that was of another kind.
        wait_for(lambda: not live.processes(), timeout_s=60, what="the end of the local service")
    finally:
        _configure(live, {"mode": None, "baseUrl": None, "apiKey": None, "sessionTtl": None})
        live.wait_ready()
    _, locally = live.operator("Which colour has the gondola, please?", session="agent:main:gondola-local")

    assert "vermilion" in given
    assert "vermilion" not in locally
    assert "sessionTtl: without effect in mode remote" in live.gateway.output()
    assert not {process.pid for process in live.processes()} & before
    assert token not in live.gateway.output()


def test_remote_services_that_may_not_be_used_are_refused_and_the_tools_say_why(live: Live) -> None:
    unset: dict[str, object] = {"mode": None, "baseUrl": None, "apiKey": None, "privacy": None}
    said: list[str] = []
    try:
        for config, _ in REFUSED:
            _configure(live, {**unset, "mode": "remote", **config})
            live.model.push(tool_call("nightshift_search", {"query": "gondola"}), reply("done"))
            turn = live.gateway.operator_turn("Search for the gondola", session="agent:main:refused")
            assert turn.text == "done"
            said.append(tool_results(live.model.requests[-1])[-1])
    finally:
        _configure(live, unset)
        live.wait_ready()

    for answer, told in zip(said, [told for _, told in REFUSED], strict=True):
        assert told in answer
        assert NOTHING_DONE in answer
        assert f"memory is off: {told.split(':')[0]}" in live.gateway.output()


def test_a_service_stays_while_another_gateway_uses_it_and_ends_with_the_last(live: Live, tmp_path: Path) -> None:
    live.operator("My lute was strung in Cremona.", session="agent:main:lute")
    live.wait_remembered("Cremona", asked="Where was my lute strung?")
    (service,) = live.processes("plugin.service")
    (supervisor,) = live.processes("plugin.cli")
    write_config(tmp_path, GatewaySetup(plugin_folder=PLUGIN_FOLDER, model_url=live.model.url))
    other = Gateway(live.cache, tmp_path, extra=live.environment)
    try:
        wait_for(lambda: len(_gateways(live)) == 2, timeout_s=60, what="both gateways at the service")
        assert "joined the memory service" in other.output()

        live.gateway.kill()
        with pytest.raises(TimeoutError):
            wait_for(lambda: not _lives(supervisor), timeout_s=LEFT_ALONE_S, what="an end that must not come")
        other.operator_turn("Where was my lute strung?", session="agent:main:lute-asked")
        given = live.given_with("Where was my lute strung?")
    finally:
        other.stop()
    # The last one left: nobody uses it any more.
    wait_for(lambda: not _lives(supervisor), timeout_s=60, what="the end of the service")

    assert "Cremona" in given
    assert not _lives(service)
    log = (live.home / "ns" / "logs" / "sidecar.log").read_text(encoding="utf-8")
    assert "it stays for other gateways that use it (1)" in log
    assert "ending: no gateway uses this any more" in log
    live.restart()


def test_a_service_that_its_gateway_lets_go_in_order_goes_on_too(live: Live, tmp_path: Path) -> None:
    (supervisor,) = live.processes("plugin.cli")
    write_config(tmp_path, GatewaySetup(plugin_folder=PLUGIN_FOLDER, model_url=live.model.url))
    other = Gateway(live.cache, tmp_path, extra=live.environment)
    try:
        wait_for(lambda: len(_gateways(live)) == 2, timeout_s=60, what="both gateways at the service")
        live.gateway.process.send_signal(signal.SIGTERM)
        live.gateway.process.wait(30)
        wait_for(lambda: len(_gateways(live)) == 1, timeout_s=10, what="the leave of the first")
        with pytest.raises(TimeoutError):
            wait_for(lambda: not _lives(supervisor), timeout_s=LEFT_ALONE_S, what="an end that must not come")
        other.kill()
        # It couldn't say that it leaves: a minute later it counts as gone.
        wait_for(lambda: not _lives(supervisor), timeout_s=120, what="the end of the service")
    finally:
        other.stop()


def _lives(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.status() != psutil.STATUS_ZOMBIE
    return False


def _token(service: UpProcess) -> str:
    return (service.home / "token").read_text(encoding="ascii").strip()


def _configure(live: Live, config: Mapping[str, object]) -> None:
    live.gateway.reconfigure({"plugins": {"entries": {PLUGIN: {"config": config}}}})


def _gateways(live: Live) -> list[object]:
    found: list[object] = _get(f"{live.url}/v1/gateways", token=live.token)["gateways"]
    return found


def _get(url: str, *, token: str) -> dict[str, Any]:
    answer = httpx.get(url, headers={"authorization": f"Bearer {token}"}, timeout=30, trust_env=False)
    content: dict[str, Any] = answer.raise_for_status().json()
    return content


def _ask(service: UpProcess, path: str, *, body: Mapping[str, object]) -> dict[str, Any]:
    headers = {"authorization": f"Bearer {_token(service)}"}
    answer = httpx.post(f"{service.url}{path}", json=body, headers=headers, timeout=150, trust_env=False)
    content: dict[str, Any] = answer.raise_for_status().json()
    return content


def _wait_remembered(service: UpProcess, word: str, *, asked: str) -> None:
    request = {"session": OWNER, "message": {"text": asked}, "dedupe": False}
    wait_for(
        lambda: word in _ask(service, "/v1/recall", body=request)["context"], timeout_s=60, what=f"{word} in the memory"
    )
