"""Reading made things: by space, by query, by address; their revisions, differences and lineage; publishing."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import Session as DbSession

from memory_core.creative.kinship import Kin, lineage_of
from memory_core.creative.passages import excerpt_around
from memory_core.creative.references import find_artifact
from memory_core.errors import Invalid, NotFound
from memory_core.kref import Place, parse_comparison
from memory_core.models.artifact import Artifact, ArtifactRevision
from memory_core.ports import ArtifactStore, Clock
from memory_core.recall.finding import Finder, Question
from memory_core.store.artifacts import ArtifactRepository
from memory_core.store.database import Database
from memory_core.store.memories import MemoryRepository
from memory_core.store.revisions import RevisionRepository
from memory_core.values import MemoryId, MemoryKind, ScopeKey

PUBLISHED_TAG = "published"
_ADDRESS = "kref://"
_RANKED = 400
"""Passages looked at for a query; an artifact may have many among the best."""
_DIFF_LINES = 20_000
"""Lines of each side that are compared: time grows with their product where everything differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactView:
    """An artifact at one of its revisions; `excerpt` is the passage that answers a query, else how it begins."""

    artifact: Artifact
    revision: ArtifactRevision
    excerpt: str
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """One artifact whole.

    Attributes:
        content: What the revision asked for says.
        difference: What changed between two revisions, as a unified diff; None when none was asked for.
        revisions: All of them, oldest first.
        sources: What it was made from, the nearest first.
        derived: What was made from it, the nearest first.
    """

    view: ArtifactView
    content: str
    difference: str | None
    revisions: Sequence[ArtifactRevision]
    sources: Sequence[Kin]
    derived: Sequence[Kin]


