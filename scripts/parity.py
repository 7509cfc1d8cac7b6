"""Compare every mart of the two engines: DuckDB's work database with Spark's Parquet. `python -m scripts.parity`.

The published file may hold pseudonyms, which are made at publication; the work database holds the tables as the models
made them, and no build runs on it meanwhile. Rows are matched by primary key. Floats agree within 1e-9 relative or
1e-12 absolute, everything else must be equal. DuckDB reads both sides, so this needs no Java.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from scripts.build_lock import BuildRunning, take
from scripts.land_spark import spark_folder
from scripts.paths import target_folder, work_database

RELATIVE, ABSOLUTE = 1e-9, 1e-12
SHOWN = 5  # differences a table


class ParityError(Exception):
    """One sentence for the user: what is missing and how to make it."""


@dataclass
class Comparison:
    """What the comparison of one table found; `differences` holds the first few, one line each."""

    table: str
    rows: int = 0
    differences: list[str] = field(default_factory=list)


def read_keys(manifest: Path) -> dict[str, list[str]]:
    """The primary key (SQL expressions) of every model and seed in marts, by table name."""
    nodes = json.loads(manifest.read_text(encoding="utf-8"))["nodes"]
    tables = {
        node_id: node["alias"]
        for node_id, node in nodes.items()
        if node["resource_type"] in ("model", "seed") and node["schema"] == "marts"
    }
    keys = {
        tables[node["attached_node"]]: list(node["test_metadata"]["kwargs"]["columns"])
        for node in nodes.values()
        if node["resource_type"] == "test"
        and (node.get("test_metadata") or {}).get("name") == "primary_key"
        and node["attached_node"] in tables
    }
    if without := sorted(set(tables.values()) - set(keys)):
        raise ParityError(f"no primary_key test says what a row of {', '.join(without)} is: add one")
    return dict(sorted(keys.items()))


def compare(connection: duckdb.DuckDBPyConnection, table: str, key: list[str], left: str, right: str) -> Comparison:
    """Compare the relations `left` (DuckDB's) and `right` (Spark's), which are SQL for a from clause."""
    found = Comparison(table)
    columns: list[dict[str, str]] = []
    for engine, relation in (("DuckDB", left), ("Spark", right)):
        try:
            described = connection.execute(f"describe from {relation}").fetchall()
        except (duckdb.CatalogException, duckdb.IOException):
            found.differences.append(f"{table}: no such table in {engine}")
            return found
        columns.append({str(name): str(kind) for name, kind, *_ in described})
    duck, spark = columns
    for column in sorted(duck.keys() | spark.keys()):
        kinds = duck.get(column, "no such column"), spark.get(column, "no such column")
        if kinds[0] != kinds[1]:
            found.differences.append(f"{table}, column {column}: DuckDB has {kinds[0]}, Spark has {kinds[1]}")
    comparable = {column: kind for column, kind in duck.items() if spark.get(column) == kind}
    try:
        _compare_rows(connection, found, key, (left, right), comparable)
    except duckdb.BinderException:
        # The key needs a column that one side has not: said above. Anything else is a fault here.
        if not found.differences:
            raise
    return found


def _compare_rows(
    connection: duckdb.DuckDBPyConnection,
    found: Comparison,
    key: list[str],
    relations: tuple[str, str],
    columns: dict[str, str],
) -> None:
    """One full outer join by key; adds the first differing cell of each of the first differing rows."""
    keys = [f"key_{number}" for number in range(len(key))]
    aliased = ", ".join(f"{expression} as {name}" for expression, name in zip(key, keys, strict=True))
    sides = [f"select true as is_there, {aliased}, row_of as cells from {relation} as row_of" for relation in relations]
    on = " and ".join(f"duck.{name} is not distinct from spark.{name}" for name in keys)
    name = ", ".join(f"coalesce(duck.{name}, spark.{name})" for name in keys)
    differing = ", ".join(
        f"case when not {_agree(duck, spark, kind)} then format('column {column}: DuckDB has {{}}, Spark has {{}}', "
        f"coalesce({duck}::varchar, 'NULL'), coalesce({spark}::varchar, 'NULL')) end"
        for column, kind in columns.items()
        for duck, spark in [(f'duck.cells."{column}"', f'spark.cells."{column}"')]
    )
    row = connection.execute(
        f"""
        with
        duck as ({sides[0]}),
        spark as ({sides[1]}),
        compared as (
            select
                concat_ws(', ', {name}) as key,
                case
                    when spark.is_there is null then 'the row is missing in Spark'
                    when duck.is_there is null then 'the row is missing in DuckDB'
                    else coalesce({differing})
                end as difference
            from duck full outer join spark on {on}
        )
        select
            (select count(*) from duck),
            (select count(*) from spark),
            count(difference),
            arg_min(key, key, {SHOWN}) filter (where difference is not null),
            arg_min(difference, key, {SHOWN})
        from compared
        """
    ).fetchone()
    assert row is not None
    found.rows, spark_rows, differing_rows, rows_named, differences = row
    if found.rows != spark_rows:
        found.differences.append(f"{found.table}: {found.rows} rows in DuckDB, {spark_rows} in Spark")
    for key_values, difference in zip(rows_named or [], differences or [], strict=True):
        found.differences.append(f"{found.table}, key ({key_values}), {difference}")
    if differing_rows > SHOWN:
        found.differences.append(f"{found.table}: {differing_rows} rows differ in all, the first {SHOWN} are shown")


def _agree(left: str, right: str, kind: str) -> str:
    """SQL for "the two cells agree": true or false, never NULL."""
    if kind not in ("DOUBLE", "FLOAT"):
        return f"({left} is not distinct from {right})"
    return (
        f"({left} is not distinct from {right} or coalesce(isfinite({left}) and isfinite({right})"
        f" and abs({left} - {right}) <= greatest({ABSOLUTE}, {RELATIVE} * greatest(abs({left}), abs({right}))), false))"
    )


def compare_all(work: Path, warehouse: Path, keys: dict[str, list[str]]) -> list[Comparison]:
    """Compare every table of `keys` in the work database with its folder of Parquet files in `warehouse`."""
    with duckdb.connect() as connection:
        connection.execute(f"attach '{_quoted(work)}' as work (read_only)")
        return [
            compare(
                connection,
                table,
                key,
                f'work.marts."{table}"',
                f"read_parquet('{_quoted(warehouse / table)}/*.parquet')",
            )
            for table, key in keys.items()
        ]


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def main() -> int:
    """Command line: a line a table, then the differences; exit code 1 where there are any."""
    manifest = target_folder() / "manifest.json"
    work = work_database()
    warehouse = spark_folder() / "warehouse" / "marts.db"
    try:
        for path, command in (
            (work, "make build"),
            (manifest, "make build"),
            (warehouse, "make build TARGET=spark"),
        ):
            if not path.exists():
                raise ParityError(f"{path} is not there yet: run {command} first")
        with take(work):
            comparisons = compare_all(work, warehouse, read_keys(manifest))
    except (ParityError, BuildRunning) as error:
        print(error, file=sys.stderr)
        return 1
    for found in comparisons:
        print(f"{found.table:<28}{found.rows:>10,} rows  {'DIFFERENT' if found.differences else 'equal'}")
    differing = [found for found in comparisons if found.differences]
    if differing:
        print("\n".join(line for found in differing for line in found.differences))
        print(f"the engines differ in {len(differing)} of {len(comparisons)} tables; is one of the two builds older?")
        return 1
    print(f"DuckDB and Spark agree: {len(comparisons)} tables, {sum(found.rows for found in comparisons):,} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
