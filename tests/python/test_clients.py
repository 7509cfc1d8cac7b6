"""Other people's programs read what is published: the file, and the exports with their dictionary."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import pytest
from conftest import PROJECT, Build, require

from scripts.exports import ExportError, export, replacing

CLIENTS = PROJECT / ".venv-clients" / "bin"
NODE = PROJECT / "target" / "clients"
needs_clients = pytest.mark.skipif(
    not CLIENTS.exists(), reason="no .venv-clients: make test builds it, make check does not"
)
PYTHON_TYPES = {
    "VARCHAR": "str",
    "BIGINT": "int",
    "DOUBLE": "float",
    "BOOLEAN": "bool",
    "TIMESTAMP": "datetime",
    "DATE": "date",
}
# What a dictionary calls DuckDB's types.
FIELD_TYPES = {
    "VARCHAR": "string",
    "BIGINT": "integer",
    "DOUBLE": "number",
    "BOOLEAN": "boolean",
    "TIMESTAMP": "datetime",
    "DATE": "date",
}


def columns_of(build: Build) -> dict[str, dict[str, str]]:
    """Columns and their types of every published table."""
    tables: dict[str, dict[str, str]] = {}
    for table, column, kind in build.query(
        "select table_name, column_name, data_type from duckdb_columns() where not internal order by column_index"
    ):
        tables.setdefault(str(table), {})[str(column)] = str(kind)
    return tables


def rows_of(build: Build) -> dict[str, int]:
    with duckdb.connect(str(build.published), read_only=True) as connection:
        return {
            table: (connection.execute(f"select count(*) from {table}").fetchone() or (0,))[0]
            for table in columns_of(build)
        }


@needs_clients
@pytest.mark.slow
def test_sqlalchemy_reads_every_table(built: Build) -> None:
    script = PROJECT / "tests" / "clients" / "read_tables.py"
    done = subprocess.run(
        [CLIENTS / "python", "-W", "ignore", script, built.published], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    read = json.loads(done.stdout)
    assert {table: found["rows"] for table, found in read.items()} == rows_of(built)
    assert all(found["comment"] for found in read.values())
    for table, columns in columns_of(built).items():
        assert list(read[table]["columns"]) == list(columns), table
        for column, kinds in read[table]["columns"].items():
            # A column without a single value has no type in Python.
            assert kinds in ([], [PYTHON_TYPES[columns[column]]]), (table, column)


@pytest.mark.slow
def test_the_node_binding_reads_every_table(built: Build) -> None:
    for source in (PROJECT / "tests" / "clients").glob("*"):
        NODE.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, NODE)
    binding = NODE / "node_modules" / "@duckdb" / "node-api"
    if npm := shutil.which("npm"):
        # Does nothing where the lock file's versions are there already.
        quiet = ["--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run([npm, "ci", "--prefix", str(NODE), *quiet], capture_output=True, timeout=300)
    require("node", binding.exists() and shutil.which("node") is not None)
    done = subprocess.run(
        ["node", str(NODE / "read_tables.mjs"), str(built.published)], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    read = json.loads(done.stdout)
    assert {table: found["rows"] for table, found in read.items()} == rows_of(built)
    assert {table: found["columns"] for table, found in read.items()} == columns_of(built)


def test_the_lock_file_of_node_names_no_registry() -> None:
    locked = json.loads((PROJECT / "tests" / "clients" / "package-lock.json").read_text())["packages"]
    binding = locked["node_modules/@duckdb/node-api"]
    assert binding["version"].startswith("1.5.")
    assert all("resolved" not in package for package in locked.values())
    assert all("integrity" in package for name, package in locked.items() if name)


@pytest.fixture(scope="session")
def exports(built: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exports of the session's build."""
    folder = tmp_path_factory.mktemp("exported") / "exports"
    made = built.run("python", "-m", "scripts.exports", "--output", str(folder))
    assert made.returncode == 0, made.stderr
    assert re.fullmatch(r"exports: exports/ \(\d+ tables as Parquet and CSV, \d+ MB; .*\)\n", made.stdout)
    return folder


