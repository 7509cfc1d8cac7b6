"""What reaches the readers: whole tested builds only, in one step, in a file that older DuckDB opens."""

from __future__ import annotations

import re
import shutil
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from conftest import PROJECT, Build, copied_project
from test_builds import build_json

from scripts import pseudonyms
from scripts.build import Code
from scripts.build_lock import take
from scripts.compare import compare
from scripts.pseudonyms import PseudonymError, Pseudonyms, pseudonym
from scripts.publish import publish

KEY = "a key that nobody guesses"


@pytest.fixture
def settings(tmp_path: Path) -> Pseudonyms:
    return Pseudonyms("brought", tmp_path / "pseudonym.key")


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


def test_published_file_holds_the_named_tables_only(
    work: duckdb.DuckDBPyConnection, settings: Pseudonyms, tmp_path: Path
) -> None:
    published = tmp_path / "dissent.duckdb"
    assert publish(work, published, ["items", "shares"], settings) == "published 2 tables to dissent.duckdb"
    with duckdb.connect(str(published), read_only=True) as reader:
        assert reader.execute("select schema_name, table_name from duckdb_tables() order by 2").fetchall() == [
            ("main", "items"),
            ("main", "pseudonymised_datasets"),
            ("main", "shares"),
        ]
        assert reader.execute("select * from items order by 1").fetchall() == [("a", 1), ("b", 2)]
        assert reader.execute("select comment from duckdb_tables() where table_name = 'items'").fetchone() == (
            "what's in it",
        )
        assert reader.execute("select comment from duckdb_columns() where column_name = 'votes'").fetchone() == ("n",)
        constraints = reader.execute(
            "select constraint_type from duckdb_constraints() where table_name = 'items' order by 1"
        ).fetchall()
        assert constraints == [("CHECK",), ("NOT NULL",), ("NOT NULL",), ("PRIMARY KEY",)]
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_a_dropped_table_leaves_and_a_reader_stays(
    work: duckdb.DuckDBPyConnection, settings: Pseudonyms, tmp_path: Path
) -> None:
    published = tmp_path / "dissent.duckdb"
    publish(work, published, ["items", "shares"], settings)
    reader = duckdb.connect(str(published), read_only=True)
    work.execute("insert into marts.items values ('c', 3)")
    publish(work, published, ["items"], settings)
    assert reader.execute("select count(*) from items").fetchone() == (2,)  # its own, older file
    reader.close()
    with duckdb.connect(str(published), read_only=True) as fresh:
        assert fresh.execute("select count(*) from items").fetchone() == (3,)
        assert fresh.execute("select count(*) from duckdb_tables() where table_name = 'shares'").fetchone() == (0,)


def test_a_failed_copy_leaves_the_published_file(
    work: duckdb.DuckDBPyConnection, settings: Pseudonyms, tmp_path: Path
) -> None:
    published = tmp_path / "dissent.duckdb"
    publish(work, published, ["items"], settings)
    before = published.read_bytes()
    with pytest.raises(duckdb.Error):
        publish(work, published, ["items", "not_there"], settings)
    assert published.read_bytes() == before
    # What it left is cleared away by the next one, and so is what a killed process left.
    (tmp_path / ".dissent.duckdb.1.tmp").write_bytes(b"half a file")
    publish(work, published, ["items"], settings)
    assert [path.name for path in tmp_path.glob(".*")] == []


NAMED = ["annotators", "votes"]


@pytest.fixture
def named(tmp_path: Path) -> duckdb.DuckDBPyConnection:
    """A work database that names annotators: `own` was brought, `bundled` was not; anna is in both."""
    connection = duckdb.connect(str(tmp_path / "named.duckdb"))
    connection.execute(
        """
        create schema marts;
        use marts;
        create table annotators (dataset_id varchar, annotator_id varchar, votes bigint);
        insert into annotators values ('own', 'anna', 2), ('own', 'ben', 1), ('bundled', 'anna', 5);
        comment on column annotators.annotator_id is 'Annotator, as text.';
        create table votes (vote_id bigint, annotator_id varchar, dataset_id varchar, label varchar);
        insert into votes values
            (1, 'anna', 'own', 'x'), (2, 'ben', 'own', 'y'), (3, 'anna', 'own', 'y'), (4, null, 'own', 'x'),
            (1, 'anna', 'bundled', 'x');
        """
    )
    return connection


