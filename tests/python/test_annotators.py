"""Annotators, the attention sweep and label confusion again from the raw files, by brute force with numpy."""

from __future__ import annotations

import csv
import io
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import PROJECT, Build
from test_replication import verdicts

from scripts import demo

pytestmark = pytest.mark.slow

NO_VOTE = -1


@dataclass(frozen=True)
class Raw:
    """A file of trials: who chose which label for which item, and how many checks each annotator passed.

    Annotators, items and labels are numbers here, their positions in the lists of names and in the file.
    """

    labels: list[str]
    annotators: list[str]
    votes: pd.DataFrame  # annotator, item, label, reaction_time
    passed: np.ndarray
    checks: np.ndarray

    @property
    def table(self) -> np.ndarray:
        """Items x annotators, the label chosen or NO_VOTE."""
        table = np.full((int(self.votes["item"].max()) + 1, len(self.annotators)), NO_VOTE, dtype=np.int8)
        table[self.votes["item"], self.votes["annotator"]] = self.votes["label"]
        return table

    def counts(self, kept: np.ndarray) -> np.ndarray:
        """Items x labels, the votes of the annotators kept."""
        counts = np.zeros((int(self.votes["item"].max()) + 1, len(self.labels)), dtype=int)
        votes = self.votes[kept[self.votes["annotator"]]]
        np.add.at(counts, (votes["item"], votes["label"]), 1)
        return counts


