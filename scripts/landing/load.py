"""Loading: the rows of a file replace those it left before, with their record, in one transaction.

The rows come from the in-memory connection that read and validated them; the work database is attached only
for the moment of loading, so that it stays free while a file is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from scripts.landing.declared import COMPANIONS, LandingError, SourceFile, raw_columns

if TYPE_CHECKING:
    from scripts.landing.fetch import Found

LANDED_FILES = "landed_files"


@dataclass(frozen=True)
class Landed:
    """A row of `raw.landed_files`, as far as landing needs it."""

    file_name: str
    taken_from: str
    sha256: str
    rows: int
    is_verified: bool


def _in_use(database: Path, error: duckdb.Error) -> LandingError:
    if "lock" in str(error).lower():
        return LandingError(
            f"{database} is open in another program: close it there (or wait until it ends) and run this again; "
            "nothing was changed"
        )
    first = str(error).splitlines()[0]
    return LandingError(f"{database} can't be opened ({first}): delete it and land the files again")


def _definition(raw_table: str) -> str:
    return ", ".join(f'"{name}" {sql_type}' for name, sql_type in raw_columns(raw_table))


def _has_declared_columns(connection: duckdb.DuckDBPyConnection, catalog: str, raw_table: str) -> bool:
    """Whether the raw table exists with the columns its source declares; other ones are left from older sources."""
    # DuckDB itself says what a declared type is called.
    connection.execute(f"create or replace temp table declared_columns ({_definition(raw_table)})")
    columns = (
        "select column_name, data_type from duckdb_columns() where database_name = ? and schema_name = ? "
        "and table_name = ? order by column_index"
    )
    declared = connection.execute(columns, ["temp", "main", "declared_columns"]).fetchall()
    there = connection.execute(columns, [catalog, "raw", raw_table]).fetchall()
    connection.execute("drop table declared_columns")
    return bool(declared == there)


def _is_shared(raw_table: str) -> bool:
    """Whether several files share the table; its column `file_name` then says whose a row is."""
    return any(name == "file_name" for name, _ in raw_columns(raw_table))


def landed(database: Path, sources: list[SourceFile]) -> dict[str, Landed]:
    """What has landed, by file name: a record counts where the rows it speaks of are really there."""
    if not database.exists():
        return {}
    try:
        connection = duckdb.connect(str(database), read_only=True)
    except duckdb.Error as error:
        raise _in_use(database, error) from error
    with connection:
        catalog = _catalog(connection)
        if not _has_declared_columns(connection, catalog, LANDED_FILES):
            return {}
        records = {
            row[0]: Landed(*row)
            for row in connection.execute(
                f"select file_name, taken_from, sha256, rows, is_verified from raw.{LANDED_FILES}"
            ).fetchall()
        }
        return {
            source.file_name: records[source.file_name]
            for source in sources
            if source.file_name in records
            and all(_has_declared_columns(connection, catalog, raw_table) for raw_table in _raw_tables(source))
            and _rows_there(connection, source) == records[source.file_name].rows
        }


def _catalog(connection: duckdb.DuckDBPyConnection) -> str:
    row = connection.execute("select current_database()").fetchone()
    return str(row[0]) if row else ""


def _raw_tables(source: SourceFile) -> tuple[str, ...]:
    return source.raw_table, *COMPANIONS.get(source.raw_table, ())


def built_items(database: Path, dataset_id: str) -> list[str]:
    """The data set's items as the last build of the models found them; none before the first build."""
    if not database.exists():
        return []
    try:
        with duckdb.connect(str(database), read_only=True) as connection:
            rows = connection.execute(
                "select item_id from marts.items where dataset_id = ? and panel = 'all' order by all", [dataset_id]
            ).fetchall()
    except duckdb.CatalogException:
        return []
    except duckdb.Error as error:
        raise _in_use(database, error) from error
    return [str(item) for (item,) in rows]


def _rows_there(connection: duckdb.DuckDBPyConnection, source: SourceFile) -> int:
    where, values = ("where file_name = ?", [source.file_name]) if _is_shared(source.raw_table) else ("", [])
    row = connection.execute(f'select count(*) from raw."{source.raw_table}" {where}', values).fetchone()
    return int(row[0]) if row else 0


def load(
    database: Path,
    connection: duckdb.DuckDBPyConnection,
    rows_table: str,
    source: SourceFile,
    found: Found,
    warnings: list[str],
) -> Landed:
    """Put the rows of `rows_table` (a table of `connection`) into the work database, all or nothing.

    The rows of companion tables lie in `connection` under the tables' own names.
    """
    database.parent.mkdir(parents=True, exist_ok=True)
    try:
        connection.execute("attach '{}' as work".format(str(database).replace("'", "''")))
    except duckdb.Error as error:
        raise _in_use(database, error) from error
    try:
        connection.execute("begin")
        try:
            record = _replace(connection, rows_table, source, found, warnings)
            connection.execute("commit")
        except BaseException as error:
            connection.execute("rollback")
            if isinstance(error, duckdb.Error):
                raise LandingError(
                    f"{source.file_name} could not be loaded into {database} ({str(error).splitlines()[0]}): "
                    "what was there before stays"
                ) from error
            raise
    finally:
        connection.execute("detach work")
    return record


def _replace(
    connection: duckdb.DuckDBPyConnection,
    rows_table: str,
    source: SourceFile,
    found: Found,
    warnings: list[str],
) -> Landed:
    connection.execute("create schema if not exists work.raw")
    for raw_table in (*_raw_tables(source), LANDED_FILES):
        if not _has_declared_columns(connection, "work", raw_table):
            connection.execute(f'create or replace table work.raw."{raw_table}" ({_definition(raw_table)})')
    rows = _replace_rows(connection, source, source.raw_table, rows_table)
    for companion in COMPANIONS.get(source.raw_table, ()):
        _replace_rows(connection, source, companion, companion)
    connection.execute(f"delete from work.raw.{LANDED_FILES} where file_name = ?", [source.file_name])
    record = {
        "file_name": source.file_name,
        "taken_from": found.taken_from,
        "address": source.address,
        "sha256": found.sha256,
        "bytes": found.bytes,
        "rows": rows,
        "is_verified": found.is_verified,
        "warnings": " ".join(warnings),
        "landed_at": datetime.now(UTC).replace(tzinfo=None),
    }
    connection.execute(
        f"insert into work.raw.{LANDED_FILES} ({', '.join(record)}) values ({', '.join('?' * len(record))})",
        list(record.values()),
    )
    return Landed(source.file_name, found.taken_from, found.sha256, rows, found.is_verified)


def _replace_rows(connection: duckdb.DuckDBPyConnection, source: SourceFile, raw_table: str, rows_table: str) -> int:
    where, values = ("where file_name = ?", [source.file_name]) if _is_shared(raw_table) else ("", [])
    connection.execute(f'delete from work.raw."{raw_table}" {where}', values)
    names = ", ".join(f'"{name}"' for name, _ in raw_columns(raw_table))
    counted = connection.execute(
        f'insert into work.raw."{raw_table}" ({names}) select {names} from {rows_table}'
    ).fetchone()
    return int(counted[0]) if counted else 0