def published_rows(path: Path, sql: str) -> list[Any]:
    with duckdb.connect(str(path), read_only=True) as reader:
        return reader.execute(sql).fetchall()


IDS = "select dataset_id, annotator_id from annotators order by votes"


def test_brought_annotators_get_the_same_pseudonym_in_every_table(
    named: duckdb.DuckDBPyConnection, settings: Pseudonyms, tmp_path: Path
) -> None:
    published = tmp_path / "dissent.duckdb"
    said = publish(named, published, NAMED, replace(settings, key=KEY), ["own", "without_annotators"])
    assert said == "published 2 tables to dissent.duckdb, annotator ids as pseudonyms in own"
    anna, ben = pseudonym(KEY.encode(), "own", "anna"), pseudonym(KEY.encode(), "own", "ben")
    assert len({anna, ben}) == 2 and all(len(name) == 16 and int(name, 16) for name in (anna, ben))
    assert published_rows(published, IDS) == [("own", ben), ("own", anna), ("bundled", "anna")]
    assert published_rows(published, "select vote_id, annotator_id, label from votes where dataset_id = 'own'") == [
        (1, anna, "x"),
        (2, ben, "y"),
        (3, anna, "y"),
        (4, None, "x"),
    ]
    assert published_rows(published, "from pseudonymised_datasets") == [("own", 2)]
    comments = "select comment from duckdb_columns() where column_name = 'annotator_id' order by table_name"
    assert published_rows(published, comments) == [
        ("Annotator, as text. Pseudonyms (keyed hashes) in own.",),
        ("Pseudonyms (keyed hashes) in own.",),
    ]
    # The work database keeps the ids, and nothing of the pseudonyms stays on its connection.
    assert named.execute(IDS).fetchall()[0] == ("own", "ben")
    assert named.execute("select count(*) from duckdb_tables() where temporary").fetchone() == (0,)
    # The key of the environment is written nowhere.
    assert not settings.key_file.exists()
    assert [path for path in tmp_path.iterdir() if KEY.encode() in path.read_bytes()] == []


def test_all_or_no_ids_are_replaced_on_demand(
    named: duckdb.DuckDBPyConnection, settings: Pseudonyms, tmp_path: Path
) -> None:
    published = tmp_path / "dissent.duckdb"
    publish(named, published, NAMED, replace(settings, mode="all"), ["own"])
    found = published_rows(published, IDS)
    assert {name for _, name in found}.isdisjoint({"anna", "ben"})
    # Nobody is recognised in another data set.
    assert len({name for _, name in found}) == 3
    assert published_rows(published, "select dataset_id from pseudonymised_datasets") == [("bundled",), ("own",)]
    publish(named, published, NAMED, replace(settings, mode="none"), ["own"])
    assert [name for _, name in published_rows(published, IDS)] == ["ben", "anna", "anna"]
    assert published_rows(published, "from pseudonymised_datasets") == []
    assert "Pseudonyms" not in str(published_rows(published, "select comment from duckdb_columns()"))


def test_a_key_is_made_once_and_is_nobody_elses_to_read(
    named: duckdb.DuckDBPyConnection, settings: Pseudonyms, tmp_path: Path
) -> None:
    published = tmp_path / "dissent.duckdb"
    # Where no id is replaced, no key is made.
    publish(named, published, NAMED, settings, ["another"])
    assert not settings.key_file.exists()
    publish(named, published, NAMED, settings, ["own"])
    first, key = published_rows(published, IDS), settings.key_file.read_bytes()
    assert settings.key_file.stat().st_mode & 0o777 == 0o600
    publish(named, published, NAMED, settings, ["own"])
    assert published_rows(published, IDS) == first and settings.key_file.read_bytes() == key
    settings.key_file.unlink()
    publish(named, published, NAMED, settings, ["own"])
    assert published_rows(published, IDS) != first
    settings.key_file.write_text("\n")
    with pytest.raises(PseudonymError, match=r"pseudonym\.key holds no key"):
        publish(named, published, NAMED, settings, ["own"])
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_no_two_pairs_are_written_alike() -> None:
    pairs = [("a", "bc"), ("ab", "c"), ("a", '", "bc'), ('a", "', "bc"), ("", "abc"), ("abc", ""), ("a", "b\u0000c")]
    assert len({pseudonym(b"key", *pair) for pair in pairs}) == len(pairs)


