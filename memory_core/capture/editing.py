"""Correcting a memory by hand; what it said before stays readable."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory_core.capture.dedup import TextKeys
from memory_core.capture.hygiene import clean_user_text
from memory_core.capture.writing import MemoryWriter
from memory_core.errors import Conflict, Invalid, NotFound
from memory_core.models.memory import Memory
from memory_core.ports import Clock
from memory_core.privacy.redaction import redact
from memory_core.store.database import Database
from memory_core.store.memories import MemoryRepository
from memory_core.store.revisions import RevisionRepository
from memory_core.values import MemoryId, MemoryStatus, Origin, ScopeKey

EDITED_BY_HAND = "edited by hand"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What is to change; None leaves it as it is."""

    text: str | None = None
    tags: tuple[str, ...] | None = None
    pinned: bool | None = None
    status: MemoryStatus | None = None


class EditingService:
    """Edits memories of every scope; for the operator only."""

    def __init__(
        self, database: Database, *, writer: MemoryWriter, keys: TextKeys, clock: Clock, pii_redaction: bool
    ) -> None:
        """Use the given parts; `pii_redaction` masks personal data, secrets are masked always."""
        self._database = database
        self._writer = writer
        self._keys = keys
        self._clock = clock
        self._pii_redaction = pii_redaction

    def find(self, memory_id: MemoryId) -> Memory:
        """A memory, in whichever scope.

        Raises:
            NotFound: there is none of this id.
        """
        with self._database.reading() as db:
            memory = MemoryRepository(db).get(memory_id)
        if memory is None or memory.part is not None:
            raise NotFound(f"id: there is no memory {memory_id[:60]!r}")
        return memory

    def edit(self, memory_id: MemoryId, edit: Edit) -> Memory:
        """Make a new revision of a memory; an edit that changes nothing makes none.

        Raises:
            NotFound: there is none of this id.
            Invalid: nothing is left of the text after cleaning.
            Conflict: the memory mentions something made, whose words and status are its artifact's; or it was changed
                while this went on.
            Unavailable: the embedder or the database is away; nothing was changed.
        """
        seen = self.find(memory_id)
        if seen.artifact_id is not None and (edit.text is not None or edit.status is not None):
            raise Conflict("text: what was made gets new revisions by creative_capture")
        text = None if edit.text is None else self._cleaned(edit.text)
        values = self._values(seen, edit, text=text)
        if not values:
            return seen
        vector = self._writer.vector_of(seen, text=values["text"]) if "text" in values else None
        now = self._clock.now()
        with self._database.transaction() as db:
            memory = MemoryRepository(db).get(memory_id)
            if memory is None or memory.version != seen.version:
                raise Conflict("id: the memory was changed by something else meanwhile; look at it again")
            RevisionRepository(db).revise(memory, values=values, at=now, reason=EDITED_BY_HAND, vector=vector)
        return self.find(memory_id)

    def _cleaned(self, text: str) -> str:
        cleaned = redact(clean_user_text(text), pii=self._pii_redaction).text.strip()
        if not cleaned:
            raise Invalid("text: nothing is left to remember after cleaning")
        return cleaned

    def _values(self, memory: Memory, edit: Edit, *, text: str | None) -> Mapping[str, Any]:
        values: dict[str, Any] = {}
        if text is not None and text != memory.text:
            origin, scope = Origin(memory.origin), ScopeKey(memory.scope_key)
            keys = self._keys.within(scope, text, speaker=memory.speaker, origin=origin)
            values |= {"text": text, "text_key": keys[0]}
        if edit.tags is not None and list(edit.tags) != memory.tags:
            values["tags"] = list(dict.fromkeys(edit.tags))
        if edit.pinned is not None and edit.pinned != memory.pinned:
            values["pinned"] = edit.pinned
        if edit.status is not None and edit.status != memory.status:
            values["status"] = edit.status
            if edit.status in {MemoryStatus.ACTIVE, MemoryStatus.FLAGGED}:
                values |= {"superseded_by": None, "valid_until": None}
        return values
