"""From a wish to forget to what it means: memories, buffered words, earlier wordings, versions of made things."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import Session as DbSession

from memory_core.errors import Corrupt, NotFound
from memory_core.forgetting.matching import MYSELF, holds, is_about
from memory_core.forgetting.service import Selection
from memory_core.keywords import content_words
from memory_core.models.artifact import Artifact, ArtifactRevision
from memory_core.models.memory import Memory
from memory_core.models.turn import Turn
from memory_core.ports import ArtifactStore
from memory_core.recall.finding import Finder, Question
from memory_core.recall.library import LibraryService
from memory_core.settings import RecallSettings
from memory_core.store.database import Database
from memory_core.store.derivatives import DerivativeRepository
from memory_core.store.memories import MemoryFilter
from memory_core.store.turns import TurnRepository
from memory_core.values import MemoryId, MemoryStatus, Origin, Scope

_LOOKED_AT = 50
"""Nearest memories that are looked at for a query."""
_EVERY_STATUS = tuple(MemoryStatus)

_Test = Callable[[str | None, str], bool]
"""Whether a speaker and what they said is meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody wants forgotten; every given part must hold.

    Attributes:
        refs: Addresses or ids; nothing else counts then.
        query: What it is about.
        near: With a query, also what is near to it rather than only what holds each of its words.
        person: A name, or "me".
        session_key: Said in this conversation.
        start, end: Said or happened from then, until before then.
    """

    refs: tuple[str, ...] = ()
    query: str | None = None
    near: bool = False
    person: str | None = None
    session_key: str | None = None
    start: datetime | None = None
    end: datetime | None = None

    @property
    def says_what(self) -> bool:
        """Whether anything is asked for at all."""
        return bool(self.refs or self.query or self.is_narrow)

    @property
    def is_narrow(self) -> bool:
        """Whether a person, a conversation or a time is named."""
        return bool(self.person or self.session_key or self.start or self.end)

    @property
    def is_timeless(self) -> bool:
        """Whether neither a conversation nor a time is named."""
        return not (self.session_key or self.start or self.end)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What a wish means.

    Attributes:
        memories: As they may be shown, best first.
        selection: All of it, to be forgotten.
        refused: How many of the named memories are somebody else's in a group.
    """

    memories: tuple[Memory, ...]
    selection: Selection
    refused: int = 0


class SelectingService:
    """Reads wishes; in a group everybody chooses only from what they said or what is about them."""

    def __init__(
        self,
        database: Database,
        *,
        library: LibraryService,
        finder: Finder,
        artifact_store: ArtifactStore,
        settings: RecallSettings,
    ) -> None:
        """Use the given parts."""
        self._database = database
        self._library = library
        self._finder = finder
        self._artifact_store = artifact_store
        self._settings = settings

    def choose(self, scope: Scope, wish: Wish, *, at: datetime, zone: str) -> Chosen:
        """What a wish means to somebody.

        Args:
            scope: Who wishes.
            wish: What.
            at: Now.
            zone: Zone of the one who wishes, an IANA name.

        Raises:
            NotFound: a reference leads nowhere in the scope.
            Unavailable: the index or the embedder is away, where something near is wanted, or the tables are.
        """
        if wish.refs:
            views = [self._library.get(ref, scopes=scope.reads) for ref in dict.fromkeys(wish.refs)]
            named = {view.memory.id: view.memory for view in views}
            own = [memory for memory in named.values() if _may(scope, memory)]
            return replace(_chosen(own), refused=len(named) - len(own))
        fitting = self._fitting(scope, wish)
        words = content_words(wish.query) if wish.query else None
        exact = [memory for memory in fitting if words is None or holds(words, _all_of(memory))]
        near = self._near(scope, wish, at=at, zone=zone) if wish.near and wish.query else []
        known = {memory.id for memory in fitting}
        memories = {memory.id: memory for memory in (*near, *exact) if memory.id in known}
        is_meant = _meant(scope, wish)
        with self._database.reading() as db:
            turns = _turns(db, scope, wish=wish, is_meant=is_meant)
            made = self._made(db, scope, wish=wish) if not wish.session_key else Selection()
            wordings = (
                _wordings(db, scope, is_meant=is_meant, chosen=set(memories)) if words and wish.is_timeless else ()
            )
        selection = replace(made, turn_ids=turns, wordings=wordings)
        works = self._library_rows(scope, [one for one in made.memory_ids if one not in memories])
        return _chosen([*memories.values(), *works], rest=selection)

    def _fitting(self, scope: Scope, wish: Wish) -> list[Memory]:
        """Memories that keep to person, conversation and time, newest first."""
        where = MemoryFilter(statuses=_EVERY_STATUS, session_key=wish.session_key)
        about = _about(scope, wish)
        return [
            memory
            for memory in self._library.matching(scope.reads, where=where)
            if _in_time(wish, memory.event_at, memory.valid_from or memory.created_at)
            and about(memory.speaker, memory.text)
            and _may(scope, memory)
        ]

    def _near(self, scope: Scope, wish: Wish, *, at: datetime, zone: str) -> list[Memory]:
        question = Question(text=wish.query or "", at=at, zone=zone, include_superseded=True)
        ranked = [
            entry
            for entry in self._finder.rank(scope.reads, question)[:_LOOKED_AT]
            if entry.score >= self._settings.search_threshold
        ]
        return [found.memory for found in self._finder.load(ranked, scopes=scope.reads)]

    def _made(self, db: DbSession, scope: Scope, *, wish: Wish) -> Selection:
        """Made things: requests that wait, and what holds the words of a query, whole where its newest version does.

        Who names only a person, means what is told about them, which the memories of the works are chosen by.
        """
        reading = DerivativeRepository(db, scopes=scope.reads)
        words = content_words(wish.query) if wish.query else None
        is_own, about = _may_say(scope), _about(scope, wish)
        captures = tuple(
            one.number or 0
            for one in reading.waiting_captures()
            if _in_time(wish, one.created_at)
            and is_own(one.speaker, "")
            and about(one.speaker, one.title)
            and (words is None or holds(words, f"{one.title} {' '.join(one.tags)} {self._content(one.checksum)}"))
        )
        if words is None:
            return Selection(captures=captures)
        whole, versions = set[MemoryId](), set[str]()
        artifacts = {artifact.id: artifact for artifact in reading.artifacts()}
        speakers = self._speakers(scope, list(artifacts.values()))
        for revision in reading.artifact_revisions():
            artifact = artifacts[revision.artifact_id]
            speaker = speakers.get(artifact.memory_id)
            said = self._said(artifact, revision)
            if _in_time(wish, revision.created_at) and is_own(speaker, "") and about(speaker, said):
                if not holds(words, said):
                    continue
                if revision.revision == artifact.current:
                    whole.add(MemoryId(artifact.memory_id))
                else:
                    versions.add(revision.id)
        return Selection(memory_ids=tuple(sorted(whole)), artifact_revisions=tuple(sorted(versions)), captures=captures)

    def _speakers(self, scope: Scope, artifacts: Sequence[Artifact]) -> dict[str, str | None]:
        rows = self._library_rows(scope, [MemoryId(artifact.memory_id) for artifact in artifacts])
        return {row.id: row.speaker for row in rows}

    def _said(self, artifact: Artifact, revision: ArtifactRevision) -> str:
        words = f"{artifact.title} {artifact.project} {artifact.space} {' '.join(artifact.tags)}"
        return f"{words}\n{self._content(revision.checksum)}"

    def _content(self, checksum: str) -> str:
        try:
            return self._artifact_store.get(checksum).decode()
        except (NotFound, Corrupt):
            return ""  # nothing of it can be read, and housekeeping reports it

    def _library_rows(self, scope: Scope, memory_ids: Sequence[MemoryId]) -> list[Memory]:
        return list(self._library.by_ids(memory_ids, scopes=scope.reads))