def dictionary(folder: Path) -> dict[str, Any]:
    package: dict[str, Any] = json.loads((folder / "datapackage.json").read_text())
    return package


@pytest.mark.slow
def test_the_dictionary_says_what_every_file_holds(built: Build, exports: Path) -> None:
    package = dictionary(exports)
    resources = {resource["name"]: resource for resource in package["resources"]}
    columns = columns_of(built)
    assert list(resources) == sorted(columns)
    assert {path.name for path in exports.iterdir()} == {"datapackage.json"} | {
        f"{table}.{ending}" for table in columns for ending in ("csv", "parquet")
    }
    comments = {
        (table, column): comment
        for table, column, comment in built.query("select table_name, column_name, comment from duckdb_columns()")
    }
    for table, resource in resources.items():
        fields = resource["schema"]["fields"]
        assert {field["name"]: field["type"] for field in fields} == {
            column: FIELD_TYPES[kind] for column, kind in columns[table].items()
        }
        assert resource["description"] and all(
            field["description"] == comments[table, field["name"]] for field in fields
        )
        for file in (resource, resource["parquet"]):
            content = (exports / file["path"]).read_bytes()
            assert (file["bytes"], file["hash"]) == (len(content), f"sha256:{hashlib.sha256(content).hexdigest()}")


@pytest.mark.slow
def test_keys_and_relationships_reach_the_dictionary(built: Build, exports: Path) -> None:
    schemas = {resource["name"]: resource["schema"] for resource in dictionary(exports)["resources"]}
    keyless = {table for table, schema in schemas.items() if "primaryKey" not in schema}
    # Written when the file is published, no models.
    assert keyless == {"pseudonymised_datasets", "builds", "build_inputs", "build_figures"}
    assert schemas["items"]["primaryKey"] == ["dataset_id", "panel", "item_id"]
    assert schemas["vote_counts"]["foreignKeys"] == [
        {
            "fields": ["dataset_id", "panel", "item_id"],
            "reference": {"resource": "items", "fields": ["dataset_id", "panel", "item_id"]},
        }
    ]
    relationships = [
        (table, key["fields"], key["reference"]["resource"], key["reference"]["fields"])
        for table, schema in schemas.items()
        for key in schema.get("foreignKeys", [])
    ]
    # Every one leads to a whole primary key, so that a join finds one row.
    assert [
        (table, to) for table, _, to, fields in relationships if sorted(fields) != sorted(schemas[to]["primaryKey"])
    ] == []
    # From every table with data sets one comes to dataset_provenance, or to the declared data sets, by relationships.
    reached = {"dataset_provenance", "datasets"}
    for _ in schemas:
        reached |= {table for table, fields, to, _ in relationships if to in reached and "dataset_id" in fields}
        reached |= {
            table for table, _, to, _ in relationships if to in reached and len(schemas[table]["primaryKey"]) == 1
        }
    with_dataset = {
        table for table, schema in schemas.items() if "dataset_id" in [field["name"] for field in schema["fields"]]
    }
    assert with_dataset - reached == {"pseudonymised_datasets", "build_figures"}


@pytest.mark.slow
def test_a_relationship_without_its_row_is_found(built: Build) -> None:
    nodes = json.loads((built.folder / "target" / "manifest.json").read_text())["nodes"].values()
    (sql,) = (
        node["compiled_code"] for node in nodes if str(node.get("name")).startswith("refers_to_equal_footing__columns")
    )
    with duckdb.connect() as connection:
        connection.execute(
            """
            attach ':memory:' as work;
            create schema work.marts;
            create table work.marts.panels as select * from (values ('a', 'all'), ('b', 'all')) as t(dataset_id, panel);
            create table work.marts.equal_footing as select * from (
                values ('a', 'all', 'b', 'all'), ('a', 'some', 'b', 'all'), ('b', 'all', 'c', 'all'),
                    (null, 'all', 'a', 'all'), ('b', 'all', 'd', null)
            ) as t(dataset_id, panel, other_dataset_id, other_panel)
            """
        )
        assert connection.execute(f"from ({sql}) order by all").fetchall() == [
            ("dataset_id, panel", "a, some"),
            ("other_dataset_id, other_panel", "c, all"),
        ]


