"""One suite for every artifact store: the local folder, and the table of many machines."""

import stat
import threading
from collections.abc import Generator
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_core.adapters.artifact_folder import ArtifactFolder
from memory_core.errors import Corrupt, NotFound, Unavailable
from memory_core.ports import ArtifactStore
from memory_core.store.artifact_blobs import DatabaseArtifacts
from memory_core.store.database import Database
from tests.fakes.clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=["folder", "table"])
def store(request: pytest.FixtureRequest, tmp_path: Path, *, clock: FakeClock) -> Generator[ArtifactStore]:
    if request.param == "folder":
        yield ArtifactFolder(tmp_path / "artifacts", clock=clock)
        return
    database = Database(f"sqlite:///{tmp_path / 'tables.sqlite3'}")
    database.migrate()
    yield DatabaseArtifacts(database, clock=clock)
    database.close()


@given(content=st.binary(max_size=2000))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_was_kept_comes_back(store: ArtifactStore, content: bytes) -> None:
    checksum = store.put(content)
    assert checksum == sha256(content).hexdigest()
    assert store.get(checksum) == content


def test_five_megabytes_come_back(store: ArtifactStore) -> None:
    content = bytes(range(256)) * 20_480
    assert store.get(store.put(content)) == content


def test_equal_contents_are_kept_once(store: ArtifactStore, clock: FakeClock) -> None:
    assert store.put(b"a plan") == store.put(b"a plan")
    assert len(store.stored_before(clock.now() + timedelta(seconds=1))) == 1


def test_an_unknown_content_is_not_found(store: ArtifactStore) -> None:
    with pytest.raises(NotFound):
        store.get("0" * 64)


def test_what_is_deleted_is_gone(store: ArtifactStore) -> None:
    first, second = store.put(b"one"), store.put(b"two")
    assert store.delete([first, "0" * 64]) == 1
    with pytest.raises(NotFound):
        store.get(first)
    assert store.get(second) == b"two"
    assert store.delete([]) == 0


def test_what_was_kept_again_since_is_spared(store: ArtifactStore, clock: FakeClock) -> None:
    old, again = store.put(b"old"), store.put(b"again")
    clock.set(clock.now() + timedelta(hours=2))
    before = clock.now() - timedelta(hours=1)
    assert set(store.stored_before(before)) == {old, again}
    store.put(b"again")
    assert store.stored_before(before) == [old]
    assert store.delete([old, again], before=before) == 1
    assert store.get(again) == b"again"


def test_writers_at_once_leave_one_whole_content(store: ArtifactStore) -> None:
    content = b"the same plan " * 20_000
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(store.put(content))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(found) == 8
    assert store.get(found[0]) == content


def test_files_are_their_owners_only(tmp_path: Path, clock: FakeClock) -> None:
    folder = tmp_path / "artifacts"
    checksum = ArtifactFolder(folder, clock=clock).put(b"a plan")
    file = folder / checksum[:2] / checksum
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert {stat.S_IMODE(path.stat().st_mode) for path in (folder, file.parent)} == {0o700}
    assert [path.name for path in file.parent.iterdir()] == [checksum]


def test_a_changed_file_is_noticed_and_mended_by_the_next_put(tmp_path: Path, clock: FakeClock) -> None:
    store = ArtifactFolder(tmp_path, clock=clock)
    checksum = store.put(b"a plan")
    (tmp_path / checksum[:2] / checksum).write_bytes(b"a trap")
    with pytest.raises(Corrupt, match="changed behind our back"):
        store.get(checksum)
    store.put(b"a plan")
    assert store.get(checksum) == b"a plan"


def test_what_a_kill_left_half_written_is_no_content_and_goes(tmp_path: Path, clock: FakeClock) -> None:
    store = ArtifactFolder(tmp_path, clock=clock)
    checksum = store.put(b"a plan")
    half = tmp_path / checksum[:2] / f"{checksum}.1a2b3c4d.part"
    half.write_bytes(b"a pl")
    assert store.stored_before(clock.now() + timedelta(days=36_500)) == [checksum]
    assert not half.exists()


def test_a_folder_that_cannot_be_made_says_so(tmp_path: Path, clock: FakeClock) -> None:
    (tmp_path / "artifacts").write_text("a file where the folder should be")
    with pytest.raises(Unavailable, match="can't be written"):
        ArtifactFolder(tmp_path / "artifacts", clock=clock).put(b"a plan")
