"""Recognition: how a vote file is laid out, and why that is likely. Nothing is decided silently: each guess comes with
its reason, is written into the project, and can be overruled by a flag of `make add`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from scripts.landing.declared import LandingError
from scripts.landing.formats import DELIMITERS, TEXT_ENDINGS, Reading, beginning, raw_names, records
from scripts.landing.readers import FILE_ROWS

# Words in the names of columns.
_ITEM = re.compile(
    "items?|question|task|object|image|img|picture|photo|tweet|text|sentence|document|doc|example|sample|unit|patient|"
    "subject|case|record|orig|instance|pair|url|site|page|clip|video|audio|utterance|comment|post|stimulus|file|"
    "filename|u?ids?|idx|index|key"
)
_ANNOTATOR = re.compile(
    "annotators?|workers?|raters?|coders?|judges?|user|participant|labell?er|crowdworker|respondent|voter|reviewer|"
    "assessor|turker|person|doctor|evaluator|contributor"
)
_LABEL = re.compile(
    "labels?|votes?|ratings?|responses?|judge?ments?|answers?|choice|annotations?|category|class|score|value|grade|"
    "diagnosis|verdict|decision|sentiment|emotion|tag|chosen"
)
_TRUTH = re.compile("gold|golden|truth|true|correct|reference|actual|expected|gt")
_FREQUENCY = re.compile("counts?|n|freq|frequency|weight|votes|num")
_SUMMARY = re.compile(
    "majority|mean|median|average|avg|final|consensus|aggregated|tie|break|soft|hard|total|dist|prob.*"
)
_BEST_LABEL = re.compile("label|vote|response|rating|answer")
_BEST_ITEM = re.compile("item|orig")
_MISSING = ("NA", "N/A", "NaN", "nan", "<NA>", "null", "NULL", "None")
_FEW_LABELS = 50


def words(name: str) -> list[str]:
    """The words of a column's name, lower-case: amt_workerIds is amt, worker, ids."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)]


def _has(name: str, vocabulary: re.Pattern[str]) -> bool:
    return any(vocabulary.fullmatch(word) for word in words(name))


def is_annotator_name(name: str) -> bool:
    """Whether the name is one for a column of annotators."""
    return _has(name, _ANNOTATOR) and not (_has(name, _FREQUENCY) or _LABEL.fullmatch(words(name)[-1]))


def is_label_name(name: str) -> bool:
    """Whether the name is one for a column of labels that people gave."""
    return _has(name, _LABEL) and not (is_truth_name(name) or is_summary_name(name) or {"id", "ids"} & set(words(name)))


def is_item_name(name: str) -> bool:
    """Whether the name is one for a column of items."""
    return _has(name, _ITEM) and not is_annotator_name(name)


def is_truth_name(name: str) -> bool:
    """Whether the name is one for a column of true labels."""
    return _has(name, _TRUTH)


def is_summary_name(name: str) -> bool:
    """Whether the name is one for a column that sums up several votes."""
    return _has(name, _SUMMARY)


# --- how separated values are read -----------------------------------------------------------------------------


def reading_of(
    file_name: str, path: Path, *, delimiter: str | None, quote: str | None, has_header: bool | None
) -> tuple[Reading, list[str]]:
    """How a csv file is to be read, with the reasons; what is given stays."""
    text = beginning(path)
    if not text.strip():
        raise LandingError(f"{file_name} is empty: export it again")
    mark = '"' if quote is None else quote
    reasons = []
    if delimiter is None:
        delimiter = _delimiter(file_name, text, mark)
        name = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "bars (|)"}[delimiter]
        reasons.append(f"separated by {name}, which give all rows the same number of values")
    reading = Reading("csv", delimiter, mark, has_header is not False)
    if has_header is None:
        rows = _some(file_name, text, reading)
        is_header, why = _is_header(rows)
        reading = Reading("csv", delimiter, mark, is_header)
        reasons.append(("the first row is a header: " if is_header else "no header: ") + why)
    return reading, reasons


