"""The report page: complete in itself, honest about what is missing, and right in a real browser."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import sys
import time
from base64 import b64decode
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from conftest import PROJECT, Build, logged, require
from selenium import webdriver
from selenium.webdriver.common.by import By

from scripts.reporting import charts, declared
from scripts.reporting.declared import FOLDER, ReportError

SCREENSHOTS = PROJECT / "target" / "screenshots"
NODE = PROJECT / "target" / "node"
AXE = "axe-core@4.14.1"
LOOKS = [(theme, width) for theme in ("light", "dark") for width in (1280, 375)]


def report(database: Path, page: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scripts.report", "--output", str(page), *arguments],
        cwd=PROJECT,
        env={"DISSENT_DATABASE": str(database), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
    )


def specifications(html: str) -> dict[str, dict[str, Any]]:
    found = re.search(r'<script type="application/json" id="specifications">(.*?)</script>', html, re.DOTALL)
    specs: dict[str, dict[str, Any]] = json.loads(found[1]) if found else {}
    return specs


def contract_tables() -> dict[str, dict[str, str]]:
    """Every mart's and seed's columns and types, as their YAML promises them."""
    tables: dict[str, dict[str, str]] = {}
    for path in (PROJECT / "models" / "marts").rglob("_*__models.yml"):
        for model in yaml.safe_load(path.read_text())["models"]:
            tables[model["name"]] = {column["name"]: column["data_type"] for column in model["columns"]}
    for seed in yaml.safe_load((PROJECT / "seeds" / "_seeds.yml").read_text())["seeds"]:
        tables[seed["name"]] = seed["config"]["column_types"]
    return tables


def insert(connection: duckdb.DuckDBPyConnection, table: str, *rows: dict[str, Any]) -> None:
    for row in rows:
        places = ", ".join("?" * len(row))
        connection.execute(f"insert into {table} ({', '.join(row)}) values ({places})", list(row.values()))


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published database whose tables are all there and all empty."""
    path = tmp_path_factory.mktemp("empty") / "dissent.duckdb"
    with duckdb.connect(str(path)) as connection:
        for name, columns in contract_tables().items():
            connection.execute(f"create table {name} ({', '.join(f'{c} {t}' for c, t in columns.items())})")
    return path


@pytest.fixture(scope="module")
def brought(empty: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with the rules, a data set that somebody brought, hostile in its names, and one that hasn't landed."""
    path = tmp_path_factory.mktemp("brought") / "dissent.duckdb"
    shutil.copy(empty, path)
    title, label = "Pets </script><b>&", "cat<i>"
    with duckdb.connect(str(path)) as connection:
        with (PROJECT / "seeds" / "thresholds.csv").open() as rules:
            insert(connection, "thresholds", *csv.DictReader(rules))
        insert(
            connection,
            "dataset_provenance",
            {"dataset_id": "pets", "title": title, "provenance": "unverified", "sort_order": 1},
            {"dataset_id": "away", "title": "Away", "unit": "page", "provenance": "not landed", "sort_order": 2},
        )
        here = {"dataset_id": "pets", "panel": "all"}
        insert(connection, "panels", {**here, "items": 8, "votes": 24, "median_votes_per_item": 3.0})
        for rule, divided in {"any_vote": 5, "share_10": 5, "share_30": 1}.items():
            share = {"divided_pct": 100 * divided / 8, "divided_pct_low": 0.0, "divided_pct_high": 90.0}
            counted = {**here, "rule_id": rule, "items": 8, "divided": divided, **share}
            insert(connection, "threshold_sweep", counted)
            insert(connection, "threshold_sweep_by_label", {**counted, "majority_label": label})
        item = {**here, "item_id": "1<2", "votes": 3}
        insert(connection, "items", {**item, "second_votes": 1, "second_share": 1 / 3, "normalised_entropy": 0.5})
        for rank, (name, votes) in enumerate({label: 2, "dog": 1}.items(), start=1):
            insert(
                connection, "vote_shares", {**here, "item_id": "1<2", "label": name, "votes": votes, "label_rank": rank}
            )
        insert(connection, "dissent_distribution", {**here, "dissenting_votes": 1, "items": 8, "items_pct": 100.0})
    return path


def test_every_chart_is_declared_with_query_and_alternative_text() -> None:
    page = declared.read()
    used = set.union(*(section.queries for section in page.sections))
    for section in page.sections:
        if section.kind:
            assert section.kind in charts.KINDS
            assert section.alt and len(section.alt) > 60, section.id
    # No query lies about unused, and each says in its first line what a row is.
    queries = {path.stem: path.read_text() for path in (FOLDER / "queries").glob("*.sql")}
    assert set(queries) == used | {"shared", "datasets", "build"}
    assert all(text.startswith("-- ") for text in queries.values())


def test_a_chart_without_alternative_text_or_query_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "queries").mkdir()
    section = {"id": "x", "title": "X", "lead": "x", "kind": "bars", "query": "absent"}
    for entry, missing in ((section, "alternative text"), ({**section, "alt": "Bars."}, "absent")):
        (tmp_path / "charts.yml").write_text(yaml.safe_dump({"title": "T", "lead": "L", "sections": [entry]}))
        with pytest.raises(ReportError, match=missing):
            declared.read(tmp_path)


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_colours_stand_out_on_both_grounds() -> None:
    css = (FOLDER / "page.css").read_text()
    grounds = [
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
        for block in re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    ]
    assert len(grounds) == 2
    assert [grounds[0][f"s{place}"] for place in range(1, 9)] == charts.SERIES
    for colours in grounds:
        page = luminance(colours["page"])
        least = {"ink": 7.0, "muted": 4.5, "link": 4.5} | {f"s{place}": 4.5 for place in range(1, 9)}
        for name, ratio in least.items():
            lighter, darker = sorted((page, luminance(colours[name])), reverse=True)
            assert (lighter + 0.05) / (darker + 0.05) >= ratio, name


