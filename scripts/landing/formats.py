"""Formats: a vote file of any kind becomes rows of text, nothing guessed and nothing changed.

Cells are text or missing: 001, 1.0, numbers of any length, NA and an empty text in quotes stay what they are. What a
file can't hold ends in one LandingError that names the file, the row and the column.
"""

from __future__ import annotations

import gzip
import json
import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import duckdb

from scripts.landing.declared import LandingError
from scripts.landing.readers import FILE_ROWS, check_bytes

TEXT_ENDINGS = {"csv": ",", "tsv": "\t", "txt": None, "tab": "\t", "data": None, "dat": None, "psv": "|"}
FORMATS = ("csv", "json", "jsonl", "npy", "parquet")
DELIMITERS = (",", "\t", ";", "|")
MAX_COLUMNS = 2_000
MAX_DEPTH = 20
_CHUNK = 1 << 20
_BEGINNING = 1 << 18
# How the first bytes of other kinds of file look.
_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"PAR1": "parquet",
    b"\x93NUMPY": "npy",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}
AS_UTF8 = "save it as UTF-8 text (iconv -f latin1 -t utf-8, say)"
Cells = list[str | None]


@dataclass(frozen=True)
class Reading:
    """How the bytes of a file are read. `delimiter`, `quote` (empty: none) and `has_header` matter for csv only."""

    format: str
    delimiter: str = ","
    quote: str = '"'
    has_header: bool = True


@contextmanager
def unpacked(file_name: str, path: Path) -> Iterator[tuple[str, Path]]:
    """The file's own name without .gz or .zip, and where its unpacked bytes lie; a bomb is refused."""
    ending = file_name.lower().rpartition(".")[2]
    kind = _kind(path)
    if ending not in ("gz", "zip"):
        if kind in ("gzip", "zip"):
            raise LandingError(_not_its_ending(file_name, path, kind))
        yield file_name, path
        return
    if kind != {"gz": "gzip", "zip": "zip"}[ending]:
        raise LandingError(_not_its_ending(file_name, path, kind))
    # Text packs to a twentieth or so; what grows a thousandfold is made to fill a disk.
    at_most = max(256 * 1024 * 1024, 200 * path.stat().st_size)
    with tempfile.TemporaryDirectory(prefix="dissent-") as folder:
        target = Path(folder) / "unpacked"
        try:
            if ending == "gz":
                name = file_name[:-3]
                with gzip.open(path) as packed:
                    _copy(packed, target, file_name, at_most)
            else:
                with zipfile.ZipFile(path) as archive:
                    member = _only_member(archive, file_name)
                    name = Path(member.filename).name
                    with archive.open(member) as packed:
                        _copy(packed, target, file_name, at_most)
        # The standard library raises all of these on damaged or encrypted files.
        except (
            OSError,
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            NotImplementedError,
            RuntimeError,
            ValueError,
        ) as bad:
            raise LandingError(
                f"{file_name} can't be unpacked ({str(bad) or type(bad).__name__}): pack it again, without a password"
            ) from bad
        yield name, target


def _only_member(archive: zipfile.ZipFile, file_name: str) -> zipfile.ZipInfo:
    # macOS packs a shadow of every file into this folder.
    members = [m for m in archive.infolist() if not m.is_dir() and not m.filename.startswith("__MACOSX/")]
    if any(member.filename == "[Content_Types].xml" for member in members):
        raise LandingError(f"{file_name} is an Office document: save its sheet as CSV (UTF-8) and add that")
    if len(members) != 1:
        names = ", ".join(repr(member.filename) for member in members[:5]) or "nothing"
        raise LandingError(f"{file_name} must hold exactly one file and holds {names}: unpack it and add the vote file")
    return members[0]


def _copy(packed: IO[bytes] | gzip.GzipFile, target: Path, file_name: str, at_most: int) -> None:
    written = 0
    with target.open("wb") as handle:
        while chunk := packed.read(_CHUNK):
            written += len(chunk)
            if written > at_most:
                raise LandingError(
                    f"{file_name} unpacks to more than {at_most:,} bytes: unpack it and look at it first"
                )
            handle.write(chunk)