def _some(file_name: str, text: str, reading: Reading, rows: int = 1000) -> list[list[str | None]]:
    some = []
    try:
        for row in records(file_name, text, reading):
            some.append(row)
            if len(some) == rows:
                break
    except LandingError:
        # A quoted text may be cut at the end of the beginning; a real flaw is found when the whole file is read.
        if not some:
            raise
    return some


def _delimiter(file_name: str, text: str, quote: str) -> str:
    by_ending = TEXT_ENDINGS.get(file_name.lower().rpartition(".")[2]) or ","
    best = (0.0, 0, by_ending)
    for delimiter in sorted(DELIMITERS, key=lambda mark: mark != by_ending):
        try:
            widths = Counter(len(row) for row in _some(file_name, text, Reading("csv", delimiter, quote), 200))
        except LandingError:
            continue
        width, rows = widths.most_common(1)[0]
        # A separator that splits nothing explains nothing.
        score = (rows / widths.total() if width > 1 else 0.0, width if delimiter == by_ending else 0, delimiter)
        if score[0] > best[0]:
            best = score
    return best[2]


def _is_header(rows: Sequence[Sequence[str | None]]) -> tuple[bool, str]:
    first, below = rows[0], rows[1:]
    names = [name for name in first if name]
    columns = [[row[position] for row in below if position < len(row)] for position in range(len(first))]
    if not below:
        return True, "it is the only row"
    if len(set(names)) < len(names) or len(names) < len(first) - 1:
        return False, "the first row repeats a value or has gaps, which names of columns don't"
    if all(re.fullmatch(r"\d+", name) for name in names):
        numbers = sorted(map(int, names))
        is_range = len(numbers) > 1 and numbers in (list(range(len(numbers))), list(range(1, len(numbers) + 1)))
        sums = {sum(int(cell) for cell in row if cell and cell.isdigit()) for row in below}
        if is_range and len(sums) == 1 and sum(numbers) not in sums:
            return True, "it numbers the columns, and every other row has the same sum"
        return False, "the first row is all numbers, as the rows below"
    for name, column in zip(first, columns, strict=True):
        if name and not _is_number(name) and column and all(cell is None or _is_number(cell) for cell in column):
            return True, f"{name!r} stands above numbers"
    for position, (name, column) in enumerate(zip(first, columns, strict=True), start=1):
        if name in column:
            return False, f"{name!r} of the first row is also a value further down in column {position}"
    return True, "none of its texts comes again in its column"


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|NaN|nan|NA", text))


# --- which column is what --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Column:
    """A raw column, its name in the file, and what its cells look like."""

    raw: str
    name: str
    filled: int
    distinct: int
    numbers: int
    counts: int
    lists: int

    @property
    def is_counts(self) -> bool:
        """Whether all its cells are whole numbers from 0, or blank."""
        return 0 < self.filled == self.counts


@dataclass
class Guess:
    """A votes_from_ macro with its arguments, and why."""

    macro: str
    arguments: dict[str, Any]
    reasons: list[str]


def columns_of(connection: duckdb.DuckDBPyConnection, names: list[str]) -> list[Column]:
    """What each column of `file_rows` looks like."""
    raws = raw_names(names)
    facts = ", ".join(
        f"""count("{raw}"), count(distinct "{raw}"),
        count(*) filter (where try_cast("{raw}" as double) is not null or "{raw}" in ('NA', '')),
        count(*) filter (where regexp_full_match("{raw}", ' *[0-9]{{1,15}}([.]0*)? *') or "{raw}" = ''),
        count(*) filter (where regexp_full_match("{raw}", '\\s*\\[.*\\]\\s*', 's'))"""
        for raw in raws
    )
    row = connection.execute(f"select {facts} from {FILE_ROWS}").fetchone()
    assert row is not None
    return [
        Column(raw, name, *row[5 * position : 5 * position + 5])
        for position, (raw, name) in enumerate(zip(raws, names, strict=True))
    ]


