# Every target makes the virtual environment it needs; Python 3.11 and a package index are enough.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install
SOURCES := crab_graph tests benchmarks examples

# The tests start many processes: each would compile the whole package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-slow test-versions mutants soak lint bench supply audit \
  pictures constraints clean

help:
	@echo "make demo       the whole path offline: tasks, dialogues, grading, a table and a page"
	@echo "make test       the tests"
	@echo "make test-slow  the tests that take longer, and those that need a browser"
	@echo "make test-versions  tests with the oldest versions declared, and with the newest"
	@echo "make mutants    faults put into what judges, pays and reads: do the tests notice?"
	@echo "make soak       hostile calls and kills for MINUTES=10: is anything lost, or different?"
	@echo "make lint       ruff, mypy, import-linter"
	@echo "make bench      the benchmarks"
	@echo "make pictures   draw the pictures of README and docs anew, from real runs"
	@echo "make audit      known vulnerabilities of all that is brought along"
	@echo "make supply     write the bill of materials and the page of licences"

demo: $(VENV)/.ready
	$(BIN)/crab-graph demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --maxprocesses 4

test-slow: $(VENV)/.browser
	$(BIN)/python -m pytest -n auto --maxprocesses 4 -m slow

test-versions: $(VENV)/.ready
	$(BIN)/python tests/versions.py

# SAMPLE=200 draws as many; MODULES=payments,eval/user takes a room of targets.toml, or parts of paths.
mutants: $(VENV)/.mutants
	$(BIN)/python -m tests.mutants.run $(if $(SAMPLE),--sample $(SAMPLE)) \
	  $(if $(SEED),--seed $(SEED)) $(if $(MODULES),--modules $(MODULES))

# MINUTES=600 as long; CALLS and KILLS end it earlier; OUT=soak keeps what was counted, and is added to.
soak: $(VENV)/.dev
	@$(BIN)/python -m tests.soak.run --minutes $(or $(MINUTES),10) $(if $(OUT),--out $(OUT)) \
	  $(if $(CALLS),--calls $(CALLS)) $(if $(KILLS),--kills $(KILLS)) $(if $(JSON),--json)

lint: $(VENV)/.dev
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports
	@! grep -n '://' constraints.txt

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/run.py

pictures: $(VENV)/.browser
	$(BIN)/python benchmarks/pictures.py

supply: $(VENV)/.supply
	$(BIN)/python -m tests.supply write

audit: $(VENV)/.auditor
	$(BIN)/python -m tests.supply audit

# pip reads dependency groups from 25.1 on, and Python 3.11 brings an older one.
$(VENV)/.ready: pyproject.toml constraints.txt
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or later is needed: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@echo "installing into $(VENV) (about a minute the first time)" >&2
	@test -x $(BIN)/python || "$(PYTHON)" -m venv $(VENV)
	@$(PIP) --upgrade 'pip>=25.1'
	@$(PIP) -c constraints.txt -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.ready
	@$(PIP) -c constraints.txt -e '.[audit,report,serve]' --group dev
	@touch $@

$(VENV)/.browser: $(VENV)/.dev
	@$(PIP) -c constraints.txt -e '.[inspect,postgres,ray,studio]' --group browser --group mutants
	@touch $@

$(VENV)/.mutants: $(VENV)/.dev
	@$(PIP) -c constraints.txt --group mutants
	@touch $@

$(VENV)/.auditor: $(VENV)/.dev
	@$(PIP) -c constraints.txt --group supply
	@touch $@

$(VENV)/.supply: $(VENV)/.browser $(VENV)/.auditor
	@$(PIP) -c constraints.txt -e '.[mcp]'
	@touch $@

# Names and versions only: a lock file of uv would hold the address of the index it was made with.
constraints:
	uv pip compile pyproject.toml --universal --upgrade --all-extras --group dev --group browser --group mutants \
	  --group supply --no-header --no-annotate -o constraints.txt

clean:
	rm -rf $(VENV) $(VENV)-lowest $(VENV)-newest dist build demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
