"""Landing: reading hostile files, loading all or nothing, and the command `python -m scripts.land`."""

import csv
import hashlib
import io
import os
import pickle
import struct
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from scripts import build_lock, land
from scripts.landing import fetch, load, readers
from scripts.landing.declared import PROJECT, LandingError, SourceFile, raw_columns, read_declared
from scripts.landing.layouts import LAYOUTS, Layout, Shape, count_parameters, trial_parameters

HEADER = [name for name, _ in raw_columns("cifar10h_raw") if name != "file_row"]
LABELS = ["airplane", "automobile"]
# Two annotators with two normal trials and one attention check each; four items.
SMALL = Layout(
    Shape.TRIALS_CSV, trial_parameters(items=4, annotators=2, trials=3, attention_checks=1), max_unpacked=100_000
)
SMALL_ZIP = replace(SMALL, shape=Shape.TRIALS_ZIP)
Rows = list[list[str]]


def small_rows() -> Rows:
    rows = []
    for annotator in range(2):
        for trial, item in enumerate((2 * annotator, -99999, 2 * annotator + 1)):
            label = abs(item) % 2
            check = "1" if item < 0 else "0"
            names = [LABELS[label], LABELS[label], str(label), str(label), "1"]
            rows.append(
                [str(annotator), str(trial), check, *names, str(item), f"{item}.png", "kind", "700", f"{700 * trial}.5"]
            )
    return rows


def as_csv(header: list[str], rows: Rows, line_end: str = "\n") -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=line_end)
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


SMALL_CSV = as_csv(HEADER, small_rows())


def source(file_name: str, raw_table: str) -> SourceFile:
    return SourceFile(file_name, raw_table, "https://nowhere.invalid/f", "0" * 64, None, 10_000_000, "CC0", "")


RAW_CSV = source("demo-raw.csv", "demo_raw")
RAW_ZIP = source("cifar10h-raw.zip", "cifar10h_raw")
COUNTS = source("cifar10h-counts.npy", "cifar10h_counts")
FERPLUS = source("fer2013new.csv", "ferplus")


