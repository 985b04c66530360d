# Every target makes .venv by itself: with uv if there is one, else with python3 -m venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test check fix bench bench-proxy bench-mcp bench-search bench-viewer fuzz clean

run: .venv/done
	$(BIN)/strictcall serve $(ARGS)

test: .venv/done
	@.ci/browser
	$(BIN)/pytest -n auto --dist loadgroup

check: .venv/done
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	@.ci/browser
	$(BIN)/pytest -n auto --dist loadgroup

fix: .venv/done
	$(BIN)/python docs/update.py
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/done
	$(BIN)/python bench/core.py

bench-mcp: .venv/done
	$(BIN)/python -m bench.mcp $(ARGS)

bench-proxy: .venv/done
	$(BIN)/python -m bench.proxy $(ARGS)

bench-search: .venv/done
	$(BIN)/python -m bench.search $(ARGS)

bench-viewer: .venv/done
	$(BIN)/python -m bench.viewer $(ARGS)

fuzz: .venv/done
	STRICTCALL_FUZZ=1 $(BIN)/pytest -n auto tests/test_corpus.py tests/test_properties.py

clean:
	rm -rf .venv .bench .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/done: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "strictcall needs Python 3.11 or newer; name one: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	@echo "making .venv: half a minute or so, once"
	@if command -v uv >/dev/null; then \
	    uv sync --quiet --python $(PYTHON); \
	else \
	    $(PYTHON) -m venv --clear .venv && $(BIN)/pip install --quiet --upgrade pip && $(BIN)/pip install --quiet --editable . --group dev; \
	fi
	@touch $@
