"""A run that is killed again and again ends with the same result as one that isn't."""

import os
import shutil
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import event
from sqlalchemy import text as sql

from memory_core.dream.progress import BATCH, RunRequest
from memory_core.errors import Unavailable
from memory_core.models.memory import Memory
from memory_core.values import JobKind, MemoryStatus
from tests.integration.cores import World, opened
from tests.integration.dreams.planting import dream, plant, status, tables

CITIES = ("Lisbon", "Porto", "Faro", "Braga", "Evora", "Aveiro", "Coimbra", "Leiria", "Viseu", "Guarda")
KILLS = 12
CITY_REPEATS = 20


def plant_life(world: World) -> None:
    """More than two batches of memories with something to do in each of them."""
    for number in range(BATCH):
        plant(world, f"Telescope dome shutter motor {number} hums at night.", days_ago=400 - number)
        plant(world, f"The boat of neighbour {number % 40} lies in the harbour.", days_ago=300 - number)
    for number, city in enumerate(CITIES):
        plant(world, f"I live in {city}.", days_ago=200 - number)
    plant(world, "The office is closed.", valid_until=world.clock.now())


def everything(world: World) -> dict[str, Any]:
    """All rows, also what the night keeps for itself."""
    found = dict(tables(world))
    with world.core.database.engine.connect() as connection:
        for name in ("dreamchange", "dreamreview", "dreamitem"):
            lines = connection.execute(sql(f"SELECT * FROM {name}"))  # noqa: S608 names of our own tables
            found[name] = sorted((tuple(line) for line in lines), key=repr)
        run = connection.execute(sql("SELECT state, planned, reviewed, counts, notes FROM dreamrun"))
        found["dreamrun"] = [tuple(line) for line in run]
    return found


@pytest.fixture
def twins(tmp_path: Path) -> Generator[tuple[World, World]]:
    """Two worlds that hold the same."""
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    with opened(first) as one:
        plant_life(one)
        one.core.database.close()
        shutil.copytree(first, second)
        with opened(second, like=one) as other:
            yield one, other


def run_until(world: World, request: RunRequest, *, commits: int) -> bool:
    """Do a run in a child that is killed in the middle of its n-th commit; tells whether it came to its end."""
    child = os.fork()
    if child == 0:
        left = [commits]

        def die(_connection: object) -> None:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        world.core.database.close()
        event.listen(world.core.database.engine, "commit", die)
        world.core.dream_runs.run(request, on_progress=lambda _: None)
        os._exit(0)
    _, wait_status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(wait_status) == 0


@pytest.mark.parametrize("kind", [JobKind.DREAM, JobKind.DEDUPLICATE])
def test_killed_on_the_way_it_ends_like_an_unkilled_one(twins: tuple[World, World], kind: JobKind) -> None:
    unkilled, killed = twins
    request = RunRequest(run_id=str(uuid4()), kind=kind)
    unkilled.core.dream_runs.run(request, on_progress=lambda _: None)
    for at in range(1, KILLS + 1):
        assert not run_until(killed, request, commits=at), "there was nothing left to kill"
    killed.core.dream_runs.run(request, on_progress=lambda _: None)
    assert everything(killed) == everything(unkilled)
    assert len(everything(killed)["dreamchange"]) > (BATCH if kind is JobKind.DREAM else CITY_REPEATS)


def test_killed_each_time_at_the_same_moment_it_still_ends(twins: tuple[World, World]) -> None:
    """What is being looked at each time is held to be the reason, and is left out; every other memory is looked at."""
    _, world = twins
    request = RunRequest(run_id=str(uuid4()), kind=JobKind.DREAM)
    for _ in range(8):
        run_until(world, request, commits=3)
    run = world.core.dream_runs.run(request, on_progress=lambda _: None)
    assert run.state == "done"
    assert 1 <= len([note for note in run.notes if "left out" in note]) <= 3


class TestDryRun:
    def test_a_killed_dry_run_proposes_the_same(self, twins: tuple[World, World]) -> None:
        unkilled, killed = twins
        before = tables(killed)
        request = RunRequest(run_id=str(uuid4()), kind=JobKind.DREAM, dry_run=True)
        unkilled.core.dream_runs.run(request, on_progress=lambda _: None)
        for at in range(1, 7):
            run_until(killed, request, commits=at)
        killed.core.dream_runs.run(request, on_progress=lambda _: None)
        assert everything(killed) == everything(unkilled)
        assert tables(killed) == before


class TestParts:
    def test_a_run_waits_for_tables_that_are_away(self, sqlite_world: World) -> None:
        """Nobody is blamed: nothing is parked."""
        for number in range(3):
            plant(sqlite_world, f"Telescope dome shutter motor {number} hums at night.")
        request = RunRequest(run_id=str(uuid4()), kind=JobKind.DREAM)

        def away(_share: float) -> None:
            raise Unavailable("the tables are away")

        for _ in range(3):
            try:
                sqlite_world.core.dream_runs.run(request, on_progress=away)
            except Unavailable:
                continue
        run = sqlite_world.core.dream_runs.run(request, on_progress=lambda _: None)
        assert (run.state, run.reviewed) == ("done", 3)
        assert "left out" not in str(run.notes)


class TestPoison:
    def test_a_memory_that_breaks_the_look_is_parked_and_the_others_are_looked_at(self, sqlite_world: World) -> None:
        world = sqlite_world
        for number in range(6):
            plant(world, f"Telescope dome shutter motor {number} hums at night.")
        old = plant(world, "I live in Lisbon.", days_ago=20)
        broken = plant(world, "The attic is dry.", days_ago=10)
        plant(world, "I live in Porto now.", days_ago=1)
        set_kind(world, broken, kind="no kind at all")
        run = dream(world)
        assert run.state == "done"
        assert status(world, old) == MemoryStatus.SUPERSEDED
        (note,) = [note for note in run.notes if "left out" in note]
        assert broken.kref in note
        assert dream(world).planned == 0

    def test_a_parked_memory_is_looked_at_again_when_it_changed(self, sqlite_world: World) -> None:
        world = sqlite_world
        broken = plant(world, "The attic is dry.", days_ago=10)
        set_kind(world, broken, kind="no kind at all")
        dream(world)
        set_kind(world, broken, kind="fact")
        assert dream(world).planned == 1


def set_kind(world: World, memory: Memory, *, kind: str) -> None:
    world.core.indexing.apply_due()  # the index would not understand it either
    with world.core.database.engine.begin() as connection:
        parameters = {"id": memory.id, "kind": kind}
        connection.execute(sql("UPDATE memory SET kind = :kind, version = version + 1 WHERE id = :id"), parameters)
