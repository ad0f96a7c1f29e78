import os
import socket
from pathlib import Path

import pytest

from memory_core.unix_address import unix_address


@pytest.mark.parametrize("depth", [1, 12])
def test_a_socket_is_reached_however_long_its_folder_is_named(tmp_path: Path, depth: int) -> None:
    folder = tmp_path.joinpath(*["a rather long name of a folder"] * depth)
    folder.mkdir(parents=True)
    path = folder / "index.sock"
    with socket.socket(socket.AF_UNIX) as listening, socket.socket(socket.AF_UNIX) as client:
        with unix_address(path) as address:
            assert len(os.fsencode(address)) <= 100 or depth == 1
            listening.bind(address)
        assert path.is_socket()
        listening.listen()
        with unix_address(path) as address:
            client.connect(address)
        assert not Path(address).exists() or address == str(path)


def test_a_short_address_is_the_path_itself() -> None:
    with unix_address(Path("/run/x.sock")) as address:
        assert address == "/run/x.sock"
