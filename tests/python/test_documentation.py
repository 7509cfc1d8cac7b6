"""Models, columns, tests, macros and exposures are documented without a gap, and `make docs` makes a page of it."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import jinja2
import pytest
from conftest import PROJECT, Build, logged
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from scripts.ask import published_sql
from scripts.build_lock import take
from scripts.reporting.data import Published

pytestmark = pytest.mark.slow

Nodes = dict[str, dict[str, Any]]
# Tables of the published file that publishing writes, no model.
WRITTEN = {"builds", "build_inputs", "build_figures", "pseudonymised_datasets"}
# A vote has no key of its own: an annotator may vote on an item again. assert_no_vote_lost_between_layers counts them.
WITHOUT_KEY = {"model.dissent.int_numbered_votes"}
# They are found by these prefixes and do what the macro they belong to says.
IMPLEMENTATION = re.compile("(default|duckdb|spark)__")


@dataclass(frozen=True)
class Documentation:
    """What `make docs` made: the page, what dbt was told, and what the work database holds."""

    page: Path
    manifest: dict[str, Any]
    catalog: dict[str, Any]

    @property
    def tables(self) -> Nodes:
        """Models, seeds and sources."""
        nodes: Nodes = self.manifest["nodes"]
        return {name: node for name, node in nodes.items() if node["resource_type"] in ("model", "seed")} | self.sources

    @property
    def sources(self) -> Nodes:
        return dict(self.manifest["sources"])

    @property
    def macros(self) -> Nodes:
        """Those of this project that are called by their name."""
        return {
            name: macro
            for name, macro in self.manifest["macros"].items()
            if macro["package_name"] == "dissent" and not IMPLEMENTATION.match(macro["name"])
        }

    def columns_there(self, name: str) -> set[str]:
        """The columns that the table really has; none where it was not made."""
        found = self.catalog["nodes"].get(name) or self.catalog["sources"].get(name) or {"columns": {}}
        return set(found["columns"])


def make_docs(build: Build, page: Path) -> subprocess.CompletedProcess[str]:
    return build.run("python", "-m", "scripts.docs", "--output", str(page))


@pytest.fixture(scope="module")
def documentation(built: Build, tmp_path_factory: pytest.TempPathFactory) -> Documentation:
    page = tmp_path_factory.mktemp("docs") / "docs.html"
    made = make_docs(built, page)
    assert made.returncode == 0, made.stdout + made.stderr
    folder = built.folder / "target" / "docs"
    manifest, catalog = (json.loads((folder / f"{name}.json").read_text()) for name in ("manifest", "catalog"))
    return Documentation(page, manifest, catalog)


def test_everything_is_described(documentation: Documentation) -> None:
    manifest = documentation.manifest
    analyses = {name: node for name, node in manifest["nodes"].items() if node["resource_type"] == "analysis"}
    assert len(documentation.tables) > 100 and len(documentation.macros) > 50 and len(manifest["exposures"]) == 4
    described = documentation.tables | documentation.macros | manifest["exposures"]
    assert [name for name, node in described.items() if not node["description"].strip()] == []
    # An analysis is described by the question it opens with.
    assert [name for name, node in analyses.items() if not node["raw_code"].startswith("-- ")] == []


def test_models_open_with_their_grain(documentation: Documentation) -> None:
    tables = {name: node for name, node in documentation.tables.items() if not name.startswith("source.")}
    assert [name for name, node in tables.items() if not node["description"].startswith("One row per ")] == []


def test_the_columns_declared_are_the_columns_there_and_each_is_described(documentation: Documentation) -> None:
    for name, node in documentation.tables.items():
        assert set(node["columns"]) == documentation.columns_there(name), name
        assert [column for column, about in node["columns"].items() if not about["description"].strip()] == [], name


def test_every_table_has_a_tested_key(documentation: Documentation) -> None:
    keyed = {
        node["depends_on"]["nodes"][0]
        for node in documentation.manifest["nodes"].values()
        if node["resource_type"] == "test" and (node.get("test_metadata") or {}).get("name") == "primary_key"
    }
    # What has landed is tested where staging has renamed it.
    landed = {name for name, source in documentation.sources.items() if source["schema"] == "raw"}
    assert documentation.tables.keys() - keyed == landed | WITHOUT_KEY


def arguments_of(sql: str) -> list[str]:
    """The arguments that a macro or generic test takes, as Jinja understands its first line."""
    head = re.search(r"{%-?\s*(?:macro|test)\s+\w+\(([^%]*)\)\s*-?%}", sql)
    assert head is not None, sql
    parsed = jinja2.Environment().parse("{% macro m(" + head[1] + ") %}{% endmacro %}").find(jinja2.nodes.Macro)
    assert parsed is not None
    return [argument.name for argument in parsed.args]


def test_macros_document_the_arguments_they_take(documentation: Documentation) -> None:
    for name, macro in documentation.macros.items():
        assert [argument["name"] for argument in macro["arguments"]] == arguments_of(macro["macro_sql"]), name
        assert all(argument["description"] and argument["type"] for argument in macro["arguments"]), name


def tables_of_views(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """The tables that the report's shared views read."""
    views = connection.execute("select sql from duckdb_views() where temporary and not internal").fetchall()
    return set().union(*(connection.get_table_names(sql.split(" AS ", 1)[1].rstrip(";")) for (sql,) in views))


