"""Consensus labels by Dawid-Skene, set beside the majority label: `make consensus`.

Optional, and no part of a build: it reads the published database, lets crowd-kit estimate each annotator's confusion
matrix and each item's label together (Dawid and Skene 1979), and writes `data/consensus.parquet`, one row per data set
with annotators, panel and item with votes. In the DuckDB shell it joins by the key that every item table has:

    select items.*, consensus.consensus_label, consensus.probability
    from items inner join 'data/consensus.parquet' as consensus using (dataset_id, panel, item_id);

Two cautions. With one or two votes an item there is nothing to weigh, and Dawid-Skene does worse than the majority (the
panel dropped shows it). And it takes annotators' slips for independent, so its probabilities are far too sure on items
that are hard for everybody: rank by vote shares, not by them.

crowd-kit needs an older pandas than the build, so this runs in `.venv-peers`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from scripts.paths import PROJECT, published_database

if TYPE_CHECKING:
    import pandas as pd

ITERATIONS = 100  # at most; the votes of CIFAR-10H settle after three

# Numbers instead of names: crowd-kit's joins are several times faster on them, and labels in the data set's own order
# let equal probabilities go to the first label, as equal votes do.
VOTES = """
    with
    ordered as (
        select
            dataset_id,
            label,
            row_number() over (partition by dataset_id order by label_order nulls last, label) as place
        from (select distinct dataset_id, label from votes) as seen
        left join labels using (dataset_id, label)
    )
    select
        dense_rank() over (order by votes.item_id) as task,
        dense_rank() over (order by votes.annotator_id) as worker,
        ordered.place as label,
        votes.item_id,
        votes.label as label_name
    from votes
    inner join ordered using (dataset_id, label)
    inner join annotator_attention as annotators using (dataset_id, annotator_id)
    cross join range(votes.weight)
    where votes.dataset_id = $dataset_id and ($panel = 'all' or annotators.is_attentive = ($panel = 'attentive'))
    order by task, worker, label
