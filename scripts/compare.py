"""What changed between two published databases: `make compare OLD=path NEW=path`.

Without NEW it is the published database, without OLD the one it replaced. Compared are input files, rules, row counts,
tables and columns, divided shares, and published figures with their verdicts; other values of the tables are not.
Exit codes: 0 nothing changed, 3 something did, 1 a file can't be compared.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from scripts.paths import previous_database, published_database

Row = dict[str, Any]
CHANGED = 3
# The history of builds grows with every build.
HISTORY = ("builds", "build_inputs", "build_figures")
# Sums of floating-point numbers differ in their last digits from build to build.
TOLERANCE = 1e-9


class ComparisonError(Exception):
    """One sentence for the user: which file can't be compared, and why."""


def _differs(old: str, new: str) -> str:
    """SQL for "the two numbers differ": true or false, never NULL."""
    return f"({old} is distinct from {new} and coalesce(abs({old} - {new}) > {TOLERANCE}, true))"


INPUTS = """
    select
        file_name,
        old_file.sha256 as old_sha256,
        new_file.sha256 as new_sha256,
        old_file.provenance as old_provenance,
        new_file.provenance as new_provenance,
        old_file.rows as old_rows,
        new_file.rows as new_rows
    from old.landed_files as old_file
    full join new.landed_files as new_file using (file_name)
    where (old_file.sha256, old_file.provenance, old_file.rows)
        is distinct from (new_file.sha256, new_file.provenance, new_file.rows)
    order by file_name
"""

RULE = (
    "{0}.min_votes || ' votes, ' || {0}.min_share_pct || ' %, ' || {0}.basis"
    " || if({0}.drop_single_votes, ', single votes dropped', '')"
)
RULES = f"""
    select rule_id, {RULE.format("old_rule")} as old, {RULE.format("new_rule")} as new
    from old.thresholds as old_rule
    full join new.thresholds as new_rule using (rule_id)
    where {RULE.format("old_rule")} is distinct from {RULE.format("new_rule")}
    order by coalesce(new_rule.sort_order, old_rule.sort_order), rule_id
"""

DIVIDED = f"""
    select
        dataset_id,
        panel,
        rule_id,
        old_sweep.items as old_items,
        new_sweep.items as new_items,
        old_sweep.divided as old_divided,
        new_sweep.divided as new_divided,
        old_sweep.divided_pct as old_pct,
        new_sweep.divided_pct as new_pct,
        new_sweep.divided_pct - old_sweep.divided_pct as points
    from old.threshold_sweep as old_sweep
    full join new.threshold_sweep as new_sweep using (dataset_id, panel, rule_id)
    where old_sweep.items is distinct from new_sweep.items
        or old_sweep.divided is distinct from new_sweep.divided
        or {_differs("old_sweep.divided_pct", "new_sweep.divided_pct")}
    order by round(abs(points), 6) desc nulls first, dataset_id, panel, rule_id
"""

FIGURES = f"""
    select
        figure_id,
        old_figure.expected as old_expected,
        new_figure.expected as new_expected,
        old_figure.observed as old_observed,
        new_figure.observed as new_observed,
        old_figure.verdict as old_verdict,
        new_figure.verdict as new_verdict
    from old.replication as old_figure
    full join new.replication as new_figure using (figure_id)
    where old_figure.verdict is distinct from new_figure.verdict
        or {_differs("old_figure.expected", "new_figure.expected")}
        or {_differs("old_figure.observed", "new_figure.observed")}
    order by old_verdict is not distinct from new_verdict, figure_id
"""

COLUMNS = """
    select
        table_name,
        column_name,
        old_column.data_type as old_type,
        new_column.data_type as new_type
    from (from duckdb_columns() where database_name = 'old') as old_column
    full join (from duckdb_columns() where database_name = 'new') as new_column using (table_name, column_name)
    where table_name in (select unnest($tables)) and old_type is distinct from new_type
    order by table_name, column_name
"""


