"""Fixtures that cost so much that a session has one of each, and which tests may run side by side."""

import pytest
from typing_extensions import override
from xdist.remote import Producer  # pyright: ignore[reportMissingTypeStubs] - it has none
from xdist.scheduler import LoadScopeScheduling  # pyright: ignore[reportMissingTypeStubs] - it has none

pytest_plugins = ["tests.prefect_server", "tests.index_process"]

_ACCEPTANCE = "tests/acceptance"


class OneGatewayAtATime(LoadScopeScheduling):
    """File by file to whichever worker is free, but all of the acceptance tests to one.

    Each of them starts a tree of processes and holds it to times that a person would notice: two trees at once would
    measure each other.
    """

    @override
    def _split_scope(self, nodeid: str) -> str:
        return _ACCEPTANCE if nodeid.startswith(f"{_ACCEPTANCE}/") else nodeid.partition("::")[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Used with `-n` only."""
    return OneGatewayAtATime(config, log)
