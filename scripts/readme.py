"""Writes what documents repeat of the published database, or checks that they say the same.

That is the results table of README.md and the entity diagrams of docs/tables.md, each between two markers.
"""

from __future__ import annotations

import argparse
import sys

import duckdb

from scripts.diagram import diagrams
from scripts.paths import PROJECT, published_database

COLUMNS = [("cifar10h", "all"), ("cifar10h", "attentive"), ("ferplus", "all")]
MODEL_SET = "four_cnns"


def results_table(connection: duckdb.DuckDBPyConnection) -> str:
    """The Markdown table: a row a rule; divided per cent, HoD bounds and the CNNs' exact HoD a data set and panel."""
    rows = connection.execute(
        """
        select sweep.rule_id, sweep.dataset_id, sweep.panel, sweep.divided_pct,
            bounds.hod_lower_pct, bounds.hod_upper_pct, exact.hod_pct
        from threshold_sweep as sweep
        left join hod_bounds as bounds using (dataset_id, panel, rule_id)
        left join profile_sweep as exact
            on exact.dataset_id = sweep.dataset_id and exact.panel = sweep.panel
            and exact.rule_id = sweep.rule_id and exact.model_set = ?
        where sweep.basis = 'second_label'
        order by sweep.rule_order
        """,
        [MODEL_SET],
    ).fetchall()
    cells: dict[str, dict[tuple[str, str], tuple[str, ...]]] = {}
    for rule, dataset, panel, divided, low, high, exact in rows:
        bounds = "" if low is None else f"{low:.1f}–{high:.1f}"
        cells.setdefault(rule, {})[dataset, panel] = (
            f"{divided:.2f}",
            bounds,
            "" if exact is None else f"{exact:.1f}",
        )
    head = ["rule"]
    for dataset, panel in COLUMNS:
        head += [f"{dataset}, {panel}: divided", "HoD bounds"]
        if dataset == "cifar10h":
            head.append("HoD, four CNNs")
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    for rule, by_panel in cells.items():
        line = [f"`{rule}`"]
        for column in COLUMNS:
            divided, bounds, exact = by_panel.get(column, ("", "", ""))
            line += [divided, bounds, exact] if column[0] == "cifar10h" else [divided, bounds]
        lines.append("| " + " | ".join(line) + " |")
    return "\n".join(lines)


# Document, the name of the block in it, and what writes the block.
BLOCKS = [("README.md", "results", results_table), ("docs/tables.md", "diagrams", diagrams)]


def with_block(text: str, name: str, block: str) -> str:
    """`text` with what is between the markers of that name replaced by `block`."""
    start, end = f"<!-- {name}: written by make readme -->", f"<!-- end of {name} -->"
    before, _, rest = text.partition(start)
    _, _, after = rest.partition(end)
    return f"{before}{start}\n{block}\n{end}{after}"


def main() -> int:
    """Write the blocks; with --check, exit 1 where a document says something else."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 where a document differs")
    arguments = parser.parse_args()
    differing = []
    with duckdb.connect(str(published_database()), read_only=True) as connection:
        for name, block, write in BLOCKS:
            text = (PROJECT / name).read_text(encoding="utf-8")
            if (new := with_block(text, block, write(connection))) == text:
                continue
            if arguments.check:
                differing.append(f"{name}: its {block} are not what the database says: run make readme")
            else:
                (PROJECT / name).write_text(new, encoding="utf-8")
    if differing:
        print("\n".join(differing), file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
