"""Which embedder an index process serves: the one that `embedding.model` names or, while it can't be had, the bundled.

Files that aren't there yet are fetched beside the work. Until they are, everything is embedded by the bundled model.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import structlog

from memory_core.adapters.chosen_model import ChosenModel, fetch, is_bundled, is_known
from memory_core.adapters.fastembed_embedder import FastembedEmbedder
from memory_core.errors import Invalid, Unavailable
from memory_core.settings import Settings

_PAUSE_S = 600.0

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What is served.

    Attributes:
        embedder: The embedder; its `problem` says why it isn't the wanted one.
        awaited: Name of a model that will be served once its files are there.
    """

    embedder: FastembedEmbedder
    awaited: str | None = None


def choose(settings: Settings) -> Choice:
    """Load the wanted embedder, or the bundled one with a warning that says why.

    Raises:
        Corrupt: the bundled model is needed, and isn't the one that was checked.
    """
    folder = settings.home / "models"
    name = settings.backends.embedding_model
    if name is None or is_bundled(name):
        return Choice(embedder=FastembedEmbedder(folder))
    try:
        _check(name, settings)
        return Choice(embedder=FastembedEmbedder(folder, chosen=ChosenModel(name, folder)))
    except Invalid as error:
        log.warning("embedder.bundled_instead", wanted=name, reason=str(error))
        return Choice(embedder=FastembedEmbedder(folder, problem=f"{error}; the bundled model is used"))
    except Unavailable as error:
        problem = f"{error}, and are being fetched; the bundled model is used until they are"
        log.warning("embedder.bundled_instead", wanted=name, reason=problem)
        return Choice(embedder=FastembedEmbedder(folder, problem=problem), awaited=name)


def wait_for_files(name: str, folder: Path, *, on_there: Callable[[], None]) -> None:
    """Fetch a model's files in a thread, every ten minutes until it succeeds; then call once, in that thread."""

    def work() -> None:
        failures = 0
        while True:
            try:
                fetch(name, folder)
                ChosenModel(name, folder)
            except Unavailable as error:
                failures += 1
                if failures == 1:  # one line a change of state, not one a round
                    log.warning("embedder.not_fetched", wanted=name, reason=str(error))
                threading.Event().wait(_PAUSE_S)
            except Invalid as error:
                log.warning("embedder.unusable", wanted=name, reason=str(error))
                return
            else:
                log.info("embedder.fetched", model=name)
                on_there()
                return

    threading.Thread(target=work, name="fetch model", daemon=True).start()


def _check(name: str, settings: Settings) -> None:
    if not is_known(name):
        raise Invalid(f"embedding.model {name} is no text model of fastembed")
    if settings.backends.qdrant_url is not None:
        # The collection's layout has to be known to every service before the embedder is.
        raise Invalid(f"embedding.model {name} isn't possible together with qdrant.url")
