# make demo: set up and run the tour. make test: set up and run the tests.
# Needs git, make and python3 (3.11 or later, with venv); the rest is installed into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RACE := .venv-benchmark
# The version of everything that is installed; `make lock` renews it.
LOCK := requirements.lock
INSTALL := -m pip install --quiet --constraint $(LOCK) --editable
LOCKED := test browser-test store-test spark lint docs
LOCK_OPTIONS ?= --upgrade
# One process for each core; `make test WORKERS=1` runs one test after the other.
WORKERS ?= auto
# A server's tests stay in one process, so that there is one of each server: tests/conftest.py.
PYTEST = $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadgroup
RACE_OPTIONS ?=
PEERS_OPTIONS ?=

.PHONY: help demo engines test test-all lint hooks check lock docs docs-reference benchmark peers \
        wheel clean

help:
	@echo "make demo       set up and run the tour on a generated city"
	@echo "make test       set up and run the tests that aren't slow: under five minutes on two cores"
	@echo "make test-all   all tests, as .ci/run does; those of absent engines are skipped"
	@echo "make engines    install Java, PostgreSQL (Debian) and pyspark, for their tests"
	@echo "make lint       ruff and mypy"
	@echo "make hooks      ruff and mypy before each commit, by pre-commit"
	@echo "make check      make lint and make test"
	@echo "make lock       write requirements.lock anew, with the newest versions"
	@echo "make docs       build the documentation into site/, offline, and check its links"
	@echo "make docs-reference  write the reference pages anew, from the commands and names"
	@echo "make benchmark  speed against DuckDB, Polars, pandas and pyCANON"
	@echo "make peers      figures and times beside pyCANON, anjana and others; fills docs/peers.md"
	@echo "make wheel      build dist/*.whl"
	@echo "make clean      remove what was set up"

demo: $(VENV)/.product
	@$(BIN)/reidrisk demo

test: $(VENV)/.test
	REIDRISK_EXAMPLES=20 $(PYTEST) -m "not slow"

test-all: $(VENV)/.test
	$(PYTEST)

engines: $(VENV)/.test
	.ci/engines
	$(BIN)/python $(INSTALL) '.[spark]'

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

hooks: $(VENV)/.lint
	$(BIN)/pre-commit install

check: lint test

# One version for every Python from 3.11 on; versions alone, so that any registry will do.
lock: $(VENV)/.lock
	$(BIN)/uv pip compile --quiet --universal --fork-strategy fewest --python-version 3.11 \
	  --no-annotate --custom-compile-command "make lock" --no-emit-index-url --no-emit-find-links \
	  $(LOCKED:%=--extra %) $(LOCK_OPTIONS) --output-file $(LOCK) pyproject.toml

docs: $(VENV)/.docs
	$(BIN)/python -m documenting.links
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	$(BIN)/python -m documenting.links site
	@echo "the documentation: site/index.html"

docs-reference: $(VENV)/.test
	$(BIN)/python -m documenting

benchmark: $(RACE)/.ready
	$(RACE)/bin/python -m benchmarks.speed $(RACE_OPTIONS)

peers: $(RACE)/.peers
	$(RACE)/bin/python -m benchmarks.peers $(PEERS_OPTIONS)

wheel: $(VENV)/.test
	$(BIN)/python -m build --wheel

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "make: $(PYTHON) isn't installed; reidrisk needs Python 3.11 or later" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "make: $(PYTHON) is $$($(PYTHON) -V 2>&1); reidrisk needs Python 3.11 or later." >&2; \
	  echo "      If a newer one is installed: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "make: this python3 has no venv; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@rm -rf $(VENV)
	@echo "setting up $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.product: $(BIN)/python pyproject.toml $(LOCK)
	@$(BIN)/python $(INSTALL) .
	@touch $@

$(VENV)/.test: $(BIN)/python pyproject.toml $(LOCK)
	@$(BIN)/python $(INSTALL) '.[test]'
	@touch $@ $(VENV)/.product

$(VENV)/.lint: $(BIN)/python pyproject.toml $(LOCK)
	@$(BIN)/python $(INSTALL) '.[test,lint]'
	@touch $@ $(VENV)/.test $(VENV)/.product

$(VENV)/.docs: $(BIN)/python pyproject.toml $(LOCK)
	@$(BIN)/python $(INSTALL) '.[test,docs]' || { \
	  echo "make: mkdocs and its theme can't be had; pip install '.[docs]' needs a package registry" >&2; exit 1; }
	@touch $@ $(VENV)/.test $(VENV)/.product

# Outside the lock on purpose: a lock that didn't yet hold what pyproject.toml asks for couldn't be renewed.
$(VENV)/.lock: $(BIN)/python pyproject.toml
	@$(BIN)/python -m pip install --quiet 'uv>=0.6'
	@touch $@

# An environment of its own, without the lock: pyCANON holds numpy and pandas back, and a comparison
# is with what others release today. The pages it fills name the versions.
$(RACE)/.ready: $(BIN)/python pyproject.toml
	@$(BIN)/python -m venv $(RACE)
	@$(RACE)/bin/python -m pip install --quiet --upgrade pip
	@$(RACE)/bin/python -m pip install --quiet --editable '.[benchmark]'
	@touch $@

$(RACE)/.peers: $(RACE)/.ready
	@$(RACE)/bin/python -m pip install --quiet --editable '.[peers]'
	@touch $@

clean:
	rm -rf $(VENV) $(RACE) dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
