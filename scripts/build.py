"""What `make build` does: landing, dbt build, summary, report; then `build.json` beside the work database.

docs/builds.md describes the exit codes and the fields of the JSON.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import IntEnum
from pathlib import Path
from typing import Any

import duckdb
import yaml

from scripts import build_lock, land
from scripts.history import SCHEMA
from scripts.landing.declared import LandingError, read_declared
from scripts.paths import PROJECT, published_database, target_folder, work_database, write

# The test that fails where a figure determined by the votes is not the published one.
FIGURES_TEST = "assert_published_figures_replicate"
FAILED = ("error", "fail", "runtime error", "partial success")


class Code(IntEnum):
    """Exit codes; 2 is left to make and to wrong options."""

    PUBLISHED = 0
    UNEXPECTED = 1
    REFUSED = 3
    FAILED = 4
    DIFFERS = 5
    RUNNING = 6
    NO_REPORT = 7


MEANINGS = {
    Code.PUBLISHED: "published",
    Code.UNEXPECTED: "not finished: wrong settings, stopped, or something unexpected",
    Code.REFUSED: "landing refused a file",
    Code.FAILED: "a model, seed or test failed, or dbt could not start",
    Code.DIFFERS: "a published figure differs, and nothing else failed",
    Code.RUNNING: "another build is running",
    Code.NO_REPORT: "published, but its summary or report could not be made",
}


@dataclass
class Build:
    """What is known of the build so far; `record` makes the JSON of it."""

    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    exit_code: Code = Code.UNEXPECTED
    build_id: str | None = None
    is_published: bool = False
    seconds: dict[str, float] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    failed_nodes: list[str] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage."""
        begun = time.monotonic()
        try:
            yield
        finally:
            self.seconds[name] = round(time.monotonic() - begun, 2)

    def record(self) -> dict[str, Any]:
        """The fields of build.json, as docs/builds.md describes them."""
        inputs, figures = history(self)
        counts = dict.fromkeys(("figures_replicated", "figures_differing", "figures_not_evaluated"), 0)
        for figure in figures:
            if figure["metric"] in counts:
                counts[figure["metric"]] += int(figure["value"])
        return {
            "build_id": self.build_id,
            "dissent_version": yaml.safe_load((PROJECT / "dbt_project.yml").read_text(encoding="utf-8"))["version"],
            "started_at": _iso(self.started_at),
            "finished_at": _iso(datetime.now(UTC)),
            "seconds": self.seconds,
            "outcome": "published" if self.is_published else "not published",
            "exit_code": int(self.exit_code),
            "meaning": MEANINGS[self.exit_code],
            "errors": self.errors,
            "failed_nodes": self.failed_nodes,
            "inputs": inputs,
            "figures": figures,
            "replication": counts if figures else None,
            "database": str(published_database()),
            "is_replaced": self.is_published,
        }


