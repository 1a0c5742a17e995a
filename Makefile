# memtend's tasks. `make demo` and `make test` need Python 3.11, make and git, and nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: setup demo test ci lint types contracts format thesaurus docs scenarios-update laws machines kills faults load crowd fuzz licences sbom audit clean

setup: $(VENV)/.setup ## the tool itself, at .venv/bin/memtend

$(VENV)/.setup: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	$(BIN)/python -m compileall -q src/memtend
	touch $@

$(VENV)/.test: $(VENV)/.setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	touch $@

$(VENV)/.dev: $(VENV)/.setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,semantic]'
	touch $@

demo: $(VENV)/.setup ## learn a sample folder, search, recall, undo
	MEMTEND=$(CURDIR)/$(BIN)/memtend bash examples/demo.sh

test: $(VENV)/.test ## all tests
	$(BIN)/python -m pytest -n 2

ci: $(VENV)/.dev lint types contracts ## everything a change must pass
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/.dev
	$(BIN)/ruff format --check
	$(BIN)/ruff check

types: $(VENV)/.dev
	$(BIN)/mypy

contracts: $(VENV)/.dev
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

thesaurus: $(VENV)/.dev ## make the table of related words from tools/thesaurus
	$(BIN)/python tools/thesaurus.py

docs: $(VENV)/.dev ## write the generated reference pages
	$(BIN)/python tools/docs.py
	$(BIN)/python tools/cases.py
	$(BIN)/python tools/api.py

scenarios-update: $(VENV)/.dev ## write what the scenarios print now into them; the diff is the review
	MEMTEND_UPDATE_SCENARIOS=1 $(BIN)/python -m pytest tests/scenarios

laws: $(VENV)/.dev ## ten times as many examples of every law, other ones each time
	MEMTEND_LAWS=10 $(BIN)/python -m pytest -n 2 tests/properties -k laws

machines: $(VENV)/.dev ## the state machines over vault, role and category memory, long
	$(BIN)/python -m pytest -m slow -n 3 tests/properties -k machine

kills: $(VENV)/.dev ## SIGKILL at every write of every command
	$(BIN)/python -m pytest -m slow tests/faults/test_kills.py

faults: $(VENV)/.dev ## the long forms of all other faults: 100,000 files, 10 MB, …
	$(BIN)/python -m pytest -m slow tests/faults --ignore tests/faults/test_kills.py

load: $(VENV)/.dev ## 8 writers and 8 readers on one vault for a minute
	$(BIN)/python benchmarks/load.py --seconds 60

crowd: $(VENV)/.dev ## every command on 100,000 files in one folder: cost and correctness
	$(BIN)/python benchmarks/crowd.py --files 100000

fuzz: $(VENV)/.dev ## ten minutes for each reader of foreign text
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[fuzz]'
	$(BIN)/python tests/fuzz/fuzz.py --seconds 600

licences: $(VENV)/.dev ## docs/licences.md from what is installed
	$(BIN)/python tools/licences.py

sbom: $(VENV)/.dev ## dist/memtend.cdx.json: what an installation consists of
	mkdir -p dist
	$(PYTHON) -m venv --clear --without-pip build/installed
	$(BIN)/python -m pip --python build/installed/bin/python install --quiet --disable-pip-version-check .
	$(BIN)/cyclonedx-py environment --output-reproducible --pyproject pyproject.toml --of JSON \
		-o dist/memtend.cdx.json build/installed/bin/python

audit: $(VENV)/.dev ## known faults of the dependencies; asks the network
	$(BIN)/python tools/audit.py

clean:
	rm -rf $(VENV) dist build
