"""One secret for an installation, however many ask for it at once."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from memory_core.errors import Corrupt
from memory_core.keyfile import load_or_create


def test_the_first_call_makes_a_secret_that_the_next_one_reads(tmp_path: Path) -> None:
    secret = load_or_create(tmp_path / "token")
    assert len(bytes.fromhex(secret)) == 32
    assert load_or_create(tmp_path / "token") == secret
    assert load_or_create(tmp_path / "other") != secret


def test_the_file_is_its_owners_only_whatever_the_umask(tmp_path: Path) -> None:
    script = (
        "import os, pathlib, sys; from memory_core.keyfile import load_or_create;"
        "os.umask(0); load_or_create(pathlib.Path(sys.argv[1]))"
    )
    subprocess.run([sys.executable, "-c", script, tmp_path / "token"], check=True, timeout=60)
    assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600


def test_twenty_threads_get_one_secret(tmp_path: Path) -> None:
    barrier = threading.Barrier(20)
    secrets: list[str] = []

    def ask() -> None:
        barrier.wait(10)
        secrets.append(load_or_create(tmp_path / "token"))

    threads = [threading.Thread(target=ask) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(secrets) == 20
    assert len(set(secrets)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["token"]


@pytest.mark.parametrize("content", [b"", b"\n", b"short", b"\xff" * 64, "ä".encode() * 64])
def test_a_file_without_a_secret_is_called_corrupt_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "token"
    path.write_bytes(content)
    with pytest.raises(Corrupt, match="token"):
        load_or_create(path)
    assert path.read_bytes() == content
    assert os.listdir(tmp_path) == ["token"]  # noqa: PTH208 names are what is asked for


def test_a_secret_with_a_line_end_is_read_without_it(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("a" * 64 + "\n")
    assert load_or_create(tmp_path / "token") == "a" * 64
