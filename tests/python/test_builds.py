"""The history of builds, the JSON that `make build` leaves, and the codes it ends with."""

from __future__ import annotations

import json
import re
import subprocess
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from conftest import PROJECT, Build

from scripts.build import MEANINGS, Code, code_of
from scripts.build_lock import take
from scripts.pseudonyms import Pseudonyms
from scripts.publish import publish

DOCS = (PROJECT / "docs" / "builds.md").read_text(encoding="utf-8")
# No data set was brought: no key is made or read.
NOBODY = Pseudonyms("brought", Path("no.key"))


def with_history(folder: Path) -> duckdb.DuckDBPyConnection:
    """A work database with a mart and a history of no builds, its tables cut short."""
    folder.mkdir()
    connection = duckdb.connect(str(folder / "work.duckdb"))
    connection.execute("create schema marts; create table marts.items as select 1 as item")
    connection.execute("create schema history")
    connection.execute("create table history.builds (build_id varchar primary key, outcome varchar, reason varchar)")
    connection.execute(
        "create table history.build_figures (build_id varchar, figure varchar, value double,"
        " primary key (build_id, figure))"
    )
    return connection


def record(work: duckdb.DuckDBPyConnection, build_id: str, value: float) -> None:
    work.execute("insert into history.builds values (?, 'not published', 'publishing did not finish')", [build_id])
    work.execute("insert into history.build_figures values (?, 'demo all votes', ?)", [build_id, value])


def builds_in(database: Path) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(database), read_only=True) as reader:
        return reader.execute(
            "select build_id, outcome, reason, value from builds left join build_figures using (build_id) order by 1"
        ).fetchall()


def test_the_history_outlives_the_work_database(tmp_path: Path) -> None:
    published = tmp_path / "dissent.duckdb"
    with with_history(tmp_path / "first") as work:
        record(work, "a", 1)
        work.execute("insert into history.builds values ('failed', 'not published', '1 of 2 tests did not succeed')")
        publish(work, published, ["items"], NOBODY, build_id="a")
        assert work.execute("select outcome from history.builds where build_id = 'a'").fetchone() == ("published",)
    with with_history(tmp_path / "second") as work:
        record(work, "b", 2)
        assert publish(work, published, ["items"], NOBODY, build_id="b") == "published 3 tables to dissent.duckdb"
        assert work.execute("select count(*) from history.builds").fetchone() == (3,)
    assert builds_in(published) == [
        ("a", "published", None, 1),
        ("b", "published", None, 2),
        ("failed", "not published", "1 of 2 tests did not succeed", None),
    ]


def test_a_build_stopped_right_after_the_rename_is_known_as_published(tmp_path: Path) -> None:
    published = tmp_path / "dissent.duckdb"
    with with_history(tmp_path / "work") as work:
        record(work, "a", 1)
        publish(work, published, ["items"], NOBODY, build_id="a")
        work.execute("update history.builds set outcome = 'not published', reason = 'publishing did not finish'")
        record(work, "b", 2)
        assert publish(work, published, ["items"], NOBODY, build_id="b") == "published 3 tables to dissent.duckdb"
    assert builds_in(published) == [("a", "published", None, 1), ("b", "published", None, 2)]


def test_a_build_whose_publishing_failed_is_not_written_down_as_published(tmp_path: Path) -> None:
    published = tmp_path / "dissent.duckdb"
    with with_history(tmp_path / "work") as work:
        record(work, "a", 1)
        with pytest.raises(duckdb.Error):
            publish(work, published, ["items", "not_there"], NOBODY, build_id="a")
        record(work, "b", 2)
        publish(work, published, ["items"], NOBODY, build_id="b")
    assert [row[:3] for row in builds_in(published)] == [
        ("a", "not published", "publishing did not finish"),
        ("b", "published", None),
    ]


@pytest.mark.parametrize("content", ["no database", "another database", "no history"])
def test_a_published_file_without_a_history_ends_nothing(tmp_path: Path, content: str) -> None:
    published, previous = tmp_path / "dissent.duckdb", tmp_path / "dissent.previous.duckdb"
    if content == "no database":
        published.write_bytes(b"not a database")
    else:
        with duckdb.connect(str(published)) as other:
            other.execute("create table items as select 1 as item")
            if content == "another database":
                # Half of it looks like a history: that half must not come in alone.
                other.execute("create table build_figures as select 'x' as build_id, 'votes' as figure, 1 as value")
                other.execute("create table builds as select [1] as outcome")
    before = published.read_bytes()
    with with_history(tmp_path / "work") as work:
        record(work, "a", 1)
        *warned, said = publish(work, published, ["items"], NOBODY, build_id="a").splitlines()
    assert said == "published 3 tables to dissent.duckdb"
    assert len(warned) == (content != "no history")
    for line in warned:
        assert line.startswith("dissent.duckdb can't be read (") and "kept as dissent.previous.duckdb" in line
    assert builds_in(published) == [("a", "published", None, 1)]
    with duckdb.connect(str(published), read_only=True) as reader:
        assert reader.execute("select build_id from build_figures").fetchall() == [("a",)]
    assert previous.read_bytes() == before