def recognise(
    connection: duckdb.DuckDBPyConnection, file_name: str, columns: list[Column], format: str, macro: str | None = None
) -> Guess:
    """The most likely layout; raises LandingError where none is likely enough. `macro`, where given, is the one to
    fill in, and then what could not be guessed is left out."""
    rows = _count(connection)
    attempts = {
        _nested: "votes_from_long",
        _exact_counts: "votes_from_counts",
        _lists: "votes_from_lists",
        _counts: "votes_from_counts",
        _annotator_columns: "votes_from_annotator_columns",
        _long: "votes_from_long",
    }
    for attempt, makes in attempts.items():
        if macro in (None, makes) and (guess := attempt(connection, columns, rows, format)):
            return guess
    if macro == "votes_from_counts" and (runs := _runs(columns, rows)):
        return _guess_counts(columns, columns[slice(*runs[0])], None, rows, "counts was said")
    if macro:
        return Guess(macro, {}, [])
    raise LandingError(
        f"{file_name}: no layout of votes was recognised in its columns ({', '.join(c.name for c in columns[:20])}): "
        "say which it is with --shape long, counts, annotators or lists, and name the columns"
    )


def _count(connection: duckdb.DuckDBPyConnection, where: str = "true") -> int:
    row = connection.execute(f"select count(*) from {FILE_ROWS} where {where}").fetchone()
    return int(row[0]) if row else 0


def _nested(_: duckdb.DuckDBPyConnection, columns: list[Column], __: int, format: str) -> Guess | None:
    keys = [c for c in columns if re.fullmatch(r"key_\d+", c.raw)]
    if format != "json" or len(keys) < 2 or [c.raw for c in columns[len(keys) :]] != ["value"]:
        return None
    item, annotator = [c.raw for c in keys[:-1]], keys[-1].raw
    if columns[-1].filled and columns[-1].lists == columns[-1].filled:
        return Guess(
            "votes_from_long",
            {"item": item, "annotator": annotator, "label": "value", "separator": "json"},
            ["keys inside keys, the last one an annotator with a list of labels"],
        )
    return Guess(
        "votes_from_long",
        {"item": item, "annotator": annotator, "label": "value"},
        ["keys inside keys: items, then annotators, then the label"],
    )


def _lists(connection: duckdb.DuckDBPyConnection, columns: list[Column], rows: int, _: str) -> Guess | None:
    found: list[tuple[Column, str]] = []
    for column in columns:
        if is_summary_name(column.name) or {"count", "counts"} & set(words(column.name)):
            continue
        if column.filled and column.lists >= 0.9 * column.filled:
            found.append((column, "json"))
            continue
        if not column.filled or is_item_name(column.name) or is_truth_name(column.name):
            continue
        for separator in ("|", ";", ",", " "):
            parts = connection.execute(
                f"""
                select count(*) filter (where len(parts) > 1), (select count(distinct part) from (
                    select unnest(string_split("{column.raw}", $1)) as part from {FILE_ROWS}))
                from (select string_split("{column.raw}", $1) as parts from {FILE_ROWS} where "{column.raw}" != '')
                """,
                [separator],
            ).fetchone()
            is_named = is_label_name(column.name) or is_annotator_name(column.name) or len(columns) <= 2
            if parts and is_named and parts[0] >= 0.8 * column.filled and (parts[1] or 0) < 2 * column.distinct + 10:
                found.append((column, separator))
                break
    votes = [pair for pair in found if not is_annotator_name(pair[0].name)]
    if not votes or any(is_annotator_name(c.name) and c.filled and c not in [f for f, _ in found] for c in columns):
        return None
    column, separator = next((pair for pair in votes if is_label_name(pair[0].name)), votes[0])
    arguments: dict[str, Any] = {
        "item": _item(columns, {column.raw}, rows),
        "votes": column.raw,
        "separator": separator,
    }
    annotators = [c for c, mark in found if is_annotator_name(c.name) and mark == separator]
    if annotators:
        arguments["annotators"] = annotators[0].raw
    how = "a JSON list" if separator == "json" else f"texts separated by {separator!r}"
    reasons = [f"the cells of {column.name!r} hold {how}"]
    if annotators:
        reasons.append(f"{annotators[0].name!r} holds as many annotators")
    return Guess("votes_from_lists", arguments, reasons)


