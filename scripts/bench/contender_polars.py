"""The same tables with polars, lazily and on its streaming engine."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import polars as pl

CELL = ["dataset_id", "item_id", "label"]
ITEM = ["dataset_id", "panel", "item_id"]
ANNOTATOR = ["dataset_id", "annotator_id"]


def _collect(*frames: pl.LazyFrame) -> list[pl.DataFrame]:
    return pl.collect_all(frames, engine="streaming")


def compute(entries: Path, tables: Collection[str]) -> dict[str, pl.DataFrame]:
    """The tables from the Parquet of the entries."""
    assert "vote_shares" not in tables

    def entry(name: str) -> pl.LazyFrame:
        return pl.scan_parquet(entries / name / "*.parquet")

    votes, datasets, thresholds = entry("int_votes"), entry("datasets"), entry("thresholds").collect()
    (checks,) = _collect(
        entry("int_attention_checks")
        .group_by(ANNOTATOR)
        .agg(attention_checks=pl.len().cast(pl.Int64), attention_passed=pl.col("is_passed").sum().cast(pl.Int64))
        .join(datasets.select("dataset_id", "attention_pass_pct"), on="dataset_id")
        .with_columns(
            is_attentive=100 * pl.col("attention_passed") >= pl.col("attention_pass_pct") * pl.col("attention_checks")
        )
        .drop("attention_pass_pct")
    )
    checked = checks.select("dataset_id").unique()
    weight, is_dropped = pl.col("weight"), pl.col("is_attentive").not_().fill_null(False)
    counts, voted = _collect(
        pl.concat(
            [
                votes.join(checks.lazy().select(*ANNOTATOR, "is_attentive"), on=ANNOTATOR, how="left")
                .group_by(CELL)
                .agg(
                    pl.col("true_label").max(),
                    votes=weight.sum(),
                    dropped=weight.filter(is_dropped).sum(),
                ),
                entry("int_label_counts").with_columns(dropped=pl.lit(0, pl.Int64)),
            ],
            how="diagonal",
        ),
        votes.group_by(ANNOTATOR).agg(
            votes=weight.sum(),
            votes_with_true_label=weight.filter(pl.col("true_label").is_not_null()).sum(),
            correct_votes=weight.filter(pl.col("label") == pl.col("true_label")).sum(),
            median_reaction_time_ms=pl.col("reaction_time_ms").filter(pl.col("reaction_time_ms") > 0).median(),
        ),
    )
    is_checked = pl.col("dataset_id").is_in(checked["dataset_id"].implode())
    attention = voted.join(checks, on=ANNOTATOR, how="full", coalesce=True).with_columns(
        pl.col("attention_checks", "attention_passed", "votes", "votes_with_true_label", "correct_votes").fill_null(0),
        is_attentive=pl.when(is_checked).then(pl.col("is_attentive").fill_null(True)),
    )
    labels = (
        counts.select("dataset_id", "label")
        .unique()
        .join(entry("labels").collect(), on=["dataset_id", "label"], how="full", coalesce=True)
        .sort("dataset_id", "label_order", "label", nulls_last=True)
        .with_columns(place=pl.int_range(pl.len()).over("dataset_id"), labels=pl.len().over("dataset_id"))
    )
    of_panel = {
        "all": pl.col("votes"),
        "attentive": pl.col("votes") - pl.col("dropped"),
        "dropped": pl.col("dropped"),
    }
    (vote_counts,) = _collect(
        pl.concat(
            [
                (counts.lazy() if panel == "all" else counts.lazy().filter(is_checked))
                .select("dataset_id", "item_id", "label", votes=expression, panel=pl.lit(panel))
                .filter(pl.col("votes") > 0)
                for panel, expression in of_panel.items()
            ]
        )
    )
    sizes = labels.lazy().select("dataset_id", "labels").unique()
    panels = pl.concat(
        [
            counts.select("dataset_id").unique().with_columns(panel=pl.lit("all")),
            checked.join(pl.DataFrame({"panel": ["attentive", "dropped"]}), how="cross"),
        ]
    )
    v = pl.col("votes")
    by_item = (
        vote_counts.lazy()
        .join(labels.lazy().select("dataset_id", "label", "place"), on=["dataset_id", "label"])
        .with_columns(rank=v * 65536 - pl.col("place"))
        .group_by(ITEM)
        .agg(
            top=pl.col("rank").top_k(2).sort(descending=True),
            votes=v.sum(),
            labels_seen=pl.len().cast(pl.Int64),
            single_vote_labels=(v == 1).sum().cast(pl.Int64),
            sum_votes_ln_votes=(v * v.log()).sum(),
            agreeing_pairs=(v * (v - 1)).sum(),
        )
        .with_columns(first=pl.col("top").list.get(0), second=pl.col("top").list.get(1, null_on_oob=True))
    )
    named = labels.lazy().select("dataset_id", "label", "place")
    listed = pl.concat(
        [
            counts.lazy().group_by("dataset_id", "item_id").agg(pl.col("true_label").max()),
            entry("int_declared_items")
            .join(counts.lazy(), on=["dataset_id", "item_id"], how="anti")
            .with_columns(true_label=pl.lit(None, pl.String)),
        ],
    )
    (items,) = _collect(
        listed.join(panels.lazy(), on="dataset_id")
        .join(sizes, on="dataset_id")
        .join(by_item, on=ITEM, how="left")
        .with_columns(first_place=-pl.col("first") & 65535, second_place=-pl.col("second") & 65535)
        .join(
            named.rename({"label": "majority_label", "place": "first_place"}),
            on=["dataset_id", "first_place"],
            how="left",
        )
        .join(
            named.rename({"label": "second_label", "place": "second_place"}),
            on=["dataset_id", "second_place"],
            how="left",
        )
        .with_columns(
            pl.col("votes", "labels_seen").fill_null(0),
            majority_votes=((pl.col("first") + 65535) // 65536).fill_null(0),
            second_votes=((pl.col("second") + 65535) // 65536).fill_null(0),
            normalised_entropy=pl.when(pl.col("labels") > 1).then(
                (v.log() - pl.col("sum_votes_ln_votes") / v).clip(0) / pl.col("labels").log()
            ),
            pairwise_disagreement=pl.when(v > 1).then(1 - pl.col("agreeing_pairs") / (v * (v - 1))),
        )
        .with_columns(
            dissenting_votes=v - pl.col("majority_votes"),
            is_tie=(pl.col("majority_votes") == pl.col("second_votes")) & (pl.col("majority_votes") > 0),
        )
        .drop("top", "first", "second", "first_place", "second_place")
    )
    alike = (
        items.lazy()
        .filter(v > 0)
        .group_by(
            "dataset_id", "panel", "majority_label", "votes", "single_vote_labels", "second_votes", "dissenting_votes"
        )
        .agg(items=pl.len().cast(pl.Int64))
    )
    (by_label,) = _collect(pl.concat([_judged(alike, rule) for rule in thresholds.iter_rows(named=True)]))
    sweep = by_label.group_by("dataset_id", "panel", "rule_id").agg(
        pl.col("items", "divided", "unanimous", "no_verdict").sum()
    )
    return {
        "vote_counts": vote_counts,
        "items": items,
        "annotator_attention": attention,
        "threshold_sweep_by_label": by_label,
        "threshold_sweep": sweep,
    }


def _judged(alike: pl.LazyFrame, rule: dict[str, int | str | bool]) -> pl.LazyFrame:
    singles = pl.col("single_vote_labels") if rule["drop_single_votes"] else pl.lit(0)
    other = pl.col("second_votes")
    if rule["basis"] == "off_top":
        other = pl.col("dissenting_votes") - singles
    elif rule["drop_single_votes"]:
        other = pl.when(other == 1).then(0).otherwise(other)
    total = pl.col("votes") - singles
    verdict = pl.when(total > 0).then((other >= rule["min_votes"]) & (100 * other >= rule["min_share_pct"] * total))
    n = pl.col("items")
    return (
        alike.with_columns(verdict=verdict, rule_id=pl.lit(rule["rule_id"]))
        .group_by("dataset_id", "panel", "rule_id", "majority_label")
        .agg(
            items=n.sum(),
            divided=n.filter(pl.col("verdict")).sum(),
            unanimous=n.filter(pl.col("verdict").not_()).sum(),
            no_verdict=n.filter(pl.col("verdict").is_null()).sum(),
        )
    )
