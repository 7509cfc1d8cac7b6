"""The closed forms against counting, against drawing, and against values computed elsewhere."""

from __future__ import annotations

import itertools
import random
from collections import Counter, defaultdict
from math import comb, isclose, log

import duckdb
import numpy as np
import pytest
from conftest import Build

pytestmark = pytest.mark.slow


def patterns_of(built: Build, condition: str, most: int, seed: int = 1) -> list[tuple[int, ...]]:
    """Count patterns of the real data that meet a condition, a seeded sample."""
    with duckdb.connect(str(built.work), read_only=True) as connection:
        rows = connection.execute(
            f"select count_pattern from intermediate.int_count_patterns where {condition} order by 1"
        ).fetchall()
    found = [tuple(int(v) for v in pattern.split("-")) for (pattern,) in rows]
    return random.Random(seed).sample(found, min(most, len(found)))


def work_query(built: Build, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(built.work), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def draws(counts: tuple[int, ...], m: int) -> dict[tuple[int, ...], int]:
    """Ways to draw m of the votes, by what is drawn of each label: every one listed."""
    ways = {}
    for drawn in itertools.product(*(range(min(c, m) + 1) for c in counts)):
        if sum(drawn) == m:
            ways[drawn] = int(np.prod([comb(c, d) for c, d in zip(counts, drawn, strict=True)], dtype=object))
    return ways


def test_rarefied_rates_by_listing_every_draw(built: Build) -> None:
    checked = 0
    for counts in patterns_of(built, "votes <= 12 and labels_seen <= 5", 40):
        name = "-".join(map(str, counts))
        rows = work_query(
            built,
            "select raters, any_vote_rate, two_votes_rate from intermediate.int_pattern_rarefied"
            f" where count_pattern = '{name}'",
        )
        for raters, any_vote, two_votes in rows:
            ways = draws(counts, int(str(raters)))
            total = comb(sum(counts), int(str(raters)))
            divided = sum(w for d, w in ways.items() if sum(x > 0 for x in d) > 1)
            twice = sum(w for d, w in ways.items() if sum(x > 1 for x in d) > 1)
            assert isclose(float(str(any_vote)), divided / total, abs_tol=1e-12), (name, raters)
            assert isclose(float(str(two_votes)), twice / total, abs_tol=1e-12), (name, raters)
            checked += 1
    assert checked > 200


def test_fresh_panels_by_listing_every_pair_of_draws(built: Build) -> None:
    rows = work_query(
        built,
        "select count_pattern, raters, first_unanimous, first_one_dissent, second_divided, unanimous_then_divided,"
        " one_dissent_then_divided, one_dissent_then_again from intermediate.int_pattern_fresh where raters <= 5"
        " order by 1, 2",
    )
    small = [row for row in rows if len(str(row[0]).split("-")) <= 4]
    assert len(small) > 100
    for name, raters, *found in random.Random(2).sample(small, 60):
        counts, m = tuple(int(v) for v in str(name).split("-")), int(str(raters))
        first_ways = draws(counts, m)
        sums: defaultdict[str, float] = defaultdict(float)
        for first, ways in first_ways.items():
            chance = ways / comb(sum(counts), m)
            left = tuple(c - d for c, d in zip(counts, first, strict=True))
            unanimous_again = sum(comb(c, m) for c in left) / comb(sum(left), m)
            sums["second_divided"] += chance * (1 - unanimous_again)
            if max(first) == m:
                sums["unanimous"] += chance
                sums["unanimous_then_divided"] += chance * (1 - unanimous_again)
            if max(first) == m - 1:
                label = first.index(1)
                sums["one"] += chance
                sums["one_then_divided"] += chance * (1 - unanimous_again)
                sums["one_then_again"] += chance * (1 - comb(sum(left) - left[label], m) / comb(sum(left), m))
        expected = [
            sums["unanimous"],
            sums["one"],
            sums["second_divided"],
            sums["unanimous_then_divided"],
            sums["one_then_divided"],
            sums["one_then_again"],
        ]
        np.testing.assert_allclose([float(str(f)) for f in found], expected, atol=1e-10, err_msg=f"{name} {raters}")


def test_same_label_again_by_counting_labels(built: Build) -> None:
    """Over all items of CIFAR-10H, label by label: after a unanimous panel on k, the second holds l."""
    m = 23
    again = np.zeros((10, 10))
    unanimous, one_dissent = np.zeros(10), np.zeros((10, 10))
    names = [
        row[0] for row in built.query("select label from labels where dataset_id = 'cifar10h' order by label_order")
    ]
    items: dict[object, np.ndarray] = {}
    for item, label, votes in built.query(
        "select item_id, label, votes from vote_counts where dataset_id = 'cifar10h' and panel = 'attentive'"
    ):
        items.setdefault(item, np.zeros(10, dtype=int))[names.index(label)] = votes
    for counts in items.values():
        n = int(counts.sum())
        for k in np.flatnonzero(counts >= m - 1):
            for label in np.flatnonzero(counts):
                if label != k:
                    v = int(counts[label])
                    one_dissent[k, label] += comb(int(counts[k]), m - 1) * v / comb(n, m)
                    holds = 1 - comb(max(n - m - v, 0), m) / comb(n - m, m)
                    again[k, label] += comb(int(counts[k]), m) / comb(n, m) * holds
            unanimous[k] += comb(int(counts[k]), m) / comb(n, m)
    expected = float((one_dissent * again / unanimous[:, None]).sum() / one_dissent.sum())
    found = built.query(
        "select distinct same_label_after_unanimous from fresh_panel"
        " where dataset_id = 'cifar10h' and panel = 'attentive' and raters = 23"
    )
    assert len(found) == 1 and isclose(float(str(found[0][0])), expected, rel_tol=1e-9)


def test_rarefied_rate_is_the_rate_of_real_smaller_panels(built: Build) -> None:
    """Five of each image's votes, drawn 20 times: the share that is divided scatters around the rarefied rate."""
    items: dict[object, list[int]] = {}
    for item, label, votes in built.query(
        "select item_id, hash(label), votes from vote_counts where dataset_id = 'cifar10h' and panel = 'attentive'"
    ):
        items.setdefault(item, []).extend([int(str(label))] * int(str(votes)))
    generator = random.Random(5)
    sample = generator.sample(sorted(items, key=str), 1_000)
    rates = [np.mean([len(set(generator.sample(items[item], 5))) > 1 for item in sample]) for _ in range(20)]
    # The same thousand items by the closed form.
    expected = np.mean(
        [1 - sum(comb(c, 5) for c in Counter(items[item]).values()) / comb(len(items[item]), 5) for item in sample]
    )
    assert abs(np.mean(rates) - expected) < 4 * np.std(rates) / np.sqrt(len(rates))
    whole = built.query(
        "select divided_rate from rarefaction_curve where dataset_id = 'cifar10h' and panel = 'attentive'"
        " and raters = 5 and rule_id = 'any_vote'"
    )
    assert abs(float(str(whole[0][0])) - 0.160524) < 5e-7


REFERENCE = {
    "select krippendorff_alpha, fleiss_kappa, gwet_ac1 from agreement": {
        ("cifar10h", "attentive"): (0.915055, 0.915026, 0.915034),
        ("ferplus", "all"): (0.578592, 0.568549, 0.616796),
    },
    "select avg(normalised_entropy), avg(normalised_entropy_miller_madow), avg(normalised_entropy_zhang) from items": {
        ("cifar10h", "attentive"): (0.067081, 0.071079, 0.071544),
        ("ferplus", "all"): (0.247014, 0.278754, 0.282687),
    },
}


@pytest.mark.parametrize("sql", REFERENCE, ids=["agreement", "entropies"])
def test_reference_values(sql: str, built: Build) -> None:
    for (dataset, panel), expected in REFERENCE[sql].items():
        (found,) = built.query(f"{sql} where dataset_id = '{dataset}' and panel = '{panel}'")
        np.testing.assert_allclose([float(str(f)) for f in found], expected, atol=5.1e-7)


def test_rarefaction_reference_values(built: Build) -> None:
    expected = [
        ("cifar10h", "any_vote", 2, 0.076470, 10000),
        ("cifar10h", "any_vote", 3, 0.110628, 10000),
        ("cifar10h", "any_vote", 10, 0.247898, 10000),
        ("cifar10h", "two_votes", 5, 0.028505, 10000),
        ("cifar10h", "two_votes", 10, 0.073752, 10000),
        ("cifar10h", "two_votes", 20, 0.133703, 10000),
        ("ferplus", "any_vote", 2, 0.340057, 3573),
        ("ferplus", "any_vote", 3, 0.470374, 3573),
        ("ferplus", "any_vote", 5, 0.597568, 3569),
        ("ferplus", "two_votes", 5, 0.204299, 3569),
    ]
    for dataset, rule, raters, rate, items in expected:
        panel = "attentive" if dataset == "cifar10h" else "all"
        assert built.query(
            f"select round(divided_rate, 6), items from rarefaction_curve where dataset_id = '{dataset}'"
            f" and panel = '{panel}' and raters = {raters} and rule_id = '{rule}'"
        ) == [(rate, items)]
    # Ten votes: only 2,091 faces have them, and they are the clear ones.
    (short,) = built.query(
        "select divided_rate, items, reason from rarefaction_curve"
        " where dataset_id = 'ferplus' and raters = 10 and rule_id = 'any_vote'"
    )
    assert short[:2] == (None, 2091) and "95 %" in str(short[2])


def test_a_fixed_set_of_items_makes_the_curve_rise(built: Build) -> None:
    rows = built.query(
        "select dataset_id, panel, raters, divided_rate_fixed_items from rarefaction_curve"
        " where rule_id = 'any_vote' and divided_rate_fixed_items is not null order by 1, 2, 3"
    )
    for _, curve in itertools.groupby(rows, key=lambda row: row[:2]):
        rates = [float(str(row[3])) for row in curve]
        assert all(later >= earlier - 1e-12 for earlier, later in itertools.pairwise(rates))


def test_fresh_panel_reference_values(built: Build) -> None:
    rows = built.query(
        "select raters, first_outcome, divided_rate, round(one_dissent_ratio, 2) from fresh_panel"
        " where dataset_id = 'cifar10h' and panel = 'attentive' and raters in (5, 10, 23) order by 1, 2"
    )
    of_five = {row[1]: float(str(row[2])) for row in rows if row[0] == 5}
    # To the reference's six digits, the last of which is cut off rather than rounded in one of them.
    assert isclose(of_five["unanimous"], 0.104053, abs_tol=1e-6)
    assert isclose(of_five["one_dissent"], 0.351394, abs_tol=1e-6)
    assert isclose(of_five["two_or_more"], 0.723156, abs_tol=1e-6)
    assert {row[3] for row in rows if row[0] == 5} == {3.38}
    assert {row[3] for row in rows if row[0] == 10} == {2.42}
    assert {row[3] for row in rows if row[0] == 23} == {1.70}
    assert built.query(
        "select distinct round(same_label_again, 3), round(same_label_after_unanimous, 3) from fresh_panel"
        " where dataset_id = 'cifar10h' and panel = 'attentive' and raters = 23"
    ) == [(0.214, 0.083)]
    assert {row[0] for row in built.query("select divided_rate from fresh_panel where dataset_id = 'ferplus'")} == {
        None
    }


def test_lapse_model_reference_values(built: Build) -> None:
    rows = built.query(
        "select lapse_id, rule_id, round(expected_pct_low, 2), round(expected_pct_high, 2), items_beyond_lapse,"
        " round(100 * max_lapse_rate, 2), reason from lapse_model"
        " where dataset_id = 'cifar10h' and panel = 'attentive'"
    )
    by_rate = {(row[0], row[1]): row[2:] for row in rows}
    assert by_rate["one_pct", "any_vote"][:4] == (40.16, 40.16, 1719, 1.60)
    assert [round(float(str(v)), 1) for v in by_rate["one_pct", "two_votes"][:2]] == [1.4, 9.3]
    assert by_rate["half_pct", "any_vote"][2] == 2234 and by_rate["five_pct", "any_vote"][2] == 854
    assert "impossible" in str(by_rate["five_pct", "any_vote"][4])
    assert built.query(
        "select round(expected_pct_low / 100, 4) from lapse_model"
        " where dataset_id = 'ferplus' and rule_id = 'any_vote' and lapse_id = 'one_pct'"
    ) == [(0.0904,)]


def test_lapses_alone_explain_the_share_at_the_largest_rate(built: Build) -> None:
    (found,) = built.query(
        "select max(max_lapse_rate), max(divided_pct) from lapse_model"
        " where dataset_id = 'cifar10h' and panel = 'attentive' and rule_id = 'any_vote'"
    )
    votes = np.array(built.query("select votes from items where dataset_id = 'cifar10h' and panel = 'attentive'"))
    assert isclose(100 * float((1 - (1 - float(str(found[0]))) ** votes).mean()), float(str(found[1])), rel_tol=1e-9)


def test_the_lapse_model_is_unbiased_on_planted_lapses(built: Build) -> None:
    """Clear items whose votes slip at 2 %: the share that is divided scatters around what the model expects."""
    generator = np.random.default_rng(7)
    votes = np.array(built.query("select votes from items where dataset_id = 'demo' and panel = 'all'")).ravel()
    shares = [(generator.binomial(votes, 0.02) > 0).mean() for _ in range(400)]
    (expected,) = built.query(
        "select expected_pct_low / 100 from lapse_model"
        " where dataset_id = 'demo' and panel = 'all' and rule_id = 'any_vote' and lapse_id = 'two_pct'"
    )
    assert abs(np.mean(shares) - float(str(expected[0]))) < 4 * np.std(shares) / np.sqrt(len(shares))


def test_random_removal_reference_value(built: Build) -> None:
    rows = built.query(
        "select rule_id, observed_unanimous, round(expected_unanimous, 0) from random_removal"
        " where dataset_id = 'cifar10h' order by 1"
    )
    assert rows[0] == ("any_vote", 828, 23.0)


def test_equal_footing_leads_with_pairwise_disagreement(built: Build) -> None:
    rows = built.query(
        "select measure, raters, round(value, 4), round(other_value, 4), other_items from equal_footing"
        " where dataset_id = 'cifar10h' and other_dataset_id = 'ferplus' and panel = 'attentive'"
        " and (is_lead or (measure = 'any_vote' and raters = 5)) order by is_lead desc"
    )
    assert rows == [("pairwise_disagreement", 2, 0.0765, 0.3401, 3573), ("any_vote", 5, 0.1605, 0.5976, 3569)]
    # At ten votes only with all ten columns, where the reference counts one face less.
    ((ten, faces),) = built.query(
        "select other_value, other_items from equal_footing where other_dataset_id = 'ferplus_ten_columns'"
        " and dataset_id = 'cifar10h' and measure = 'any_vote' and raters = 10"
    )
    assert isclose(float(str(ten)), 0.775, abs_tol=1e-3) and int(str(faces)) >= 3_573


def test_jackknife_intervals_of_alpha_by_leaving_out_each_item(built: Build) -> None:
    """On the demo's 400 items: alpha without each item, computed from scratch."""
    counts: dict[object, Counter[object]] = {}
    for item, label, votes in built.query(
        "select item_id, label, votes from vote_counts where dataset_id = 'demo' and panel = 'attentive'"
    ):
        counts.setdefault(item, Counter())[label] = int(str(votes))

    def alpha(kept: list[Counter[object]]) -> float:
        used = [c for c in kept if c.total() >= 2]
        total = sum(c.total() for c in used)
        observed = sum((c.total() ** 2 - sum(v * v for v in c.values())) / (c.total() - 1) for c in used)
        labels: Counter[object] = Counter()
        for c in used:
            labels.update(c)
        return 1 - (total - 1) * observed / (total**2 - sum(v * v for v in labels.values()))

    every = list(counts.values())
    without = np.array([alpha(every[:i] + every[i + 1 :]) for i in range(len(every))])
    error = np.sqrt((len(every) - 1) / len(every) * ((without - without.mean()) ** 2).sum())
    (found,) = built.query(
        "select krippendorff_alpha, krippendorff_alpha_low, krippendorff_alpha_high from agreement"
        " where dataset_id = 'demo' and panel = 'attentive'"
    )
    expected = [alpha(every), alpha(every) - 1.959963984540054 * error, alpha(every) + 1.959963984540054 * error]
    np.testing.assert_allclose([float(str(f)) for f in found], expected, rtol=1e-9)


def test_zhang_entropy_by_its_definition(built: Build) -> None:
    harmonic = [0.0, *itertools.accumulate(1 / n for n in range(1, 70))]
    for counts in patterns_of(built, "votes >= 2", 50, seed=3):
        n = sum(counts)
        expected = sum(v / n * (harmonic[n - 1] - harmonic[v - 1]) for v in counts)
        plug_in = -sum(v / n * log(v / n) for v in counts)
        name = "-".join(map(str, counts))
        ((miller_madow, zhang),) = work_query(
            built,
            "select miller_madow_nats, zhang_nats from intermediate.int_pattern_entropies"
            f" where count_pattern = '{name}'",
        )
        assert isclose(float(str(zhang)), expected, abs_tol=1e-12)
        assert isclose(float(str(miller_madow)), plug_in + (len(counts) - 1) / (2 * n), abs_tol=1e-12)
