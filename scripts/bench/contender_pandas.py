"""The same tables with numpy and pandas: strings become categories once, from there on there are arrays of codes."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet  # noqa: F401  what pandas reads Parquet with: imported before the clock starts

Array = np.ndarray[Any, Any]
ANNOTATOR = ["dataset_id", "annotator_id"]
ITEM = ["dataset_id", "item_id"]
CELL = ["dataset_id", "item_id", "label"]


def compute(entries: Path, tables: Collection[str]) -> dict[str, pd.DataFrame]:
    """The tables from the Parquet of the entries."""
    checks = _checks(entries)
    counts, attention = _count(entries, checks)
    items = counts.groupby(ITEM, observed=True, sort=False)
    item_of_cell = items.ngroup().to_numpy()
    listed = items["true_label"].first().reset_index()
    listed = _with_declared(entries, listed)
    places, sizes = _label_places(entries, counts)
    is_checked = counts["dataset_id"].cat.categories.isin(checks["dataset_id"].unique())
    thresholds = pd.read_parquet(entries / "thresholds")
    parts = []
    for panel in ("all", "attentive", "dropped"):
        votes = counts[panel].to_numpy()
        kept = votes > 0
        rows = np.ones(len(listed), bool)
        if panel != "all":
            kept &= is_checked[counts["dataset_id"].cat.codes]
            rows = listed["dataset_id"].isin(checks["dataset_id"].unique()).to_numpy()
        cells = counts.loc[kept, CELL]
        parts.append(_panel(panel, cells, votes[kept], item_of_cell[kept], listed, rows, places, sizes, thresholds))
    tables = {name: pd.concat([part[name] for part in parts], ignore_index=True) for name in parts[0]}
    sweep = tables["threshold_sweep_by_label"].drop(columns="majority_label")
    return tables | {
        "annotator_attention": attention,
        "threshold_sweep": sweep.groupby(["dataset_id", "panel", "rule_id"], as_index=False, observed=True).sum(),
    }


def _checks(entries: Path) -> pd.DataFrame:
    checks = (
        pd.read_parquet(entries / "int_attention_checks")
        .groupby(ANNOTATOR, as_index=False)
        .agg(attention_checks=("is_passed", "size"), attention_passed=("is_passed", "sum"))
        .merge(pd.read_parquet(entries / "datasets", columns=["dataset_id", "attention_pass_pct"]), on="dataset_id")
    )
    checks["is_attentive"] = (
        100 * checks["attention_passed"] >= checks.pop("attention_pass_pct") * checks["attention_checks"]
    )
    return checks


def _count(entries: Path, checks: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    columns = [*ANNOTATOR, "item_id", "label", "true_label", "weight", "reaction_time_ms"]
    votes = pd.read_parquet(entries / "int_votes", columns=columns)
    votes["correct"] = votes["weight"] * (votes["label"] == votes["true_label"]).fillna(False)
    votes["with_truth"] = votes["weight"] * votes["true_label"].notna()
    votes["reaction_time_ms"] = votes["reaction_time_ms"].where(votes["reaction_time_ms"] > 0)
    votes = votes.astype(dict.fromkeys([*CELL, "annotator_id", "true_label"], "category"))

    annotators = votes.groupby(ANNOTATOR, observed=True, sort=False)
    voted = annotators.agg(
        votes=("weight", "sum"),
        votes_with_true_label=("with_truth", "sum"),
        correct_votes=("correct", "sum"),
        median_reaction_time_ms=("reaction_time_ms", "median"),
    ).reset_index()
    voted = voted.astype(dict.fromkeys(ANNOTATOR, "str"))
    is_dropped = voted.merge(checks, on=ANNOTATOR, how="left")["is_attentive"].eq(False).to_numpy()
    votes["dropped"] = votes["weight"] * is_dropped[annotators.ngroup().to_numpy()]
    counts = (
        votes.groupby(CELL, observed=True, sort=False)
        .agg(true_label=("true_label", "first"), all=("weight", "sum"), dropped=("dropped", "sum"))
        .reset_index()
    )
    ready_made = pd.read_parquet(entries / "int_label_counts").rename(columns={"votes": "all"})
    if len(ready_made):
        counts = counts.astype(dict.fromkeys([*CELL, "true_label"], "str"))
        counts = pd.concat([counts, ready_made.assign(dropped=0)], ignore_index=True)
        counts = counts.astype(dict.fromkeys([*CELL, "true_label"], "category"))
    counts["attentive"] = counts["all"] - counts["dropped"]

    attention = voted.merge(checks, on=ANNOTATOR, how="outer")
    numbers = ["attention_checks", "attention_passed", "votes", "votes_with_true_label", "correct_votes"]
    attention[numbers] = attention[numbers].fillna(0).astype("int64")
    attention["is_attentive"] = (
        attention["is_attentive"]
        .astype("boolean")
        .fillna(True)
        .where(attention["dataset_id"].isin(checks["dataset_id"].unique()))
    )
    return counts, attention


def _with_declared(entries: Path, listed: pd.DataFrame) -> pd.DataFrame:
    declared = pd.read_parquet(entries / "int_declared_items")
    if len(declared):
        declared = declared.merge(listed[ITEM].astype("str"), on=ITEM, how="left", indicator=True)
        declared = declared.loc[declared.pop("_merge") == "left_only"]
        listed = pd.concat([listed.astype("str"), declared], ignore_index=True)
    return listed


def _label_places(entries: Path, counts: pd.DataFrame) -> tuple[Array, dict[str, int]]:
    """Order of the labels, by the codes of data set and label, and the number of labels of each data set."""
    seen = counts[["dataset_id", "label"]].drop_duplicates().astype("str")
    labels = seen.merge(pd.read_parquet(entries / "labels"), on=["dataset_id", "label"], how="outer")
    labels = labels.sort_values(["dataset_id", "label_order", "label"], na_position="last")
    labels["place"] = labels.groupby("dataset_id").cumcount()
    names, datasets = counts["label"].cat.categories, counts["dataset_id"].cat.categories
    places = np.zeros((len(datasets), len(names)), dtype="int64")
    used = labels[labels["label"].isin(names) & labels["dataset_id"].isin(datasets)]
    places[datasets.get_indexer(used["dataset_id"]), names.get_indexer(used["label"])] = used["place"]
    return places, labels.groupby("dataset_id").size().to_dict()


def _panel(
    panel: str,
    cells: pd.DataFrame,
    votes: Array,
    item: Array,
    listed: pd.DataFrame,
    rows: Array,
    places: Array,
    sizes: dict[str, int],
    thresholds: pd.DataFrame,
) -> dict[str, pd.DataFrame]:
    label = cells["label"].cat.codes.to_numpy()
    place = places[cells["dataset_id"].cat.codes, label]
    top = int(votes.max(initial=0))
    order = np.argsort((item * (top + 1) + top - votes) * places.shape[1] + place)
    votes, item, label = votes[order], item[order], label[order]
    first = np.flatnonzero(np.diff(item, prepend=-1))
    seen = np.diff(first, append=len(item))
    total, majority = np.add.reduceat(votes, first), votes[first]
    second = np.where(seen > 1, votes[np.minimum(first + 1, len(votes) - 1)], 0)
    is_top = votes == np.repeat(majority, seen)
    shares = cells.iloc[order].assign(
        panel=panel,
        votes=votes,
        total_votes=np.repeat(total, seen),
        share=votes / np.repeat(total, seen),
        label_rank=np.arange(len(item)) - np.repeat(first, seen) + 1,
        is_tied=is_top & np.repeat(majority == second, seen),
    )

    def by_item(values: Array, fill: float) -> Array:
        spread = np.full(len(listed), fill, dtype=values.dtype)
        spread[item[first]] = values
        return spread[rows]

    names = cells["label"].cat.categories
    second_label = np.where(seen > 1, label[np.minimum(first + 1, len(label) - 1)], -1)
    items = listed.loc[rows].assign(
        panel=panel,
        votes=by_item(total, 0),
        labels_seen=by_item(seen, 0),
        majority_label=pd.Categorical.from_codes(by_item(label[first], -1), names),
        majority_votes=by_item(majority, 0),
        second_label=pd.Categorical.from_codes(by_item(second_label, -1), names),
        second_votes=by_item(second, 0),
        single_vote_labels=by_item(np.add.reduceat(votes == 1, first, dtype="int64"), 0),
        dissenting_votes=by_item(total - majority, 0),
        is_tie=by_item(majority == second, False),
    )
    entropy = np.maximum(0, np.log(total) - np.add.reduceat(votes * np.log(votes), first) / total)
    labels = items["dataset_id"].map(sizes).astype("int64")
    agreeing, pairs = np.add.reduceat(votes * (votes - 1), first), np.maximum(total * (total - 1), 1)
    items["normalised_entropy"] = by_item(entropy, np.nan) / np.log(labels.where(labels > 1).to_numpy())
    items["pairwise_disagreement"] = by_item(np.where(total > 1, 1 - agreeing / pairs, np.nan), np.nan)
    return {
        "vote_counts": shares[["dataset_id", "panel", "item_id", "label", "votes"]],
        "vote_shares": shares,
        "items": items,
        "threshold_sweep_by_label": _sweep(items[items["votes"] > 0], thresholds),
    }


def _sweep(items: pd.DataFrame, thresholds: pd.DataFrame) -> pd.DataFrame:
    group = items.groupby(["dataset_id", "majority_label"], observed=True, sort=False)
    number, keys = group.ngroup().to_numpy(), group.size().rename("items").reset_index()
    swept = []
    for rule in thresholds.itertuples():
        singles = items["single_vote_labels"].to_numpy() if rule.drop_single_votes else 0
        other = items["second_votes"].to_numpy()
        if rule.basis == "off_top":
            other = items["dissenting_votes"].to_numpy() - singles
        elif rule.drop_single_votes:
            other = np.where(other == 1, 0, other)
        total = items["votes"].to_numpy() - singles
        is_divided = (other >= rule.min_votes) & (100 * other >= rule.min_share_pct * total) & (total > 0)
        divided = np.bincount(number, is_divided, len(keys)).astype("int64")
        no_verdict = np.bincount(number, total <= 0, len(keys)).astype("int64")
        swept.append(
            keys.assign(
                panel=items["panel"].iloc[0],
                rule_id=rule.rule_id,
                divided=divided,
                unanimous=keys["items"] - divided - no_verdict,
                no_verdict=no_verdict,
            )
        )
    return pd.concat(swept, ignore_index=True)
