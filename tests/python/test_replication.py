"""The figures again from the raw files with numpy, independent of landing and of the SQL."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from conftest import PROJECT, Build

pytestmark = pytest.mark.slow

Counts = np.ndarray  # items x labels, votes


@pytest.fixture(scope="session")
def cifar10h(mirror: Path) -> dict[str, Counts]:
    """Counts of the three panels, 10,000 x 10, from the CSV inside the zip."""
    with zipfile.ZipFile(next(mirror.rglob("cifar10h-raw.zip"))) as archive:
        text = archive.read("cifar10h-raw.csv").decode()
    trials = list(csv.DictReader(io.StringIO(text)))
    passed: dict[str, list[int]] = {}
    for trial in trials:
        if trial["is_attn_check"] == "1":
            passed.setdefault(trial["annotator_id"], []).append(int(trial["correct_guess"]))
    attentive = {annotator for annotator, checks in passed.items() if sum(checks) * 5 >= len(checks) * 4}
    panels = {name: np.zeros((10_000, 10), dtype=int) for name in ("all", "attentive", "dropped")}
    for trial in trials:
        if trial["is_attn_check"] == "0":
            cell = int(trial["cifar10_test_test_idx"]), int(trial["chosen_label"])
            panels["all"][cell] += 1
            panels["attentive" if trial["annotator_id"] in attentive else "dropped"][cell] += 1
    return panels


@pytest.fixture(scope="session")
def ferplus(mirror: Path) -> dict[str, Counts]:
    """Counts of the eight emotions on rows with an image name, by split; and PrivateTest with all ten columns."""
    splits = {"PrivateTest": "ferplus", "PublicTest": "ferplus_public_test", "Training": "ferplus_training"}
    rows: dict[str, list[list[int]]] = {name: [] for name in [*splits.values(), "ferplus_ten_columns"]}
    with next(mirror.rglob("fer2013new.csv")).open(newline="") as handle:
        reader = csv.reader(handle)
        next(reader)
        for usage, name, *votes in reader:
            if name:
                rows[splits[usage]].append([int(v) for v in votes[:8]])
                if usage == "PrivateTest":
                    rows["ferplus_ten_columns"].append([int(v) for v in votes])
    return {name: np.array(counts) for name, counts in rows.items()}


@pytest.fixture(scope="session")
def counts(cifar10h: dict[str, Counts], ferplus: dict[str, Counts]) -> dict[tuple[str, str], Counts]:
    return {("cifar10h", panel): array for panel, array in cifar10h.items()} | {
        (dataset, "all"): array for dataset, array in ferplus.items()
    }


def verdicts(counts: Counts, rule: dict[str, str]) -> np.ndarray:
    """1 divided, 0 not, -1 no verdict, one an item; in the article's label form, not by ranks as the SQL does."""
    if rule["drop_single_votes"] == "true":
        counts = np.where(counts == 1, 0, counts)
    total = counts.sum(axis=1, keepdims=True)
    votes, pct = int(rule["min_votes"]), int(rule["min_share_pct"])
    if rule["basis"] == "off_top":
        off = total - counts.max(axis=1, keepdims=True)
        divided = ((off >= votes) & (100 * off >= pct * total)).any(axis=1)
    else:
        divided = ((counts >= votes) & (100 * counts >= pct * total) & (counts > 0)).sum(axis=1) >= 2
    return np.where(total[:, 0] == 0, -1, divided.astype(int))


def test_every_sweep_cell(built: Build, counts: dict[tuple[str, str], Counts]) -> None:
    with (PROJECT / "seeds" / "thresholds.csv").open(newline="") as handle:
        rules = list(csv.DictReader(handle))
    expected = set()
    for (dataset, panel), array in counts.items():
        voted = array[array.sum(axis=1) > 0]
        for rule in rules:
            verdict = verdicts(voted, rule)
            expected.add(
                (
                    dataset,
                    panel,
                    rule["rule_id"],
                    len(voted),
                    int((verdict == 1).sum()),
                    int((verdict == 0).sum()),
                    int((verdict == -1).sum()),
                    len(array) - len(voted),
                )
            )
    found = built.query(
        "select dataset_id, panel, rule_id, items, divided, unanimous, no_verdict, items_without_votes"
        " from threshold_sweep where dataset_id != 'demo'"
    )
    assert set(found) == expected
    assert len(found) == len(expected) == len(counts) * len(rules)


