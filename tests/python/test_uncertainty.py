"""Chances, ceilings, judges and the review queue against scipy, numpy and planted truth."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import pytest
from conftest import PROJECT, Build
from scipy import stats

Array = np.ndarray


def table(build: Build, query: str) -> dict[str, Array]:
    """Columns of a query on the work database, where the intermediate tables are."""
    with duckdb.connect(str(build.work), read_only=True) as connection:
        return dict(connection.execute(query).fetchnumpy())


def label_counts(build: Build, dataset: str, panel: str) -> tuple[Array, Array]:
    """Item ids and their counts, items x labels in the data set's label order."""
    rows = table(
        build,
        "select item_id, label_order, votes from marts.vote_counts join intermediate.int_labels"
        f" using (dataset_id, label) where dataset_id = '{dataset}' and panel = '{panel}'",
    )
    items, index = np.unique(rows["item_id"].astype(str), return_inverse=True)
    counts = np.zeros((len(items), int(rows["label_order"].max())), dtype=int)
    counts[index, rows["label_order"] - 1] = rows["votes"]
    return items, counts


def entropy(counts: Array) -> Array:
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    terms = np.where(share > 0, share * np.log(np.where(share > 0, share, 1)), 0)
    return np.asarray(np.round(-terms.sum(axis=1), 12))


def moments(votes: Array, hits: Array) -> tuple[float, float]:
    votes, hits = votes[votes >= 2], hits[votes >= 2]
    mean, pair = (hits / votes).mean(), (hits * (hits - 1) / (votes * (votes - 1))).mean()
    strength = (mean - pair) / (pair - mean**2)
    return float(mean * strength), float((1 - mean) * strength)


def is_divided(counts: Array, rule: tuple[str, int, int]) -> Array:
    basis, min_votes, min_share = rule
    total, ordered = counts.sum(axis=1), np.sort(counts, axis=1)
    other = total - ordered[:, -1] if basis == "off_top" else ordered[:, -2]
    return np.asarray((other >= min_votes) & (100 * other >= min_share * total))


RULES = {
    "any_vote": ("second_label", 1, 0),
    "two_votes": ("second_label", 2, 0),
    "three_votes": ("second_label", 3, 0),
    "share_10": ("second_label", 1, 10),
    "share_20": ("second_label", 1, 20),
    "off_top_two_votes": ("off_top", 2, 0),
    "off_top_share_10": ("off_top", 1, 10),
    "off_top_share_30": ("off_top", 1, 30),
}

# The models' own SQL on tables made by hand


@dataclass(frozen=True)
class Models:
    """Compiled models, run one by one in a DuckDB in memory."""

    folder: Path

    def run(self, connection: duckdb.DuckDBPyConnection, *names: str) -> None:
        for name in names:
            (path,) = (path for path in self.folder.rglob(f"{name}.sql") if path.parent.suffix != ".yml")
            schema = "intermediate" if name.startswith("int_") else "marts"
            connection.execute(f"create or replace table work.{schema}.{name} as {path.read_text(encoding='utf-8')}")


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Models:
    build = Build(tmp_path_factory.mktemp("compiled"))
    names = "int_count_patterns int_off_top_chance int_item_states int_share_priors int_last_votes int_next_votes"
    compiled = build.dbt("compile", "--select", *names.split(), "int_review_chance", "review_queue_cost")
    assert compiled.returncode == 0, compiled.stdout + compiled.stderr
    return Models(build.folder / "target" / "compiled" / "dissent" / "models")


def loaded(models: Models, counts: Array) -> duckdb.DuckDBPyConnection:
    """A database in memory with the count patterns of the counts as data set a, panel all."""
    patterns = ["-".join(str(v) for v in sorted(row[row > 0], reverse=True)) for row in counts]
    connection = duckdb.connect()
    connection.execute("attach ':memory:' as work; create schema work.intermediate; create schema work.marts")
    thresholds = str(PROJECT / "seeds" / "thresholds.csv")
    connection.execute(f"create table work.marts.thresholds as from read_csv('{thresholds}')")
    connection.execute("create table work.marts.dataset_provenance as select 'a' as dataset_id, '' as provenance")
    connection.execute(
        "create table work.intermediate.int_half_patterns as select 'a' as dataset_id, 'all' as panel,"
        " 0 as first_votes, 0 as first_off_top, 0 as items where false"
    )
    connection.execute(
        "create table work.intermediate.int_item_patterns as"
        " select 'a' as dataset_id, 'all' as panel, 'x' as majority_label, unnest(?) as count_pattern",
        [patterns],
    )
    connection.execute(
        "create table work.intermediate.int_pattern_items as select *, count(*) as items"
        " from work.intermediate.int_item_patterns group by all"
    )
    models.run(connection, "int_count_patterns", "int_item_states", "int_share_priors")
    return connection


