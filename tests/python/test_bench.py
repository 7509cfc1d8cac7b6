"""The timing commands at a size where timings mean nothing: results are equal, and nothing is left behind."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import duckdb
import pytest

from scripts import demo
from scripts.bench import __main__ as bench
from scripts.bench import scale
from scripts.bench.compare import first_difference
from scripts.bench.entries import generate, parquet
from scripts.bench.models import DATABASE, Manifest, compile_project, connect, manifest_of

VOTES = 20_000


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compiled")
    compile_project(folder)
    return folder


@pytest.fixture
def already_compiled(compiled: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Lets the commands take the compiled project as it is; returns the folder that holds their temporary files."""

    def compile_again(folder: Path) -> Manifest:
        shutil.copytree(compiled / "target", folder / "target")
        return manifest_of(folder)

    for command in (bench, scale):
        monkeypatch.setattr(command, "compile_project", compile_again)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_models_are_replayed_after_what_they_read(compiled: Path) -> None:
    names = [model.name for model in manifest_of(compiled).models()]
    assert names.index("int_votes") < names.index("int_vote_counts") < names.index("items") < names.index("replication")
    assert [model.name for model in manifest_of(compiled).models(["int_panels"])][-1] == "int_panels"
    assert "items" not in [model.name for model in manifest_of(compiled).models(["int_panels"])]


def test_contenders_agree_on_generated_votes(already_compiled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = already_compiled / "no work database"
    assert bench.main(["--votes", str(VOTES), "--work", str(missing)]) == 0
    printed = capsys.readouterr().out
    assert "run make land first" in printed
    assert "all results are equal" in printed
    for contender in ("numpy/pandas", "polars", "DuckDB by hand"):
        assert f"of {contender}: " in printed
    assert list(already_compiled.iterdir()) == []


def test_numpy_agrees_on_landed_votes(
    already_compiled: Path, compiled: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    """The demo, and FER+ rows with a tie, without a vote, and with votes outside the eight emotions only."""
    folder = tmp_path_factory.mktemp("landed")
    demo.generate(folder / "demo.csv")
    with connect(folder) as connection:
        manifest_of(compiled).create_inputs(connection)
        connection.execute(
            "insert into raw.demo_raw by name select row_number() over () as file_row, *"
            f" from read_csv('{folder / 'demo.csv'}')"
        )
        connection.execute(
            "insert into raw.ferplus (file_row, usage, image_name, neutral, happiness, unknown) values"
            " (1, 'PrivateTest', 'tie.png', 5, 5, 0), (2, 'PrivateTest', 'none.png', 0, 0, 0),"
            " (3, 'Training', 'unknown.png', 0, 0, 9), (4, 'Training', 'clear.png', 0, 10, 0)"
        )
        # As after landing alone: the history begins with the first build.
        connection.execute("drop schema history cascade")
    assert bench.main(["--votes", "", "--work", str(folder / DATABASE)]) == 0
    printed = capsys.readouterr().out
    assert "landed votes, 20,000 by annotator" in printed
    assert "all results are equal" in printed
    assert list(already_compiled.iterdir()) == []


def test_generated_votes_have_the_promised_shape(compiled: Path, tmp_path: Path) -> None:
    manifest = manifest_of(compiled)
    with connect(tmp_path) as connection:
        manifest.create_inputs(connection)
        generate(connection, manifest, VOTES, tmp_path / "entries")
        votes = parquet(tmp_path / "entries", "int_votes")
        rows = connection.execute(f"select count(*), count(distinct (dataset_id, vote_id)) from ({votes})").fetchone()
        sizes = connection.execute(
            f"select min(n), max(n) from (select count(*) as n from ({votes}) group by dataset_id, item_id)"
        ).fetchone()
        labels = connection.execute(
            f"select dataset_id, count(distinct label) from ({votes}) group by all order by all"
        ).fetchall()
        busiest, median = connection.execute(
            f"select max(n), median(n) from (select count(*) as n from ({votes}) group by dataset_id, annotator_id)"
        ).fetchall()[0]
    assert rows is not None and sizes is not None
    assert rows[0] == rows[1] and abs(rows[0] - VOTES) < VOTES / 20
    assert sizes == (2, 60)
    assert [dataset for dataset, _ in labels] == ["generated_10", "generated_100", "generated_1000", "generated_2"]
    assert [number for _, number in labels][0::3] == [10, 2]
    # A few dozen annotators at this size: the curve has hardly begun.
    assert busiest > 5 * median


def test_scale_builds_every_model_and_leaves_nothing(
    already_compiled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert scale.main([f"{VOTES},{4 * VOTES}"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("none is votes x rules") == 2
    assert "cost grows as votes ^" in printed
    assert list(already_compiled.iterdir()) == []


def test_exponent_is_the_slope() -> None:
    assert scale.exponent([1, 10, 100], [3, 30, 300]) == pytest.approx(1)
    assert scale.exponent([10, 1000], [1, 10_000]) == pytest.approx(2)


@pytest.mark.parametrize("change", ["votes + 1 as votes", "null as votes"])
def test_a_changed_table_is_noticed(tmp_path: Path, change: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            "create table here as select 'a' as dataset_id, 'all' as panel, 'i' as item_id, 'x' as label, 2 as votes"
        )
        connection.execute(f"create table there as select * replace ({change}) from here")
        assert first_difference(connection, "vote_counts", "here", "here") is None
        assert first_difference(connection, "vote_counts", "here", "there") == "vote_counts at a, all, i, x"
        assert first_difference(connection, "vote_counts", "here", "(from here where false)") is not None


@pytest.mark.parametrize(
    ("votes", "measures", "verdict"),
    [
        (50_000_000, 10.0, "goal reached: the measures take 1.00 of"),
        (50_000_000, 10.1, "goal MISSED: the measures take 1.01 of"),
        (49_999_999, 20.0, "the measures take 2.00 of"),
    ],
)
def test_the_measures_are_judged_where_the_aim_holds(votes: int, measures: float, verdict: str) -> None:
    assert scale.measures_verdict(votes, 10.0, measures).startswith(verdict)
