"""Take a data set that `make add` brought out again. `python -m scripts.remove --name my_votes`.

Its models, rows of seeds and landed rows go; the vote file that was added is not touched (a copy that `make add` made
in data/raw goes, where it is still the same file). The published database changes with the next build.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from scripts import build_lock
from scripts.brought_project import unregister
from scripts.landing.declared import PROJECT, LandingError, read_declared
from scripts.landing.load import LANDED_FILES
from scripts.paths import work_database


def remove(name: str) -> None:
    """Remove the data set `name` from the work database and from the project; raises LandingError."""
    sources = {source.file_name: source for source in read_declared()}
    mine = [source for source in sources.values() if source.raw_table in (name, f"{name}__true_labels")]
    database = work_database()
    with build_lock.take(database):
        # First what may fail because somebody has the database open: nothing has changed then.
        copies = unregister_from_database(name, database, [source.file_name for source in mine])
    raw_folder = Path(os.environ.get("DISSENT_RAW_FOLDER") or PROJECT / "data" / "raw")
    from scripts.landing.fetch import sha256_of

    for file_name in copies:
        copy = raw_folder / file_name
        if copy.is_file() and sha256_of(copy) == sources[file_name].sha256:
            copy.unlink()


def unregister_from_database(name: str, database: Path, file_names: list[str]) -> list[str]:
    """Drop what landed and was staged, then change the project; both or neither. Returns the copied files."""
    if not database.exists():
        return unregister(name)
    import duckdb

    try:
        connection = duckdb.connect(str(database))
    except duckdb.Error as error:
        raise LandingError(
            f"{database} is open in another program: close it there and run this again; nothing was removed"
        ) from error
    # The transaction rolls back where the project can't be changed.
    with connection:
        connection.execute("begin")
        raw_tables = (name, f"{name}__true_labels")
        there = connection.execute(
            "select table_schema, table_name, table_type from information_schema.tables "
            "where table_schema = 'raw' and list_contains(?, table_name) "
            "or table_schema = 'staging' and list_contains(?, table_name)",
            [[*raw_tables, LANDED_FILES], [f"stg_{name}__votes", f"stg_{name}__true_labels"]],
        ).fetchall()
        for schema, table, kind in there:
            if table == LANDED_FILES:
                connection.execute(f"delete from raw.{LANDED_FILES} where list_contains(?, file_name)", [file_names])
            else:
                connection.execute(f'drop {"view" if kind == "VIEW" else "table"} {schema}."{table}"')
        copies = unregister(name)
        connection.execute("commit")
    return copies


def main(arguments: list[str] | None = None) -> int:
    """Command line; every expected trouble is one sentence on stderr and exit code 1."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.remove", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--name", required=True, help="name of the data set")
    name = parser.parse_args(arguments).name
    try:
        remove(name)
    except (LandingError, build_lock.BuildRunning) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"removed {name}; make build brings the tables up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main())
