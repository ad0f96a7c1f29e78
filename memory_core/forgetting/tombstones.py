"""Pure: the names under which forgotten things are noted, so that neither old material nor a backup brings them back.

A tombstone is a keyed hash. That of a text keeps the same words from being learned again from before; those of a memory
and of a turn find them in a backup, where they may have had other words.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from memory_core.capture.dedup import TextKeys
from memory_core.capture.statements import Utterance, extract
from memory_core.identity import PERSONAL_SPACE
from memory_core.models.memory import Memory, MemoryRevision
from memory_core.models.turn import Turn
from memory_core.values import MemoryId, Origin, ScopeKey

_OURS = "nightshift"
"""Stands where a text has its speaker: no text has the key of a name."""


def memory_key(keys: TextKeys, memory_id: MemoryId) -> str:
    """Key of a memory, whatever it said."""
    return keys.of(f"memory {memory_id}", speaker=_OURS)


def turn_key(keys: TextKeys, name: str) -> str:
    """Key of one utterance; `name` is what `turn_name` calls it."""
    return keys.of(f"turn {name}", speaker=_OURS)


def piece_key(keys: TextKeys, piece_id: str) -> str:
    """Key of one version of a made thing by its id, or of a request to keep one by the id of its job."""
    return keys.of(f"piece {piece_id}", speaker=_OURS)


def text_keys(keys: TextKeys, memory: Memory, *, revisions: Iterable[MemoryRevision] = ()) -> set[str]:
    """Keys of what a memory says and of earlier wordings, whoever of person and assistant says it again."""
    states = [one.state for one in revisions]
    return wording_keys(keys, memory, state={"text": memory.text, "text_key": memory.text_key}).union(
        *(wording_keys(keys, memory, state=state) for state in states)
    )


def wording_keys(keys: TextKeys, memory: Memory, *, state: Mapping[str, Any]) -> set[str]:
    """Keys of one wording of a memory."""
    found = {str(state["text_key"])} if state.get("text_key") else set[str]()
    # A work's memories are named after the work: the same words, said by somebody, are another memory.
    if memory.artifact_id is None and (text := state.get("text")):
        for origin in (Origin.USER, Origin.ASSISTANT):
            found.update(keys.within(ScopeKey(memory.scope_key), str(text), speaker=memory.speaker, origin=origin))
    return found


def spoken_keys(keys: TextKeys, turn: Turn) -> set[str]:
    """Keys of the statements that a turn would have become."""
    origin = Origin(turn.role)
    utterance = Utterance(
        role=origin,
        speaker=turn.speaker,
        text=turn.text or "",
        said_at=turn.said_at,
        timezone=turn.timezone,
        shared=turn.space != PERSONAL_SPACE,
    )
    found: set[str] = set()
    for one in extract(utterance) if turn.text else ():
        found.update(keys.within(ScopeKey(turn.scope_key), one.text, speaker=one.speaker, origin=one.origin))
    return found
