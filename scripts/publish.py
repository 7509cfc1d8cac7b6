"""dbt-duckdb plugin: one build at a time, and the published database replaced in one step.

The macro `publish` (on-run-end) decides whether a build may be published and calls the SQL function
`publish_marts` that is registered here.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import duckdb
from dbt.adapters.duckdb.plugins import BasePlugin
from dbt_common.exceptions import DbtRuntimeError
from duckdb import DuckDBPyConnection

from scripts import history
from scripts.build_lock import BuildRunning, take
from scripts.paths import previous_database
from scripts.pseudonyms import MAPPING, PseudonymError, Pseudonyms

# The oldest version that holds everything here: BI drivers and shells of DuckDB 1.x open it.
STORAGE_VERSION = "v1.0.0"

# Held until the process ends: dbt may set up its connections more than once.
_lock: IO[str] | None = None


class Plugin(BasePlugin):
    """Registers `publish_marts(names, brought, build_id)` and takes the build lock when dbt first connects."""

    def initialize(self, plugin_config: dict[str, Any]) -> None:
        """Take the build lock; a second concurrent build ends here with one sentence, and so does a wrong setting."""
        global _lock
        assert self.creds is not None
        work = Path(self.creds.path).absolute()
        self.published = Path(plugin_config["published"]).absolute()
        try:
            self.pseudonyms = Pseudonyms.from_environment(work)
            if _lock is None:
                _lock = take(work)
        except (BuildRunning, PseudonymError) as problem:
            raise DbtRuntimeError(str(problem)) from None

    def configure_connection(self, conn: DuckDBPyConnection) -> None:
        """Register the function on dbt's connection."""

        def publish_marts(names: str, brought: str, build_id: str) -> str:
            # A cursor of its own: the calling query's connection is busy with the call.
            with conn.cursor() as cursor:
                return publish(cursor, self.published, names.split(","), self.pseudonyms, json.loads(brought), build_id)

        # Not a pure function: without side_effects DuckDB may fold the call away or repeat it.
        conn.create_function(
            "publish_marts", publish_marts, ["VARCHAR", "VARCHAR", "VARCHAR"], "VARCHAR", side_effects=True
        )


def publish(
    connection: DuckDBPyConnection,
    published: Path,
    names: list[str],
    pseudonyms: Pseudonyms,
    brought: Sequence[str] = (),
    build_id: str = "",
    schema: str = "marts",
) -> str:
    """Copy the tables `names` of `schema` and the history of builds into a new file and rename it to `published`.

    Column order, NOT NULL, other constraints and comments are kept; views become tables; annotator ids are replaced as
    `pseudonyms` says, `brought` being the data sets that somebody brought. Readers of the old file keep reading it; it
    stays beside the new one as the previous database. The history says of the build `build_id` that it is published as
    soon as it is. Temporary files that an interrupted build left are removed. Returns one line, and one before it where
    the old file can't be read.
    """
    published.parent.mkdir(parents=True, exist_ok=True)
    for stale in published.parent.glob(f".{published.name}.*.tmp*"):
        stale.unlink()
    temporary = published.with_name(f".{published.name}.{os.getpid()}.tmp")
    said = []
    try:
        history.take_over(connection, published)
    except duckdb.Error as error:
        said.append(
            f"{published.name} can't be read ({str(error).splitlines()[0]}): the history goes on without the builds "
            f"that only it knows; it is kept as {previous_database(published).name}"
        )
    recorded = history.tables(connection)
    naming = _tables_with(connection, schema, names, ["dataset_id", "annotator_id"])
    pseudonyms.create_mapping(connection, [f'"{schema}"."{name}"' for name in naming], brought)
    connection.execute(f"attach '{_quoted(temporary)}' as publication (storage_version '{STORAGE_VERSION}')")
    try:
        replaced = _write_replaced(connection)
        if replaced and (lost := set(_tables_with(connection, schema, names, ["annotator_id"])) - set(naming)):
            raise PseudonymError(
                f"{min(lost)} has annotator_id without dataset_id, so its ids can't be replaced: add dataset_id, or "
                "publish the ids with DISSENT_PSEUDONYMS=none"
            )
        for name in names:
            _copy_table(connection, schema, name, replaced if name in naming else [])
        for name in recorded:
            _copy_table(connection, history.SCHEMA, name, [])
        if recorded:
            history.mark_published(connection, "publication.main.builds", build_id)
    finally:
        connection.execute("detach publication")
        connection.execute(f"drop table {MAPPING}")
    _keep_previous(published)
    temporary.replace(published)
    if recorded:
        history.mark_published(connection, f"{history.SCHEMA}.builds", build_id)
    note = f", annotator ids as pseudonyms in {', '.join(replaced)}" if replaced else ""
    return "\n".join([*said, f"published {len(names) + len(recorded)} tables to {published.name}{note}"])


