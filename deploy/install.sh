#!/bin/sh
# Installs Nightshift into .venv beside pyproject.toml; does nothing when that is done and nothing changed since.
#   deploy/install.sh [dev]     "dev" adds what the tests and linters need
#   PYTHON=/path/to/python      which Python makes the .venv; otherwise the first one on the PATH that is new enough
# Every long step says that it starts and how far it is. An installation that was cut short is mended by running it again.
set -eu
cd "$(dirname "$0")/.."

kind=${1:-run}
venv=.venv
log=$venv/install.log
unfinished=$venv/.installing
stamp=$venv/.installed-$kind

say() { printf '%s\n' "$*"; }
fail() { printf 'install: %s\n' "$*" >&2; exit 1; }

find_python() {
  for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
    command -v "$candidate" >/dev/null 2>&1 || continue
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
    found="${found:+$found, }$("$candidate" --version 2>&1) ($candidate)"
  done
  fail "Python 3.11 or newer is needed, found ${found:-none}; install it, or name it: make up PYTHON=/path/to/python3"
}

# Says how far a quiet step is, for as long as this script lives: of the log only what this step wrote.
tick() {
  seconds=0
  begun=$(($(wc -l <"$log") + 1))
  # The sleep outlives us a little: it must not keep our output open.
  while sleep 10 >/dev/null 2>&1 && kill -0 "$1" 2>/dev/null; do
    seconds=$((seconds + 10))
    doing=$(tail -n "+$begun" "$log" | grep -E '^(Collecting|Installing|Building|Downloading)' | tail -n 1 | cut -c 1-70)
    say "  ... $seconds s${doing:+: $doing}"
  done
}

quietly() {
  tick $$ &
  ticker=$!
  trap 'kill $ticker 2>/dev/null || true' EXIT
  "$@" >>"$log" 2>&1 && status=0 || status=$?
  kill $ticker 2>/dev/null || true
  trap - EXIT
  [ $status -eq 0 ] && return
  grep -v '^WARNING: Location' "$log" | tail -n 15 >&2
  fail "the step above failed (exit code $status); all of its output is in $log. Run it again once that is mended."
}

# What the installation depends on: the files, the place (scripts hold it) and the Python.
state() {
  cat pyproject.toml requirements.lock | cksum
  pwd
  "$venv/bin/python" -c 'import sys; print(sys.version)' 2>/dev/null
}

installed() {
  [ ! -f "$unfinished" ] || return 1
  for done in "$stamp" "$venv/.installed-dev"; do
    [ -f "$done" ] && [ "$(state)" = "$(cat "$done")" ] && return 0
  done
  return 1
}

make_venv() {
  python=$(find_python) || exit 1
  "$python" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "$python can't make virtual environments; install its venv package (Debian: apt-get install python3-venv)"
  say "making $venv with $("$python" --version 2>&1) ..."
  "$python" -m venv --clear "$venv" || fail "$python could not make $venv"
}

# A .venv that was copied or moved here still names its old place.
usable() {
  [ ! -f "$unfinished" ] && "$venv/bin/python" -m pip --version >/dev/null 2>&1 || return 1
  [ ! -f "$venv/bin/pip" ] || head -n 3 "$venv/bin/pip" | grep -qF "$(pwd)/$venv/bin/"
}

command -v node >/dev/null 2>&1 ||
  say "note: Node.js is not on the PATH. Nightshift runs without it; the OpenClaw gateway and the tests of its plugin need it."
installed && exit 0
usable || make_venv
: >"$unfinished"
rm -f "$venv/.installed-run" "$venv/.installed-dev"
: >"$log"
target=.
[ "$kind" = dev ] && target='.[dev]'
say "installing Nightshift and the libraries it stands on into $venv (about a minute, the first time up to three) ..."
quietly "$venv/bin/python" -m pip install --disable-pip-version-check --no-input --progress-bar off -c requirements.lock -e "$target"
say "preparing the flow engine's database (about 20 s, once for each version of it) ..."
quietly "$venv/bin/python" -m flows.server --prepare
rm -f "$unfinished"
state >"$stamp"
say "installed"
