"""The declared source files (`seeds/source_files.csv`) and the raw tables they land in.

Only the standard library and PyYAML are imported here: a landing with nothing to do stays fast.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
SEEDS = PROJECT / "seeds"
DEFAULT_MAX_BYTES = 256 * 1024 * 1024
# What a sentence about bad content ends with.
RETAKE = "take the published file again, or correct it if it is your own"
# Raw tables that are filled from the same files as another one; they have a column file_name, too.
COMPANIONS: Mapping[str, tuple[str, ...]] = {"model_predictions": ("model_human_counts",)}


class LandingError(Exception):
    """One sentence for the user: which file, which row or column, what is wrong, what to do."""


@dataclass(frozen=True)
class SourceFile:
    """A row of `seeds/source_files.csv`.

    `bytes` is None where the size is not known; `sha256` and `address` are empty where there is none: without a hash
    there is nothing to verify, without an address a file that nobody put there is simply not there.
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


def read_seed(path: Path) -> list[dict[str, str]]:
    """The rows of a seed; a cell that is missing at the end of a line is empty."""
    with path.open(encoding="utf-8-sig", newline="") as handle:
        return list(csv.DictReader(handle, restval=""))


def read_declared(path: Path = SEEDS / "source_files.csv") -> list[SourceFile]:
    """The declared files, in the order of the seed."""
    return [
        SourceFile(
            file_name=row["file_name"],
            raw_table=row["raw_table"],
            address=row["address"],
            sha256=row["sha256"],
            bytes=_size(row, "bytes"),
            max_bytes=_size(row, "max_bytes") or DEFAULT_MAX_BYTES,
            licence=row["licence"],
            citation=row["citation"],
        )
        for row in read_seed(path)
    ]


def _size(row: Mapping[str, str], column: str) -> int | None:
    text = row[column].strip()
    if text and not re.fullmatch("[0-9]{1,18}", text):
        raise LandingError(
            f"seeds/source_files.csv, {row['file_name']}, column {column}: {text!r} is no number of bytes: "
            "correct it or leave it empty"
        )
    return int(text) if text else None


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