def _item(columns: list[Column], taken: set[str], rows: int) -> list[str]:
    """The column that names each row's item, for files with a row an item; empty where there is none."""
    free = [c for c in columns if c.raw not in taken and not is_truth_name(c.name)]
    named = [c for c in free if is_item_name(c.name) or not c.name]
    unique = [c for c in free if c.distinct == rows]
    # A name that comes twice is still the item's: it is refused later, with the rows, and not passed over.
    best = [c for c in named if c in unique] or [c for c in named if 2 * c.distinct > rows] or unique
    return [c.raw for c in best[:1]]


def _exact_counts(connection: duckdb.DuckDBPyConnection, columns: list[Column], rows: int, _: str) -> Guess | None:
    """Columns side by side whose whole numbers add up to a total column, or to the same sum in every row."""
    if any(is_annotator_name(c.name) for c in columns):
        return None
    for start, end in _runs(columns, rows):
        run = columns[start:end]
        total = next((c for c in columns if c not in run and c.is_counts and _adds_up(connection, run, c)), None)
        if total:
            return _guess_counts(columns, run, total, rows, f"{total.name!r} is the sum of the columns beside it")
        low, high, _spread = _sums(connection, run)
        if low == high and high >= 2 and sum(c.distinct > 1 for c in run) > 1:
            return _guess_counts(columns, run, None, rows, f"every row of them adds up to {high:,.0f}")
    return None


def _counts(connection: duckdb.DuckDBPyConnection, columns: list[Column], rows: int, format: str) -> Guess | None:
    """Columns side by side whose whole numbers add up to nearly the same, or an array."""
    if any(is_annotator_name(c.name) for c in columns):
        return None
    for start, end in _runs(columns, rows):
        run = columns[start:end]
        low, high, spread = _sums(connection, run)
        if format == "npy":
            return _guess_counts(columns, run, None, rows, "it is an array of whole numbers")
        if high >= 2 and spread < 0.1 and not any(is_label_name(c.name) for c in run):
            why = f"their rows add up to nearly the same ({low:,.0f} to {high:,.0f})"
            return _guess_counts(columns, run, None, rows, why)
    return None


def _sums(connection: duckdb.DuckDBPyConnection, run: list[Column]) -> tuple[float, float, float]:
    """Smallest and largest sum of a row, and the spread of the sums relative to their mean."""
    row = connection.execute(
        f"""
        select min(total), max(total), coalesce(stddev_pop(total) / nullif(avg(total), 0), 1)
        from (select {_sum(run)} as total from {FILE_ROWS})
        """
    ).fetchone()
    assert row is not None
    return row


def _runs(columns: list[Column], rows: int) -> list[tuple[int, int]]:
    """Ranges of at least two columns of counts side by side, longest first; ids and totals may stand at an end."""
    longest, start = [], None
    for position, column in enumerate([*columns, None]):
        is_id = column is not None and column.distinct == rows > 1 and (is_item_name(column.name) or not column.name)
        if column is not None and not is_id and (column.is_counts or column.filled == 0):
            start = position if start is None else start
        elif start is not None:
            longest.append((start, position))
            start = None
    runs = []
    for first, last in longest:
        at_ends = range(min(3, last - first))
        runs += [
            (first + left, last - right) for left in at_ends for right in at_ends if last - right - first - left >= 2
        ]
    return sorted(runs, key=lambda run: run[0] - run[1])


def _sum(run: list[Column]) -> str:
    return " + ".join(f'coalesce(try_cast("{c.raw}" as double), 0)' for c in run)