def assert_complete_in_itself(html: str) -> None:
    assert len(html.encode()) < 3_000_000
    own = re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL)
    assert not re.findall(r"""(?:src|href|data)=["']?(?!#|data:)[\w./:]""", own), "a resource is loaded"
    assert not re.findall(r"@import|url\((?!data:)", own)
    # Whatever the scripts try, the browser refuses.
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', html)
    assert policy and policy[1].startswith("default-src 'none';") and "http" not in policy[1]
    assert html.startswith('<!doctype html>\n<html lang="en">')


def test_a_page_without_a_single_vote(empty: Path, tmp_path: Path) -> None:
    made = report(empty, tmp_path / "page.html")
    assert made.returncode == 0, made.stderr
    assert re.fullmatch(r"report: .*page\.html \(0\.\d MB\)\n", made.stdout)
    html = (tmp_path / "page.html").read_text()
    assert_complete_in_itself(html)
    assert "No data set is declared" in html and "Nothing to draw" in html and not specifications(html)


def test_a_brought_data_set_appears_by_itself(brought: Path, tmp_path: Path) -> None:
    stale = tmp_path / "charts" / "gone.svg"
    stale.parent.mkdir()
    stale.write_text("an earlier build's")
    made = report(brought, tmp_path / "page.html")
    assert made.returncode == 0, made.stderr
    html = (tmp_path / "page.html").read_text()
    assert_complete_in_itself(html)
    assert "Of 8 items, <strong>62.5 %</strong> have at least one dissenting vote" in html
    assert "three tenths of the votes it is <strong>12.5 %</strong>" in html
    assert "Away" in html and "have not landed" in html
    # Names are text, in the page and in the charts' data.
    assert "</script><b>" not in html and "<i>" not in html
    assert "Pets &lt;/script&gt;&lt;b&gt;&amp; (unverified), all" in html
    specs = specifications(html)
    assert {key.split("-")[1] for key in specs} == {"sweep", "distribution", "labels"}
    assert "Pets </script><b>& (unverified)" in json.dumps(specs)
    # The pictures are there, the earlier build's are not.
    pictures = {path.name for path in (tmp_path / "charts").iterdir()}
    assert pictures == {f"{name}.{kind}" for name in ("sweep", "distribution", "labels") for kind in ("png", "svg")}
    assert not list(tmp_path.glob(".*"))


