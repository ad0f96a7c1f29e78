from pathlib import Path

import pytest

from flows.environment import (
    executor_environment,
    replace_prefect_variables,
    server_address,
    server_environment,
)
from memory_core.errors import Invalid
from memory_core.settings import Settings
from memory_core.settings_loading import load_settings


def settings(url: str = "http://127.0.0.1:4711/api", *, key: str = "nightshift:word") -> Settings:
    return load_settings(
        {
            "NIGHTSHIFT_HOME": "/home/of/tests",
            "NIGHTSHIFT_PREFECT_API_URL": url,
            "NIGHTSHIFT_PREFECT_API_KEY": key,
        }
    )


def test_server_and_executor_agree_on_home_url_and_password() -> None:
    server, executor = server_environment(settings()), executor_environment(settings())
    assert server["PREFECT_HOME"] == executor["PREFECT_HOME"] == str(Path("/home/of/tests/prefect"))
    assert server["PREFECT_SERVER_API_AUTH_STRING"] == executor["PREFECT_API_AUTH_STRING"] == "nightshift:word"
    assert (server["PREFECT_SERVER_API_HOST"], server["PREFECT_SERVER_API_PORT"]) == ("127.0.0.1", "4711")
    assert executor["PREFECT_API_URL"] == "http://127.0.0.1:4711/api"


def test_nothing_is_sent_to_anybody() -> None:
    environment = server_environment(settings())
    assert environment["PREFECT_SERVER_ANALYTICS_ENABLED"] == "false"
    assert environment["DO_NOT_TRACK"] == "1"


def test_what_the_user_set_for_another_prefect_does_not_reach_ours() -> None:
    environ = {"PREFECT_API_KEY": "of the cloud", "PREFECT_PROFILE": "work", "PATH": "/bin"}
    replace_prefect_variables(environ, {"PREFECT_HOME": "/ours"})
    assert environ == {"PREFECT_HOME": "/ours", "PATH": "/bin"}


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/api",
        "http://127.0.0.1:0/api",
        "http://127.0.0.1:port/api",
        "http://127.0.0.1:4711",
        "https://127.0.0.1:4711/api",
        "http://192.0.2.7:4711/api",
        "http://0.0.0.0:4711/api",
        "127.0.0.1:4711",
    ],
)
def test_the_embedded_server_listens_on_loopback_only(url: str) -> None:
    with pytest.raises(Invalid, match="NIGHTSHIFT_PREFECT_API_URL"):
        server_address(settings(url))


@pytest.mark.parametrize("key", ["word", ":word", "user:", ":"])
def test_the_embedded_server_has_a_password(key: str) -> None:
    with pytest.raises(Invalid, match="NIGHTSHIFT_PREFECT_API_KEY"):
        server_environment(settings(key=key))