def counts(connection: duckdb.DuckDBPyConnection) -> list[Row]:
    """The tables whose number of rows changed or that only one database has (NULL in the other)."""
    found: dict[str, Row] = {}
    for side in ("old", "new"):
        tables = connection.execute(
            "select table_name from duckdb_tables() where database_name = ? and not internal", [side]
        ).fetchall()
        for (table,) in tables:
            row = connection.execute(f'select count(*) from {side}."{table}"').fetchone()
            assert row is not None
            found.setdefault(table, {"table_name": table, "old_rows": None, "new_rows": None})[f"{side}_rows"] = row[0]
    return [row for name, row in sorted(found.items()) if name not in HISTORY and row["old_rows"] != row["new_rows"]]


def compare(old: Path, new: Path) -> dict[str, Any]:
    """What changed: which builds, whether they are equal, and a list of rows for every kind of change."""
    if old.exists() and new.exists() and old.samefile(new):
        raise ComparisonError(f"{old} and {new} are the same file: name two published databases")
    with duckdb.connect() as connection:
        builds = {}
        for side, path in (("old", old), ("new", new)):
            if not path.exists():
                raise ComparisonError(f"{path} is not there: name two published databases (docs/builds.md)")
            try:
                connection.execute(f"attach '{_quoted(path)}' as {side} (read_only)")
                builds[side] = {"path": str(path)} | _build(connection, side)
                connection.execute(f"select 1 from {side}.threshold_sweep limit 0")
            except duckdb.Error as error:
                raise ComparisonError(f"{path} is no database that dissent published: {_first_line(error)}") from None

        def rows(sql: str, **parameters: Any) -> list[Row]:
            result = connection.execute(sql, parameters or None)
            names = [column[0] for column in result.description]
            return [dict(zip(names, row, strict=True)) for row in result.fetchall()]

        try:
            # Columns are compared where both have the table; a table of one is among the row counts.
            changed = {
                "inputs": rows(INPUTS),
                "rules": rows(RULES),
                "rows": counts(connection),
                "columns": rows(COLUMNS, tables=_common_tables(connection)),
                "divided": rows(DIVIDED),
                "figures": rows(FIGURES),
            }
        except duckdb.Error as error:
            raise ComparisonError(
                f"{old} and {new} are of versions that can't be compared: {_first_line(error)}"
            ) from None
    return {**builds, "is_equal": not any(changed.values()), **changed}


def _build(connection: duckdb.DuckDBPyConnection, side: str) -> Row:
    """The build that published the database; nothing where it was published before there was a history."""
    try:
        row = connection.execute(
            f"select build_id, strftime(finished_at, '%Y-%m-%dT%H:%M:%SZ') from {side}.builds"
            " where outcome = 'published' order by finished_at desc limit 1"
        ).fetchone()
    except duckdb.CatalogException:
        row = None
    build_id, finished_at = row or (None, None)
    return {"build_id": build_id, "finished_at": finished_at}


def _common_tables(connection: duckdb.DuckDBPyConnection) -> list[str]:
    rows = connection.execute(
        "select table_name from duckdb_tables() where database_name = 'old'"
        " intersect select table_name from duckdb_tables() where database_name = 'new'"
    ).fetchall()
    return [table for (table,) in rows]


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def _first_line(error: duckdb.Error) -> str:
    return str(error).splitlines()[0]


def _number(value: float | None, decimals: int = 0) -> str:
    return "–" if value is None else f"{value:,.{decimals}f}"


def _change(old: object, new: object) -> str:
    """`old -> new`, or one of them where they are equal."""
    texts = ["–" if value is None else str(value) for value in (old, new)]
    return texts[0] if texts[0] == texts[1] else " -> ".join(texts)


def _input(row: Row) -> tuple[str, ...]:
    hashes = [sha256 and sha256[:12] for sha256 in (row["old_sha256"], row["new_sha256"])]
    rows = _change(_number(row["old_rows"]), _number(row["new_rows"]))
    return row["file_name"], _change(*hashes), _change(row["old_provenance"], row["new_provenance"]), f"{rows} rows"