def votes_on(random: np.random.Generator, chances: Array, votes: Array) -> Array:
    return np.stack([random.multinomial(n, p) for n, p in zip(votes, chances, strict=True)])


def planted_chances(random: np.random.Generator, off_top: Array, labels: int = 12) -> Array:
    """Chances of each label: the first is the true one, the others share `off_top` unequally."""
    split = random.dirichlet(np.ones(labels - 1) * 3, size=len(off_top))
    return np.column_stack([1 - off_top, off_top[:, None] * split])


@pytest.mark.parametrize(("a", "b"), [(0.02, 0.3), (0.228, 4.78), (1.0, 1.0), (4.0, 2.5), (60.0, 500.0)])
def test_beta_tail_over_all_votes_to_200(models: Models, a: float, b: float) -> None:
    with duckdb.connect() as connection:
        connection.execute("attach ':memory:' as work; create schema work.intermediate; create schema work.marts")
        connection.execute(
            "create table work.marts.thresholds as select unnest([1, 5, 10, 20, 30, 40, 99]) as min_share_pct;"
            "create table work.intermediate.int_share_priors as select 'a' as dataset_id, 'all' as panel,"
            f" 'all' as votes_used, 'off_top' as basis, {a}::double as prior_a, {b}::double as prior_b, '' as reason;"
            "create table work.intermediate.int_item_states as select 'a' as dataset_id, 'all' as panel, n as votes,"
            " n - d as majority_votes from (select unnest([2, 3, 10, 51, 200]) as n), range(200) as r(d) where d < n"
        )
        models.run(connection, "int_off_top_chance")
        rows = connection.execute(
            "select votes, dissenting_votes, share_pct, chance from work.intermediate.int_off_top_chance"
        ).fetchnumpy()
    assert len(rows["chance"]) == 266 * 7
    expected = stats.beta.sf(
        rows["share_pct"] / 100, a + rows["dissenting_votes"], b + rows["votes"] - rows["dissenting_votes"]
    )
    np.testing.assert_allclose(rows["chance"], expected, rtol=1e-9, atol=1e-13)


def test_off_top_chance_is_calibrated_on_planted_truth(models: Models) -> None:
    """Shares drawn from a beta: of the items given a chance of c, a share of c is truly above the line."""
    random = np.random.default_rng(20)
    truth = random.beta(0.6, 6, size=30_000)
    votes = random.integers(8, 40, size=len(truth))
    counts = votes_on(random, planted_chances(random, truth), votes)
    with loaded(models, counts) as connection:
        models.run(connection, "int_off_top_chance")
        a, b = (
            connection.execute(
                "select prior_a, prior_b from work.intermediate.int_share_priors"
                " where votes_used = 'all' and basis = 'off_top'"
            )
            .fetchnumpy()
            .values()
        )
        chances = {
            (n, d, share): chance
            for n, d, share, chance in connection.execute(
                "select votes, dissenting_votes, share_pct, chance from work.intermediate.int_off_top_chance"
            ).fetchall()
        }
    assert a[0] == pytest.approx(0.6, rel=0.05) and b[0] == pytest.approx(6, rel=0.05)
    dissenting = votes - counts.max(axis=1)
    for share in (5, 10, 20):
        chance = np.array([chances[n, d, share] for n, d in zip(votes, dissenting, strict=True)])
        above = truth >= share / 100
        bins = np.digitize(chance, [0.02, 0.1, 0.3, 0.5, 0.7, 0.9])
        filled = [number for number in range(7) if (bins == number).sum() > 300]
        assert len(filled) >= 5
        for number in filled:
            inside = bins == number
            assert abs(chance[inside].mean() - above[inside].mean()) < 0.03, (share, number)


def expected_changes(models: Models, counts: Array) -> dict[tuple[str, int], tuple[float, float]]:
    """By rule and number of more votes: items expected to become divided, and unanimous."""
    with loaded(models, counts) as connection:
        models.run(connection, "int_last_votes", "int_next_votes", "int_review_chance", "review_queue_cost")
        return {
            (rule, more): (divided, unanimous)
            for rule, more, divided, unanimous in connection.execute(
                "select rule_id, more_votes, expected_to_divided, expected_to_unanimous"
                " from work.marts.review_queue_cost where asked_pct = 100"
            ).fetchall()
        }


