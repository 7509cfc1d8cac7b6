"""The worked questions run on what was published, and the README's table says what the database says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import PROJECT, Build

from scripts.ask import published_sql, questions

ANALYSES = sorted((PROJECT / "analyses").glob("*.sql"))


@pytest.mark.parametrize("path", ANALYSES, ids=lambda path: path.stem)
def test_an_analysis_opens_with_its_question(path: Path) -> None:
    assert re.fullmatch(r"[A-Z].*\?", questions()[path.stem])


@pytest.mark.slow
@pytest.mark.parametrize("path", ANALYSES, ids=lambda path: path.stem)
def test_an_analysis_returns_rows(path: Path, built: Build) -> None:
    assert built.query(published_sql(path.read_text()))
    answer = built.run("python", "-m", "scripts.ask", path.stem)
    assert answer.returncode == 0 and questions()[path.stem] in answer.stdout


@pytest.mark.slow
def test_an_unknown_question_gets_the_known_ones(built: Build) -> None:
    answer = built.run("python", "-m", "scripts.ask", "who_is_right")
    assert answer.returncode == 1
    assert answer.stderr.count("\n") == 1 and "which_classes_are_divided" in answer.stderr


@pytest.mark.slow
def test_the_readme_says_what_the_database_says(built: Build) -> None:
    checked = built.run("python", "-m", "scripts.readme", "--check")
    assert checked.returncode == 0, checked.stderr
