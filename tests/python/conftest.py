"""Fixtures shared by the suite: one full build of everything that can land here, made once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

PROJECT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
# Tools that a person's machine may lack, and how to get them.
TOOLS = {
    "java": "Java 17 or newer: apt-get install openjdk-17-jre-headless, or brew install openjdk@17",
    "node": "Node.js and npm: apt-get install nodejs npm, or brew install node",
    "chromium": "Chromium and its driver: apt-get install chromium chromium-driver",
}
RECONSTRUCTION = "cifar10h-raw.zip"  # the mirror's copy is not the published file


def require(tool: str, is_there: bool) -> None:
    """Skip the test where a tool is missing; fail it where DISSENT_REQUIRE names the tool, as CI does."""
    if not is_there:
        stop = pytest.fail if tool in os.environ.get("DISSENT_REQUIRE", "").split(",") else pytest.skip
        stop(f"needs {TOOLS[tool]}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say last what did not run and how to make it run."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in skipped)
    for reason, tests in sorted(reasons.items()):
        terminalreporter.write_line(f"{tests} tests did not run: {reason}")


def mirror_folder() -> Path | None:
    """The local mirror of the vote files: DISSENT_MIRROR, else the folder that lies beside a checkout."""
    named = os.environ.get("DISSENT_MIRROR")
    folder = Path(named) if named else PROJECT.parent / "shared" / "data"
    return folder if folder.is_dir() else None


@dataclass(frozen=True)
class Build:
    """A project folder with a work database, a published database and the environment to run commands on them."""

    folder: Path
    project: Path = PROJECT
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def work(self) -> Path:
        return self.folder / "work.duckdb"

    @property
    def published(self) -> Path:
        return self.folder / "dissent.duckdb"

    @property
    def env(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("DISSENT_", "DBT_"))}
        return kept | {
            "DBT_PROJECT_DIR": str(self.project),
            "DBT_PROFILES_DIR": str(self.project),
            "DBT_TARGET_PATH": str(self.folder / "target"),
            "DBT_LOG_PATH": str(self.folder / "logs"),
            "DISSENT_WORK_DATABASE": str(self.work),
            "DISSENT_DATABASE": str(self.published),
            "DISSENT_RAW_FOLDER": str(self.folder / "raw"),
            **self.extra,
        }

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment (`dbt`, `python`, `duckdb`) in the project's folder."""
        return subprocess.run(
            [str(BIN / command[0]), *command[1:]],
            cwd=self.project,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=600,
        )

    def dbt(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run("dbt", "--quiet", *arguments)

    def land(self) -> subprocess.CompletedProcess[str]:
        return self.run("python", "-m", "scripts.land")

    def query(self, sql: str) -> list[tuple[object, ...]]:
        """Rows of a query on the published database."""
        with duckdb.connect(str(self.published), read_only=True) as connection:
            return connection.execute(sql).fetchall()


def copied_project(folder: Path) -> Build:
    """A copy of the project in `folder` that can be changed, on a machine without network: the demo data only."""
    project = folder / "project"
    for name in ("models", "seeds", "macros", "tests", "analyses", "scripts", "expectations"):
        shutil.copytree(PROJECT / name, project / name, ignore=shutil.ignore_patterns("__pycache__", "python"))
    for name in ("dbt_project.yml", "profiles.yml"):
        shutil.copy(PROJECT / name, project / name)
    return Build(folder, project=project, extra={"DISSENT_BASE_URL": "https://127.0.0.1:1"})


@pytest.fixture(scope="session")
def mirror() -> Path:
    folder = mirror_folder()
    if folder is None:
        pytest.skip("no mirror of the vote files: set DISSENT_MIRROR to a folder that holds them")
    return folder


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, mirror: Path) -> Build:
    """The whole project built on the vote files of the mirror, the reconstruction allowed as unverified."""
    build = Build(
        tmp_path_factory.mktemp("built"),
        extra={"DISSENT_MIRROR": str(mirror), "DISSENT_ALLOW_UNVERIFIED": RECONSTRUCTION},
    )
    landed = build.land()
    assert landed.returncode == 0, landed.stderr
    made = build.dbt("build")
    assert made.returncode == 0, made.stdout + made.stderr
    return build


@pytest.fixture(scope="module")
def browser() -> Iterator[webdriver.Chrome]:
    """Debian's chromium without a screen and without network; closed with the module, as an open page keeps drawing."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    require("chromium", bool(chromium and driver))
    assert chromium is not None
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        for flag in (
            "headless",
            "no-sandbox",
            "disable-gpu",
            "disable-quic",
            "disable-dev-shm-usage",
            "no-first-run",
            "disable-background-networking",
            "disable-component-update",
            "disable-sync",
            "hide-scrollbars",
            "host-resolver-rules=MAP * ~NOTFOUND",
            f"user-data-dir={profile}",
        ):
            options.add_argument(f"--{flag}")
        started = webdriver.Chrome(options=options, service=Service(driver))
        yield started
        started.quit()


def logged(browser: webdriver.Chrome, kind: str) -> list[dict[str, Any]]:
    """What was logged since the last call."""
    entries: list[dict[str, Any]] = browser.get_log(kind)  # type: ignore[no-untyped-call]
    return entries