"""

COLUMNS = {
    "dataset_id": "varchar",
    "panel": "varchar",
    "item_id": "varchar",
    "consensus_label": "varchar",
    "probability": "double",
    "majority_label": "varchar",
    "differs": "boolean",
    "true_label": "varchar",
    "provenance": "varchar",
}


class ConsensusError(Exception):
    """One sentence for the user."""


@dataclass(frozen=True)
class Compared:
    """How the consensus of one panel stands against its majority labels, and both against the true ones."""

    dataset_id: str
    panel: str
    provenance: str
    items: int
    differing: int
    with_true_label: int
    majority_correct: int
    consensus_correct: int

    def line(self) -> str:
        """One line of the printed comparison."""
        told = (
            f"right: majority {self._pct(self.majority_correct)}, consensus {self._pct(self.consensus_correct)}"
            if self.with_true_label
            else "no true labels"
        )
        return (
            f"{self.dataset_id:<12}{self.panel:<11}{self.items:>8,} items{self.differing:>7,} differ   {told}"
            f"   ({self.provenance})"
        )

    def _pct(self, correct: int) -> str:
        return f"{100 * correct / self.with_true_label:.2f} %"


def panels(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """The data sets and panels that have annotators and votes."""
    return [
        (str(dataset_id), str(panel))
        for dataset_id, panel in connection.execute(
            "select dataset_id, panel from panels where annotators > 0 and votes > 0 order by dataset_id, panel"
        ).fetchall()
    ]


def dawid_skene(votes: pd.DataFrame) -> pd.DataFrame:
    """Most probable label of each task, and its probability, from rows of task, worker and label (whole numbers)."""
    from crowdkit.aggregation import DawidSkene  # type: ignore[import-not-found]

    probabilities = DawidSkene(n_iter=ITERATIONS).fit_predict_proba(votes[["task", "worker", "label"]])
    # idxmax takes the first of equals; crowd-kit keeps the columns in the order in which it met the labels.
    probabilities = probabilities.sort_index(axis="columns")
    found = probabilities.idxmax(axis="columns").rename("label").to_frame()
    # It also lifts zeros to 1e-10, by which a row can exceed 1.
    found["probability"] = probabilities.max(axis="columns").clip(upper=1.0)
    return found


def add(connection: duckdb.DuckDBPyConnection, dataset_id: str, panel: str) -> None:
    """Add the consensus of a panel to the table `consensus`."""
    votes = connection.execute(VOTES, {"dataset_id": dataset_id, "panel": panel}).df()
    found = dawid_skene(votes).reset_index()
    tasks = votes[["task", "item_id"]].drop_duplicates()
    names = votes[["label", "label_name"]].drop_duplicates()
    labelled = tasks.merge(found, on="task").merge(names, on="label")
    connection.register("labelled", labelled)
    connection.execute(
        """
        insert into consensus
        select
            items.dataset_id,
            items.panel,
            items.item_id,
            labelled.label_name,
            labelled.probability,
            items.majority_label,
            labelled.label_name != items.majority_label,
            items.true_label,
            provenance.provenance
        from items
        inner join labelled on items.item_id = labelled.item_id
        left join dataset_provenance as provenance on items.dataset_id = provenance.dataset_id
        where items.dataset_id = $dataset_id and items.panel = $panel
        """,
        {"dataset_id": dataset_id, "panel": panel},
    )
    connection.unregister("labelled")


def compare(connection: duckdb.DuckDBPyConnection) -> Iterator[Compared]:
    """The comparison of every panel in the table `consensus`."""
    for row in connection.execute(
        """
        select
            dataset_id,
            panel,
            max(provenance),
            count(*),
            count(*) filter (where differs),
            count(true_label),
            count(*) filter (where majority_label = true_label),
            count(*) filter (where consensus_label = true_label)
        from consensus
        group by dataset_id, panel
        order by dataset_id, panel
        """
    ).fetchall():
        yield Compared(*row)


def run(published: Path, out: Path, dataset_id: str | None = None) -> list[Compared]:
    """Write the consensus of every panel (or those of one data set) to `out`, whole or not at all."""
    if not published.exists():
        raise ConsensusError(f"{published.name} is not there yet: run make build first")
    with duckdb.connect() as connection:
        connection.execute(f"attach '{_quoted(published)}' as published (read_only)")
        connection.execute("use published")
        wanted = [pair for pair in panels(connection) if dataset_id in (None, pair[0])]
        if not wanted:
            raise ConsensusError(
                f"no votes of single annotators to read: {dataset_id or 'the published database'} has none"
            )
        columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
        connection.execute(f"create temp table consensus ({columns})")
        for pair in wanted:
            add(connection, *pair)
        out.parent.mkdir(parents=True, exist_ok=True)
        unfinished = out.with_name(f".{out.name}.{os.getpid()}.tmp")
        connection.execute(
            f"copy (from consensus order by dataset_id, panel, item_id) to '{_quoted(unfinished)}' (format parquet)"
        )
        unfinished.replace(out)
        return list(compare(connection))


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def main() -> int:
    """Command line: write the table, print the comparison."""
    parser = argparse.ArgumentParser(prog="python -m scripts.consensus", description="Consensus by Dawid-Skene.")
    parser.add_argument("--dataset", help="one data set only (default: all that have annotators)")
    parser.add_argument(
        "--out", type=Path, default=PROJECT / "data" / "consensus.parquet", help="Parquet file to write"
    )
    arguments = parser.parse_args()
    try:
        compared = run(published_database(), arguments.out, arguments.dataset)
    except ConsensusError as error:
        print(error, file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        print(f"{error.name} is not installed here: run make consensus, which uses .venv-peers", file=sys.stderr)
        return 1
    print("\n".join(found.line() for found in compared))
    print(f"wrote {arguments.out.name}; it joins items by dataset_id, panel, item_id")
    return 0


if __name__ == "__main__":
    sys.exit(main())
