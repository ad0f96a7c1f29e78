# What README.md names: up, test, lint, bench. PYTHON=/path/to/python3 chooses the Python that .venv is made with.

BIN := .venv/bin

.PHONY: up install install-dev test lint test-plugin rig test-python bench

# The recipe becomes the program, so that a signal to it needs no go-between.
up: install
	@exec $(BIN)/nightshift up

install:
	@PYTHON='$(PYTHON)' deploy/install.sh

install-dev:
	@PYTHON='$(PYTHON)' deploy/install.sh dev

# One after the other: a failure stops the rest, the quick ones come first.
test: install-dev
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory test-plugin
	@$(MAKE) --no-print-directory rig
	@$(MAKE) --no-print-directory test-python

lint: install-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports

test-plugin:
	@command -v node >/dev/null || { echo 'the tests of the gateway plugin need Node.js 20 or newer with npm' >&2; exit 1; }
	cd plugin/openclaw && node --test

rig: install-dev
	$(BIN)/python -m tests.rig.installation

# Two at a time, of which only one starts gateways (tests/conftest.py): most tests of a gateway wait.
test-python: install-dev
	$(BIN)/python -m pytest -n 2

# Prints tables and keeps bench-results/bench.json, which notebooks/recall.ipynb shows. BENCH='speed --without-100k' chooses.
# The recall benchmark of the folder NIGHTSHIFT_BENCH is measured if that is there.
bench: install-dev
	@$(BIN)/python -m tests.quality.bench $(BENCH)