def _iso(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def history(build: Build) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Inputs and figures of the build as its history has them; empty where it has none."""
    # The published file is read where it can be: nobody writes to it.
    database, schema = (published_database(), "main") if build.is_published else (work_database(), SCHEMA)
    if build.build_id is None or not database.exists():
        return [], []
    parts: list[list[dict[str, Any]]] = []
    try:
        with duckdb.connect(str(database), read_only=True) as connection:
            for table in ("build_inputs", "build_figures"):
                rows = connection.execute(
                    f"select * exclude (build_id) from {schema}.{table} where build_id = ? order by all",
                    [build.build_id],
                )
                names = [column[0] for column in rows.description]
                parts.append([dict(zip(names, row, strict=True)) for row in rows.fetchall()])
    except duckdb.Error:
        return [], []  # dbt did not get as far as making it, or the next build has begun
    return parts[0], parts[1]


def run(build: Build) -> Code:
    """Land, build, summarise, report; what they print is what there is to see."""
    try:
        with build.stage("landing"):
            sources = read_declared()
            build.errors = land.land_all(land.read_settings(sources, refresh=False), sources)
        if build.errors:
            return Code.REFUSED
        print("building and testing the models ...", flush=True)
        with build.stage("models"):
            code = build_models(build)
    except (LandingError, build_lock.BuildRunning) as error:
        print(error, file=sys.stderr)
        build.errors = [str(error)]
        return Code.RUNNING if isinstance(error, build_lock.BuildRunning) else Code.UNEXPECTED
    if code is not Code.PUBLISHED:
        return code
    for stage, arguments in (("summary", ["scripts.summary"]), ("report", ["scripts.report", "--no-pictures"])):
        with build.stage(stage):
            made = python(*arguments)
        if made.returncode:
            build.errors += sentences(made.stderr)
            return Code.NO_REPORT
    return Code.PUBLISHED


def build_models(build: Build) -> Code:
    """Run `dbt build` and pass on what it prints."""
    begun = time.time()
    command = [str(Path(sys.executable).with_name("dbt")), "--quiet", "build"]
    said = []
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as dbt:
        assert dbt.stdout is not None
        for line in dbt.stdout:
            print(line, end="", flush=True)
            said.append(line)
    results = run_results(begun)
    build.build_id = results.get("metadata", {}).get("invocation_id")
    build.is_published = dbt.returncode == 0 and is_published(build.build_id)
    if build.is_published:
        return Code.PUBLISHED
    if running := [line for line in sentences("".join(said)) if build_lock.RUNNING in line]:
        # dbt has printed it already.
        build.errors = running
        return Code.RUNNING
    failed = [result for result in results.get("results", []) if result["status"] in FAILED]
    build.failed_nodes = [result["unique_id"] for result in failed]
    build.errors = [f"{result['unique_id']}: {first_line(result['message'])}" for result in failed]
    build.errors = build.errors or sentences("".join(said))
    differing = python("scripts.summary", "--differing").stderr
    code = code_of(build.failed_nodes)
    if code is Code.DIFFERS:
        build.errors += sentences(differing)
    return code


def is_published(build_id: str | None) -> bool:
    """Whether the published database is of this build."""
    if not published_database().exists():
        return False
    with duckdb.connect(str(published_database()), read_only=True) as connection:
        return bool(connection.execute("select 1 from builds where build_id = ?", [build_id]).fetchall())


def code_of(failed_nodes: list[str]) -> Code:
    """The exit code of a dbt build that failed in these nodes."""
    names = {node.split(".")[2] for node in failed_nodes}
    return Code.DIFFERS if names == {FIGURES_TEST} else Code.FAILED


def run_results(begun: float) -> dict[str, Any]:
    """dbt's run_results.json, empty where this run, begun at that time, left none: dbt did not get that far."""
    path = target_folder() / "run_results.json"
    if not path.exists() or path.stat().st_mtime < begun:
        return {}
    results: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return results


def python(*module: str) -> subprocess.CompletedProcess[str]:
    """Run a module of this project; its stderr is passed on and returned."""
    made = subprocess.run([sys.executable, "-m", *module], cwd=PROJECT, stderr=subprocess.PIPE, text=True)
    sys.stderr.write(made.stderr)
    return made


def sentences(text: str) -> list[str]:
    """The lines of what a program printed, without colours, dbt's clock and empty ones."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    return [line for part in plain.splitlines() if (line := re.sub(r"^\d\d:\d\d:\d\d +", "", part).strip())]


def first_line(message: str | None) -> str:
    """The first line of a message of dbt's."""
    return next(iter(sentences(message or "")), "failed")


def main() -> int:
    """Build; the exit code is one of `Code`."""
    build = Build()
    try:
        build.exit_code = run(build)
    except KeyboardInterrupt:
        build.errors = ["stopped before the end"]
        print(build.errors[0], file=sys.stderr)
    finally:
        path = work_database().with_name("build.json")
        write(path, json.dumps(build.record(), indent=2, ensure_ascii=False) + "\n")
    return build.exit_code


if __name__ == "__main__":
    sys.exit(main())