def _rows(row: Row) -> tuple[str, ...]:
    old, new = row["old_rows"], row["new_rows"]
    if old is None or new is None:
        return row[
            "table_name"
        ], f"{_number(old if new is None else new)} rows, only in {'old' if new is None else 'new'}"
    return row["table_name"], _change(_number(old), _number(new)), f"{new - old:+,}"


def _divided(row: Row) -> tuple[str, ...]:
    shares = f"{_number(row['old_pct'], 2)} -> {_number(row['new_pct'], 2)}"
    points = "" if row["points"] is None else f"{row['points']:+.2f}"
    divided = f"({_change(_number(row['old_divided']), _number(row['new_divided']))}"
    items = f"of {_change(_number(row['old_items']), _number(row['new_items']))})"
    return row["dataset_id"], row["panel"], row["rule_id"], shares, points, f"{divided} {items}"


def _figure(row: Row) -> tuple[str, ...]:
    verdict = _change(row["old_verdict"], row["new_verdict"])
    published = _change(*(value and f"{value:.10g}" for value in (row["old_expected"], row["new_expected"])))
    found = _change(*(value and f"{value:.6g}" for value in (row["old_observed"], row["new_observed"])))
    return row["figure_id"], verdict, f"published {published}", f"found {found}"


@dataclass(frozen=True)
class Section:
    """How a kind of change is shown: its heading, and the cells of a row."""

    title: str
    cells: Callable[[Row], tuple[str, ...]]


SECTIONS = {
    "inputs": Section("input files", _input),
    "rules": Section("rules", lambda row: (row["rule_id"], _change(row["old"], row["new"]))),
    "rows": Section("rows", _rows),
    "columns": Section(
        "columns", lambda row: (f"{row['table_name']}.{row['column_name']}", _change(row["old_type"], row["new_type"]))
    ),
    "divided": Section("divided, in % of items, and in points", _divided),
    "figures": Section("published figures", _figure),
}


def report(changed: dict[str, Any], shown: int) -> list[str]:
    """Lines to read, at most `shown` rows a section (0: all)."""
    lines = []
    for side in ("old", "new"):
        build = changed[side]
        when = (
            f"build {build['build_id']}, {build['finished_at']}" if build["build_id"] else "of a build without history"
        )
        lines.append(f"{side}: {build['path']} ({when})")
    if changed["is_equal"]:
        return [
            *lines,
            "nothing changed: same input files, rules, row counts, columns, divided shares, figures, verdicts",
        ]
    for name, section in SECTIONS.items():
        rows = changed[name]
        if not rows:
            continue
        lines += ["", f"{section.title}: {len(rows)} changed"]
        cells = [section.cells(row) for row in rows[: shown or None]]
        places = max(len(row) for row in cells)
        widths = [max(len(row[place]) for row in cells if place < len(row)) for place in range(places)]
        lines += [
            "  " + "  ".join(cell.ljust(widths[place]) for place, cell in enumerate(row)).rstrip() for row in cells
        ]
        if len(rows) > len(cells):
            lines.append(f"  and {len(rows) - len(cells)} more (--rows 0 shows all)")
    return lines


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.compare", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", nargs="?", help="default: the database that publishing replaced last")
    parser.add_argument("new", nargs="?", help="default: the published database")
    parser.add_argument(
        "--rows", type=int, default=20, help="rows to show of each kind of change, 0 for all (%(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="everything as JSON")
    arguments = parser.parse_args()
    new = Path(arguments.new) if arguments.new else published_database()
    old = Path(arguments.old) if arguments.old else previous_database(published_database())
    try:
        changed = compare(old, new)
    except ComparisonError as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(changed, indent=2) if arguments.json else "\n".join(report(changed, arguments.rows)))
    return 0 if changed["is_equal"] else CHANGED


if __name__ == "__main__":
    sys.exit(main())