def test_expected_changes_meet_planted_truth(models: Models) -> None:
    """Clear items with stray votes and items with a contested second label; more votes are drawn from the truth."""
    random = np.random.default_rng(7)
    stray = planted_chances(random, random.gamma(1.0, 0.012, size=6000).clip(0, 0.2), labels=10)
    contested = planted_chances(random, np.full(2000, 0.02), labels=10)
    second = random.uniform(0.05, 0.45, size=2000)
    contested *= (1 - second)[:, None]
    contested[:, 1] += second
    chances = np.vstack([stray, contested])
    counts = votes_on(random, chances, np.full(len(chances), 30))
    expected = expected_changes(models, counts)
    for more in (1, 3, 5, 10):
        draws = [counts + votes_on(random, chances, np.full(len(chances), more)) for _ in range(10)]
        for name, rule in RULES.items():
            now = is_divided(counts, rule)
            then = np.stack([is_divided(drawn, rule) for drawn in draws])
            for side, observed in enumerate(((then & ~now).sum() / 10, (~then & now).sum() / 10)):
                # Two standard errors of the ten draws and a fifth for the model.
                assert abs(expected[name, more][side] - observed) < 0.2 * observed + 2 * np.sqrt(observed / 10) + 1, (
                    name,
                    more,
                    side,
                    expected[name, more][side],
                    observed,
                )


def test_next_votes_are_the_chain_of_single_votes(models: Models) -> None:
    random = np.random.default_rng(3)
    chances = planted_chances(random, random.beta(0.5, 4, size=500))
    counts = votes_on(random, chances, random.integers(1, 12, size=500))
    with loaded(models, counts) as connection:
        models.run(connection, "int_last_votes", "int_next_votes")
        bases = {
            basis: (a, b)
            for basis, a, b in connection.execute(
                "select basis, base_a, base_b from work.intermediate.int_share_priors where votes_used = 'all'"
            ).fetchall()
        }
        last = connection.execute(
            "select basis, hits, observed, factor from work.intermediate.int_last_votes"
        ).fetchall()
        found = connection.execute(
            "select basis, votes, hits, more_votes, new_hits, weight from work.intermediate.int_next_votes"
        ).fetchall()
    factors = {(basis, hits): factor for basis, hits, _, factor in last}
    # How often the last vote was a hit, by taking back each vote in turn.
    observed: dict[tuple[str, int], float] = {}
    for row in counts[counts.sum(axis=1) >= 2]:
        for label in np.flatnonzero(row):
            before = row.copy()
            before[label] -= 1
            for basis in bases:
                hits = [(int(c.sum() - c.max()) if basis == "off_top" else int(np.sort(c)[-2])) for c in (before, row)]
                if hits[1] > hits[0]:
                    observed[basis, hits[0]] = observed.get((basis, hits[0]), 0) + row[label] / row.sum()
    assert {(basis, hits): pytest.approx(value) for basis, hits, value, _ in last if value} == observed
    weights = {row[:5]: row[5] for row in found}
    for basis, votes, hits, more, _ in weights:
        a, b = bases[basis]
        chance = np.zeros(more + 1)
        chance[0] = 1
        for step in range(more):
            hit = np.array(
                [
                    min(1, factors.get((basis, hits + j), 1) * (a + hits + j) / (a + b + votes + step))
                    for j in range(more + 1)
                ]
            )
            chance = chance * (1 - hit) + np.concatenate([[0], (chance * hit)[:-1]])
        np.testing.assert_allclose(
            [weights.get((basis, votes, hits, more, j), 0) for j in range(more + 1)], chance, atol=1e-12
        )


# The published tables on the real votes


@pytest.mark.slow
def test_priors_and_chances_on_the_real_votes(built: Build) -> None:
    fitted = {
        row[:3]: row[3:] for row in built.query("select dataset_id, panel, basis, prior_a, prior_b from share_priors")
    }
    for dataset, panel in (("cifar10h", "attentive"), ("cifar10h", "all"), ("ferplus", "all")):
        rows = table(
            built,
            "select votes, dissenting_votes, second_votes, share_pct, chance from marts.item_off_top_chance"
            " join marts.items using (dataset_id, panel, item_id)"
            f" where dataset_id = '{dataset}' and panel = '{panel}'",
        )
        one = rows["share_pct"] == 10
        for basis, column in (("off_top", "dissenting_votes"), ("second_label", "second_votes")):
            expected = moments(rows["votes"][one], rows[column][one])
            assert fitted[dataset, panel, basis] == pytest.approx(expected, rel=1e-9)
        a, b = moments(rows["votes"][one], rows["dissenting_votes"][one])
        tail = stats.beta.sf(
            rows["share_pct"] / 100, a + rows["dissenting_votes"], b + rows["votes"] - rows["dissenting_votes"]
        )
        np.testing.assert_allclose(rows["chance"], tail, rtol=1e-8, atol=1e-12)


