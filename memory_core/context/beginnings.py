"""What a transcript said before its window, as one hash: read once, then known again at a tenth of the cost."""

import marshal
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b, sha256
from threading import Lock

from memory_core.context.messages import Message

_DIGEST_BYTES = 16
_KEPT = 512
"""Beginnings that are known again; each takes about 200 bytes."""


class Beginnings:
    """Hashes of the beginnings met lately, and no word of them; for several threads.

    A conversation shows the same beginning before each turn. The hash that outlives the process joins those of single
    messages, so that it can be continued; to see that nothing changed takes one pass over everything.
    """

    def __init__(self) -> None:
        """Know none yet."""
        self._known: OrderedDict[bytes, str] = OrderedDict()
        self._lock = Lock()

    def hash_of(self, messages: Sequence[Message], *, after: str = "") -> str:
        """As `beginning_hash`."""
        key = _fingerprint(messages, after=after)
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
                return known
        known = beginning_hash(messages, after=after)
        with self._lock:
            self._known[key] = known
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return known


def beginning_hash(messages: Sequence[Message], *, after: str = "") -> str:
    """Hash of messages, each joined to the hash of what came before it; `after` is that of what came before them."""
    joined = bytes.fromhex(after)
    for message in messages:
        joined = blake2b(joined + message.digest(), digest_size=_DIGEST_BYTES).digest()
    return joined.hex()


def _fingerprint(messages: Sequence[Message], *, after: str) -> bytes:
    """Tells beginnings apart, also by what their hash leaves out; two that differ are only hashed once more."""
    # Unlike texts joined by a sign, a dump shows where each of them ends. Version 2 writes equal values alike.
    shown = [after, [(message.role, message.text, message.calls) for message in messages]]
    return sha256(marshal.dumps(shown, 2)).digest()