@pytest.mark.slow
def test_licences_provenance_and_pseudonyms_reach_the_dictionary(exports: Path) -> None:
    package = dictionary(exports)
    sets = {found["dataset_id"]: found for found in package["data_sets"]}
    assert (sets["cifar10h"]["provenance"], sets["cifar10h"]["licence"]) == ("unverified", "CC BY-NC-SA 4.0")
    assert (sets["cifar10h"]["annotator_ids"], sets["ferplus"]["annotator_ids"]) == ("as in the vote file", "none")
    assert "cifar10h are unverified" in package["description"] and "pseudonyms" not in package["description"]
    assert {"name": "CC-BY-NC-SA-4.0", "title": "CC BY-NC-SA 4.0"} in package["licenses"]
    sources = {source["title"]: source for source in package["sources"]}
    assert sources["fer2013new.csv"]["provenance"] == "verified" and len(sources["fer2013new.csv"]["sha256"]) == 64


READERS = ["pandas_csv", "pandas_parquet", "polars_csv", "polars_parquet"]


def recipes(folder: Path) -> dict[str, Any]:
    """The functions of docs/bi.md that read a table of the exports, as they stand there."""
    (code,) = re.findall(r"```python\n(import json\n.*?)```", (PROJECT / "docs" / "bi.md").read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code.replace("exports/", f"{folder}/"), names)
    return names


def assert_same(connection: duckdb.DuckDBPyConnection, table: str, frame: Any, dates: str = "DATE") -> None:
    """The frame that pandas or polars read has the columns, types and rows of the published table, in any order."""
    connection.register("frame", frame.to_arrow() if hasattr(frame, "to_arrow") else frame)
    columns, found = (
        {column: kind for column, kind, *_ in connection.execute(f"describe from {name}").fetchall()}
        for name in (table, "frame")
    )
    assert found == {column: dates if kind == "DATE" else kind for column, kind in columns.items()}, table
    cells = ", ".join(f'cast("{column}" as {kind}) as "{column}"' for column, kind in columns.items())
    # Equal sums of the rows' hashes are equal rows, in a fraction of the time of comparing them.
    sums = [
        connection.execute(f"select count(*), sum(hash(r)::hugeint) from (select {cells} from {name}) as r").fetchall()
        for name in (table, "frame")
    ]
    assert sums[0] == sums[1], table
    connection.unregister("frame")


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_the_recipes_read_every_table_as_it_is(built: Build, exports: Path, reader: str) -> None:
    read = recipes(exports)[reader]
    with duckdb.connect() as connection:
        connection.execute(f"attach '{built.published}' as published (read_only)")
        for table in columns_of(built):
            # pandas has no dates: days are times at midnight.
            dates = "TIMESTAMP" if reader == "pandas_csv" else "DATE"
            assert_same(connection, f"published.{table}", read(table), dates)


