"""The declared source files (`seeds/source_files.csv`) and the raw tables they land in.

Only the standard library and PyYAML are imported here: a landing with nothing to do stays fast.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


class LandingError(Exception):
    """One sentence for the user: which file, which row or column, what is wrong, what to do."""


@dataclass(frozen=True)
class SourceFile:
    """A row of `seeds/source_files.csv`.

    `bytes` is None where the size is not known; `sha256` and `address` are empty where there is none.
    `max_bytes` bounds what is ever read or downloaded.
    """

    file_name: str
    raw_table: str
    address: str
    sha256: str
    bytes: int | None
    max_bytes: int
    licence: str
    citation: str


def read_declared(path: Path = PROJECT / "seeds" / "source_files.csv") -> list[SourceFile]:
    """The declared files, in the order of the seed."""
    with path.open(encoding="utf-8", newline="") as handle:
        return [
            SourceFile(
                file_name=row["file_name"],
                raw_table=row["raw_table"],
                address=row["address"],
                sha256=row["sha256"],
                bytes=int(row["bytes"]) if row["bytes"] else None,
                max_bytes=int(row["max_bytes"]),
                licence=row["licence"],
                citation=row["citation"],
            )
            for row in csv.DictReader(handle)
        ]


def raw_columns(raw_table: str, models: Path = PROJECT / "models" / "staging") -> list[tuple[str, str]]:
    """(name, SQL type) of a raw table's columns, in order, as its dbt source declares them.

    The source's YAML is the one place that says so: dbt's on-run-start hook makes the empty tables
    from it, and landing loads into the same columns.
    """
    import yaml

    for path in sorted(models.glob("*/_*__sources.yml")):
        for source in yaml.safe_load(path.read_text(encoding="utf-8"))["sources"]:
            for table in source["tables"]:
                if table["name"] == raw_table:
                    return [(column["name"], column["data_type"]) for column in table["columns"]]
    raise LandingError(f"no source in {models} declares the raw table {raw_table}")