def test_no_database_is_one_sentence(empty: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("the last good one")
    torn, other = tmp_path / "torn.duckdb", tmp_path / "other.duckdb"
    torn.write_bytes(b"no database")
    duckdb.connect(str(other)).close()
    old = tmp_path / "old.duckdb"
    shutil.copy(empty, old)
    with duckdb.connect(str(old)) as connection:
        connection.execute("drop table fresh_panel")
    for database, says in (
        (tmp_path / "absent.duckdb", "make build"),
        (torn, "torn"),
        (other, "other"),
        (old, "fresh_panel"),
    ):
        failed = report(database, page)
        assert failed.returncode == 1 and failed.stdout == ""
        assert failed.stderr.count("\n") == 1 and says in failed.stderr and "make build" in failed.stderr
    assert page.read_text() == "the last good one"


@pytest.fixture(scope="session")
def page(built: Build) -> Path:
    """The report of the session's build."""
    path = built.folder / "report" / "dissent.html"
    made = report(built.published, path)
    assert made.returncode == 0, made.stderr
    return path


@pytest.mark.slow
def test_the_page_of_everything_is_complete_in_itself(page: Path) -> None:
    html = page.read_text()
    assert_complete_in_itself(html)
    sections = {section.id for section in declared.read().sections if section.kind}
    specs = specifications(html)
    assert {key.split("-")[1] for key in specs} == sections
    # Aggregated in SQL: no chart carries the items or annotators themselves.
    sizes = [len(rows) for spec in specs.values() for rows in spec["datasets"].values()]
    assert len(sizes) >= len(specs) and max(sizes) < 1000
    assert {path.stem for path in (page.parent / "charts").glob("*.png")} == sections


@pytest.mark.slow
def test_the_page_of_the_demo_alone_says_what_is_missing(built: Build, tmp_path: Path) -> None:
    database = tmp_path / "dissent.duckdb"
    shutil.copy(built.published, database)
    declared_only = {"datasets", "labels", "dataset_provenance", "replication", "published_figures", "forecasts"}
    with duckdb.connect(str(database)) as connection:
        tables = connection.execute(
            "select table_name from duckdb_columns() where column_name = 'dataset_id'"
        ).fetchall()
        for (table,) in tables:
            if table not in declared_only:
                connection.execute(f"delete from {table} where dataset_id != 'demo'")
        connection.execute("delete from forecast_proxies")
        connection.execute("delete from equal_footing")
        connection.execute("update replication set verdict = 'not evaluated', observed = null")
        gone = "provenance = 'not landed', landed_at = null"
        connection.execute(f"update dataset_provenance set {gone} where dataset_id != 'demo'")
        connection.execute(f"update landed_files set {gone} where file_name != 'demo-raw.csv'")
    made = report(database, tmp_path / "page.html", "--no-pictures")
    assert made.returncode == 0, made.stderr
    html = (tmp_path / "page.html").read_text()
    assert_complete_in_itself(html)
    missing = built.query("select count(*) from dataset_provenance where dataset_id != 'demo'")[0][0]
    assert html.count("Its votes have not landed") == missing
    assert "No model outputs have landed" in html and "Of 400 images" in html
    assert "0 of 60 figures published about these votes replicate" in html
    assert {key.split("-")[1] for key in specifications(html)} >= {
        "sweep",
        "distribution",
        "raters",
        "annotators",
        "labels",
    }


def open_page(browser: webdriver.Chrome, page: Path, theme: str = "light", width: int = 1280) -> None:
    """Load the page in that look and wait until every chart is drawn."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    features = [{"name": "prefers-color-scheme", "value": theme}, {"name": "prefers-reduced-motion", "value": "reduce"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    logged(browser, "browser")
    logged(browser, "performance")
    browser.get(page.as_uri())
    expected = str(len(specifications(page.read_text())))
    deadline = time.monotonic() + 60
    while browser.execute_script("return document.documentElement.dataset.charts") != expected:
        assert time.monotonic() < deadline, logged(browser, "browser")
        time.sleep(0.1)


@pytest.mark.slow
@pytest.mark.chromium
def test_every_chart_is_drawn_in_silence_and_nothing_is_fetched(browser: webdriver.Chrome, page: Path) -> None:
    open_page(browser, page)
    assert logged(browser, "browser") == []
    messages = [json.loads(entry["message"])["message"] for entry in logged(browser, "performance")]
    requests = [message["params"] for message in messages if message["method"] == "Network.requestWillBeSent"]
    # The browser's own start page may still be at it.
    own = [request for request in requests if not request["documentURL"].startswith("chrome:")]
    fetched = [request["request"]["url"] for request in own]
    assert page.as_uri() in fetched
    assert [url for url in fetched if url != page.as_uri() and not url.startswith(("data:", "blob:"))] == []
    marks = browser.execute_script(
        """
        const drawn = "[class*='role-mark'] path, [class*='role-mark'] line, [class*='role-mark'] text";
        return Object.fromEntries([...document.querySelectorAll(".chart > div")].map(chart => [chart.id,
            [...chart.querySelectorAll(drawn)].filter(mark => mark.getBoundingClientRect().width
                || mark.getBoundingClientRect().height).length]));
        """
    )
    assert set(marks) == set(specifications(page.read_text()))
    assert min(marks.values()) > 0, marks
    # One point a row: none is lost on the way.
    for place, basis in enumerate(("second_label", "off_top"), start=1):
        with_verdict = f"select count(*) from threshold_sweep where basis = '{basis}' and divided_pct is not null"
        points = browser.find_elements(By.CSS_SELECTOR, f"#chart-sweep-{place} .mark-symbol path")
        with duckdb.connect(str(page.parents[1] / "dissent.duckdb"), read_only=True) as connection:
            assert (len(points),) == connection.execute(with_verdict).fetchone()


def rounded(value: Any, places: str) -> str:
    """Half up, as people round; from the shortest decimal, as 64.35 is not a binary fraction."""
    return str(Decimal(f"{value:.9f}").quantize(Decimal(places), ROUND_HALF_UP))


@pytest.mark.slow
@pytest.mark.chromium
def test_numbers_on_the_page_are_the_databases(browser: webdriver.Chrome, page: Path, built: Build) -> None:
    open_page(browser, page)
    # The opening sentences.
    rows = built.query(
        """
        select sweep.dataset_id, any_value(items), any_value(unit),
            max(divided_pct) filter (where rule_id = 'any_vote'), max(divided_pct) filter (where rule_id = 'share_10')
        from threshold_sweep as sweep inner join dataset_provenance as datasets using (dataset_id)
        where panel = 'all' group by sweep.dataset_id
        """
    )
    assert len(rows) >= 5
    for dataset, items, unit, loose, tenth in rows:
        sentence = browser.find_element(By.CSS_SELECTOR, f"#dataset-{dataset} .sentence").text
        assert sentence.startswith(
            f"Of {items:,} {unit}s, {rounded(loose, '0.1')} % have at least one dissenting vote; "
            f"{rounded(tenth, '0.1')} % have a second label with a tenth of the votes"
        )
    assert "64.4 %" in browser.find_element(By.CSS_SELECTOR, "#dataset-cifar10h .sentence").text
    for dataset, provenance in built.query("select dataset_id, provenance from dataset_provenance"):
        assert browser.find_element(By.CSS_SELECTOR, f"#dataset-{dataset} .badge").text == provenance

    # The sweep's tables, every cell.
    tables = browser.execute_script(
        """
        return [...document.querySelectorAll("#sweep table")].map(table => [...table.rows].map(
            row => [...row.cells].map(cell => [...cell.childNodes].map(node => node.textContent.trim()))));
        """
    )
    seen = 0
    for basis, table in zip(("second_label", "off_top"), tables, strict=True):
        shares = built.query(
            f"""
            select divided_pct, divided_pct_low, divided_pct_high
            from threshold_sweep as sweep inner join dataset_provenance as datasets using (dataset_id)
            where basis = '{basis}' order by datasets.sort_order, panel, rule_order
            """
        )
        cells = [cell for row in table[1:] for cell in row[1:]]
        assert cells == [
            [rounded(share, "0.01"), f"{rounded(low, '0.1')}–{rounded(high, '0.1')}"] for share, low, high in shares
        ]
        seen += len(cells)
    assert built.query("select count(*) from threshold_sweep") == [(seen,)]

    # The verdicts.
    verdicts = [
        cell.get_attribute("textContent") for cell in browser.find_elements(By.CSS_SELECTOR, "#replication .badge")
    ]
    assert sorted(str(verdict) for verdict in verdicts) == [
        v for (v,) in built.query("select verdict from replication order by 1")
    ]


@pytest.mark.slow
@pytest.mark.chromium
@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_the_page_fits_and_is_kept_as_a_picture(browser: webdriver.Chrome, page: Path, theme: str, width: int) -> None:
    open_page(browser, page, theme, width)
    measured = browser.execute_script(
        """
        const root = document.documentElement, mark = document.querySelector("#chart-sweep-1 .mark-symbol path");
        const label = document.querySelector("#chart-sweep-1 .role-axis-label text");
        return [root.scrollWidth, root.scrollHeight, getComputedStyle(mark).fill, getComputedStyle(label).fill];
        """
    )
    assert measured[0] <= width, "the page scrolls sideways"
    dark = theme == "dark"
    assert measured[2:] == (
        ["rgb(86, 180, 233)", "rgb(169, 180, 191)"] if dark else ["rgb(0, 114, 178)", "rgb(85, 96, 109)"]
    )
    clip = {"x": 0, "y": 0, "width": width, "height": measured[1], "scale": 1}
    shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    (SCREENSHOTS / f"report-{theme}-{width}.png").write_bytes(b64decode(shot["data"]))
    assert len(b64decode(shot["data"])) > 100_000


@pytest.mark.slow
@pytest.mark.chromium
def test_the_legend_singles_out_a_data_set(browser: webdriver.Chrome, page: Path) -> None:
    open_page(browser, page)
    button = browser.find_element(By.CSS_SELECTOR, "#sweep button[data-focus='ferplus']")
    faint = "return document.querySelectorAll(\"#chart-sweep-1 .mark-symbol path[opacity='0.1']\").length"
    assert browser.execute_script(faint) == 0
    browser.execute_script("arguments[0].click()", button)
    assert button.get_attribute("aria-pressed") == "true"
    assert browser.execute_script(faint) > 50
    browser.execute_script("arguments[0].click()", button)
    assert browser.execute_script(faint) == 0


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, fetched through npm once."""
    source = NODE / "node_modules" / "axe-core" / "axe.min.js"
    if not source.exists() and (npm := shutil.which("npm")):
        NODE.mkdir(parents=True, exist_ok=True)
        quiet = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund"]
        subprocess.run([npm, "install", "--prefix", str(NODE), *quiet, AXE], capture_output=True, timeout=300)
    require("node", source.exists())
    return source.read_text()


@pytest.mark.slow
@pytest.mark.chromium
@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_no_serious_barrier(browser: webdriver.Chrome, page: Path, axe: str, theme: str, width: int) -> None:
    open_page(browser, page, theme, width)
    browser.execute_script("for (const folded of document.querySelectorAll('details')) folded.open = true;")
    browser.execute_script(axe)
    browser.set_script_timeout(120)
    found = browser.execute_async_script(
        """
        const done = arguments[0];
        axe.run(document, {resultTypes: ["violations"]}).then(result => done(result.violations.map(
            one => [one.impact, one.id, one.nodes.slice(0, 3).map(node => node.html.slice(0, 160))])), done);
        """
    )
    assert isinstance(found, list), found
    assert [violation for violation in found if violation[0] in ("serious", "critical")] == []
    headings = browser.execute_script("return [...document.querySelectorAll('h1, h2, h3')].map(h => +h.tagName[1])")
    assert headings[0] == 1 and headings.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(headings))
    tables = (
        "return [...document.querySelectorAll('main table')].every(t => t.caption && t.querySelector('th[scope=col]'))"
    )
    assert browser.execute_script(tables)