@needs_clients
@pytest.mark.slow
def test_frictionless_finds_nothing_to_object_to(built: Build, tmp_path: Path) -> None:
    # Without the big data sets: it is slow, and checks every cell, key and relationship.
    published = tmp_path / "dissent.duckdb"
    shutil.copy(built.published, published)
    with duckdb.connect(str(published)) as connection:
        for (table,) in connection.execute(
            """
            select table_name from duckdb_columns() left join table_keys using (table_name)
            where duckdb_columns.column_name = 'dataset_id' and topic not in ('reference', 'replication')
                and table_name not in ('dataset_provenance', 'forecasts')
            group by table_name
            """
        ).fetchall():
            connection.execute(f"delete from {table} where dataset_id != 'demo'")
        connection.execute("delete from equal_footing")
    export(published, tmp_path / "exports")
    validated = subprocess.run(
        [CLIENTS / "frictionless", "validate", "--json", "datapackage.json"],
        cwd=tmp_path / "exports",
        capture_output=True,
        text=True,
        timeout=300,
    )
    report = json.loads(validated.stdout)
    objections = [(task["name"], error["message"]) for task in report["tasks"] for error in task["errors"]]
    assert (validated.returncode, report["errors"], objections) == (0, [], [])
    assert len(report["tasks"]) == len(columns_of(built))
    counted = {task["name"]: task["stats"].get("rows", 0) for task in report["tasks"]}
    assert counted["votes"] > 15_000 and counted["vote_counts"] > 1_000


