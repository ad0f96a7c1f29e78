"""The real embedder, and real index processes that can be killed."""

from collections.abc import Generator
from pathlib import Path

import pytest

from memory_core.adapters.chosen_model import ChosenModel
from memory_core.adapters.fastembed_embedder import FastembedEmbedder
from memory_core.adapters.index_client import RemoteEmbedder, RemoteIndex
from memory_core.errors import Unavailable
from memory_core.settings_loading import load_settings
from tests.other_model import NAME, lay_out, register
from tests.prefect_server import Process, wait_until

_START_WITHIN_S = 60


class IndexProcess:
    """An index process with a home of its own, and clients of it."""

    def __init__(
        self, home: Path, *, module: str = "memory_core.adapters.index_process", model: str | None = None
    ) -> None:
        environ = {"NIGHTSHIFT_HOME": str(home), "HF_HUB_OFFLINE": "1"}
        environ |= {"NIGHTSHIFT_EMBEDDING_MODEL": model} if model else {}
        self.settings = load_settings(environ)
        self.process = Process("-m", module, environ=environ, log_file=home / "index.log")
        self.index = RemoteIndex(self.settings.index_socket)
        self.embedder = RemoteEmbedder(self.settings.index_socket)

    def start(self) -> None:
        """Start it and wait until it answers."""
        self.process.start()
        wait_until(self.answers, what=f"the index process answers\n{self.process.output()}", within_s=_START_WITHIN_S)

    def answers(self) -> bool:
        """Whether it answers now."""
        try:
            self.index.health()
        except Unavailable:
            return False
        return True

    def close(self) -> None:
        """End everything."""
        self.index.close()
        self.embedder.close()
        self.process.kill()


@pytest.fixture(scope="session")
def models_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the bundled model is put together."""
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def real_embedder(models_folder: Path) -> FastembedEmbedder:
    """The bundled model, loaded once."""
    return FastembedEmbedder(models_folder)


@pytest.fixture(scope="session")
def other_embedder(models_folder: Path) -> FastembedEmbedder:
    """A model that somebody chose, loaded once."""
    register()
    lay_out(models_folder)
    return FastembedEmbedder(models_folder, chosen=ChosenModel(NAME, models_folder))


@pytest.fixture(scope="session")
def running_index(tmp_path_factory: pytest.TempPathFactory) -> Generator[IndexProcess]:
    """A process that no test kills; tests leave points behind."""
    running = IndexProcess(tmp_path_factory.mktemp("home"))
    try:
        running.start()
        yield running
    finally:
        running.close()
