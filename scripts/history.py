"""The history of builds on its way from one published database to the next.

The macro `record_build` writes a build into the schema `history` of the work database. Publishing copies that schema
beside the marts, and first takes over what only the published database still knows: a work database may be deleted.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

SCHEMA = "history"


def tables(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The tables of the history in the work database, which `connection` is on; none before the first build."""
    rows = connection.execute(
        "select table_name from duckdb_tables() where database_name = current_database() and schema_name = ?"
        " order by table_name",
        [SCHEMA],
    ).fetchall()
    return [str(name) for (name,) in rows]


def take_over(connection: duckdb.DuckDBPyConnection, published: Path) -> None:
    """Add the builds that the published database knows to the work database's; its word counts where they differ.

    Nothing happens where there is no such file or where it was published before there was a history.
    Raises duckdb.Error where the file can't be read; nothing was added then.
    """
    if not published.exists():
        return
    path = str(published).replace("'", "''")
    connection.execute(f"attach '{path}' as earlier (read_only)")
    # All or nothing: figures without their build would fail the tests of every later build.
    connection.execute("begin")
    try:
        for table in tables(connection):
            columns = connection.execute(
                "select column_name from duckdb_columns() where schema_name = ? and table_name = ?"
                " and database_name = current_database() intersect all"
                " select column_name from duckdb_columns() where database_name = 'earlier' and table_name = ?",
                [SCHEMA, table, table],
            ).fetchall()
            if columns:
                names = ", ".join(f'"{name}"' for (name,) in columns)
                connection.execute(
                    f'insert or replace into "{SCHEMA}"."{table}" ({names}) select {names} from earlier.main."{table}"'
                )
        connection.execute("commit")
    except duckdb.Error:
        connection.execute("rollback")
        raise
    finally:
        connection.execute("detach earlier")


def mark_published(connection: duckdb.DuckDBPyConnection, builds: str, build_id: str) -> None:
    """Write down in the relation `builds` that the build is published."""
    connection.execute(f"update {builds} set outcome = 'published', reason = null where build_id = ?", [build_id])