AWKWARD = [
    "001",
    "NA",
    "null",
    "None",
    "nan",
    "a,b",
    'say "no"',
    " x ",
    "two\nlines",
    "Ünïcode 猫",
    "1e5",
    "true",
    "\\N",
]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A published file in small, with a table of what is hard to write as text."""
    published = tmp_path / "dissent.duckdb"
    with duckdb.connect(str(published)) as connection:
        connection.execute(
            """
            create table table_keys (
                topic varchar, table_name varchar, key_name varchar, position bigint, column_name varchar,
                to_table varchar, to_column varchar
            );
            insert into table_keys values
                ('votes', 'awkward', 'primary key', 1, 'id', null, null),
                ('votes', 'awkward', 'to data sets', 1, 'of', 'dataset_provenance', 'dataset_id'),
                ('provenance', 'dataset_provenance', 'primary key', 1, 'dataset_id', null, null);
            create table dataset_provenance (
                dataset_id varchar, title varchar, provenance varchar, votes_file varchar, licence varchar,
                citation varchar, sort_order bigint
            );
            insert into dataset_provenance values
                ('own', 'Own', 'verified', 'own.csv', 'CC BY 4.0', 'Us', 1),
                ('away', 'Away', 'not landed', 'away.csv', 'MIT', null, 2);
            create table landed_files (
                file_name varchar, address varchar, sha256 varchar, provenance varchar, licence varchar,
                citation varchar
            );
            insert into landed_files values ('own.csv', null, 'ab', 'verified', 'CC BY 4.0', 'Us');
            create table annotator_attention (dataset_id varchar, annotator_id varchar);
            insert into annotator_attention values ('own', '3f2a');
            create table pseudonymised_datasets as select 'own' as dataset_id, 1::bigint as annotators;
            create table awkward (
                id bigint not null, "of" varchar, text varchar, whole bigint, number double, truth boolean,
                moment timestamp
            );
            comment on table awkward is 'One row per awkward text.';
            comment on column awkward.text is 'The text.';
            """
        )
        connection.execute(
            """
            insert into awkward
            select place, 'own', text, 9223372036854775807 - place, 1 / (3e0 + place), place % 2 = 0,
                timestamp '2026-11-30 17:42:00.000001' + interval (place) day
            from (select unnest($1) as text, generate_subscripts($1, 1) as place) order by hash(place)
            """,
            [AWKWARD],
        )
        connection.execute("insert into awkward values (0, null, null, null, null, null, null)")
        connection.execute("insert into awkward values (99, 'own', 'x', -1, 5e-324, false, '1969-12-31 23:59:59')")
    return published


@pytest.mark.parametrize("reader", READERS)
def test_awkward_values_come_back(small: Path, tmp_path: Path, reader: str) -> None:
    export(small, tmp_path / "exports")
    read = recipes(tmp_path / "exports")[reader]
    with duckdb.connect(str(small), read_only=True) as connection:
        assert_same(connection, "awkward", read("awkward"))
        # In the order of the key, whatever the order in the database.
        assert list(read("awkward")["id"]) == [0, *range(1, len(AWKWARD) + 1), 99]


def test_an_empty_text_is_not_null(small: Path, tmp_path: Path) -> None:
    with duckdb.connect(str(small)) as connection:
        connection.execute("delete from awkward where id > 1; update awkward set text = '' where id = 1")
    export(small, tmp_path / "exports")
    read = recipes(tmp_path / "exports")
    for reader in ("polars_csv", "polars_parquet"):
        assert list(read[reader]("awkward")["text"]) == [None, ""], reader
    assert list(read["pandas_parquet"]("awkward")["text"].fillna("missing")) == ["missing", ""]
    # As docs/bi.md says.
    assert list(read["pandas_csv"]("awkward")["text"].fillna("missing")) == ["missing", "missing"]


def test_the_dictionary_of_a_small_file(small: Path, tmp_path: Path) -> None:
    export(small, tmp_path / "exports")
    package = dictionary(tmp_path / "exports")
    assert package["licenses"] == [{"name": "CC-BY-4.0", "title": "CC BY 4.0"}]
    assert package["data_sets"] == [
        {
            "dataset_id": "own",
            "title": "Own",
            "provenance": "verified",
            "votes_file": "own.csv",
            "licence": "CC BY 4.0",
            "citation": "Us",
            "annotator_ids": "pseudonyms (keyed hashes)",
        }
    ]
    assert "Annotator ids in own are pseudonyms; the votes themselves may still tell" in package["description"]
    (awkward,) = (resource for resource in package["resources"] if resource["name"] == "awkward")
    assert (awkward["description"], awkward["topic"]) == ("One row per awkward text.", "votes")
    assert awkward["schema"]["primaryKey"] == ["id"]
    assert awkward["schema"]["foreignKeys"] == [
        {"fields": ["of"], "reference": {"resource": "dataset_provenance", "fields": ["dataset_id"]}}
    ]
    fields = {field["name"]: field for field in awkward["schema"]["fields"]}
    assert fields["id"]["constraints"] == {"required": True} and "constraints" not in fields["text"]
    assert fields["text"]["description"] == "The text."


def test_equal_tables_make_equal_files(small: Path, tmp_path: Path) -> None:
    export(small, tmp_path / "exports")
    before = {path.name: path.read_bytes() for path in (tmp_path / "exports").iterdir()}
    with duckdb.connect(str(small)) as connection:
        connection.execute("create or replace table awkward as from awkward order by hash(id + 1)")
        connection.execute("comment on table awkward is 'One row per awkward text.'")
    (tmp_path / "exports" / "stale.csv").write_text("of a table that is gone")
    export(small, tmp_path / "exports")
    after = {path.name: path.read_bytes() for path in (tmp_path / "exports").iterdir()}
    assert set(after) == set(before)
    assert all(after[name] == before[name] for name in before if name != "datapackage.json")


def test_a_failure_leaves_the_old_exports(small: Path, tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    export(small, folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with duckdb.connect(str(small)) as connection:
        connection.execute("drop table landed_files; delete from awkward")
    with pytest.raises(
        ExportError, match=r"dissent\.duckdb can't be exported to exports, what was there stays: .*landed"
    ):
        export(small, folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_an_exchange_that_breaks_off_brings_the_old_folder_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    (folder / "old.csv").write_text("old")
    rename = Path.rename

    def fail_for_the_new(self: Path, target: Path) -> Path:
        if ".new." in self.name:
            raise OSError("no space left")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail_for_the_new)
    with pytest.raises(OSError, match="no space left"), replacing(folder) as new:
        (new / "new.csv").write_text("new")
    assert [path.name for path in tmp_path.rglob("*")] == ["exports", "old.csv"]


def test_exports_without_a_published_file_are_one_sentence(tmp_path: Path) -> None:
    made = Build(tmp_path).run("python", "-m", "scripts.exports", "--output", str(tmp_path / "exports"))
    assert (made.returncode, made.stdout) == (1, "")
    assert made.stderr == "dissent.duckdb is not there yet: run make build first\n"
    assert not (tmp_path / "exports").exists()
