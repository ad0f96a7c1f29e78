"""What is embedded, and the stored form of vectors: packed into one table column, so that an index can be rebuilt."""

import msgpack
import numpy as np

from memory_core.errors import Corrupt
from memory_core.values import Embedding, SparseVector


def passage_text(text: str, *, speaker: str | None) -> str:
    """The words by which a memory is found: who said it belongs to them."""
    return f"{speaker}: {text}" if speaker else text


def pack(embedding: Embedding) -> bytes:
    """Bytes of an embedding; token rows are kept in half precision, as the index keeps them."""
    fields = {
        "dense": embedding.dense.astype(np.float32).tobytes(),
        "tokens": embedding.tokens.astype(np.float16).tobytes(),
        "width": embedding.tokens.shape[1] if embedding.tokens.ndim == 2 else 0,  # noqa: PLR2004 rows by columns
        "indices": list(embedding.sparse.indices),
        "values": np.asarray(embedding.sparse.values, np.float32).tobytes(),
    }
    return msgpack.packb(fields)


def unpack(data: bytes) -> Embedding:
    """The embedding of packed bytes.

    Raises:
        Corrupt: the bytes are no packed embedding.
    """
    try:
        fields = msgpack.unpackb(data)
        tokens = np.frombuffer(fields["tokens"], np.float16).astype(np.float32)
        return Embedding(
            dense=np.frombuffer(fields["dense"], np.float32),
            tokens=tokens.reshape(-1, fields["width"]) if fields["width"] else tokens.reshape(0, 0),
            sparse=SparseVector(
                indices=tuple(fields["indices"]),
                values=tuple(np.frombuffer(fields["values"], np.float32).tolist()),
            ),
        )
    except (ValueError, KeyError, TypeError, msgpack.UnpackException) as error:
        raise Corrupt("stored vectors can't be read") from error
