"""Prints the result of a build: divided per cent by data set, panel and rule, and how many figures replicate."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import duckdb

from scripts.brought_project import brought_names
from scripts.paths import PROJECT, published_database, work_database

WAREHOUSE = Path(os.environ.get("DISSENT_SPARK") or PROJECT / "data" / "spark") / "warehouse" / "marts.db"

RULES = ["any_vote", "two_votes", "share_5", "share_10", "share_20", "share_30", "share_40"]


def sweep_table(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Lines of the short sweep table, one a data set and panel."""
    cells = ", ".join(f"max(divided_pct) filter (where rule_id = '{rule}')" for rule in RULES)
    rows = connection.execute(
        f"""
        select sweep.dataset_id, panel, max(items), {cells}, max(sweep.provenance)
        from threshold_sweep as sweep
        join dataset_provenance as datasets on sweep.dataset_id = datasets.dataset_id
        group by sweep.dataset_id, panel, sort_order
        order by sort_order, panel
        """
    ).fetchall()
    lines = [f"{'divided, in % of items':<32}{'items':>7}" + "".join(f"{rule:>10}" for rule in RULES) + "  votes"]
    for dataset, panel, items, *shares, provenance in rows:
        label = f"{dataset:<20} {panel:<11}"
        lines.append(f"{label}{items:>7,}" + "".join(f"{share:>10.2f}" for share in shares) + f"  {provenance}")
    return lines


def replication_lines(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """`N of M published figures replicated`, then the ones that differ and what was not evaluated."""
    count = dict(
        connection.execute(
            "select verdict, count(*) from replication where kind in ('votes', 'derived', 'claim') group by verdict"
        ).fetchall()
    )
    lines = [f"{count.get('replicated', 0)} of {sum(count.values())} published figures replicated"]
    for figure, kind, expected, observed, decimals in connection.execute(
        "select figure_id, kind, expected, observed, decimals from replication where verdict = 'differs'"
        " order by figure_id"
    ).fetchall():
        why = "a claim that the votes contradict" if kind == "claim" else "DIFFERS"
        found = "not found" if observed is None else f"{observed:.{decimals + 1}f}"
        lines.append(f"  {figure}: published {expected:.{decimals}f}, found {found} ({why})")
    if count.get("not evaluated"):
        missing = connection.execute(
            "select string_agg(distinct dataset_id, ', ' order by dataset_id) from replication"
            " where kind in ('votes', 'derived', 'claim') and verdict = 'not evaluated'"
        ).fetchone()
        assert missing is not None
        lines.append(f"  {count['not evaluated']} not evaluated, their files have not landed: {missing[0]}")
    return lines


def limit_lines(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """What the audit can't tell about the data sets that `make add` brought."""
    rows = connection.execute(
        "select dataset_id, items_concerned, items_pct, statement from audit_limits"
        " where list_contains(?, dataset_id) order by dataset_id, audit_limit",
        [brought_names()],
    ).fetchall()
    lines = ["", "what the audit can't tell about your own votes:"] if rows else []
    return lines + [f"  {name}: {statement} ({items:,} items, {pct:.0f} %)" for name, items, pct, statement in rows]


def print_result(connection: duckdb.DuckDBPyConnection) -> None:
    """Print the tables and what goes with them."""
    print("\n".join(["", *sweep_table(connection), *limit_lines(connection), "", *replication_lines(connection)]))


def main() -> int:
    """Print the summary of the published database, or what differs in a build that was not published."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spark", action="store_true", help="the result of the build on Spark")
    parser.add_argument("--differing", action="store_true", help="only the figures that differ in the work database")
    arguments = parser.parse_args()
    if arguments.differing:
        try:
            with duckdb.connect(str(work_database()), read_only=True) as connection:
                connection.execute("set search_path = 'marts'")
                lines = replication_lines(connection)
        except duckdb.Error:
            return 0  # the build did not get as far as the figures; dbt has said why
        print("\n".join(lines), file=sys.stderr)
        return 0
    if arguments.spark:
        with duckdb.connect() as connection:
            for folder in sorted(path for path in WAREHOUSE.iterdir() if any(path.glob("*.parquet"))):
                connection.execute(f"""create view "{folder.name}" as from '{folder}/*.parquet'""")
            print_result(connection)
        print(f"tables: {WAREHOUSE} (Parquet; make parity compares them with DuckDB's)")
        return 0
    with duckdb.connect(str(published_database()), read_only=True) as connection:
        print_result(connection)
    print(f"tables: {published_database().name} (make shell opens it)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
