"""The project's entries as Parquet: what every contender starts from."""

from __future__ import annotations

from pathlib import Path

from duckdb import DuckDBPyConnection

from scripts.bench.generate import DATASETS, write_votes
from scripts.bench.models import Manifest, replay

# The views through which votes come in, whatever their source, and the seeds that say how to read them.
VIEWS = ("int_votes", "int_attention_checks", "int_label_counts", "int_declared_items")
SEEDS = ("datasets", "labels", "thresholds")


def parquet(entries: Path, name: str) -> str:
    """SQL that reads an entry."""
    return f"from read_parquet('{entries / name}/*.parquet')"


def write(connection: DuckDBPyConnection, manifest: Manifest, entries: Path) -> None:
    """Write the entries that are not there yet, from the views and seeds of the database."""
    for _ in replay(connection, manifest.models(VIEWS)):
        pass
    for name in (*VIEWS, *SEEDS):
        if not (entries / name).exists():
            (entries / name).mkdir(parents=True)
            connection.execute(f"copy (from {manifest.relation(name)}) to '{entries / name}/all.parquet'")


def generate(connection: DuckDBPyConnection, manifest: Manifest, votes: int, entries: Path) -> None:
    """Write entries with generated votes; the database gets the rows of the seed `datasets`."""
    for order, dataset in enumerate(DATASETS, start=1):
        connection.execute(
            f"insert into {manifest.relation('datasets')} (dataset_id, title, unit, attention_pass_pct, sort_order)"
            f" values ('{dataset.dataset_id}', 'generated', 'item', 80, {order})"
        )
    write_votes(connection, votes, entries)
    write(connection, manifest, entries)
