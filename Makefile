# make run: set everything up and serve (PORT=8001 make run: on another port). make test: set everything up and pass the whole suite.
PYTHON ?= python3
PORT ?= 8000
ADDRESS ?= 127.0.0.1:$(PORT)
BIN := .venv/bin
export ADDRESS

.PHONY: setup run test lint shots story bench lock clean

setup: .venv/ready

.venv/ready: requirements/dev.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Infermary needs Python 3.11 or newer; this is " + sys.version) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --requirement requirements/dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

run: setup
	@$(BIN)/python -m infermary.address $(ADDRESS)
	LOCAL_OPERATOR=$${LOCAL_OPERATOR:-1} $(BIN)/python manage.py prepare
	@echo
	@echo "  Infermary: http://$(ADDRESS)/   (Ctrl-C stops it)"
	@echo
	LOCAL_OPERATOR=$${LOCAL_OPERATOR:-1} $(BIN)/honcho start

test: setup lint
	$(BIN)/python -m pytest

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py check_entries

bench: setup
	$(BIN)/python -m pytest tests/bench -o python_files='bench_*.py' --benchmark-only --benchmark-columns=min,median,max

shots: setup
	$(BIN)/python -m tests.shots

story: setup
	$(BIN)/python -m tests.story

# The exact versions of everything; names of indexes stay out of the file.
lock:
	$(PYTHON) -m venv .venv-lock && .venv-lock/bin/pip install --quiet pip-tools
	.venv-lock/bin/pip-compile --quiet --upgrade --extra site --extra dev --strip-extras --no-annotate --no-header \
	  --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --output-file requirements/dev.txt pyproject.toml
	rm -rf .venv-lock

clean:
	rm -rf .venv var