def _kind(path: Path) -> str:
    with path.open("rb") as handle:
        beginning = handle.read(8)
    return next((kind for magic, kind in _MAGIC.items() if beginning.startswith(magic)), "")


def _not_its_ending(file_name: str, path: Path, kind: str) -> str:
    ending = Path(file_name).suffix or "no ending"
    if kind == "zip" and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            if "[Content_Types].xml" in archive.namelist():
                return f"{file_name} is an Office document: save its sheet as CSV (UTF-8) and add that"
    if kind == "UTF-16 text":
        return f"{file_name} is UTF-16 text: save it as UTF-8 and add that"
    is_what = f"holds {kind}" if kind else "does not hold that"
    return f"{file_name} ends in {ending} and {is_what}: give it the ending of what it is, or take the file again"


def format_of(file_name: str, path: Path, given: str | None = None) -> str:
    """The format of an unpacked file: as given, else by its ending, which its first bytes must not contradict."""
    ending = file_name.lower().rpartition(".")[2]
    by_ending = {
        "json": "json",
        "jsonl": "jsonl",
        "ndjson": "jsonl",
        "npy": "npy",
        "parquet": "parquet",
        "pq": "parquet",
    }
    kind = _kind(path)
    found = given or by_ending.get(ending) or ("csv" if ending in TEXT_ENDINGS else None)
    if ending == "npz":
        raise LandingError(f"{file_name} is an archive of arrays: save the one array of counts with numpy.save")
    if ending in ("pkl", "pickle", "xlsx", "xls", "ods", "mat", "rds", "rdata", "sav", "dta"):
        raise LandingError(f"{file_name}: files that end in .{ending} are never opened: save the votes as CSV (UTF-8)")
    if found is None:
        raise LandingError(f"{file_name}: its ending doesn't say what it is: pass --format {', '.join(FORMATS)}")
    if kind != {"npy": "npy", "parquet": "parquet"}.get(found, ""):
        raise LandingError(_not_its_ending(file_name, path, kind))
    return found


def read(connection: duckdb.DuckDBPyConnection, file_name: str, path: Path, reading: Reading) -> list[str]:
    """Fill the table `file_rows` (file_row bigint, then the raw columns as text); return the columns' own names."""
    if reading.format == "csv":
        names = _read_csv(connection, file_name, path, reading)
    elif reading.format == "parquet":
        names = _read_parquet(connection, file_name, path)
    elif reading.format == "npy":
        names = _read_npy(connection, file_name, path)
    else:
        check_bytes(file_name, path, has_header=False, advice=AS_UTF8)
        text = _text_of(path)
        parsed = _json_lines(file_name, text) if reading.format == "jsonl" else _json(file_name, text)
        names, rows = _table_of(file_name, parsed)
        _fill(connection, names, rows)
    if len(names) > MAX_COLUMNS:
        raise LandingError(f"{file_name} has {len(names):,} columns, more than {MAX_COLUMNS:,}: give it a row a vote")
    columns = ", ".join(f"c{position} as {_identifier(raw)}" for position, raw in enumerate(raw_names(names)))
    first = 1 if reading.format == "csv" and reading.has_header else 0
    # rowid is the order of insertion, which is the file's: DuckDB keeps it while it loads in parallel.
    connection.execute(
        f"create or replace table {FILE_ROWS} as select rowid + {1 - first} as file_row, {columns} from file_text "
        f"where rowid >= {first} order by rowid"
    )
    connection.execute("drop table file_text")
    row = connection.execute(f"select count(*) from {FILE_ROWS}").fetchone()
    if not row or row[0] == 0:
        what = "holds a header but no rows" if reading.format == "csv" and reading.has_header else "holds no rows"
        raise LandingError(f"{file_name} {what}: export it again")
    return names


