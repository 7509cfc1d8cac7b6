"""SQL prompt on the published database, read-only; on a terminal the tables are listed first: `make shell`.

The prompt is DuckDB's own, so what is piped into it is answered as by `duckdb` itself. A build never disturbs it, nor
does it disturb a build: publishing puts a new file where this one was.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import duckdb

from scripts.paths import PROJECT, published_database


def subjects(models: Path = PROJECT / "models" / "marts", seeds: Path = PROJECT / "seeds") -> dict[str, str]:
    """What each published table is about, by its name: the folder of its model, or reference for a seed."""
    about = {path.stem: path.parent.name for path in sorted(models.glob("*/*.sql"))}
    return about | {path.stem: "reference" for path in sorted(seeds.glob("*.csv"))}


def table_list(connection: duckdb.DuckDBPyConnection, width: int) -> list[str]:
    """The tables by subject, a line of at most `width` characters each: its name and what a row of it is.

    That is the first sentence of the table's comment, without its usual first words.
    """
    rows = connection.execute(
        "select table_name, coalesce(regexp_extract(comment, '^(One row per )?(.*?)(\\.\\s|\\.?$)', 2), '')"
        " from duckdb_tables() where not internal order by table_name"
    ).fetchall()
    about = subjects()
    groups: dict[str, list[str]] = {subject: [] for subject in dict.fromkeys(about.values())}
    longest = max((len(table) for table, _ in rows), default=0)
    for table, sentence in rows:
        line = f"  {table:<{longest}}  {sentence}".rstrip()
        groups.setdefault(about.get(table, "this file"), []).append(
            line if len(line) <= width else line[: width - 1] + "…"
        )
    return ["one row per ...", *(line for subject, lines in groups.items() if lines for line in (subject, *lines))]


def main() -> None:
    """List the tables and become DuckDB's shell; one sentence where there is no database to open."""
    published = published_database()
    if not published.exists():
        sys.exit("no published database yet: run make build first")
    if sys.stdin.isatty():
        try:
            with duckdb.connect(str(published), read_only=True) as connection:
                print("\n".join(table_list(connection, shutil.get_terminal_size().columns)))
        except duckdb.Error as error:
            sys.exit(f"{published.name} can't be opened, run make build again: {str(error).splitlines()[0]}")
        print("\n`describe items;` tells the columns, `.quit` leaves", flush=True)
    program = str(Path(sys.executable).with_name("duckdb"))
    os.execv(program, [program, "-readonly", str(published)])


if __name__ == "__main__":
    main()