def _adds_up(connection: duckdb.DuckDBPyConnection, run: list[Column], total: Column) -> bool:
    return _count(connection, f'try_cast("{total.raw}" as double) is distinct from {_sum(run)}') == 0


def _guess_counts(columns: list[Column], run: list[Column], total: Column | None, rows: int, why: str) -> Guess:
    # Counts inside an object are called like it, a dot and their label.
    prefixes = {c.name.rpartition(".")[0] for c in run}
    shared = f"{prefixes.pop()}." if len(prefixes) == 1 else ""
    arguments: dict[str, Any] = {
        "item": _item(columns, {c.raw for c in [*run, *([total] if total else [])]}, rows),
        "labels": {c.raw: c.name.removeprefix(shared) for c in run},
    }
    if total:
        arguments["total"] = total.raw
    names = ", ".join(repr(c.name) for c in run[:6]) + (", ..." if len(run) > 6 else "")
    return Guess("votes_from_counts", arguments, [f"{names} hold whole numbers or blanks, and {why}"])


def _annotator_columns(connection: duckdb.DuckDBPyConnection, columns: list[Column], rows: int, _: str) -> Guess | None:
    """Columns with the same name but for a number, or with the same few values."""
    families: dict[str, list[Column]] = {}
    for column in columns:
        stem = re.sub(r"[\W_]*\d+$|(?<=[_\W])[A-Za-z]$", "", column.name)
        if stem != column.name and not is_truth_name(column.name) and not is_summary_name(stem):
            families.setdefault(stem, []).append(column)
    alike = [run for run in families.values() if len(run) > 1 and (_share_values(connection, run) or _named(run))]
    if alike:
        run = max(alike, key=len)
        why = "they are called alike but for a number, and hold the same labels"
    else:
        run = [c for c in columns if is_annotator_name(c.name)]
        why = "they are called like annotators, and hold the same labels"
        if len(run) < 2 or not _share_values(connection, run):
            run = max(_same_values(connection, columns), key=len, default=[])
            why = "they hold the same few labels"
        if len(run) < 2 or (len(run) < 3 and any(is_annotator_name(c.name) or is_label_name(c.name) for c in columns)):
            return None
    taken = {c.raw for c in run}
    arguments = {"annotators": {c.raw: c.name for c in run}, "item": _item(columns, taken, rows)}
    names = ", ".join(repr(c.name) for c in run[:6]) + (", ..." if len(run) > 6 else "")
    reasons = [f"a column an annotator, {names}: {why}"]
    tokens = [token for token in ("", *_MISSING) if any(_count(connection, f"\"{c.raw}\" = '{token}'") for c in run)]
    if tokens:
        arguments["missing"] = tokens
        reasons.append(f"{', '.join(map(repr, tokens))} is taken to mean no vote (--no-missing makes it a label)")
    return Guess("votes_from_annotator_columns", arguments, reasons)


def _named(run: list[Column]) -> bool:
    return any(is_annotator_name(c.name) for c in run)


def _values(connection: duckdb.DuckDBPyConnection, column: Column) -> set[str]:
    return {
        value
        for (value,) in connection.execute(
            f'select distinct "{column.raw}" from {FILE_ROWS} where "{column.raw}" is not null limit {_FEW_LABELS + 1}'
        ).fetchall()
    } - set(_MISSING)


def _share_values(connection: duckdb.DuckDBPyConnection, run: list[Column]) -> bool:
    values = [_values(connection, c) for c in run if c.filled]
    union = set().union(*values)
    return 0 < len(union) <= _FEW_LABELS and all(
        2 * len(other & union) >= len(union) or len(other) == 1 for other in values
    )


