import sqlite3
from contextlib import closing
from importlib.metadata import version
from pathlib import Path

import pytest

from flows.database import find_problem, prepare_home, shrink, store_template, template_places

# A revision of Prefect's own history, which every later version knows as well.
KNOWN_REVISION = "27d8f4e1a6c9"


def make_database(path: Path, *, revision: str = KNOWN_REVISION, rows: int = 2000) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
        connection.execute("INSERT INTO alembic_version VALUES (?)", (revision,))
        connection.execute("CREATE TABLE flow_run (id INTEGER PRIMARY KEY, name TEXT)")
        connection.executemany("INSERT INTO flow_run (name) VALUES (?)", [(f"run {n}" * 5,) for n in range(rows)])
        connection.commit()
    return path


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:20_000])


def spoil_a_page(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[8192:12288] = b"\xff" * 4096
    path.write_bytes(content)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def overwrite(path: Path) -> None:
    path.write_text("these are notes of somebody" * 100)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "prefect"
    home.mkdir()
    return home


@pytest.fixture
def template(tmp_path: Path) -> Path:
    return make_database(tmp_path / "template.sqlite3", rows=0)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_new_home_begins_with_the_template(tmp_path: Path, template: Path) -> None:
    prepare_home(tmp_path / "home" / "prefect", template=template)
    assert (tmp_path / "home" / "prefect" / "prefect.db").read_bytes() == template.read_bytes()


def test_without_a_template_prefect_makes_its_own(tmp_path: Path) -> None:
    prepare_home(tmp_path / "prefect", template=None)
    assert names(tmp_path / "prefect") == []


def test_a_database_in_order_stays(home: Path, template: Path) -> None:
    database = make_database(home / "prefect.db")
    before = database.read_bytes()
    prepare_home(home, template=template)
    assert database.read_bytes() == before
    assert names(home) == ["prefect.db"]


@pytest.mark.parametrize("damage", [truncate, spoil_a_page, empty, overwrite])
def test_a_damaged_database_is_set_aside_and_replaced(home: Path, template: Path, *, damage: object) -> None:
    database = make_database(home / "prefect.db")
    assert callable(damage)
    damage(database)
    damaged = database.read_bytes()
    prepare_home(home, template=template)
    assert find_problem(database) is None
    aside = [path for path in home.iterdir() if ".broken-" in path.name]
    assert [path.read_bytes() for path in aside] == [damaged]


def test_the_log_of_a_damaged_database_does_not_reach_the_new_one(home: Path, template: Path) -> None:
    overwrite(home / "prefect.db")
    (home / "prefect.db-wal").write_bytes(b"pages of the old one")
    prepare_home(home, template=template)
    assert not (home / "prefect.db-wal").exists()
    assert find_problem(home / "prefect.db") is None


def test_a_database_of_another_prefect_is_set_aside(home: Path, template: Path) -> None:
    make_database(home / "prefect.db", revision="0123456789ab")
    prepare_home(home, template=template)
    assert find_problem(home / "prefect.db") is None
    assert len(names(home)) == 2


def test_a_file_where_the_folder_belongs_is_set_aside(tmp_path: Path, template: Path) -> None:
    (tmp_path / "prefect").write_text("a file")
    prepare_home(tmp_path / "prefect", template=template)
    assert (tmp_path / "prefect" / "prefect.db").exists()


@pytest.mark.parametrize("damage", [empty, overwrite])
def test_a_damaged_template_is_left_out(tmp_path: Path, template: Path, *, damage: object) -> None:
    assert callable(damage)
    damage(template)
    prepare_home(tmp_path / "prefect", template=template)
    assert names(tmp_path / "prefect") == []


def test_a_template_that_is_gone_is_left_out(tmp_path: Path) -> None:
    prepare_home(tmp_path / "prefect", template=tmp_path / "gone.sqlite3")
    assert names(tmp_path / "prefect") == []


def test_a_template_is_kept_in_the_first_place_that_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    places = [tmp_path / "file" / "template.sqlite3", tmp_path / "cache" / "template.sqlite3"]
    source = make_database(tmp_path / "source.sqlite3")
    assert store_template(source, places) == places[1]
    assert find_problem(places[1]) is None
    assert names(tmp_path / "cache") == ["template.sqlite3"]


def test_a_template_that_no_place_takes_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    assert store_template(make_database(tmp_path / "source.sqlite3"), [tmp_path / "file" / "template"]) is None


def test_each_version_of_prefect_has_a_template_of_its_own() -> None:
    assert {place.name for place in template_places()} == {f"prefect-{version('prefect')}.sqlite3"}


def filled(home: Path, *, megabytes: int, deleted: float) -> int:
    """Fill a database in a home with rows of a megabyte and delete a share of them; returns the size of the file."""
    with closing(sqlite3.connect(home / "prefect.db")) as connection:
        connection.execute("CREATE TABLE runs (number INTEGER, content BLOB)")
        for number in range(megabytes):
            connection.execute("INSERT INTO runs VALUES (?, zeroblob(1000000))", (number,))
        connection.execute("DELETE FROM runs WHERE number < ?", (int(megabytes * deleted),))
        connection.commit()
    return (home / "prefect.db").stat().st_size


@pytest.mark.parametrize(
    ("megabytes", "deleted", "shrinks"),
    [(30, 0.9, True), (30, 0.3, False), (5, 0.9, False)],
    ids=["half free", "full", "small"],
)
def test_room_of_deleted_runs_is_given_back(
    home: Path, template: Path, *, megabytes: int, deleted: float, shrinks: bool
) -> None:
    prepare_home(home, template=template)
    before = filled(home, megabytes=megabytes, deleted=deleted)
    prepare_home(home, template=None)
    after = (home / "prefect.db").stat().st_size
    assert (after < before / 2) is shrinks
    assert find_problem(home / "prefect.db") is None


def test_a_database_that_somebody_uses_is_left_as_it_is(home: Path) -> None:
    before = filled(home, megabytes=30, deleted=0.9)
    with closing(sqlite3.connect(home / "prefect.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        shrink(home / "prefect.db", patience_s=0.1)
    assert (home / "prefect.db").stat().st_size == before
