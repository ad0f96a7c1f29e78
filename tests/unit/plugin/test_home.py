import json
import os
import stat
from pathlib import Path

import pytest

from memory_core.errors import Invalid
from memory_core.settings import Settings
from plugin.up.home import LOCK_FILE, AlreadyRunning, claim_home, mend_home, prefect_auth, prepare_home, read_claim


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_home_is_made_for_its_owner_only(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "home"
    prepare_home(Settings(home=home))
    assert mode(home) == 0o700
    assert [entry.name for entry in home.iterdir()] == ["logs"]


def test_a_home_with_foreign_files_is_closed_to_others_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "holiday.txt").write_text("mine")
    tmp_path.chmod(0o755)
    prepare_home(Settings(home=tmp_path))
    assert mode(tmp_path) == 0o700
    assert (tmp_path / "holiday.txt").read_text() == "mine"


def test_a_file_in_the_place_of_the_home_is_named(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("")
    with pytest.raises(Invalid, match="is a file where a folder must be"):
        prepare_home(Settings(home=home))


def test_a_home_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Invalid, match="can't be used"):
        prepare_home(Settings(home=tmp_path / "file" / "home"))


def test_a_home_is_claimed_once_and_says_by_whom(tmp_path: Path) -> None:
    with claim_home(tmp_path) as claim:
        claim.note({"pid": 4242, "url": "http://127.0.0.1:7461"})
        with (
            pytest.raises(AlreadyRunning, match=r"already running at http://127\.0\.0\.1:7461 .*pid 4242"),
            claim_home(tmp_path),
        ):
            pytest.fail("claimed twice")
        assert read_claim(tmp_path) == {"pid": 4242, "url": "http://127.0.0.1:7461"}
    assert read_claim(tmp_path) is None


def test_a_half_written_note_still_counts_as_running(tmp_path: Path) -> None:
    with claim_home(tmp_path):
        (tmp_path / LOCK_FILE).write_bytes(b'{"pid": 42')
        with pytest.raises(AlreadyRunning, match="already running"), claim_home(tmp_path):
            pytest.fail("claimed twice")


def test_only_a_tree_that_did_not_end_in_order_leaves_something_behind(tmp_path: Path) -> None:
    with claim_home(tmp_path) as claim:
        claim.note({"pid": 1})
    with claim_home(tmp_path) as claim:
        assert not claim.left_behind
    (tmp_path / LOCK_FILE).write_text(json.dumps({"pid": 1}))
    with claim_home(tmp_path) as claim:
        assert claim.left_behind


def test_the_password_of_the_flow_engine_is_made_once_and_private(tmp_path: Path) -> None:
    auth = prefect_auth(tmp_path)
    assert auth.startswith("nightshift:")
    assert prefect_auth(tmp_path) == auth
    assert mode(tmp_path / "prefect.auth") == 0o600
    assert os.listdir(tmp_path) == ["prefect.auth"]  # noqa: PTH208  names are all that is asked


@pytest.mark.parametrize("content", ["", "nightshift:", "nightshift:short", "\x00\x00", "ä" * 60])
def test_a_half_written_password_is_replaced(tmp_path: Path, content: str) -> None:
    (tmp_path / "prefect.auth").write_text(content)
    auth = prefect_auth(tmp_path)
    assert len(auth) > 40
    assert prefect_auth(tmp_path) == auth


@pytest.mark.parametrize("content", ["", "\n", "0123"])
def test_a_half_written_token_is_taken_away(tmp_path: Path, content: str) -> None:
    (tmp_path / "token").write_text(content)
    assert mend_home(Settings(home=tmp_path)) == ["token was half-written and is made anew"]
    assert not (tmp_path / "token").exists()


def test_a_whole_home_needs_no_mending(tmp_path: Path) -> None:
    assert mend_home(Settings(home=tmp_path)) == []
    (tmp_path / "token").write_text("0" * 64)
    assert mend_home(Settings(home=tmp_path)) == []
    assert (tmp_path / "token").read_text() == "0" * 64
