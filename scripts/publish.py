"""dbt-duckdb plugin: one build at a time, and the published database replaced in one step.

The macro `publish` (on-run-end) decides whether a build may be published and calls the SQL function
`publish_marts` that is registered here.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Any

from dbt.adapters.duckdb.plugins import BasePlugin
from dbt_common.exceptions import DbtRuntimeError
from duckdb import DuckDBPyConnection

from scripts.build_lock import BuildRunning, take

# The oldest version that holds everything here: BI drivers and shells of DuckDB 1.x open it.
STORAGE_VERSION = "v1.0.0"

# Held until the process ends: dbt may set up its connections more than once.
_lock: IO[str] | None = None


class Plugin(BasePlugin):
    """Registers `publish_marts(names)` and takes the build lock when dbt first connects."""

    def initialize(self, plugin_config: dict[str, Any]) -> None:
        """Take the build lock; a second concurrent build ends here with one sentence."""
        global _lock
        assert self.creds is not None
        self.published = Path(plugin_config["published"]).absolute()
        if _lock is None:
            try:
                _lock = take(Path(self.creds.path).absolute())
            except BuildRunning as running:
                raise DbtRuntimeError(str(running)) from None

    def configure_connection(self, conn: DuckDBPyConnection) -> None:
        """Register the function on dbt's connection."""

        def publish_marts(names: str) -> str:
            # A cursor of its own: the calling query's connection is busy with the call.
            with conn.cursor() as cursor:
                return publish(cursor, self.published, names.split(","))

        # Not a pure function: without side_effects DuckDB may fold the call away or repeat it.
        conn.create_function("publish_marts", publish_marts, ["VARCHAR"], "VARCHAR", side_effects=True)


def publish(connection: DuckDBPyConnection, published: Path, names: list[str], schema: str = "marts") -> str:
    """Copy the tables `names` of `schema` into a new file and rename it to `published`.

    Column order, NOT NULL, other constraints and comments are kept; views become tables. Readers of the
    old file keep reading it. Temporary files that an interrupted build left are removed. Returns one line.
    """
    published.parent.mkdir(parents=True, exist_ok=True)
    for stale in published.parent.glob(f".{published.name}.*.tmp*"):
        stale.unlink()
    temporary = published.with_name(f".{published.name}.{os.getpid()}.tmp")
    connection.execute(f"attach '{_quoted(temporary)}' as publication (storage_version '{STORAGE_VERSION}')")
    try:
        for name in names:
            _copy_table(connection, schema, name)
    finally:
        connection.execute("detach publication")
    temporary.replace(published)
    return f"published {len(names)} tables to {published.name}"


def _copy_table(connection: DuckDBPyConnection, schema: str, name: str) -> None:
    here = "database_name = current_database() and schema_name = ? and table_name = ?"
    columns = connection.execute(
        f"select column_name, data_type, is_nullable, comment from duckdb_columns() where {here} order by column_index",
        [schema, name],
    ).fetchall()
    constraints = connection.execute(
        f"select constraint_text from duckdb_constraints() where {here} and constraint_type != 'NOT NULL'",
        [schema, name],
    ).fetchall()
    definitions = [f'"{column}" {kind}{"" if nullable else " not null"}' for column, kind, nullable, _ in columns]
    definitions += [text for (text,) in constraints]
    target = f'publication.main."{name}"'
    connection.execute(f"create table {target} ({', '.join(definitions)})")
    connection.execute(f'insert into {target} select * from "{schema}"."{name}"')
    comment = connection.execute(
        f"select comment from duckdb_tables() where {here} union all"
        " select comment from duckdb_views()"
        " where database_name = current_database() and schema_name = ? and view_name = ?",
        [schema, name, schema, name],
    ).fetchone()
    if comment and comment[0]:
        connection.execute(f"comment on table {target} is '{_quoted(comment[0])}'")
    for column, _, _, text in columns:
        if text:
            connection.execute(f"comment on column {target}.\"{column}\" is '{_quoted(text)}'")


def _quoted(text: str | Path) -> str:
    return str(text).replace("'", "''")