def test_every_sweep_cell_by_label(built: Build, counts: dict[tuple[str, str], Counts]) -> None:
    labels: dict[str, list[str]] = {}
    with (PROJECT / "seeds" / "labels.csv").open(newline="") as handle:
        for row in csv.DictReader(handle):
            labels.setdefault(row["dataset_id"], []).append(row["label"])
    with (PROJECT / "seeds" / "thresholds.csv").open(newline="") as handle:
        rules = list(csv.DictReader(handle))
    expected = set()
    for (dataset, panel), array in counts.items():
        voted = array[array.sum(axis=1) > 0]
        majority = voted.argmax(axis=1)  # the first of equals, as the article counts
        for rule in rules:
            verdict = verdicts(voted, rule)
            for index in np.unique(majority):
                of_label = verdict[majority == index]
                expected.add(
                    (dataset, panel, rule["rule_id"], labels[dataset][index], len(of_label), int((of_label == 1).sum()))
                )
    found = built.query(
        "select dataset_id, panel, rule_id, majority_label, items, divided"
        " from threshold_sweep_by_label where dataset_id != 'demo'"
    )
    assert set(found) == expected


def test_entropy_and_pairwise_disagreement_of_every_item(built: Build, counts: dict[tuple[str, str], Counts]) -> None:
    for (dataset, panel), array in counts.items():
        voted = array[array.sum(axis=1) > 0]
        total = voted.sum(axis=1)
        share = voted / total[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            entropy = -np.where(share > 0, share * np.log(share), 0).sum(axis=1) / np.log(array.shape[1])
            pairwise = 1 - (voted * (voted - 1)).sum(axis=1) / (total * (total - 1))
        rows = built.query(
            "select normalised_entropy, coalesce(pairwise_disagreement, 'nan'::double) from items"
            f" where dataset_id = '{dataset}' and panel = '{panel}' and votes > 0"
        )
        found = np.array(rows, dtype=float)
        # Items are compared as a sorted whole: ids differ between the file and the table by design.
        np.testing.assert_allclose(np.sort(found[:, 0]), np.sort(entropy), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(np.sort(found[:, 1]), np.sort(pairwise), rtol=1e-12, atol=1e-12)


def test_cifar_items_by_index(built: Build, cifar10h: dict[str, Counts]) -> None:
    for panel, array in cifar10h.items():
        found = np.zeros_like(array)
        names = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
        for item, label, votes in built.query(
            f"select item_id, label, votes from vote_counts where dataset_id = 'cifar10h' and panel = '{panel}'"
        ):
            found[int(str(item)), names.index(str(label))] = votes
        assert (found == array).all()


def test_reference_values(built: Build) -> None:
    """The means that the literature's formulas give on these files, to six digits."""
    rows = built.query(
        "select dataset_id, round(mean_normalised_entropy, 6), round(mean_pairwise_disagreement, 6)"
        " from panels where (dataset_id, panel) in (('cifar10h', 'attentive'), ('ferplus', 'all')) order by 1"
    )
    assert rows == [("cifar10h", 0.067081, 0.07647), ("ferplus", 0.247014, 0.340057)]


def test_every_figure_of_the_votes_replicates(built: Build) -> None:
    rows = built.query("select verdict, count(*) from replication where kind = 'votes' group by verdict")
    assert rows == [("replicated", 56)]
    assert built.query("select verdict, round(observed, 1) from replication where kind = 'claim'") == [
        ("differs", 48.2)
    ]


def test_unverified_votes_say_so_wherever_a_number_shows(built: Build) -> None:
    tables = [
        str(row[0])
        for row in built.query("select distinct table_name from duckdb_columns() where column_name = 'provenance'")
    ]
    assert {"threshold_sweep", "threshold_sweep_by_label", "panels", "replication", "annotator_attention"} <= set(
        tables
    )
    about_data_sets = {
        str(row[0]) for row in built.query("select table_name from duckdb_columns() where column_name = 'dataset_id'")
    }
    for table in about_data_sets.intersection(tables):
        found = built.query(f"select distinct provenance from {table} where dataset_id = 'cifar10h'")
        assert found in ([("unverified",)], []), table
    assert "unverified" in built.run("python", "-m", "scripts.summary").stdout
