"""Parts that lack their scope filter, planted so that it can be seen whether a leak is noticed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory_core.bootstrap import MemoryCore
from memory_core.creative.capturing import CaptureState, CapturingService
from memory_core.creative.service import ArtifactView, CreativeService, Opened
from memory_core.recall.finding import Finder, Found, Question, Ranked
from memory_core.recall.history import History
from memory_core.recall.library import LibraryService, MemoryView, Page
from memory_core.values import Embedding, Hit, JobId, MemoryId, PointFilter, Scope, ScopeKey
from tests.fakes.vector_index import FakeVectorIndex


class LeakyIndex(FakeVectorIndex):
    """Searches every scope."""

    def score(self, query: Embedding, *, memory_ids: Sequence[MemoryId], where: PointFilter) -> list[Hit]:
        scopes = tuple({point.scope for point in self.points.values()})
        return FakeVectorIndex.score(self, query, memory_ids=memory_ids, where=replace(where, scopes=scopes))


@dataclass(frozen=True, slots=True)
class _Everywhere:
    """Every scope there is, in the place of the reader's."""

    core: MemoryCore

    def scopes(self) -> tuple[ScopeKey, ...]:
        return tuple(sorted({ScopeKey(view.memory.scope_key) for view in self.core.library.everything(None)}))


class _LeakyFinder(Finder):
    """Ranks and loads without the index filter and without the clause."""

    everywhere: _Everywhere

    def rank(self, scopes: Sequence[ScopeKey], question: Question) -> list[Ranked]:
        return Finder.rank(self, self.everywhere.scopes() if scopes else (), question)

    def load(self, ranked: Sequence[Ranked], *, scopes: Sequence[ScopeKey]) -> list[Found]:
        return Finder.load(self, ranked, scopes=self.everywhere.scopes() if scopes else ())


class _LeakyLibrary(LibraryService):
    """Reads without the clause."""

    everywhere: _Everywhere

    def get(self, ref: str, *, scopes: Sequence[ScopeKey]) -> MemoryView:  # noqa: ARG002 the leak
        return LibraryService.get(self, ref, scopes=self.everywhere.scopes())

    def page(self, scopes: Sequence[ScopeKey], **narrow: Any) -> Page:  # noqa: ARG002 the leak
        return LibraryService.page(self, self.everywhere.scopes(), **narrow)

    def history(self, memory_id: str, *, scopes: Sequence[ScopeKey]) -> History:  # noqa: ARG002 the leak
        return LibraryService.history(self, memory_id, scopes=self.everywhere.scopes())


class _LeakyCreative(CreativeService):
    """Reads works without the clause."""

    everywhere: _Everywhere

    def listed(self, scopes: Sequence[ScopeKey], **narrow: Any) -> list[ArtifactView]:  # noqa: ARG002 the leak
        return CreativeService.listed(self, self.everywhere.scopes(), **narrow)

    def opened(self, scopes: Sequence[ScopeKey], ref: str) -> Opened:  # noqa: ARG002 the leak
        return CreativeService.opened(self, self.everywhere.scopes(), ref)


class _LeakyCapturing(CapturingService):
    """Tells of jobs without looking whose they are."""

    everywhere: _Everywhere

    def state(self, scope: Scope, job_id: JobId) -> CaptureState:
        return CapturingService.state(self, replace(scope, reads=self.everywhere.scopes()), job_id)


def leaking(core: MemoryCore, part: str) -> MemoryCore:
    """The core with one part that lacks its filter."""
    kinds: dict[str, type[Any]] = {
        "finder": _LeakyFinder,
        "library": _LeakyLibrary,
        "creative": _LeakyCreative,
        "capturing": _LeakyCapturing,
    }
    leaky = object.__new__(kinds[part])
    leaky.__dict__.update(getattr(core, part).__dict__)
    leaky.everywhere = _Everywhere(core)
    return replace(core, **{part: leaky})
