"""Readers: a file becomes the table `file_rows` of an in-memory DuckDB connection, in its raw table's columns.

Nothing is guessed: the columns are known, every value is converted explicitly, and whatever doesn't fit ends in
one LandingError that names the file, the row and the column.
"""

from __future__ import annotations

import codecs
import csv
import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

import duckdb

from scripts.landing.declared import COMPANIONS, RETAKE, LandingError, SourceFile, raw_columns
from scripts.landing.layouts import Layout, Shape

FILE_ROWS = "file_rows"
TRUE_LABELS = "true_labels"
_CHUNK = 1024 * 1024

# Names a raw column may have in the file, where they differ from its own.
_Names = dict[str, tuple[str, ...]]
_TRIAL_NAMES: _Names = {"cifar10_test_test_idx": ("cifar10_test_test_idx", "cifar10_test_set_idx")}
_FERPLUS_NAMES: _Names = {"usage": ("Usage",), "image_name": ("Image name",), "nf": ("NF",)}
_NAMES_IN_FILE: dict[Shape, _Names] = {
    Shape.TRIALS_ZIP: _TRIAL_NAMES,
    Shape.TRIALS_CSV: _TRIAL_NAMES,
    Shape.FERPLUS_CSV: _FERPLUS_NAMES,
    Shape.PREDICTIONS_LONG: {},
}
# How a number is spelled; a whole number may be written 7.0, as pandas does for columns with gaps.
_SPELLING = {
    "bigint": r"[+-]?[0-9]+(\.0*)?",
    "double": r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?",
}
_HEADERLESS = (Shape.TRUTH_COUNTS_PROBABILITIES, Shape.COUNTS_PROBABILITIES_TRUTH)
_KIND = {"bigint": "a whole number", "double": "a number"}


def read(connection: duckdb.DuckDBPyConnection, source: SourceFile, layout: Layout, path: Path) -> int:
    """Fill the table `file_rows` of `connection` from the file and return its number of rows.

    What goes into companion tables fills tables of their names.
    """
    columns = raw_columns(source.raw_table)
    _create(connection, FILE_ROWS, columns)
    for companion in COMPANIONS.get(source.raw_table, ()):
        _create(connection, companion, raw_columns(companion))
    if layout.shape is Shape.COUNTS_NPY:
        _read_counts(connection, source.file_name, layout, path)
    elif layout.shape is Shape.TRIALS_ZIP:
        with _unpacked(source.file_name, layout.max_unpacked, path) as unpacked:
            _read_csv(connection, source.file_name, layout.shape, columns, unpacked)
    elif layout.shape is Shape.PREDICTIONS_LONG:
        _read_predictions(connection, source.file_name, layout, columns, path)
    elif layout.shape in _HEADERLESS:
        _read_items(connection, source.file_name, layout, path)
    else:
        _read_csv(connection, source.file_name, layout.shape, columns, path)
    row = connection.execute(f"select count(*) from {FILE_ROWS}").fetchone()
    rows = int(row[0]) if row else 0
    if rows == 0:
        what = "no rows" if layout.shape in _HEADERLESS else "a header but no rows"
        raise LandingError(f"{source.file_name} holds {what}: {RETAKE}")
    return rows


def _create(connection: duckdb.DuckDBPyConnection, table: str, columns: list[tuple[str, str]]) -> None:
    definition = ", ".join(f"{_name(name)} {sql_type}" for name, sql_type in columns)
    connection.execute(f"create or replace table {table} ({definition})")


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


# --- zip -------------------------------------------------------------------------------------------------------