def documented(heading: str) -> dict[str, str]:
    """The first two columns of the table under a heading of docs/builds.md."""
    section = re.split(r"\n#+ ", DOCS.split(f"# {heading}\n")[1])[0]
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]+?) \|", section, re.MULTILINE)
    return dict(rows)


# What the words of the documentation mean.
KINDS = {
    "text": lambda value: isinstance(value, str),
    "text or null": lambda value: value is None or isinstance(value, str),
    "time": lambda value: bool(datetime.strptime(value, "%Y-%m-%dT%H:%M:%SZ")),
    "whole number": lambda value: type(value) is int,
    "number or null": lambda value: value is None or type(value) in (int, float),
    "yes or no": lambda value: isinstance(value, bool),
    "list of texts": lambda value: all(isinstance(text, str) for text in value),
    "numbers by stage": lambda value: all(type(seconds) is float for seconds in value.values()),
    "list of inputs": lambda value: all(fits(part, "Inputs") for part in value),
    "list of figures": lambda value: all(fits(part, "Figures") for part in value),
    "counts or null": lambda value: value is None or fits(value, "Replication"),
}


def fits(value: dict[str, Any], heading: str) -> bool:
    """Whether the object has exactly the documented fields, of the documented kinds."""
    fields = documented(heading)
    assert list(value) == list(fields)
    for name, kind in fields.items():
        assert KINDS[kind](value[name]), f"{name} is {value[name]!r}, not {kind}"
    return True


def build_json(build: Build, finished: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """What `scripts.build` wrote, as documented, and fitting how it ended."""
    written: dict[str, Any] = json.loads((build.folder / "build.json").read_text(encoding="utf-8"))
    assert fits(written, "build.json")
    assert finished.returncode == written["exit_code"], finished.stdout + finished.stderr
    assert written["meaning"] == MEANINGS[Code(finished.returncode)]
    assert written["is_replaced"] == (written["outcome"] == "published") == (finished.returncode in (0, 7))
    assert bool(written["errors"]) == (finished.returncode != 0)
    assert written["database"] == str(build.published)
    assert list(build.folder.glob(".build.json*")) == []
    return written


def test_the_exit_codes_are_documented() -> None:
    assert documented("Exit codes") == {str(int(code)): meaning for code, meaning in MEANINGS.items()}


@pytest.mark.parametrize(
    ("nodes", "code"),
    [
        (["test.dissent.assert_published_figures_replicate"], Code.DIFFERS),
        (["test.dissent.assert_published_figures_replicate", "test.dissent.assert_shares_sum_to_one"], Code.FAILED),
        (["model.dissent.items"], Code.FAILED),
        (["test.dissent.primary_key_items_dataset_id__panel__item_id.f08a3d46ec"], Code.FAILED),
        ([], Code.FAILED),
    ],
)
def test_a_differing_figure_has_a_code_of_its_own(nodes: list[str], code: Code) -> None:
    assert code_of(nodes) == code


def test_what_stops_at_landing_is_written_down(tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "fer2013new.csv").write_text("another file")
    refused = Build(tmp_path, extra={"DISSENT_OFFLINE": "1"})
    ended = refused.run("python", "-m", "scripts.build")
    written = build_json(refused, ended)
    assert ended.returncode == Code.REFUSED
    assert list(written["seconds"]) == ["landing"] and written["build_id"] is None
    assert written["errors"][0].startswith("fer2013new.csv: the hash is ") and "refused" in ended.stderr
    wrong = Build(tmp_path, extra={"DISSENT_MIRROR": str(tmp_path / "nowhere")})
    ended = wrong.run("python", "-m", "scripts.build")
    assert ended.returncode == Code.UNEXPECTED
    assert build_json(wrong, ended)["errors"] == [ended.stderr.strip()]
    # The demo is still to be made, and that needs the lock.
    other = Build(tmp_path / "other", extra={"DISSENT_OFFLINE": "1"})
    held = take(other.work)
    ended = other.run("python", "-m", "scripts.build")
    held.close()
    assert ended.returncode == Code.RUNNING
    assert build_json(other, ended)["errors"] == [ended.stderr.strip()]
