"""What reaches the readers: whole tested builds only, in one step, in a file that older DuckDB opens."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from conftest import Build, copied_project

from scripts.build_lock import take
from scripts.publish import publish


@pytest.fixture
def work(tmp_path: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(str(tmp_path / "work.duckdb"))
    connection.execute("create schema marts; create schema raw; create table raw.secret (x int)")
    connection.execute(
        "create table marts.items (item_id varchar primary key, votes bigint not null check (votes >= 0))"
    )
    connection.execute("insert into marts.items values ('a', 1), ('b', 2)")
    connection.execute("comment on table marts.items is 'what''s in it'; comment on column marts.items.votes is 'n'")
    connection.execute("create view marts.shares as select item_id, votes / 3 as share from marts.items")
    return connection


def test_published_file_holds_the_named_tables_only(work: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    published = tmp_path / "dissent.duckdb"
    assert publish(work, published, ["items", "shares"]) == "published 2 tables to dissent.duckdb"
    with duckdb.connect(str(published), read_only=True) as reader:
        assert reader.execute("select schema_name, table_name from duckdb_tables() order by 2").fetchall() == [
            ("main", "items"),
            ("main", "shares"),
        ]
        assert reader.execute("select * from items order by 1").fetchall() == [("a", 1), ("b", 2)]
        assert reader.execute("select comment from duckdb_tables() where table_name = 'items'").fetchone() == (
            "what's in it",
        )
        assert reader.execute("select comment from duckdb_columns() where column_name = 'votes'").fetchone() == ("n",)
        constraints = reader.execute("select constraint_type from duckdb_constraints() order by 1").fetchall()
        assert constraints == [("CHECK",), ("NOT NULL",), ("NOT NULL",), ("PRIMARY KEY",)]
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_a_dropped_table_leaves_and_a_reader_stays(work: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    published = tmp_path / "dissent.duckdb"
    publish(work, published, ["items", "shares"])
    reader = duckdb.connect(str(published), read_only=True)
    work.execute("insert into marts.items values ('c', 3)")
    publish(work, published, ["items"])
    assert reader.execute("select count(*) from items").fetchone() == (2,)  # its own, older file
    reader.close()
    with duckdb.connect(str(published), read_only=True) as fresh:
        assert fresh.execute("select count(*) from items").fetchone() == (3,)
        assert fresh.execute("select count(*) from duckdb_tables()").fetchone() == (1,)


def test_a_failed_copy_leaves_the_published_file(work: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    published = tmp_path / "dissent.duckdb"
    publish(work, published, ["items"])
    before = published.read_bytes()
    with pytest.raises(duckdb.Error):
        publish(work, published, ["items", "not_there"])
    assert published.read_bytes() == before
    # What it left is cleared away by the next one, and so is what a killed process left.
    (tmp_path / ".dissent.duckdb.1.tmp").write_bytes(b"half a file")
    publish(work, published, ["items"])
    assert [path.name for path in tmp_path.glob(".*")] == []


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """A copy of the project that can be changed."""
    return copied_project(tmp_path_factory.mktemp("copy"))


@pytest.mark.slow
def test_from_an_offline_start_to_a_build_that_must_not_be_published(copy: Build) -> None:
    # Nothing but the demo can land: said in one line a file, and no failure.
    landed = copy.land()
    assert landed.returncode == 0, landed.stderr
    for name in ("cifar10h-raw.zip", "cifar10h-counts.npy", "fer2013new.csv"):
        assert name in landed.stdout + landed.stderr

    extra = copy.project / "models" / "marts" / "extra.sql"
    extra.write_text("{{ config(contract={'enforced': false}) }}\nselect 1 as one\n")
    stale = copy.folder / ".dissent.duckdb.123.tmp"
    stale.write_bytes(b"left by a killed build")
    made = copy.dbt("build")
    assert made.returncode == 0, made.stdout
    assert "published" in made.stdout and not stale.exists()
    assert copy.query("select one from extra") == [(1,)]
    assert copy.query("select distinct verdict from replication") == [("not evaluated",)]
    assert copy.query("select dataset_id, provenance from dataset_provenance order by 1") == [
        ("cifar10h", "not landed"),
        ("demo", "generated"),
        ("ferplus", "not landed"),
        ("ferplus_public_test", "not landed"),
        ("ferplus_ten_columns", "not landed"),
        ("ferplus_training", "not landed"),
    ]
    assert set(copy.query("select distinct dataset_id from threshold_sweep")) == {("demo",)}
    summary = copy.run("python", "-m", "scripts.summary")
    assert summary.returncode == 0 and "not evaluated" in summary.stdout and "cifar10h" in summary.stdout

    # A failing test keeps the published file, with a reader on it all the while.
    before = copy.published.stat().st_ino
    reader = duckdb.connect(str(copy.published), read_only=True)
    failing = copy.project / "tests" / "assert_nothing_is_divided.sql"
    failing.write_text("select * from {{ ref('dissent', 'threshold_sweep') }} where divided > 0\n")
    extra.unlink()
    broken = copy.dbt("build")
    assert broken.returncode != 0
    assert "not published" in broken.stdout and "assert_nothing_is_divided" in broken.stdout
    assert copy.published.stat().st_ino == before
    assert reader.execute("select one from extra").fetchall() == [(1,)]

    # Nor does a later partial build, or one command of a build, bring out what failed.
    for arguments in (
        ("build", "--select", "threshold_sweep", "--exclude", "assert_nothing_is_divided"),
        ("run",),
        ("build", "--exclude-resource-type", "unit_test", "test"),
    ):
        partial = copy.dbt(*arguments)
        assert partial.returncode == 0 and "not published" in partial.stdout, arguments
        assert copy.published.stat().st_ino == before

    # A second build beside a running one gets one sentence.
    held = take(copy.work)
    second = copy.dbt("build")
    held.close()
    assert second.returncode != 0
    assert "another build is using work.duckdb" in second.stdout and "Traceback" not in second.stdout + second.stderr

    # Mended: published again, without the model that is gone; the old reader isn't disturbed.
    failing.unlink()
    mended = copy.dbt("build")
    assert mended.returncode == 0, mended.stdout
    assert copy.published.stat().st_ino != before
    assert reader.execute("select one from extra").fetchall() == [(1,)]
    reader.close()  # one process opens a path once: close before looking at the new file
    assert copy.query("select count(*) from duckdb_tables() where table_name = 'extra'") == [(0,)]


@pytest.mark.slow
def test_duckdb_1_opens_every_table(built: Build) -> None:
    version = built.run("duckdb", "--version").stdout
    assert version.startswith("v1."), "the shell is there to be an older client"
    tables = [str(row[0]) for row in built.query("select table_name from duckdb_tables()")]
    assert "threshold_sweep" in tables and "replication" in tables
    for table in tables:
        read = built.run("duckdb", "-readonly", "-csv", str(built.published), f"select count(*) from {table}")
        assert read.returncode == 0, read.stderr
        assert int(read.stdout.split()[-1]) == built.query(f"select count(*) from {table}")[0][0]


@pytest.mark.slow
def test_no_type_that_bi_tools_stumble_over(built: Build) -> None:
    allowed = "('BIGINT', 'VARCHAR', 'DOUBLE', 'BOOLEAN', 'TIMESTAMP', 'DATE')"
    assert (
        built.query(
            f"select table_name, column_name from duckdb_columns() where not internal and data_type not in {allowed}"
        )
        == []
    )
    doubles = "select table_name, column_name from duckdb_columns() where not internal and data_type = 'DOUBLE'"
    for table, column in built.query(doubles):
        assert built.query(f"select count(*) from {table} where isnan({column}) or isinf({column})") == [(0,)], column


@pytest.mark.slow
def test_every_table_and_column_says_what_it_is(built: Build) -> None:
    assert built.query("select table_name from duckdb_tables() where not internal and comment is null") == []
    assert (
        built.query("select table_name, column_name from duckdb_columns() where not internal and comment is null") == []
    )