@contextmanager
def _unpacked(file_name: str, max_unpacked: int, path: Path) -> Iterator[Path]:
    """The archive's one csv file, unpacked to a temporary folder under a name of our own."""
    wanted = PurePosixPath(file_name).with_suffix(".csv").name
    with tempfile.TemporaryDirectory(prefix="dissent-") as folder:
        target = Path(folder) / wanted
        try:
            with zipfile.ZipFile(path) as archive:
                _unpack(archive, _member(archive, file_name, wanted, max_unpacked), target, file_name, max_unpacked)
        # zipfile raises all of these on damaged archives.
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
            raise LandingError(f"{file_name} is no readable zip archive ({_first_line(error)}): {RETAKE}") from error
        yield target


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _member(archive: zipfile.ZipFile, file_name: str, wanted: str, max_unpacked: int) -> zipfile.ZipInfo:
    found = []
    for member in archive.infolist():
        # What zipfile cleans away silently (drive letters, backslashes, "..") is refused: no honest archive has it.
        name = member.orig_filename
        if name.startswith(("/", "\\")) or "\\" in name or ":" in name or ".." in PurePosixPath(name).parts:
            raise LandingError(
                f"{file_name} is refused because its member {name!r} points outside the archive: {RETAKE}"
            )
        # macOS packs a shadow of every file into this folder.
        if name.lower().endswith(".csv") and not name.startswith("__MACOSX/"):
            found.append(member)
    if len(found) != 1:
        names = ", ".join(repr(member.filename) for member in found[:5]) or "none"
        raise LandingError(f"{file_name} must hold exactly one csv file, {wanted}, and holds {names}: {RETAKE}")
    member = found[0]
    if PurePosixPath(member.filename).name != wanted:
        raise LandingError(f"{file_name} holds {member.filename!r} instead of {wanted}: {RETAKE}")
    if member.flag_bits & 0x1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise LandingError(f"{file_name} is encrypted or packed in an unusual way: {RETAKE}")
    if member.file_size > max_unpacked:
        raise _too_large(file_name, max_unpacked)
    return member


def _too_large(file_name: str, max_unpacked: int) -> LandingError:
    return LandingError(f"{file_name} unpacks to more than {max_unpacked:,} bytes and is refused: {RETAKE}")


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, file_name: str, max_unpacked: int) -> None:
    written = 0
    with archive.open(member) as packed, target.open("wb") as unpacked:
        while chunk := packed.read(_CHUNK):
            written += len(chunk)
            # The size an archive states may be a lie.
            if written > max_unpacked:
                raise _too_large(file_name, max_unpacked)
            unpacked.write(chunk)


# --- csv -------------------------------------------------------------------------------------------------------


def _read_csv(
    connection: duckdb.DuckDBPyConnection,
    file_name: str,
    shape: Shape,
    columns: list[tuple[str, str]],
    path: Path,
) -> None:
    check_bytes(file_name, path)
    header = _header(file_name, path)
    in_file = _match_columns(file_name, header, shape, [name for name, _ in columns if name != "file_row"])
    _load_text(connection, file_name, in_file, path)
    _check_values(connection, file_name, columns)
    # rowid is the order of insertion, which is the file's: DuckDB keeps it while it loads in parallel.
    converted = ", ".join(
        "rowid + 1" if name == "file_row" else f"cast({_name(name)} as {sql_type})" for name, sql_type in columns
    )
    connection.execute(f"insert into {FILE_ROWS} select {converted} from file_text")
    connection.execute("drop table file_text")


def _load_text(
    connection: duckdb.DuckDBPyConnection, file_name: str, names: list[str], path: Path, *, has_header: bool = True
) -> None:
    """Fill the table `file_text`: values are converted later, so a bad one can be named, and 1.5 isn't rounded to 2."""
    spec = ", ".join(f"{_text(name)}: 'varchar'" for name in names)
    options = (
        f"auto_detect = false, header = {has_header}, delim = ',', quote = '\"', escape = '\"', strict_mode = true, "
        f"allow_quoted_nulls = false, max_line_size = 65536, columns = {{{spec}}}"
    )
    try:
        connection.execute(f"create or replace temp table file_text as from read_csv({_text(str(path))}, {options})")
    except duckdb.Error as error:
        raise _not_csv(file_name, error, has_header=has_header) from error


