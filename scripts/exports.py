"""Writes each published table as Parquet and CSV into `exports/`, with a data dictionary: `make exports`.

The dictionary is `datapackage.json`, a Frictionless Data Package: what a row of each table is, type and meaning of each
column, keys and relationships, where the votes come from, under which licence, and whose annotator ids are pseudonyms.
All of it is read from the published file. Rows are ordered by primary key, so equal tables make equal files.

In CSV an empty cell is NULL and `""` an empty text; times are UTC.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from scripts.paths import PROJECT, published_database

EXPORTS = PROJECT / "exports"

# One pattern for COPY and for the readers of the dictionary.
TIME_FORMAT = "%Y-%m-%dT%H:%M:%S.%f"
CSV = f"format csv, header true, nullstr '', timestampformat '{TIME_FORMAT}'"
PARQUET = "format parquet, compression zstd"
# Types of the published tables, and what a data dictionary calls them.
TYPES = {
    "VARCHAR": "string",
    "BIGINT": "integer",
    "INTEGER": "integer",
    "DOUBLE": "number",
    "BOOLEAN": "boolean",
    "TIMESTAMP": "datetime",
    "DATE": "date",
}

Row = dict[str, Any]


class ExportError(Exception):
    """One sentence for the user."""


def rows(connection: duckdb.DuckDBPyConnection, sql: str) -> list[Row]:
    """Rows of a query as dictionaries."""
    result = connection.execute(sql)
    names = [column[0] for column in result.description]
    return [dict(zip(names, values, strict=True)) for values in result.fetchall()]


def keys(connection: duckdb.DuckDBPyConnection) -> dict[str, list[Row]]:
    """By table: its keys (key_name, columns, to_table, to_columns), the primary key first."""
    found = rows(
        connection,
        """
        select table_name, key_name, min(topic) as topic, min(to_table) as to_table,
            list(column_name order by position) as columns, list(to_column order by position) as to_columns
        from table_keys group by table_name, key_name order by table_name, key_name != 'primary key', key_name
        """,
    )
    by_table: dict[str, list[Row]] = {}
    for key in found:
        by_table.setdefault(key["table_name"], []).append(key)
    return by_table


def schema(columns: list[Row], table_keys: list[Row]) -> Row:
    """The Table Schema of a table."""
    fields = []
    for column in columns:
        field: Row = {"name": column["column_name"], "type": TYPES.get(column["data_type"], "any")}
        if field["type"] == "datetime":
            field["format"] = TIME_FORMAT
        field["description"] = column["comment"] or ""
        if not column["is_nullable"]:
            field["constraints"] = {"required": True}
        fields.append(field)
    described: Row = {"fields": fields, "missingValues": [""]}
    relationships = []
    for key in table_keys:
        if key["to_table"] is None:
            described["primaryKey"] = key["columns"]
        else:
            reference = {"resource": key["to_table"], "fields": key["to_columns"]}
            relationships.append({"fields": key["columns"], "reference": reference})
    if relationships:
        described["foreignKeys"] = relationships
    return described


def written(connection: duckdb.DuckDBPyConnection, query: str, path: Path, options: str) -> Row:
    """Write the rows of a query to a file; returns its name, size and hash as the dictionary gives them."""
    connection.execute(f"copy ({query}) to '{str(path).replace(chr(39), chr(39) * 2)}' ({options})")
    with path.open("rb") as handle:
        digest = hashlib.file_digest(handle, "sha256").hexdigest()
    return {"path": path.name, "bytes": path.stat().st_size, "hash": f"sha256:{digest}"}


def export_tables(connection: duckdb.DuckDBPyConnection, folder: Path) -> list[Row]:
    """Write every table into `folder`; returns the resources of the dictionary."""
    columns: dict[str, list[Row]] = {}
    for column in rows(
        connection,
        "select table_name, column_name, data_type, is_nullable, comment from duckdb_columns()"
        " where database_name = current_database() and not internal order by table_name, column_index",
    ):
        columns.setdefault(column["table_name"], []).append(column)
    table_keys = keys(connection)
    resources = []
    for table in rows(
        connection,
        "select table_name, comment from duckdb_tables() where database_name = current_database() order by table_name",
    ):
        name = table["table_name"]
        own_keys = table_keys.get(name, [])
        order = [f'"{column}"' for column in own_keys[0]["columns"]] if own_keys else ["all"]
        query = f'from "{name}" order by {", ".join(order)}'
        resources.append(
            {
                "name": name,
                "description": (table["comment"] or "").strip(),
                **written(connection, query, folder / f"{name}.csv", CSV),
                "format": "csv",
                "mediatype": "text/csv",
                "encoding": "utf-8",
                "parquet": written(connection, query, folder / f"{name}.parquet", PARQUET),
                **({"topic": own_keys[0]["topic"]} if own_keys else {}),
                "schema": schema(columns[name], own_keys),
            }
        )
    return resources


def data_sets(connection: duckdb.DuckDBPyConnection) -> list[Row]:
    """Each data set with its provenance, licence and what its annotator ids are."""
    return rows(
        connection,
        """
        select dataset_id, title, provenance, votes_file, licence, citation,
            case
                when dataset_id in (select dataset_id from pseudonymised_datasets) then 'pseudonyms (keyed hashes)'
                when dataset_id in (select dataset_id from annotator_attention) then 'as in the vote file'
                else 'none'
            end as annotator_ids
        from dataset_provenance
        order by sort_order
        """,
    )


def sources(connection: duckdb.DuckDBPyConnection) -> list[Row]:
    """The files that landed, with their hashes."""
    return [
        {key: value for key, value in row.items() if value is not None}
        for row in rows(
            connection,
            """
            select file_name as title, address as path, sha256, provenance, licence, citation
            from landed_files where provenance != 'not landed' order by file_name
            """,
        )
    ]


def dictionary(connection: duckdb.DuckDBPyConnection, resources: list[Row], published_at: datetime) -> Row:
    """The data package: the resources and what holds for all of them."""
    landed = [found for found in data_sets(connection) if found["provenance"] != "not landed"]
    licences = sorted({found["licence"] for found in landed if found["licence"]})
    replaced = [found["dataset_id"] for found in landed if found["annotator_ids"].startswith("pseudonyms")]
    unverified = [found["dataset_id"] for found in landed if found["provenance"] == "unverified"]
    statements = [
        "How much of a data set's human disagreement is real: the tables of an audit by dissent.",
        f"The votes of {', '.join(unverified)} are unverified." if unverified else "",
        f"Annotator ids in {', '.join(replaced)} are pseudonyms; the votes themselves may still tell who cast them."
        if replaced
        else "",
    ]
    return {
        "profile": "data-package",
        "name": "dissent",
        "title": "dissent: an audit of human disagreement",
        "description": " ".join(filter(None, statements)),
        "created": published_at.isoformat(timespec="seconds"),
        # A name has no spaces in this standard.
        **(
            {"licenses": [{"name": re.sub(r"[^\w.]+", "-", text), "title": text} for text in licences]}
            if licences
            else {}
        ),
        "sources": sources(connection),
        "data_sets": landed,
        "resources": resources,
    }


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """A new, empty folder that takes the place of `folder` at the end; after a failure the old one stays."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    for stale in folder.parent.glob(f".{folder.name}.*.tmp"):
        shutil.rmtree(stale)
    new, old = (folder.with_name(f".{folder.name}.{kind}.{os.getpid()}.tmp") for kind in ("new", "old"))
    new.mkdir()
    try:
        yield new
        # No system exchanges two folders in one step everywhere: for a moment neither is there, and both are whole.
        if folder.exists():
            folder.rename(old)
        new.rename(folder)
    finally:
        if old.exists() and not folder.exists():
            old.rename(folder)
        for leftover in (new, old):
            shutil.rmtree(leftover, ignore_errors=True)


