"""Where things lie: the databases that the environment names, and writing a file without readers seeing half of it."""

from __future__ import annotations

import os
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]


def work_database() -> Path:
    """The database that landing fills and dbt builds in."""
    return Path(os.environ.get("DISSENT_WORK_DATABASE") or PROJECT / "data" / "work.duckdb")


def published_database() -> Path:
    """The database that readers open."""
    return Path(os.environ.get("DISSENT_DATABASE") or PROJECT / "dissent.duckdb")


def target_folder() -> Path:
    """Where dbt writes what it compiled and how it went."""
    return Path(os.environ.get("DBT_TARGET_PATH") or PROJECT / "target")


def previous_database(published: Path) -> Path:
    """Where publishing keeps the database it replaces: `dissent.previous.duckdb` beside `dissent.duckdb`."""
    return published.with_name(f"{published.stem}.previous{published.suffix}")


def write(path: Path, content: str | bytes) -> None:
    """Write by renaming, so that a reader never sees half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.write_bytes(content.encode() if isinstance(content, str) else content)
    temporary.replace(path)
