"""Reading memories page by page and all of them, without a gap and without a double."""

import threading
from datetime import timedelta

import pytest

from memory_core.errors import Invalid, NotFound
from memory_core.models.memory import Memory
from memory_core.store.memories import MemoryFilter
from memory_core.values import MemoryStatus, ScopeKey
from tests.fakes.clock import START
from tests.integration.cores import ANAS, BOS, World
from tests.integration.rows import memory, plant_memories, plant_memory, plant_session, plant_turn


def pages(world: World, *, limit: int, where: MemoryFilter | None = None) -> list[str]:
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = world.core.library.page([ANAS], where=where or MemoryFilter(), limit=limit, cursor=cursor)
        assert len(page.views) <= limit
        seen += [view.memory.id for view in page.views]
        cursor = page.cursor
        if cursor is None:
            return seen


@pytest.fixture
def many(world: World) -> list[Memory]:
    """1,200 memories, five of them at each instant."""
    rows = [memory(ANAS, created_at=START + timedelta(seconds=number // 5)) for number in range(1200)]
    plant_memories(world.core.database, rows)
    return rows


def test_paging_meets_every_memory_once(world: World, many: list[Memory]) -> None:
    plant_memory(world.core.database, BOS)
    wanted = sorted(many, key=lambda row: (row.created_at, row.id), reverse=True)
    for limit in (7, 200, 1200, 5000):
        assert pages(world, limit=limit) == [row.id for row in wanted]


def test_a_memory_written_while_someone_pages_moves_nothing(world: World) -> None:
    rows = [plant_memory(world.core.database, ANAS) for _ in range(6)]
    first = world.core.library.page([ANAS], where=MemoryFilter(), limit=3, cursor=None)
    plant_memory(world.core.database, ANAS)
    second = world.core.library.page([ANAS], where=MemoryFilter(), limit=3, cursor=first.cursor)
    assert [view.memory.id for view in (*first.views, *second.views)] == [row.id for row in reversed(rows)]
    assert second.cursor is None


def test_everything_that_matches_is_found_beyond_one_page(world: World, many: list[Memory]) -> None:
    assert len(world.core.library.matching([ANAS], where=MemoryFilter())) == len(many)
    assert world.core.library.matching([BOS], where=MemoryFilter()) == []


def test_an_export_is_oldest_first_and_whole(world: World, many: list[Memory]) -> None:
    theirs = plant_memory(world.core.database, BOS)
    ids = [view.memory.id for view in world.core.library.everything([ANAS])]
    assert ids == [row.id for row in sorted(many, key=lambda row: (row.created_at, row.id))]
    assert {view.memory.id for view in world.core.library.everything(None)} == {*ids, theirs.id}


def test_an_export_may_go_on_in_another_thread(world: World) -> None:
    """A streamed answer takes each piece in whichever thread is free."""
    rows = [plant_memory(world.core.database, ANAS) for _ in range(3)]
    views = world.core.library.everything(None)
    found = [next(views).memory.id]
    rest = threading.Thread(target=lambda: found.extend(view.memory.id for view in views))
    rest.start()
    rest.join(20)
    assert found == [row.id for row in rows]


def test_an_export_that_breaks_off_gives_its_connection_back(world: World) -> None:
    plant_memory(world.core.database, ANAS)
    for _ in range(40):
        views = world.core.library.everything(None)
        next(views)
        views.close()
    assert len(world.memories()) == 1


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "nonsense",
        "ä",
        "====",
        "bm9uZQ==",
        "MjAyNi0wMS0wMVQwMDowMDowMCswMDowMHxub25l",
        "MDAwMS0wMS0wMVQwMDowMDowMCsxNDowMHx4",
    ],
)
def test_a_cursor_of_somebody_else_is_refused_by_name(world: World, cursor: str) -> None:
    if not cursor:
        assert world.core.library.page([ANAS], where=MemoryFilter(), limit=5, cursor=cursor).views == []
        return
    with pytest.raises(Invalid, match="cursor: "):
        world.core.library.page([ANAS], where=MemoryFilter(), limit=5, cursor=cursor)


def test_a_memory_is_got_by_address_revision_and_id(world: World) -> None:
    row = plant_memory(world.core.database, ANAS, revision=3)
    for ref in (row.kref, f"{row.kref}?r=3", row.id):
        assert world.core.library.get(ref, scopes=[ANAS]).memory.id == row.id
    for ref in (f"{row.kref}?r=2", "kref://p/personal/m-none.fact", "no-id", ""):
        with pytest.raises(NotFound):
            world.core.library.get(ref, scopes=[ANAS])
    with pytest.raises(Invalid):
        world.core.library.get("kref://", scopes=[ANAS])


@pytest.mark.parametrize("scopes", [[], [BOS]])
def test_nobody_gets_what_is_not_theirs(world: World, scopes: list[ScopeKey]) -> None:
    row = plant_memory(world.core.database, ANAS)
    for ref in (row.kref, row.id):
        with pytest.raises(NotFound):
            world.core.library.get(ref, scopes=scopes)


def test_a_view_names_sources_and_successor(world: World) -> None:
    turn = plant_turn(world.core.database, plant_session(world.core.database, ANAS), turn_key="said-then")
    new = plant_memory(world.core.database, ANAS)
    plant_memory(world.core.database, ANAS, turn=turn, superseded_by=new.id, status=MemoryStatus.SUPERSEDED)
    views = world.core.library.describe(world.memories())
    assert [(view.sources, view.superseded_by) for view in views] == [(("said-then",), new.kref), ((), None)]
