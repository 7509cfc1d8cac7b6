"""The demo generator: its bytes are the declared ones, and the planted truth is in the file."""

import csv
import hashlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from scripts import demo
from scripts.landing.declared import read_declared


@dataclass(frozen=True)
class Generated:
    path: Path
    truth: demo.Truth
    rows: list[dict[str, str]]

    def votes(self, annotators: set[int]) -> dict[int, Counter[int]]:
        """Votes by item and label of these annotators, counted without any of the project's SQL."""
        counts = {item: Counter[int]() for item in range(demo.ITEMS)}
        for row in self.rows:
            if row["is_attn_check"] == "0" and int(row["annotator_id"]) in annotators:
                counts[int(row["cifar10_test_test_idx"])][int(row["chosen_label"])] += 1
        return counts

    @property
    def attentive(self) -> set[int]:
        return set(range(demo.ANNOTATORS)) - self.truth.inattentive


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    path = tmp_path_factory.mktemp("demo") / "demo-raw.csv"
    truth = demo.generate(path)
    with path.open(encoding="utf-8", newline="") as handle:
        return Generated(path, truth, list(csv.DictReader(handle)))


def test_the_bytes_are_the_declared_ones(generated: Generated) -> None:
    declared = next(source for source in read_declared() if source.file_name == "demo-raw.csv")
    written = generated.path.read_bytes()
    assert len(written) == declared.bytes
    assert hashlib.sha256(written).hexdigest() == declared.sha256


def test_another_seed_gives_another_file_and_leaves_no_temporary_one(generated: Generated, tmp_path: Path) -> None:
    path = tmp_path / "folder" / "other.csv"
    assert demo.generate(path, seed=1) != generated.truth
    assert path.read_bytes() != generated.path.read_bytes()
    assert [found.name for found in path.parent.iterdir()] == ["other.csv"]


def test_truth_is_told_without_writing(generated: Generated) -> None:
    assert demo.truth() == generated.truth


def test_the_command_line_writes_where_it_is_told(
    generated: Generated, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert demo.main(["--out", str(tmp_path / "x.csv")]) == 0
    assert (tmp_path / "x.csv").read_bytes() == generated.path.read_bytes()
    assert "400 items, 100 annotators, 20000 votes" in capsys.readouterr().out


def test_the_shape_is_that_of_cifar10h_raw(generated: Generated) -> None:
    assert len(generated.rows) == 21_000
    by_annotator = Counter(row["annotator_id"] for row in generated.rows)
    checks = Counter(row["annotator_id"] for row in generated.rows if row["is_attn_check"] == "1")
    assert set(by_annotator.values()) == {210} and set(checks.values()) == {10} and len(by_annotator) == 100
    for row in generated.rows:
        assert (row["is_attn_check"] == "1") == (row["cifar10_test_test_idx"] == "-99999")
        assert row["true_category"] == demo.LABELS[int(row["true_label"])]
        assert row["chosen_category"] == demo.LABELS[int(row["chosen_label"])]
        assert row["correct_guess"] == str(int(row["true_label"] == row["chosen_label"]))
    assert sum(int(row["reaction_time"]) < 0 for row in generated.rows) == 3
    trials = [int(row["trial_index"]) for row in generated.rows if row["annotator_id"] == "0"]
    assert trials == list(range(210))


def test_no_annotator_sees_an_item_twice_and_items_have_about_50_votes(generated: Generated) -> None:
    normal = [row for row in generated.rows if row["is_attn_check"] == "0"]
    assert len({(row["annotator_id"], row["cifar10_test_test_idx"]) for row in normal}) == len(normal)
    votes = Counter(int(row["cifar10_test_test_idx"]) for row in normal)
    assert set(votes) == set(range(400))
    assert min(votes.values()) >= 30 and max(votes.values()) <= 70


def test_attention_checks_are_spread_over_the_session(generated: Generated) -> None:
    positions = Counter(int(row["trial_index"]) // 70 for row in generated.rows if row["is_attn_check"] == "1")
    assert min(positions.values()) > 250  # of 1000; a third each is expected


def test_inattentive_annotators_fail_the_checks_and_the_others_pass(generated: Generated) -> None:
    passed: Counter[int] = Counter()
    for row in generated.rows:
        passed[int(row["annotator_id"])] += row["is_attn_check"] == "1" and row["correct_guess"] == "1"
    assert len(generated.truth.inattentive) == 12
    assert max(passed[annotator] for annotator in generated.truth.inattentive) <= 6
    assert min(passed[annotator] for annotator in generated.attentive) == 8  # exactly at the edge of 80 %


def test_inattentive_annotators_mostly_guess(generated: Generated) -> None:
    right, votes = Counter[int](), Counter[int]()
    for row in generated.rows:
        if row["is_attn_check"] == "0":
            votes[int(row["annotator_id"])] += 1
            right[int(row["annotator_id"])] += row["correct_guess"] == "1"
    assert max(right[a] / votes[a] for a in generated.truth.inattentive) < 0.5
    assert min(right[a] / votes[a] for a in generated.attentive) > 0.85


def test_ambiguous_items_have_two_plausible_labels(generated: Generated) -> None:
    truth = generated.truth
    votes = generated.votes(generated.attentive)
    assert len(truth.second_label) == 40
    for item, second in truth.second_label.items():
        assert second != truth.true_label[item] and 0.25 <= truth.second_share[item] <= 0.5
        total = votes[item].total()
        assert votes[item][second] / total >= 0.15
        assert votes[item][truth.true_label[item]] / total >= 0.3
        assert (votes[item][second] + votes[item][truth.true_label[item]]) / total > 0.85


def test_clear_items_get_lapses_only(generated: Generated) -> None:
    truth = generated.truth
    clear = set(range(demo.ITEMS)) - set(truth.second_label)
    counts = generated.votes(generated.attentive)
    votes = sum(counts[item].total() for item in clear)
    wrong = sum(counts[item].total() - counts[item][truth.true_label[item]] for item in clear)
    assert truth.lapse_rate == 0.01
    assert 0.007 < wrong / votes < 0.013
    assert all(counts[item][truth.true_label[item]] / counts[item].total() > 0.85 for item in clear)


def test_labels_are_balanced(generated: Generated) -> None:
    assert set(Counter(generated.truth.true_label).values()) == {40}
