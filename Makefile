# Two commands do everything: `make build` and `make test`. `make help` lists the others.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3.11
VENV := $(CURDIR)/.venv
BIN := $(VENV)/bin
LINT := $(CURDIR)/.venv-lint/bin
SPARK := $(CURDIR)/.venv-spark/bin
JAVA := $(if $(JAVA_HOME),$(JAVA_HOME)/bin/java,java)
PEERS := $(CURDIR)/.venv-peers/bin
CLIENTS := $(CURDIR)/.venv-clients/bin
# The engine that builds: duckdb or spark.
TARGET ?= duckdb

# dbt takes relative paths from the working directory: absolute ones work from anywhere.
export DBT_PROJECT_DIR := $(CURDIR)
export DBT_PROFILES_DIR := $(CURDIR)
export DISSENT_WORK_DATABASE ?= $(CURDIR)/data/work.duckdb
export DISSENT_DATABASE ?= $(CURDIR)/dissent.duckdb
export DISSENT_SPARK ?= $(CURDIR)/data/spark
# Bytecode is kept: importing dbt takes twice as long without.
unexport PYTHONDONTWRITEBYTECODE

INSTALL = $(1)/pip install --quiet --disable-pip-version-check --require-hashes --requirement $(2)

.PHONY: help environment land add remove build build-duckdb build-spark java parity test check lint shell compare docs report exports ask readme picture consensus bench scale coverage lock clean

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

$(SPARK)/.spark: requirements/spark.txt
	@echo "setting up Spark in .venv-spark (once, about a minute) ..."
	@test -x $(SPARK)/python || $(PYTHON) -m venv .venv-spark
	@$(call INSTALL,$(SPARK),requirements/spark.txt)
	@grep -q environment.sh $(SPARK)/activate || echo '. "$$(dirname "$$VIRTUAL_ENV")/scripts/environment.sh"' >> $(SPARK)/activate
	@touch $@

$(PEERS)/.peers: requirements/peers.txt
	@echo "setting up the peer libraries in .venv-peers (once) ..."
	@test -x $(PEERS)/python || $(PYTHON) -m venv .venv-peers
	@$(call INSTALL,$(PEERS),requirements/peers.txt) --no-deps
	@touch $@

$(CLIENTS)/.clients: requirements/clients.txt
	@echo "setting up the clients' libraries in .venv-clients (once) ..."
	@test -x $(CLIENTS)/python || $(PYTHON) -m venv .venv-clients
	@$(call INSTALL,$(CLIENTS),requirements/clients.txt)
	@touch $@

environment: $(VENV)/.build ## set up .venv, then `. .venv/bin/activate` gives dbt on this project

land: $(VENV)/.build ## take, check and load the vote files
	@$(BIN)/python -m scripts.land

build: build-$(TARGET) ## everything: environment, landing, dbt build, result; with TARGET=spark on Spark

build-duckdb: $(VENV)/.build
	@$(BIN)/python -m scripts.build

build-spark: java land $(SPARK)/.spark
	@$(BIN)/python -m scripts.land_spark
	@# Made anew each time: Spark refuses to write where a build that was stopped half-way left files.
	@rm -rf $(DISSENT_SPARK)/warehouse $(DISSENT_SPARK)/metastore_db
	@echo "building and testing the models on Spark (about three minutes) ..."
	@$(SPARK)/dbt --quiet build --target spark --target-path $(CURDIR)/target/spark 2> $(DISSENT_SPARK)/spark.log \
	  || { echo "the build on Spark failed; what Spark itself said is in $(DISSENT_SPARK)/spark.log" >&2; exit 1; }
	@$(BIN)/python -m scripts.summary --spark

java:
	@major=$$("$(JAVA)" -version 2>&1 | sed -nE 's/.* version "([0-9]+).*/\1/p' || true); [ "$${major:-0}" -ge 17 ] || { \
	  echo "Spark needs Java 17 or newer: install it (apt-get install openjdk-17-jre-headless, brew install openjdk@17) or set JAVA_HOME" >&2; exit 1; }