def raw_names(names: Iterable[str]) -> list[str]:
    """Names of the raw table's columns: lower-case words of a-z, 0-9 and _, each one once."""
    import unicodedata

    taken = {"file_row"}
    raw = []
    for position, name in enumerate(names, start=1):
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        word = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")
        if not word or not word[0].isalpha():
            word = f"column_{word or position}"
        unique, number = word, 2
        while unique in taken:
            unique, number = f"{word}_{number}", number + 1
        taken.add(unique)
        raw.append(unique)
    return raw


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _fill(connection: duckdb.DuckDBPyConnection, names: list[str], rows: list[Cells]) -> None:
    """Make the table `file_text` of columns c0, c1, ... from rows of equal length."""
    import numpy

    definition = ", ".join(f"c{position} varchar" for position in range(len(names)))
    connection.execute(f"create or replace temp table file_text ({definition})")
    if not rows:
        return
    columns = {}
    for position, cells in enumerate(zip(*rows, strict=True)):
        column = numpy.empty(len(cells), dtype=object)
        column[:] = cells
        columns[f"c{position}"] = column
    connection.register("cells", columns)
    # A column without any value has no type of its own.
    casts = ", ".join(f"cast({name} as varchar)" for name in columns)
    connection.execute(f"insert into file_text select {casts} from cells")
    connection.unregister("cells")


# --- separated values ------------------------------------------------------------------------------------------


def _pattern(delimiter: str, quote: str) -> re.Pattern[str]:
    mark, end = re.escape(delimiter), r"\r\n|\n|\r|\Z"
    plain = rf"([^{mark}\r\n]*+)"
    if not quote:
        return re.compile(rf"(?!)()|{plain}({mark}|{end})")
    q = re.escape(quote)
    return re.compile(rf"{q}((?:[^{q}]|{q}{q})*+){q}({mark}|{end})|(?!{q}){plain}({mark}|{end})")


def records(file_name: str, text: str, reading: Reading) -> Iterator[Cells]:
    """The records of separated values; an unquoted empty field is missing, blank lines are passed over."""
    pattern, quote, position = _pattern(reading.delimiter, reading.quote), re.escape(reading.quote), 0
    number = 1 - reading.has_header
    row: Cells = []
    while position < len(text) or row:
        match = pattern.match(text, position)
        if match is None:
            closes = re.compile(f"{quote}(?:[^{quote}]|{quote}{quote})*+{quote}").match(text, position)
            problem = "text after a closing quotation mark" if closes else "a quotation mark that doesn't close"
            raise LandingError(
                f"{file_name}, {_row(number)}, column {len(row) + 1}: {problem}: double the marks that belong to the "
                "text, or pass --quote none if marks mean nothing in this file"
            )
        position = match.end()
        if match.lastindex == 2:
            row.append(match[1].replace(reading.quote * 2, reading.quote))
            end = match[2]
        else:
            row.append(match[3] if reading.quote else match[2])
            row[-1] = row[-1] or None
            end = match[4] if reading.quote else match[3]
        if end == reading.delimiter:
            continue
        if row != [None]:
            yield row
            number += 1
        row = []
        if end == "":
            return


def _text_of(path: Path) -> str:
    # read_text would turn every line end into \n, those inside texts too.
    return path.read_bytes().decode("utf-8-sig")


def _row(number: int) -> str:
    return f"row {number}" if number else "header"


def beginning(path: Path) -> str:
    """The first lines of a text file, whole ones."""
    with path.open("rb") as handle:
        content = handle.read(_BEGINNING)
        is_whole = not handle.read(1)
    text = content.decode("utf-8-sig", errors="ignore")
    return text if is_whole or "\n" not in text else text[: text.rindex("\n") + 1]


def _read_csv(connection: duckdb.DuckDBPyConnection, file_name: str, path: Path, reading: Reading) -> list[str]:
    check_bytes(file_name, path, has_header=reading.has_header, advice=AS_UTF8)
    first = next(records(file_name, beginning(path), reading), None)
    if first is None:
        raise LandingError(f"{file_name} is empty: export it again")
    width = len(first)
    if width > MAX_COLUMNS:
        raise LandingError(f"{file_name} has {width:,} columns, more than {MAX_COLUMNS:,}: give it a row a vote")
    if not (_is_plain(path, reading) and _read_fast(connection, path, reading, width)):
        # Slower and exact: it takes mixed line ends, and knows what is wrong and where.
        rows = []
        for number, row in enumerate(records(file_name, _text_of(path), reading), 1 - reading.has_header):
            if len(row) != width:
                raise LandingError(_uneven(file_name, number, row, width, reading))
            rows.append(row)
        _fill(connection, [""] * width, rows)
    if not reading.has_header:
        return [f"column {position}" for position in range(1, width + 1)]
    return [name or "" for name in first]


