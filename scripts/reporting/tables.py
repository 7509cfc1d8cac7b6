"""The tables of the report, made with great-tables and styled by the page."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from itertools import groupby
from typing import Any

import pandas as pd
from great_tables import GT

from scripts.reporting.data import Row
from scripts.reporting.declared import Table

MISSING = "–"


def badge(text: object) -> str:
    """A state as a coloured word: verified, differs, open."""
    return f'<span class="badge {escape(str(text).replace(" ", "-"))}">{escape(str(text))}</span>'


def bar(votes: list[dict[str, Any]]) -> str:
    """The votes of an item as a bar of its labels, and in words."""
    total = sum(vote["votes"] for vote in votes)
    pieces = "".join(
        f'<span class="rank{min(rank, 3)}" style="width:{100 * vote["votes"] / total:.2f}%"></span>'
        for rank, vote in enumerate(votes, start=1)
    )
    words = ", ".join(f"{escape(vote['label'])} {vote['votes']}" for vote in votes)
    return f'<span class="bar" aria-hidden="true">{pieces}</span><span class="in-words">{words}</span>'


FORMATS: dict[str, Callable[[Any], str]] = {"badge": badge, "bar": bar}


def number(value: object) -> str:
    """A value of a cell as text."""
    if value is None:
        return MISSING
    if isinstance(value, float):
        return f"{value + 1e-9:.1f}"  # half up, as in queries/shared.sql
    return f"{value:,}" if isinstance(value, int) else escape(str(value))


def spread(table: Table, rows: list[Row]) -> tuple[list[Row], dict[str, str]]:
    """The rows with one column a value of `across`, and these columns' labels; rows come in the columns' order."""
    assert table.across is not None and table.value is not None
    labels = list(dict.fromkeys(str(row[table.across]) for row in rows))
    wide: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        names = {column: row[column] for column in table.stub}
        line = wide.setdefault(tuple(names.values()), names | {f"c{place}": None for place in range(len(labels))})
        text = number(row[table.value]) + (f"<small>{escape(str(row[table.small]))}</small>" if table.small else "")
        line[f"c{labels.index(str(row[table.across]))}"] = text
    return list(wide.values()), {f"c{place}": label for place, label in enumerate(labels)}


def named(table: Table, rows: list[Row]) -> tuple[list[Row], dict[str, str]]:
    """The rows with the table's own columns; in one of several tables a column that says nothing is left out."""
    labels = {
        column: label
        for column, label in table.columns.items()
        if not table.parts or any(row[column] is not None for row in rows)
    }
    formats = {column: FORMATS[table.formats[column]] if column in table.formats else number for column in labels}
    return [
        {column: row[column] for column in table.stub} | {name: formats[name](row[name]) for name in labels}
        for row in rows
    ], labels


def render(name: str, caption: str, table: Table, rows: list[Row]) -> str:
    """One HTML table in a region that scrolls by itself."""
    cells, labels = spread(table, rows) if table.across else named(table, rows)
    frame = pd.DataFrame(cells, columns=[*table.stub, *labels], dtype=object)
    for column in table.stub:
        frame[column] = [number(value) for value in frame[column]]
    first = next(iter(table.stub), None)
    # The cells are escaped above, each by its kind; great-tables must not do it again.
    made = GT(frame, id=name, rowname_col=first).fmt(lambda cell: cell or MISSING, columns=list(frame.columns))
    heads: dict[str, Any] = {column: label for column, label in (table.stub | labels).items() if column != first}
    made = made.cols_label(heads)
    right = [column for column in labels if table.across or isinstance(rows[0][column], int | float)]
    if right:
        made = made.cols_align("right", columns=right)
    if first:
        made = made.tab_stubhead(label=table.stub[first])
    html = re.sub(r"<style>.*?</style>", "", made.as_raw_html(), flags=re.DOTALL)
    found = re.search(r"<table.*</table>", html, flags=re.DOTALL)
    assert found is not None
    body = re.sub(r"<table[^>]*>", f"<table><caption>{escape(caption)}</caption>", found[0], count=1)
    return f'<div class="table" role="region" tabindex="0" aria-label="{escape(caption)}">{body}</div>'


def tables(name: str, table: Table, rows: list[Row]) -> list[str]:
    """The table, or one a value of its column of parts; none without rows."""
    if not rows:
        return []
    column = table.parts
    if column is None:
        return [render(name, table.caption, table, rows)]
    groups = groupby(rows, key=lambda row: str(row[column]))
    return [
        render(f"{name}-{place}", f"{table.caption}: {part}", table, list(group))
        for place, (part, group) in enumerate(groups, start=1)
    ]
