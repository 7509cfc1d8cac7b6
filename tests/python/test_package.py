"""Dissent as a dbt package: integration_tests/ is a project that has its votes already, and a model called items."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from conftest import PROJECT, Build, copied_project, require
from test_spark import SPARK_DBT

MARTS = "main_dissent_marts"
RATINGS = {"relation": "ratings", "item": "product_id", "label": "choice"}


def shop_in(folder: Path) -> Build:
    """A copy of integration_tests/ in a copy of the package, which dbt deps installs from there, without network."""
    project = copied_project(folder).project / "integration_tests"
    shutil.copytree(
        PROJECT / "integration_tests", project, ignore=shutil.ignore_patterns("dbt_packages", "target", "*.duckdb")
    )
    shop = Build(folder, project=project, extra={"SHOP_FOLDER": str(folder)})
    installed = shop.dbt("deps")
    assert installed.returncode == 0, installed.stdout + installed.stderr
    return shop


def query(shop: Build, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(shop.folder / "shop.duckdb"), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def columns(shop: Build) -> list[tuple[object, ...]]:
    return query(
        shop,
        "select table_name, column_name, data_type from information_schema.columns"
        f" where table_schema = '{MARTS}' order by all",
    )


def relations(*entries: Mapping[str, object]) -> tuple[str, str]:
    return "--vars", json.dumps({"vote_relations": list(entries)})


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """The project, built on DuckDB; its own tests hold the package's numbers against the expected ones."""
    shop = shop_in(tmp_path_factory.mktemp("shop"))
    made = shop.run("dbt", "build")
    assert made.returncode == 0, made.stdout + made.stderr
    assert "not published" not in made.stdout
    return shop


@pytest.mark.slow
def test_the_package_keeps_to_schemas_of_its_own(shop: Build) -> None:
    schemas = query(shop, "select distinct table_schema from information_schema.tables order by all")
    own = [f"main_dissent_{layer}" for layer in ("intermediate", "marts", "staging")]
    # The shop's own, and those: no raw tables, nothing published.
    assert schemas == [(schema,) for schema in sorted(["main", "main_marts", *own])]
    assert query(shop, "select count(*) from main_marts.items") == [(20,)]
    assert query(shop, f"select count(*) from {MARTS}.items where dataset_id = 'rated' and panel = 'all'") == [(20,)]
    assert not shop.published.exists()


@pytest.mark.slow
def test_the_bundled_data_sets_stay_out(shop: Build) -> None:
    tables = {table for (table, _, _) in columns(shop)}
    assert {"thresholds", "lapse_rates", "items", "agreement", "threshold_sweep"} <= tables
    assert not tables & {"datasets", "labels", "published_figures", "replication", "landed_files", "hod_bounds"}
    assert query(shop, f"select distinct dataset_id from {MARTS}.panels order by all") == [("counted",), ("rated",)]
    assert query(shop, f"select distinct provenance from {MARTS}.threshold_sweep") == [("warehouse",)]
    # Declared and never voted: it counts in K.
    labels = query(shop, "select label, labels from main_dissent_intermediate.int_labels where dataset_id = 'rated'")
    assert sorted(labels) == [("cat", 4), ("dog", 4), ("fox", 4), ("owl", 4)]


@pytest.mark.slow
def test_a_relation_is_named_in_three_ways(shop: Build) -> None:
    source = {"source": "loaded", "table": "ratings"}
    ways = {"model": "ratings", "source": source, "name": "main.ratings"}
    entries = [{**RATINGS, "dataset_id": way, "relation": relation} for way, relation in ways.items()]
    made = shop.dbt("run", "--select", "stg_warehouse__votes", *relations(*entries))
    assert made.returncode == 0, made.stdout
    counted = query(shop, "select dataset_id, count(*) from main_dissent_staging.stg_warehouse__votes group by all")
    assert sorted(counted) == [("model", 100), ("name", 100), ("source", 100)]