def _uneven(file_name: str, number: int, row: Cells, width: int, reading: Reading) -> str:
    has = f"{len(row)} value" + ("s" if len(row) != 1 else "")
    others = [mark for mark in DELIMITERS if mark != reading.delimiter and mark in (row[0] or "")]
    if len(row) == 1 and width > 1 and others:
        return (
            f"{file_name}, {_row(number)}: separated by {others[0]!r} where the rows above use {reading.delimiter!r}: "
            "use one separator throughout"
        )
    return (
        f"{file_name}, {_row(number)}: {has} where the first row has {width}: complete the row, or put texts that hold "
        f"{reading.delimiter!r} into quotation marks"
    )


def _is_plain(path: Path, reading: Reading) -> bool:
    """Whether DuckDB reads the file as `records` does: not where blanks follow a closing mark, a
    row ends in a separator (it passes over one too many), or line ends mix."""
    quote = reading.quote.encode()
    after_mark = re.escape(quote) + rb"[ \t]|" if quote else b""
    odd = re.compile(after_mark + re.escape(reading.delimiter.encode()) + rb"(?:[\r\n]|\Z)")
    ends = set()
    with path.open("rb") as handle:
        tail = b""
        while chunk := handle.read(_CHUNK):
            content = tail + chunk
            if odd.search(content):
                return False
            carriage, pair, line = content.count(b"\r"), content.count(b"\r\n"), content.count(b"\n")
            ends |= {
                kind for kind, is_used in (("\r\n", pair), ("\n", line > pair), ("\r", carriage > pair)) if is_used
            }
            tail = chunk[-1:]
    return "\r" not in ends and len(ends) < 2


def _read_fast(connection: duckdb.DuckDBPyConnection, path: Path, reading: Reading, width: int) -> bool:
    spec = ", ".join(f"'c{position}': 'varchar'" for position in range(width))
    mark, quote = _text(reading.delimiter), _text(reading.quote)
    options = (
        f"auto_detect = false, header = false, delim = {mark}, quote = {quote}, escape = {quote}, strict_mode = true, "
        f"allow_quoted_nulls = false, columns = {{{spec}}}"
    )
    try:
        connection.execute(f"create or replace temp table file_text as from read_csv({_text(str(path))}, {options})")
    except duckdb.Error:
        return False
    return True


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


# --- JSON ------------------------------------------------------------------------------------------------------


class _Twice(ValueError):
    pass


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _Twice(next(name for name in names if names.count(name) > 1))
    return found


def _parse(text: str) -> Any:
    # Numbers stay as they are spelled; NaN, which is no JSON but is written by pandas, is a missing value.
    return json.loads(
        text, object_pairs_hook=_pairs, parse_int=str, parse_float=str, parse_constant=lambda constant: None
    )


def _json(file_name: str, text: str) -> Any:
    if not text.strip():
        raise LandingError(f"{file_name} is empty: export it again")
    try:
        return _parse(text)
    except _Twice as error:
        raise LandingError(
            f"{file_name}: the name {str(error)[:80]!r} is there twice in one object: keep one"
        ) from error
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and text[0] in "{[":
            raise LandingError(f"{file_name} holds JSON lines, not one JSON document: pass --format jsonl") from error
        raise LandingError(
            f"{file_name}, row {error.lineno}, column {error.colno}: no JSON ({error.msg}): export it again"
        ) from error
    except RecursionError as error:
        raise LandingError(f"{file_name} is nested more than {MAX_DEPTH} levels deep: give it a row a vote") from error


def _json_lines(file_name: str, text: str) -> list[Any]:
    documents = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            documents.append(_parse(line))
        except (ValueError, RecursionError) as error:
            why = f"{error} is there twice" if isinstance(error, _Twice) else getattr(error, "msg", "nested too deep")
            raise LandingError(f"{file_name}, row {number}: no JSON object ({why}): one object a line") from error
    return documents


