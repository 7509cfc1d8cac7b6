"""Runs one of the worked questions in `analyses/` on the published database: `make ask Q=which_classes_are_divided`."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import duckdb

from scripts.paths import PROJECT, published_database


def questions(folder: Path = PROJECT / "analyses") -> dict[str, str]:
    """The question of each analysis, from its first line, by the analysis' name."""
    return {path.stem: path.read_text().partition("\n")[0].removeprefix("-- ") for path in sorted(folder.glob("*.sql"))}


def published_sql(text: str) -> str:
    """The query of an analysis with its refs as tables of the published database, where they have the same names."""
    return re.sub(r"\{\{ ref\('dissent', '(\w+)'\) \}\}", r"\1", text)


def main() -> int:
    """List the questions, or answer one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("question", nargs="?", help="name of the analysis; without one the questions are listed")
    parser.add_argument("--rows", type=int, default=40, help="rows to show (default: 40)")
    arguments = parser.parse_args()
    known = questions()
    if not arguments.question:
        print("\n".join(f"{name:<36}{question}" for name, question in known.items()))
        return 0
    if arguments.question not in known:
        print(f"no analysis is called {arguments.question}: there are {', '.join(known)}", file=sys.stderr)
        return 1
    published = published_database()
    if not published.exists():
        print(f"{published.name} is not there yet: run make build first", file=sys.stderr)
        return 1
    print(known[arguments.question])
    with duckdb.connect(str(published), read_only=True) as connection:
        sql = published_sql((PROJECT / "analyses" / f"{arguments.question}.sql").read_text())
        connection.sql(sql).show(max_rows=arguments.rows, max_width=200)
    return 0


if __name__ == "__main__":
    sys.exit(main())