def test_exposures_name_what_is_read(documentation: Documentation, built: Build) -> None:
    published = {str(table) for (table,) in built.query("select table_name from duckdb_tables()")} - WRITTEN
    exposures = documentation.manifest["exposures"]
    named = {
        exposure["name"]: {node.rsplit(".", 1)[1] for node in exposure["depends_on"]["nodes"]}
        for exposure in exposures.values()
    }
    reader = Published(built.published)
    asked = [path.read_text(encoding="utf-8") for path in (PROJECT / "analyses").glob("*.sql")]
    queries = [path.read_text(encoding="utf-8") for path in reader.folder.glob("*.sql") if path.name != "shared.sql"]

    def read(texts: list[str]) -> set[str]:
        return set().union(*(reader.connection.get_table_names(text) for text in texts)) & published

    assert named["report"] == read(queries) | tables_of_views(reader.connection)
    assert named["worked_questions"] == read([published_sql(text) for text in asked])
    assert named["exports"] == named["published_database"] == published
    for exposure in exposures.values():
        assert exposure["owner"]["name"] == "dissent maintainers" and exposure["url"] and exposure["maturity"]


def test_a_running_build_is_left_alone(documentation: Documentation, built: Build) -> None:
    before = documentation.page.stat().st_mtime_ns
    held = take(built.work)
    refused = make_docs(built, documentation.page)
    held.close()
    said = refused.stdout + refused.stderr
    assert refused.returncode == 1 and "another build is using work.duckdb" in said and "Traceback" not in said
    assert documentation.page.stat().st_mtime_ns == before


def test_what_dbt_remembers_of_the_build_stays(documentation: Documentation, built: Build) -> None:
    results = json.loads((built.folder / "target" / "run_results.json").read_text())
    assert results["args"]["which"] == "build"


def test_without_a_build_one_sentence(tmp_path: Path) -> None:
    refused = make_docs(Build(tmp_path), tmp_path / "docs.html")
    assert (refused.returncode, refused.stderr) == (1, "work.duckdb is not there yet: run make build first\n")


def test_the_page_names_no_folder_of_this_machine(documentation: Documentation) -> None:
    assert str(PROJECT) not in documentation.page.read_text(encoding="utf-8")


@pytest.mark.chromium
def test_the_page_opens_with_our_own_words_and_asks_for_nothing(
    documentation: Documentation,
    browser: webdriver.Chrome,
) -> None:
    browser.get(documentation.page.as_uri())
    WebDriverWait(browser, 20).until(
        lambda page: "dissent" in [h1.text for h1 in page.find_elements(By.TAG_NAME, "h1")]
    )
    browser.get(documentation.page.as_uri() + "#!/source/source.dissent.history.builds")
    WebDriverWait(browser, 20).until(lambda page: "One row per whole build" in page.page_source)
    messages = [json.loads(str(entry["message"]))["message"] for entry in logged(browser, "performance")]
    requests = [message for message in messages if message["method"] == "Network.requestWillBeSent"]
    urls = [message["params"]["request"]["url"] for message in requests]
    assert documentation.page.as_uri() in urls
    assert [url for url in urls if url.startswith(("http", "ws"))] == []
