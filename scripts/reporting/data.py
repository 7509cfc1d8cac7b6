"""The published database as the report reads it: named queries, rows as dictionaries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from scripts.reporting.declared import FOLDER, ReportError

Row = dict[str, Any]


class Published:
    """Runs the files of `report/queries` on a published database, each at most once."""

    def __init__(self, database: Path, folder: Path = FOLDER) -> None:
        """Open the database beside one in memory that holds the shared names; nothing is written to it."""
        if not database.exists():
            raise ReportError(f"{database.name} is not there yet: run make build first")
        self.folder = folder / "queries"
        self.name = database.name
        self.results: dict[str, list[Row]] = {}
        self.connection = duckdb.connect()
        try:
            path = str(database).replace("'", "''")
            self.connection.execute(f"attach '{path}' as published (read_only)")
            self.connection.execute("use published")
            self.connection.execute((self.folder / "shared.sql").read_text(encoding="utf-8"))
        except duckdb.Error as error:
            raise ReportError(self.unusable(error)) from None

    def unusable(self, error: duckdb.Error) -> str:
        """One sentence for a file that is no published database or one of another version."""
        return f"{self.name} can't be reported on, run make build again: {str(error).splitlines()[0]}"

    def rows(self, query: str) -> list[Row]:
        """The rows of a query file."""
        if query not in self.results:
            try:
                result = self.connection.execute((self.folder / f"{query}.sql").read_text(encoding="utf-8"))
                names = [column[0] for column in result.description]
                self.results[query] = [dict(zip(names, values, strict=True)) for values in result.fetchall()]
            except duckdb.Error as error:
                raise ReportError(self.unusable(error)) from None
        return self.results[query]

    def remarks(self, query: str | None) -> list[str]:
        """The sentences of a query of remarks."""
        return [row["remark"] for row in self.rows(query)] if query else []
