"""Reads `report/charts.yml`: what the report shows, section by section."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).resolve().parents[2] / "report"


class ReportError(Exception):
    """Says in one sentence why there is no page."""


@dataclass(frozen=True)
class Table:
    """A table: its query, the columns that name a row, and either named columns or one a value of `across`."""

    query: str
    caption: str
    columns: dict[str, str] = field(default_factory=dict)
    stub: dict[str, str] = field(default_factory=dict)
    parts: str | None = None
    across: str | None = None
    value: str | None = None
    small: str | None = None
    formats: dict[str, str] = field(default_factory=dict)
    open: bool = False


@dataclass(frozen=True)
class Section:
    """A heading, what it says in plain words, a chart or none, and tables."""

    id: str
    title: str
    lead: str
    query: str | None = None
    kind: str | None = None
    alt: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    remarks: str | None = None
    tables: list[Table] = field(default_factory=list)

    @property
    def caption(self) -> str:
        """What the figure measures: the title of its axis of values."""
        title = str(self.options.get("y_title") or self.options.get("x_title") or "")
        return title[:1].upper() + title[1:]

    @property
    def queries(self) -> set[str]:
        """Every query the section runs."""
        named = [self.query, self.remarks, self.options.get("points"), *(table.query for table in self.tables)]
        return {name for name in named if name}


@dataclass(frozen=True)
class Report:
    """The page: its title, its opening words and its sections."""

    title: str
    lead: str
    sections: list[Section]


def read(folder: Path = FOLDER) -> Report:
    """The declared report; a chart without alternative text or query file is refused."""
    declared = yaml.safe_load((folder / "charts.yml").read_text(encoding="utf-8"))
    sections = []
    for entry in declared["sections"]:
        tables = [Table(**table) for table in entry.pop("tables", [])]
        section = Section(**entry, tables=tables)
        if section.kind and not (section.alt and section.query):
            raise ReportError(f"report/charts.yml: the chart {section.id} needs a query and an alternative text")
        for name in sorted(section.queries):
            if not (folder / "queries" / f"{name}.sql").exists():
                raise ReportError(
                    f"report/charts.yml: {section.id} names the query {name}, which is no file of queries/"
                )
        sections.append(section)
    return Report(declared["title"], declared["lead"], sections)