def _table_of(file_name: str, document: Any) -> tuple[list[str], list[Cells]]:
    """Names and rows of a parsed JSON document: records, or keys inside keys down to a value."""
    try:
        if isinstance(document, list):
            if all(isinstance(entry, dict) for entry in document):
                rows = [row for entry in document for row in _flat(entry)]
            elif all(isinstance(entry, list) for entry in document):
                rows = [_listed(entry, document) for entry in document]
            else:
                raise _Unfit("an array must hold objects, one a row")
        elif isinstance(document, dict):
            rows = list(_keyed(document, {}, 1))
        else:
            raise _Unfit("a single value is no table")
        names = list(dict.fromkeys(name for row in rows for name in row))
        if not names:
            raise LandingError(f"{file_name} holds no rows: export it again")
        order = {name: place for place, name in enumerate(names)}
        keys = sorted((name for name in names if re.fullmatch(r"key_\d+", name)), key=lambda name: int(name[4:]))
        # Fields of one object stand together, whichever row brought them up.
        groups = list(dict.fromkeys(name.partition(".")[0] for name in names))
        names = keys + sorted(
            set(names) - set(keys), key=lambda name: (groups.index(name.partition(".")[0]), order[name])
        )
        cells = [[row.get(name) for name in names] for row in rows]
        json.dumps(cells, ensure_ascii=False).encode()
    except _Unfit as error:
        raise LandingError(f"{file_name}: {error}: see docs/bring-your-own.md for the JSON that can be read") from error
    except UnicodeEncodeError as error:
        raise LandingError(f"{file_name}: half of a surrogate pair (\\ud800 to \\udfff), which is no text") from error
    if any("\0" in cell for row in cells for cell in row if cell):
        raise LandingError(f"{file_name}: a NUL (\\u0000) where text is expected: export it again")
    return names, cells


class _Unfit(ValueError):
    pass


Flat = dict[str, str | None]