def _chosen(memories: Sequence[Memory], *, rest: Selection | None = None) -> Chosen:
    ids = tuple(MemoryId(memory.id) for memory in memories)
    return Chosen(memories=tuple(memories), selection=replace(rest or Selection(), memory_ids=ids))


def _turns(db: DbSession, scope: Scope, *, wish: Wish, is_meant: _Test) -> tuple[int, ...]:
    turns = TurnRepository(db).with_text(scope.reads, session_key=wish.session_key, start=wish.start, end=wish.end)
    chosen = {turn.id or 0: turn for turn in turns if is_meant(turn.speaker, turn.text or "")}
    if wish.person and not wish.query:  # what was answered to somebody is theirs too
        said = {_exchange(turn) for turn in chosen.values() if turn.role == Origin.USER}
        chosen |= {turn.id or 0: turn for turn in turns if _exchange(turn) in said}
    return tuple(sorted(chosen))


def _exchange(turn: Turn) -> tuple[str, ...]:
    return turn.scope_key, turn.agent_id, turn.session_key, turn.turn_key


def _wordings(db: DbSession, scope: Scope, *, is_meant: _Test, chosen: Collection[str]) -> tuple[tuple[str, int], ...]:
    """Earlier wordings that are meant, of memories that aren't any more."""
    return tuple(
        (one.memory_id, one.revision)
        for one in DerivativeRepository(db, scopes=scope.reads).revisions()
        if one.memory_id not in chosen
        and is_meant(one.state.get("speaker"), f"{' '.join(one.state.get('tags') or ())} {one.state.get('text', '')}")
    )


def _meant(scope: Scope, wish: Wish) -> _Test:
    """Whether words that aren't a memory are meant, and may be chosen."""
    about, may = _about(scope, wish), _may_say(scope)
    words = content_words(wish.query) if wish.query else None

    def is_meant(speaker: str | None, text: str) -> bool:
        if words is not None and not holds(words, f"{speaker or ''} {text}"):
            return False
        return about(speaker, text) and may(speaker, text)

    return is_meant


def _about(scope: Scope, wish: Wish) -> _Test:
    person = wish.person
    if person is None or (person.casefold() in MYSELF and not scope.shared):
        return _anything
    name = (scope.speaker or "") if person.casefold() in MYSELF else person
    return lambda speaker, text: is_about(name, speaker=speaker, text=text)


def _anything(_speaker: str | None, _text: str) -> bool:
    return True


def _may_say(scope: Scope) -> _Test:
    if not scope.shared or scope.is_owner:
        return _anything
    return lambda speaker, text: is_about(scope.speaker or "", speaker=speaker, text=text)


def _may(scope: Scope, memory: Memory) -> bool:
    # A work belongs to whoever had it made, whomever it names.
    return _may_say(scope)(memory.speaker, memory.text if memory.artifact_id is None else "")


def _all_of(memory: Memory) -> str:
    return f"{memory.speaker or ''} {' '.join(memory.tags)} {memory.text}"


def _in_time(wish: Wish, *moments: datetime) -> bool:
    return any(
        (wish.start is None or moment >= wish.start) and (wish.end is None or moment < wish.end) for moment in moments
    )
