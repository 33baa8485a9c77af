# make demo: set up and run the tour. make test: set up and run the tests.
# Needs git, make and python3 (3.11 or later, with venv); the rest is installed into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RACE := .venv-benchmark
RACE_OPTIONS ?=
PEERS_OPTIONS ?=

.PHONY: help demo engines test lint check docs docs-reference benchmark peers wheel clean

help:
	@echo "make demo       set up and run the tour on a generated city"
	@echo "make test       set up and run all tests; those of absent engines are skipped"
	@echo "make engines    install Java, PostgreSQL (Debian) and pyspark, for their tests"
	@echo "make lint       ruff and mypy"
	@echo "make docs       build the documentation into site/, offline, and check its links"
	@echo "make docs-reference  write the reference pages anew, from the commands and names"
	@echo "make benchmark  speed against DuckDB, Polars, pandas and pyCANON"
	@echo "make peers      figures and times beside pyCANON, anjana and others; fills docs/peers.md"
	@echo "make wheel      build dist/*.whl"
	@echo "make clean      remove what was set up"

demo: $(VENV)/.product
	@$(BIN)/reidrisk demo

test: $(VENV)/.test
	$(BIN)/python -m pytest

engines: $(VENV)/.test
	.ci/engines
	$(BIN)/python -m pip install --quiet --editable '.[spark]'

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

check: lint test

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

$(VENV)/.product: $(BIN)/python pyproject.toml
	@$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.test: $(BIN)/python pyproject.toml
	@$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@ $(VENV)/.product

$(VENV)/.lint: $(BIN)/python pyproject.toml
	@$(BIN)/python -m pip install --quiet --editable '.[test,lint]'
	@touch $@ $(VENV)/.test $(VENV)/.product

$(VENV)/.docs: $(BIN)/python pyproject.toml
	@$(BIN)/python -m pip install --quiet --editable '.[test,docs]' || { \
	  echo "make: mkdocs and its theme can't be had; pip install '.[docs]' needs a package registry" >&2; exit 1; }
	@touch $@ $(VENV)/.test $(VENV)/.product

# An environment of its own: pyCANON holds numpy and pandas back.
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