def _scalar(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


def _is_scalar(value: Any) -> bool:
    return not isinstance(value, dict | list)


def _cell(value: Any) -> str | None:
    """A scalar as text, a list of scalars as a JSON list of texts."""
    if not isinstance(value, list):
        return _scalar(value)
    if not all(_is_scalar(entry) for entry in value):
        raise _Unfit("a list inside a list")
    return json.dumps([_scalar(entry) for entry in value], ensure_ascii=False)


def _listed(entry: list[Any], document: list[Any]) -> Flat:
    if len({len(other) for other in document}) > 1 or not all(map(_is_scalar, entry)):
        return {"votes": _cell(entry)}
    return {f"column {position}": _scalar(value) for position, value in enumerate(entry, start=1)}


def _flat(record: dict[str, Any], prefix: str = "", depth: int = 1) -> list[Flat]:
    """The rows of a record: nested names joined by dots, a row for each object of a list."""
    if depth > MAX_DEPTH:
        raise _Unfit(f"nested more than {MAX_DEPTH} levels deep")
    fields: Flat = {}
    lists: list[tuple[str, list[Flat]]] = []
    for name, value in record.items():
        if isinstance(value, dict):
            inner = _flat(value, f"{prefix}{name}.", depth + 1)
            if len(inner) == 1:
                fields |= inner[0]
            else:
                lists.append((name, inner))
        elif isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
            lists.append((name, [row for entry in value for row in _flat(entry, f"{prefix}{name}.", depth + 1)]))
        else:
            fields[prefix + name] = _cell(value)
    if len(lists) > 1:
        raise _Unfit(f"two lists of objects in one record ({lists[0][0]!r} and {lists[1][0]!r})")
    return [fields | row for row in lists[0][1]] if lists else [fields]


def _keyed(document: dict[str, Any], keys: Flat, depth: int) -> Iterator[Flat]:
    """The rows of keys inside keys: key_1, key_2, ... and value, or the fields of the records they lead to."""
    if depth > MAX_DEPTH:
        raise _Unfit(f"nested more than {MAX_DEPTH} levels deep")
    values = list(document.values())
    if depth == 1 and not all(isinstance(value, type(values[0])) for value in values if value is not None):
        # One record that holds the list of votes beside remarks on it.
        yield from _flat(document)
        return
    is_of_records = _leads_to_records(values)
    for key, value in document.items():
        here = keys | {f"key_{depth}": key}
        if isinstance(value, dict) and is_of_records:
            yield from (here | row for row in _flat(value))
        elif isinstance(value, dict) and value:
            yield from _keyed(value, here, depth + 1)
        elif isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
            yield from (here | row for entry in value for row in _flat(entry))
        elif isinstance(value, dict):
            yield here
        else:
            yield here | {"value": _cell(value)}


def _leads_to_records(values: list[Any]) -> bool:
    """Whether objects are records rather than {annotator: label}: by the kinds of their values, or by their names."""
    objects = [value for value in values if isinstance(value, dict) and value]
    if not objects:
        return False
    kinds = [{type(entry) for entry in value.values() if entry is not None} for value in objects]
    if any(len(kind & {dict, list}) and len(kind) > 1 for kind in kinds):
        return True
    from scripts.landing.recognise import is_annotator_name, is_label_name

    names = set(objects[0])
    same = all(set(value) == names for value in objects)
    return same and any(map(is_annotator_name, names)) and any(map(is_label_name, names))


# --- Parquet and numpy -----------------------------------------------------------------------------------------


def _read_parquet(connection: duckdb.DuckDBPyConnection, file_name: str, path: Path) -> list[str]:
    location = _text(str(path))
    try:
        described = connection.execute(f"describe from read_parquet({location})").fetchall()
        cells = []
        for position, (name, sql_type, *_) in enumerate(described):
            column = _identifier(name)
            if sql_type.startswith(("STRUCT", "MAP", "UNION", "BLOB")) or sql_type.endswith("[][]"):
                raise LandingError(
                    f"{file_name}, column {name}: of type {sql_type[:60]}, which is no label, id or list: leave it out"
                )
            if sql_type.endswith("[]"):
                # The texts of a list as a JSON list, numbers as they are spelled.
                column = f"cast(to_json(list_transform({column}, lambda entry: cast(entry as varchar))) as varchar)"
            cells.append(f"cast({column} as varchar) as c{position}")
        connection.execute(
            f"create or replace temp table file_text as select {', '.join(cells)} from read_parquet({location})"
        )
    except duckdb.Error as error:
        raise LandingError(
            f"{file_name} is no readable Parquet file ({str(error).splitlines()[0][:200]}): export it again"
        ) from error
    return [str(name) for name, *_ in described]


def _read_npy(connection: duckdb.DuckDBPyConnection, file_name: str, path: Path) -> list[str]:
    import numpy

    try:
        array = numpy.load(path, allow_pickle=False)
    except Exception as error:  # numpy raises many kinds on a broken header; none may reach the user as a traceback
        raise LandingError(
            f"{file_name} is no plain numpy array ({(str(error) or repr(error)).splitlines()[0][:200]}); pickled "
            "objects are never loaded: save the array with numpy.save"
        ) from error
    if array.ndim != 2 or array.dtype.kind not in "iufU":
        shape = " x ".join(map(str, array.shape)) or "a single value"
        raise LandingError(
            f"{file_name} holds {shape} of type {array.dtype}: it must be items x labels of whole numbers, or items x "
            "annotators"
        )
    if array.shape[1] > MAX_COLUMNS:
        raise LandingError(
            f"{file_name} has {array.shape[1]:,} columns, more than {MAX_COLUMNS:,}: give it a row a vote"
        )
    names = [str(position) for position in range(array.shape[1])]
    if array.dtype.kind == "U" or 0 in array.shape:
        _fill(connection, names, [[str(cell) for cell in row] for row in array.tolist()])
        return names
    array = numpy.ascontiguousarray(array.astype(array.dtype.newbyteorder("=")))
    if array.dtype == numpy.float16:
        array = array.astype("float32")
    connection.register("cells", {f"c{position}": array[:, position].copy() for position in range(len(names))})
    casts = ", ".join(f"cast(c{position} as varchar) as c{position}" for position in range(len(names)))
    connection.execute(f"create or replace temp table file_text as select {casts} from cells")
    connection.unregister("cells")
    return names
