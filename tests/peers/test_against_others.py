"""The published measures against other people's implementations; runs in .venv-peers (see tests/python/test_peers.py).

Where a definition is the same the values agree to 1e-9. Where it is not:

- statsmodels' Fleiss kappa wants the same number of raters on every item: only such data sets are compared.
- irrCAC rounds to five digits, drops items nobody rated, and takes the mean label shares over all items.
- crowd-kit's uncertainty is the entropy in nats, not over ln K; it goes through the annotations row by row, so a
  sample of the items is compared. Its consistency weighs annotators by skill, which is another measure than the mean
  majority share: not compared.
"""

from __future__ import annotations

import os

import duckdb
import krippendorff
import numpy as np
import pandas as pd
import pytest
from crowdkit.metrics.data import alpha_krippendorff, uncertainty
from irrCAC.raw import CAC
from statsmodels.stats.inter_rater import fleiss_kappa

DATABASES = os.environ["DISSENT_PEERS_DATABASES"].split(os.pathsep)


def query(database: str, sql: str) -> pd.DataFrame:
    with duckdb.connect(database, read_only=True) as connection:
        # Published files hold the tables in main, work databases in marts.
        schemas = connection.execute("select schema_name from duckdb_schemas() where schema_name = 'marts'").fetchall()
        connection.execute(f"set search_path = '{'marts' if schemas else 'main'}'")
        return connection.execute(sql).df()


def counts_of(database: str, dataset: str, panel: str) -> pd.DataFrame:
    """Items x labels, votes; labels nobody chose are left out."""
    long = query(
        database,
        "select item_id, label, votes from vote_counts"
        f" where dataset_id = '{dataset}' and panel = '{panel}' order by all",
    )
    return long.pivot(index="item_id", columns="label", values="votes").fillna(0).astype(int)


def annotations(counts: pd.DataFrame) -> pd.DataFrame:
    """One row a vote, with made-up workers: the measures compared do not ask who voted."""
    rows = [
        (item, worker, label)
        for item, row in counts.iterrows()
        for worker, label in enumerate(np.repeat(counts.columns.to_numpy(), row.to_numpy()))
    ]
    return pd.DataFrame(rows, columns=["task", "worker", "label"])


SETS = [
    (database, str(row.dataset_id), str(row.panel))
    for database in DATABASES
    for row in query(database, "select dataset_id, panel from agreement order by all").itertuples()
]


@pytest.fixture(params=SETS, ids=lambda s: f"{s[1]}-{s[2]}")
def agreement(request: pytest.FixtureRequest) -> tuple[pd.DataFrame, pd.Series]:
    database, dataset, panel = request.param
    row = query(database, f"select * from agreement where dataset_id = '{dataset}' and panel = '{panel}'").iloc[0]
    return counts_of(database, dataset, panel), row


def test_alpha_by_krippendorff(agreement: tuple[pd.DataFrame, pd.Series]) -> None:
    counts, row = agreement
    expected = krippendorff.alpha(value_counts=counts.to_numpy(), level_of_measurement="nominal")
    assert row.krippendorff_alpha == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_kappa_by_statsmodels(agreement: tuple[pd.DataFrame, pd.Series]) -> None:
    counts, row = agreement
    totals = counts.sum(axis=1)
    if totals.nunique() > 1:
        assert np.isfinite(row.fleiss_kappa)  # unequal raters: irrCAC below is the peer
        return
    assert row.fleiss_kappa == pytest.approx(fleiss_kappa(counts.to_numpy()), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("chosen", SETS, ids=lambda s: f"{s[1]}-{s[2]}")
def test_kappa_and_ac1_by_irrcac(chosen: tuple[str, str, str]) -> None:
    database, dataset, panel = chosen
    counts = counts_of(database, dataset, panel)
    if len(counts) > 500:
        return  # irrCAC goes item by item: the smaller data sets are compared
    row = query(database, f"select * from agreement where dataset_id = '{dataset}' and panel = '{panel}'").iloc[0]
    votes = annotations(counts)
    ratings = votes.pivot(index="task", columns="worker", values="label")
    # AC1 asks for the number of the data set's labels, voted for or not.
    declared = query(database, f"select label from labels where dataset_id = '{dataset}' order by label_order").label
    cac = CAC(ratings, categories=list(declared) or sorted(votes.label.unique()))
    assert row.fleiss_kappa == pytest.approx(cac.fleiss()["est"]["coefficient_value"], abs=5.1e-6)
    assert row.gwet_ac1 == pytest.approx(cac.gwet()["est"]["coefficient_value"], abs=5.1e-6)


def test_alpha_by_crowd_kit(agreement: tuple[pd.DataFrame, pd.Series]) -> None:
    counts, row = agreement
    if len(counts) > 500:
        return  # crowd-kit goes row by row: the smaller data sets are compared
    assert row.krippendorff_alpha == pytest.approx(alpha_krippendorff(annotations(counts)), rel=1e-9, abs=1e-12)


def test_entropy_by_crowd_kit_and_majority_share_by_pandas() -> None:
    for database, dataset, panel in SETS:
        items = query(
            database,
            "select item_id, normalised_entropy, majority_share, labels from items join ("
            " select dataset_id, count(*) as labels from labels group by all) as label_sets using (dataset_id)"
            f" where dataset_id = '{dataset}' and panel = '{panel}' and votes > 0 order by item_id",
        )
        if items.empty:
            continue  # labels are not declared: K is checked elsewhere
        sample = items.sample(min(len(items), 150), random_state=2).set_index("item_id").sort_index()
        votes = annotations(counts_of(database, dataset, panel).loc[sample.index])
        entropies = uncertainty(votes, compute_by="task", aggregate=False)
        expected = entropies.sort_index() / np.log(sample.labels.iloc[0])
        np.testing.assert_allclose(sample.normalised_entropy, expected, rtol=1e-9, atol=1e-12)
        majority = votes.groupby("task").label.agg(lambda labels: labels.value_counts().iloc[0])
        assert sample.majority_share.mean() == pytest.approx((majority / votes.groupby("task").size()).mean(), rel=1e-9)