def read(path: Path, file: SourceFile = RAW_CSV, layout: Layout = SMALL) -> list[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        rows = readers.read(connection, file, layout, path)
        content = connection.execute("select * from file_rows order by file_row").fetchall()
    assert rows == len(content)
    return content


def read_bytes(
    folder: Path, content: bytes, file: SourceFile = RAW_CSV, layout: Layout = SMALL
) -> list[tuple[Any, ...]]:
    path = folder / file.file_name
    path.write_bytes(content)
    return read(path, file, layout)


def refusal(folder: Path, content: bytes, file: SourceFile = RAW_CSV, layout: Layout = SMALL) -> str:
    with pytest.raises(LandingError) as refused:
        read_bytes(folder, content, file, layout)
    sentence = str(refused.value)
    assert sentence.startswith(file.file_name) and "\n" not in sentence
    return sentence


def typed(rows: Rows) -> list[tuple[Any, ...]]:
    """The rows as the raw table must hold them."""
    kinds: dict[str, Callable[[str], Any]] = {"bigint": int, "double": float, "string": lambda text: text}
    converters = [kinds[sql_type] for name, sql_type in raw_columns("cifar10h_raw") if name != "file_row"]
    return [
        (number, *(convert(cell) for convert, cell in zip(converters, row, strict=True)))
        for number, row in enumerate(rows, start=1)
    ]


# --- csv -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_byte_order_mark_and_line_ends_make_no_difference(tmp_path: Path, mark: bytes, line_end: str) -> None:
    content = mark + as_csv(HEADER, small_rows(), line_end).encode()
    assert read_bytes(tmp_path, content) == typed(small_rows())


def test_the_name_that_the_readme_of_cifar10h_uses_is_accepted(tmp_path: Path) -> None:
    content = SMALL_CSV.replace("cifar10_test_test_idx", "cifar10_test_set_idx")
    assert read_bytes(tmp_path, content.encode()) == typed(small_rows())


def test_columns_may_come_in_another_order(tmp_path: Path) -> None:
    content = as_csv(HEADER[::-1], [row[::-1] for row in small_rows()])
    assert read_bytes(tmp_path, content.encode()) == typed(small_rows())


def test_whole_numbers_written_with_a_point_and_folders_with_odd_names_are_fine(tmp_path: Path) -> None:
    folder = tmp_path / "it's [a] *"
    folder.mkdir()
    rows = small_rows()
    rows[0][0] = "0.0"
    assert read_bytes(folder, as_csv(HEADER, rows).encode()) == typed(small_rows())


def test_numbers_that_are_missing_are_read_and_left_to_the_suites(tmp_path: Path) -> None:
    rows = read_bytes(tmp_path, SMALL_CSV.replace(",700,", ",,", 1).encode())
    assert [row[12] for row in rows][:2] == [None, 700.0]


@pytest.mark.parametrize(
    ("change", "fragments"),
    [
        (lambda text: text.replace("true_label,", "", 1), ["lacks the column 'true_label'"]),
        (
            lambda text: text.replace("true_label", "gold", 1),
            ["lacks the column 'true_label'", "has the unknown column 'gold'"],
        ),
        (lambda text: text.replace("time_elapsed\n", "time_elapsed,note\n"), ["has the unknown column 'note'"]),
        (lambda text: text.replace("true_label", "chosen_label", 1), ["repeats the column 'chosen_label'"]),
        (
            lambda text: text.replace("subcategory", "cifar10_test_set_idx"),
            ["repeats the column 'cifar10_test_test_idx'", "lacks the column 'subcategory'"],
        ),
        (lambda text: text.replace("annotator_id", "Annotator_ID"), ["lacks the column 'annotator_id'"]),
        (lambda text: text.replace(",", ";"), ["lacks the column"]),
        (lambda text: text.split("\n", 1)[1], ["lacks the column"]),
        (lambda text: "\n" + text, ["lacks the column"]),
        (lambda text: '"' + text, ["header"]),
        (lambda text: text.split("\n")[0] + "\n", ["holds a header but no rows"]),
        (lambda text: "", ["lacks the column"]),
        (lambda text: text.replace("0,1,1,", "0,x,1,", 1), ["row 2, column trial_index: 'x' is not a whole number"]),
        (lambda text: text.replace("0,1,1,", "0,1.5,1,", 1), ["row 2, column trial_index: '1.5' is not a whole"]),
        (lambda text: text.replace("0,1,1,", "0, 1,1,", 1), ["row 2, column trial_index: ' 1'"]),
        (lambda text: text.replace("0,1,1,", f"0,{10**19},1,", 1), ["row 2, column trial_index"]),
        (lambda text: text.replace(",700,", ",nan,", 1), ["row 1, column reaction_time: 'nan' is not a number"]),
        (lambda text: text.replace(",700,", ",1e999,", 1), ["row 1, column reaction_time: '1e999'"]),
        (lambda text: text.replace(",700,", ",0x1F,", 1), ["row 1, column reaction_time"]),
        (lambda text: text.replace(",700,", ",", 1), ["row 1: 12 values where the header has 13"]),
        (lambda text: text.replace("0,1,1,", "0,1,1,1,", 1), ["row 2: 14 values where the header has 13"]),
        (lambda text: text.replace("0,1,1,", '0,1,1,"', 1), ["row 2: a quotation mark that doesn't close"]),
        (lambda text: text.replace("kind", "k\0nd", 1), ["row 1: a NUL byte"]),
        (lambda text: text.replace("kind", "k" * 100_000, 1), ["row 1: a line longer than 65,536 bytes"]),
        (lambda text: text.replace("\n0,1,1", "\r\n0,1,1"), ["line endings"]),
    ],
)
def test_a_csv_file_that_does_not_fit_is_refused(
    tmp_path: Path, change: Callable[[str], str], fragments: list[str]
) -> None:
    sentence = refusal(tmp_path, change(SMALL_CSV).encode())
    for fragment in fragments:
        assert fragment in sentence


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_other_encodings_are_refused(tmp_path: Path, encoding: str) -> None:
    sentence = refusal(tmp_path, SMALL_CSV.replace("kind", "künd").encode(encoding))
    assert "where text is expected" in sentence


def test_a_bad_byte_is_placed_even_at_the_edge_of_a_chunk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = SMALL_CSV.replace("kind", "künd").encode()
    broken = content[: content.rindex("ü".encode()) + 1] + content[content.rindex("ü".encode()) + 2 :]
    for chunk in range(1, 40):
        monkeypatch.setattr(readers, "_CHUNK", chunk)
        assert "row 6: bytes that are not UTF-8" in refusal(tmp_path, broken)
    assert read_bytes(tmp_path, content)[5][11] == "künd"


words = st.text(
    st.characters(codec="utf-8", exclude_characters="\0\r", exclude_categories=["Cs"]), min_size=1, max_size=8
)
# csv.writer and DuckDB agree on everything but a lone quoted empty string, which min_size leaves out.
cells: dict[str, st.SearchStrategy[str]] = {
    "bigint": st.integers(-(2**53), 2**53).map(str),
    "double": st.floats(allow_nan=False, allow_infinity=False).map(repr),
    "string": words,
}
row_strategy = st.tuples(*(cells[sql_type] for name, sql_type in raw_columns("cifar10h_raw") if name != "file_row"))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(row_strategy.map(list), min_size=1, max_size=6),
    order=st.permutations(range(len(HEADER))),
    line_end=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from([b"", b"\xef\xbb\xbf"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_what_is_written_is_read_back(
    tmp_path: Path, rows: Rows, order: list[int], line_end: str, mark: bytes, quoting: int
) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=line_end, quoting=quoting)  # type: ignore[arg-type]
    writer.writerow([HEADER[position] for position in order])
    writer.writerows([row[position] for position in order] for row in rows)
    assert read_bytes(tmp_path, mark + text.getvalue().encode()) == typed(rows)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(
        st.binary(max_size=200),
        st.text(max_size=200).map(str.encode),
        st.text(alphabet='0123456789.,"\r\n -ex\0é', max_size=200).map(
            lambda text: (",".join(HEADER) + "\n" + text).encode()
        ),
    )
)
@example(content=b"\xff\xfe")
def test_any_bytes_are_read_or_refused_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    try:
        read_bytes(tmp_path, content)
    except LandingError as error:
        assert str(error).startswith("demo-raw.csv") and "\n" not in str(error)


# --- FER+ ----------------------------------------------------------------------------------------------------------

FERPLUS_CSV = (
    "Usage,Image name,neutral,happiness,surprise,sadness,anger,disgust,fear,contempt,unknown,NF\n"
    "Training,fer0000000.png,4,0,0,1,3,2,0,0,0,0\n"
    "PrivateTest,,0,0,0,0,0,0,0,0,0,10\n"
)


def test_ferplus_keeps_rows_without_an_image_name(tmp_path: Path) -> None:
    assert read_bytes(tmp_path, FERPLUS_CSV.encode(), FERPLUS, LAYOUTS[FERPLUS.file_name]) == [
        (1, "Training", "fer0000000.png", 4, 0, 0, 1, 3, 2, 0, 0, 0, 0),
        (2, "PrivateTest", None, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10),
    ]


def test_ferplus_names_its_own_columns_when_one_is_missing(tmp_path: Path) -> None:
    content = FERPLUS_CSV.replace("Image name", "image")
    sentence = refusal(tmp_path, content.encode(), FERPLUS, LAYOUTS[FERPLUS.file_name])
    assert "lacks the column 'Image name'" in sentence and "unknown column 'image'" in sentence


# --- zip -----------------------------------------------------------------------------------------------------------


def zipped(members: dict[str, str], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", compression) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return content.getvalue()


GOOD_ZIP = zipped({"cifar10h-raw.csv": SMALL_CSV})


def read_zip(folder: Path, content: bytes) -> list[tuple[Any, ...]]:
    return read_bytes(folder, content, RAW_ZIP, SMALL_ZIP)


def zip_refusal(folder: Path, content: bytes, layout: Layout = SMALL_ZIP) -> str:
    return refusal(folder, content, RAW_ZIP, layout)


def test_the_csv_file_of_an_archive_is_read_and_nothing_stays_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    assert read_zip(tmp_path, GOOD_ZIP) == typed(small_rows())
    zip_refusal(tmp_path, zipped({"cifar10h-raw.csv": "x"}))
    assert list(scratch.iterdir()) == []


def test_a_folder_and_the_shadow_files_of_macos_are_fine(tmp_path: Path) -> None:
    content = zipped({"data/cifar10h-raw.csv": SMALL_CSV, "__MACOSX/data/._cifar10h-raw.csv": "x", "README": "x"})
    assert read_zip(tmp_path, content) == typed(small_rows())


@pytest.mark.parametrize(
    "name",
    ["../cifar10h-raw.csv", "a/../../cifar10h-raw.csv", "/tmp/cifar10h-raw.csv", "..\\cifar10h-raw.csv", "C:\\x.csv"],
)
def test_members_that_point_outside_are_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "inner" / "most"
    folder.mkdir(parents=True)
    for members in ({name: SMALL_CSV}, {"cifar10h-raw.csv": SMALL_CSV, name: "x"}):
        assert "points outside the archive" in zip_refusal(folder, zipped(members))
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["cifar10h-raw.zip"]


@pytest.mark.parametrize(
    ("members", "fragment"),
    [
        ({}, "holds none"),
        ({"README": "x"}, "holds none"),
        ({"votes.csv": SMALL_CSV}, "'votes.csv' instead of cifar10h-raw.csv"),
        ({"cifar10h-raw.csv": SMALL_CSV, "b.csv": "x"}, "holds 'cifar10h-raw.csv', 'b.csv'"),
        ({"a/cifar10h-raw.csv": SMALL_CSV, "b/cifar10h-raw.csv": SMALL_CSV}, "exactly one csv file"),
    ],
)
def test_an_archive_must_hold_exactly_the_one_csv_file(tmp_path: Path, members: dict[str, str], fragment: str) -> None:
    assert fragment in zip_refusal(tmp_path, zipped(members))


def flag_encrypted(content: bytes) -> bytes:
    changed = bytearray(content)
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        changed[content.index(signature) + offset] |= 0x1
    return bytes(changed)


def understate_size(content: bytes) -> bytes:
    """The directory says 10 bytes, the data says otherwise."""
    changed = bytearray(content)
    struct.pack_into("<I", changed, content.index(b"PK\x01\x02") + 24, 10)
    return bytes(changed)


@pytest.mark.parametrize(
    ("content", "fragment"),
    [
        (b"", "no readable zip archive"),
        (b"a,b\n1,2\n", "no readable zip archive"),
        (GOOD_ZIP[:-30], "no readable zip archive"),
        (GOOD_ZIP[: len(GOOD_ZIP) // 2], "no readable zip archive"),
        (GOOD_ZIP[:60] + bytes(20) + GOOD_ZIP[80:], "no readable zip archive"),
        (
            zipped({"cifar10h-raw.csv": SMALL_CSV}, zipfile.ZIP_STORED).replace(b"airplane", b"airplone", 1),
            "no readable zip",
        ),
        (understate_size(GOOD_ZIP), "no readable zip archive"),
        (flag_encrypted(GOOD_ZIP), "encrypted"),
        (zipped({"cifar10h-raw.csv": SMALL_CSV}, zipfile.ZIP_LZMA), "unusual way"),
    ],
)
def test_damaged_archives_are_refused(tmp_path: Path, content: bytes, fragment: str) -> None:
    assert fragment in zip_refusal(tmp_path, content)


def test_an_archive_that_grows_too_large_is_refused(tmp_path: Path) -> None:
    bomb = zipped({"cifar10h-raw.csv": SMALL_CSV + "0" * 1_000_000})
    assert len(bomb) < 5_000
    assert "unpacks to more than 100,000 bytes" in zip_refusal(tmp_path, bomb)


def test_the_size_is_counted_and_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = replace(SMALL_ZIP, max_unpacked=200)
    (tmp_path / "f.zip").write_bytes(GOOD_ZIP)
    with zipfile.ZipFile(tmp_path / "f.zip") as archive, pytest.raises(LandingError, match="more than 200 bytes"):
        member = archive.infolist()[0]
        readers._unpack(archive, member, tmp_path / "out", "cifar10h-raw.zip", small.max_unpacked)
    assert not (tmp_path / "out").read_bytes()


# --- npy -----------------------------------------------------------------------------------------------------------

SMALL_COUNTS = Layout(Shape.COUNTS_NPY, count_parameters(items=3, votes=15, labels=2))


def saved(array: Any, allow_pickle: bool = False) -> bytes:
    content = io.BytesIO()
    np.save(content, array, allow_pickle=allow_pickle)
    return content.getvalue()


@pytest.mark.parametrize("dtype", ["int64", "uint8", ">i4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_counts_become_one_row_per_cell(tmp_path: Path, dtype: str, order: Any) -> None:
    array = np.array([[0, 1], [2, 3], [4, 5]], dtype=dtype, order=order)
    path = tmp_path / COUNTS.file_name
    path.write_bytes(saved(array))
    with duckdb.connect() as connection:
        assert readers.read(connection, COUNTS, SMALL_COUNTS, path) == 6
        content = connection.execute("select * from file_rows order by all").fetchall()
    assert content == [(0, 0, 0), (0, 1, 1), (1, 0, 2), (1, 1, 3), (2, 0, 4), (2, 1, 5)]


class Exploit:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("exploited",)


def npz() -> bytes:
    content = io.BytesIO()
    np.savez(content, counts=np.zeros((3, 2), dtype=int))
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "fragment"),
    [
        (saved(np.array([Exploit()], dtype=object), allow_pickle=True), "pickled objects are never loaded"),
        (pickle.dumps(Exploit()), "pickled objects are never loaded"),
        (npz(), "an archive of arrays"),
        (b"", "no plain numpy array"),
        (b"\x93NUMPY\x01\x00", "no plain numpy array"),
        (saved(np.zeros((3, 2), dtype=int))[:-8], "no plain numpy array"),
        (saved(np.zeros((2, 3), dtype=int)), "must hold 3 x 2 whole numbers and holds 2 x 3 of type int64"),
        (saved(np.zeros(6, dtype=int)), "holds 6 of type int64"),
        (saved(np.int64(3)), "a single value"),
        (saved(np.zeros((3, 2))), "of type float64"),
        (saved(np.zeros((3, 2), dtype=bool)), "of type bool"),
        (saved(np.zeros((3, 2), dtype="S3")), "of type |S3"),
    ],
)
def test_other_arrays_are_refused_and_never_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, fragment: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert fragment in refusal(tmp_path, content, COUNTS, SMALL_COUNTS)
    assert not Path("exploited").exists()


# --- loading -------------------------------------------------------------------------------------------------------


def found(file: SourceFile, sha256: str = "a" * 64) -> fetch.Found:
    return fetch.Found(Path(file.file_name), "mirror", sha256, 123, is_verified=True)


def load_counts(database: Path, values: str, file: SourceFile = COUNTS, sha256: str = "a" * 64) -> load.Landed:
    """Load rows given as SQL values of (item_index, label_index, votes)."""
    with duckdb.connect() as connection:
        connection.execute(f"create table rows as from (values {values}) as rows(item_index, label_index, votes)")
        return load.load(database, connection, "rows", file, found(file, sha256), ["A quirk.", "Another."])


def content(database: Path, query: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(database), read_only=True) as connection:
        return connection.execute(query).fetchall()


ALL_COUNTS = "from raw.cifar10h_counts order by all"


def test_loading_replaces_rows_and_record(tmp_path: Path) -> None:
    database = tmp_path / "it's here" / "work.duckdb"
    load_counts(database, "(0, 0, 1), (0, 1, 2)")
    record = load_counts(database, "(5, 6, 7)", sha256="b" * 64)
    assert content(database, ALL_COUNTS) == [(5, 6, 7)]
    assert content(database, "select * exclude (landed_at) from raw.landed_files") == [
        (COUNTS.file_name, "mirror", COUNTS.address, "b" * 64, 123, 1, True, "A quirk. Another.")
    ]
    ((seconds,),) = content(database, "select abs(epoch(landed_at)) from raw.landed_files")
    assert abs(seconds - time.time()) < 60
    assert load.landed(database, [COUNTS, FERPLUS]) == {COUNTS.file_name: record}


def test_a_failing_load_leaves_what_was_there(tmp_path: Path) -> None:
    database = tmp_path / "work.duckdb"
    record = load_counts(database, "(0, 0, 1), (0, 1, 2)")
    with pytest.raises(LandingError, match=r"could not be loaded .* what was there before stays"):
        load_counts(database, "(0, 0, 'many')", sha256="b" * 64)
    assert content(database, ALL_COUNTS) == [(0, 0, 1), (0, 1, 2)]
    assert load.landed(database, [COUNTS]) == {COUNTS.file_name: record}


def test_an_interruption_between_rows_and_record_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "work.duckdb"
    load_counts(database, "(0, 0, 1)")

    class Interrupting:
        @staticmethod
        def now(zone: Any) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr(load, "datetime", Interrupting)
    with pytest.raises(KeyboardInterrupt):
        load_counts(database, "(1, 1, 1)")
    assert content(database, ALL_COUNTS) == [(0, 0, 1)]


def test_a_table_with_other_columns_is_made_anew(tmp_path: Path) -> None:
    database = tmp_path / "work.duckdb"
    load_counts(database, "(0, 0, 1)")
    with duckdb.connect(str(database)) as connection:
        connection.execute("alter table raw.cifar10h_counts drop column votes")
    assert load.landed(database, [COUNTS]) == {}
    load_counts(database, "(0, 0, 2)")
    assert content(database, ALL_COUNTS) == [(0, 0, 2)]


def test_a_record_counts_only_where_its_rows_are(tmp_path: Path) -> None:
    database = tmp_path / "work.duckdb"
    assert load.landed(database, [COUNTS]) == {}
    load_counts(database, "(0, 0, 1)")
    with duckdb.connect(str(database)) as connection:
        connection.execute("delete from raw.cifar10h_counts")
    assert load.landed(database, [COUNTS]) == {}


def test_files_that_share_a_table_replace_their_own_rows_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = [("file_name", "string"), ("item_index", "bigint")]

    def with_file_name(raw_table: str) -> list[tuple[str, str]]:
        return columns if raw_table == "shared" else raw_columns(raw_table)

    monkeypatch.setattr(load, "raw_columns", with_file_name)
    database = tmp_path / "work.duckdb"
    first, second = source("a.csv", "shared"), source("b.csv", "shared")
    for file, items in ((first, "(1), (2)"), (second, "(3)"), (first, "(4)")):
        with duckdb.connect() as connection:
            connection.execute(
                f"create table rows as select '{file.file_name}' as file_name, * from (values {items}) as v(item_index)"
            )
            load.load(database, connection, "rows", file, found(file), [])
    assert content(database, "from raw.shared order by all") == [("a.csv", 4), ("b.csv", 3)]
    assert {name: record.rows for name, record in load.landed(database, [first, second]).items()} == {
        "a.csv": 1,
        "b.csv": 1,
    }


@contextmanager
def opened_elsewhere(database: Path, read_only: bool) -> Iterator[None]:
    """Another process has the database open."""
    code = (
        f"import duckdb, sys; connection = duckdb.connect({str(database)!r}, read_only={read_only}); "
        "print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdin and other.stdout and other.stdout.readline() == "open\n"
        yield
        other.stdin.close()


@pytest.fixture
def held_open(tmp_path: Path) -> Iterator[Path]:
    """A database that another process has open, for reading only."""
    database = tmp_path / "work.duckdb"
    load_counts(database, "(0, 0, 1)")
    with opened_elsewhere(database, read_only=True):
        yield database


def test_a_database_open_elsewhere_is_one_sentence(held_open: Path) -> None:
    with pytest.raises(LandingError) as refused:
        load_counts(held_open, "(1, 1, 1)")
    assert "open in another program" in str(refused.value) and "\n" not in str(refused.value)


def test_a_file_that_is_no_database_is_one_sentence(tmp_path: Path) -> None:
    database = tmp_path / "work.duckdb"
    database.write_text("no database " * 1000)
    for attempt in (lambda: load.landed(database, [COUNTS]), lambda: load_counts(database, "(1, 1, 1)")):
        with pytest.raises(LandingError, match=r"work\.duckdb can't be opened .*: delete it and land the files again"):
            attempt()


# --- the command ---------------------------------------------------------------------------------------------------


@dataclass
class Run:
    """The command in this process, on one small file of trials that is declared for the test."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]
    out: str = ""
    err: str = ""

    @property
    def database(self) -> Path:
        return self.folder / "work.duckdb"

    @property
    def file(self) -> Path:
        return self.folder / "raw" / "small.csv"

    def write(self, text: str) -> None:
        self.file.parent.mkdir(exist_ok=True)
        self.file.write_text(text, newline="")

    def declare(self, text: str, *others: SourceFile) -> None:
        """Declare that the file has this text, after other declared files."""
        declared = replace(source("small.csv", "demo_raw"), sha256=hashlib.sha256(text.encode()).hexdigest())
        self.monkeypatch.setattr(land, "read_declared", lambda: [*others, declared])

    def __call__(self, *arguments: str) -> int:
        code = land.main(list(arguments))
        self.out, self.err = self.capsys.readouterr()
        return code

    def rows(self) -> list[tuple[Any, ...]]:
        return content(self.database, "from raw.demo_raw order by file_row")

    def record(self) -> tuple[Any, ...]:
        ((*record,),) = content(self.database, "select taken_from, is_verified, landed_at from raw.landed_files")
        return tuple(record)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    for variable in ("MIRROR", "ALLOW_UNVERIFIED", "BASE_URL"):
        monkeypatch.delenv(f"DISSENT_{variable}", raising=False)
    monkeypatch.setenv("DISSENT_OFFLINE", "1")
    monkeypatch.setenv("DISSENT_RAW_FOLDER", str(tmp_path / "raw"))
    monkeypatch.setenv("DISSENT_WORK_DATABASE", str(tmp_path / "work.duckdb"))
    monkeypatch.setitem(LAYOUTS, "small.csv", SMALL)
    command = Run(tmp_path, monkeypatch, capsys)
    command.declare(SMALL_CSV)
    return command


OTHER_CSV = SMALL_CSV.replace(",700,", ",701,")


def test_a_file_lands_and_landing_again_does_nothing(run: Run) -> None:
    run.write(SMALL_CSV)
    assert run() == 0
    assert run.out.split("\n")[1].split() == ["small.csv", "landed", "6", "verified", "data/raw"]
    assert run.rows() == typed(small_rows())
    before = run.record(), run.database.stat().st_mtime_ns
    assert run() == 0
    assert "unchanged" in run.out and run.err == ""
    assert (run.record(), run.database.stat().st_mtime_ns) == before


def test_refresh_lands_again(run: Run) -> None:
    run.write(SMALL_CSV)
    run()
    before = run.record()
    assert run("--refresh") == 0
    assert "landed" in run.out and run.record() > before


def test_the_mirror_is_searched_after_the_folder_of_raw_files(run: Run) -> None:
    mirror = run.folder / "mirror" / "deep"
    mirror.mkdir(parents=True)
    (mirror / "small.csv").write_text(SMALL_CSV, newline="")
    run.monkeypatch.setenv("DISSENT_MIRROR", str(mirror.parent))
    assert run() == 0
    assert run.record()[:2] == ("mirror", True)
    run.write(OTHER_CSV)
    assert run() == 1


def test_a_mirror_that_is_no_folder_is_said_once(run: Run) -> None:
    run.monkeypatch.setenv("DISSENT_MIRROR", str(run.folder / "nowhere"))
    assert run() == 1
    assert run.err.count("\n") == 1 and "DISSENT_MIRROR" in run.err and run.out == ""


def test_another_hash_is_refused_and_what_landed_stays(run: Run) -> None:
    run.write(SMALL_CSV)
    run()
    before = run.rows(), run.record()
    run.write(OTHER_CSV)
    assert run() == 1
    assert run.err.startswith("refused: small.csv: the hash is") and run.err.count("\n") == 1
    assert "DISSENT_ALLOW_UNVERIFIED" in run.err
    assert run.out.split("\n")[1].split() == ["small.csv", "refused", "6", "verified", "data/raw"]
    assert (run.rows(), run.record()) == before


def test_a_refused_file_creates_no_database(run: Run) -> None:
    run.write(OTHER_CSV)
    assert run() == 1
    assert not run.database.exists()
    assert run.out.split("\n")[1].split() == ["small.csv", "refused", "-", "-", "-"]


def test_an_allowed_file_lands_as_unverified_and_says_so_every_time(run: Run) -> None:
    run.write(OTHER_CSV)
    run.monkeypatch.setenv("DISSENT_ALLOW_UNVERIFIED", " small.csv , ")
    assert run() == 0
    assert "UNVERIFIED" in run.out and run.record()[:2] == ("data/raw", False)
    assert run() == 0
    assert "unchanged" in run.out and "UNVERIFIED" in run.out


def test_when_the_declared_hash_changes_the_file_is_judged_again(run: Run) -> None:
    run.write(SMALL_CSV)
    run()
    run.declare(OTHER_CSV)
    run.write(SMALL_CSV)
    assert run() == 1
    assert "refused" in run.out


def test_allowing_an_unknown_file_is_an_error_that_names_the_known_ones(run: Run) -> None:
    run.monkeypatch.setenv("DISSENT_ALLOW_UNVERIFIED", "small.csv,smal.csv")
    assert run() == 1
    assert "smal.csv, which is no declared file: the declared files are small.csv" in run.err


def test_invalid_content_is_refused_and_what_landed_stays(run: Run) -> None:
    run.write(SMALL_CSV)
    run()
    before = run.rows(), run.record()
    invalid = SMALL_CSV.replace(",-99999,", ",3,", 1)
    run.declare(invalid)
    run.write(invalid)
    assert run() == 1
    (refusal_line,) = [line for line in run.err.splitlines() if not line.endswith("...")]
    assert "row 2, annotator_id 0, column cifar10_test_test_idx, value 3: attention checks" in refusal_line
    assert (run.rows(), run.record()) == before


def test_quirks_are_recorded(run: Run) -> None:
    quirky = SMALL_CSV.replace(",700,", ",-700,", 2)
    run.declare(quirky)
    run.write(quirky)
    assert run() == 0
    assert content(run.database, "select warnings from raw.landed_files") == [
        ("2 trials have a negative reaction time; they stay in and don't enter the median.",)
    ]


def test_a_landed_file_that_is_gone_is_kept(run: Run) -> None:
    run.write(SMALL_CSV)
    run()
    run.file.unlink()
    assert run() == 0
    assert "kept" in run.out and run.err == ""


def test_a_missing_file_is_no_error_and_one_line_tells_how_to_get_it(run: Run) -> None:
    assert run() == 0
    assert run.out.split("\n")[1].split() == ["small.csv", "missing", "-", "-", "-"]
    (line,) = run.out.splitlines()[2:]
    assert line.startswith("missing: small.csv; put them into")
    assert "DISSENT_MIRROR" in line and "network" in line
    assert not run.database.exists()


def test_a_file_that_is_not_there_is_downloaded(run: Run) -> None:
    asked = []

    def download(file: SourceFile, raw_folder: Path, *, allowed: bool, base_url: str | None = None) -> fetch.Found:
        asked.append((file.file_name, raw_folder, allowed, base_url))
        run.write(SMALL_CSV)
        return fetch.Found(run.file, "address", file.sha256, len(SMALL_CSV), is_verified=True)

    run.monkeypatch.setattr(fetch, "download", download)
    run.monkeypatch.setenv("DISSENT_OFFLINE", "0")
    run.monkeypatch.setenv("DISSENT_BASE_URL", "https://example.org")
    run.monkeypatch.setenv("DISSENT_ALLOW_UNVERIFIED", "small.csv")
    assert run() == 0
    assert asked == [("small.csv", run.folder / "raw", True, "https://example.org")]
    assert run.record()[:2] == ("address", True) and run.rows() == typed(small_rows())


def test_no_network_is_no_error(run: Run) -> None:
    def download(*_: Any, **__: Any) -> fetch.Found:
        raise fetch.Unreachable("small.csv", "no network")

    run.monkeypatch.setattr(fetch, "download", download)
    run.monkeypatch.setenv("DISSENT_OFFLINE", "")
    assert run() == 0
    assert "missing: small.csv" in run.out and run.err == "small.csv: no network\n"


def test_files_that_share_a_reason_share_a_line(run: Run) -> None:
    def download(file: SourceFile, *_: Any, **__: Any) -> fetch.Found:
        reason = "the server answered 500" if file.file_name == "b.csv" else "no network"
        raise fetch.Unreachable(file.file_name, f"not to be had from https://example.org/{file.file_name}", reason)

    others = [source(name, "cifar10h_raw") for name in ("a.csv", "b.csv")]
    for other in others:
        run.monkeypatch.setitem(LAYOUTS, other.file_name, SMALL)
    run.declare(SMALL_CSV, *others)
    run.monkeypatch.setattr(fetch, "download", download)
    run.monkeypatch.setenv("DISSENT_OFFLINE", "")
    assert run() == 0
    assert run.err.splitlines() == ["a.csv, small.csv: no network", "b.csv: the server answered 500"]


def test_other_files_land_when_one_is_refused(run: Run) -> None:
    refused = source("refused.csv", "cifar10h_raw")
    run.monkeypatch.setitem(LAYOUTS, "refused.csv", SMALL)
    run.declare(SMALL_CSV, refused)
    run.write(SMALL_CSV)
    (run.folder / "raw" / "refused.csv").write_text(SMALL_CSV)
    assert run() == 1
    assert [line.split()[:2] for line in run.out.splitlines()[1:]] == [
        ["refused.csv", "refused"],
        ["small.csv", "landed"],
    ]


def test_a_running_build_is_one_sentence(run: Run) -> None:
    run.write(SMALL_CSV)
    with build_lock.take(run.database):
        assert run() == 1
    assert "another build is using" in run.err and run.err.count("\n") == 1
    assert not run.database.exists()
    assert run() == 0


def test_nothing_to_do_takes_no_lock(run: Run) -> None:
    run.write(SMALL_CSV)
    run()
    with build_lock.take(run.database):
        assert run() == 0


def test_a_database_being_written_is_one_sentence(run: Run) -> None:
    run.write(SMALL_CSV)
    run()
    with opened_elsewhere(run.database, read_only=False):
        assert run() == 1
    assert "open in another program" in run.err and run.err.count("\n") == 1


def test_the_demo_is_generated_and_an_edited_one_refused(run: Run) -> None:
    demo = next(file for file in read_declared() if file.file_name == "demo-raw.csv")
    run.monkeypatch.setattr(land, "read_declared", lambda: [demo])
    assert run() == 0
    assert run.out.split("\n")[1].split() == ["demo-raw.csv", "landed", "21,000", "verified", "generated"]
    assert run("--refresh") == 0
    assert run.record()[:2] == ("generated", True)
    path = run.folder / "raw" / "demo-raw.csv"
    path.write_text(path.read_text().replace("cat", "dog", 1), newline="")
    assert run() == 1
    assert path.exists() and len(run.rows()) == 21_000


def test_help_names_the_environment_variables(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        land.main(["--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    used = {"MIRROR", "ALLOW_UNVERIFIED", "OFFLINE", "BASE_URL", "RAW_FOLDER", "WORK_DATABASE", "DOWNLOAD_TIMEOUT"}
    assert all(f"DISSENT_{name}" in text for name in used)


# --- the published files, from start to end --------------------------------------------------------------------------


def mirror_folder() -> Path:
    return Path(os.environ.get("DISSENT_MIRROR") or PROJECT.parent / "shared" / "data")


needs_mirror = pytest.mark.skipif(
    not mirror_folder().is_dir(),
    reason="the published files are not here: name a folder that holds them in DISSENT_MIRROR",
)


@dataclass(frozen=True)
class RealLanding:
    environment: dict[str, str]
    out: str
    err: str
    seconds: float

    @property
    def database(self) -> Path:
        return Path(self.environment["DISSENT_WORK_DATABASE"])


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> RealLanding:
    folder = tmp_path_factory.mktemp("real")
    environment = {
        **os.environ,
        "DISSENT_MIRROR": str(mirror_folder()),
        "DISSENT_ALLOW_UNVERIFIED": "cifar10h-raw.zip",
        "DISSENT_OFFLINE": "1",
        "DISSENT_RAW_FOLDER": str(folder / "raw"),
        "DISSENT_WORK_DATABASE": str(folder / "work.duckdb"),
    }
    started = time.monotonic()
    outcome = subprocess.run(
        [sys.executable, "-m", "scripts.land"], env=environment, cwd=PROJECT, capture_output=True, text=True
    )
    assert outcome.returncode == 0, outcome.stderr
    return RealLanding(environment, outcome.stdout, outcome.stderr, time.monotonic() - started)


@needs_mirror
def test_the_published_files_land(real: RealLanding) -> None:
    assert [line.split() for line in real.out.splitlines()] == [
        ["file", "status", "rows", "sha256", "taken", "from"],
        ["cifar10h-raw.zip", "landed", "539,910", "UNVERIFIED", "mirror"],
        ["cifar10h-counts.npy", "landed", "100,000", "verified", "mirror"],
        ["fer2013new.csv", "landed", "35,887", "verified", "mirror"],
        ["demo-raw.csv", "landed", "21,000", "verified", "generated"],
        ["resnet-110.csv", "landed", "100,000", "verified", "mirror"],
        ["preresnet-110.csv", "landed", "100,000", "verified", "mirror"],
        ["densenet-bc-L190-k40.csv", "landed", "100,000", "verified", "mirror"],
        ["human_model_truth_cifar10h.csv", "landed", "100,000", "verified", "mirror"],
        ["paper-models-cifar10h.csv", "optional", "-", "-", "-"],
    ]
    assert real.seconds < 40
    records = content(
        real.database,
        "select file_name, rows, is_verified, warnings from raw.landed_files"
        " where file_name not in (select file_name from raw.model_predictions) order by file_name",
    )
    quirk = "trials have a negative reaction time; they stay in and don't enter the median."
    assert records == [
        ("cifar10h-counts.npy", 100_000, True, ""),
        ("cifar10h-raw.zip", 539_910, False, f"12 {quirk}"),
        ("demo-raw.csv", 21_000, True, f"3 {quirk}"),
        (
            "fer2013new.csv",
            35_887,
            True,
            "173 rows have no image name; they stay in the raw table and are no items. "
            "4 image names stand on more than one row; each row is an item of its own.",
        ),
    ]


@needs_mirror
def test_the_raw_tables_hold_the_files_value_by_value(real: RealLanding) -> None:
    with zipfile.ZipFile(mirror_folder() / "cifar10h" / "cifar10h-raw.zip") as archive:
        lines = io.TextIOWrapper(archive.open("cifar10h-raw.csv"), encoding="utf-8", newline="")
        every = 97
        expected = [row for number, row in enumerate(csv.reader(lines)) if number and number % every == 0]
    landed_rows = content(real.database, f"from raw.cifar10h_raw where file_row % {every} = 0 order by file_row")
    assert [row[1:] for row in landed_rows] == [row[1:] for row in typed(expected)]
    counts = np.load(mirror_folder() / "cifar10h" / "cifar10h-counts.npy")
    cells = content(real.database, "select votes from raw.cifar10h_counts order by item_index, label_index")
    assert [votes for (votes,) in cells] == counts.ravel().tolist()
    with (mirror_folder() / "ferplus" / "fer2013new.csv").open(newline="") as handle:
        images = [
            (number, row[0], row[1] or None, *map(int, row[2:]))
            for number, row in enumerate(csv.reader(handle))
            if number
        ]
    assert content(real.database, "from raw.ferplus order by file_row") == images


@needs_mirror
def test_landing_again_is_quick_and_imports_little(real: RealLanding) -> None:
    code = (
        "import sys; from scripts import land; code = land.main([]); "
        "heavy = {'pandas', 'numpy', 'great_expectations', 'requests'} & set(sys.modules); "
        "print('heavy:', sorted(heavy)); sys.exit(code)"
    )
    started = time.monotonic()
    outcome = subprocess.run(
        [sys.executable, "-c", code], env=real.environment, cwd=PROJECT, capture_output=True, text=True
    )
    seconds = time.monotonic() - started
    assert outcome.returncode == 0 and outcome.stderr == ""
    assert outcome.stdout.count("unchanged") == 8 and "heavy: []" in outcome.stdout
    assert seconds < 2


@needs_mirror
def test_the_reconstruction_is_refused_unless_it_is_allowed(real: RealLanding) -> None:
    database = real.database.with_name("strict.duckdb")
    environment = {**real.environment, "DISSENT_ALLOW_UNVERIFIED": "", "DISSENT_WORK_DATABASE": str(database)}
    outcome = subprocess.run(
        [sys.executable, "-m", "scripts.land"], env=environment, cwd=PROJECT, capture_output=True, text=True
    )
    assert outcome.returncode == 1
    assert "refused: cifar10h-raw.zip" in outcome.stderr and "Traceback" not in outcome.stderr
    assert content(database, "select count(*) from raw.landed_files where is_verified") == [(7,)]
