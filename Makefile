# check: format, lint and types; test: everything that CI tests; bench: the latency budgets;
# extras: each extra by itself in an empty environment, which takes minutes
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: check test bench extras

$(BIN)/ruff:
	python3 -m venv $(VENV)
	$(BIN)/pip install --quiet -e '.[dev]'

check: $(BIN)/ruff
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

test: $(BIN)/ruff
	$(BIN)/pytest

bench: $(BIN)/ruff
	$(BIN)/pytest benchmarks/test_budgets.py --benchmark-enable -q

extras: $(BIN)/ruff
	$(BIN)/python tests/extras.py $(EXTRAS)
