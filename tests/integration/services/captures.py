"""What tests of made things do again and again: keep one, look at what was kept, forget it."""

from dataclasses import replace
from typing import Any

from sqlmodel import select

from memory_core.creative.capturing import Accepted, CaptureRequest, CaptureState
from memory_core.creative.service import ArtifactView
from memory_core.forgetting.service import Receipt, Selection
from memory_core.identity import resolve_scope
from memory_core.kref import place_of
from memory_core.models.artifact import ArtifactBlob
from memory_core.models.memory import Memory
from memory_core.recall.finding import Question
from memory_core.store.artifacts import ArtifactRepository
from memory_core.store.memories import MemoryRepository
from memory_core.values import JobState, MemoryId, Scope, ScopeKey, SessionRef
from tests.integration.cores import ANA, ANAS, World, pass_time

PROTOCOL = "Close the shutter when the wind passes twelve metres a second.\n\nOpen it again after ten calm minutes.\n"
PLACE = place_of(project="observatory", space="dome-control", kind="design")


def request(content: str = PROTOCOL, *, title: str = "Shutter protocol", **fields: Any) -> CaptureRequest:
    """The Shutter protocol, a design of the observatory, with what the test changes."""
    base = CaptureRequest(
        title=title, content=content, creative_project="observatory", project="dome-control", kind="design"
    )
    return replace(base, **fields)


def scope_of(world: World, ref: SessionRef = ANA) -> Scope:
    """Whom it is kept for."""
    return resolve_scope(ref, world.core.settings.identity)


def capture(world: World, wanted: CaptureRequest, *, ref: SessionRef = ANA) -> Accepted:
    """Ask for it to be kept, a second after the last one."""
    pass_time(world, seconds=1)
    return world.core.capturing.capture(scope_of(world, ref), wanted)


def state(world: World, accepted: Accepted, *, ref: SessionRef = ANA) -> CaptureState:
    """What became of it so far."""
    assert accepted.job_id
    return world.core.capturing.state(scope_of(world, ref), accepted.job_id)


def kept(world: World, wanted: CaptureRequest | None = None, *, ref: SessionRef = ANA) -> CaptureState:
    """Keep it at once."""
    accepted = capture(world, wanted or request(), ref=ref)
    world.run_jobs()
    done = state(world, accepted, ref=ref)
    assert done.state is JobState.DONE
    return done


def parts(world: World, scope: ScopeKey = ANAS) -> list[Memory]:
    """The passages of what is kept at `PLACE`, in order."""
    with world.core.database.reading() as db:
        artifacts = [row.id for row in ArtifactRepository(db).page([scope], place=PLACE, tag=None, limit=99)]
        ids = [MemoryId(memory_id) for memory_id in ArtifactRepository(db).memory_ids(artifacts)]
        rows = MemoryRepository(db).by_ids(ids, scopes=[scope]).values()
    return sorted((row for row in rows if row.part is not None), key=lambda row: row.part or 0)


def listed(world: World, scope: ScopeKey = ANAS) -> list[ArtifactView]:
    """What is kept at `PLACE`."""
    return world.core.creative.listed([scope], place=PLACE, limit=99)


def found(world: World, text: str, *, scope: ScopeKey = ANAS) -> list[ArtifactView]:
    """What a search at `PLACE` finds, best first."""
    question = Question(text=text, at=world.clock.now(), zone="UTC")
    return world.core.creative.found([scope], question, place=PLACE, limit=10)


def stored(world: World) -> list[str]:
    """Checksums of every content that is kept, in the folder or in the tables."""
    with world.core.database.reading() as db:
        in_tables = list(db.exec(select(ArtifactBlob.checksum)))
    return in_tables + [file.name for file in world.core.settings.artifact_folder.glob("??/*")]


def forget(world: World, kref: str | None, *, scope: ScopeKey = ANAS) -> Receipt:
    """Forget what a kref leads to."""
    view = world.core.library.get(kref or "", scopes=[scope])
    return world.core.forgetting.forget([scope], Selection(memory_ids=(MemoryId(view.memory.id),)))
