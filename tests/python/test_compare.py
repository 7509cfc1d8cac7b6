"""Two published databases compared: what changed is named, what did not is not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
from conftest import PROJECT, Build

from scripts.compare import ComparisonError, compare

# The columns that a comparison reads; one rule, one file, one figure.
TABLES = """
    create table landed_files as
        select 'votes.csv' as file_name, 'aaaaaaaaaaaaaaaa' as sha256, 'verified' as provenance, 10::bigint as rows;
    create table thresholds as
        select 'two_votes' as rule_id, 2::bigint as min_votes, 0::bigint as min_share_pct, 'second_label' as basis,
            false as drop_single_votes, 1::bigint as sort_order;
    create table threshold_sweep as
        select 'demo' as dataset_id, 'all' as panel, 'two_votes' as rule_id, 8::bigint as items, 2::bigint as divided,
            25.0::double as divided_pct;
    create table replication as
        select 'demo_two_votes' as figure_id, 25.0::double as expected, 25.0::double as observed,
            'replicated' as verdict;
    create table builds as
        select 'first' as build_id, timestamp '2026-11-30 12:00:00' as finished_at, 'published' as outcome;
"""
KINDS = ("inputs", "rules", "rows", "columns", "divided", "figures")


def database(folder: Path, name: str, *changes: str) -> Path:
    path = folder / f"{name}.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(TABLES)
        for change in changes:
            connection.execute(change)
    return path


def command(*arguments: str | Path, published: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scripts.compare", *map(str, arguments)],
        cwd=PROJECT,
        env={"DISSENT_DATABASE": str(published or PROJECT / "nowhere.duckdb"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_nothing_changed_is_one_line(tmp_path: Path) -> None:
    # Another build of the same, its last digits rounded otherwise.
    again = ("insert into builds values ('second', '2026-11-30 13:00:00', 'published')",)
    old = database(tmp_path, "old")
    new = database(tmp_path, "new", *again, "update threshold_sweep set divided_pct = 25.0000000000001")
    compared = command(old, new)
    assert compared.returncode == 0, compared.stderr
    assert compared.stdout.splitlines() == [
        f"old: {old} (build first, 2026-11-30T12:00:00Z)",
        f"new: {new} (build second, 2026-11-30T13:00:00Z)",
        "nothing changed: same input files, rules, row counts, columns, divided shares, figures, verdicts",
    ]


@pytest.mark.parametrize(
    ("change", "kinds", "line"),
    [
        (
            "update landed_files set sha256 = 'bbbbbbbbbbbbbbbb', provenance = 'unverified', rows = 11",
            {"inputs"},
            "votes.csv  aaaaaaaaaaaa -> bbbbbbbbbbbb  verified -> unverified  10 -> 11 rows",
        ),
        (
            "update thresholds set min_votes = 3, drop_single_votes = true",
            {"rules"},
            "two_votes  2 votes, 0 %, second_label -> 3 votes, 0 %, second_label, single votes dropped",
        ),
        ("insert into thresholds (rule_id) values ('new_rule')", {"rows"}, "thresholds  1 -> 2  +1"),
        ("create table items as select 1 as n", {"rows"}, "items  1 rows, only in new"),
        ("drop table builds", set(), "new: {new} (of a build without history)"),
        ("alter table thresholds add column note varchar", {"columns"}, "thresholds.note  – -> VARCHAR"),
        (
            "update threshold_sweep set divided = 3, divided_pct = 37.5",
            {"divided"},
            "demo  all  two_votes  25.00 -> 37.50  +12.50  (2 -> 3 of 8)",
        ),
        ("update threshold_sweep set divided_pct = null", {"divided"}, "demo  all  two_votes  25.00 -> –    (2 of 8)"),
        (
            "insert into threshold_sweep values ('demo', 'all', 'any_vote', 8, 4, 50)",
            {"rows", "divided"},
            "demo  all  any_vote  – -> 50.00    (– -> 4 of – -> 8)",
        ),
        (
            "update replication set verdict = 'not evaluated'",
            {"figures"},
            "demo_two_votes  replicated -> not evaluated  published 25  found 25",
        ),
        (
            "update replication set verdict = 'differs', observed = 26.5",
            {"figures"},
            "demo_two_votes  replicated -> differs  published 25  found 25 -> 26.5",
        ),
        (
            "update replication set expected = 24",
            {"figures"},
            "demo_two_votes  replicated  published 25 -> 24  found 25",
        ),
        (
            "update replication set observed = null",
            {"figures"},
            "demo_two_votes  replicated  published 25  found 25 -> –",
        ),
    ],
)
def test_a_change_is_named_and_nothing_else(tmp_path: Path, change: str, kinds: set[str], line: str) -> None:
    old, new = database(tmp_path, "old"), database(tmp_path, "new", change)
    compared = command(old, new)
    assert line.format(new=new) in [shown.strip() for shown in compared.stdout.splitlines()], compared.stdout
    assert compared.returncode == (3 if kinds else 0)
    found = compare(old, new)
    assert {kind for kind in KINDS if found[kind]} == kinds
    # The same the other way round.
    assert {kind for kind in KINDS if compare(new, old)[kind]} == kinds


def test_json_says_all_of_it(tmp_path: Path) -> None:
    rows = "insert into threshold_sweep select 'demo', 'all', 'rule_' || n, 100, n, n from range(30) as numbers (n)"
    old, new = database(tmp_path, "old"), database(tmp_path, "new", rows)
    read = command(old, new)
    assert "  and 10 more (--rows 0 shows all)" in read.stdout.splitlines()
    assert "more" not in command(old, new, "--rows", "0").stdout
    written: dict[str, Any] = json.loads(command(old, new, "--json").stdout)
    assert list(written) == ["old", "new", "is_equal", *KINDS]
    assert written["old"] == {"path": str(old), "build_id": "first", "finished_at": "2026-11-30T12:00:00Z"}
    assert not written["is_equal"] and len(written["divided"]) == 30
    assert written["rows"] == [{"table_name": "threshold_sweep", "old_rows": 1, "new_rows": 31}]


def test_without_names_the_previous_and_the_published_database_are_compared(tmp_path: Path) -> None:
    published = database(tmp_path, "dissent", "update threshold_sweep set divided = 3")
    alone = command(published=published)
    assert alone.returncode == 1 and "dissent.previous.duckdb is not there" in alone.stderr
    database(tmp_path, "dissent.previous")
    assert "(2 -> 3 of 8)" in command(published=published).stdout
    other = database(tmp_path, "other", "update threshold_sweep set divided = 4")
    assert "(4 -> 3 of 8)" in command(other, published=published).stdout
    # As the Makefile calls it where only NEW is named.
    assert "(2 -> 4 of 8)" in command("", other, published=published).stdout


@pytest.mark.parametrize("content", ["no database", "another database", "no columns"])
def test_a_file_that_cannot_be_compared_is_one_sentence(tmp_path: Path, content: str) -> None:
    old, new = database(tmp_path, "old"), tmp_path / "new.duckdb"
    if content == "no database":
        new.write_text("not a database")
    else:
        changes = {"another database": "drop table threshold_sweep", "no columns": "alter table thresholds drop basis"}
        database(tmp_path, "new", changes[content])
    compared = command(old, new)
    assert (compared.returncode, compared.stdout, compared.stderr.count("\n")) == (1, "", 1)
    assert str(new) in compared.stderr
    with pytest.raises(ComparisonError, match="the same file"):
        compare(old, old)


@pytest.mark.slow
def test_a_real_database_is_equal_to_itself_and_not_to_a_changed_one(built: Build, tmp_path: Path) -> None:
    changed = tmp_path / "changed.duckdb"
    changed.write_bytes(built.published.read_bytes())
    assert compare(built.published, changed)["is_equal"]
    with duckdb.connect(str(changed)) as connection:
        connection.execute("update threshold_sweep set divided = divided + 1 where dataset_id = 'ferplus'")
    found = compare(built.published, changed)
    assert {row["dataset_id"] for row in found["divided"]} == {"ferplus"}
    assert {kind for kind in KINDS if found[kind]} == {"divided"}
