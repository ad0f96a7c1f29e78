"""`deploy/install.sh` over a stand-in Python that notes what it is asked and installs nothing."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "deploy" / "install.sh"

PYTHON = """#!/bin/sh
# Stands for a Python that is new enough; -m venv makes a .venv whose python is this program again.
folder=$(cd "$(dirname "$0")" && pwd)
case "$*" in
  *version_info*|*ensurepip*) exit 0 ;;
  --version) echo 'Python 3.11.7' ;;
  "-m pip --version") [ ! -e "$folder/broken" ] ;;
  *sys.version*) echo '3.11.7 (stand-in)' ;;
  "-m venv --clear "*)
    echo venv >>calls
    rm -rf .venv && mkdir -p .venv/bin && cp "$0" .venv/bin/python
    printf '#!%s/.venv/bin/python\\n' "$(pwd)" >.venv/bin/pip ;;
  "-m pip install "*)
    echo "pip $*" >>calls
    echo 'Collecting everything'; echo 'WARNING: Location x is ignored'
    [ ! -e fail ] || { echo 'no space left'; exit 7; } ;;
  *) echo "$*" >>calls ;;
esac
"""
OLD_PYTHON = """#!/bin/sh
case "$*" in --version) echo 'Python 3.9.2' ;; *) exit 1 ;; esac
"""


class Checkout:
    """A folder with what the script reads, and the Python it is told to use."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "deploy").mkdir(parents=True)
        shutil.copy(SCRIPT, folder / "deploy" / "install.sh")
        (folder / "pyproject.toml").write_text("[project]\n")
        (folder / "requirements.lock").write_text("a==1\n")
        self.python = self.program(PYTHON)

    def program(self, text: str) -> Path:
        path = self.folder / "python-stand-in"
        path.write_text(text)
        path.chmod(0o755)
        return path

    def run(self, *arguments: str, python: str | None = None) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["sh", str(self.folder / "deploy" / "install.sh"), *arguments],
            env={"PATH": os.environ["PATH"], "PYTHON": python or str(self.python)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def calls(self) -> list[str]:
        """What the stand-in was asked since the last look, each by its first word."""
        path = self.folder / "calls"
        found = [line.split()[0] for line in path.read_text().splitlines()] if path.exists() else []
        path.unlink(missing_ok=True)
        return found


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "checkout")


FIRST = ["venv", "pip", "-m"]
AGAIN = ["pip", "-m"]


def test_a_fresh_checkout_is_installed_once(checkout: Checkout) -> None:
    done = checkout.run()
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "installed"
    assert "WARNING" not in done.stdout + done.stderr
    assert checkout.calls() == FIRST
    assert checkout.run().returncode == 0
    assert checkout.calls() == []


@pytest.mark.parametrize("name", ["pyproject.toml", "requirements.lock"])
def test_a_change_of_what_is_wanted_installs_again_into_the_same_place(checkout: Checkout, name: str) -> None:
    checkout.run()
    checkout.calls()
    (checkout.folder / name).write_text("changed\n")
    checkout.run()
    assert checkout.calls() == AGAIN


def test_an_installation_that_was_cut_short_is_made_anew(checkout: Checkout) -> None:
    checkout.run()
    checkout.calls()
    (checkout.folder / ".venv" / ".installing").write_text("")
    checkout.run()
    assert checkout.calls() == FIRST
    assert not (checkout.folder / ".venv" / ".installing").exists()


def test_a_place_that_can_not_install_is_made_anew(checkout: Checkout) -> None:
    (checkout.folder / ".venv" / "bin").mkdir(parents=True)
    shutil.copy(checkout.python, checkout.folder / ".venv" / "bin" / "python")
    (checkout.folder / ".venv" / "bin" / "broken").write_text("")
    checkout.run()
    assert checkout.calls() == FIRST


def test_a_folder_that_moved_is_made_anew(checkout: Checkout, tmp_path: Path) -> None:
    checkout.run()
    checkout.calls()
    checkout.folder = checkout.folder.rename(tmp_path / "moved")
    checkout.python = checkout.folder / "python-stand-in"
    checkout.run()
    assert checkout.calls() == FIRST


def test_the_tests_need_more_and_that_is_enough_to_run(checkout: Checkout) -> None:
    checkout.run()
    checkout.calls()
    checkout.run("dev")
    assert checkout.calls() == AGAIN
    checkout.run()
    checkout.run("dev")
    assert checkout.calls() == []


def test_a_step_that_fails_says_why_and_is_tried_again(checkout: Checkout) -> None:
    (checkout.folder / "fail").write_text("")
    done = checkout.run()
    assert done.returncode == 1
    assert "no space left" in done.stderr
    assert "exit code 7" in done.stderr
    assert "WARNING" not in done.stderr
    (checkout.folder / "fail").unlink()
    checkout.calls()
    assert checkout.run().returncode == 0
    assert checkout.calls() == FIRST


def test_a_python_that_is_too_old_is_one_clear_line(checkout: Checkout) -> None:
    old = str(checkout.program(OLD_PYTHON))
    done = checkout.run(python=old)
    assert done.returncode == 1
    assert done.stderr == (
        f"install: Python 3.11 or newer is needed, found Python 3.9.2 ({old}); "
        "install it, or name it: make up PYTHON=/path/to/python3\n"
    )
    assert not (checkout.folder / ".venv").exists()


def test_no_python_is_one_clear_line(checkout: Checkout) -> None:
    done = checkout.run(python="/nowhere/python3")
    assert done.returncode == 1
    assert done.stderr.startswith("install: Python 3.11 or newer is needed, found none;")