def check_bytes(file_name: str, path: Path, *, has_header: bool = True, advice: str = RETAKE) -> None:
    """Refuse bytes that are not UTF-8 text, and NUL, which DuckDB would let through."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    line = 1
    with path.open("rb") as handle:
        while True:
            chunk = handle.read(_CHUNK)
            problem, at = "", chunk.find(b"\0")
            if at >= 0:
                problem = "a NUL byte"
            else:
                try:
                    decoder.decode(chunk, final=not chunk)
                except UnicodeDecodeError as error:
                    problem, at = "bytes that are not UTF-8", error.start
            if problem:
                where = _row_name(line + chunk.count(b"\n", 0, max(at, 0)), has_header)
                raise LandingError(f"{file_name}, {where}: {problem}, where text is expected: {advice}")
            if not chunk:
                return
            line += chunk.count(b"\n")


def _row_name(line: int, has_header: bool) -> str:
    if not has_header:
        return f"row {line}"
    return f"row {line - 1}" if line > 1 else "header"


def _header(file_name: str, path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as handle:
        try:
            return next(csv.reader(handle, strict=True), [])
        except csv.Error as error:
            raise LandingError(f"{file_name}, header: not a line of comma-separated names: {RETAKE}") from error


def _match_columns(file_name: str, header: list[str], shape: Shape, expected: list[str]) -> list[str]:
    """The file's columns under their raw names, in the file's order; exactly the expected ones, in any order."""
    accepted = {raw: _NAMES_IN_FILE[shape].get(raw, (raw,)) for raw in expected}
    raw_names = {name: raw for raw, names in accepted.items() for name in names}
    in_file = [raw_names.get(name, "") for name in header]
    problems = []
    if missing := [names[0] for raw, names in accepted.items() if raw not in in_file]:
        problems.append("lacks the column " + ", ".join(map(repr, missing)))
    if unknown := [name[:80] for name in header if name not in raw_names]:
        problems.append("has the unknown column " + ", ".join(map(repr, unknown[:20])))
    if repeated := [names[0] for raw, names in accepted.items() if in_file.count(raw) > 1]:
        problems.append("repeats the column " + ", ".join(map(repr, repeated)))
    if problems:
        raise LandingError(f"{file_name}, header: {' and '.join(problems)}: rename the columns or {RETAKE}")
    return in_file


def _not_csv(file_name: str, error: duckdb.Error, *, has_header: bool) -> LandingError:
    message = str(error)
    line = re.search(r"CSV Error on Line: (\d+)", message)
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if columns:
        problem = f"{columns[2]} values where {'the header has' if has_header else 'there must be'} {columns[1]}"
    elif "unterminated quote" in message:
        problem = "a quotation mark that doesn't close"
    elif "Maximum line size" in message:
        problem = "a line longer than 65,536 bytes"
    else:
        problem = "not comma-separated values throughout (mixed line endings or stray quotation marks)"
    where = f", {_row_name(int(line[1]), has_header)}" if line else ""
    return LandingError(f"{file_name}{where}: {problem}: {RETAKE}")


def _check_values(
    connection: duckdb.DuckDBPyConnection, file_name: str, columns: list[tuple[str, str]], *, may_miss: bool = True
) -> None:
    """Name the first value that is no number, or is missing and may not, in a column of numbers."""
    for name, sql_type in columns:
        if name == "file_row" or sql_type not in _SPELLING:
            continue
        quoted = _name(name)
        bad: tuple[Any, ...] | None = connection.execute(
            f"select rowid + 1, {quoted} from file_text where case when {quoted} is null then ? else not ("
            f"regexp_full_match({quoted}, ?) and try_cast({quoted} as {sql_type}) is not null "
            f"and isfinite(coalesce(try_cast({quoted} as double), 'nan'))) end order by rowid limit 1",
            [not may_miss, _SPELLING[sql_type]],
        ).fetchone()
        if bad:
            value = "no value" if bad[1] is None else repr(str(bad[1])[:80])
            raise LandingError(f"{file_name}, row {bad[0]}, column {name}: {value} is not {_KIND[sql_type]}: {RETAKE}")


# --- model outputs ---------------------------------------------------------------------------------------------


def _read_predictions(
    connection: duckdb.DuckDBPyConnection,
    file_name: str,
    layout: Layout,
    columns: list[tuple[str, str]],
    path: Path,
) -> None:
    """The long layout: item_id, model_id (unless the seed names the model), label and perhaps probability."""
    check_bytes(file_name, path)
    header = _header(file_name, path)
    expected = ["item_id", "label"]
    expected += [] if layout.model_id else ["model_id"]
    expected += ["probability"] if "probability" in header else []
    _load_text(connection, file_name, _match_columns(file_name, header, layout.shape, expected), path)
    _check_values(connection, file_name, [each for each in columns if each[0] in expected], may_miss=False)
    cells = {
        **{name: _name(name) for name in expected},
        "file_name": _text(file_name),
        "file_row": "rowid + 1",
    }
    if layout.model_id:
        cells["model_id"] = _text(layout.model_id)
    converted = ", ".join(f"cast({cells.get(name, 'null')} as {sql_type})" for name, sql_type in columns)
    connection.execute(f"insert into {FILE_ROWS} select {converted} from file_text")
    connection.execute("drop table file_text")


def _read_items(connection: duckdb.DuckDBPyConnection, file_name: str, layout: Layout, path: Path) -> None:
    """A row per item, numbered from 0, without a header: the true label, human counts and probabilities."""
    counts = [f"votes for {label}" for label in layout.labels]
    probabilities = [f"probability of {label}" for label in layout.labels]
    truth = "true label"
    names = [truth, *counts, *probabilities]
    if layout.shape is Shape.COUNTS_PROBABILITIES_TRUTH:
        names = [*counts, *probabilities, truth]
    # The file names no columns: a message gives the place, and what is expected there.
    placed = {name: f"{place} ({name})" for place, name in enumerate(names, start=1)}
    check_bytes(file_name, path, has_header=False)
    _load_text(connection, file_name, list(placed.values()), path, has_header=False)
    kinds = [(placed[name], "double" if name in probabilities else "bigint") for name in names]
    _check_values(connection, file_name, kinds, may_miss=False)
    labels = "[" + ", ".join(map(_text, layout.labels)) + "]"

    def cells(wanted: list[str], sql_type: str) -> str:
        return "[" + ", ".join(f"cast({_name(placed[name])} as {sql_type})" for name in wanted) + "]"

    where = f"{_text(file_name)}, rowid + 1"
    connection.execute(
        f"insert into {FILE_ROWS} select {where}, {_text(layout.model_id)}, cast(rowid as varchar), unnest({labels}), "
        f"unnest({cells(probabilities, 'double')}) from file_text"
    )
    connection.execute(
        f"insert into model_human_counts select {where}, cast(rowid as varchar), unnest({labels}), "
        f"unnest({cells(counts, 'bigint')}) from file_text"
    )
    connection.execute(
        f"create or replace table {TRUE_LABELS} as "
        f"select rowid + 1 as file_row, cast({_name(placed[truth])} as bigint) as true_label from file_text"
    )
    connection.execute("drop table file_text")


# --- npy -------------------------------------------------------------------------------------------------------


def _read_counts(connection: duckdb.DuckDBPyConnection, file_name: str, layout: Layout, path: Path) -> None:
    import numpy

    shape = (layout.parameters["items"], layout.parameters["labels"])
    try:
        counts = numpy.load(path, allow_pickle=False)
    except Exception as error:  # numpy raises many kinds on a broken header; none may reach the user as a traceback
        raise LandingError(
            f"{file_name} is no plain numpy array ({_first_line(error)}); pickled objects are never loaded: {RETAKE}"
        ) from error
    if not isinstance(counts, numpy.ndarray):
        raise LandingError(f"{file_name} is an archive of arrays instead of one array: {RETAKE}")
    if counts.shape != shape or counts.dtype.kind not in "iu":
        found = " x ".join(str(length) for length in counts.shape) or "a single value"
        raise LandingError(
            f"{file_name} must hold {shape[0]} x {shape[1]} whole numbers and holds {found} of type "
            f"{counts.dtype}: {RETAKE}"
        )
    item_index, label_index = numpy.indices(shape)
    cells = {
        "item_index": item_index.ravel(),
        "label_index": label_index.ravel(),
        "votes": counts.ravel().astype("int64"),
    }
    connection.register("count_cells", cells)
    connection.execute(f"insert into {FILE_ROWS} select item_index, label_index, votes from count_cells")
    connection.unregister("count_cells")
