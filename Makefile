# Two commands for a newcomer: `make demo` and `make test`. Each makes .venv itself.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.ready
SHELLS := $(wildcard hooks/*) .ci/run $(wildcard src/tenure/faces/action/*.sh)

.PHONY: demo test lint bench soak clean

$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("tenure needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install -q --disable-pip-version-check -e '.[dev]'
	touch $(STAMP)

demo: $(STAMP)
	$(BIN)/tenure demo

test: $(STAMP)
	$(BIN)/pytest -n auto tests

lint: $(STAMP)
	$(BIN)/ruff check src tests bench
	$(BIN)/ruff format --check src tests bench
	$(BIN)/mypy
	@if command -v shellcheck >/dev/null; then shellcheck $(SHELLS); else echo "shellcheck is not installed: skipped"; fi

bench: $(STAMP)
	$(BIN)/python bench/run.py

soak: $(STAMP)
	$(BIN)/python tests/faults/soak.py

clean:
	rm -rf .venv