def _same_values(connection: duckdb.DuckDBPyConnection, columns: list[Column]) -> list[list[Column]]:
    """Groups of columns whose values overlap, without those that sum up the others."""
    groups: list[tuple[set[str], list[Column]]] = []
    for column in columns:
        values = _values(connection, column) if column.filled and column.distinct <= _FEW_LABELS else set()
        if not values or is_truth_name(column.name) or is_summary_name(column.name):
            continue
        for known, members in groups:
            if 2 * len(known & values) >= max(len(known), len(values)):
                members.append(column)
                known |= values
                break
        else:
            groups.append((set(values), [column]))
    return [members for _, members in groups if len(members) > 1]


def _long(connection: duckdb.DuckDBPyConnection, columns: list[Column], rows: int, _: str) -> Guess | None:
    labels = [c for c in columns if is_label_name(c.name) and not is_annotator_name(c.name) and c.filled]
    annotators = [c for c in columns if is_annotator_name(c.name) and c.filled]
    reasons = []
    if len(labels) > 1:
        # Of several the one with the fewest values, and one that the annotator chose rather than one that describes.
        labels.sort(key=lambda c: (not _has(c.name, _BEST_LABEL), c.distinct))
    label = labels[0] if labels else None
    if label:
        reasons.append(f"{label.name!r} is called like labels")
    else:
        few = [c for c in columns if 1 < c.distinct <= min(_FEW_LABELS, max(2, rows // 3)) and c not in annotators]
        few = [c for c in few if not is_item_name(c.name) and not is_truth_name(c.name)]
        if not few:
            return None
        label = min(few, key=lambda c: c.distinct)
        reasons.append(f"{label.name!r} has the fewest values ({label.distinct})")
    rest = [c for c in columns if c not in (label, *annotators) and c.distinct > 1 and not is_truth_name(c.name)]
    frequency = next((c for c in rest if _has(c.name, _FREQUENCY) and c.is_counts and c.filled == rows), None)
    rest = [c for c in rest if c is not frequency]
    annotator = annotators[0] if annotators else None
    named = [c for c in rest if is_item_name(c.name)]
    repeated = [c for c in named if c.distinct < rows] or named
    item = min(repeated, key=lambda c: not _has(c.name, _BEST_ITEM), default=None)
    if item:
        reasons.append(f"{item.name!r} is called like items")
    elif rest:
        item = max([c for c in rest if c.distinct < rows] or rest, key=lambda c: c.distinct)
        reasons.append(f"{item.name!r} has {item.distinct:,} values over {rows:,} rows, as items would")
    if annotator:
        reasons.append(f"{annotator.name!r} is called like annotators")
    elif item and frequency is None:
        others = [c for c in rest if c is not item and not is_item_name(c.name) and 1 < c.distinct < rows]
        if len(others) == 1 and others[0].distinct < item.distinct and not labels:
            annotator = others[0]
            reasons.append(
                f"{annotator.name!r}, the remaining column, has {annotator.distinct:,} values, as annotators would"
            )
    if item is None:
        return None
    arguments: dict[str, Any] = {"item": [item.raw]}
    if annotator:
        arguments["annotator"] = annotator.raw
    else:
        reasons.append("no column names annotators (--annotator would)")
    arguments["label"] = label.raw
    if frequency:
        arguments["frequency"] = frequency.raw
        reasons.append(f"{frequency.name!r} says how many votes a row stands for")
    truth = next((c for c in columns if is_truth_name(c.name) and c is not label and c.filled), None)
    if truth and _count(connection, f'"{truth.raw}" is not null') and _is_by_item(connection, truth, item):
        arguments["true_label"] = truth.raw
        reasons.append(f"{truth.name!r} is called like true labels and is the same throughout an item")
    return Guess("votes_from_long", arguments, reasons)


def _is_by_item(connection: duckdb.DuckDBPyConnection, truth: Column, item: Column) -> bool:
    row = connection.execute(
        f'select count(distinct ("{item.raw}", "{truth.raw}")) = count(distinct "{item.raw}") from {FILE_ROWS}'
        f' where "{truth.raw}" is not null'
    ).fetchone()
    return bool(row and row[0])
