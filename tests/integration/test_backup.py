"""Backups of real tables: all of it comes back, and what was forgotten since stays forgotten."""

import json
import os
import sqlite3
import stat
import tarfile
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memory_core.creative.capturing import CaptureRequest
from memory_core.errors import Corrupt, Invalid, NotFound
from memory_core.forgetting.service import Selection
from memory_core.identity import resolve_scope
from memory_core.settings import Settings
from memory_core.values import MemoryId
from plugin.backup import back_up, restore
from plugin.cli import app
from plugin.copies import backups_of
from plugin.up.home import AlreadyRunning, claim_home
from tests.integration.cores import ANA, ANAS, World, opened, pass_time, settings_for

KEY_SAID = "The spare key hangs behind the stove in the kitchen."
BOAT_SAID = "My sister keeps her red sailing boat in Lagos."


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def settings(home: Path) -> Settings:
    return settings_for(home)


@pytest.fixture
def filled(home: Path) -> Generator[World]:
    """A home with two memories, a work of two revisions, and a turn that waits."""
    with opened(home) as world:
        world.remember(KEY_SAID, key="t1")
        world.remember(BOAT_SAID, key="t2")
        for content in ("Close the shutter in wind.", "Close the shutter in wind above ten metres."):
            keep(world, content)
        world.say("I planted four walnut trees by the well.", key="t3")
        yield world


def keep(world: World, content: str) -> str:
    request = CaptureRequest(title="Protocol", content=content, creative_project="p", project="s", kind="plan")
    pass_time(world, seconds=1)
    accepted = world.core.capturing.capture(resolve_scope(ANA, world.core.settings.identity), request)
    world.run_jobs()
    assert accepted.job_id
    return str(world.core.capturing.state(resolve_scope(ANA, world.core.settings.identity), accepted.job_id).item_kref)


def forget(world: World, *texts: str) -> None:
    ids = tuple(MemoryId(memory.id) for memory in world.memories() if any(text in memory.text for text in texts))
    assert ids
    pass_time(world, minutes=1)
    world.core.forgetting.forget([ANAS], Selection(memory_ids=ids))


def test_all_of_it_comes_back_after_the_home_is_lost(filled: World, *, settings: Settings, tmp_path: Path) -> None:
    rows = {memory.id: memory.model_dump() for memory in filled.memories()}
    done = back_up(settings, tmp_path / "safe.backup")
    assert (done.memories, done.artifacts) == (len(rows), 2)
    other = settings_for(tmp_path / "elsewhere")
    restored = restore(other, tmp_path / "safe.backup")
    assert restored.memories == len(rows)
    assert restored.replaced is None
    with opened(other.home) as world:
        assert {memory.id: memory.model_dump() for memory in world.memories()} == rows
        work = world.core.creative.opened([ANAS], "kref://p/s/protocol.plan?r=1")
        assert work.content == "Close the shutter in wind."
        world.consolidate()
        assert any("walnut" in text for text in world.texts())
        assert world.core.indexing.lag() == 0
        assert len(world.index.points) > len(rows)


def test_a_backup_is_the_owners_only_and_holds_no_token(filled: World, *, settings: Settings, tmp_path: Path) -> None:
    (settings.home / "token").write_text("6d1f4b7a9c2e5083")
    (settings.home / "prefect.auth").write_text("nightshift:word")
    os.umask(0o022)
    back_up(settings, tmp_path / "safe.backup")
    assert stat.S_IMODE((tmp_path / "safe.backup").stat().st_mode) == 0o600
    with tarfile.open(tmp_path / "safe.backup") as archive:
        names = archive.getnames()
    assert {name.split("/")[0] for name in names} == {"manifest.json", "nightshift.sqlite3", "text.key", "artifacts"}
    assert [path.name for path in settings.home.iterdir() if path.name.startswith(".")] == []
    assert backups_of(settings.home) == [tmp_path / "safe.backup"]
    assert filled.memories()


@pytest.mark.usefixtures("filled")
def test_a_backup_is_taken_while_somebody_writes(filled: World, *, settings: Settings, tmp_path: Path) -> None:
    with filled.core.database.transaction() as db:
        db.connection().exec_driver_sql("UPDATE memory SET count = 7")
        back_up(settings, tmp_path / "safe.backup")
    restore(settings_for(tmp_path / "elsewhere"), tmp_path / "safe.backup")
    with opened(tmp_path / "elsewhere") as world:
        assert {memory.count for memory in world.memories()} == {1}