def export(published: Path, folder: Path) -> list[Row]:
    """Replace `folder` by exports of the published file; returns the resources. Raises ExportError."""
    if not published.exists():
        raise ExportError(f"{published.name} is not there yet: run make build first")
    try:
        with duckdb.connect(str(published), read_only=True) as connection, replacing(folder) as new:
            resources = export_tables(connection, new)
            published_at = datetime.fromtimestamp(published.stat().st_mtime, UTC)
            package = dictionary(connection, resources, published_at)
            (new / "datapackage.json").write_text(
                json.dumps(package, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
            )
            return resources
    except (duckdb.Error, OSError) as error:
        raise ExportError(
            f"{published.name} can't be exported to {folder.name}, what was there stays: {str(error).splitlines()[0]}"
        ) from None


def main() -> int:
    """Write the exports; one line says where they are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=EXPORTS, help="the folder to write (default: exports)")
    arguments = parser.parse_args()
    try:
        resources = export(published_database(), arguments.output.absolute())
    except ExportError as error:
        print(error, file=sys.stderr)
        return 1
    size = sum(resource["bytes"] + resource["parquet"]["bytes"] for resource in resources)
    print(
        f"exports: {arguments.output.name}/ ({len(resources)} tables as Parquet and CSV, {size / 1e6:,.0f} MB; "
        "datapackage.json says what they hold)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
