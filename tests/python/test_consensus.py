"""The consensus script in the environment it runs in, on the published database."""

from __future__ import annotations

import subprocess
from pathlib import Path

import duckdb
import pytest
from conftest import PROJECT, Build

PEERS = PROJECT / ".venv-peers" / "bin" / "python"
needs_peers = pytest.mark.skipif(not PEERS.exists(), reason="no .venv-peers: make test builds it, make check does not")


def consensus(build: Build, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(PEERS), "-m", "scripts.consensus", *arguments],
        cwd=PROJECT,
        env=build.env,
        capture_output=True,
        text=True,
        timeout=600,
    )


@pytest.fixture(scope="session")
def written(built: Build, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The table for every data set with annotators, and what was printed."""
    out = tmp_path_factory.mktemp("consensus") / "consensus.parquet"
    done = consensus(built, "--out", str(out))
    assert done.returncode == 0, done.stderr
    return out, done.stdout


@needs_peers
@pytest.mark.slow
def test_every_item_with_votes_has_one_consensus(built: Build, written: tuple[Path, str]) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"attach '{built.published}' as published (read_only)")
        # As documented: it joins items by dataset_id, panel, item_id.
        (unlike,) = connection.execute(
            f"""
            select count(*)
            from (
                select dataset_id, panel, item_id, majority_label from published.items
                where votes > 0 and dataset_id in ('cifar10h', 'demo')
            ) as items
            full outer join '{written[0]}' as consensus using (dataset_id, panel, item_id)
            where consensus.majority_label is distinct from items.majority_label
                or consensus.differs is distinct from (consensus.consensus_label != items.majority_label)
                or consensus.probability is null or consensus.probability not between 0.1 and 1
            """
        ).fetchone() or (None,)
        copies = connection.execute(
            f"from '{written[0]}' select dataset_id group by dataset_id, panel, item_id having count(*) > 1"
        ).fetchall()
    assert unlike == 0
    assert copies == []
    assert "cifar10h" in written[1] and "unverified" in written[1] and "differ" in written[1]


@needs_peers
@pytest.mark.slow
def test_knowing_the_annotators_does_not_hurt(written: tuple[Path, str]) -> None:
    """With many votes an item the consensus is right at least as often as the majority, where the truth is known."""
    with duckdb.connect() as connection:
        found = connection.execute(
            f"""
            select
                dataset_id,
                count(*) filter (where consensus_label = true_label),
                count(*) filter (where majority_label = true_label)
            from '{written[0]}'
            where panel = 'all'
            group by dataset_id
            order by dataset_id
            """
        ).fetchall()
    assert [dataset for dataset, *_ in found] == ["cifar10h", "demo"]
    assert all(consensus_right >= majority_right for _, consensus_right, majority_right in found)
    # Eleven images of the reconstruction change their label; a handful, not hundreds.
    assert all(consensus_right - majority_right < 50 for _, consensus_right, majority_right in found)


def small_database(folder: Path, weight: int = 1) -> Build:
    """A published database in small: a and b agree on every item, c says the opposite each time; d has one vote."""
    build = Build(folder)
    with duckdb.connect(str(build.published)) as connection:
        connection.execute(
            f"""
            create table votes as
            select 'tiny' as dataset_id, item_id::varchar as item_id, annotator_id, {weight}::bigint as weight,
                case when (annotator_id = 'c') = (item_id % 2 = 0) then 'yes' else 'no' end as label
            from range(1, 9) as items(item_id)
            cross join (values ('a'), ('b'), ('c')) as annotators(annotator_id)
            union all
            select 'tiny', '9', 'd', {weight}, 'no';
            create table labels (dataset_id varchar, label varchar, label_order bigint);
            create table annotator_attention as
            select distinct dataset_id, annotator_id, null::boolean as is_attentive from votes;
            create table panels as select 'tiny' as dataset_id, 'all' as panel, 4 as annotators, 25 as votes
            union all select 'counts', 'all', null, 10;
            create table items as
            select dataset_id, 'all' as panel, item_id, mode(label) as majority_label, null::varchar as true_label
            from votes group by dataset_id, item_id;
            create table dataset_provenance as select 'tiny' as dataset_id, 'verified' as provenance;
            """
        )
    return build


@needs_peers
@pytest.mark.parametrize("weight", [1, 3])
def test_a_contrarian_is_read_the_other_way_round(tmp_path: Path, weight: int) -> None:
    """Labels are named right, none declared, no true labels, one annotator an item, repeats of a vote by weight."""
    out = tmp_path / "consensus.parquet"
    done = consensus(small_database(tmp_path, weight), "--out", str(out))
    assert done.returncode == 0, done.stderr
    with duckdb.connect() as connection:
        found = connection.execute(
            f"from '{out}' select item_id, consensus_label, differs, true_label, provenance order by all"
        ).fetchall()
    assert found == [(str(item), "yes" if item % 2 else "no", False, None, "verified") for item in range(1, 9)] + [
        ("9", "no", False, None, "verified")
    ]
    assert "no true labels" in done.stdout
    assert [path.name for path in tmp_path.glob("*consensus*")] == ["consensus.parquet"]


@needs_peers
def test_what_is_missing_is_said_in_one_sentence(tmp_path: Path) -> None:
    nothing = consensus(Build(tmp_path))
    assert (nothing.returncode, nothing.stderr) == (
        1,
        "dissent.duckdb is not there yet: run make build first\n",
    )
    counts = consensus(small_database(tmp_path), "--dataset", "counts")
    assert (counts.returncode, counts.stderr) == (1, "no votes of single annotators to read: counts has none\n")
