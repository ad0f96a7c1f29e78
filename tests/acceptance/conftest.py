"""The rig, installed once a session, and one gateway with its memory a module."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.live import Live
from tests.rig.installation import install, rig_cache


@pytest.fixture(scope="session")
def rig() -> Path:
    """Folder of Node and OpenClaw; the first time, they are installed into it."""
    return install(rig_cache())


@pytest.fixture(scope="module")
def live(rig: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A gateway that started its own memory service, ready, with an empty memory."""
    running = Live.start(rig, tmp_path_factory.mktemp("live"))
    yield running
    running.stop()


@pytest.fixture(autouse=True)
def _forget_the_script(request: pytest.FixtureRequest) -> None:  # pyright: ignore[reportUnusedFunction] - used by pytest
    """Each test starts with a model that has nothing to say but `ok`."""
    if "live" in request.fixturenames:
        running: Live = request.getfixturevalue("live")
        running.model.reset()
