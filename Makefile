# Two commands do everything: `make build` and `make test`. `make help` lists the others.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3.11
VENV := $(CURDIR)/.venv
BIN := $(VENV)/bin
LINT := $(CURDIR)/.venv-lint/bin

# dbt takes relative paths from the working directory: absolute ones work from anywhere.
export DBT_PROJECT_DIR := $(CURDIR)
export DBT_PROFILES_DIR := $(CURDIR)
export DISSENT_WORK_DATABASE ?= $(CURDIR)/data/work.duckdb
export DISSENT_DATABASE ?= $(CURDIR)/dissent.duckdb
# Bytecode is kept: importing dbt takes twice as long without.
unexport PYTHONDONTWRITEBYTECODE

INSTALL = $(1)/pip install --quiet --disable-pip-version-check --require-hashes --requirement $(2)

.PHONY: help environment land build test check lint shell bench lock clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22

$(VENV)/.build: requirements/build.txt
	@echo "setting up the environment in .venv (once, about a minute) ..."
	@command -v $(PYTHON) > /dev/null || { echo "$(PYTHON) is not installed: install Python 3.11, or name one with make PYTHON=..." >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(call INSTALL,$(BIN),requirements/build.txt)
	@grep -q environment.sh $(BIN)/activate || echo '. "$$(dirname "$$VIRTUAL_ENV")/scripts/environment.sh"' >> $(BIN)/activate
	@touch $@

$(VENV)/.test: requirements/test.txt $(VENV)/.build
	@echo "installing the test tools ..."
	@$(call INSTALL,$(BIN),requirements/test.txt)
	@touch $@

$(LINT)/.lint: requirements/lint.txt
	@echo "installing the SQL linter in .venv-lint ..."
	@test -x $(LINT)/python || $(PYTHON) -m venv .venv-lint
	@$(call INSTALL,$(LINT),requirements/lint.txt)
	@touch $@

environment: $(VENV)/.build ## set up .venv, then `. .venv/bin/activate` gives dbt on this project

land: $(VENV)/.build ## take, check and load the vote files
	@$(BIN)/python -m scripts.land

build: land ## everything: environment, landing, dbt build, published database, result
	@echo "building and testing the models ..."
	@$(BIN)/dbt --quiet build || { $(BIN)/python -m scripts.summary --differing; exit 1; }
	@$(BIN)/python -m scripts.summary

test: $(VENV)/.test lint ## every check; what CI runs
	@$(BIN)/python -m pytest

check: $(VENV)/.test lint ## the quick checks, under two minutes
	@$(BIN)/python -m pytest -m "not slow"

lint: $(VENV)/.test $(LINT)/.lint ## linters and type checker
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy --no-error-summary
	@$(LINT)/sqlfluff lint --nocolor --disable-progress-bar models tests analyses | { grep -v -e '^All Finished' || true; }

shell: ## SQL prompt on the published database, read-only
	@test -f "$(DISSENT_DATABASE)" || { echo "no published database yet: run make build first" >&2; exit 1; }
	@$(BIN)/duckdb -readonly "$(DISSENT_DATABASE)"

bench: $(VENV)/.test ## the models' SQL against numpy/pandas, as a ratio
	@$(BIN)/python -m scripts.bench

lock: ## for maintainers: resolve requirements/*.in again (needs uv)
	@cd requirements && for name in build test lint; do \
	  uv pip compile --quiet --upgrade --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
	    --no-strip-extras --no-header $$name.in --output-file $$name.txt; done

clean: ## remove what the commands made, environments and landed files included
	@rm -rf .venv .venv-lint target logs data dissent.duckdb