parity: $(VENV)/.build ## compare every table of the builds on DuckDB and Spark
	@$(BIN)/python -m scripts.parity

test: $(VENV)/.test lint $(PEERS)/.peers $(CLIENTS)/.clients $(if $(shell command -v $(JAVA)),$(SPARK)/.spark) ## every check; what CI runs
	@$(BIN)/python -m pytest

check: $(VENV)/.test lint ## the quick checks, under two minutes
	@$(BIN)/python -m pytest -m "not slow"

lint: $(VENV)/.test $(LINT)/.lint ## linters and type checker
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy --no-error-summary
	@$(LINT)/sqlfluff lint --nocolor --disable-progress-bar models tests analyses | { grep -v -e '^All Finished' || true; }

add: $(VENV)/.build ## bring your own votes: make add FILE=path NAME=my_votes [ARGS='--help']
	@$(BIN)/python -m scripts.add $(if $(FILE),"$(FILE)") $(if $(NAME),--name "$(NAME)") $(ARGS)

remove: $(VENV)/.build ## take them out again: make remove NAME=my_votes
	@$(BIN)/python -m scripts.remove $(if $(NAME),--name "$(NAME)")

compare: $(VENV)/.build ## what changed since the previous build, or between two: make compare OLD=path NEW=path
	@$(BIN)/python -m scripts.compare "$(OLD)" "$(NEW)" $(ARGS) || [ $$? = 3 ]

shell: $(VENV)/.build ## SQL prompt on the published database, read-only
	@$(BIN)/python -m scripts.shell

docs: $(VENV)/.build ## dbt's documentation of every table, test and macro as one page, report/docs.html
	@$(BIN)/python -m scripts.docs

report: $(VENV)/.build ## the page to look at, report/dissent.html, and its charts as PNG and SVG
	@$(BIN)/python -m scripts.report

exports: $(VENV)/.build ## every table as Parquet and CSV in exports/, with a data dictionary
	@$(BIN)/python -m scripts.exports

ask: $(VENV)/.build ## the worked questions; make ask Q=name answers one
	@$(BIN)/python -m scripts.ask $(Q)

readme: $(VENV)/.build ## for maintainers: write the README's results and the diagrams of docs/tables.md
	@$(BIN)/python -m scripts.readme

picture: report ## for maintainers: the README's picture of the report (needs Chromium)
	@chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1180,2300 \
	  --screenshot=$(CURDIR)/docs/report.png file://$(CURDIR)/report/dissent.html 2> /dev/null
	@echo "docs/report.png shows the report of the published database"

consensus: $(PEERS)/.peers ## consensus labels by Dawid-Skene, compared with the majority (optional)
	@$(PEERS)/python -m scripts.consensus

bench: $(VENV)/.test ## the models' SQL against numpy/pandas, polars and SQL by hand (VOTES=5000000,50000000)
	@$(BIN)/python -m scripts.bench --votes $(or $(VOTES),5000000)

scale: $(VENV)/.test ## cost of every model on generated votes, and how it grows (N=1000000,10000000,100000000)
	@$(BIN)/python -m scripts.bench.scale $(or $(N),1000000)

coverage: $(VENV)/.test ## how often the 95 % intervals cover the truth, on generated panels (DRAWS=2000)
	@$(BIN)/python -m scripts.coverage --draws $(or $(DRAWS),2000)

lock: ## for maintainers: resolve requirements/*.in again (needs uv)
	@cd requirements && for name in build test lint spark peers clients; do \
	  uv pip compile --quiet --upgrade --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
	    --no-strip-extras --no-header --overrides overrides.txt $$name.in --output-file $$name.txt; done

clean: ## remove what the commands made, environments and landed files included
	@rm -rf .venv .venv-lint .venv-spark .venv-peers .venv-clients target logs data dissent.duckdb dissent.previous.duckdb exports report/dissent.html report/docs.html report/charts