class CreativeService:
    """Reads and publishes artifacts; every call names the scopes it may see."""

    def __init__(self, database: Database, *, store: ArtifactStore, finder: Finder, clock: Clock) -> None:
        """Use the given parts."""
        self._database = database
        self._store = store
        self._finder = finder
        self._clock = clock

    def listed(
        self, scopes: Sequence[ScopeKey], *, place: Place, tag: str | None = None, limit: int
    ) -> list[ArtifactView]:
        """Artifacts of a project's space, the last changed first; the kind of `place` doesn't count."""
        with self._database.reading() as db:
            rows = ArtifactRepository(db).page(scopes, place=place, tag=tag, limit=limit)
            current = ArtifactRepository(db).current_revisions(rows)
        return [
            ArtifactView(artifact=row, revision=current[row.id], excerpt=current[row.id].excerpt)
            for row in rows
            if row.id in current
        ]

    def found(
        self, scopes: Sequence[ScopeKey], question: Question, *, place: Place, tag: str | None = None, limit: int
    ) -> list[ArtifactView]:
        """Artifacts of a project's space that answer a question, best first, each with the passage that does.

        Raises:
            Unavailable: the index or the embedder is away.
        """
        within = replace(question, kind=MemoryKind.ARTIFACT, space=place.space)
        ranked = self._finder.rank(scopes, within)[:_RANKED]
        best: dict[str, tuple[float, str]] = {}
        for hit in self._finder.load(ranked, scopes=scopes):
            if hit.memory.artifact_id and hit.memory.artifact_id not in best:
                best[hit.memory.artifact_id] = hit.score, excerpt_around(hit.memory.text, question.text)
        with self._database.reading() as db:
            artifacts = ArtifactRepository(db)
            rows = artifacts.by_ids(list(best), scopes=scopes)
            wanted = [
                row
                for row in (rows[key] for key in best if key in rows)
                if row.project == place.project and (tag is None or tag in row.tags)
            ][:limit]
            current = artifacts.current_revisions(wanted)
        return [
            ArtifactView(artifact=row, revision=current[row.id], excerpt=best[row.id][1], score=best[row.id][0])
            for row in wanted
            if row.id in current
        ]

    def opened(self, scopes: Sequence[ScopeKey], ref: str) -> Opened:
        """The artifact of an address or id, at the revision that `?r=` names, else the current one.

        `?r=1..3` asks for what changed between the two as well, and opens the later one given.

        Raises:
            Invalid: the reference begins like an address and isn't one.
            NotFound: there is no such artifact or revision in the scopes, or its content is gone.
            Corrupt: the content was changed behind our back.
        """
        asked = parse_comparison(ref) if ref.startswith(_ADDRESS) else None
        with self._database.reading() as db:
            artifact = find_artifact(db, ref, scopes=scopes)
            if artifact is None:
                raise NotFound(f"ref: there is no artifact {ref[:120]!r}")
            of_memory = asked is not None and asked.kref != artifact.kref
            numbers = (asked.revision, asked.other) if asked and not of_memory else (None, None)
            revisions = ArtifactRepository(db).revisions(artifact.id)
            sources, derived = lineage_of(db, revisions, scopes=scopes)
        before, after = numbers
        shown = _numbered(revisions, after or before or artifact.current, ref=ref)
        content = self._text(shown)
        difference = None
        if before is not None and after is not None:
            old = _numbered(revisions, before, ref=ref)
            difference = _difference(self._text(old), content, names=(f"r={before}", f"r={after}"))
        return Opened(
            view=ArtifactView(artifact=artifact, revision=shown, excerpt=shown.excerpt),
            content=content,
            difference=difference,
            revisions=revisions,
            sources=sources,
            derived=derived,
        )

    def publish(self, ref: str, *, scopes: Sequence[ScopeKey] | None, published: bool) -> ArtifactView:
        """Pin a revision, the current one when the address names none, or take the pin off.

        What mentions a published artifact is pinned: no dream run retires it.

        Args:
            ref: An address.
            scopes: None for the operator, who sees everything.
            published: False takes the pin off.

        Raises:
            Invalid: it is no address.
            NotFound: there is no such artifact or revision.
        """
        address = parse_comparison(ref)
        if address.other is not None:
            raise Invalid(f"ref: {ref[:80]!r} names two revisions where one can be published")
        now = self._clock.now()
        with self._database.transaction() as db:
            artifacts = ArtifactRepository(db)
            artifact = artifacts.by_kref(address.kref, scopes=scopes)
            if artifact is None:
                raise NotFound(f"ref: there is no one artifact {ref[:120]!r}")
            number = address.revision or artifact.current
            revision = artifacts.revision(artifact.id, number=number)
            if revision is None:
                raise NotFound(f"ref: {artifact.kref} has no revision {number}")
            artifact.published = number if published else None
            _pin_mention(db, artifact, pinned=published, at=now)
        return ArtifactView(artifact=artifact, revision=revision, excerpt=revision.excerpt)

    def _text(self, revision: ArtifactRevision) -> str:
        return self._store.get(revision.checksum).decode()


def _numbered(revisions: Sequence[ArtifactRevision], number: int, *, ref: str) -> ArtifactRevision:
    found = next((revision for revision in revisions if revision.revision == number), None)
    if found is None:
        raise NotFound(f"ref: {ref[:120]!r} has no revision {number}, its last one is {revisions[-1].revision}")
    return found


def _difference(before: str, after: str, *, names: tuple[str, str]) -> str:
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > _DIFF_LINES:
        raise Invalid(f"ref: revisions of more than {_DIFF_LINES} lines can't be compared")
    return "\n".join(difflib.unified_diff(old, new, *names, lineterm=""))


def _pin_mention(db: DbSession, artifact: Artifact, *, pinned: bool, at: datetime) -> None:
    memory_id = MemoryId(artifact.memory_id)
    memory = MemoryRepository(db).by_ids([memory_id], scopes=[ScopeKey(artifact.scope_key)]).get(memory_id)
    tags = [tag for tag in artifact.tags if tag != PUBLISHED_TAG] + [PUBLISHED_TAG] * pinned
    artifact.tags = tags
    if memory is not None:
        RevisionRepository(db).change(memory, values={"pinned": pinned, "tags": tags}, at=at)