@pytest.fixture(scope="session", params=["cifar10h", "demo"])
def dataset(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def raw(dataset: str, mirror: Path, built: Build) -> Raw:
    if dataset == "demo":
        text = (built.folder / "raw" / "demo-raw.csv").read_text()
    else:
        with zipfile.ZipFile(next(mirror.rglob("cifar10h-raw.zip"))) as archive:
            text = archive.read("cifar10h-raw.csv").decode()
    trials = pd.read_csv(io.StringIO(text))
    names = trials["annotator_id"].unique()
    position = pd.Series(np.arange(len(names)), index=names)
    checks = trials[trials["is_attn_check"] == 1]
    by_annotator = checks.groupby("annotator_id")["correct_guess"]
    votes = trials[trials["is_attn_check"] == 0]
    assert not votes.duplicated(["annotator_id", "cifar10_test_test_idx"]).any()
    with (PROJECT / "seeds" / "labels.csv").open(newline="") as handle:
        labels = [row["label"] for row in csv.DictReader(handle) if row["dataset_id"] == dataset]
    return Raw(
        labels,
        [str(name) for name in names],
        pd.DataFrame(
            {
                "annotator": position[votes["annotator_id"]].to_numpy(),
                "item": votes["cifar10_test_test_idx"].to_numpy(),
                "label": votes["chosen_label"].to_numpy(),
                "reaction_time": votes["reaction_time"].to_numpy(),
            }
        ),
        by_annotator.sum().reindex(names, fill_value=0).to_numpy(),
        by_annotator.count().reindex(names, fill_value=0).to_numpy(),
    )


def test_every_annotator(built: Build, raw: Raw, dataset: str) -> None:
    found = {
        str(annotator): figures
        for annotator, *figures in built.query(
            "select annotator_id, leave_one_out_agreement, votes_with_others, dissents, sole_dissents,"
            " items_turned_unanimous, most_used_label, most_used_label_share, p10_reaction_time_ms,"
            f" p90_reaction_time_ms from annotators where dataset_id = '{dataset}'"
        )
    }
    assert found.keys() == set(raw.annotators)
    table, counts = raw.table, raw.counts(np.ones(len(raw.annotators), dtype=bool))
    majority = counts.argmax(axis=1)
    times = dict(list(raw.votes.groupby("annotator")["reaction_time"]))
    for number, name in enumerate(raw.annotators):
        items = np.flatnonzero(table[:, number] != NO_VOTE)
        own = table[items, number]
        others = table[items]
        others[:, number] = NO_VOTE
        by_label = np.array([(others == label).sum(axis=1) for label in range(len(raw.labels))])
        agreement = (by_label[own, np.arange(len(items))] / by_label.sum(axis=0)).mean()
        seen_before = (counts[items] > 0).sum(axis=1)
        seen_after = (by_label > 0).sum(axis=0)
        is_dissent = own != majority[items]
        is_only_dissent = counts[items].sum(axis=1) - counts[items].max(axis=1) == 1
        label_votes = np.bincount(own, minlength=len(raw.labels))
        positive = times[number][times[number] > 0]
        expected = [
            len(items),
            int(is_dissent.sum()),
            int((is_dissent & is_only_dissent).sum()),
            int(((seen_before > 1) & (seen_after == 1)).sum()),
            raw.labels[label_votes.argmax()],
        ]
        assert found[name][1:6] == expected, name
        assert [found[name][0], *found[name][6:]] == pytest.approx(
            [agreement, label_votes.max() / len(items), *np.percentile(positive, [10, 90])], rel=1e-9
        ), name


def test_every_step_of_the_attention_sweep(built: Build, raw: Raw, dataset: str) -> None:
    with (PROJECT / "seeds" / "thresholds.csv").open(newline="") as handle:
        rules = list(csv.DictReader(handle))
    expected = set()
    for pass_pct in range(0, 101, 5):
        kept = 100 * raw.passed >= pass_pct * raw.checks
        counts = raw.counts(kept)
        voted = counts[counts.sum(axis=1) > 0]
        for rule in rules:
            verdict = verdicts(voted, rule)
            expected.add(
                (
                    pass_pct,
                    rule["rule_id"],
                    int(kept.sum()),
                    int(counts.sum()),
                    len(voted),
                    int((verdict == 1).sum()),
                    int((verdict == 0).sum()),
                    int((verdict == -1).sum()),
                )
            )
    found = built.query(
        "select pass_pct, rule_id, annotators, votes, items, divided, unanimous, no_verdict"
        f" from attention_threshold_sweep where dataset_id = '{dataset}'"
    )
    assert set(found) == expected
    assert len(found) == 21 * len(rules)


def test_every_pair_of_labels(built: Build, raw: Raw, dataset: str) -> None:
    attentive = 100 * raw.passed >= 80 * raw.checks
    expected = set()
    for panel, kept in (("all", attentive | True), ("attentive", attentive), ("dropped", ~attentive)):
        counts = raw.counts(kept)
        counts = counts[counts.sum(axis=1) > 0]
        total, majority = counts.sum(axis=1), counts.argmax(axis=1)
        for top, label in enumerate(raw.labels):
            for other, other_label in enumerate(raw.labels):
                votes = counts[majority == top, other]
                if other != top and votes.sum():
                    of = total[majority == top]
                    expected.add(
                        (
                            panel,
                            label,
                            other_label,
                            int((majority == top).sum()),
                            int(votes.sum()),
                            int((votes > 0).sum()),
                            int((100 * votes >= 10 * of).sum()),
                            int((100 * votes >= 30 * of).sum()),
                        )
                    )
    found = built.query(
        "select panel, majority_label, other_label, items_of_majority, votes, items, items_share_10, items_share_30"
        f" from label_confusion where dataset_id = '{dataset}'"
    )
    assert set(found) == expected
    assert len(found) == len(expected)


def test_the_planted_inattentive_agree_least(built: Build) -> None:
    planted = demo.truth().inattentive
    ranked = [
        int(str(annotator))
        for (annotator,) in built.query(
            "select annotator_id from annotators where dataset_id = 'demo' order by leave_one_out_agreement"
        )
    ]
    assert set(ranked[: len(planted)]) == planted


def test_figures_from_the_reconstruction_carry_the_note(built: Build) -> None:
    notes = built.query("select distinct provenance, note from annotators where dataset_id = 'cifar10h'")
    assert notes == [
        (
            "unverified",
            "the vote file is not the declared one: figures about a single annotator are no finding",
        )
    ]