def _keep_previous(published: Path) -> None:
    """Give the published file a second name, which stays when the first goes to the next file: no moment without."""
    if not published.exists():
        return
    kept = published.with_name(f".{published.name}.{os.getpid()}.tmp.previous")
    try:
        os.link(published, kept)
    except OSError:  # a file system without hard links
        shutil.copyfile(published, kept)
    kept.replace(previous_database(published))


def _tables_with(connection: DuckDBPyConnection, schema: str, names: list[str], columns: list[str]) -> list[str]:
    """Those of the tables that have all of the columns."""
    return [
        name
        for (name,) in connection.execute(
            "select table_name from duckdb_columns() where database_name = current_database() and schema_name = $1"
            " and list_contains($2, table_name) group by table_name having list_has_all(list(column_name), $3)",
            [schema, names, columns],
        ).fetchall()
    ]


def _write_replaced(connection: DuckDBPyConnection) -> list[str]:
    """Write the table of the data sets with pseudonyms; returns their names."""
    target = "publication.main.pseudonymised_datasets"
    connection.execute(
        f"create table {target} as select dataset_id, count(*) as annotators from {MAPPING} group by all order by all"
    )
    connection.execute(
        f"comment on table {target} is 'One row per data set whose annotator ids are pseudonyms in this file.'"
    )
    connection.execute(f"comment on column {target}.dataset_id is 'Data set.'")
    connection.execute(f"comment on column {target}.annotators is 'Annotators whose ids were replaced.'")
    return [name for (name,) in connection.execute(f"select dataset_id from {target} order by all").fetchall()]


def _copy_table(connection: DuckDBPyConnection, schema: str, name: str, replaced: list[str]) -> None:
    """Copy one table with its comments; in the data sets `replaced` its annotator ids become pseudonyms."""
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
    rows = f'select * from "{schema}"."{name}"'
    if replaced:
        rows = (
            f'select rows.* replace (coalesce(pseudonym, rows.annotator_id) as annotator_id) from "{schema}"."{name}"'
            f" as rows left join {MAPPING} as mapping"
            " on rows.dataset_id = mapping.dataset_id and rows.annotator_id = mapping.annotator_id"
        )
    connection.execute(f"insert into {target} {rows}")
    comment = connection.execute(
        f"select comment from duckdb_tables() where {here} union all"
        " select comment from duckdb_views()"
        " where database_name = current_database() and schema_name = ? and view_name = ?",
        [schema, name, schema, name],
    ).fetchone()
    if comment and comment[0]:
        connection.execute(f"comment on table {target} is '{_quoted(comment[0])}'")
    for column, _, _, text in columns:
        if replaced and column == "annotator_id":
            text = f"{text or ''} Pseudonyms (keyed hashes) in {', '.join(replaced)}.".strip()
        if text:
            connection.execute(f"comment on column {target}.\"{column}\" is '{_quoted(text)}'")


def _quoted(text: str | Path) -> str:
    return str(text).replace("'", "''")
