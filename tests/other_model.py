"""Another embedding model without a network: the bundled model's files in fastembed's cache under another name.

As a program it is the index process of an installation that knows this model.
"""

import shutil
from pathlib import Path

from fastembed import TextEmbedding  # noqa: TID251 - only fastembed can be told of a model
from fastembed.common.model_description import ModelSource, PoolingType  # noqa: TID251

from memory_core.adapters import index_process
from memory_core.adapters.bundled_model import BundledModel

NAME = "nightshift-tests/Other-Mini"
_REVISION = "0123456789abcdef0123456789abcdef01234567"
_SIZE = 384


def register() -> None:
    """Make the name known to fastembed in this process; more than once does no harm."""
    if all(model["model"] != NAME for model in TextEmbedding.list_supported_models()):
        TextEmbedding.add_custom_model(
            NAME,
            pooling=PoolingType.MEAN,
            normalization=True,
            sources=ModelSource(hf=NAME),
            dim=_SIZE,
            model_file="model.onnx",
        )


def lay_out(cache: Path) -> None:
    """Put the files where a download leaves them."""
    BundledModel(cache / "assembled")
    repository = cache / f"models--{NAME.replace('/', '--')}"
    snapshot = repository / "snapshots" / _REVISION
    snapshot.mkdir(parents=True, exist_ok=True)
    for file in ("tokenizer.json", "tokenizer_config.json", "model.onnx"):
        shutil.copyfile(cache / "assembled" / file, snapshot / file)
    (repository / "refs").mkdir(exist_ok=True)
    (repository / "refs" / "main").write_text(_REVISION)


if __name__ == "__main__":
    register()
    index_process.main()