def test_what_was_forgotten_after_the_backup_stays_forgotten(
    filled: World, *, settings: Settings, tmp_path: Path
) -> None:
    back_up(settings, tmp_path / "safe.backup")
    assert b"red sailing boat" in all_bytes(settings.home, but=None)
    forget(filled, "red sailing boat")
    filled.core.database.close()
    restored = restore(settings, tmp_path / "safe.backup")
    assert restored.reapplied.memories == 1
    assert restored.replaced
    with opened(settings.home) as world:
        said = world.texts()
        assert any("spare key" in text for text in said)
        assert not any("boat" in text for text in said)
    assert b"red sailing boat" not in all_bytes(settings.home, but=restored.replaced)


def test_a_forgotten_work_stays_forgotten_though_it_was_revised_since(
    filled: World, *, settings: Settings, tmp_path: Path
) -> None:
    back_up(settings, tmp_path / "safe.backup")
    keep(filled, "A third wording of the protocol.")
    forget(filled, "third wording")
    filled.core.database.close()
    restored = restore(settings, tmp_path / "safe.backup")
    assert restored.reapplied.artifacts == 1
    with opened(settings.home) as world, pytest.raises(NotFound):
        world.core.creative.opened([ANAS], "kref://p/s/protocol.plan")
    assert list(settings.artifact_folder.glob("??/*")) == []
    assert b"shutter" not in all_bytes(settings.home, but=restored.replaced)


def test_a_forgotten_turn_stays_forgotten(filled: World, *, settings: Settings, tmp_path: Path) -> None:
    back_up(settings, tmp_path / "safe.backup")
    turns = [turn.id or 0 for turn in filled.core.forgetting.buffered([ANAS]) if "walnut" in (turn.text or "")]
    filled.core.forgetting.forget([ANAS], Selection(turn_ids=tuple(turns)))
    filled.core.database.close()
    assert restore(settings, tmp_path / "safe.backup").reapplied.turns == len(turns) == 1
    with opened(settings.home) as world:
        world.consolidate()
        assert not any("walnut" in text for text in world.texts())


def test_a_second_restore_still_knows_what_the_first_had_to_forget(
    filled: World, *, settings: Settings, tmp_path: Path
) -> None:
    back_up(settings, tmp_path / "safe.backup")
    forget(filled, "red sailing boat")
    filled.core.database.close()
    restore(settings, tmp_path / "safe.backup")
    assert restore(settings, tmp_path / "safe.backup").reapplied.memories == 1


def test_what_is_said_anew_after_forgetting_comes_back(filled: World, *, settings: Settings, tmp_path: Path) -> None:
    forget(filled, "red sailing boat")
    pass_time(filled, hours=1)
    filled.remember(BOAT_SAID, key="t9")
    back_up(settings, tmp_path / "safe.backup")
    filled.core.database.close()
    assert restore(settings, tmp_path / "safe.backup").reapplied.memories == 0
    with opened(settings.home) as world:
        assert any("boat" in text for text in world.texts())


def test_what_was_there_before_can_be_put_back(filled: World, *, settings: Settings, tmp_path: Path) -> None:
    back_up(settings, tmp_path / "safe.backup")
    filled.remember("The well is cleaned every second spring.", key="t8")
    filled.core.database.close()
    replaced = restore(settings, tmp_path / "safe.backup").replaced
    assert replaced
    assert replaced in backups_of(settings.home)
    restore(settings, replaced)
    with opened(settings.home) as world:
        assert any("second spring" in text for text in world.texts())


def test_tombstones_of_another_installation_are_told_of(filled: World, *, settings: Settings, tmp_path: Path) -> None:
    back_up(settings, tmp_path / "safe.backup")
    with opened(tmp_path / "other") as other:
        other.remember(BOAT_SAID, key="t1")
        forget(other, "red sailing boat")
    restored = restore(settings_for(tmp_path / "other"), tmp_path / "safe.backup")
    assert restored.unknown_tombstones > 0
    assert restored.reapplied.memories == 0
    assert filled.memories()


@pytest.mark.usefixtures("filled")
def test_a_running_installation_is_not_replaced(settings: Settings, tmp_path: Path) -> None:
    back_up(settings, tmp_path / "safe.backup")
    with claim_home(settings.home) as claim:
        claim.note({"pid": 1})
        with pytest.raises(AlreadyRunning):
            restore(settings, tmp_path / "safe.backup")