@pytest.mark.slow
def test_undecided_votes_fail_the_build(shop: Build) -> None:
    # Everything by one rater: each product is rated many times by the same person.
    entry = {**RATINGS, "dataset_id": "repeated", "annotator": "'ann'"}
    made = shop.run("dbt", "build", "--select", "+dropped_votes", *relations(entry))
    assert made.returncode == 1
    assert re.search(r"FAIL 1 .*dropped_votes", made.stdout), made.stdout
    reasons = query(shop, f"select reason from {MARTS}.dropped_votes")
    assert reasons == [("undecided: repeated vote",)]
    kept = ("--indirect-selection", "cautious", *relations({**entry, "repeats": "keep_first"}))
    made = shop.dbt("build", "--select", "+dropped_votes", *kept)
    assert made.returncode == 0, made.stdout
    # 25 products, the checks included, each rated four times.
    assert query(shop, f"select reason, cells from {MARTS}.dropped_votes") == [("repeated vote", 75)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"labl": "choice"}, "entry 1: there is no key labl: the keys are dataset_id, relation, item, label, "),
        ({"attention_check": "is_check = 1"}, "entry 1: attention_check needs annotator, true_label and "),
    ],
)
def test_a_wrong_variable_gets_one_sentence(shop: Build, change: dict[str, object], says: str) -> None:
    entry = {**RATINGS, "dataset_id": "d", **change}
    parsed = shop.dbt("parse", *relations(entry))
    assert parsed.returncode != 0
    assert f"variable vote_relations, {says}" in parsed.stdout


@pytest.mark.slow
def test_without_relations_the_tables_are_typed_and_empty(shop: Build, tmp_path: Path) -> None:
    expected = columns(shop)
    empty = replace(shop, folder=tmp_path, extra={"SHOP_FOLDER": str(tmp_path)})
    own_tests = ("assert_divided_as_expected", "assert_both_items_are_there")
    made = empty.dbt("build", *relations(), "--exclude", *own_tests)
    assert made.returncode == 0, made.stdout
    assert columns(empty) == expected
    tables = {name for (name, _, _) in expected}
    # The keys of what is built here, and nothing about tables of the bundled data sets.
    named = query(empty, f"select distinct unnest([table_name, to_table]) from {MARTS}.table_keys")
    assert {name for (name,) in named} - {None} == tables
    for table in tables - {"thresholds", "lapse_rates", "table_keys"}:
        assert query(empty, f"select count(*) from {MARTS}.{table}") == [(0,)], table


@pytest.mark.spark
@pytest.mark.slow
def test_the_package_builds_on_spark(tmp_path: Path) -> None:
    java = str(Path(os.environ["JAVA_HOME"]) / "bin" / "java") if os.environ.get("JAVA_HOME") else "java"
    require("java", shutil.which(java) is not None and SPARK_DBT.exists())
    shop = shop_in(tmp_path)
    # Every model and the shop's tests; the package's own tests run on Spark in test_spark.
    selected = ["resource_type:seed", "resource_type:model", "package:shop,resource_type:test"]
    made = subprocess.run(
        [SPARK_DBT, "build", "--target", "spark", "--indirect-selection", "empty", "--select", *selected],
        cwd=shop.project,
        env=shop.env,
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert made.returncode == 0, made.stdout + made.stderr[-5000:]
    assert re.search(r"PASS assert_divided_as_expected", made.stdout)
    sweep = tmp_path / "warehouse" / "shop_dissent_marts.db" / "threshold_sweep"
    divided = f"select dataset_id, divided from '{sweep}/*.parquet' where panel = 'all' and rule_id = 'any_vote'"
    assert duckdb.execute(divided + " order by all").fetchall() == [("counted", 12), ("rated", 12)]


def test_every_reference_names_the_package() -> None:
    # A host's model of the same name is preferred otherwise.
    for folder in ("models", "tests", "analyses", "seeds", "macros"):
        for path in (PROJECT / folder).rglob("*.*"):
            if path.suffix in (".sql", ".yml"):
                text = re.sub(r"\{#.*?#\}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
                for argument in re.findall(r"\bref\(([^,)]*)", text):
                    assert argument in ("'dissent'", '"dissent"', "project_name"), f"{path}: ref({argument})"


def test_seeds_of_the_package_suit_the_adapters_own_loader() -> None:
    # macros/spark__load_csv_rows.sql works for the root project only; dbt-spark's own can't write a quote or a NULL.
    for name in ("thresholds", "lapse_rates"):
        text = (PROJECT / "seeds" / f"{name}.csv").read_text(encoding="utf-8")
        assert "'" not in text and ",," not in text and ",\n" not in text
