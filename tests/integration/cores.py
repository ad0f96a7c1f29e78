"""A whole core over real tables and the fakes of its ports, with the calls that tests need again and again."""

import shutil
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest

from memory_core.bootstrap import MemoryCore, Ports, compose_core
from memory_core.capture.service import Captured, LiveTurn
from memory_core.models.memory import Memory
from memory_core.ports import ChatModel
from memory_core.settings import Settings
from memory_core.settings_loading import load_settings
from memory_core.store.memories import MemoryFilter
from memory_core.values import ChatType, JobId, JobState, MemoryStatus, ScopeKey, SessionRef
from tests.fakes.clock import FakeClock
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.flow_engine import FakeFlowEngine
from tests.fakes.vector_index import FakeVectorIndex

ANA = SessionRef(session_key="agent:main:main", channel="signal", sender_id="ana", sender_name="Ana", timezone="UTC")
BO = replace(ANA, sender_id="bo", sender_name="Bo")
GROUP = replace(ANA, session_key="agent:main:signal:group:1", chat_type=ChatType.GROUP, chat_id="1")
ANAS, BOS = ScopeKey("user.signal.ana"), ScopeKey("user.signal.bo")


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A core and what stands around it."""

    core: MemoryCore
    clock: FakeClock
    index: FakeVectorIndex
    embedder: FakeEmbedder
    engine: FakeFlowEngine
    woken: list[str] = field(default_factory=list[str])

    def say(self, text: str, *, key: str, ref: SessionRef = ANA, answer: str = "I see, thank you.") -> Captured:
        """Capture a turn, said now."""
        turn = LiveTurn(turn_key=key, at=self.clock.now(), user_text=text, assistant_text=answer)
        return self.core.capture.accept(ref, turn)

    def consolidate(self, scope: ScopeKey = ANAS) -> None:
        """Consolidate everything that waits, and bring the index up to date."""
        self.core.consolidation.run(scope, through=1_000_000, on_batch=lambda _: None)
        self.core.indexing.apply_due()

    def remember(self, text: str, *, key: str, ref: SessionRef = ANA) -> Memory:
        """Say something and consolidate it; returns the memory of it."""
        scope = ANAS if ref is ANA else BOS
        known = {memory.id for memory in self.memories(scope)}
        self.say(text, key=key, ref=ref)
        self.consolidate(scope)
        return next(memory for memory in self.memories(scope) if memory.id not in known and memory.origin == "user")

    def memories(self, scope: ScopeKey = ANAS) -> list[Memory]:
        """Every memory of a scope, whatever its status, newest first."""
        return self.core.library.matching([scope], where=MemoryFilter(statuses=tuple(MemoryStatus)))

    def texts(self, scope: ScopeKey = ANAS, *, origin: str = "user") -> list[str]:
        """What the memories of a scope say, in the order of saying."""
        rows = sorted(self.memories(scope), key=lambda memory: (memory.session_id or 0, memory.position))
        return [memory.text for memory in rows if memory.origin == origin]

    def run_jobs(self) -> list[JobId]:
        """Play the flow engine: hand over what is owed and run each job once."""
        self.core.jobs.submit_owed()
        done: list[JobId] = []
        for submission in list(self.engine.submissions):
            if self.core.jobs.run(submission.job_id) is not None:
                done.append(submission.job_id)
            self.engine.move(submission.run_id, JobState.DONE)
        return done


def settings_for(home: Path, *, url: str | None = None, overrides: Mapping[str, object] | None = None) -> Settings:
    """Settings of a home that is a folder of the test."""
    database = {"database.url": url} if url else {}
    return load_settings(
        {"NIGHTSHIFT_HOME": str(home)}, overrides={"timezone": "Europe/Lisbon", **database, **(overrides or {})}
    )


@contextmanager
def opened(
    home: Path,
    *,
    url: str | None = None,
    overrides: Mapping[str, object] | None = None,
    like: World | None = None,
    chat: ChatModel | None = None,
) -> Generator[World]:
    """Open a world; `like` gives its clock, index and so on to this one, as a second process would share them."""
    woken: list[str] = []
    clock = like.clock if like else FakeClock()
    index = like.index if like else FakeVectorIndex()
    embedder = like.embedder if like else FakeEmbedder()
    engine = like.engine if like else FakeFlowEngine()
    ports = Ports(clock=clock, index=index, embedder=embedder, engine=engine, chat=chat)
    settings = settings_for(home, url=url, overrides=overrides)
    with compose_core(settings, ports, on_work=lambda: woken.append("work")) as core:
        yield World(core=core, clock=clock, index=index, embedder=embedder, engine=engine, woken=woken)


@pytest.fixture
def world(tables_url: str, tmp_path: Path) -> Generator[World]:
    """A world on each of the databases."""
    with opened(tmp_path, url=tables_url) as found:
        yield found


@pytest.fixture
def sqlite_world(tmp_path: Path, sqlite_template: Path) -> Generator[World]:
    """A world on SQLite, for what doesn't depend on the database."""
    shutil.copy(sqlite_template, tmp_path / "nightshift.sqlite3")
    with opened(tmp_path) as found:
        yield found


def pass_time(world: World, **parts: float) -> None:
    """Let the clock go on."""
    world.clock.set(world.clock.now() + timedelta(**parts))


def said(memories: Sequence[Memory]) -> list[str]:
    """The texts of memories, sorted."""
    return sorted(memory.text for memory in memories)