def test_a_collision_is_no_publication(
    named: duckdb.DuckDBPyConnection, settings: Pseudonyms, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = tmp_path / "dissent.duckdb"
    publish(named, published, NAMED, settings, ["own"])
    before = published.read_bytes()
    monkeypatch.setattr(pseudonyms, "DIGITS", 0)
    with pytest.raises(PseudonymError, match=r"two annotators of own .*DISSENT_PSEUDONYM_KEY"):
        publish(named, published, NAMED, settings, ["own"])
    assert published.read_bytes() == before


def test_a_table_whose_ids_cannot_be_replaced_is_not_published(
    named: duckdb.DuckDBPyConnection, settings: Pseudonyms, tmp_path: Path
) -> None:
    published = tmp_path / "dissent.duckdb"
    named.execute("create table best as select annotator_id from annotators")
    with pytest.raises(PseudonymError, match="best has annotator_id without dataset_id"):
        publish(named, published, [*NAMED, "best"], settings, ["own"])
    assert not published.exists()
    publish(named, published, [*NAMED, "best"], settings, [])
    assert len(published_rows(published, "from best")) == 3


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("DISSENT_PSEUDONYMS", "some", "DISSENT_PSEUDONYMS is 'some': set it to one of brought, all, none"),
        ("DISSENT_PSEUDONYM_KEY", "guess me", "DISSENT_PSEUDONYM_KEY has fewer than 16 characters: take a longer one"),
    ],
)
def test_a_wrong_setting_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str, value: str, says: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(PseudonymError) as refused:
        Pseudonyms.from_environment(tmp_path / "work.duckdb")
    assert str(refused.value) == says


