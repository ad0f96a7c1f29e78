"""Pure: the names under which forgotten things are noted, so that neither old material nor a backup brings them back.

A tombstone is a keyed hash. That of a text keeps the same words from being learned again from before; those of a memory
and of a turn find them in a backup, where they may have had other words.
"""

from memory_core.capture.dedup import TextKeys
from memory_core.values import MemoryId

_OURS = "nightshift"
"""Stands where a text has its speaker: no text has the key of a name."""


def memory_key(keys: TextKeys, memory_id: MemoryId) -> str:
    """Key of a memory, whatever it said."""
    return keys.of(f"memory {memory_id}", speaker=_OURS)


def turn_key(keys: TextKeys, name: str) -> str:
    """Key of one utterance; `name` is what `TurnRepository.names` calls it."""
    return keys.of(f"turn {name}", speaker=_OURS)
