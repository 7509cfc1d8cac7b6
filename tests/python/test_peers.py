"""Runs tests/peers in the environment of the peer libraries: real data sets, two textbook ones and random ones."""

from __future__ import annotations

import csv
import os
import random
import subprocess
from collections.abc import Iterable
from pathlib import Path

import duckdb
import pytest
from conftest import PROJECT, Build

from scripts.bench.models import Manifest, replay

PEERS = PROJECT / ".venv-peers" / "bin" / "python"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PEERS.exists(), reason="no .venv-peers: make test builds it"),
]

Cell = tuple[str, str, str, int]  # data set, item, label, votes

# Krippendorff (2004), four observers on twelve units: votes a unit and value.
KRIPPENDORFF = [
    {"1": 3}, {"2": 3, "3": 1}, {"3": 4}, {"3": 4}, {"2": 4}, {"1": 1, "2": 1, "3": 1, "4": 1},
    {"4": 4}, {"1": 3, "2": 1}, {"2": 4}, {"5": 3}, {"1": 2}, {"3": 1},
]  # fmt: skip


def textbook_cells() -> Iterable[Cell]:
    for unit, values in enumerate(KRIPPENDORFF, start=1):
        for value, votes in values.items():
            yield "krippendorff", f"u{unit:02}", value, votes


def fleiss_cells(mirror: Path) -> Iterable[Cell]:
    with (mirror / "byo" / "fleiss1971.csv").open(newline="") as handle:
        for number, row in enumerate(csv.DictReader(handle), start=1):
            for label, votes in row.items():
                if votes:
                    yield "fleiss1971", f"p{number:02}", label, int(votes)


def random_cells(seed: int) -> Iterable[Cell]:
    """Items with 0 to 9 votes, labels of very different frequency; every third set has equal panels."""
    generator = random.Random(seed)
    labels = [chr(97 + k) for k in range(generator.randint(2, 6))]
    weights = [generator.random() ** 2 + 0.02 for _ in labels]
    for item in range(generator.randint(20, 60)):
        votes = 5 if seed % 3 == 0 else generator.randint(0, 9)
        own = [w * generator.random() ** 3 for w in weights]
        for label in set(drawn := generator.choices(labels, own, k=votes)):
            yield f"random_{seed}", f"i{item:02}", label, drawn.count(label)


def audited(built: Build, folder: Path, cells: list[Cell]) -> Path:
    """A database with the project's models on the given votes: the compiled SQL of the build, replayed."""
    manifest = Manifest(built.folder / "target" / "manifest.json")
    database = folder / built.work.name  # compiled SQL names the database after its file
    with duckdb.connect(str(database)) as connection:
        connection.execute("pragma enable_profiling = 'no_output'")  # replay reads what each model took
        manifest.create_inputs(connection)
        connection.execute("create table cells (dataset_id varchar, item_id varchar, label varchar, votes bigint)")
        connection.executemany("insert into cells values (?, ?, ?, ?)", cells)
        models = manifest.models({"agreement", "items", "vote_counts"})
        for _ in replay(
            connection, models, {"int_label_counts": "select *, cast(null as varchar) as true_label from main.cells"}
        ):
            pass
    return database


def test_the_measures_agree_with_other_implementations(built: Build, mirror: Path, tmp_path: Path) -> None:
    cells = [*textbook_cells(), *fleiss_cells(mirror), *(c for seed in range(12) for c in random_cells(seed))]
    database = audited(built, tmp_path, cells)
    with duckdb.connect(str(database), read_only=True) as connection:
        published = connection.execute(
            "select dataset_id, round(krippendorff_alpha, 3), round(fleiss_kappa, 3) from marts.agreement"
            " where dataset_id in ('krippendorff', 'fleiss1971') order by 1"
        ).fetchall()
    assert published[0][2] == 0.430  # Fleiss (1971)
    assert published[1][1] == 0.743  # Krippendorff (2004)
    done = subprocess.run(
        [str(PEERS), "-m", "pytest", "-q", "-p", "no:cacheprovider", "--no-header", "tests/peers"],
        cwd=PROJECT,
        env=built.env | {"DISSENT_PEERS_DATABASES": os.pathsep.join([str(built.published), str(database)])},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout[-6000:]
