"""The project's models as dbt compiles them, replayed on a plain DuckDB connection."""

from __future__ import annotations

import graphlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
from duckdb import DuckDBPyConnection

PROJECT = Path(__file__).resolve().parents[2]
THREADS = 2
MEMORY_LIMIT = "4GiB"
# Compiled SQL names its database, and DuckDB names a database after its file.
DATABASE = "bench.duckdb"
MANIFEST = Path("target", "manifest.json")


@dataclass(frozen=True)
class Model:
    """A compiled model."""

    name: str
    relation: str
    sql: str
    is_view: bool


@dataclass(frozen=True)
class Cost:
    """What a model took. Memory is the most DuckDB held at a time, cached tables included."""

    name: str
    seconds: float
    cpu_seconds: float
    rows: int
    memory: int
    spilled: int


class Manifest:
    """The compiled project: its models, seeds and raw tables."""

    def __init__(self, path: Path) -> None:
        content: dict[str, Any] = json.loads(path.read_text())
        self._nodes: dict[str, dict[str, Any]] = content["nodes"]
        self._sources: list[dict[str, Any]] = list(content["sources"].values())

    def models(self, wanted: Collection[str] | None = None) -> list[Model]:
        """Every model, or the wanted ones and all that they are built from, each after what it reads."""
        graph = {
            key: [parent for parent in node["depends_on"]["nodes"] if parent.startswith("model.")]
            for key, node in self._nodes.items()
            if node["resource_type"] == "model"
        }
        waiting = [key for key in graph if wanted is None or self._nodes[key]["name"] in wanted]
        kept: set[str] = set()
        while waiting:
            key = waiting.pop()
            if key not in kept:
                kept.add(key)
                waiting += graph[key]
        nodes = [self._nodes[key] for key in graphlib.TopologicalSorter(graph).static_order() if key in kept]
        return [
            Model(n["name"], n["relation_name"], n["compiled_code"], n["config"]["materialized"] == "view")
            for n in nodes
        ]

    def relation(self, name: str) -> str:
        """The relation of a model or seed."""
        found = [n["relation_name"] for n in self._nodes.values() if n["name"] == name and n["relation_name"]]
        return str(found[0])

    def create_inputs(self, connection: DuckDBPyConnection) -> None:
        """Make the schemas, the seeds with their rows, and the raw tables, empty."""
        seeds = [node for node in self._nodes.values() if node["resource_type"] == "seed"]
        models = [node for node in self._nodes.values() if node["resource_type"] == "model"]
        for schema in sorted({node["schema"] for node in [*seeds, *models, *self._sources]}):
            connection.execute(f'create schema "{schema}"')
        for source in self._sources:
            columns = ", ".join(f"{name} {column['data_type']}" for name, column in source["columns"].items())
            connection.execute(f"create table {source['relation_name']} ({columns})")
        for seed in seeds:
            path, types = PROJECT / seed["original_file_path"], seed["config"].get("column_types") or {}
            connection.execute(
                f"create table {seed['relation_name']} as from read_csv('{path}', header = true, types = {types})"
            )

    def raw_tables(self) -> list[str]:
        """Names of the raw tables, schema.table."""
        return [f'"{source["schema"]}"."{source["name"]}"' for source in self._sources]


def compile_project(folder: Path) -> Manifest:
    """Let dbt compile every model for a database called DATABASE; what dbt writes goes into `folder`."""
    environment = os.environ | {
        "DBT_PROJECT_DIR": str(PROJECT),
        "DBT_PROFILES_DIR": str(PROJECT),
        "DBT_TARGET_PATH": str(folder / "target"),
        "DBT_LOG_PATH": str(folder / "logs"),
        "DISSENT_WORK_DATABASE": str(folder / "dbt" / DATABASE),
    }
    (folder / "dbt").mkdir()
    dbt = Path(sys.executable).with_name("dbt")
    subprocess.run([dbt, "--quiet", "compile", "--no-introspect"], cwd=PROJECT, env=environment, check=True)
    return manifest_of(folder)


def manifest_of(folder: Path) -> Manifest:
    """What `compile_project` left in the folder or in one above it."""
    return Manifest(next(path for parent in (folder, *folder.parents) if (path := parent / MANIFEST).exists()))


def connect(folder: Path) -> DuckDBPyConnection:
    """A new database in `folder`, on two cores within the memory limit; it spills into the folder, at most 50 GB."""
    connection = duckdb.connect(str(folder / DATABASE))
    connection.execute(f"set threads = {THREADS}")
    connection.execute(f"set memory_limit = '{MEMORY_LIMIT}'")
    connection.execute(f"set temp_directory = '{folder / 'spilled'}'")
    connection.execute("set max_temp_directory_size = '50GB'")
    # For profiles only, which are read back after each model.
    connection.execute("pragma enable_profiling = 'no_output'")
    return connection


def replay(
    connection: DuckDBPyConnection, models: list[Model], replaced: Mapping[str, str] | None = None
) -> Iterator[Cost]:
    """Create each model in turn, with another query where `replaced` has one under its name."""
    for model in models:
        sql = (replaced or {}).get(model.name, model.sql)
        kind = "view" if model.is_view else "table"
        start, cpu_start = time.perf_counter(), time.process_time()
        answer = connection.execute(f"create or replace {kind} {model.relation} as {sql}").fetchone()
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
        profile = {} if model.is_view else json.loads(connection.get_profiling_information(format="json"))["system"]
        yield Cost(
            model.name,
            seconds,
            cpu_seconds,
            answer[0] if answer else 0,
            profile.get("peak_buffer_memory", 0),
            profile.get("total_bytes_spilled", 0),
        )
