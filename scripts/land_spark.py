"""Hand the landed raw tables to Spark: each is written once as Parquet. `python -m scripts.land_spark`.

Landing itself stays with DuckDB, so both engines read the very same checked rows. dbt registers the files as the
schema `raw` when it starts on Spark (macro `create_missing_raw_tables`).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import duckdb
import yaml

from scripts.landing.declared import PROJECT, LandingError
from scripts.landing.load import LANDED_FILES
from scripts.paths import work_database

Columns = list[tuple[str, str]]


def spark_folder() -> Path:
    """The one folder that holds all that Spark reads and writes."""
    return Path(os.environ.get("DISSENT_SPARK") or PROJECT / "data" / "spark")


def declared_tables(models: Path = PROJECT / "models" / "staging") -> dict[str, Columns]:
    """(name, SQL type) of the columns of every raw table, as the dbt sources declare them."""
    return {
        table["name"]: [(column["name"], column["data_type"]) for column in table["columns"]]
        for path in sorted(models.glob("*/_*__sources.yml"))
        for source in yaml.safe_load(path.read_text(encoding="utf-8"))["sources"]
        for table in source["tables"]
    }


def export(database: Path, folder: Path) -> list[str]:
    """Write every raw table to `folder`/<table>/<table>.parquet; returns the names written.

    Nothing is written where neither the landed files nor the declared columns changed since the last time.
    """
    tables = declared_tables()
    with _open(database) as connection:
        there = {
            str(name)
            for (name,) in connection.execute(
                "select table_name from duckdb_tables() where schema_name = 'raw'"
            ).fetchall()
        }
        landed = (
            connection.execute(f"select * from raw.{LANDED_FILES} order by all").fetchall()
            if LANDED_FILES in there
            else []
        )
        state, record = repr((landed, tables)), folder / "written.txt"
        if record.exists() and record.read_text(encoding="utf-8") == state:
            return []
        for name, columns in tables.items():
            _write(connection, name, columns, folder / name / f"{name}.parquet", is_there=name in there)
    # Last, so that an interrupted export is done again.
    record.write_text(state, encoding="utf-8")
    return list(tables)


def _open(database: Path) -> duckdb.DuckDBPyConnection:
    if not database.exists():
        return duckdb.connect()  # nothing landed is a normal state: the tables are empty
    try:
        return duckdb.connect(str(database), read_only=True)
    except duckdb.Error as error:
        raise LandingError(
            f"{database} can't be read ({str(error).splitlines()[0]}): close it in other programs and run this again"
        ) from error


def _write(connection: duckdb.DuckDBPyConnection, name: str, columns: Columns, path: Path, *, is_there: bool) -> None:
    value = '"{0}"' if is_there else "null"
    cells = ", ".join(f'cast({value.format(column)} as {kind}) as "{column}"' for column, kind in columns)
    rows = f'from raw."{name}"' if is_there else "where false"
    path.parent.mkdir(parents=True, exist_ok=True)
    # Spark passes over names that begin with a dot, so a half-written file is never read.
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    quoted = str(temporary).replace("'", "''")
    connection.execute(f"copy (select {cells} {rows}) to '{quoted}' (format parquet)")
    temporary.replace(path)


def main() -> int:
    """Command line; trouble is one sentence on stderr and exit code 1."""
    try:
        written = export(work_database(), spark_folder() / "raw")
    except LandingError as error:
        print(error, file=sys.stderr)
        return 1
    if written:
        print(f"wrote {len(written)} raw tables for Spark")
    return 0


if __name__ == "__main__":
    sys.exit(main())