def test_the_key_is_in_no_representation(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DISSENT_PSEUDONYM_KEY", KEY)
    monkeypatch.delenv("DISSENT_PSEUDONYMS", raising=False)
    asked = Pseudonyms.from_environment(tmp_path / "work.duckdb")
    assert asked == Pseudonyms("brought", tmp_path / "pseudonym.key", KEY)
    assert KEY not in repr(asked)


def test_the_previous_database_is_kept_and_the_published_path_is_never_missing(
    work: duckdb.DuckDBPyConnection, settings: Pseudonyms, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published, previous = tmp_path / "dissent.duckdb", tmp_path / "dissent.previous.duckdb"
    publish(work, published, ["items"], settings)
    assert not previous.exists()
    done, missing = threading.Event(), []

    def look() -> None:
        while not done.is_set():
            if not published.exists():
                missing.append(True)

    looking = threading.Thread(target=look)
    looking.start()
    for votes in range(10):
        work.execute("update marts.items set votes = ?", [votes])
        before = published.stat().st_ino
        publish(work, published, ["items"], settings)
        assert previous.stat().st_ino == before != published.stat().st_ino
    done.set()
    looking.join()
    assert not missing
    with duckdb.connect(str(previous), read_only=True) as reader:
        assert reader.execute("select distinct votes from items").fetchall() == [(8,)]

    def link(*_: object) -> None:
        raise OSError("no hard links on this file system")

    monkeypatch.setattr("os.link", link)
    publish(work, published, ["items"], settings)
    with duckdb.connect(str(previous), read_only=True) as reader:
        assert reader.execute("select distinct votes from items").fetchall() == [(9,)]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """A copy of the project that can be changed."""
    return copied_project(tmp_path_factory.mktemp("copy"))


@pytest.mark.slow
def test_from_an_offline_start_to_a_build_that_must_not_be_published(copy: Build) -> None:
    extra = copy.project / "models" / "marts" / "extra.sql"
    extra.write_text("{{ config(contract={'enforced': false}) }}\nselect 1 as one\n")
    stale = copy.folder / ".dissent.duckdb.123.tmp"
    stale.write_bytes(b"left by a killed build")
    # Nothing but the demo can land: that is no failure. The report can't be made.
    shutil.copytree(PROJECT / "report", copy.project / "report", ignore=shutil.ignore_patterns("dissent.html"))
    query = copy.project / "report" / "queries" / "annotators.sql"
    query.rename(query.with_suffix(".gone"))
    made = copy.run("python", "-m", "scripts.build")
    written = build_json(copy, made)
    assert written["exit_code"] == Code.NO_REPORT
    (why,) = written["errors"]
    assert why in made.stderr and "names the query annotators" in why
    for name in ("cifar10h-raw.zip", "cifar10h-counts.npy", "fer2013new.csv"):
        assert name in made.stdout
    assert "published" in made.stdout and not stale.exists()
    assert [entry["file_name"] for entry in written["inputs"]] == ["demo-raw.csv"]
    figures = {entry["figure"]: entry["value"] for entry in written["figures"]}
    assert set(copy.query("select figure, value from build_figures")) == set(figures.items())
    sweep = "select divided from threshold_sweep where dataset_id = 'demo' and panel = 'attentive'"
    divided = copy.query(f"{sweep} and rule_id = 'two_votes'")
    assert divided == [(figures["demo attentive two_votes divided_items"],)]
    assert written["replication"] is not None and written["replication"]["figures_replicated"] == 0
    first = (written["build_id"], "published", None)
    builds = "select build_id, outcome, reason from builds order by started_at"
    assert copy.query(builds) == [first]
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
    assert "not evaluated" in made.stdout and "cifar10h" in made.stdout

    # A failing test keeps the published file, with a reader on it all the while.
    before = copy.published.stat().st_ino
    reader = duckdb.connect(str(copy.published), read_only=True)
    failing = copy.project / "tests" / "assert_nothing_is_divided.sql"
    failing.write_text("select * from {{ ref('dissent', 'threshold_sweep') }} where divided > 0\n")
    extra.unlink()
    broken = copy.run("python", "-m", "scripts.build")
    written = build_json(copy, broken)
    assert written["exit_code"] == Code.FAILED and list(written["seconds"]) == ["landing", "models"]
    assert written["failed_nodes"] == ["test.dissent.assert_nothing_is_divided"]
    assert written["figures"] == [] and len(written["inputs"]) == 1
    with duckdb.connect(str(copy.work), read_only=True) as recorded:
        *earlier, (build_id, outcome, reason) = recorded.execute(builds.replace("builds", "history.builds")).fetchall()
    assert earlier == [first] and (build_id, outcome) == (written["build_id"], "not published")
    assert re.fullmatch(r"\d+ of \d+ models, seeds and tests did not succeed", reason)
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
    with duckdb.connect(str(copy.work), read_only=True) as recorded:
        assert recorded.execute("select count(*) from history.builds").fetchone() == (2,)

    # A second build beside a running one gets one sentence.
    held = take(copy.work)
    # Offline there is nothing to land, so that it is dbt that meets the other build.
    second = replace(copy, extra={"DISSENT_OFFLINE": "1"}).run("python", "-m", "scripts.build")
    held.close()
    written = build_json(copy, second)
    assert written["exit_code"] == Code.RUNNING and len(written["errors"]) == 1
    assert "another build is using work.duckdb" in second.stdout and "Traceback" not in second.stdout + second.stderr

    # A wrong setting stops it before the first model.
    wrong = replace(copy, extra={**copy.extra, "DISSENT_PSEUDONYMS": "some"}).dbt("build")
    assert wrong.returncode != 0
    assert "set it to one of brought, all, none" in wrong.stdout and "Traceback" not in wrong.stdout + wrong.stderr
    assert "not published" not in wrong.stdout

    # Mended: published again, without the model that is gone; the old reader isn't disturbed. The published file
    # brings its history into a new work database.
    failing.unlink()
    copy.work.unlink()
    query.with_suffix(".gone").rename(query)
    mended = copy.run("python", "-m", "scripts.build")
    written = build_json(copy, mended)
    assert written["exit_code"] == Code.PUBLISHED, mended.stdout
    assert copy.published.stat().st_ino != before
    assert reader.execute("select one from extra").fetchall() == [(1,)]
    reader.close()  # one process opens a path once: close before looking at the new file
    assert copy.query("select count(*) from duckdb_tables() where table_name = 'extra'") == [(0,)]
    assert copy.query(builds) == [first, (written["build_id"], "published", None)]
    previous = copy.folder / "dissent.previous.duckdb"
    assert previous.stat().st_ino == before
    # Two builds of the same file differ in nothing else.
    changed = compare(previous, copy.published)
    assert changed["rows"] == [{"table_name": "extra", "old_rows": 1, "new_rows": None}]
    assert [kind for kind in ("inputs", "rules", "columns", "divided", "figures") if changed[kind]] == []
    assert changed["new"]["build_id"] == written["build_id"]


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
