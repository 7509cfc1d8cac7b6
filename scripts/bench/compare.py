"""Are two contenders' tables equal: same keys, same integers and strings, floats within rounding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from duckdb import DuckDBPyConnection


@dataclass(frozen=True)
class Table:
    """Columns and rows that are compared."""

    key: tuple[str, ...]
    exact: tuple[str, ...]
    floats: tuple[str, ...] = ()
    rows: str = "true"


SWEEP = ("items", "divided", "unanimous", "no_verdict")
TABLES: Mapping[str, Table] = {
    "vote_counts": Table(("dataset_id", "panel", "item_id", "label"), ("votes",)),
    "vote_shares": Table(
        ("dataset_id", "panel", "item_id", "label"), ("votes", "total_votes", "label_rank", "is_tied"), ("share",)
    ),
    "items": Table(
        ("dataset_id", "panel", "item_id"),
        (
            "true_label",
            "votes",
            "labels_seen",
            "majority_label",
            "majority_votes",
            "second_label",
            "second_votes",
            "dissenting_votes",
            "is_tie",
        ),
        ("normalised_entropy", "pairwise_disagreement"),
    ),
    "annotator_attention": Table(
        ("dataset_id", "annotator_id"),
        ("attention_checks", "attention_passed", "is_attentive", "votes", "votes_with_true_label", "correct_votes"),
        ("median_reaction_time_ms",),
    ),
    # The model also lists labels that are on top in ties only.
    "threshold_sweep_by_label": Table(("dataset_id", "panel", "rule_id", "majority_label"), SWEEP, rows="items > 0"),
    "threshold_sweep": Table(("dataset_id", "panel", "rule_id"), SWEEP),
}


def first_difference(connection: DuckDBPyConnection, name: str, left: str, right: str) -> str | None:
    """The first key of a table at which two relations differ, or None; each relation is what follows FROM."""
    table = TABLES[name]
    keys = " and ".join(f"a.{column} = b.{column}" for column in table.key)
    unlike = [f"a.{column} is distinct from b.{column}" for column in (*table.key, *table.exact)]
    # pandas has NaN where others have NULL.
    a, b = "nullif(a.{0}, 'nan'::double)", "nullif(b.{0}, 'nan'::double)"
    for column in table.floats:
        x, y = a.format(column), b.format(column)
        unlike.append(f"({x} is null) != ({y} is null) or abs({x} - {y}) > 1e-9 * greatest(1, abs({x}))")
    shown = ", ".join(f"coalesce(a.{column}, b.{column})" for column in table.key)
    row = connection.execute(
        f"select {shown} from (from {left} where {table.rows}) as a full join {right} as b on {keys}"
        f" where {' or '.join(unlike)} limit 1"
    ).fetchone()
    return None if row is None else f"{name} at {', '.join(str(value) for value in row)}"