@pytest.mark.usefixtures("filled")
def test_what_is_no_backup_changes_nothing(settings: Settings, tmp_path: Path) -> None:
    before = (settings.home / "nightshift.sqlite3").read_bytes()
    whole = tmp_path / "safe.backup"
    back_up(settings, whole)
    (tmp_path / "text").write_text("not a backup")
    (tmp_path / "cut").write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    for name in ("text", "cut", "absent"):
        with pytest.raises(Invalid, match=r"^restore: "):
            restore(settings, tmp_path / name)
    assert (settings.home / "nightshift.sqlite3").read_bytes() == before
    assert not list(settings.home.glob("before-restore*"))


@pytest.mark.usefixtures("filled")
def test_damaged_tables_and_other_formats_are_refused(settings: Settings, tmp_path: Path) -> None:
    for manifest, tables, error in (({"format": 1}, b"rubbish" * 999, Corrupt), ({"format": 9}, b"", Invalid)):
        folder = tmp_path / error.code
        folder.mkdir()
        (folder / "manifest.json").write_text(json.dumps(manifest))
        (folder / "nightshift.sqlite3").write_bytes(tables)
        with tarfile.open(folder / "it", "w:gz") as archive:
            for name in ("manifest.json", "nightshift.sqlite3"):
                archive.add(folder / name, arcname=name)
        with pytest.raises(error):
            restore(settings, folder / "it")


@pytest.mark.usefixtures("filled")
def test_members_that_lead_elsewhere_stay_out(settings: Settings, tmp_path: Path) -> None:
    whole = tmp_path / "safe.backup"
    back_up(settings, whole)
    with tarfile.open(whole) as archive:
        archive.extractall(tmp_path / "taken", filter="data")
    (tmp_path / "token").write_text("planted")
    with tarfile.open(tmp_path / "forged", "w:gz") as archive:
        for name in ("manifest.json", "nightshift.sqlite3", "text.key"):
            archive.add(tmp_path / "taken" / name, arcname=name)
        archive.add(tmp_path / "token", arcname="token")
    restore(settings_for(tmp_path / "elsewhere"), tmp_path / "forged")
    assert not (tmp_path / "elsewhere" / "token").exists()
    with tarfile.open(tmp_path / "climbing", "w:gz") as archive:
        archive.add(tmp_path / "taken" / "manifest.json", arcname="manifest.json")
        archive.add(tmp_path / "token", arcname="artifacts/../../../planted")
    with pytest.raises(Invalid):
        restore(settings, tmp_path / "climbing")
    assert not (settings.home.parent / "planted").exists()


def test_tables_elsewhere_have_their_own_tools(home: Path, tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="own tools"):
        back_up(settings_for(home, url="postgresql://tests@127.0.0.1:1/x"), tmp_path / "safe.backup")
    with pytest.raises(NotFound, match="no tables"):
        back_up(settings_for(home), tmp_path / "safe.backup")


@pytest.mark.usefixtures("filled")
def test_a_place_that_cannot_be_written_leaves_nothing_behind(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="can't be written"):
        back_up(settings, tmp_path / "no" / "such" / "folder")
    assert [path.name for path in settings.home.iterdir() if path.name.startswith(".")] == []


def all_bytes(home: Path, *, but: Path | None) -> bytes:
    with closing(sqlite3.connect(home / "nightshift.sqlite3")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return b"".join(path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file() and path != but)


def test_the_commands_say_what_they_did(filled: World, *, settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "safe.backup"
    said = run(settings, "backup", str(file))
    assert f"{len(filled.memories())} memories and 2 contents of works in {file}" in said
    forget(filled, "red sailing boat")
    filled.core.database.close()
    assert "Replace what is in" in run(settings, "restore", str(file), exit_code=1, stdin="n\n")
    said = run(settings, "restore", str(file), "--yes")
    assert "forgotten since, so forgotten again: 1 memories" in said
    assert "what was there before is in" in said


def run(settings: Settings, *arguments: str, exit_code: int = 0, stdin: str = "") -> str:
    """A command of `nightshift` on this home; what it wrote, without line breaks."""
    result = CliRunner().invoke(app, ["--home", str(settings.home), *arguments], input=stdin)
    assert result.exit_code == exit_code, result.output
    return " ".join(result.output.split())
