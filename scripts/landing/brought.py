"""Vote files that `make add` brought: how they are read, and what is checked before they land.

How a file is read stands in the `meta` of its dbt source, how its rows become votes in its staging model. Landing
runs that very model on the rows it has just read, so a file is refused for what dbt would build from it.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from scripts.landing import formats, layouts, vote_sql
from scripts.landing.declared import PROJECT, SEEDS, LandingError, SourceFile, read_seed
from scripts.landing.formats import Reading
from scripts.landing.readers import FILE_ROWS

# Tables that `check` leaves in its connection.
VOTES = "checked_votes"
TRUE_LABELS = "checked_true_labels"
# What may look wrong and be right: the name that `--allow` takes.
JUDGEMENTS = {
    "one_label": "all votes are for one label",
    "one_annotator": "all votes are by one annotator",
    "items_without_votes": "items on which nobody voted",
    "continuous_labels": "more than 50 different numbers as labels",
    "unique_items": "every row an item of its own",
    "repeated_items": "rows of counts or lists for the same item are added up",
}
_CONTINUOUS = 50


@dataclass(frozen=True)
class Brought:
    """What the project says about a brought file."""

    dataset_id: str
    reading: Reading
    model: str
    where: str
    columns: Mapping[str, str] = field(default_factory=dict)
    allowed: frozenset[str] = frozenset()
    labels: tuple[str, ...] = ()

    @property
    def is_of_votes(self) -> bool:
        """Whether the file holds the votes, not the true labels beside them."""
        return self.where.endswith("__votes.sql")


@dataclass
class Checked:
    """What a file came to: numbers for people, and warnings, one sentence each."""

    rows: int = 0
    items: int = 0
    annotators: int = 0
    votes: int = 0
    labels: list[str] = field(default_factory=list)
    dropped: list[tuple[str, int]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    macro: Mapping[str, Any] = field(default_factory=dict)


def declared(source: SourceFile) -> Brought:
    """What the project says about a file that `make add` brought."""
    import yaml

    path = layouts.brought_sources(source)
    name = path.parent.name
    tables = yaml.safe_load(path.read_text(encoding="utf-8"))["sources"][0]["tables"]
    table: dict[str, Any] = next((table for table in tables if table["name"] == source.raw_table), {})
    meta = table.get("config", {}).get("meta", {}).get("brought")
    if not meta:
        raise LandingError(
            f"{source.file_name}: {path.relative_to(PROJECT)} doesn't say how {source.raw_table} is read: put its "
            f"config, meta, brought back, or make remove NAME={name} and add the file again"
        )
    entity = "true_labels" if source.raw_table != name else "votes"
    model = path.parent / f"stg_{name}__{entity}.sql"
    words = {"tab": "\t", "none": ""}
    return Brought(
        dataset_id=name,
        reading=Reading(
            meta["format"],
            words.get(meta.get("delimiter"), meta.get("delimiter", ",")),
            words.get(meta.get("quote"), meta.get("quote", '"')),
            meta.get("header", True),
        ),
        model=model.read_text(encoding="utf-8"),
        where=str(model.relative_to(PROJECT)),
        columns={
            column["name"]: column.get("config", {}).get("meta", {}).get("in_file", column["name"])
            for column in table["columns"]
        },
        allowed=frozenset(meta.get("allow", [])),
        labels=tuple(row["label"] for row in read_seed(SEEDS / "labels.csv") if row["dataset_id"] == name),
    )


def read(connection: duckdb.DuckDBPyConnection, source: SourceFile, path: Path) -> list[str]:
    """Fill `file_rows` from the file and check it; return warnings. Raises LandingError where it is refused."""
    brought = declared(source)
    with formats.unpacked(source.file_name, path) as (name, unpacked):
        formats.format_of(name, unpacked, brought.reading.format)
        names = formats.read(connection, source.file_name, unpacked, brought.reading)
    there = {"file_row", *formats.raw_names(names)}
    if missing := [repr(in_file) for raw, in_file in brought.columns.items() if raw not in there]:
        raise LandingError(
            f"{source.file_name}, header: no column {', '.join(missing)}: make remove NAME={brought.dataset_id} and "
            "add the file again"
        )
    return check(connection, source.file_name, brought).warnings


def check(connection: duckdb.DuckDBPyConnection, file_name: str, brought: Brought) -> Checked:
    """Run the staging model on `file_rows` and judge what it makes of them."""
    sql, call = vote_sql.render(brought.model, brought.where, FILE_ROWS)
    try:
        connection.execute(f"create or replace temp table {VOTES if brought.is_of_votes else TRUE_LABELS} as {sql}")
    except duckdb.Error as error:
        raise LandingError(
            f"{file_name}: {brought.where} can't be run on it ({_first_line(error)}): correct the model"
        ) from error
    checks = _Checks(connection, file_name, brought, call)
    return checks.of_votes() if brought.is_of_votes else checks.of_true_labels()


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0][:300]


class _Checks:
    def __init__(
        self, connection: duckdb.DuckDBPyConnection, file_name: str, brought: Brought, call: Mapping[str, Any]
    ) -> None:
        self.connection = connection
        self.file_name = file_name
        self.brought = brought
        self.call = call
        self.checked = Checked(macro=call)

    # What sentences are made of.

    def one(self, sql: str, *values: Any) -> tuple[Any, ...] | None:
        row: tuple[Any, ...] | None = self.connection.execute(sql, list(values)).fetchone()
        return row

    def number(self, sql: str) -> int:
        row = self.one(sql)
        return int(row[0] or 0) if row else 0

    def column(self, role: str) -> str:
        """', column rating', as the file calls the column that plays a role; empty where it isn't known."""
        raw = self.call.get(role)
        if not raw or not isinstance(raw, str | list):
            return ""
        names = [self.brought.columns.get(name, name) for name in ([raw] if isinstance(raw, str) else raw)]
        return f", column {' + '.join(map(_shown_name, names))}"

    def refuse(self, where: str, problem: str, advice: str) -> None:
        raise LandingError(f"{self.file_name}{where}: {problem}: {advice}")

    def judge(self, judgement: str, where: str, problem: str, advice: str) -> None:
        """Refuse what looks wrong, unless it was allowed by name."""
        if judgement not in self.brought.allowed:
            self.refuse(where, problem, f"{advice}, or --allow {judgement} if that is right")

    # The checks.

    def of_votes(self) -> Checked:
        """Refuse what is wrong or undecided, then count."""
        self._keys()
        self._undecided()
        self._items()
        counts = self.one(
            f"""
            select
                count(distinct item_id), count(distinct annotator_id), coalesce(sum(weight), 0), count(distinct label)
            from {VOTES} where drop_reason is null and not is_attention_check and weight > 0
            """
        )
        assert counts is not None
        checked = self.checked
        checked.rows = self.number(f"select count(*) from {FILE_ROWS}")
        checked.items, checked.annotators, checked.votes, labels = (int(count) for count in counts)
        checked.labels = [
            str(label)
            for (label,) in self.connection.execute(
                f"select distinct label from {VOTES} where drop_reason is null and weight > 0 order by label limit 200"
            ).fetchall()
        ]
        checked.dropped = self.connection.execute(
            f"""
            select coalesce(drop_reason, 'attention check') as reason, cast(sum(weight) as bigint)
            from {VOTES} where drop_reason is not null or is_attention_check group by 1 order by 1
            """
        ).fetchall()
        if checked.votes == 0:
            self.refuse("", "no vote is left to count", "check which column holds the labels and what is dropped")
        self._labels(labels)
        self._annotators()
        self._likely_mistakes()
        return checked

    def of_true_labels(self) -> Checked:
        """Refuse items with two true labels or none at all."""
        self.checked.rows = self.number(f"select count(*) from {TRUE_LABELS}")
        if self.checked.rows == 0:
            self.refuse(self.column("label"), "no true label at all", "check which column holds them")
        if twice := self.one(
            f"select item_id, min(true_label), max(true_label) from {TRUE_LABELS}"
            " group by 1 having count(*) > 1 limit 1"
        ):
            self.refuse(
                self.column("label"),
                f"item {_shown(twice[0])} has the true labels {_shown(twice[1])} and {_shown(twice[2])}",
                "keep one",
            )
        if gap := self.one(f"select 1 from {TRUE_LABELS} where item_id is null"):
            self.refuse(self.column("item"), f"{len(gap)} true label without an item", "fill it in")
        return self.checked

    def _keys(self) -> None:
        if gap := self.one(f"select min(file_row) from {VOTES} where item_id is null having count(*) > 0"):
            self.refuse(f", row {gap[0]}{self.column('item')}", "no item", "fill it in or leave the row out")
        if self.call.get("annotator") or self.call.get("annotators"):
            gap = self.one(
                f"select min(file_row) from {VOTES} where annotator_id is null and drop_reason is null"
                " having count(*) > 0"
            )
            if gap:
                role = "annotators" if isinstance(self.call.get("annotators"), str) else "annotator"
                self.refuse(
                    f", row {gap[0]}{self.column(role)}",
                    "a vote without an annotator",
                    "fill it in, or --no-annotator if the annotators don't matter",
                )
        item = self.call.get("item") or []
        if len(item) > 1:
            parts = ", ".join(f'"{name}"' for name in item)
            joined = self.one(
                f"""
                select min(file_row), max(file_row)
                from (select distinct on ({parts}) file_row, {parts} from {FILE_ROWS})
                group by {" || '|' || ".join(f'"{name}"' for name in item)} having count(*) > 1 limit 1
                """
            )
            if joined:
                self.refuse(
                    f", rows {joined[0]} and {joined[1]}{self.column('item')}",
                    "two items that are the same once their columns are joined by |",
                    "replace the | in these columns",
                )

    def _undecided(self) -> None:
        found = self.one(
            f"""
            select drop_reason, count(*), min_by(file_row, vote_id), min_by(item_id, vote_id),
                min_by(annotator_id, vote_id), min_by(label, vote_id)
            from {VOTES} where starts_with(drop_reason, 'undecided') group by drop_reason order by 3 limit 1
            """
        )
        if not found:
            return
        reason, count, row, item, annotator, label = found
        where = f", row {row}"
        if reason == "undecided: repeated vote":
            first = self.number(
                f"select min(file_row) from {VOTES} where item_id = {_literal(item)} and annotator_id = "
                f"{_literal(annotator)} and drop_reason is null"
            )
            before = f"first in row {first}" if first else "several votes in one row"
            choices = "count_all, keep_first or keep_last" if first else "count_all"
            self.refuse(
                where,
                f"annotator {_shown(annotator)} votes again on item {_shown(item)} ({before}); {count:,} such repeated "
                "votes",
                f"decide with --repeats {choices}",
            )
        elif reason == "undecided: no count":
            raw = self._raw_count(row, label)
            column = self.column("frequency") or f", column {_shown_name(self._label_column(label))}"
            self.refuse(where + column, f"{raw} is no number of votes", "counts are whole numbers from 0; correct it")
        elif reason == "undecided: unlike the total":
            total = str(self.call.get("total"))
            sums = self.one(
                f'select (select sum(weight) from {VOTES} where file_row = {row}), "{total}" from {FILE_ROWS}'
                f" where file_row = {row}"
            )
            assert sums is not None
            self.refuse(
                where + self.column("total"),
                f"the counts add up to {sums[0]} and the total says {_shown(sums[1])}",
                "correct the row, or leave out --total if the column is something else",
            )
        elif reason == "undecided: several labels":
            self.refuse(
                where + self.column("label"),
                f"{_shown(label)} names several labels; {count:,} such votes",
                "count each with --several count_each, or leave out --label-separator",
            )
        else:
            self.refuse(
                where + self.column("votes"),
                "no JSON list of votes",
                'lists look like ["a", "b"]; pass --separator for others',
            )

    def _label_column(self, label: str) -> str:
        labels: Mapping[str, str] = self.call.get("labels") or {}
        raw = next((raw for raw, name in labels.items() if name == label), "")
        return self.brought.columns.get(raw, raw)

    def _raw_count(self, row: int, label: str) -> str:
        labels: Mapping[str, str] = self.call.get("labels") or {}
        raw = self.call.get("frequency") or next((raw for raw, name in labels.items() if name == label), None)
        cell = self.one(f'select "{raw}" from {FILE_ROWS} where file_row = {row}') if raw else None
        return _shown(cell[0]) if cell else "a cell"

    def _items(self) -> None:
        macro = self.call.get("macro")
        if macro in ("votes_from_counts", "votes_from_lists") and self.call.get("item"):
            twice = self.one(
                f"""
                select item_id, min(file_row), max(file_row) from {VOTES}
                group by item_id having min(file_row) < max(file_row) order by 2 limit 1
                """
            )
            if twice:
                self.judge(
                    "repeated_items",
                    f", rows {twice[1]} and {twice[2]}{self.column('item')}",
                    f"item {_shown(twice[0])} is there twice",
                    "name a second column that tells them apart with --item, or --item-row",
                )
        empty = self.connection.execute(
            f"""
            select item_id, min(file_row), count(*) over () from {VOTES} where not is_attention_check
            group by item_id
            having count(*) filter (where weight > 0 and coalesce(drop_reason, '') != 'missing') = 0
            order by 2 limit 3
            """
        ).fetchall()
        if empty:
            names = ", ".join(_shown(item) for item, *_ in empty)
            self.judge(
                "items_without_votes",
                f", row {empty[0][1]}",
                f"{empty[0][2]:,} items without a vote ({names}{', ...' if empty[0][2] > 3 else ''})",
                "leave them out",
            )
        abstained = self.number(
            f"""
            select count(*) from (
                select item_id from {VOTES} where not is_attention_check group by item_id
                having count(*) filter (where weight > 0 and drop_reason is null) = 0
                    and count(*) filter (where drop_reason = 'abstention') > 0
            )
            """
        )
        if abstained:
            self.checked.warnings.append(f"{abstained:,} items have abstentions only: no vote is counted on them.")

    def _labels(self, labels: int) -> None:
        column = self.column("label") or self.column("votes")
        if labels == 1 and not self.brought.labels:
            self.judge(
                "one_label",
                column,
                f"all votes are for one label, {_shown(self.checked.labels[0])}",
                "check which column holds the labels, or declare the others with --labels",
            )
        if labels > _CONTINUOUS:
            numbers = self.number(
                f"""
                select count(distinct label) from {VOTES}
                where drop_reason is null and weight > 0 and isfinite(try_cast(label as double))
                """
            )
            if numbers > _CONTINUOUS:
                self.judge(
                    "continuous_labels",
                    column,
                    f"{numbers:,} different numbers, which looks like a measurement and not like labels",
                    "group them into labels",
                )
        if self.brought.labels:
            known = ", ".join(map(_literal, self.brought.labels))
            other = self.one(
                f"""
                select label, min(file_row) from {VOTES}
                where drop_reason is null and weight > 0 and label not in ({known}) group by label order by 2 limit 1
                """
            )
            if other:
                self.refuse(
                    f", row {other[1]}{column}",
                    f"{_shown(other[0])} is not among the declared labels",
                    "declare it too (--labels), or drop it (--abstain, --missing)",
                )
        for token in ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "none", "?", "-"):
            if token in self.checked.labels:
                votes = self.number(
                    f"select sum(weight) from {VOTES} where drop_reason is null and label = {_literal(token)}"
                )
                self.checked.warnings.append(
                    f"{votes:,} votes are for the label {token!r}: --missing {token or repr('')} if that is no vote."
                )
        if not self.call.get("separator"):
            listed = self.one(
                f"""
                select label, count(*) over () from {VOTES} where drop_reason is null
                    and (regexp_matches(label, '[^ ][;|][^ ]') or regexp_matches(label, '^\\[.*\\]$'))
                group by label limit 1
                """
            )
            if listed:
                self.checked.warnings.append(
                    f"Labels like {_shown(listed[0])} may be several labels of one vote: --label-separator and "
                    "--several count_each would count each."
                )

    def _annotators(self) -> None:
        if (self.call.get("annotator") or self.call.get("annotators")) and self.checked.annotators == 1:
            self.judge(
                "one_annotator",
                self.column("annotator"),
                "all votes are by one annotator",
                "check which column names the annotators, or --no-annotator",
            )
        unknown = self.one(
            f"select min(file_row) from {VOTES} where is_attention_check and drop_reason is null and true_label is null"
            " having count(*) > 0"
        )
        if unknown:
            self.refuse(
                f", row {unknown[0]}{self.column('true_label')}",
                "an attention check without a true label",
                "name the column that holds it with --true-label",
            )

    def _likely_mistakes(self) -> None:
        checked, macro = self.checked, self.call.get("macro")
        if macro == "votes_from_long" and self.call.get("item"):
            rows = self.number(f"select count(*) from {VOTES} where drop_reason is null")
            if checked.items == rows > 1 and checked.votes == rows:
                self.judge(
                    "unique_items",
                    self.column("item"),
                    f"each of the {rows:,} rows is an item of its own, so no two votes can be compared",
                    "check which column names the items",
                )
            if checked.annotators > 2 * checked.items:
                checked.warnings.append(
                    f"{checked.items:,} items with {checked.votes / checked.items:,.0f} votes each, by "
                    f"{checked.annotators:,} annotators with {checked.votes / checked.annotators:,.0f} votes each: if "
                    "it is the other way round, swap --item and --annotator."
                )


def _shown(value: Any) -> str:
    return "no value" if value is None else repr(str(value)[:80])


def _shown_name(name: str) -> str:
    return name if name.isidentifier() else repr(name)


def _literal(value: Any) -> str:
    return "'" + str(value).replace("'", "''") + "'"


def preview(connection: duckdb.DuckDBPyConnection, rows: int = 5) -> list[tuple[Any, ...]]:
    """(item, annotator, label, votes) of the first votes."""
    return connection.execute(
        f"""
        select item_id, annotator_id, label, weight from {VOTES}
        where drop_reason is null and weight > 0 order by vote_id limit {rows}
        """
    ).fetchall()


@functools.cache
def reserved_words() -> frozenset[str]:
    """Words that SQL keeps to itself: no name of a table."""
    with duckdb.connect() as connection:
        words = connection.execute(
            "select keyword_name from duckdb_keywords() where keyword_category = 'reserved'"
        ).fetchall()
    return frozenset(str(word) for (word,) in words)