@pytest.mark.slow
def test_calibration_on_held_out_halves(built: Build) -> None:
    halves = table(
        built,
        "select first_votes as n1, first_off_top as d1, second_votes as n2, second_off_top as d2, items"
        " from intermediate.int_half_patterns"
        " where dataset_id = 'cifar10h' and panel = 'attentive' and first_votes >= 2 and second_votes >= 1",
    )
    n1, d1, n2, d2 = (np.repeat(halves[name], halves["items"]) for name in ("n1", "d1", "n2", "d2"))
    assert len(n1) == 10_000
    a, b = moments(n1, d1)
    edges = np.array([0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9])
    for share in (5, 10, 20, 30, 40):
        need = -(-share * n2 // 100)
        predicted = stats.betabinom.sf(need - 1, n2, a + d1, b + n1 - d1)
        reached = 100 * d2 >= share * n2
        bins = np.digitize(predicted, edges)
        rows = built.query(
            "select bin, items, expected, observed from off_top_calibration where dataset_id = 'cifar10h'"
            f" and panel = 'attentive' and share_pct = {share} order by bin"
        )
        assert [row[:2] for row in rows] == [(n, int((bins == n).sum())) for n in np.unique(bins)]
        for number, _, expected, observed in rows:
            assert expected == pytest.approx(predicted[bins == number].sum(), rel=1e-8)
            assert observed == reached[bins == number].sum()


def half_of_votes(counts: Array, items: Array) -> Array:
    """First halves where only counts are known: votes numbered in label order, sorted by md5, dealt in turn."""
    first = np.zeros_like(counts)
    for row, item in enumerate(items):
        labels = np.repeat(np.arange(counts.shape[1]), counts[row])
        order = sorted(range(len(labels)), key=lambda n: hashlib.md5(f"{item}:{n + 1}".encode()).hexdigest())
        np.add.at(first[row], labels[order[::2]], 1)
    return first


@pytest.mark.slow
def test_noise_ceiling(built: Build) -> None:
    found = {
        row[:2]: row[2:]
        for row in built.query(
            "select dataset_id, panel, items, split_half_rho, corrected_rho, rho_ceiling from noise_ceiling"
        )
    }
    votes = table(
        built,
        "select item_id::int as item, label_order - 1 as label, annotator_id, is_attentive from marts.votes"
        " join intermediate.int_labels using (dataset_id, label) where dataset_id = 'cifar10h'",
    )
    first_of = {a: hashlib.md5(a.encode()).hexdigest()[0] < "8" for a in np.unique(votes["annotator_id"].astype(str))}
    is_first = np.array([first_of[a] for a in votes["annotator_id"]])
    halves = np.zeros((2, 10_000, 10), dtype=int)
    kept = votes["is_attentive"].astype(bool)
    np.add.at(halves, (np.where(is_first, 0, 1)[kept], votes["item"][kept], votes["label"][kept]), 1)
    rho = stats.spearmanr(entropy(halves[0]), entropy(halves[1])).statistic
    corrected = 2 * rho / (1 + rho)
    assert found["cifar10h", "attentive"] == pytest.approx((10_000, rho, corrected, np.sqrt(corrected)), rel=1e-9)
    assert (round(rho, 2), round(corrected, 2), round(np.sqrt(corrected), 2)) == (0.53, 0.70, 0.83)

    items, counts = label_counts(built, "ferplus", "all")
    first = half_of_votes(counts, items)
    both = (first.sum(axis=1) >= 2) & ((counts - first).sum(axis=1) >= 2)
    rho = stats.spearmanr(entropy(first[both]), entropy((counts - first)[both])).statistic
    assert found["ferplus", "all"][:2] == pytest.approx((both.sum(), rho), rel=1e-9)


@pytest.fixture(scope="session")
def probabilities(built: Build) -> dict[str, Array]:
    """The four CNNs' probabilities, 10,000 x 10, and their mean."""
    rows = table(
        built,
        "select model_id, item_id::int as item, label_order - 1 as label, probability from marts.model_predictions"
        " join intermediate.int_labels using (dataset_id, label) where model_set = 'four_cnns'",
    )
    if not len(rows["item"]):
        pytest.skip("the mirror holds no model probabilities")
    models: dict[str, Array] = {}
    for model in np.unique(rows["model_id"].astype(str)):
        inside = rows["model_id"] == model
        models[model] = np.zeros((10_000, 10))
        models[model][rows["item"][inside], rows["label"][inside]] = rows["probability"][inside]
    return models


def cifar_counts(build: Build, panel: str) -> Array:
    items, counts = label_counts(build, "cifar10h", panel)
    return counts[np.argsort(items.astype(int))]


@pytest.mark.slow
def test_what_soft_labels_are_worth(built: Build, probabilities: dict[str, Array]) -> None:
    found = {
        row[0]: row[1:]
        for row in built.query(
            "select model_id, mean_distance, voters_worth from soft_label_worth"
            " where model_set = 'four_cnns' and panel = 'attentive'"
        )
    }
    counts = cifar_counts(built, "attentive")
    votes = counts.sum(axis=1)
    disagreement = 1 - (counts * (counts - 1)).sum(axis=1) / (votes * (votes - 1))
    mean = np.mean(list(probabilities.values()), axis=0)
    assert set(found) == {*probabilities, "mean of models"}
    for model, probability in {**probabilities, "mean of models": mean}.items():
        distance = ((probability - counts / votes[:, None]) ** 2).sum(axis=1)
        worth = disagreement.sum() / (distance - disagreement / votes).sum()
        assert found[model] == pytest.approx((distance.mean(), worth), rel=1e-9)
    # As others computed them.
    worths = {model: round(float(str(row[1])), 2) for model, row in found.items()}
    assert worths == {
        "densenet-bc-L190-k40": 1.43,
        "preresnet-110": 1.04,
        "resnet-110": 0.89,
        "weak-resnet": 0.52,
        "mean of models": 1.50,
    }


@pytest.mark.slow
def test_uncertainty_finds_divided(built: Build, probabilities: dict[str, Array]) -> None:
    counts = cifar_counts(built, "attentive")
    entropies = {}
    for model, p in probabilities.items():
        entropies[model] = -np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0).sum(axis=1)
    entropies["mean of models"] = np.mean(list(entropies.values()), axis=0)
    found = {
        row[:2]: row[2:]
        for row in built.query(
            "select model_id, rule_id, divided, auroc, precision_1, precision_5, precision_10, precision_20"
            " from uncertainty_finds_divided where model_set = 'four_cnns' and panel = 'attentive'"
        )
    }
    for model, values in entropies.items():
        for name, rule in RULES.items():
            divided = is_divided(counts, rule)
            auroc = stats.mannwhitneyu(values[divided], values[~divided]).statistic / (divided.sum() * (~divided).sum())
            queue = divided[np.argsort(-values, kind="stable")]
            precisions = [queue[: 10_000 * pct // 100].mean() for pct in (1, 5, 10, 20)]
            # Entropies below 1e-12 tie in the table.
            assert found[model, name] == pytest.approx((divided.sum(), auroc, *precisions), rel=1e-6), (model, name)


@pytest.mark.slow
def test_expected_changes_meet_held_out_votes(built: Build, models: Models) -> None:
    """The last ten votes of each CIFAR-10H image, drawn at random, change about as many verdicts as expected."""
    random = np.random.default_rng(1)
    counts = cifar_counts(built, "attentive")
    held_out = np.stack([random.multivariate_hypergeometric(row, 10) for row in counts])
    before = counts - held_out
    expected = expected_changes(models, before)
    for name, rule in RULES.items():
        observed = (is_divided(before, rule) != is_divided(counts, rule)).sum()
        assert abs(sum(expected[name, 10]) - observed) < 0.25 * observed + 3 * np.sqrt(observed), (name, observed)


@pytest.mark.slow
def test_queue_and_cost_agree(built: Build) -> None:
    """Where the whole queue is in the table, its chances sum to the expected changes, and ranks have no gaps."""
    for more in (1, 3, 5, 10):
        rows = built.query(
            f"select rule_id, expected_changes, sum(chance_{more}), count(rank_{more}), max(rank_{more})"
            " from review_queue join review_queue_cost using (dataset_id, panel, rule_id)"
            f" where dataset_id = 'demo' and panel = 'all' and asked_pct = 100 and more_votes = {more} group by all"
        )
        assert len(rows) >= 12
        for rule, expected, chances, ranked, last in rows:
            assert chances == pytest.approx(expected, abs=1e-9), rule
            assert ranked == (last or 0), rule
