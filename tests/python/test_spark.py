"""The second engine: one build on Spark of everything that landed, and its tables held against DuckDB's."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from conftest import PROJECT, Build, require

from scripts.land_spark import declared_tables, export
from scripts.parity import ParityError, compare, compare_all, read_keys

SPARK_DBT = PROJECT / ".venv-spark" / "bin" / "dbt"


@pytest.fixture(scope="session")
def on_spark(built: Build, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """The session's build with Spark's folder beside it, built on Spark too: once, it takes minutes."""
    java = str(Path(os.environ["JAVA_HOME"]) / "bin" / "java") if os.environ.get("JAVA_HOME") else "java"
    # make test sets up .venv-spark where Java is installed.
    require("java", shutil.which(java) is not None and SPARK_DBT.exists())
    folder = tmp_path_factory.mktemp("spark")
    build = replace(built, extra={**built.extra, "DISSENT_SPARK": str(folder)})
    landed = build.run("python", "-m", "scripts.land_spark")
    assert landed.returncode == 0, landed.stderr
    made = subprocess.run(
        [SPARK_DBT, "--quiet", "build", "--target", "spark", "--target-path", str(folder / "target")],
        cwd=PROJECT,
        env=build.env,
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert made.returncode == 0, made.stdout + made.stderr[-5000:]
    return build


def warehouse(build: Build) -> Path:
    return Path(build.extra["DISSENT_SPARK"]) / "warehouse" / "marts.db"


@pytest.mark.spark
@pytest.mark.slow
def test_every_mart_is_the_same_on_both_engines(on_spark: Build) -> None:
    parity = on_spark.run("python", "-m", "scripts.parity")
    assert parity.returncode == 0, parity.stdout + parity.stderr
    assert parity.stdout.splitlines()[-1].startswith("DuckDB and Spark agree: ")
    for table in ("votes", "items", "threshold_sweep", "replication", "published_figures"):
        assert re.search(rf"^{table} +[\d,]+ rows  equal$", parity.stdout, re.MULTILINE), table


@pytest.mark.spark
@pytest.mark.slow
def test_published_figures_replicate_on_spark(on_spark: Build) -> None:
    columns = "select figure_id, kind, verdict from"
    verdicts = duckdb.execute(f"{columns} '{warehouse(on_spark)}/replication/*.parquet' order by all").fetchall()
    assert verdicts == on_spark.query(f"{columns} replication order by all")
    assert [kind for _, kind, verdict in verdicts if verdict == "differs"] == ["claim"]
    assert sum(verdict == "replicated" for _, _, verdict in verdicts) >= 56


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "change", "names"),
    [
        ("items", "votes + 1 as votes", "items, key (demo, all, 7), column votes"),
        ("items", "normalised_entropy + 1e-8 as normalised_entropy", "items, key (demo, all, 7), column normalised_e"),
        ("items", "'x' as item_id", "items, key (demo, all, 7), the row is missing in Spark"),
    ],
)
def test_a_changed_row_fails_parity(on_spark: Build, tmp_path: Path, table: str, change: str, names: str) -> None:
    changed = tmp_path / "warehouse" / "marts.db"
    changed.mkdir(parents=True)
    for folder in warehouse(on_spark).iterdir():
        if folder.name != table:
            (changed / folder.name).symlink_to(folder)
    (changed / table).mkdir()
    source = f"from '{warehouse(on_spark)}/{table}/*.parquet'"
    is_changed = "dataset_id = 'demo' and panel = 'all' and item_id = '7'"
    duckdb.execute(
        f"copy (select * {source} where not ({is_changed}) union all by name"
        f" select * replace ({change}) {source} where {is_changed}) to '{changed}/{table}/changed.parquet'"
    )
    parity = replace(on_spark, extra={**on_spark.extra, "DISSENT_SPARK": str(tmp_path)}).run(
        "python", "-m", "scripts.parity"
    )
    assert parity.returncode == 1
    assert names in parity.stdout
    assert f"differ in 1 of {len(list(changed.iterdir()))} tables" in parity.stdout


@pytest.mark.spark
@pytest.mark.slow
def test_spark_keeps_to_its_folder(on_spark: Build) -> None:
    for name in ("metastore_db", "derby.log", "spark-warehouse", "artifacts"):
        assert not (PROJECT / name).exists()
    assert (Path(on_spark.extra["DISSENT_SPARK"]) / "metastore_db").is_dir()


CELLS = [
    # DuckDB's cell, Spark's cell, do they agree
    ("1::bigint", "1::bigint", True),
    ("1::bigint", "2::bigint", False),
    ("9007199254740993::bigint", "9007199254740992::bigint", False),  # one and the same as doubles
    ("null::bigint", "null::bigint", True),
    ("null::bigint", "0::bigint", False),
    ("'a'", "'a '", False),
    ("null::varchar", "''", False),
    ("true", "null::boolean", False),
    ("timestamp '2026-01-01 00:00:00'", "timestamp '2026-01-01 00:00:00.000001'", False),
    ("1e0", "1e0 + 0.9e-9", True),
    ("1e0", "1e0 + 1.1e-9", False),
    ("1e12", "1e12 + 900", True),
    ("1e12", "1e12 + 1100", False),
    ("0e0", "0.9e-12", True),
    ("0e0", "1.1e-12", False),
    ("-1e0", "1e0", False),
    ("null::double", "null::double", True),
    ("null::double", "0e0", False),
    ("0e0", "null::double", False),
    ("'nan'::double", "'nan'::double", True),
    ("'nan'::double", "1e0", False),
    ("'inf'::double", "'inf'::double", True),
    ("'inf'::double", "1e300", False),
    ("'inf'::double", "'-inf'::double", False),
    ("'nan'::double", "null::double", False),
]


@pytest.mark.parametrize(("left", "right", "agree"), CELLS)
def test_when_cells_agree(left: str, right: str, agree: bool) -> None:
    with duckdb.connect() as connection:
        sides = [f"(select 'k' as id, {cell} as cell)" for cell in (left, right)]
        found = compare(connection, "t", ["id"], *sides)
    assert found.rows == 1
    assert (found.differences == []) is agree
    assert agree or found.differences[0].startswith("t, key (k), column cell: DuckDB has ")


@pytest.mark.parametrize(
    ("left", "right", "differences"),
    [
        ("values (1, 1)", "values (1, 1), (2, 1)", ["1 rows in DuckDB, 2 in Spark", "key (2, 1), the row is missing"]),
        ("values (1, 1), (2, 1)", "values (1, 1), (1, 1)", ["key (2, 1), the row is missing in Spark"]),
        ("values (1, 1)", "values (1, 1), (1, 1)", ["1 rows in DuckDB, 2 in Spark"]),
        ("values (1, null)", "values (1, null)", []),
        ("values (1, 1)", "select 1, 1, 5", ["column col2: DuckDB has no such column, Spark has INTEGER"]),
        ("select 1, 1, 5", "values (1, 1)", ["column col2: DuckDB has INTEGER, Spark has no such column"]),
        ("values (1, 1)", "select 1, 1::bigint", ["column col1: DuckDB has INTEGER, Spark has BIGINT"]),
        ("values (1, 1)", "values (1)", ["column col1: DuckDB has INTEGER, Spark has no such column"]),
        ("select 1, 1 where false", "select 1, 1 where false", []),
    ],
)
def test_when_tables_agree(left: str, right: str, differences: list[str]) -> None:
    def side(query: str) -> str:
        width = 3 if query.startswith("select 1, 1, 5") else 1 if query == "values (1)" else 2
        return f"(select * from ({query}) as side({', '.join(f'col{n}' for n in range(width))}))"

    with duckdb.connect() as connection:
        found = compare(connection, "t", ["col0", "coalesce(col1, 0)"], side(left), side(right))
    assert len(found.differences) == len(differences)
    for expected, difference in zip(differences, found.differences, strict=True):
        assert expected in difference


def test_only_the_first_differences_are_shown() -> None:
    with duckdb.connect() as connection:
        sides = [
            "(select i as id, i as x from range(100) as r(i))",
            "(select i as id, i + 1 as x from range(100) as r(i))",
        ]
        found = compare(connection, "t", ["id"], *sides)
    assert found.differences[0] == "t, key (0), column x: DuckDB has 0, Spark has 1"
    assert found.differences[5:] == ["t: 100 rows differ in all, the first 5 are shown"]


def test_a_table_that_one_engine_lacks(tmp_path: Path) -> None:
    work = tmp_path / "it's.duckdb"
    with duckdb.connect(str(work)) as connection:
        connection.execute("create schema marts; use marts")
        connection.execute("create table shared as select 1 as id; create table duck_only as select 1 as id")
        for table in ("shared", "spark_only"):
            (tmp_path / table).mkdir()
            connection.execute(f"copy (select 1 as id) to '{tmp_path}/{table}/part-0.parquet'")
    found = compare_all(work, tmp_path, {table: ["id"] for table in ("shared", "duck_only", "spark_only")})
    assert [comparison.differences for comparison in found] == [
        [],
        ["duck_only: no such table in Spark"],
        ["spark_only: no such table in DuckDB"],
    ]


def test_keys_come_from_the_primary_key_tests(tmp_path: Path) -> None:
    def model(name: str, schema: str) -> dict[str, str]:
        return {"resource_type": "model", "schema": schema, "alias": name}

    test = {"name": "primary_key", "kwargs": {"columns": ["a", "coalesce(b, '')"], "model": "{{ x }}"}}
    nodes = {
        "model.d.items": model("items", "marts"),
        "model.d.stg": model("stg", "staging"),
        "test.d.key": {"resource_type": "test", "attached_node": "model.d.items", "test_metadata": test},
        "test.d.plain": {"resource_type": "test"},
    }
    manifest = tmp_path / "manifest.json"
    manifest.write_text(json.dumps({"nodes": nodes}))
    assert read_keys(manifest) == {"items": ["a", "coalesce(b, '')"]}
    manifest.write_text(json.dumps({"nodes": {**nodes, "model.d.keyless": model("keyless", "marts")}}))
    with pytest.raises(ParityError, match="keyless"):
        read_keys(manifest)


def test_raw_tables_are_written_once(tmp_path: Path) -> None:
    work, raw = tmp_path / "work.duckdb", tmp_path / "raw"
    # Nothing landed: every declared table is there, empty and typed.
    assert export(work, raw) == list(declared_tables())
    empty = duckdb.execute(f"describe from '{raw}/landed_files/*.parquet'").fetchall()
    assert [row[:2] for row in empty][-3:] == [
        ("is_verified", "BOOLEAN"),
        ("warnings", "VARCHAR"),
        ("landed_at", "TIMESTAMP"),
    ]

    def land(rows: str) -> None:
        with duckdb.connect(str(work)) as connection:
            connection.execute("create schema if not exists raw")
            for name in ("demo_raw", "landed_files"):
                columns = ", ".join(f'"{column}" {kind}' for column, kind in declared_tables()[name])
                connection.execute(f"create or replace table raw.{name} ({columns})")
            connection.execute(f"insert into raw.demo_raw by name select i as file_row from range({rows}) as r(i)")
            connection.execute(
                f"insert into raw.landed_files by name select 'demo-raw.csv' as file_name, {rows} as rows"
            )

    def rows_written() -> object:
        return duckdb.execute(f"select count(*) from '{raw}/demo_raw/*.parquet'").fetchall()

    land("3")
    assert export(work, raw) and rows_written() == [(3,)]
    before = (raw / "demo_raw" / "demo_raw.parquet").stat().st_mtime_ns
    assert export(work, raw) == []
    assert (raw / "demo_raw" / "demo_raw.parquet").stat().st_mtime_ns == before
    land("4")
    assert export(work, raw) and rows_written() == [(4,)]
    # Interrupted before its end, it is done again.
    (raw / "written.txt").unlink()
    assert export(work, raw)
    assert [path.name for path in raw.glob("*/.*")] == []


def test_no_model_asks_which_engine_it_is_on() -> None:
    for folder in ("models", "tests", "analyses"):
        for path in (PROJECT / folder).rglob("*.sql"):
            assert not re.search(r"target\.(type|name)|adapter\.type", path.read_text(encoding="utf-8")), path


def test_no_decimal_literal_enters_a_percentage() -> None:
    # 100.0 is a decimal: Spark then divides to 14 digits, where 100e0 is a double on both engines.
    for path in [*(PROJECT / "models").rglob("*.sql"), *(PROJECT / "macros").glob("*.sql")]:
        assert not re.search(r"\b\d+\.0 \*", path.read_text(encoding="utf-8")), path


def test_missing_java_is_one_sentence() -> None:
    made = subprocess.run(
        ["make", "--no-print-directory", "build", "TARGET=spark", "JAVA=/nowhere/java"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
    )
    assert made.returncode != 0
    assert made.stderr.splitlines()[0].startswith("Spark needs Java 17 or newer: install it")


def test_parity_without_builds_says_what_to_run(tmp_path: Path) -> None:
    parity = Build(tmp_path).run("python", "-m", "scripts.parity")
    assert parity.returncode == 1
    assert "run make build first" in parity.stderr and "Traceback" not in parity.stderr
