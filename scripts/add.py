"""Bring your own votes: look at a vote file, say how it is read, and add it to the project.

    python -m scripts.add FILE --name my_votes [choices]

The layout is recognised, with reasons; every guess can be overruled. Nothing is written before the file has passed all
the checks of landing. `make build` then builds every table for it. docs/bring-your-own.md has an example of each shape.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scripts import brought_project, build_lock
from scripts.landing.declared import PROJECT, LandingError

COLUMN = "a column is given by its name in the file, or as #1, #2, ... by its place"


def parser() -> argparse.ArgumentParser:
    """The command line."""
    command = argparse.ArgumentParser(
        prog="python -m scripts.add",
        description=__doc__,
        epilog=f"Where a value begins with a dash write --abstain=-x. {COLUMN.capitalize()}.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "file", type=Path, help="vote file: csv, tsv, json, jsonl, npy or parquet, perhaps .gz or .zip"
    )
    command.add_argument("--name", required=True, help="name of the data set: a-z, 0-9 and _")
    command.add_argument("--dry-run", action="store_true", help="look and check, write nothing")

    reading = command.add_argument_group("how the file is read")
    reading.add_argument("--format", choices=("csv", "json", "jsonl", "npy", "parquet"), help="default: by the ending")
    reading.add_argument("--delimiter", help="separator of a csv file: one character, or tab")
    reading.add_argument("--quote", help='quotation mark of a csv file, or none (default: ")')
    header = reading.add_mutually_exclusive_group()
    header.add_argument("--header", action="store_true", default=None, help="the first row names the columns")
    header.add_argument("--no-header", dest="header", action="store_false", help="the first row holds votes")

    shape = command.add_argument_group("what its columns are", COLUMN)
    shape.add_argument(
        "--shape",
        choices=tuple(_SHAPES),
        help="long: a row a vote; counts: a column a label; annotators: a column an annotator; lists: a cell of votes",
    )
    item = shape.add_mutually_exclusive_group()
    item.add_argument("--item", nargs="+", metavar="COLUMN", help="names the item; several columns are joined by |")
    item.add_argument("--item-row", action="store_true", help="each row is an item, named by its number")
    annotator = shape.add_mutually_exclusive_group()
    annotator.add_argument("--annotator", metavar="COLUMN", help="names the annotator (lists: holds as long a list)")
    annotator.add_argument("--no-annotator", action="store_true", help="ignore who voted: counts only")
    shape.add_argument("--label", metavar="COLUMN", help="holds the label (lists: the list of votes)")
    shape.add_argument("--columns", nargs="+", metavar="COLUMN", help="the columns of counts, or of annotators")
    shape.add_argument("--frequency", metavar="COLUMN", help="how many votes a row stands for")
    total = shape.add_mutually_exclusive_group()
    total.add_argument("--total", metavar="COLUMN", help="the sum of the counts, to be checked")
    total.add_argument("--no-total", action="store_true", help="no column is a total")
    shape.add_argument("--separator", help="between the votes of a list: a text, or json")

    votes = command.add_argument_group("what counts")
    votes.add_argument(
        "--labels", nargs="+", metavar="LABEL", help="the set of labels in its order (default: seen, sorted)"
    )
    missing = votes.add_mutually_exclusive_group()
    missing.add_argument("--missing", nargs="+", metavar="TEXT", help="cells with this text hold no vote")
    missing.add_argument("--no-missing", action="store_true", help="only empty cells hold no vote")
    votes.add_argument("--abstain", nargs="+", metavar="LABEL", help="labels that are abstentions: dropped and counted")
    votes.add_argument(
        "--repeats",
        choices=("refuse", "count_all", "keep_first", "keep_last"),
        default="refuse",
        help="several votes of one annotator on one item (default: refuse)",
    )
    votes.add_argument(
        "--label-separator", metavar="TEXT", help="between several labels of one vote, or json for a list"
    )
    votes.add_argument("--several", choices=("refuse", "count_each"), default="refuse", help="what to do with them")
    votes.add_argument(
        "--allow",
        nargs="+",
        default=[],
        metavar="WHAT",
        help="accept what looks like a mistake; a refusal names the word",
    )

    truth = command.add_argument_group("true labels and attention checks")
    given = truth.add_mutually_exclusive_group()
    given.add_argument("--true-label", metavar="COLUMN", help="holds the true label")
    given.add_argument("--no-true-label", action="store_true", help="no column holds true labels")
    truth.add_argument(
        "--true-label-file", type=Path, metavar="FILE", help="a file with a row an item: item, true label"
    )
    truth.add_argument("--true-label-file-columns", nargs=2, metavar=("ITEM", "LABEL"), help="its two columns")
    truth.add_argument(
        "--gold-items", action="store_true", help="items with a true label are attention checks, not votes"
    )
    truth.add_argument("--check", metavar="COLUMN", help="marks the rows that are attention checks")
    truth.add_argument(
        "--check-values", nargs="+", default=["1"], metavar="TEXT", help="how it marks them (default: 1)"
    )
    truth.add_argument("--pass-pct", type=int, metavar="PCT", help="share of checks an annotator must pass, 0 to 100")

    about = command.add_argument_group("what people read")
    about.add_argument("--title", default="", help="name for people")
    about.add_argument("--unit", default="item", help="what an item is: image, sentence, ... (default: item)")
    about.add_argument("--licence", default="", help="licence of the votes")
    about.add_argument("--citation", default="", help="what to cite")
    return command


_SHAPES = {
    "long": "votes_from_long",
    "counts": "votes_from_counts",
    "annotators": "votes_from_annotator_columns",
    "lists": "votes_from_lists",
}


@dataclass
class _Opened:
    """A file that was read into `file_rows`."""

    path: Path
    reading: Any
    names: list[str]
    columns: list[Any]
    reasons: list[str]


class Adding:
    """One look at a file and, unless it is a dry run, the addition of it."""

    def __init__(self, options: argparse.Namespace) -> None:
        import duckdb

        self.options = options
        self.connection = duckdb.connect()

    # --- reading ---

    def open(self, path: Path, *, is_votes: bool) -> _Opened:
        """Read a file into `file_rows`; the flags about reading are those of the vote file."""
        from scripts.landing import formats, readers, recognise

        if not path.is_file():
            raise LandingError(f"{path}: no such file: check the path")
        if path.stat().st_size == 0:
            raise LandingError(f"{path.name} is empty: export it again")
        options = self.options
        mark = {"tab": "\t", "\\t": "\t"}.get(options.delimiter, options.delimiter) if is_votes else None
        quote = {"none": ""}.get(options.quote, options.quote) if is_votes else None
        for flag, value in (("--delimiter", mark), ("--quote", quote)):
            if value is not None and (len(value) > 1 or value in ("\r", "\n")):
                raise LandingError(f"{flag} {value!r} is more than one character: give one (or the word tab or none)")
        with formats.unpacked(path.name, path) as (name, unpacked):
            kind = formats.format_of(name, unpacked, options.format if is_votes else None)
            reading = formats.Reading(kind)
            reasons: list[str] = []
            if kind == "csv":
                readers.check_bytes(path.name, unpacked, has_header=False, advice=formats.AS_UTF8)
                reading, reasons = recognise.reading_of(
                    name, unpacked, delimiter=mark, quote=quote, has_header=options.header if is_votes else False
                )
                if not is_votes:
                    # The items are known by now, so nothing has to be guessed.
                    first = next(formats.records(name, formats.beginning(unpacked), reading))
                    reading = replace(reading, has_header=not self._number(_KNOWN.format(_texts(first))))
            names = formats.read(self.connection, path.name, unpacked, reading)
        if bad := next((name for name in names if any(mark in name for mark in ("{{", "{%", "{#"))), None):
            raise LandingError(f"{path.name}, header, column {bad!r}: dbt would read its braces: rename the column")
        return _Opened(path, reading, names, recognise.columns_of(self.connection, names), reasons)

    # --- the votes ---

    def call(self, opened: _Opened) -> tuple[str, dict[str, Any], list[str]]:
        """The macro, its arguments in the order they are written, and the reasons for what was not given."""
        from scripts.landing import recognise

        options = self.options
        shape = options.shape or self._implied_shape(opened)
        guess = recognise.recognise(
            self.connection, opened.path.name, opened.columns, opened.reading.format, _SHAPES.get(shape or "")
        )
        macro = guess.macro
        given = self._given(opened, macro)
        claimed = {raw for value in given.values() for raw in (value if isinstance(value, list | dict) else [value])}
        arguments = dict(guess.arguments)
        for role, value in guess.arguments.items():
            # What a person gave one column for, no guess gives it for something else.
            used = value if isinstance(value, list | dict) else [value]
            if role in ("item", "annotator", "label", "true_label", "frequency", "total") and claimed & set(used):
                arguments.pop(role)
        arguments |= given
        self._without_refused(arguments)
        self._complete(opened, macro, arguments)
        known = {name: arguments[name] for name in _ORDER if arguments.get(name) not in (None, [], False)}
        return macro, known, guess.reasons

    def _implied_shape(self, opened: _Opened) -> str | None:
        from scripts.landing import recognise

        options = self.options
        if options.separator:
            return "lists"
        if options.total:
            return "counts"
        if options.columns:
            chosen = {self._column(opened, name) for name in options.columns}
            alone = [column for column in opened.columns if column.raw in chosen]
            try:
                macro = recognise.recognise(self.connection, opened.path.name, alone, opened.reading.format).macro
            except LandingError:
                macro = ""
            if macro not in (_SHAPES["counts"], _SHAPES["annotators"]):
                raise LandingError(
                    f"{opened.path.name}: are --columns counts of votes or annotators? say --shape counts or annotators"
                )
            return next(shape for shape, name in _SHAPES.items() if name == macro)
        if options.frequency or options.label or options.annotator:
            return None if self._holds_lists(opened) else "long"
        return None

    def _holds_lists(self, opened: _Opened) -> bool:
        """Whether the column given for labels holds JSON lists, without an annotator for the whole row."""
        if not self.options.label or self.options.frequency or self.options.label_separator:
            return False
        raw = self._column(opened, self.options.label)
        return any(0 < c.filled == c.lists for c in opened.columns if c.raw == raw)

    def _given(self, opened: _Opened, macro: str) -> dict[str, Any]:
        options = self.options
        given: dict[str, Any] = {}
        is_lists = macro == "votes_from_lists"
        roles = {
            "annotator": ("annotators" if is_lists else "annotator", options.annotator),
            "label": ("votes" if is_lists else "label", options.label),
            "frequency": ("frequency", options.frequency),
            "total": ("total", options.total),
            "true_label": ("true_label", options.true_label),
            "check": ("check", options.check),
        }
        for role, name in roles.values():
            if name is not None:
                given[role] = self._column(opened, name)
        if options.item or options.item_row:
            given["item"] = [self._column(opened, name) for name in options.item or []]
        if options.columns:
            names = dict(zip((c.raw for c in opened.columns), opened.names, strict=True))
            chosen = {raw: names[raw] or raw for raw in (self._column(opened, name) for name in options.columns)}
            given["labels" if macro == "votes_from_counts" else "annotators"] = chosen
        if options.separator:
            given["separator"] = options.separator
        if options.label_separator:
            given |= {"separator": options.label_separator, "several": options.several}
        elif options.several != "refuse":
            given["several"] = options.several
        if options.missing or options.no_missing:
            given["missing"] = options.missing or []
        if options.abstain:
            given["abstain"] = options.abstain
        if options.check:
            given["check_values"] = options.check_values
        if options.gold_items and not options.true_label_file:
            given["gold_items"] = True
        return given

    def _without_refused(self, arguments: dict[str, Any]) -> None:
        options = self.options
        if options.no_annotator:
            arguments.pop("annotator", None)
            if isinstance(arguments.get("annotators"), str):
                arguments.pop("annotators")
        if options.no_true_label:
            arguments.pop("true_label", None)
        if options.no_total:
            arguments.pop("total", None)

    def _complete(self, opened: _Opened, macro: str, arguments: dict[str, Any]) -> None:
        """Refuse what is missing, doubled or makes no sense for the shape."""
        options, file_name = self.options, opened.path.name
        needed = {
            "votes_from_long": {"label": "--label", "item": "--item (or --item-row)"},
            "votes_from_counts": {"labels": "--columns"},
            "votes_from_annotator_columns": {"annotators": "--columns"},
            "votes_from_lists": {"votes": "--label", "separator": "--separator"},
        }[macro]
        for role, flag in needed.items():
            if role not in arguments:
                raise LandingError(
                    f"{file_name}: which column is it? name it with {flag}; there are {_listed(opened.names)}"
                )
        arguments.setdefault("item", [])
        if macro == "votes_from_counts":
            arguments.pop("repeats", None)
            for flag, value in (
                ("--missing", options.missing),
                ("--label-separator", options.label_separator),
                ("--check", options.check),
                ("--gold-items", options.gold_items),
            ):
                if value:
                    raise LandingError(
                        f"{file_name}: counts have no single votes, so {flag} means nothing: leave it out"
                    )
        else:
            arguments["repeats"] = options.repeats
        if macro == "votes_from_annotator_columns" and options.no_annotator:
            raise LandingError(f"{file_name}: with a column an annotator --no-annotator means nothing: leave it out")
        roles: dict[str, str] = {}
        for role in ("item", "annotator", "label", "frequency", "total", "labels", "annotators", "votes", "check"):
            value = arguments.get(role)
            for raw in [value] if isinstance(value, str) else value or []:
                if raw in roles:
                    raise LandingError(f"{file_name}, column {raw}: given for {roles[raw]} and for {role}: choose one")
                roles[raw] = role
        has_checks = bool(options.check or options.gold_items)
        if has_checks and options.pass_pct is None:
            raise LandingError(
                "--pass-pct is missing: say which share of attention checks an annotator must pass (80, say)"
            )
        if options.pass_pct is not None and not (has_checks and 0 <= options.pass_pct <= 100):
            raise LandingError(
                f"--pass-pct {options.pass_pct}: it is a percentage from 0 to 100, and needs --check or --gold-items"
            )
        if options.gold_items and not (arguments.get("true_label") or options.true_label_file):
            raise LandingError(
                "--gold-items needs the true labels: name their column (--true-label) or --true-label-file"
            )

    def _column(self, opened: _Opened, name: str) -> str:
        """The raw column that a person means."""
        by_place = name[1:] if name.startswith("#") else ""
        if by_place.isdigit() and 0 < int(by_place) <= len(opened.columns):
            return str(opened.columns[int(by_place) - 1].raw)
        found = [c.raw for c in opened.columns if c.name == name] or [c.raw for c in opened.columns if c.raw == name]
        if len(found) == 1:
            return str(found[0])
        if found:
            raise LandingError(
                f"{opened.path.name}, header: {len(found)} columns are called {name!r}: give its place, as #2"
            )
        raise LandingError(f"{opened.path.name}, header: no column {name!r}: there are {_listed(opened.names)}")

    # --- the true labels ---

    def true_label_call(self, opened: _Opened) -> dict[str, Any]:
        """Which column of the file of true labels names the items and which holds the labels."""
        options, name = self.options, opened.path.name
        if options.true_label_file_columns:
            item, label = (self._column(opened, column) for column in options.true_label_file_columns)
        elif len(opened.columns) != 2:
            raise LandingError(
                f"{name}: {len(opened.columns)} columns: say which two are meant with --true-label-file-columns"
            )
        else:
            shared = [
                self._number(f'select count(distinct "{c.raw}") from file_rows where "{c.raw}" in (from added_items)')
                for c in opened.columns
            ]
            if max(shared) == 0:
                raise LandingError(
                    f"{name}: neither column names an item of {options.file.name}: check both, or give "
                    "--true-label-file-columns"
                )
            item, label = (c.raw for c in (opened.columns if shared[0] >= shared[1] else reversed(opened.columns)))
        known = self._number(f'select count(distinct "{item}") from file_rows where "{item}" in (from added_items)')
        if not known:
            raise LandingError(
                f"{name}, column {item}: none of its items is one of {options.file.name}: check the columns"
            )
        print(f"  {opened.path.name}: true labels for {known:,} items ({item!r} names them, {label!r} has the labels)")
        arguments: dict[str, Any] = {"item": [item], "label": label}
        if options.gold_items:
            arguments["gold_items"] = True
        return arguments

    def _number(self, sql: str) -> int:
        row = self.connection.execute(sql).fetchone()
        return int(row[0] or 0) if row else 0

    # --- all of it ---

    def run(self) -> None:
        """Look, check, show and add; raises LandingError where the file or the choices are refused."""
        from scripts.landing import brought
        from scripts.landing.fetch import sha256_of

        options = self.options
        brought_project.check_name(options.name)
        if unknown := sorted(set(options.allow) - set(brought.JUDGEMENTS)):
            raise LandingError(f"--allow {unknown[0]}: there is only {', '.join(brought.JUDGEMENTS)}")
        if options.labels and len(set(options.labels)) < len(options.labels):
            raise LandingError("--labels names a label twice: name each once")
        raw_folder = Path(os.environ.get("DISSENT_RAW_FOLDER") or PROJECT / "data" / "raw")
        opened = self.open(options.file, is_votes=True)
        macro, arguments, reasons = self.call(opened)
        shape = next(shape for shape, name in _SHAPES.items() if name == macro)
        print(f"{opened.path.name}: {shape}, {brought_project.SHAPES[macro]}")
        for reason in [*opened.reasons, *reasons]:
            print(f"  because {reason}" if reason in reasons else f"  {reason}")
        checked = brought.check(self.connection, opened.path.name, self._brought(opened, macro, arguments, "votes"))
        self._show(checked, macro, arguments)
        files = [self._file(opened, macro, arguments, raw_folder, sha256_of(opened.path))]
        if options.true_label_file:
            self.connection.execute(
                f"create or replace temp table added_items as select distinct item_id from {brought.VOTES}"
            )
            truth = self.open(options.true_label_file, is_votes=False)
            truth_arguments = self.true_label_call(truth)
            brought.check(
                self.connection,
                truth.path.name,
                self._brought(truth, "true_labels_from", truth_arguments, "true_labels"),
            )
            if truth.path.name == opened.path.name:
                raise LandingError(f"{truth.path.name}: both files have that name: rename one")
            files.append(self._file(truth, "true_labels_from", truth_arguments, raw_folder, sha256_of(truth.path)))
        if options.dry_run:
            print("nothing was written (--dry-run)")
            return
        registration = brought_project.Registration(
            name=options.name,
            votes=files[0],
            true_labels=files[1] if len(files) > 1 else None,
            title=options.title,
            unit=options.unit,
            pass_pct=options.pass_pct,
            labels=options.labels or (),
            allowed=options.allow,
            licence=options.licence,
            citation=options.citation,
            cells_per_row=_cells_per_row(macro, arguments),
        )
        origins = [options.file, options.true_label_file]
        copies = {
            raw_folder / file.file_name: origin for file, origin in zip(files, origins, strict=False) if file.is_copied
        }
        written = brought_project.register(registration, copies)
        print(f"added {options.name}:")
        for path in written:
            print(f"  {path.relative_to(PROJECT)}")
        for target in copies:
            print(f"  {target} (a copy)")
        print(f"make build lands and builds it; make remove NAME={options.name} takes it out again")

    def _brought(self, opened: _Opened, macro: str, arguments: dict[str, Any], entity: str) -> Any:
        from scripts.landing.brought import Brought

        name = self.options.name
        return Brought(
            dataset_id=name,
            reading=opened.reading,
            model=brought_project.model_text(name, name, macro, arguments),
            where=f"models/staging/{name}/stg_{name}__{entity}.sql",
            columns={c.raw: c.name for c in opened.columns},
            allowed=frozenset(self.options.allow),
            labels=tuple(self.options.labels or ()),
        )

    def _file(
        self, opened: _Opened, macro: str, arguments: dict[str, Any], raw_folder: Path, sha256: str
    ) -> brought_project.VoteFile:
        file_name, is_copied = brought_project.free_file_name(self.options.name, opened.path, raw_folder, sha256)
        return brought_project.VoteFile(
            file_name=file_name,
            sha256=sha256,
            bytes=opened.path.stat().st_size,
            reading=opened.reading,
            names=opened.names,
            macro=macro,
            arguments=arguments,
            is_copied=is_copied,
        )

    def _show(self, checked: Any, macro: str, arguments: dict[str, Any]) -> None:
        from scripts.landing import brought

        rows = [("item", "annotator", "label", "votes"), *brought.preview(self.connection)]
        cells = [["-" if cell is None else str(cell).replace("\n", " ")[:40] for cell in row] for row in rows]
        widths = [max(len(row[position]) for row in cells) for position in range(4)]
        print("the first votes:")
        for row in cells:
            print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        by = f" by {checked.annotators:,} annotators" if checked.annotators else ", no annotators named"
        print(f"{checked.rows:,} rows: {checked.votes:,} votes on {checked.items:,} items{by}")
        shown = ", ".join(repr(label) for label in checked.labels[:12]) + (", ..." if len(checked.labels) > 12 else "")
        print(f"labels: {shown}")
        for reason, votes in checked.dropped:
            print(f"dropped: {votes:,} ({reason})")
        for warning in checked.warnings:
            print(f"note: {warning}")


# The order in which arguments are written into a model.
_ORDER = [
    *("item", "annotator", "annotators", "label", "labels", "votes", "frequency", "total", "separator", "several"),
    *("true_label", "gold_items", "check", "check_values", "missing", "abstain", "repeats"),
]


def _cells_per_row(macro: str, arguments: dict[str, Any]) -> int | None:
    if arguments.get("several") == "count_each":
        return None
    return {
        "votes_from_long": 1,
        "votes_from_counts": len(arguments.get("labels", ())),
        "votes_from_annotator_columns": len(arguments.get("annotators", ())),
    }.get(macro)


_KNOWN = "select count(*) from added_items where item_id in ({})"


def _texts(cells: list[str | None]) -> str:
    return ", ".join("'" + (cell or "").replace("'", "''") + "'" for cell in cells)


def _listed(names: list[str]) -> str:
    return ", ".join(repr(name) for name in names[:20]) + (", ..." if len(names) > 20 else "")


def main(arguments: list[str] | None = None) -> int:
    """Command line; every expected trouble is one sentence on stderr and exit code 1."""
    options = parser().parse_args(arguments)
    try:
        Adding(options).run()
    except (LandingError, build_lock.BuildRunning) as error:
        sys.stdout.flush()
        print(f"refused: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(
            f"refused: {error.filename} can't be read or written ({error.strerror}): check its permissions",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
