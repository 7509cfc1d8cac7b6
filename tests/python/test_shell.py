"""The prompt on the published database: it opens at any time, and tells what is there."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from conftest import PROJECT, Build

from scripts.build_lock import take
from scripts.publish import STORAGE_VERSION
from scripts.shell import subjects, table_list


@pytest.fixture
def small(tmp_path: Path) -> Build:
    build = Build(tmp_path)
    with duckdb.connect() as connection:
        connection.execute(f"attach '{build.published}' as small (storage_version '{STORAGE_VERSION}'); use small")
        connection.execute("create table items as select 1 as item_id; create table unheard_of as select 2 as n")
        connection.execute("comment on table items is 'One row per data set: its votes. More is said here.'")
    return build


def shell(build: Build, sql: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scripts.shell"]
    return subprocess.run(
        command, input=sql, cwd=build.project, env=build.env, capture_output=True, text=True, timeout=60
    )


def test_what_is_piped_in_is_answered_and_nothing_else(small: Build) -> None:
    answer = shell(small, ".mode csv\nselect item_id from items;\n")
    assert (answer.returncode, answer.stdout.split(), answer.stderr) == (0, ["item_id", "1"], "")


def test_it_is_read_only(small: Build) -> None:
    answer = shell(small, "delete from items;\n")
    assert answer.returncode != 0 and "read-only" in answer.stderr


def test_it_opens_while_a_build_writes(small: Build) -> None:
    held = take(small.work)
    with duckdb.connect(str(small.work)) as work:
        work.execute("create table half_made as select 1 as n")
        assert "1" in shell(small, "select item_id from items;\n").stdout
    held.close()


def test_without_a_database_one_sentence(tmp_path: Path) -> None:
    answer = shell(Build(tmp_path), "")
    assert (answer.returncode, answer.stdout) == (1, "")
    assert answer.stderr == "no published database yet: run make build first\n"


def on_a_terminal(build: Build, until: str) -> str:
    """What the shell prints on a terminal until it has printed `until`."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "scripts.shell"],
        cwd=PROJECT,
        env=build.env | {"COLUMNS": "50"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    said = b""
    try:
        while until.encode() not in said and (more := os.read(ours, 4096)):
            said += more
    except OSError:
        pass  # the terminal's other end was closed
    process.kill()
    process.wait()
    os.close(ours)
    return said.decode().replace("\r\n", "\n")


def test_on_a_terminal_the_tables_come_first(small: Build) -> None:
    lines = on_a_terminal(small, ".quit").splitlines()
    assert lines[:5] == [
        "one row per ...",
        "votes",
        "  items       data set: its votes",
        "this file",
        "  unheard_of",
    ]


def test_a_file_that_is_no_database_is_one_sentence(small: Build) -> None:
    small.published.write_text("not a database")
    said = on_a_terminal(small, "\n")
    assert said.startswith("dissent.duckdb can't be opened, run make build again: ") and "Traceback" not in said


@pytest.mark.slow
def test_every_published_table_is_listed_with_its_grain(built: Build) -> None:
    with duckdb.connect(str(built.published), read_only=True) as connection:
        lines = table_list(connection, 100)
    listed = {line.split()[0]: line for line in lines if line.startswith("  ")}
    assert set(listed) == {table for (table,) in built.query("select table_name from duckdb_tables()")}
    assert all(len(line.split()) > 2 and len(line) <= 100 for line in listed.values())
    # What has no subject is written when the file is published.
    written = {"builds", "build_inputs", "build_figures", "pseudonymised_datasets"}
    assert set(listed) - set(subjects()) == written
